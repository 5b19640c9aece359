package seeds

import (
	"context"
	"slices"

	"track/scoring/stats"
	"track/scoring/verdict"
	"track/store"
)

// neighboursOfBaseline is how many configurations on each side a baseline is compared with.
const neighboursOfBaseline = 10

// warnOddBaseline adds a warning if the baseline stands out from the configurations around it that have its parameters.
// The candidate is none of them: it is what the comparison is about.
func (c *Compared) warnOddBaseline(ctx context.Context, r *store.Reader, spec specInUse) error {
	all, _, err := r.Configurations(ctx, c.baseline.Scenario, allConfigurations)
	if err != nil {
		return err
	}
	baseline, candidate := c.baseline.Configurations[0], c.candidate.Configurations[0].ID
	like := slices.DeleteFunc(all, func(o store.Configuration) bool { return o.Params != baseline.Params || o.ID == candidate })
	at := slices.IndexFunc(like, func(o store.Configuration) bool { return o.ID == baseline.ID })
	if at < 0 {
		return nil
	}
	from := max(0, at-neighboursOfBaseline)
	around := like[from:min(len(like), at+neighboursOfBaseline+1)]
	totals, err := historyTotals(ctx, r, spec, around)
	if err != nil {
		return err
	}
	points := make([]verdict.HistoryPoint, len(around))
	for i, t := range totals {
		score := t.WithFailures().Score
		s := stats.Summary{N: score.N, Mean: score.Mean, PopulationSD: score.Std}
		points[i] = verdict.HistoryPoint{N: s.N, Mean: s.Mean, SD: s.SD()}
	}
	if w := verdict.OddBaseline(points[at-from], slices.Delete(slices.Clone(points), at-from, at-from+1)); w != nil {
		c.Warnings = append(c.Warnings, *w)
	}
	return nil
}
