package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/scoring"
	"track/store"
	"track/tracker/seeds"
)

func (p *program) showCommand() *cli.Command {
	return &cli.Command{
		Name:        "show",
		Usage:       "show one record in full",
		Subcommands: []*cli.Command{p.showSeedCommand(), p.showExecutionCommand()},
	}
}

func (p *program) showSeedCommand() *cli.Command {
	spec := 0
	return &cli.Command{
		Name:      "seed",
		Usage:     "show a seed with every metric, its target, value, status and score",
		UsageText: "track show seed SCENARIO[@CONFIGURATION] SEED [FLAGS]",
		Description: `Where several configurations have the seed, the newest record is shown and the others are named.

Examples:
   track show seed growth_plus 7
   track show seed growth_plus@theta-14 7 --format json`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "the results under this `VERSION` of the spec", Destination: &spec},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return usage("track show seed takes a SCENARIO[@CONFIGURATION] and a SEED")
			}
			return p.showSeed(c.Context, c.Args().Get(0), c.Args().Get(1), spec)
		},
	}
}

func (p *program) showSeed(ctx context.Context, selector, seedText string, version int) error {
	return p.withSeed(ctx, selector, seedText, func(st *store.Reader, seed track.RecordedSeed, others []track.RecordedSeed) error {
		shown := shownSeed{RecordedSeed: seed, others: others}
		err := shown.judge(ctx, st, version)
		if err != nil {
			return err
		}
		if shown.run, err = st.Run(ctx, seed.ID); err != nil {
			return err
		}
		if err := shown.findAmong(ctx, st); err != nil {
			return err
		}
		return p.write(shown.view())
	})
}

// shownSeed is a seed with its results under one spec.
type shownSeed struct {
	track.RecordedSeed
	others  []track.RecordedSeed // the same seed under other configurations
	stored  store.Spec
	spec    scoring.Spec
	results map[string]scoring.Result // empty where it was not judged
	run     *track.Run                // nil where no sweep ran it
	among   *seeds.StabilityReport    // all seeds of its configuration; nil where they are not all judged
}

// findAmong aggregates the seeds that this one is one of: a single seed says nothing about spread.
func (s *shownSeed) findAmong(ctx context.Context, st *store.Reader) error {
	if s.stored.Version == 0 {
		return nil
	}
	sel := answer.Selector{Scenario: s.Scenario, Configuration: s.Configuration.Hash}
	report, err := seeds.Stability(ctx, st, sel, seeds.StabilityOptions{SpecVersion: s.stored.Version})
	switch {
	case errors.Is(err, track.ErrInvalid): // some seeds were never judged under this version
		return nil
	case err == nil:
		s.among = &report
	}
	return err
}

func (s *shownSeed) judge(ctx context.Context, st *store.Reader, version int) (err error) {
	switch {
	case version == 0:
		version = s.SpecVersion
	case !slices.Contains(s.Assessed, version) && s.Outcome == track.OutcomeOK:
		return track.WithHint(fmt.Errorf("seed %s was not scored under spec version %d: %w", s.Number, version, track.ErrNotFound), track.Hint{Text: fmt.Sprintf("track rescore %s --spec %d scores it", s.Scenario, version)})

	}
	if version == 0 {
		return nil
	}
	if s.stored, s.spec, err = seeds.LoadSpec(ctx, st, s.Scenario, version); err != nil {
		return err
	}
	s.results, err = st.Results(ctx, s.ID, s.stored.ID)
	return err
}

type shownSeedDocument struct {
	seedDocument `json:",inline"`
	Spec         *specRef          `json:"spec"`
	Environment  track.Environment `json:"environment"`
	Run          *runDocument      `json:"run,omitempty"`
	Others       []string          `json:"other_configurations"`
	Metrics      []shownMetric     `json:"metrics"`
	Unscored     map[string]any    `json:"unscored"` // values that the spec does not know, or all of them
	Among        *amongDocument    `json:"configuration_estimates"`
}

