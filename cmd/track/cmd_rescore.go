package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"track"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/rubric"
	"track/tracker/agents"
	"track/tracker/seeds"
)

func (p *program) rescoreCommand() *cli.Command {
	var o struct {
		spec              int
		rubric            string
		dryRun, valuesWin bool
	}
	return &cli.Command{
		Name:      "rescore",
		Usage:     "score the stored values of a scenario under another version of its spec",
		UsageText: "track rescore SCENARIO [--spec VERSION] [--dry-run] | LINEAGE --rubric RUBRIC [FLAGS]",
		Description: `Earlier results are kept. Every status that differs from the one under the version that the seed was scored under
last is listed. With --rubric, the executions of a lineage whose grade under that rubric is another than the one in force are listed:
both scores are kept, for every execution is scored under every rubric when it is recorded.

Examples:
   track rescore growth_plus --spec 2 --dry-run
   track rescore growth_plus
   track rescore sepa --rubric rubric/1`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "the `VERSION` to score under", Destination: &o.spec},
			&cli.StringFlag{Name: "rubric", Usage: "of a lineage: score its executions under `RUBRIC`", Destination: &o.rubric},
			&cli.BoolFlag{Name: "values-win", Usage: "given values stand where the series say otherwise", Destination: &o.valuesWin},
			&cli.BoolFlag{Name: "dry-run", Usage: "only list the statuses that would flip", Destination: &o.dryRun},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track rescore takes one SCENARIO")
			}
			if o.rubric != "" {
				return p.rescoreLineage(c.Context, c.Args().First(), o.rubric)
			}
			return p.rescore(c.Context, c.Args().First(), o.spec, seeds.RescoreOptions{DryRun: o.dryRun, ValuesWin: o.valuesWin})
		},
	}
}

type flipDocument struct {
	Seed          track.SeedNumber `json:"seed"`
	Label         string           `json:"label"`
	Configuration string           `json:"configuration"`
	Metric        string           `json:"metric"`
	FromVersion   int              `json:"from_version"`
	From          scoring.Status   `json:"from"`
	To            scoring.Status   `json:"to"`
}

type rescoreDocument struct {
	Scenario string         `json:"scenario"`
	Version  int            `json:"version"`
	DryRun   bool           `json:"dry_run"`
	NSeeds   int            `json:"n_seeds"`
	NScored  int            `json:"n_scored"`
	NBefore  int            `json:"n_scored_before"`
	NFlips   int            `json:"n_flips"`
	Flips    []flipDocument `json:"flips"`
}

func (p *program) rescore(ctx context.Context, scenario string, version int, options seeds.RescoreOptions) error {
	st, err := p.openForUpdate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	d := rescoreDocument{Scenario: scenario, DryRun: options.DryRun, Flips: []flipDocument{}}
	stored, _, err := seeds.LoadSpec(ctx, st.Reader, scenario, version)
	if err != nil {
		return err
	}
	d.Version = stored.Version
	v := view{lines: []any{}, rows: grid{columns: []string{"seed", "label", "configuration", "metric", "from version", "from", "to"}}}
	options.Flip = func(f seeds.Flip) {
		flip := flipDocument(f)
		d.Flips = append(d.Flips, flip)
		v.lines = append(v.lines, flip)
		v.rows.cells = append(v.rows.cells, []any{
			f.Seed, f.Label, shown{seeds.ShortHash(f.Configuration), f.Configuration}, f.Metric, f.FromVersion, string(f.From), string(f.To),
		})
	}
	total, err := seeds.Rescore(ctx, st, scenario, stored.Version, options)
	if err != nil {
		return err
	}
	d.NSeeds, d.NScored, d.NBefore, d.NFlips = total.Seeds, total.Scored, total.Before, total.Flips
	verb := "scored"
	if options.DryRun {
		verb = "would be scored"
	}
	line := fmt.Sprintf("%s: %s %s under version %d, %d had been before; %d statuses flip", scenario, format.Counted(d.NScored, "seed"), verb, d.Version, d.NBefore, d.NFlips)
	v.document, v.page = d, []any{line}
	if d.NFlips > 0 {
		v.page = append(v.page, v.rows)
	}
	return p.write(v)
}

type gradeChangeDocument struct {
	ID        string   `json:"id"`
	Version   string   `json:"version"`
	Task      string   `json:"task"`
	From      *float64 `json:"from_score"`
	FromGrade string   `json:"from_grade"`
	To        *float64 `json:"to_score"`
	ToGrade   string   `json:"to_grade"`
}

// rescoreLineage lists the executions whose grade is another under a rubric.
func (p *program) rescoreLineage(ctx context.Context, lineage, name string) error {
	if _, err := rubric.ByName(name); err != nil {
		return usage("--rubric: %v", err)
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	changes, n, err := agents.CompareRubrics(ctx, st.Reader, lineage, name)
	if err != nil {
		return err
	}
	documents := []gradeChangeDocument{}
	v := view{lines: []any{}, rows: grid{columns: []string{"id", "version", "task", "in force", "grade", name, "grade under it"}}}
	for _, c := range changes {
		d := gradeChangeDocument{c.ID, c.Version, c.Task, c.From, c.FromGrade, c.To, c.ToGrade}
		documents = append(documents, d)
		v.lines = append(v.lines, d)
		v.rows.cells = append(v.rows.cells, []any{c.ID, c.Version, c.Task, c.From, c.FromGrade, c.To, c.ToGrade})
	}
	v.document = map[string]any{"lineage": lineage, "rubric": name, "n_executions": n, "n_changes": len(changes), "changes": documents}
	v.page = []any{fmt.Sprintf("%s: of %s with a score, %d have another grade under %s", lineage, format.Counted(n, "execution"), len(changes), name)}
	if len(changes) > 0 {
		v.page = append(v.page, v.rows)
	}
	return p.write(v)
}
