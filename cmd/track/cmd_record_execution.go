package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v2"

	"track"
	"track/importer/formats"
	"track/scoring/format"
	"track/scoring/rubric"
	"track/tracker/agents"
)

type recordExecutionOptions struct {
	lineage, version, task, taskType, complexity, session, status, message string
	duration, startedAt, model, tokens, key                                string
	trial                                                                  int
	cost, score                                                            *float64
	events, output, formatSpec                                             string
	keepText, dryRun, statusGiven, spool                                   bool
	spoolDir                                                               string // empty where it is recorded at once
}

func (p *program) recordExecutionCommand() *cli.Command {
	var o recordExecutionOptions
	return &cli.Command{
		Name:      "execution",
		Usage:     "record one execution of an agent and score it",
		UsageText: "track record execution --lineage L [--version V] [FLAGS]",
		Description: `An execution is one task that an agent did with one version of its prompt. Its tool calls come from --events: a transcript, a hook
log, or JSON lines of calls; its final text from --output. It is scored by the rubric at once; --score replaces the rubric's score and
is named so. A failed execution (timeout, error) is a status and earns no score. Inputs and outputs of calls are kept as digests unless
--keep-text; secrets are masked in either case. The same --key again is a no-op.

Examples:
   track record execution --lineage sepa --version v002 --events executions.jsonl --output answer.md --duration 60s --complexity medium
   track record execution --lineage sepa --version v002 --task t-17 --status timeout
   my-agent | track record execution --lineage mine --task-type coding --output - --dry-run`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "lineage", Usage: "`NAME` of the lineage that the agent belongs to", Destination: &o.lineage},
			&cli.StringFlag{Name: "version", Usage: "`NAME` of the version of its prompt", Destination: &o.version},
			&cli.StringFlag{Name: "task", Usage: "`NAME` of the task", Destination: &o.task},
			&cli.StringFlag{Name: "task-type", Usage: "coding, or any other `WORD`", Destination: &o.taskType},
			&cli.StringFlag{Name: "complexity", Usage: "simple, medium or complex: what is expected in time and tools", Destination: &o.complexity},
			&cli.IntFlag{Name: "trial", Usage: "which repetition of the task it is", Destination: &o.trial},
			&cli.StringFlag{Name: "session", Usage: "`ID` of the session", Destination: &o.session},
			&cli.StringFlag{Name: "status", Value: "ok", Usage: "ok, timeout, error or invalid", Destination: &o.status},
			&cli.StringFlag{Name: "message", Usage: "why it failed", Destination: &o.message},
			&cli.StringFlag{Name: "duration", Usage: "`TIME` it took, such as 60s or 2m", Destination: &o.duration},
			&cli.StringFlag{Name: "started-at", Usage: "`TIME` such as 2026-01-02T15:04:05Z", Destination: &o.startedAt},
			&cli.StringFlag{Name: "model", Usage: "`NAME` of the model", Destination: &o.model},
			&cli.StringFlag{Name: "tokens", Usage: "as in `in=1200,out=300`; also cache_read, cache_write, reasoning", Destination: &o.tokens},
			&cli.Float64Flag{Name: "cost", Usage: "in `USD`"},
			&cli.StringFlag{Name: "events", Usage: "`FILE` with its tool calls", Destination: &o.events},
			&cli.StringFlag{Name: "output", Usage: "`FILE` with its final text, - for standard input", Destination: &o.output},
			&cli.StringFlag{Name: "format-spec", Usage: "`FILE` that says what the output must look like", Destination: &o.formatSpec},
			&cli.Float64Flag{Name: "score", Usage: "a `SCORE` of your own from 0 to 100, in place of the rubric's"},
			&cli.StringFlag{Name: "key", Usage: "`ID` of your own: recording it again does nothing", Destination: &o.key},
			&cli.BoolFlag{Name: "keep-text", Usage: "keep inputs and outputs of the calls too, masked", Destination: &o.keepText},
			&cli.BoolFlag{Name: "dry-run", Usage: "score it and record nothing", Destination: &o.dryRun},
			spoolFlag(&o.spool),
		},
		Action: func(c *cli.Context) error {
			if o.lineage == "" {
				return usage("track record execution needs --lineage NAME")
			}
			if c.NArg() > 0 {
				return usage("track record execution takes no argument: --events FILE and --output FILE name its files")
			}
			o.cost, o.score, o.statusGiven = optional(c, "cost"), optional(c, "score"), c.IsSet("status")
			dir, spooled, err := p.spooling(c, o.spool)
			if err != nil {
				return err
			}
			if spooled {
				o.spoolDir = dir
			}
			return p.recordExecution(c.Context, o)
		},
	}
}

