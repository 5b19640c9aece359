package answer

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer/param"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// CompareQuestion asks how several configurations look side by side.
type CompareQuestion struct {
	Of     []Selector
	Seeds  []track.SeedRange
	Values bool
	All    bool
	Totals bool // metrics are left out
}

func (q *CompareQuestion) Params() param.List {
	return param.List{
		{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO[@CONFIGURATION]", Help: "compare these configurations", Value: selectors(&q.Of)},
		seedsParam(&q.Seeds),
		{Name: "values", Help: "show the mean values of the listed metrics as well", Value: param.Switch(&q.Values)},
		{Name: "all", Help: "list all metrics, not only those that differ", Value: param.Switch(&q.All)},
		{Name: "totals", Help: "compare total scores alone, which is quicker for many seeds", Value: param.Switch(&q.Totals)},
	}
}

// Check returns an error if there is nothing to compare.
func (q *CompareQuestion) Check() error {
	if len(q.Of) < 2 {
		return &param.Error{Param: "scenario", Message: "name two or more SCENARIO[@CONFIGURATION]"}
	}
	if q.Totals && (q.Values || q.All) {
		return &param.Error{Param: "totals", Message: "leaves out the metrics that values and all show: choose one"}
	}
	return nil
}

// Comparison is several configurations side by side, judged by one spec. It decides nothing.
type Comparison struct {
	Spec       ScenarioSpec                `json:"spec"`           // that of the first side's scenario
	NShared    int                         `json:"n_shared_seeds"` // seeds that all sides have
	Parameters []map[string]jsontext.Value `json:"parameters"`     // of each side, those that differ
	Sides      []ComparedSide              `json:"sides"`
	// Differences are those of the second and every further side from the first.
	Differences []SideDifference `json:"differences"`
	AsValues    bool             `json:"as_values,omitzero"` // people are shown mean values of metrics as well
	ListsAll    bool             `json:"lists_all,omitzero"` // people are shown all metrics, not only those that differ
	NMetrics    int              `json:"n_metrics"`          // of the spec
	OfTotals    bool             `json:"of_totals,omitzero"` // total scores were compared, and no metrics
}

// ComparedSide is one of several configurations side by side.
type ComparedSide struct {
	Side
	scoring.Stability
	verdict.Judgement
}

func (a Comparison) Lead() []Sentence {
	var lead []Sentence
	add := func(text string) {
		lead = append(lead, Sentence{Kind: Heading, Text: text, Joined: len(lead) > 0})
	}
	for i, side := range a.Sides {
		c := side.Configuration
		text := fmt.Sprintf("%s  %s@%s", sideName(i), side.Scenario, track.ShortHash(c.Hash))
		if c.Label != "" {
			text += ", label " + c.Label
		}
		if c.Revision != (track.Revision{}) {
			text += ", revision " + c.Revision.String()
		}
		if len(side.Tags) > 0 {
			text += ", tags " + side.TagText()
		}
		add(text)
		for _, note := range side.noteSentences(sideName(i)) {
			add(note.Text)
		}
	}
	for _, side := range a.Sides {
		lead = append(lead, side.Newest.note(side.Side)...)
	}
	add(fmt.Sprintf("judged by %s spec version %d; %s on all sides", a.Spec.Scenario, a.Spec.Version, format.Counted(a.NShared, "seed")))
	return lead
}

// sideName returns a letter: hashes and labels would make columns too wide.
func sideName(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprintf("#%d", i+1)
}

func (a Comparison) sideNames() (names []string) {
	for i := range a.Sides {
		names = append(names, sideName(i))
	}
	return names
}

func (a Comparison) Tables() []Table {
	tables := []Table{a.scoresTable()}
	for i := range a.Differences {
		tables = append(tables, a.differenceTable(i+1))
	}
	if a.AsValues || a.ListsAll && len(a.Sides) > 2 {
		tables = append(tables, a.sidesTable())
	}
	return append(tables, a.metricsTable())
}

// scoresTable shows the parameters that differ, and the scores of each side.
func (a Comparison) scoresTable() Table {
	t := Table{Name: "scores", Columns: append(Columns{{Name: "name", Head: " "}}, columns(a.sideNames()...).wrap(a.sideNames()...)...)}
	add := func(name string, cell func(side int) any) {
		row := []any{name}
		for i := range a.Sides {
			row = append(row, cell(i))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, name := range a.parameterNames() {
		add("param "+name, func(i int) any {
			if i >= len(a.Parameters) || a.Parameters[i][name] == nil {
				return nil
			}
			value := string(a.Parameters[i][name])
			return Cell{Shorten(value), value}
		})
	}
	add("seeds", func(i int) any { return fmt.Sprintf("%d, %d scored", a.Sides[i].NSeeds, a.Sides[i].NScored) })
	for k, name := range []string{"pass rate", "score", "score of seeds that ran", "sd of scores", "combined"} {
		text := format.Four
		if k == 0 {
			text = format.Share
		}
		if k == 2 && !slices.ContainsFunc(a.Sides, func(s ComparedSide) bool { return s.NScored < s.NSeeds }) {
			continue
		}
		add(name, func(i int) any {
			e := a.Sides[i].Estimates
			if name == "combined" { // the box of its factors is too wide to say anything
				e.Combined.Interval = stats.Interval{Lo: math.NaN(), Hi: math.NaN()}
			}
			return estimateText([]verdict.Estimate{e.PassRate, e.Score, e.OfRan, e.SD, e.Combined}[k], text)
		})
	}
	add("stable", func(i int) any { return fmt.Sprintf("%s, verdict %s", yesNo(a.Sides[i].Stable), a.Sides[i].Verdict) })
	return t
}

func (a Comparison) parameterNames() []string {
	all := map[string]jsontext.Value{}
	for _, side := range a.Parameters {
		maps.Copy(all, side)
	}
	return slices.Sorted(maps.Keys(all))
}

// estimateText writes a number with its interval; nil if there is none.
func estimateText(e verdict.Estimate, text func(float64) string) any {
	switch {
	case e.Value != e.Value:
		return nil
	case !e.Interval.Defined():
		return text(e.Value)
	}
	return fmt.Sprintf("%s (%s)", text(e.Value), format.Interval(e.Interval, text))
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// metricsTable shows programs the mean score, or the mean value, of each metric on each side, and the differences.
func (a Comparison) metricsTable() Table {
	t := Table{Name: "metrics", Main: true, ForPrograms: true, Notes: warningNotes(a.warnings()), Columns: slices.Concat(columns("metric"), columns(a.sideNames()...), a.differenceColumns())}
	if a.OfTotals {
		t.Rows = append(t.Rows, a.totalRow())
	}
	for k, m := range a.metrics() {
		t.Rows = append(t.Rows, slices.Concat([]any{m.Name}, a.sideCells(k), a.differenceCells(m.Name)))
	}
	return t
}

// sidesTable shows people the mean score, or the mean value, of each metric on each side.
func (a Comparison) sidesTable() Table {
	what := " scores of seeds with a value"
	if a.AsValues {
		what = " mean values"
	}
	t := Table{Name: "sides", Grouped: true, HiddenIfEmpty: true, Columns: append(columns("group", "metric", "target", "weight").drop("weight", "target").wrap("target"), columns(a.sideNames()...)...)}
	weight := WeightText(a.metrics(), func(m scoring.MetricStability) float64 { return m.Weight })
	for k, m := range a.metrics() {
		if a.lists(m.Name) {
			t.Rows = append(t.Rows, append([]any{strings.TrimSpace(m.Group + what), m.Name, m.Target, numberCell(m.Weight, weight)}, a.sideCells(k)...))
		}
	}
	return t
}

// metrics returns the metrics of the first side, in the order of the spec.
func (a Comparison) metrics() []scoring.MetricStability {
	if len(a.Sides) == 0 {
		return nil
	}
	return a.Sides[0].Metrics
}

// lists reports whether people are shown a metric.
func (a Comparison) lists(metric string) bool {
	for i := range a.Differences {
		if slices.ContainsFunc(a.listed(i+1), func(m verdict.MetricDelta) bool { return m.Name == metric }) {
			return true
		}
	}
	return a.ListsAll
}

// sideCells returns the mean score, or the mean value, of a metric on each side.
func (a Comparison) sideCells(metric int) (cells []any) {
	for _, side := range a.Sides {
		switch {
		case metric >= len(side.Metrics):
			cells = append(cells, nil)
		case a.AsValues:
			cells = append(cells, meanValueCell(side.Metrics[metric]))
		default:
			cells = append(cells, side.Metrics[metric].MeanScore)
		}
	}
	return cells
}

func (a Comparison) warnings() []verdict.Warning {
	var list []verdict.Warning
	differ := false
	for i, side := range a.Sides {
		for _, w := range side.Warnings {
			list = append(list, verdict.Warning{Code: w.Code, Message: sideName(i) + ": " + w.Message})
		}
		differ = differ || side.NSeeds != a.NShared
	}
	if differ {
		list = append(list, verdict.Warning{Code: "different_seeds", Message: "The sides have different seeds, so a difference of means may be one of seeds. " +
			"Do not rank combined scores of different numbers of seeds."})
	}
	return list
}

// SideDifference is the difference of the scores of one side from those of the first, paired by seed.
type SideDifference struct {
	NPairs     int                    `json:"n_pairs"`
	Unmatched  verdict.UnmatchedSeeds `json:"unmatched"` // the first side is the baseline
	Failed     verdict.FailedSeeds    `json:"failed"`    // they count as 0 in their pairs
	Total      *verdict.TotalDelta    `json:"total"`     // nil without pairs
	Metrics    []verdict.MetricDelta  `json:"metrics"`   // in the order of the spec
	Values     []verdict.ValueDelta   `json:"values"`    // of the same metrics, in their own units
	Confidence float64                `json:"confidence"`
	// NeverRecorded are metrics that one side never recorded: totals are those of the others.
	NeverRecorded []verdict.NeverRecorded `json:"never_recorded,omitzero"`
	Test          string                  `json:"test"` // that says which metrics differ
}

// NewSideDifference returns what a comparison of two sides shows.
func NewSideDifference(i verdict.Improvement) SideDifference {
	return SideDifference{
		NPairs: i.NPairs, Unmatched: i.Unmatched, Failed: i.Failed, Total: i.Total, Metrics: i.Metrics, Values: i.Values, Confidence: i.Confidence, Test: i.MetricTest(), NeverRecorded: i.NeverRecorded,
	}
}

// differenceTable shows the total score and the metrics that differ, the worst first.
func (a Comparison) differenceTable(side int) Table {
	d, first, other := a.Differences[side-1], sideName(0), sideName(side)
	t := Table{
		Name: "difference_" + other, HiddenIfEmpty: true, Notes: a.differenceNotes(side),
		Title: fmt.Sprintf("scores over %s: %s; %s − %s above 0 favours %s", format.Counted(d.NPairs, "pair"), a.shownText(d), other, first, other),
		Columns: Columns{
			{Name: "metric"}, {Name: "first", Head: first}, {Name: "other", Head: other}, {Name: "difference", Head: other + " − " + first},
			{Name: "interval", Head: format.Confidence(d.Confidence) + " interval"}, {Name: "p"},
		}.drop("other", "first"),
	}
	if d.Total != nil {
		t.Rows = append(t.Rows, differenceRow("total score", d.Total.Baseline, d.Total.Candidate, d.Total.MeanDelta, d.Total.Interval, d.Total.P))
	}
	for _, m := range a.listed(side) {
		t.Rows = append(t.Rows, differenceRow(m.Name, m.Baseline, m.Candidate, m.MeanDelta, m.Interval, m.PMaxT))
	}
	return t
}

func differenceRow(name string, first, other, difference float64, interval stats.Interval, p float64) []any {
	return []any{name, first, other, numberCell(difference, format.Signed), intervalCell(interval, format.Signed), numberCell(p, format.PValue)}
}

// listed returns the metrics that people are shown: those that the pairs decide, the worst first, then those that are
// unstable on one side alone, and if all are asked for the others, by p.
func (a Comparison) listed(side int) []verdict.MetricDelta {
	var decided, turned, rest []verdict.MetricDelta
	for _, m := range a.Differences[side-1].Metrics {
		switch {
		case m.IsDecided:
			decided = append(decided, m)
		case a.isUnstable(0, m.Name) != a.isUnstable(side, m.Name):
			turned = append(turned, m)
		case a.ListsAll:
			rest = append(rest, m)
		}
	}
	byDelta := func(a, b verdict.MetricDelta) int { return cmp.Compare(a.MeanDelta, b.MeanDelta) }
	slices.SortStableFunc(decided, byDelta)
	slices.SortStableFunc(turned, byDelta)
	slices.SortStableFunc(rest, func(a, b verdict.MetricDelta) int {
		return cmp.Or(cmp.Compare(a.PMaxT, b.PMaxT), cmp.Compare(math.Abs(b.MeanDelta), math.Abs(a.MeanDelta)))
	})
	return slices.Concat(decided, turned, rest)
}

// isUnstable reports whether a side has a metric that fails in too many of its seeds.
func (a Comparison) isUnstable(side int, metric string) bool {
	return side < len(a.Sides) && slices.ContainsFunc(a.Sides[side].Metrics, func(m scoring.MetricStability) bool {
		return m.Name == metric && m.Flag == scoring.FlagUnstable
	})
}

// unstableOnly names the metrics that are unstable on one side and not on another.
func (a Comparison) unstableOnly(on, not int) (names []string) {
	for _, m := range a.metrics() {
		if a.isUnstable(on, m.Name) && !a.isUnstable(not, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

func (a Comparison) differenceNotes(side int) (notes []Sentence) {
	d, first, other := a.Differences[side-1], sideName(0), sideName(side)
	add := func(text string, args ...any) {
		notes = append(notes, Sentence{Kind: Note, Text: fmt.Sprintf(text, args...), Joined: len(notes) > 0})
	}
	for _, sides := range [][2]int{{0, side}, {side, 0}} {
		if names := a.unstableOnly(sides[1], sides[0]); len(names) > 0 {
			add("%s unstable in %s alone: %s", format.Counted(len(names), "metric"), sideName(sides[1]), shortList(names))
		}
	}
	if d.NPairs == 0 {
		add("%s and %s have no seed in common, so there is no paired difference", first, other)
		return notes
	}
	for _, never := range d.NeverRecorded {
		add("no total has %s, which %s never recorded", never.Metric, map[string]string{"candidate": other, "baseline": first}[never.Side])
	}
	if moved := verdict.MovedText(d.Values, len(d.decided()) > 0); moved != "" {
		add("%s", moved)
	}
	if others := a.othersText(side); others != "" {
		add("%s", others)
		notes[len(notes)-1].Hint = &track.Hint{Text: "list them", Args: []track.HintArg{{Name: "all"}}}
	}
	if only := numberTexts(d.Unmatched.Baseline); len(only) > 0 {
		add("%s only in %s, in no pair: %s", format.Counted(len(only), "seed"), first, shortList(only))
	}
	if only := numberTexts(d.Unmatched.Candidate); len(only) > 0 {
		add("%s only in %s, in no pair: %s", format.Counted(len(only), "seed"), other, shortList(only))
	}
	if failed := slices.Concat(d.Failed.Baseline, d.Failed.Candidate); len(failed) > 0 {
		add("%s without a score, counted as 0: %s", format.Counted(len(failed), "seed"), failedText(failed))
	}
	if a.OfTotals {
		add("%s of the spec not compared", format.Counted(a.NMetrics, "metric"))
		return notes
	}
	if side == len(a.Differences) {
		add("The intervals of the metrics hold for all %d together (%s); that of the total score holds alone. p of metrics: %s.",
			len(d.Metrics), format.Confidence(d.Confidence), d.Test)
	}
	return notes
}

// shownText says what the pairs of a difference show.
func (a Comparison) shownText(d SideDifference) string {
	if !a.OfTotals {
		return d.decidedText()
	}
	if d.Total == nil {
		return "no difference"
	}
	return fmt.Sprintf("total score %s (%s)", format.Signed(d.Total.MeanDelta), format.Interval(d.Total.Interval, format.Signed))
}

// decided returns the metrics whose scores differ.
func (d SideDifference) decided() []verdict.MetricDelta {
	return slices.DeleteFunc(slices.Clone(d.Metrics), func(m verdict.MetricDelta) bool { return !m.IsDecided })
}

// decidedText counts the metrics that differ.
func (d SideDifference) decidedText() string {
	nWorse, nBetter, nEqual := 0, 0, 0
	for _, m := range d.Metrics {
		if m.Ties == d.NPairs {
			nEqual++
		}
		switch {
		case m.IsDecided && m.MeanDelta < 0:
			nWorse++
		case m.IsDecided:
			nBetter++
		}
	}
	valuesDiffer := slices.ContainsFunc(d.Values, func(v verdict.ValueDelta) bool { return v.NEqual != v.NPairs })
	if d.Total != nil && d.NPairs > 0 && d.Total.Ties == d.NPairs && nEqual == len(d.Metrics) && !valuesDiffer {
		return fmt.Sprintf("identical in total and in each of %s", format.Counted(len(d.Metrics), "metric"))
	}
	return fmt.Sprintf("difference shown in %d of %s (%d worse, %d better)", nWorse+nBetter, format.Counted(len(d.Metrics), "metric"), nWorse, nBetter)
}

// othersText counts the metrics that a table leaves out; empty if it lists all.
func (a Comparison) othersText(side int) string {
	all, listed, nEqual := a.Differences[side-1].Metrics, a.listed(side), 0
	for _, m := range all {
		if m.Wins+m.Losses == 0 && !slices.ContainsFunc(listed, func(l verdict.MetricDelta) bool { return l.Name == m.Name }) {
			nEqual++
		}
	}
	if len(listed) == len(all) {
		return ""
	}
	return fmt.Sprintf("not listed: %s without a difference of scores in these pairs, of which %d equal in every pair", format.Counted(len(all)-len(listed), "metric"), nEqual)
}

// differenceColumns returns the columns of the differences for programs.
func (a Comparison) differenceColumns() (list Columns) {
	for i := range a.Differences {
		of := strings.ToLower(sideName(i + 1))
		for _, name := range []string{of + "_pairs_a", of + "_pairs_" + of, of + "_difference", of + "_difference_lo", of + "_difference_hi", of + "_difference_p"} {
			list = append(list, Column{Name: name, For: ForData})
		}
	}
	return list
}

// totalRow returns the total scores and their differences as a row for programs.
func (a Comparison) totalRow() []any {
	row := []any{"total score"}
	for _, side := range a.Sides {
		row = append(row, defined(side.Estimates.Score.Value))
	}
	for _, d := range a.Differences {
		if d.Total == nil {
			row = append(row, nil, nil, nil, nil, nil, nil)
			continue
		}
		row = append(row, d.Total.Baseline, d.Total.Candidate, d.Total.MeanDelta, defined(d.Total.Interval.Lo), defined(d.Total.Interval.Hi), defined(d.Total.P))
	}
	return row
}

// differenceCells returns the differences of a metric for programs, with the mean scores over the pairs. A failed seed
// counts as 0 in these, and not in the mean scores of the sides.
func (a Comparison) differenceCells(metric string) (cells []any) {
	for _, d := range a.Differences {
		k := slices.IndexFunc(d.Metrics, func(m verdict.MetricDelta) bool { return m.Name == metric })
		if k < 0 {
			cells = append(cells, nil, nil, nil, nil, nil, nil)
			continue
		}
		m := d.Metrics[k]
		cells = append(cells, m.Baseline, m.Candidate, m.MeanDelta, defined(m.Interval.Lo), defined(m.Interval.Hi), m.PMaxT)
	}
	return cells
}
