package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"track/tracker"
)

func (p *program) historyCommand() *cli.Command {
	var o struct{ spec, limit int }
	return &cli.Command{
		Name:      "history",
		Usage:     "show the score history of a scenario over its configurations",
		UsageText: "track history SCENARIO [FLAGS]",
		Description: `One line for each configuration, in the order of their first seeds, all judged under one spec.

Examples:
   track history growth_plus
   track history growth_plus --limit 100 --format csv`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "judge under this `VERSION` of the spec", Destination: &o.spec},
			&cli.IntFlag{Name: "limit", Usage: "the newest `N` configurations", Value: 20, Destination: &o.limit},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track history takes one SCENARIO")
			}
			if scenario, _, given := strings.Cut(c.Args().First(), "@"); given {
				return usage("track history takes a scenario: track history %s shows all of its configurations", scenario)
			}
			if o.limit < 1 {
				return usage("--limit: %d is not a number from 1", o.limit)
			}
			return p.history(c.Context, c.Args().First(), o.spec, o.limit)
		},
	}
}

func (p *program) history(ctx context.Context, scenario string, spec, limit int) error {
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	history, err := tracker.LoadHistory(ctx, st, scenario, tracker.HistoryOptions{SpecVersion: spec, Limit: limit})
	if err != nil {
		return err
	}
	return p.write(historyView(history))
}

type historyDocument struct {
	Scenario string                 `json:"scenario"`
	Spec     specRef                `json:"spec"`
	NOlder   int                    `json:"n_older_configurations"`
	Entries  []historyEntryDocument `json:"entries"`
}

type historyEntryDocument struct {
	Configuration configurationDocument `json:"configuration"`
	FirstRecorded string                `json:"first_recorded"`
	NSeeds        int                   `json:"n_seeds"`
	NScored       int                   `json:"n_scored"`
	NFailed       int                   `json:"n_failed"`
	NUnassessed   int                   `json:"n_unassessed"`
	NEnvironments int                   `json:"n_environments"`
	PassRate      *float64              `json:"pass_rate"`
	MeanScore     *float64              `json:"mean_score"`
	StdScore      *float64              `json:"std_score"`
	StdKind       string                `json:"std_kind"`
	CombinedScore *float64              `json:"combined_score"`
	Stable        *bool                 `json:"stable"`
	Change        *float64              `json:"change"` // of mean_score, to the entry before
}

func newHistoryEntry(e tracker.HistoryEntry, previous *float64) historyEntryDocument {
	d := historyEntryDocument{
		Configuration: newConfigurationDocument(e.Hash, e.Configuration.Configuration), FirstRecorded: timeText(e.CreatedAt),
		NSeeds: e.NSeeds, NScored: e.Score.N, NFailed: e.NFailed - e.NUnassessed, NUnassessed: e.NUnassessed, NEnvironments: e.NEnvironments,
		StdKind: populationStd,
	}
	if e.NUnassessed > 0 { // a part of the seeds would pass for the whole
		return d
	}
	n := e.Score.N
	d.PassRate, d.Stable = number(e.PassRate, e.NSeeds), &e.Stable
	d.MeanScore, d.StdScore, d.CombinedScore = number(e.Score.Mean, n), number(e.Score.Std, n), number(e.CombinedScore, n)
	if previous != nil && d.MeanScore != nil {
		change := *d.MeanScore - *previous
		d.Change = &change
	}
	return d
}

func historyView(h tracker.History) view {
	d := historyDocument{Scenario: h.Scenario, Spec: newSpecRef(h.Stored), NOlder: h.NOlder, Entries: []historyEntryDocument{}}
	v := view{lines: []any{}}
	rows := grid{columns: []string{
		"label", "revision", "params", "configuration", "first recorded", "n", "no score", "pass", "mean", "± std", "combined", "change", "stable",
	}}
	var means []float64
	unassessed := 0
	var previous *float64
	for _, e := range h.Entries {
		entry := newHistoryEntry(e, previous)
		if entry.MeanScore != nil {
			previous = entry.MeanScore
		}
		d.Entries = append(d.Entries, entry)
		v.lines = append(v.lines, entry)
		unassessed += e.NUnassessed
		means = append(means, orNaN(entry.MeanScore))
		rows.cells = append(rows.cells, []any{
			e.Label, e.Revision.String(), shown{shorten(string(e.Params)), string(e.Params.JSON())}, shown{tracker.ShortHash(e.Hash), e.Hash}, shown{people(e.CreatedAt), entry.FirstRecorded},
			e.NSeeds, entry.NFailed, optionalPercent(entry.PassRate), entry.MeanScore, entry.StdScore, entry.CombinedScore,
			signed(entry.Change), stableText(entry.Stable),
		})
	}
	v.document = d
	v.rows = grid{cells: rows.cells, columns: []string{
		"label", "revision", "params", "configuration", "first_recorded", "n_seeds", "n_failed", "pass_rate", "mean_score", "std_score", "combined_score", "change", "stable",
	}}
	heading := fmt.Sprintf("%s, spec version %d; mean and population std of the total score over seeds; change is that of the mean to the line above", h.Scenario, h.Stored.Version)
	if h.NOlder > 0 {
		heading += fmt.Sprintf("; %d older configurations are left out (--limit)", h.NOlder)
	}
	if unassessed > 0 {
		heading += fmt.Sprintf("\n%d seeds were never scored under this version: track rescore %s --spec %d", unassessed, h.Scenario, h.Stored.Version)
	}
	v.page = []any{heading, rows, "mean score  " + sparkline(means)}
	return v
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

func optionalPercent(x *float64) any {
	if x == nil {
		return nil
	}
	return shown{percent(*x), *x}
}

// signed shows a change with its sign.
func signed(x *float64) any {
	if x == nil {
		return nil
	}
	return shown{fmt.Sprintf("%+.4f", *x), *x}
}

func stableText(stable *bool) any {
	switch {
	case stable == nil:
		return nil
	case *stable:
		return "yes"
	}
	return "no"
}
