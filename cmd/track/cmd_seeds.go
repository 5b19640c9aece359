package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"track"
	"track/scoring"
	"track/store"
	"track/tracker"
)

type seedsOptions struct {
	scenario, configuration, label, outcome, status, since, minScore, maxScore string
	limit                                                                      int
}

func (p *program) seedsCommand() *cli.Command {
	var o seedsOptions
	return &cli.Command{
		Name:      "seeds",
		Usage:     "list recorded seeds, the newest first",
		UsageText: "track seeds [SCENARIO[@CONFIGURATION]] [FLAGS]",
		Description: `Status and score are those under the newest spec that the seed was scored under.

Examples:
   track seeds growth_plus --status FAIL
   track seeds growth_plus@theta-14
   track seeds --outcome error --since 24h
   track seeds growth_plus --label v2 --max-score 0.8 --format csv --limit 0`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "scenario", Usage: "only of this `SCENARIO`, or SCENARIO@CONFIGURATION", Destination: &o.scenario},
			&cli.StringFlag{Name: "label", Usage: "only of configurations of this `LABEL`", Destination: &o.label},
			&cli.StringFlag{Name: "outcome", Usage: "only ok, error, timeout or collapsed", Destination: &o.outcome},
			&cli.StringFlag{Name: "status", Usage: "only PASS, WARN or FAIL", Destination: &o.status},
			&cli.StringFlag{Name: "min-score", Usage: "only with a total score of at least `X`", Destination: &o.minScore},
			&cli.StringFlag{Name: "max-score", Usage: "only with a total score of at most `X`", Destination: &o.maxScore},
			&cli.StringFlag{Name: "since", Usage: "only recorded since `TIME`: 2026-01-02, 2026-01-02T15:04:05Z, or 24h for the last day", Destination: &o.since},
			&cli.IntFlag{Name: "limit", Usage: "at most `N`; 0 for all", Value: 50, Destination: &o.limit},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return usage("track seeds takes one SCENARIO, not %d", c.NArg())
			}
			if c.NArg() == 1 {
				if o.scenario != "" && o.scenario != c.Args().First() {
					return usage("two scenarios: %s and --scenario %s", c.Args().First(), o.scenario)
				}
				o.scenario = c.Args().First()
			}
			if o.scenario != "" {
				sel, err := tracker.ParseSelector(o.scenario)
				if err != nil {
					return usage("%v", err)
				}
				o.scenario, o.configuration = sel.Scenario, sel.Configuration
			}
			return p.seeds(c.Context, o)
		},
	}
}

func (o seedsOptions) filter(now time.Time) (f store.SeedFilter, err error) {
	f = store.SeedFilter{Scenario: o.scenario, Label: o.label, Limit: o.limit}
	if o.limit < 0 {
		return f, usage("--limit: %d is negative", o.limit)
	}
	if o.outcome != "" {
		if f.Outcome, err = track.ParseOutcome(o.outcome); err != nil {
			return f, usage("--outcome: %v", err)
		}
	}
	switch f.Status = scoring.Status(strings.ToUpper(o.status)); f.Status {
	case "", scoring.Pass, scoring.Warn, scoring.Fail:
	default:
		return f, usage("--status: %q is not PASS, WARN or FAIL", o.status)
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

func optionalNumber(flag, text string) (*float64, error) {
	if text == "" {
		return nil, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, usage("%s: %q is not a number", flag, text)
	}
	return &x, nil
}

// parseSince reads a date, a time, or a duration before now.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage("--since: %q is neither a time such as 2026-01-02T15:04:05Z nor a duration such as 24h", text)
}

type seedDocument struct {
	Scenario      string                `json:"scenario"`
	Seed          track.SeedNumber      `json:"seed"`
	Configuration configurationDocument `json:"configuration"`
	Outcome       track.Outcome         `json:"outcome"`
	Message       string                `json:"message"`
	SpecVersion   *int                  `json:"spec_version"`
	Status        *scoring.Status       `json:"status"`
	TotalScore    *float64              `json:"total_score"`
	NPass         int                   `json:"n_pass"`
	NWarn         int                   `json:"n_warn"`
	NFail         int                   `json:"n_fail"`
	StartedAt     string                `json:"started_at,omitempty"`
	Duration      *float64              `json:"duration_s"`
	RecordedAt    string                `json:"recorded_at"`
	ID            string                `json:"id"`
}

func newSeedDocument(s store.SeedSummary) seedDocument {
	d := seedDocument{
		Scenario: s.Scenario, Seed: s.Number, Configuration: newConfigurationDocument(s.ConfigurationHash, s.Configuration),
		Outcome: s.Outcome, Message: s.Message, TotalScore: s.TotalScore, NPass: s.NPass, NWarn: s.NWarn, NFail: s.NFail,
		StartedAt: timeText(s.StartedAt), Duration: seconds(s.Duration), RecordedAt: timeText(s.RecordedAt), ID: s.ID,
	}
	if s.SpecVersion > 0 {
		d.SpecVersion = &s.SpecVersion
	}
	if status := s.Status(); status != "" {
		d.Status = &status
	}
	return d
}

func (p *program) seeds(ctx context.Context, o seedsOptions) error {
	filter, err := o.filter(p.now())
	if err != nil {
		return err
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	if o.configuration != "" {
		found, err := st.FindConfigurations(ctx, o.scenario, o.configuration)
		if err != nil {
			return err
		}
		for _, c := range found {
			filter.Configurations = append(filter.Configurations, c.ID)
		}
	}
	seeds, err := st.Seeds(ctx, filter)
	if err != nil {
		return err
	}
	if len(seeds) == 0 && filter.Scenario != "" {
		if _, err := st.NewestConfiguration(ctx, filter.Scenario); err != nil {
			return err
		}
	}
	return p.write(seedsView(seeds, o.limit))
}

func seedsView(seeds []store.SeedSummary, limit int) view {
	documents := []seedDocument{}
	v := view{lines: []any{}, rows: grid{columns: []string{
		"scenario", "seed", "label", "configuration", "outcome", "status", "score", "pass", "warn", "fail", "spec", "recorded",
	}}}
	for _, s := range seeds {
		d := newSeedDocument(s)
		documents = append(documents, d)
		v.lines = append(v.lines, d)
		version := any(nil)
		if d.SpecVersion != nil {
			version = *d.SpecVersion
		}
		v.rows.cells = append(v.rows.cells, []any{
			s.Scenario, s.Number, s.Configuration.Label, shown{tracker.ShortHash(s.ConfigurationHash), s.ConfigurationHash}, string(s.Outcome),
			string(s.Status()), s.TotalScore, s.NPass, s.NWarn, s.NFail, version, shown{people(s.RecordedAt), d.RecordedAt},
		})
	}
	v.document = documents
	v.page = []any{v.rows}
	switch {
	case len(seeds) == 0:
		v.page = []any{"no seeds match"}
	case len(seeds) == limit:
		v.page = append(v.page, fmt.Sprintf("the newest %d; --limit shows more", limit))
	}
	return v
}

// people writes a time as people read it.
func people(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }
