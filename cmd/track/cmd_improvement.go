package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/reports"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/store"
	"track/tracker/seeds"
)

type improvementOptions struct {
	comparisonFlags
	baseline    string
	spec        int
	margin      float64
	base        *float64
	onlyChanged bool
	groups      []string
	metrics     []string
}

func (p *program) improvementCommand() *cli.Command {
	var o improvementOptions
	return &cli.Command{
		Name:      "improvement",
		Usage:     "compare a candidate with its baseline, seed by seed",
		UsageText: "track improvement CANDIDATE [--baseline BASELINE] [FLAGS]",
		Description: `Both are SCENARIO or SCENARIO@CONFIGURATION. The baseline is --baseline, else the scenario that improvement.baseline of the
spec names, else the configuration that track baseline set pinned. Both are scored under the spec of the baseline's scenario; a
seed that failed on one side scores 0 there. The status of a metric follows from its mean delta and the threshold base/weight: PASS
for no loss, WARN for a loss within it, FAIL beyond. ~ marks what the data do not decide (sign-flip test, Holm). The verdict is that of the
total score: PASS better, WARN better but with degraded metrics, FAIL worse, else INCONCLUSIVE. The exit code is 0 whatever it is:
track gate --no-degradation judges. Every comparison of new seeds is recorded as a look.

Examples:
   track improvement buffer_stock --baseline growth_plus
   track improvement growth_plus@theta-14 --baseline growth_plus@v1 --only-changed
   track improvement growth_plus --margin 0.01 --plan 6,10,20,30`,
		BashComplete: p.completeScenarios,
		Flags: slices.Concat(o.judgingFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "only-changed", Usage: "only the metrics that the data decide, and the degraded ones", Destination: &o.onlyChanged},
			&cli.StringSliceFlag{Name: "group", Usage: "only the metrics of this `GROUP`; may be repeated"},
			&cli.StringSliceFlag{Name: "metric", Usage: "only this `METRIC`; may be repeated"},
		}, o.flags()),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track improvement takes one CANDIDATE: SCENARIO or SCENARIO@CONFIGURATION")
			}
			o.base, o.groups, o.metrics = optional(c, "base"), c.StringSlice("group"), c.StringSlice("metric")
			return p.improvement(c.Context, c.Args().First(), o)
		},
	}
}

// judgingFlags say what is compared, and how.
func (o *improvementOptions) judgingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "baseline", Usage: "compare with `SCENARIO[@CONFIGURATION]`", Destination: &o.baseline},
		&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "judge under this `VERSION` of the baseline's spec", Destination: &o.spec},
		&cli.Float64Flag{Name: "margin", Usage: "the smallest difference of total scores that `MATTERS`", Destination: &o.margin},
		&cli.Float64Flag{Name: "base", DefaultText: "the spec's, or 0.25", Usage: "a metric may lose `BASE`/weight"},
	}
}

func (o improvementOptions) resolve() (options seeds.ImprovementOptions, err error) {
	options = seeds.ImprovementOptions{SpecVersion: o.spec, Confidence: o.confidence, Margin: o.margin, Base: o.base}
	if err := o.checkConfidence(); err != nil {
		return options, err
	}
	if !(o.margin >= 0 && o.margin <= 1) {
		return options, usage("--margin %v: scores lie in 0 to 1", o.margin)
	}
	if err := checkBase(o.base); err != nil {
		return options, err
	}
	if options.Seeds, err = o.seedRanges(); err != nil {
		return options, err
	}
	if options.Look, err = o.look(); err != nil {
		return options, err
	}
	options.Baseline, err = selectorFlag("baseline", o.baseline)
	return options, err
}