func (p *program) recordExecution(ctx context.Context, o recordExecutionOptions) error {
	execution, err := o.parse()
	if err != nil {
		return err
	}
	if o.events != "" {
		log, err := readEvents(o.events)
		if err != nil {
			return err
		}
		if !o.statusGiven {
			execution.Status, execution.Message = log.Status, cmp.Or(execution.Message, log.Message)
		}
		fillIn(&execution, log)
	}
	if o.output != "" {
		if execution.Output, err = p.readOutput(ctx, o.output); err != nil {
			return err
		}
	}
	options := agents.Options{KeepText: o.keepText}
	if o.formatSpec != "" {
		if options.Format, err = readFormatSpec(o.formatSpec); err != nil {
			return err
		}
	}
	if o.dryRun {
		result, err := agents.Score(execution, options)
		if err != nil {
			return err
		}
		return p.write(recordedExecutionView(execution, result, true))
	}
	if o.spoolDir != "" {
		if o.keepText || o.formatSpec != "" {
			return usage("--keep-text and --format-spec score at once, and a spool is scored when it is ingested: --spool=false, or leave them out")
		}
		return p.spoolExecution(o.spoolDir, execution)
	}
	st, err := p.openOrCreate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	recorder := agents.NewRecorder(st, options, bufio.NewReader(rand.Reader))
	results, err := recorder.Record(ctx, []track.Execution{execution}, false)
	if err != nil {
		return err
	}
	if results[0].Disposition == track.Conflict {
		return track.WithHint(fmt.Errorf("%w: key %s of lineage %s is recorded with other content, as %s", track.ErrConflict, o.key, o.lineage, results[0].ID), track.Hint{Text: "track show execution " + results[0].ID + " shows it; another execution needs another --key"})

	}
	return p.write(recordedExecutionView(execution, results[0], false))
}

func (o recordExecutionOptions) parse() (e track.Execution, err error) {
	e = track.Execution{
		Lineage: o.lineage, Version: o.version, Task: o.task, TaskType: o.taskType, Trial: o.trial, Session: o.session, Message: o.message,
		Model: o.model, Key: o.key, CostUSD: o.cost, Score: o.score,
	}
	if e.Status, err = track.ParseExecutionStatus(o.status); err != nil {
		return e, usage("--status: %v", err)
	}
	if o.score != nil && e.Status != track.ExecutionOK {
		return e, usage("--score: an execution of status %s earns none", e.Status)
	}
	if e.Complexity, err = track.ParseComplexity(o.complexity); err != nil {
		return e, usage("--complexity: %v", err)
	}
	if o.duration != "" {
		d, err := time.ParseDuration(o.duration)
		if err != nil || d < 0 {
			return e, usage("--duration: %q is not a time such as 60s or 2m", o.duration)
		}
		e.Duration = &d
	}
	if o.startedAt != "" {
		if e.StartedAt, err = time.Parse(time.RFC3339Nano, o.startedAt); err != nil {
			return e, usage("--started-at: %q is not a time such as 2026-01-02T15:04:05Z", o.startedAt)
		}
	}
	if e.Tokens, err = parseTokens(o.tokens); err != nil {
		return e, err
	}
	if problem := e.Validate(); problem != nil {
		return e, usage("--%s: %s", strings.ReplaceAll(problem.Field, "_", "-"), problem.Message)
	}
	return e, nil
}

// parseTokens reads in=1200,out=300; nil for nothing.
func parseTokens(text string) (*track.Tokens, error) {
	if text == "" {
		return nil, nil
	}
	tokens := &track.Tokens{}
	for _, part := range strings.Split(text, ",") {
		name, number, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 0 {
			return nil, usage("--tokens: %q is not NAME=NUMBER, as in in=1200,out=300", part)
		}
		switch name {
		case "in", "input":
			tokens.Input = &n
		case "out", "output":
			tokens.Output = &n
		case "cache_read":
			tokens.CacheRead = &n
		case "cache_write":
			tokens.CacheWrite = &n
		case "reasoning":
			tokens.Reasoning = &n
		default:
			return nil, usage("--tokens: unknown %q: use in, out, cache_read, cache_write and reasoning", name)
		}
	}
	return tokens, nil
}

