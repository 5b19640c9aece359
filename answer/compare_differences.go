package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"track"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

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
