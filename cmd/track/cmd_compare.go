package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/tracker/seeds"
)

type compareOptions struct {
	seeds  string
	values bool
}

func (p *program) compareCommand() *cli.Command {
	var o compareOptions
	return &cli.Command{
		Name:      "compare",
		Usage:     "put configurations side by side",
		UsageText: "track compare A B [C…] [FLAGS]",
		Description: `Each is SCENARIO or SCENARIO@CONFIGURATION; all are judged by the spec of the first one's scenario. Shows the parameters that
differ, the revisions, the scores and the metrics. It decides nothing: track improvement does, seed by seed.

Examples:
   track compare growth_plus@v1 growth_plus@theta-14
   track compare growth_plus@v1 growth_plus@v2 growth_plus@v3 --values`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "seeds", Usage: "only these, as in `0..99`,200", Destination: &o.seeds},
			&cli.BoolFlag{Name: "values", Usage: "the mean values of the metrics instead of their scores", Destination: &o.values},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() < 2 {
				return usage("track compare takes two or more SCENARIO[@CONFIGURATION]")
			}
			return p.compare(c.Context, c.Args().Slice(), o)
		},
	}
}

func (p *program) compare(ctx context.Context, names []string, o compareOptions) (err error) {
	selectors := make([]answer.Selector, len(names))
	for i, name := range names {
		if selectors[i], err = answer.ParseSelector(name); err != nil {
			return usage("%v", err)
		}
	}
	var ranges []track.SeedRange
	if o.seeds != "" {
		if ranges, err = track.ParseSeedRanges(o.seeds); err != nil {
			return usage("--seeds: %v", err)
		}
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	comparison, err := seeds.SideBySide(ctx, st.Reader, selectors, ranges)
	if err != nil {
		return err
	}
	v, err := compareView(comparison, o.values)
	if err != nil {
		return err
	}
	return p.write(v)
}

type compareDocument struct {
	Spec       improvementSpec              `json:"spec"`
	NShared    int                          `json:"n_shared_seeds"`
	Parameters map[string][]*jsontext.Value `json:"parameters"` // those that differ, by side; null where a side does not have it
	Sides      []comparedDocument           `json:"sides"`
}

type comparedDocument struct {
	sideDocument `json:",inline"`
	NSeeds       int               `json:"n_seeds"`
	NScored      int               `json:"n_scored"`
	Stable       bool              `json:"stable"`
	Verdict      scoring.Verdict   `json:"verdict"`
	Estimates    estimatesDocument `json:"estimates"`
	Metrics      []metricDocument  `json:"metrics"`
	Warnings     []warningDocument `json:"warnings"`
}

func compareView(c seeds.Comparison, values bool) (view, error) {
	var params []track.Params
	for _, side := range c.Sides {
		params = append(params, side.Params)
	}
	parameters, err := seeds.DifferingParameters(params)
	if err != nil {
		return view{}, err
	}
	d := compareDocument{
		Spec: improvementSpec{c.Stored.Scenario, newSpecRef(c.Stored)}, NShared: len(c.Shared), Parameters: parameters, Sides: []comparedDocument{},
	}
	var judged []verdict.Judgement
	for _, side := range c.Sides {
		e := verdict.Judge(side.Stability, side.Coverage, scoring.DefaultConfidence)
		judged = append(judged, e)
		sd := comparedDocument{
			sideDocument: sideDocument{side.Scenario, newConfigurationDocument(side.Hash, side.Configuration.Configuration)},
			NSeeds:       side.NSeeds, NScored: side.NScored, Stable: side.Stable, Verdict: e.Verdict,
			Estimates: newEstimates(e.Estimates), Metrics: []metricDocument{}, Warnings: newWarnings(e.Warnings),
		}
		for _, m := range side.Metrics {
			sd.Metrics = append(sd.Metrics, newMetricDocument(m))
		}
		d.Sides = append(d.Sides, sd)
	}
	v := view{document: d, page: []any{compareHeading(c), sidesGrid(c, d, judged)}}
	v.page = append(v.page, metricSideGrids(c, values)...)
	if notes := sideNotes(c, judged); notes != "" {
		v.page = append(v.page, notes)
	}
	v.rows.columns = append([]string{"metric"}, sideNames(c)...)
	for k, m := range c.Spec.Metrics {
		row := []any{m.Name}
		for _, side := range c.Sides {
			row = append(row, sideCell(side.Metrics[k], values))
		}
		v.rows.cells = append(v.rows.cells, row)
	}
	return v, nil
}

// sideNames are letters, for hashes and labels would make the columns too wide.
func sideNames(c seeds.Comparison) (names []string) {
	for i := range c.Sides {
		names = append(names, sideName(i))
	}
	return names
}

func sideName(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprintf("#%d", i+1)
}

func compareHeading(c seeds.Comparison) string {
	var b strings.Builder
	for i, side := range c.Sides {
		revision := ""
		if side.Revision != (track.Revision{}) {
			revision = ", revision " + side.Revision.String()
		}
		label := ""
		if side.Label != "" {
			label = ", label " + side.Label
		}
		fmt.Fprintf(&b, "%s  %s@%s%s%s\n", sideName(i), side.Scenario, seeds.ShortHash(side.Hash), label, revision)
	}
	fmt.Fprintf(&b, "judged by %s spec version %d; %s on all sides", c.Stored.Scenario, c.Stored.Version, format.Counted(len(c.Shared), "seed"))
	return b.String()
}

// sidesGrid shows the differing parameters and the scores of each side.
func sidesGrid(c seeds.Comparison, d compareDocument, judged []verdict.Judgement) grid {
	g := grid{columns: append([]string{""}, sideNames(c)...)}
	add := func(name string, cell func(i int) any) {
		row := []any{name}
		for i := range c.Sides {
			row = append(row, cell(i))
		}
		g.cells = append(g.cells, row)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Parameters)) {
		add("param "+name, func(i int) any {
			if value := d.Parameters[name][i]; value != nil {
				return shorten(string(*value))
			}
			return nil
		})
	}
	withInterval := func(x float64, i stats.Interval, text func(float64) string) any {
		if x != x {
			return nil
		}
		if !i.Defined() {
			return text(x)
		}
		return fmt.Sprintf("%s (%s to %s)", text(x), text(i.Lo), text(i.Hi))
	}
	four := func(x float64) string { return format.Fixed(x, 4) }
	add("seeds", func(i int) any { return fmt.Sprintf("%d, %d scored", c.Sides[i].NSeeds, c.Sides[i].NScored) })
	add("pass rate", func(i int) any {
		return withInterval(judged[i].Estimates.PassRate.Value, judged[i].Estimates.PassRate.Interval, format.Share)
	})
	add("mean score", func(i int) any {
		return withInterval(judged[i].Estimates.Mean.Value, judged[i].Estimates.Mean.Interval, four)
	})
	add("sd of scores", func(i int) any {
		return withInterval(judged[i].Estimates.SD.Value, judged[i].Estimates.SD.Interval, four)
	})
	add("combined", func(i int) any {
		return withInterval(judged[i].Estimates.Combined.Value, judged[i].Estimates.Combined.Interval, four)
	})
	add("stable", func(i int) any {
		return fmt.Sprintf("%s, verdict %s", stableText(&c.Sides[i].Stable), d.Sides[i].Verdict)
	})
	return g
}