// readEvents reads an execution from a log: all that it holds, but for what subagents did, is taken as one.
func readEvents(path string) (whole track.Execution, err error) {
	n := 0
	for item, err := range formats.ReadPath("", path) {
		switch {
		case err != nil:
			return whole, err
		case item.Skip != nil:
			return whole, track.WithHint(fmt.Errorf("%w: %s", track.ErrInvalid, item.Skip), track.Hint{Text: "track import reads damaged logs, and says what it leaves out"})
		case item.Execution == nil || item.Subagent:
			continue
		}
		if n++; n == 1 {
			whole = *item.Execution
		} else {
			join(&whole, *item.Execution)
		}
	}
	if n == 0 {
		return whole, &track.FieldError{File: path, Message: "holds no execution"}
	}
	return whole, nil
}

// join adds what came next in the same execution. What is known of a part only is not known of the whole.
func join(e *track.Execution, next track.Execution) {
	e.Calls = append(e.Calls, next.Calls...)
	for _, file := range next.Files {
		e.Files = append(slices.DeleteFunc(e.Files, func(f track.WrittenFile) bool { return f.Name == file.Name }), file)
	}
	e.Corrections += next.Corrections
	e.Status, e.Message, e.Output, e.Truncated, e.Model = next.Status, next.Message, next.Output, next.Truncated, cmp.Or(next.Model, e.Model)
	e.Duration, e.CostUSD = sum(e.Duration, next.Duration), sum(e.CostUSD, next.CostUSD)
	if e.Tokens == nil || next.Tokens == nil {
		e.Tokens = nil
		return
	}
	a, b := *e.Tokens, *next.Tokens
	e.Tokens = &track.Tokens{
		Input: sum(a.Input, b.Input), Output: sum(a.Output, b.Output), CacheRead: sum(a.CacheRead, b.CacheRead), CacheWrite: sum(a.CacheWrite, b.CacheWrite),
		Reasoning: sum(a.Reasoning, b.Reasoning),
	}
}

// sum is nil where one of the numbers is.
func sum[T int64 | float64 | time.Duration](a, b *T) *T {
	if a == nil || b == nil {
		return nil
	}
	total := *a + *b
	return &total
}

// fillIn adds what a log knows and the command line leaves open. Its format says how failed calls are to be told.
func fillIn(e *track.Execution, log track.Execution) {
	e.Source, e.Calls, e.Files, e.Corrections, e.Truncated, e.Output, e.Truths = log.Source, log.Calls, log.Files, log.Corrections, log.Truncated, log.Output, log.Truths
	e.Task, e.TaskType, e.Complexity = cmp.Or(e.Task, log.Task), cmp.Or(e.TaskType, log.TaskType), cmp.Or(e.Complexity, log.Complexity)
	e.Trial, e.Model, e.Session = cmp.Or(e.Trial, log.Trial), cmp.Or(e.Model, log.Model), cmp.Or(e.Session, log.Session)
	e.Duration, e.CostUSD, e.Tokens = cmp.Or(e.Duration, log.Duration), cmp.Or(e.CostUSD, log.CostUSD), cmp.Or(e.Tokens, log.Tokens)
	if e.StartedAt.IsZero() {
		e.StartedAt = log.StartedAt
	}
}

func (p *program) readOutput(ctx context.Context, path string) (*string, error) {
	text, err := p.readText(path)
	if err != nil {
		return nil, err
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	return &text, nil
}

// readText reads a file as it is, - for standard input.
func (p *program) readText(path string) (string, error) {
	data, err := p.readInput("file", path, 64<<20)
	return string(data), err
}

func notFound(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %w", track.ErrNotFound, err)
	}
	return err
}

func readFormatSpec(path string) (*rubric.FormatSpec, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, notFound(err)
	}
	spec, err := rubric.ParseFormat(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", track.ErrInvalid, path, err)
	}
	return spec, nil
}

type recordedExecutionDocument struct {
	ID          string                       `json:"id"`
	Lineage     string                       `json:"lineage"`
	Version     string                       `json:"version"`
	Status      track.ExecutionStatus        `json:"status"`
	Disposition string                       `json:"disposition"`
	Rubric      string                       `json:"rubric"`
	Score       *float64                     `json:"score"`
	Grade       string                       `json:"grade"`
	Components  map[string]componentDocument `json:"components"`
	NCalls      int                          `json:"n_calls"`
	NFailed     int                          `json:"n_failed"`
	NMasked     int                          `json:"n_masked"`
	Measured    float64                      `json:"measured_share"` // of the rubric's weight
	Warnings    []warningDocument            `json:"warnings"`
}

