package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"track"
	"track/scoring"
	"track/tracker"
)

func (p *program) rescoreCommand() *cli.Command {
	var o struct {
		spec              int
		dryRun, valuesWin bool
	}
	return &cli.Command{
		Name:      "rescore",
		Usage:     "score the stored values of a scenario under another version of its spec",
		UsageText: "track rescore SCENARIO [--spec VERSION] [--dry-run] [FLAGS]",
		Description: `Earlier results are kept. Every status that differs from the one under the version that the seed was scored under
last is listed.

Examples:
   track rescore growth_plus --spec 2 --dry-run
   track rescore growth_plus`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "the `VERSION` to score under", Destination: &o.spec},
			&cli.BoolFlag{Name: "values-win", Usage: "given values stand where the series say otherwise", Destination: &o.valuesWin},
			&cli.BoolFlag{Name: "dry-run", Usage: "only list the statuses that would flip", Destination: &o.dryRun},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track rescore takes one SCENARIO")
			}
			return p.rescore(c.Context, c.Args().First(), o.spec, tracker.RescoreOptions{DryRun: o.dryRun, ValuesWin: o.valuesWin})
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

func (p *program) rescore(ctx context.Context, scenario string, version int, options tracker.RescoreOptions) error {
	st, err := p.openForUpdate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	d := rescoreDocument{Scenario: scenario, DryRun: options.DryRun, Flips: []flipDocument{}}
	stored, _, err := tracker.LoadSpec(ctx, st, scenario, version)
	if err != nil {
		return err
	}
	d.Version = stored.Version
	v := view{lines: []any{}, rows: grid{columns: []string{"seed", "label", "configuration", "metric", "from version", "from", "to"}}}
	options.Flip = func(f tracker.Flip) {
		flip := flipDocument(f)
		d.Flips = append(d.Flips, flip)
		v.lines = append(v.lines, flip)
		v.rows.cells = append(v.rows.cells, []any{
			f.Seed, f.Label, shown{tracker.ShortHash(f.Configuration), f.Configuration}, f.Metric, f.FromVersion, string(f.From), string(f.To),
		})
	}
	total, err := tracker.Rescore(ctx, st, scenario, stored.Version, options)
	if err != nil {
		return err
	}
	d.NSeeds, d.NScored, d.NBefore, d.NFlips = total.Seeds, total.Scored, total.Before, total.Flips
	verb := "scored"
	if options.DryRun {
		verb = "would be scored"
	}
	line := fmt.Sprintf("%s: %s %s under version %d, %d had been before; %d statuses flip", scenario, counted(d.NScored, "seed"), verb, d.Version, d.NBefore, d.NFlips)
	v.document, v.page = d, []any{line}
	if d.NFlips > 0 {
		v.page = append(v.page, v.rows)
	}
	return p.write(v)
}
