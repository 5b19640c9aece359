package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/reports"
	"track/scoring"
	"track/scoring/format"
	"track/store"
	"track/tracker/seeds"
)

type stabilityOptions struct {
	spec       int
	seeds      string
	sort       bool
	allowMixed bool
}

func (p *program) stabilityCommand() *cli.Command {
	var o stabilityOptions
	return &cli.Command{
		Name:      "stability",
		Usage:     "judge the seeds of a configuration together",
		UsageText: "track stability SCENARIO[@CONFIGURATION] [FLAGS]",
		Description: `Aggregates the stored results over the seeds of one configuration: the one recorded to last, unless a label or a
prefix of a hash names another. A seed that crashed, or that lacks a metric, stays in the denominator of the pass rates.
Stable means: pass rate at least 0.9 and population standard deviation of the total scores at most 0.15. The verdict says whether
the seeds show that: PASS where the intervals lie within both limits, WARN where only the numbers do, FAIL where an interval lies
beyond a limit, INCONCLUSIVE otherwise and below 5 scored seeds. The exit code is 0 whatever it is: track gate --stable judges.

Examples:
   track stability growth_plus
   track stability growth_plus@theta-14 --seeds 0..99 --sort
   track stability growth_plus --format json`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "judge under this `VERSION` of the spec", Destination: &o.spec},
			&cli.StringFlag{Name: "seeds", Usage: "only these, as in `0..99`,200", Destination: &o.seeds},
			&cli.BoolFlag{Name: "sort", Usage: "the worst metrics first", Destination: &o.sort},
			&cli.BoolFlag{Name: "allow-mixed", Usage: "take all configurations that match together", Destination: &o.allowMixed},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track stability takes one SCENARIO[@CONFIGURATION]")
			}
			return p.stability(c.Context, c.Args().First(), o)
		},
	}
}