type componentDocument struct {
	Value  *float64                     `json:"value"`
	Weight float64                      `json:"weight"`
	Reason string                       `json:"reason"`
	Detail jsontext.Value               `json:"detail"`
	Parts  map[string]componentDocument `json:"parts,omitempty"`
}

// newComponents are the components of a score by name.
func newComponents(list []rubric.Component) map[string]componentDocument {
	components := map[string]componentDocument{}
	for _, c := range list {
		d := componentDocument{Value: c.Value, Weight: c.Weight, Reason: c.Reason, Detail: jsonValue(c.Detail)}
		if len(c.Parts) > 0 {
			d.Parts = newComponents(c.Parts)
		}
		components[c.Name] = d
	}
	return components
}

func recordedExecutionView(e track.Execution, r agents.Result, dryRun bool) view {
	d := recordedExecutionDocument{
		ID: r.ID, Lineage: e.Lineage, Version: e.Version, Status: e.Status, Disposition: dispositionText(r.Disposition), Rubric: r.Rubric,
		Score: r.Own, Components: newComponents(r.Score.Components), NCalls: len(e.Calls), NFailed: r.Score.NFailed, NMasked: r.NMasked, Warnings: []warningDocument{},
	}
	if dryRun {
		d.ID, d.Disposition = "", "scored"
	}
	if d.Score == nil && r.Score.Defined {
		d.Score = &r.Score.Value
	}
	if d.Score != nil {
		d.Grade = string(rubric.GradeOf(*d.Score))
	}
	for _, w := range r.Score.Warnings {
		d.Warnings = append(d.Warnings, warningDocument{string(w), w.Message()})
	}
	if by, err := rubric.ByName(rubric.Default); err == nil {
		for _, part := range by.Parts {
			if c, ok := r.Score.Component(part.Name); ok && c.Value != nil {
				d.Measured += part.Weight
			}
		}
	}
	v := view{document: d, rows: componentGrid(r.Score)}
	v.page = []any{recordedExecutionText(d)}
	if len(r.Score.Components) > 0 {
		v.page = append(v.page, componentGrid(r.Score))
	}
	for _, w := range d.Warnings {
		v.page = append(v.page, "note: "+w.Message)
	}
	return v
}

func dispositionText(d track.Disposition) string {
	switch d {
	case track.Duplicate:
		return "duplicate"
	case track.Replaced:
		return "replaced"
	}
	return "recorded"
}

func recordedExecutionText(d recordedExecutionDocument) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s execution of %s", d.Disposition, d.Lineage)
	if d.Version != "" {
		fmt.Fprintf(&b, "@%s", d.Version)
	}
	if d.ID != "" {
		fmt.Fprintf(&b, ", id %s", d.ID)
	}
	switch {
	case d.Status != track.ExecutionOK:
		fmt.Fprintf(&b, "\nstatus %s: it earns no score", d.Status)
	case d.Score == nil:
		b.WriteString("\nno score: nothing, or not enough, could be measured")
	case d.Rubric == track.RubricOwn:
		fmt.Fprintf(&b, "\nscore %s, grade %s: your own, in place of the rubric's", format.Fixed(*d.Score, 2), d.Grade)
	default:
		fmt.Fprintf(&b, "\nscore %s, grade %s (%s) by %s", format.Fixed(*d.Score, 2), d.Grade, rubric.Grade(d.Grade).Action(), d.Rubric)
		if d.Measured < 0.995 {
			fmt.Fprintf(&b, ", of which %s could be measured", format.Percent(d.Measured))
		}
	}
	fmt.Fprintf(&b, "; %s, %d failed", format.Counted(d.NCalls, "tool call"), d.NFailed)
	if d.NMasked > 0 {
		fmt.Fprintf(&b, "; %s masked", format.Counted(d.NMasked, "secret"))
	}
	return b.String()
}

// componentGrid shows the components of a score, each with what it is made of.
func componentGrid(s rubric.Score) grid {
	g := grid{columns: []string{"component", "value", "weight", "reason"}}
	var add func(list []rubric.Component, indent string)
	add = func(list []rubric.Component, indent string) {
		for _, c := range list {
			g.cells = append(g.cells, []any{indent + c.Name, c.Value, c.Weight, c.Reason})
			add(c.Parts, indent+"  ")
		}
	}
	add(s.Components, "")
	return g
}