func metricSideGrids(c seeds.Comparison, values bool) (grids []any) {
	byGroup := map[string]int{}
	for k, m := range c.Spec.Metrics {
		at, seen := byGroup[m.Group]
		if !seen {
			at = len(grids)
			byGroup[m.Group] = at
			title := strings.TrimSpace(m.Group + " mean scores")
			if values {
				title = strings.TrimSpace(m.Group + " mean values")
			}
			grids = append(grids, grid{title: title, columns: append([]string{"metric", "target", "weight"}, sideNames(c)...)})
		}
		g := grids[at].(grid)
		row := []any{m.Name, m.Description(), shown{fmt.Sprint(m.Weight), m.Weight}}
		for _, side := range c.Sides {
			row = append(row, sideCell(side.Metrics[k], values))
		}
		g.cells = append(g.cells, row)
		grids[at] = g
	}
	return grids
}

func sideCell(m scoring.MetricStability, values bool) any {
	switch {
	case m.N == 0:
		return nil
	case values:
		return valueCell(float64(*m.MeanValue), m.Format)
	}
	return *m.MeanScore
}

func sideNotes(c seeds.Comparison, judged []verdict.Judgement) string {
	var list []verdict.Warning
	for i := range c.Sides {
		for _, w := range judged[i].Warnings {
			list = append(list, verdict.Warning{Code: w.Code, Message: sideName(i) + ": " + w.Message})
		}
	}
	if len(c.Shared) < c.Sides[0].NSeeds || slices.ContainsFunc(c.Sides, func(s seeds.Compared) bool { return s.NSeeds != c.Sides[0].NSeeds }) {
		list = append(list, verdict.Warning{Code: "different_seeds", Message: "the sides have different seeds: a difference of means may be one of seeds; combined must not be ranked across different n"})
	}
	return footnotes(list)
}
