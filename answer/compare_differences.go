package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

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
	Confidence float64                `json:"confidence"`
	Test       string                 `json:"test"` // that says which metrics differ
}

// NewSideDifference returns what a comparison of two sides shows.
func NewSideDifference(i verdict.Improvement) SideDifference {
	return SideDifference{
		NPairs: i.NPairs, Unmatched: i.Unmatched, Failed: i.Failed, Total: i.Total, Metrics: i.Metrics, Confidence: i.Confidence, Test: i.MetricTest(),
	}
}

// maxUndecided is how many metrics without a difference a table shows, so that it fits on a screen.
const maxUndecided = 10

// differenceTable shows the total score and the metrics whose difference the pairs show, and then those nearest to one.
func (a Comparison) differenceTable(side int) Table {
	d, first, other := a.Differences[side-1], sideName(0), sideName(side)
	t := Table{
		Name: "difference_" + other, Title: fmt.Sprintf("mean scores over %s, and the difference %s − %s", format.Counted(d.NPairs, "pair"), other, first), HiddenIfEmpty: true,
		Columns: Columns{
			{Name: "metric"}, {Name: "first", Head: first}, {Name: "other", Head: other}, {Name: "difference"},
			{Name: "interval", Head: format.Confidence(d.Confidence) + " interval"}, {Name: "p"}, {Name: "shown", Head: " "},
		}.drop("p", "first", "other"),
		Notes: a.differenceNotes(side),
	}
	if d.Total != nil {
		t.Rows = append(t.Rows, differenceRow("total score", d.Total.Baseline, d.Total.Candidate, d.Total.MeanDelta, d.Total.Interval, d.Total.P, totalChange(*d.Total)))
	}
	shown, _, _ := d.sorted()
	for _, m := range shown {
		t.Rows = append(t.Rows, differenceRow(m.Name, m.Baseline, m.Candidate, m.MeanDelta, m.Interval, m.PMaxT, ChangeText(m)))
	}
	return t
}

func differenceRow(name string, first, other, difference float64, interval stats.Interval, p float64, change string) []any {
	return []any{name, first, other, numberCell(difference, format.Signed), intervalCell(interval, format.Signed), numberCell(p, format.PValue), change}
}

// totalChange is [ChangeText] of the total score, whose interval holds alone.
func totalChange(t verdict.TotalDelta) string {
	switch i := t.Interval; {
	case i.Defined() && i.Lo > 0:
		return "better"
	case i.Defined() && i.Hi < 0:
		return "worse"
	}
	return "~"
}

// sorted returns the metrics that a table shows, those that it leaves out without a difference, and those that are
// equal in all pairs.
func (d SideDifference) sorted() (shown []verdict.MetricDelta, undecided, equal []string) {
	list := slices.Clone(d.Metrics)
	slices.SortStableFunc(list, func(a, b verdict.MetricDelta) int {
		return cmp.Or(cmp.Compare(a.PMaxT, b.PMaxT), cmp.Compare(math.Abs(b.MeanDelta), math.Abs(a.MeanDelta)))
	})
	nUndecided := 0
	for _, m := range list {
		switch {
		case m.Wins+m.Losses == 0:
			equal = append(equal, m.Name)
		case !m.IsDecided && nUndecided == maxUndecided:
			undecided = append(undecided, m.Name)
		default:
			if shown = append(shown, m); !m.IsDecided {
				nUndecided++
			}
		}
	}
	return shown, undecided, equal
}

func (a Comparison) differenceNotes(side int) (notes []Sentence) {
	d, first, other := a.Differences[side-1], sideName(0), sideName(side)
	add := func(text string, args ...any) {
		notes = append(notes, Sentence{Kind: Note, Text: fmt.Sprintf(text, args...), Joined: len(notes) > 0})
	}
	if d.NPairs == 0 {
		add("%s and %s have no seed in common, so there is no paired difference", first, other)
		return notes
	}
	_, undecided, equal := d.sorted()
	if len(undecided) > 0 {
		add("no difference shown, and left out: %s", shortList(undecided))
	}
	if len(equal) > 0 {
		add("equal in every pair: %s", shortList(equal))
	}
	if only := numberTexts(d.Unmatched.Baseline); len(only) > 0 {
		add("%s only in %s, in no pair: %s", format.Counted(len(only), "seed"), first, shortList(only))
	}
	if only := numberTexts(d.Unmatched.Candidate); len(only) > 0 {
		add("%s only in %s, in no pair: %s", format.Counted(len(only), "seed"), other, shortList(only))
	}
	failed := append(failedTexts(d.Failed.Baseline), failedTexts(d.Failed.Candidate)...)
	if len(failed) > 0 {
		add("%s without a score, which count as 0: %s", format.Counted(len(failed), "seed"), shortList(failed))
	}
	add("~: the pairs show no difference. The intervals of the metrics hold for all %d together (%s); that of the total score holds alone. p of metrics: %s.",
		len(d.Metrics), format.Confidence(d.Confidence), d.Test)
	return notes
}

// differenceColumns returns the columns of the differences for programs.
func (a Comparison) differenceColumns() (list Columns) {
	for i := range a.Differences {
		for _, part := range []string{"", "_lo", "_hi", "_p"} {
			list = append(list, Column{Name: strings.ToLower(sideName(i+1)) + "_difference" + part, For: ForData})
		}
	}
	return list
}

// differenceCells returns the differences of a metric for programs.
func (a Comparison) differenceCells(metric string) (cells []any) {
	for _, d := range a.Differences {
		k := slices.IndexFunc(d.Metrics, func(m verdict.MetricDelta) bool { return m.Name == metric })
		if k < 0 {
			cells = append(cells, nil, nil, nil, nil)
			continue
		}
		m := d.Metrics[k]
		cells = append(cells, m.MeanDelta, defined(m.Interval.Lo), defined(m.Interval.Hi), m.PMaxT)
	}
	return cells
}
