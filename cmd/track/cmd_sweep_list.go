package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v2"

	"track"
	"track/scoring/format"
	"track/store"
	"track/sweep"
)

func (p *program) sweepListCommand() *cli.Command {
	return &cli.Command{
		Name:      "list",
		Usage:     "list sweeps, the newest first",
		UsageText: "track sweep list [SCENARIO] [FLAGS]",
		Description: `One line for each sweep: what was planned, what ran, how it ended.

Examples:
   track sweep list growth
   track sweep list --format json`,
		BashComplete: p.completeScenarios,
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return usage("track sweep list takes one SCENARIO, or none for all")
			}
			st, err := p.open(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			if scenario := c.Args().First(); scenario != "" {
				if _, err := st.NewestConfiguration(c.Context, scenario); err != nil {
					return err
				}
			}
			sweeps, err := st.Sweeps(c.Context, store.SweepFilter{Scenario: c.Args().First()})
			if err != nil {
				return err
			}
			return p.write(sweepsView(sweeps))
		},
	}
}

type recordedSweepDocument struct {
	ID             string            `json:"id"`
	Scenario       string            `json:"scenario"`
	Command        []string          `json:"command"`
	Shard          int               `json:"shard,omitzero"`
	NShards        int               `json:"n_shards,omitzero"`
	StartedAt      string            `json:"started_at"`
	EndedAt        string            `json:"ended_at"` // empty while it runs, and where it was killed
	Ending         track.SweepEnding `json:"ending"`
	CodeChanged    bool              `json:"code_changed"`   // while it ran
	Note           string            `json:"note,omitempty"` // why it was withdrawn
	NRuns          int               `json:"n_runs"`
	NFailed        int               `json:"n_failed"`
	Configurations []plannedDocument `json:"configurations"`
	Environment    map[string]string `json:"environment,omitempty"`
	Plan           jsontext.Value    `json:"plan,omitempty"`
	Changes        string            `json:"changes,omitempty"`
	Libraries      string            `json:"libraries,omitempty"`
}

type plannedDocument struct {
	configurationDocument `json:",inline"`
	Planned               string `json:"planned"`
	NPlanned              int    `json:"n_planned"`
}

func newRecordedSweep(s store.SweepSummary) (recordedSweepDocument, error) {
	d := recordedSweepDocument{
		ID: s.ID, Scenario: s.Scenario, Shard: s.Shard, NShards: s.NShards, StartedAt: timeText(s.StartedAt), EndedAt: timeText(s.EndedAt), Ending: s.Ending, CodeChanged: s.CodeChanged, Note: s.Note,
		NRuns: s.NRuns, NFailed: s.NFailed, Configurations: []plannedDocument{},
	}
	plan, err := sweep.ReadPlan("plan of sweep "+s.ID, []byte(s.Plan))
	d.Command = plan.Command
	for _, planned := range s.Planned {
		d.Configurations = append(d.Configurations, plannedDocument{
			newConfigurationDocument(planned.Configuration.Hash(), planned.Configuration), planned.Seeds.String(), planned.Seeds.Len(),
		})
	}
	return d, err
}

func sweepsView(sweeps []store.SweepSummary) view {
	documents, lines := []recordedSweepDocument{}, []any{}
	rows := grid{columns: []string{"sweep", "scenario", "started", "configurations", "planned", "ran", "failed", "ending", "command"}}
	for _, s := range sweeps {
		d, _ := newRecordedSweep(s) // a plan of a newer program: its command is missing, the rest is here
		n := 0
		for _, c := range d.Configurations {
			n = max(n, n+c.NPlanned)
		}
		documents, lines = append(documents, d), append(lines, d)
		rows.cells = append(rows.cells, []any{shortID(s.ID), s.Scenario, d.StartedAt, len(d.Configurations), n, s.NRuns, s.NFailed, sweepEndingText(s), commandText(d.Command)})
	}
	page := []any{rows}
	if len(sweeps) == 0 {
		page = []any{"no sweeps"}
	}
	return view{document: documents, lines: lines, rows: rows, page: page}
}

func sweepEndingText(s store.SweepSummary) string {
	text := string(s.Ending)
	if text == "" {
		text = "running, or killed"
	}
	if s.CodeChanged {
		text += ", the code changed"
	}
	if s.Note != "" {
		text += ": " + s.Note
	}
	if s.NShards > 0 {
		text += fmt.Sprintf(", shard %d of %d", s.Shard, s.NShards)
	}
	return text
}