// amongDocument is what all seeds of the configuration of a seed come to; null where they are not all judged.
type amongDocument struct {
	NSeeds    int               `json:"n_seeds"`
	NScored   int               `json:"n_scored"`
	Stable    bool              `json:"stable"`
	Verdict   scoring.Verdict   `json:"verdict"`
	Estimates estimatesDocument `json:"estimates"`
	Warnings  []warningDocument `json:"warnings"`
}

type shownMetric struct {
	Name   string         `json:"name"`
	Type   scoring.Type   `json:"type"`
	Weight float64        `json:"weight"`
	Group  string         `json:"group"`
	Target string         `json:"target"`
	Value  *float64       `json:"value"` // null where it is missing
	Status scoring.Status `json:"status"`
	Score  *float64       `json:"score"` // null where the value is missing
	Reason string         `json:"reason,omitempty"`
}

func (s shownSeed) view() view {
	d := shownSeedDocument{
		seedDocument: newSeedDocument(s.RecordedSeed), Environment: s.Environment, Others: []string{},
		Metrics: []shownMetric{}, Unscored: map[string]any{},
	}
	if s.run != nil {
		run := newRunDocument(*s.run)
		d.Run = &run
	}
	if s.results != nil {
		ref := newSpecRef(s.stored)
		d.Spec = &ref
	}
	for _, other := range s.others {
		d.Others = append(d.Others, other.Configuration.Hash)
	}
	v := view{rows: grid{columns: []string{"group", "metric", "type", "weight", "target", "value", "status", "score", "reason"}}}
	table := grid{columns: []string{"metric", "weight", "target", "value", "status", "score"}}
	unscored := maps.Clone(s.Values)
	for _, m := range s.spec.Metrics {
		r, judged := s.results[m.Name]
		if !judged {
			continue
		}
		delete(unscored, m.Name)
		metric, cell := s.metric(m, r)
		d.Metrics = append(d.Metrics, metric)
		v.rows.cells = append(v.rows.cells, []any{
			metric.Group, metric.Name, string(metric.Type), metric.Weight, metric.Target, metric.Value, string(metric.Status), metric.Score, metric.Reason,
		})
		table.cells = append(table.cells, []any{m.Name, shown{fmt.Sprint(m.Weight), m.Weight}, metric.Target, cell, string(r.Status), metric.Score})
	}
	v.page = []any{s.heading()}
	if s.run != nil {
		v.page = append(v.page, runText(*s.run))
	}
	if len(table.cells) > 0 {
		v.page = append(v.page, table)
	}
	if len(unscored) > 0 {
		rest := grid{title: "not scored", columns: []string{"name", "value"}}
		for _, name := range slices.Sorted(maps.Keys(unscored)) {
			d.Unscored[name] = unscored[name]
			rest.cells = append(rest.cells, []any{name, shown{fmt.Sprint(unscored[name]), unscored[name]}})
			v.rows.cells = append(v.rows.cells, []any{nil, name, nil, nil, nil, unscored[name], nil, nil, "not scored"})
		}
		v.page = append(v.page, rest)
	}
	if r := s.among; r != nil {
		d.Among = &amongDocument{r.NSeeds, r.NScored, r.Stable, r.Finding.Verdict, newEstimates(r.Estimates), newWarnings(r.Warnings)}
		g := estimatesGrid(r.Estimates)
		g.title = "all seeds of its configuration: " + string(r.Finding.Verdict)
		v.page = append(v.page, g)
		if notes := footnotes(r.Warnings); notes != "" {
			v.page = append(v.page, notes)
		}
	}
	v.document = d
	return v
}

func (s shownSeed) metric(m scoring.Metric, r scoring.Result) (shownMetric, any) {
	metric := shownMetric{Name: m.Name, Type: m.Target.Type(), Weight: m.Weight, Group: m.Group, Target: m.Description(), Status: r.Status, Reason: r.Reason}
	if r.Missing() {
		return metric, r.Reason
	}
	metric.Value, metric.Score = &r.Value, &r.Score
	return metric, valueCell(r.Value, m.Format)
}