func (p *program) stability(ctx context.Context, selector string, o stabilityOptions) error {
	sel, err := answer.ParseSelector(selector)
	if err != nil {
		return usage("%v", err)
	}
	options := seeds.StabilityOptions{SpecVersion: o.spec, AllowMixed: o.allowMixed}
	if o.seeds != "" {
		if options.Seeds, err = track.ParseSeedRanges(o.seeds); err != nil {
			return usage("--seeds: %v", err)
		}
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	p.noticeSpool(st.Path())
	report, err := seeds.Stability(ctx, st.Reader, sel, options)
	if errors.Is(err, track.ErrAmbiguous) {
		return track.WithHint(err, track.Hint{Text: "--allow-mixed takes them together"})
	}
	if err != nil {
		return err
	}
	return p.write(stabilityView(report, o.sort))
}

type stabilityDocument struct {
	Scenario       string                  `json:"scenario"`
	Spec           specRef                 `json:"spec"`
	Configuration  configurationDocument   `json:"configuration"`
	Configurations []configurationDocument `json:"configurations,omitempty"` // where several were mixed
	NOthers        int                     `json:"n_other_configurations"`
	NEnvironments  int                     `json:"n_environments"`
	NPlanned       int                     `json:"n_planned,omitzero"` // by sweeps
	NMissing       int                     `json:"n_missing,omitzero"` // of these, those that are not recorded
	NRepeated      int                     `json:"n_repeated,omitzero"`
	NDiffering     int                     `json:"n_differing,omitzero"` // of these, those that gave something else
	NSeeds         int                     `json:"n_seeds"`
	NScored        int                     `json:"n_scored"`
	NFailed        int                     `json:"n_failed"`
	NPassed        int                     `json:"n_passed"`
	PassRate       *float64                `json:"pass_rate"`
	MeanScore      *float64                `json:"mean_score"`
	StdScore       *float64                `json:"std_score"`
	StdKind        string                  `json:"std_kind"`
	MinScore       *float64                `json:"min_score"`
	MaxScore       *float64                `json:"max_score"`
	CombinedScore  *float64                `json:"combined_score"`
	Stable         bool                    `json:"stable"`
	Verdict        scoring.Verdict         `json:"verdict"`
	Reasons        []string                `json:"reasons"`
	Needs          []string                `json:"needs"`
	Estimates      estimatesDocument       `json:"estimates"`
	Warnings       []warningDocument       `json:"warnings"`
	FailedSeeds    []failedSeedDocument    `json:"failed_seeds"`
	Metrics        []metricDocument        `json:"metrics"`
}

type failedSeedDocument struct {
	Seed          track.SeedNumber `json:"seed"`
	Configuration string           `json:"configuration,omitempty"` // where several were mixed
	Outcome       track.Outcome    `json:"outcome"`
	Reason        string           `json:"reason"`
	Metrics       []string         `json:"metrics"`
}

type metricDocument struct {
	Name      string       `json:"name"`
	Type      scoring.Type `json:"type"`
	Weight    float64      `json:"weight"`
	Group     string       `json:"group"`
	N         int          `json:"n"`
	MeanValue *float64     `json:"mean_value"`
	StdValue  *float64     `json:"std_value"`
	MeanScore *float64     `json:"mean_score"`
	StdScore  *float64     `json:"std_score"`
	ScoreCI   ci           `json:"score_ci"` // 95 % t interval of mean_score
	PassRate  *float64     `json:"pass_rate"`
	Flag      string       `json:"flag"`
}

const populationStd = "population"

func newStabilityDocument(r seeds.StabilityReport) stabilityDocument {
	n := r.NScored
	d := stabilityDocument{
		Scenario: r.Scenario, Spec: newSpecRef(r.Stored),
		Configuration: newConfigurationDocument(r.Configurations[0].Hash, r.Configurations[0].Configuration),
		NOthers:       r.NOthers, NEnvironments: r.NEnvironments,
		NPlanned: r.Coverage.NPlanned, NMissing: r.Coverage.NMissing,
		NRepeated: r.Coverage.NRepeated, NDiffering: r.Coverage.NDiffering,
		NSeeds: r.NSeeds, NScored: n, NFailed: r.NFailed, NPassed: r.NPassed, PassRate: r.PassRate,
		MeanScore: r.MeanScore, StdScore: r.StdScore, StdKind: populationStd,
		MinScore: r.MinScore, MaxScore: r.MaxScore, CombinedScore: r.CombinedScore, Stable: r.Stable,
		Verdict: r.Finding.Verdict, Reasons: notNil(r.Finding.Reasons), Needs: notNil(r.Finding.Needs),
		Estimates: newEstimates(r.Estimates), Warnings: newWarnings(r.Warnings),
		FailedSeeds: []failedSeedDocument{}, Metrics: []metricDocument{},
	}
	hashes := map[int64]string{}
	if len(r.Configurations) > 1 {
		for _, c := range r.Configurations {
			d.Configurations = append(d.Configurations, newConfigurationDocument(c.Hash, c.Configuration))
			hashes[c.ID] = c.Hash
		}
	}
	for _, f := range r.Failing {
		failing, metrics := seeds.NewFailingSeed(f), []string{}
		for _, m := range f.Metrics {
			metrics = append(metrics, m.Name)
		}
		d.FailedSeeds = append(d.FailedSeeds, failedSeedDocument{f.Number, hashes[f.Configuration], f.Outcome, failing.Reason(), metrics})
	}
	for _, m := range r.Metrics {
		d.Metrics = append(d.Metrics, newMetricDocument(m))
	}
	return d
}

func newMetricDocument(m scoring.MetricStability) metricDocument {
	return metricDocument{
		m.Name, m.Type, m.Weight, m.Group, m.N, (*float64)(m.MeanValue), (*float64)(m.StdValue),
		m.MeanScore, m.StdScore, newCI(m.ScoreCI), m.PassRate, string(m.Flag),
	}
}

func stabilityView(r seeds.StabilityReport, worstFirst bool) view {
	metrics := slices.Clone(r.Metrics)
	if worstFirst {
		slices.SortStableFunc(metrics, reports.WorseMetric)
	}
	d := newStabilityDocument(r)
	v := view{document: d, rows: grid{columns: []string{
		"group", "metric", "type", "weight", "n", "mean_value", "std_value", "mean_score", "std_score", "score_lo", "score_hi", "pass_rate", "flag",
	}}}
	for _, m := range metrics {
		md := newMetricDocument(m)
		v.rows.cells = append(v.rows.cells, []any{
			md.Group, md.Name, string(md.Type), md.Weight, md.N, md.MeanValue, md.StdValue, md.MeanScore, md.StdScore,
			end(md.ScoreCI, 0), end(md.ScoreCI, 1), md.PassRate, md.Flag,
		})
	}
	v.page = append(v.page, stabilityHeading(r), verdictText(r), estimatesGrid(r.Estimates))
	if notes := footnotes(r.Warnings); notes != "" {
		v.page = append(v.page, notes)
	}
	v.page = append(v.page, fmt.Sprintf("Below, n is the seeds that have the metric, and pass the share of all %d in which it is PASS or WARN.", r.NSeeds))
	v.page = append(v.page, metricGrids(metrics)...)
	if len(d.FailedSeeds) > 0 {
		v.page = append(v.page, failingGrid(d.FailedSeeds))
	}
	return v
}

func stabilityHeading(r seeds.StabilityReport) string {
	var b strings.Builder
	if len(r.Configurations) > 1 {
		fmt.Fprintf(&b, "%s, spec version %d", r.Scenario, r.Stored.Version)
		fmt.Fprintf(&b, "\nMIXED: %d configurations are taken together, a seed counts once for each; the result describes none of them", len(r.Configurations))
	} else {
		fmt.Fprintf(&b, "%s, spec version %d, configuration %s", r.Scenario, r.Stored.Version, describe(r.Configurations[0]))
	}
	if r.NOthers > 0 {
		fmt.Fprintf(&b, "\nthe scenario has %s: track history %s", format.Counted(r.NOthers, "other configuration"), r.Scenario)
	}
	if c := r.Coverage; c.NPlanned > 0 {
		fmt.Fprintf(&b, "\n%d of %d planned seeds are recorded", c.NPlanned-c.NMissing, c.NPlanned)
		if c.NRepeated > 0 {
			fmt.Fprintf(&b, "; %d were run again, %d of them gave something else", c.NRepeated, c.NDiffering)
		}
	}
	if r.NEnvironments > 1 {
		fmt.Fprintf(&b, "\nthe seeds ran in %d different environments", r.NEnvironments)
	}
	return b.String()
}

// verdictText says whether the configuration is stable, and how sure that is.
func verdictText(r seeds.StabilityReport) string {
	text := fmt.Sprintf("%s: %s", r.Finding.Verdict, reports.StableText(r.Stability))
	return text + sentences(r.Finding.Reasons, r.Finding.Needs)
}

// describe names a configuration for people.
func describe(c store.Configuration) string {
	parts := []string{seeds.ShortHash(c.Hash)}
	if c.Label != "" {
		parts = append(parts, "label "+c.Label)
	}
	if c.Revision != (track.Revision{}) {
		parts = append(parts, "revision "+c.Revision.String())
	}
	if c.Params != "" {
		parts = append(parts, "params "+string(c.Params))
	}
	return strings.Join(parts, ", ")
}

// metricGrids makes a table for each group, in the order in which the groups first appear.
func metricGrids(metrics []scoring.MetricStability) (grids []any) {
	byGroup := map[string]int{}
	for _, m := range metrics {
		i, seen := byGroup[m.Group]
		if !seen {
			i = len(grids)
			byGroup[m.Group] = i
			grids = append(grids, grid{title: m.Group, columns: []string{"metric", "target", "weight", "n", "value", "± std", "score", "± std", "95% interval", "pass", "flag"}})
		}
		g := grids[i].(grid)
		value := func(x *float64) any {
			if x == nil {
				return nil
			}
			return valueCell(*x, m.Format)
		}
		g.cells = append(g.cells, []any{
			m.Name, m.Target, shown{fmt.Sprint(m.Weight), m.Weight}, m.N, value((*float64)(m.MeanValue)), value((*float64)(m.StdValue)),
			m.MeanScore, m.StdScore, intervalText(m.ScoreCI, func(x float64) string { return format.Fixed(x, 3) }),
			shown{format.Percent(*m.PassRate), *m.PassRate}, string(m.Flag),
		})
		grids[i] = g
	}
	return grids
}

// shorten keeps a message from making a table wider than any screen; --format json has it whole.
func shorten(s string) string {
	const longest = 80
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return s
}

func failingGrid(seeds []failedSeedDocument) grid {
	const shownSeeds, shownMetrics = 50, 6
	g := grid{title: fmt.Sprintf("failing seeds (%d)", len(seeds)), columns: []string{"seed", "outcome", "reason", "metrics"}}
	for i, f := range seeds {
		if i == shownSeeds {
			g.cells = append(g.cells, []any{"…", "", fmt.Sprintf("and %d more: --format json lists all", len(seeds)-shownSeeds), ""})
			break
		}
		metrics := f.Metrics
		more := ""
		if len(metrics) > shownMetrics {
			metrics, more = metrics[:shownMetrics], fmt.Sprintf(" and %d more", len(f.Metrics)-shownMetrics)
		}
		g.cells = append(g.cells, []any{f.Seed.String(), string(f.Outcome), shorten(f.Reason), strings.Join(metrics, ", ") + more})
	}
	return g
}
