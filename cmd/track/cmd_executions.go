package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"track"
	"track/scoring/format"
	"track/store"
)

type executionsOptions struct {
	task, status, grade, minScore, maxScore, since string
	limit                                          int
}

func (p *program) executionsCommand() *cli.Command {
	var o executionsOptions
	return &cli.Command{
		Name:      "executions",
		Usage:     "list executions of agents",
		UsageText: "track executions [LINEAGE[@VERSION]] [FLAGS]",
		Description: `The newest first, with the score in force: your own, else that of the rubric. at is when it started, or was recorded where that is unknown.

Examples:
   track executions sepa --limit 20
   track executions sepa@v002 --status error
   track executions --max-score 60 --since 24h --format csv`,
		BashComplete: p.completeLineages,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "task", Usage: "only of this `TASK`", Destination: &o.task},
			&cli.StringFlag{Name: "status", Usage: "ok, timeout, error or invalid", Destination: &o.status},
			&cli.StringFlag{Name: "grade", Usage: "A+, A, B, C, D or F", Destination: &o.grade},
			&cli.StringFlag{Name: "min-score", Usage: "a score of at least `X`", Destination: &o.minScore},
			&cli.StringFlag{Name: "max-score", Usage: "a score of at most `X`", Destination: &o.maxScore},
			&cli.StringFlag{Name: "since", Usage: "started at or after `TIME`, or so long ago, such as 24h", Destination: &o.since},
			&cli.IntFlag{Name: "limit", Value: 50, Usage: "the newest `N`; 0 for all", Destination: &o.limit},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return usage("track executions takes at most one LINEAGE[@VERSION]")
			}
			return p.executions(c.Context, c.Args().First(), o)
		},
	}
}

// parseLineage reads LINEAGE[@VERSION]; version is nil where none is given.
func parseLineage(s string) (lineage string, version *string, err error) {
	lineage, name, given := strings.Cut(s, "@")
	switch {
	case lineage == "":
		return "", nil, usage("%q is not LINEAGE or LINEAGE@VERSION", s)
	case given:
		version = &name
	}
	return lineage, version, nil
}

func (o executionsOptions) filter(selector string, now time.Time) (f store.ExecutionFilter, err error) {
	f = store.ExecutionFilter{Task: o.task, Grade: o.grade, Limit: o.limit}
	if o.limit < 0 {
		return f, usage("--limit: %d is negative", o.limit)
	}
	if selector != "" {
		if f.Lineage, f.Version, err = parseLineage(selector); err != nil {
			return f, err
		}
	}
	if grades := []string{"A+", "A", "B", "C", "D", "F"}; o.grade != "" && !slices.Contains(grades, o.grade) {
		return f, usage("--grade: %q is none of %s", o.grade, strings.Join(grades, ", "))
	}
	if o.status != "" {
		if f.Status, err = track.ParseExecutionStatus(o.status); err != nil {
			return f, usage("--status: %v", err)
		}
	}
	if f.MinScore, err = optionalNumber("--min-score", o.minScore); err != nil {
		return f, err
	}
	if f.MaxScore, err = optionalNumber("--max-score", o.maxScore); err != nil {
		return f, err
	}
	f.Since, err = parseSince(o.since, now)
	return f, err
}

func (p *program) executions(ctx context.Context, selector string, o executionsOptions) error {
	filter, err := o.filter(selector, p.now())
	if err != nil {
		return err
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	list, err := st.Executions(ctx, filter)
	if err != nil {
		return err
	}
	if len(list) == 0 && filter.Lineage != "" {
		if err := st.CheckLineage(ctx, filter.Lineage, filter.Version); err != nil {
			return err
		}
	}
	return p.write(executionsView(list, o.limit))
}

type executionDocument struct {
	ID          string                `json:"id"`
	Lineage     string                `json:"lineage"`
	Version     string                `json:"version"`
	Task        string                `json:"task"`
	TaskType    string                `json:"task_type"`
	Complexity  track.Complexity      `json:"complexity"`
	Trial       int                   `json:"trial"`
	Session     string                `json:"session"`
	Status      track.ExecutionStatus `json:"status"`
	Message     string                `json:"message"`
	Rubric      string                `json:"rubric"`
	Score       *float64              `json:"score"`
	Grade       string                `json:"grade"`
	NCalls      int                   `json:"n_calls"`
	NFailed     int                   `json:"n_failed"`
	Corrections int                   `json:"corrections"`
	Model       string                `json:"model"`
	Tokens      *tokensDocument       `json:"tokens"`
	CostUSD     *float64              `json:"cost_usd"`
	StartedAt   string                `json:"started_at,omitempty"`
	Duration    *float64              `json:"duration_s"`
	RecordedAt  string                `json:"recorded_at"`
	Source      string                `json:"source"`
	Key         string                `json:"key"`
	Open        bool                  `json:"open"` // its source ended within it
	ForgottenAt string                `json:"forgotten_at,omitempty"`
}

type tokensDocument struct {
	Input      *int64 `json:"input"`
	Output     *int64 `json:"output"`
	CacheRead  *int64 `json:"cache_read"`
	CacheWrite *int64 `json:"cache_write"`
	Reasoning  *int64 `json:"reasoning"`
}

func newExecutionDocument(s store.ExecutionSummary) executionDocument {
	d := executionDocument{
		s.ID, s.Lineage, s.Version, s.Task, s.TaskType, s.Complexity, s.Trial, s.Session, s.Status, s.Message, s.Rubric, s.Score, s.Grade,
		s.NCalls, s.NFailed, s.Corrections, s.Model, nil, s.CostUSD, timeText(s.StartedAt), seconds(s.Duration), timeText(s.RecordedAt),
		s.Source, s.Key, s.Open, timeText(s.ForgottenAt),
	}
	if s.Tokens != nil {
		tokens := tokensDocument(*s.Tokens)
		d.Tokens = &tokens
	}
	return d
}

func executionsView(list []store.ExecutionSummary, limit int) view {
	documents := []executionDocument{}
	v := view{lines: []any{}, rows: grid{columns: []string{
		"id", "lineage", "version", "task", "status", "score", "grade", "rubric", "calls", "failed", "duration", "cost", "at",
	}}}
	for _, s := range list {
		d := newExecutionDocument(s)
		documents = append(documents, d)
		v.lines = append(v.lines, d)
		var duration, cost any
		if s.Duration != nil {
			duration = shown{s.Duration.Round(100 * time.Millisecond).String(), s.Duration.Seconds()}
		}
		if s.CostUSD != nil {
			cost = shown{format.Fixed(*s.CostUSD, 4), *s.CostUSD}
		}
		var score any
		if s.Score != nil {
			score = shown{format.Fixed(*s.Score, 2), *s.Score}
		}
		v.rows.cells = append(v.rows.cells, []any{
			s.ID, s.Lineage, s.Version, shown{shorten(s.Task), s.Task}, string(s.Status), score, s.Grade, s.Rubric, s.NCalls, s.NFailed, duration, cost,
			shown{people(s.At), timeText(s.At)},
		})
	}
	v.document, v.page = documents, []any{v.rows}
	switch {
	case len(list) == 0:
		v.page = []any{"no executions match"}
	case len(list) == limit:
		v.page = append(v.page, fmt.Sprintf("the newest %d; --limit shows more", limit))
	}
	return v
}
