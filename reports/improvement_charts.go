package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"track/reports/chart"
	"track/reports/document"
	"track/scoring/format"
	"track/scoring/verdict"
)

// forest shows the mean difference of each metric, the worst first.
func (d improvementReport) forest() []document.Block {
	i := d.Improvement
	if len(i.Metrics) == 0 {
		return nil
	}
	metrics := d.worstMetrics()
	interval := metrics[0].Interval
	c := chart.Forest{
		Title: "Change of the metrics of " + d.title(), XLabel: "mean difference of score, candidate minus baseline",
		Interval: format.Confidence(interval.Confidence) + " " + interval.Method + " interval",
	}
	for _, m := range metrics {
		row := chart.Difference{
			Estimate: chart.Estimate{Label: m.Name, N: i.NPairs, Mean: m.MeanDelta, Lo: m.Interval.Lo, Hi: m.Interval.Hi},
			Status:   chartStatuses[m.Status],
		}
		if !math.IsInf(m.Threshold, 0) {
			row.Loss = -m.Threshold
		}
		c.Rows = append(c.Rows, row)
	}
	alt := fmt.Sprintf("Mean difference of %s over %s; point comparison: %d PASS, %d WARN, %d FAIL.", format.Counted(len(metrics), "metric"), format.Counted(i.NPairs, "pair"), i.NPass, i.NWarn, i.NFail)
	return []document.Block{heading("Change of each metric"), document.Picture{Name: "forest", Alt: alt, Chart: c}}
}

// pairedScores are the total scores of one seed on both sides; NaN if it has no score.
type pairedScores struct {
	number              uint64
	baseline, candidate float64
}

// pairs returns the seeds that both sides have, by number.
func (d improvementReport) pairs() (list []pairedScores) {
	baseline := make(map[uint64]verdict.JudgedSeed, len(d.BaselineSeeds))
	for _, s := range d.BaselineSeeds {
		baseline[s.Number] = s
	}
	total := func(s verdict.JudgedSeed) float64 {
		if s.Failed != "" {
			return math.NaN()
		}
		return s.Total
	}
	for _, s := range d.CandidateSeeds {
		if other, both := baseline[s.Number]; both {
			list = append(list, pairedScores{s.Number, total(other), total(s)})
		}
	}
	slices.SortFunc(list, func(a, b pairedScores) int { return cmp.Compare(a.number, b.number) })
	return list
}

// paired shows what became of each seed.
func (d improvementReport) paired() []document.Block {
	i, pairs := d.Improvement, d.pairs()
	if len(pairs) == 0 {
		return nil
	}
	c := chart.Paired{
		Title: "Total scores by seed", XLabel: "seed", YLabel: unitOfScores, Lo: 0, Hi: 1,
		OnlyBaseline: len(i.Unmatched.Baseline), OnlyCandidate: len(i.Unmatched.Candidate),
	}
	t := columns("#seed", "#baseline", "#candidate", "#difference")
	for _, p := range pairs {
		c.Pairs = append(c.Pairs, chart.Pair{Label: fmt.Sprint(p.number), Baseline: p.baseline, Candidate: p.candidate})
		score := func(x float64) string {
			if math.IsNaN(x) {
				return "no score"
			}
			return format.Four(x)
		}
		zero := func(x float64) float64 {
			if math.IsNaN(x) {
				return 0
			}
			return x
		}
		t.Rows = append(t.Rows, []document.Text{
			cell("%d", p.number), document.T(score(p.baseline)), document.T(score(p.candidate)), document.T(format.Signed(zero(p.candidate) - zero(p.baseline))),
		})
	}
	wins := i.Total
	alt := fmt.Sprintf("Total scores of %s of seeds: the candidate is higher in %d, lower in %d, equal in %d", format.Counted(len(pairs), "pair"), wins.Wins, wins.Losses, wins.Ties)
	if candidate, baseline := len(i.Failed.Candidate), len(i.Failed.Baseline); candidate+baseline > 0 {
		alt += fmt.Sprintf("; a seed without a score counts as 0: candidate %d, baseline %d", candidate, baseline)
	}
	blocks := []document.Block{heading("Total score by seed"), document.Picture{Name: "pairs", Alt: alt + ".", Chart: c}}
	return append(blocks, foldedMost(t, 500, "pairs, seed by seed")...)
}

// foldedMost folds a table whole, and of a very long one the first rows alone.
func foldedMost(t document.Table, most int, what string) []document.Block {
	if left := len(t.Rows) - most; left > 0 {
		t.Rows = t.Rows[:most]
		what += fmt.Sprintf("; %d more are left out", left)
	}
	return folded(t, 0, what)
}