func commandText(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		if quoted[i] = word; word == "" || strings.ContainsAny(word, " \t\n'\"$`\\*?;&|<>()#~") {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

func (p *program) sweepShowCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show a sweep with its provenance: command, environment, changes of the code, libraries",
		UsageText: "track sweep show SWEEP [FLAGS]",
		Description: `SWEEP is its id or the end of it. Secrets in the changes, the libraries and the command are masked.

Examples:
   track sweep show 7k3m9q2x
   track sweep show 7k3m9q2x --format json`,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track sweep show takes one SWEEP: its id, or the end of it")
			}
			return p.sweepShow(c.Context, c.Args().First())
		},
	}
}

// findSweep finds a sweep by its id or the end of it.
func findSweep(ctx context.Context, st *store.Reader, id string) (s store.SweepSummary, err error) {
	found, err := st.Sweeps(ctx, store.SweepFilter{ID: id})
	switch {
	case err != nil:
		return s, err
	case len(found) == 0:
		return s, track.WithHint(fmt.Errorf("sweep %s: %w", id, track.ErrNotFound), track.Hint{Text: "track sweep list lists those there are"})
	case len(found) > 1:
		return s, fmt.Errorf("sweep %s: %w: %d end so", id, track.ErrAmbiguous, len(found))
	}
	return found[0], nil
}

func (p *program) sweepWithdrawCommand() *cli.Command {
	reason := ""
	return &cli.Command{
		Name:      "withdraw",
		Usage:     "take back the plan of a sweep that was a mistake: what it did not run is not missing any more",
		UsageText: "track sweep withdraw SWEEP --reason TEXT [FLAGS]",
		Description: `The seeds that it recorded stay. That a plan was withdrawn, and why, stands beside everything that is said of its configurations.

Examples:
   track sweep withdraw 7k3m9q2x --reason "10000 seeds were meant to be 1000"`,
		Flags: []cli.Flag{&cli.StringFlag{Name: "reason", Usage: "`TEXT` for those who read the results", Destination: &reason}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 || strings.TrimSpace(reason) == "" {
				return usage("track sweep withdraw takes one SWEEP and --reason TEXT")
			}
			st, err := p.openForUpdate(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			s, err := findSweep(c.Context, st.Reader, c.Args().First())
			if err != nil {
				return err
			}
			s.Sweep.Ending, s.Sweep.Note, s.Sweep.EndedAt = track.SweepWithdrawn, reason, st.Now()
			if err := st.Update(c.Context, func(tx *store.Tx) error { return tx.EndSweep(s.Sweep) }); err != nil {
				return err
			}
			return p.write(sweepsView([]store.SweepSummary{s}))
		},
	}
}

func (p *program) sweepShow(ctx context.Context, id string) error {
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	s, err := findSweep(ctx, st.Reader, id)
	if err != nil {
		return err
	}
	d, err := newRecordedSweep(s)
	if err != nil {
		return err
	}
	d.Environment, d.Plan, d.Changes, d.Libraries = s.Environment, jsontext.Value(s.Plan), s.Changes, s.Libraries
	facts := grid{columns: []string{"what", "value"}}
	add := func(what string, value any) { facts.cells = append(facts.cells, []any{what, value}) }
	add("id", s.ID)
	add("scenario", s.Scenario)
	add("command", commandText(d.Command))
	add("started", d.StartedAt)
	add("ended", d.EndedAt)
	add("ending", sweepEndingText(s))
	add("ran", s.NRuns)
	add("failed", s.NFailed)
	names := make([]string, 0, len(s.Environment))
	for name := range s.Environment {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		add(name, s.Environment[name])
	}
	configurations := grid{title: "configurations", columns: []string{"configuration", "label", "parameters", "commit", "planned", "n_planned"}}
	for i, c := range s.Planned {
		configurations.cells = append(configurations.cells, []any{
			track.ShortHash(d.Configurations[i].Hash), c.Configuration.Label, paramsShort(c.Configuration.Params), revisionText(c.Configuration.Revision), d.Configurations[i].Planned, d.Configurations[i].NPlanned,
		})
	}
	page := []any{facts, configurations}
	for _, text := range []struct{ title, text string }{{"changes of the code since its commit", s.Changes}, {"libraries", s.Libraries}} {
		if text.text != "" {
			page = append(page, fmt.Sprintf("%s: %s, %d lines; --format json has them", text.title, format.Counted(len(text.text), "byte"), strings.Count(text.text, "\n")))
		}
	}
	return p.write(view{document: d, rows: facts, page: page})
}