func (p *program) improvement(ctx context.Context, candidate string, o improvementOptions) error {
	sel, err := answer.ParseSelector(candidate)
	if err != nil {
		return usage("%v", err)
	}
	options, err := o.resolve()
	if err != nil {
		return err
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	report, err := seeds.Compare(ctx, st.Reader, sel, options)
	if err != nil {
		return err
	}
	shown, err := o.filter(report)
	if err != nil {
		return err
	}
	p.recordLooks(ctx, st, []store.Look{report.Look})
	return p.write(improvementView(report, shown))
}

// recordLooks keeps count of decisions. One that cannot be recorded still stands, and says so.
func (p *program) recordLooks(ctx context.Context, st *store.Store, looks []store.Look) {
	if err := seeds.RecordLooks(ctx, st, looks, rand.Reader); err != nil {
		p.notice("this look is not recorded, so later ones will not count it: %v", err)
	}
}

// filter returns the metrics to be shown. One that the spec does not have is an error, not an empty table.
func (o improvementOptions) filter(r seeds.ImprovementReport) ([]verdict.MetricDelta, error) {
	known := func(name string) bool {
		return slices.ContainsFunc(r.Spec.Metrics, func(m scoring.Metric) bool { return m.Name == name })
	}
	for _, name := range o.metrics {
		if !known(name) {
			return nil, usage("--metric %s: the spec of %s has no such metric", name, r.Spec.Scenario)
		}
	}
	for _, group := range o.groups {
		if !slices.ContainsFunc(r.Spec.Metrics, func(m scoring.Metric) bool { return m.Group == group }) {
			return nil, usage("--group %s: the spec of %s has no such group", group, r.Spec.Scenario)
		}
	}
	var list []verdict.MetricDelta
	for _, m := range r.Metrics {
		switch {
		case len(o.metrics) > 0 && !slices.Contains(o.metrics, m.Name):
		case len(o.groups) > 0 && !slices.Contains(o.groups, m.Group):
		case o.onlyChanged && m.Status != scoring.Fail && !m.IsDecided:
		default:
			list = append(list, m)
		}
	}
	return list, nil
}

// sideDocument is one side of a comparison.
type sideDocument struct {
	Scenario      string                `json:"scenario"`
	Configuration configurationDocument `json:"configuration"`
}

func newSide(c seeds.Choice) sideDocument {
	return sideDocument{c.Scenario, newConfigurationDocument(c.Configurations[0].Hash, c.Configurations[0].Configuration)}
}

type improvementDocument struct {
	Candidate      sideDocument          `json:"candidate"`
	Baseline       sideDocument          `json:"baseline"`
	BaselineSource seeds.BaselineSource  `json:"baseline_source"`
	Spec           improvementSpec       `json:"spec"`
	NCandidate     int                   `json:"n_candidate"`
	NBaseline      int                   `json:"n_baseline"`
	NPairs         int                   `json:"n_pairs"`
	Unmatched      bothSides[string]     `json:"unmatched"`
	Failed         bothSides[failedSide] `json:"failed"`
	Base           float64               `json:"max_degradation_base"`
	Confidence     float64               `json:"confidence"`
	Margin         float64               `json:"margin"`
	Metrics        []metricDelta         `json:"metrics"`
	NHidden        int                   `json:"n_hidden_metrics"`
	NPass          int                   `json:"n_pass"`
	NWarn          int                   `json:"n_warn"`
	NFail          int                   `json:"n_fail"`
	Degraded       []string              `json:"degraded"`
	Total          totalDelta            `json:"total"`
	Unpaired       *unpairedDocument     `json:"unpaired,omitempty"`
	Difference     verdict.Difference    `json:"difference"`
	Verdict        scoring.Verdict       `json:"verdict"`
	Reasons        []string              `json:"reasons"`
	Needs          []string              `json:"needs"`
	Look           lookDocument          `json:"look"`
	Warnings       []warningDocument     `json:"warnings"`
}

type improvementSpec struct {
	Scenario string `json:"scenario"`
	specRef  `json:",inline"`
}

type bothSides[T any] struct {
	Candidate []T `json:"candidate"`
	Baseline  []T `json:"baseline"`
}

type failedSide struct {
	Seed   string `json:"seed"`
	Reason string `json:"reason"`
}

type metricDelta struct {
	Name      string         `json:"name"`
	Group     string         `json:"group"`
	Weight    float64        `json:"weight"`
	Candidate float64        `json:"candidate_mean"`
	Baseline  float64        `json:"baseline_mean"`
	MeanDelta float64        `json:"mean_delta"`
	Threshold float64        `json:"threshold"`
	Status    scoring.Status `json:"status"`
	CI        ci             `json:"ci"`
	P         float64        `json:"p"`
	PHolm     float64        `json:"p_holm"`
	Decided   bool           `json:"decided"`
	Wins      int            `json:"wins"`
	Losses    int            `json:"losses"`
	Ties      int            `json:"ties"`
}

type totalDelta struct {
	Candidate    *float64 `json:"candidate_mean"`
	Baseline     *float64 `json:"baseline_mean"`
	MeanDelta    *float64 `json:"mean_delta"`
	SD           *float64 `json:"sd"`
	Dz           *float64 `json:"dz"` // with Hedges' correction
	CI           ci       `json:"ci"`
	CIMethod     string   `json:"ci_method"`
	P            *float64 `json:"p"`
	PMethod      string   `json:"p_method"`
	PImprovement *float64 `json:"p_improvement"`
	WinShare     *float64 `json:"win_share"` // wins among the pairs that are no tie
	WinShareCI   ci       `json:"win_share_ci"`
	Wins         int      `json:"wins"`
	Losses       int      `json:"losses"`
	Ties         int      `json:"ties"`
	MDE          *float64 `json:"mde"`    // difference of scores that so many pairs detect with power 0.8
	MDEDz        *float64 `json:"mde_dz"` // the same in standard deviations of the differences
	SeedsNeeded  *int     `json:"seeds_needed"`
}

type unpairedDocument struct {
	NCandidate int     `json:"n_candidate"`
	NBaseline  int     `json:"n_baseline"`
	MeanDelta  float64 `json:"mean_delta"`
	CI         ci      `json:"ci"`
	P          float64 `json:"p"`
	Method     string  `json:"method"`
}

type lookDocument struct {
	Number  int   `json:"number"`
	Plan    []int `json:"plan"`
	Anytime bool  `json:"anytime"`
}

func newLook(l verdict.Look) lookDocument {
	return lookDocument{max(1, l.Number), notNil(l.Plan), l.Anytime}
}

func newImprovementDocument(r seeds.ImprovementReport, shown []verdict.MetricDelta) improvementDocument {
	d := improvementDocument{
		Candidate: newSide(r.Candidate), Baseline: newSide(r.Baseline), BaselineSource: r.Source,
		Spec:       improvementSpec{r.Stored.Scenario, newSpecRef(r.Stored)},
		NCandidate: r.NCandidate, NBaseline: r.NBaseline, NPairs: r.NPairs,
		Unmatched: bothSides[string]{seedTexts(r.Unmatched.Candidate), seedTexts(r.Unmatched.Baseline)},
		Failed:    bothSides[failedSide]{failedSides(r.Failed.Candidate), failedSides(r.Failed.Baseline)},
		Base:      r.Options.Base, Confidence: r.Options.Confidence, Margin: r.Options.Margin,
		Metrics: []metricDelta{}, NHidden: len(r.Metrics) - len(shown),
		NPass: r.NPass, NWarn: r.NWarn, NFail: r.NFail, Degraded: notNil(r.Degraded), Total: newTotalDelta(r.Improvement),
		Difference: r.Difference, Verdict: r.Verdict, Reasons: notNil(r.Reasons), Needs: notNil(r.Needs),
		Look: newLook(r.Options.Look), Warnings: newWarnings(r.Warnings),
	}
	for _, m := range shown {
		d.Metrics = append(d.Metrics, metricDelta{
			m.Name, m.Group, m.Weight, m.Candidate, m.Baseline, m.MeanDelta, m.Threshold, m.Status, newCI(m.Interval),
			m.P, m.PHolm, m.IsDecided, m.Wins, m.Losses, m.Ties,
		})
	}
	if u := r.Unpaired; u != nil {
		d.Unpaired = &unpairedDocument{u.NCandidate, u.NBaseline, u.MeanDelta, newCI(u.Interval), u.P, u.Method}
	}
	return d
}

func newTotalDelta(i verdict.Improvement) totalDelta {
	t := i.Total
	if t == nil {
		return totalDelta{CIMethod: stats.MethodT}
	}
	return totalDelta{
		Candidate: &t.Candidate, Baseline: &t.Baseline, MeanDelta: &t.MeanDelta, SD: t.SD, Dz: t.Dz, CI: newCI(t.Interval), CIMethod: t.Interval.Method,
		P: &t.P, PMethod: t.PMethod, PImprovement: &t.PImprovement, WinShare: t.WinShare, WinShareCI: newCI(t.WinShareCI),
		Wins: t.Wins, Losses: t.Losses, Ties: t.Ties, MDE: t.Detectable, MDEDz: t.DetectableDz, SeedsNeeded: t.SeedsNeeded,
	}
}

func seedTexts(numbers []uint64) []string {
	list := []string{}
	for _, n := range numbers {
		list = append(list, fmt.Sprint(n))
	}
	return list
}

func failedSides(seeds []verdict.FailedSeed) []failedSide {
	list := []failedSide{}
	for _, s := range seeds {
		list = append(list, failedSide{fmt.Sprint(s.Number), s.Reason})
	}
	return list
}

func improvementView(r seeds.ImprovementReport, shown []verdict.MetricDelta) view {
	d := newImprovementDocument(r, shown)
	v := view{document: d, rows: grid{columns: []string{
		"group", "metric", "weight", "baseline_mean", "candidate_mean", "mean_delta", "ci_lo", "ci_hi", "threshold", "status", "p", "p_holm", "decided", "wins", "losses", "ties",
	}}}
	for _, m := range d.Metrics {
		v.rows.cells = append(v.rows.cells, []any{
			m.Group, m.Name, m.Weight, m.Baseline, m.Candidate, m.MeanDelta, end(m.CI, 0), end(m.CI, 1), m.Threshold, string(m.Status),
			m.P, m.PHolm, m.Decided, m.Wins, m.Losses, m.Ties,
		})
	}
	v.page = []any{improvementHeading(r), fmt.Sprintf("%s: %s", r.Verdict, r.Difference) + sentences(r.Reasons, r.Needs)}
	if r.NPairs > 0 {
		v.page = append(v.page, totalGrid(r.Improvement))
	}
	if len(shown) > 0 {
		v.page = append(v.page, metricDeltaGrids(r, shown)...)
	}
	if text := improvementCounts(r, len(r.Metrics)-len(shown)); text != "" {
		v.page = append(v.page, text)
	}
	if text := leftOut(r.Improvement); text != "" {
		v.page = append(v.page, text)
	}
	if notes := footnotes(r.Warnings); notes != "" {
		v.page = append(v.page, notes)
	}
	return v
}

func improvementHeading(r seeds.ImprovementReport) string {
	source := map[seeds.BaselineSource]string{
		seeds.BaselineGiven: "--baseline", seeds.BaselineSpec: "named by the spec", seeds.BaselinePinned: "pinned",
	}[r.Source]
	return fmt.Sprintf("candidate  %s\nbaseline   %s  (%s)\n%d pairs of seeds, scored under %s spec version %d, degradation base %v",
		sideText(r.Candidate), sideText(r.Baseline), source, r.NPairs, r.Stored.Scenario, r.Stored.Version, r.Options.Base)
}

func sideText(c seeds.Choice) string { return c.Scenario + "@" + describe(c.Configurations[0]) }

// totalGrid shows the difference of the total scores with all that its size has to be seen beside.
func totalGrid(i verdict.Improvement) grid {
	g := grid{columns: []string{"total score", "", "", "method"}}
	for _, r := range reports.TotalRows(i) {
		g.cells = append(g.cells, []any{r.Name, r.Value, r.Detail, r.Method})
	}
	return g
}

func metricDeltaGrids(r seeds.ImprovementReport, metrics []verdict.MetricDelta) (grids []any) {
	byGroup := map[string]int{}
	for _, m := range metrics {
		k, seen := byGroup[m.Group]
		if !seen {
			k = len(grids)
			byGroup[m.Group] = k
			grids = append(grids, grid{title: m.Group, columns: []string{"metric", "weight", "baseline", "candidate", "change", "mean delta", "95% interval", "may lose", "status", "p Holm", "W/L/T"}})
			if c := confidencePercent(m.Interval.Confidence); c != "95%" {
				grids[k].(grid).columns[6] = c + " interval"
			}
		}
		g := grids[k].(grid)
		g.cells = append(g.cells, []any{
			m.Name, shown{fmt.Sprint(m.Weight), m.Weight}, m.Baseline, m.Candidate, reports.ChangeText(m, r.Options.Alpha()), shown{format.Signed(m.MeanDelta), m.MeanDelta},
			intervalText(m.Interval, format.Signed), shown{format.Fixed(m.Threshold, 4), m.Threshold}, string(m.Status), shown{format.PValue(m.PHolm), m.PHolm},
			fmt.Sprintf("%d/%d/%d", m.Wins, m.Losses, m.Ties),
		})
		grids[k] = g
	}
	return grids
}

func improvementCounts(r seeds.ImprovementReport, hidden int) string {
	if len(r.Metrics) == 0 {
		return ""
	}
	text := fmt.Sprintf("%d metrics: %d PASS, %d WARN, %d FAIL at base %v", len(r.Metrics), r.NPass, r.NWarn, r.NFail, r.Options.Base)
	if hidden > 0 {
		text += fmt.Sprintf("; %d are not shown", hidden)
	}
	if len(r.Degraded) > 0 {
		text += "\ndegraded: " + strings.Join(r.Degraded, ", ")
	}
	return text + fmt.Sprintf("\n~ the data do not decide: sign-flip test of the deltas, p corrected by Holm for %d metrics, above %s", len(r.Metrics), format.PValue(r.Options.Alpha()))
}

// leftOut names the seeds that are in no pair, and those that failed.
func leftOut(i verdict.Improvement) string {
	var lines []string
	list := func(name string, seeds []string) {
		if len(seeds) > 0 {
			lines = append(lines, name+": "+shortList(seeds))
		}
	}
	list("only in the candidate", seedTexts(i.Unmatched.Candidate))
	list("only in the baseline", seedTexts(i.Unmatched.Baseline))
	failed := func(seeds []verdict.FailedSeed) (texts []string) {
		for _, s := range seeds {
			texts = append(texts, fmt.Sprintf("%d (%s)", s.Number, shorten(s.Reason)))
		}
		return texts
	}
	list("failed in the candidate", failed(i.Failed.Candidate))
	list("failed in the baseline", failed(i.Failed.Baseline))
	return strings.Join(lines, "\n")
}

// shortList joins a few of many words.
func shortList(words []string) string {
	const most = 20
	if len(words) > most {
		return strings.Join(words[:most], ", ") + fmt.Sprintf(" and %d more: --format json lists all", len(words)-most)
	}
	return strings.Join(words, ", ")
}