func (s shownSeed) heading() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s seed %s, configuration %s", s.Scenario, s.Number, describe(store.Configuration{RecordedConfiguration: s.Configuration}))
	fmt.Fprintf(&b, "\nrecorded %s", people(s.RecordedAt))
	if !s.StartedAt.IsZero() {
		fmt.Fprintf(&b, ", started %s", people(s.StartedAt))
	}
	if s.Duration != nil {
		fmt.Fprintf(&b, ", took %v", *s.Duration)
	}
	var environment []string
	for _, name := range slices.Sorted(maps.Keys(s.Environment)) {
		environment = append(environment, name+" "+s.Environment[name])
	}
	if len(environment) > 0 {
		fmt.Fprintf(&b, "\nenvironment: %s", strings.Join(environment, ", "))
	}
	if len(s.others) > 0 {
		var others []string
		for _, other := range s.others {
			others = append(others, s.Scenario+"@"+seeds.ShortHash(other.Configuration.Hash))
		}
		fmt.Fprintf(&b, "\nrecorded under other configurations too: %s", strings.Join(others, ", "))
	}
	switch {
	case s.Outcome != track.OutcomeOK:
		fmt.Fprintf(&b, "\n\nfailed: %s", strings.TrimSpace(string(s.Outcome)+" "+s.Message))
	case s.results == nil:
		b.WriteString("\n\nnot scored: the scenario has no spec")
	default:
		a := s.count()
		fmt.Fprintf(&b, "\n\n%s under spec version %d: score %s, %d PASS %d WARN %d FAIL", a.status, s.stored.Version, peopleText(a.total), a.nPass, a.nWarn, a.nFail)
	}
	return b.String()
}

// runText says how the command of the seed ended, with the last of what it complained of.
func runText(r track.Run) string {
	const most = 20 // lines
	words := []string{fmt.Sprintf("run by sweep %s", shortID(r.Sweep))}
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if r.Attempts > 1 {
		add("%d attempts, of which this is the last", r.Attempts)
	}
	switch {
	case r.Signal != "":
		add("ended by %s", r.Signal)
	case r.ExitCode != nil:
		add("exit code %d", *r.ExitCode)
	}
	if r.CPU != nil {
		add("CPU time %v", *r.CPU)
	}
	if r.MaxRSS != nil {
		add("at most %.1f MB of memory", float64(*r.MaxRSS)/1e6)
	}
	text := strings.Join(words, ", ")
	if r.Stderr == "" {
		return text
	}
	lines := strings.Split(strings.TrimRight(r.Stderr, "\n"), "\n")
	left := ""
	if n := len(lines) - most; n > 0 {
		lines, left = lines[n:], fmt.Sprintf(", the last %d of %d lines; --format json has all", most, len(lines))
	}
	return text + "\nstandard error" + left + ":\n  " + printableLines(strings.Join(lines, "\n  "))
}

type seedCount struct {
	status              scoring.Status
	total               *float64
	nPass, nWarn, nFail int
}

// count sums up the stored results, which may be of another version than the newest, in the order of the spec.
func (s shownSeed) count() (c seedCount) {
	var sum, weights float64
	complete := true
	c.status = scoring.Pass
	for _, m := range s.spec.Metrics {
		r := s.results[m.Name]
		switch c.status = scoring.WorstStatus(c.status, r.Status); r.Status {
		case scoring.Pass:
			c.nPass++
		case scoring.Warn:
			c.nWarn++
		default:
			c.nFail++
		}
		complete = complete && !r.Missing()
		sum += float64(r.Score * m.Weight)
		weights += m.Weight
	}
	if total := sum / weights; complete {
		c.total = &total
	}
	return c
}
