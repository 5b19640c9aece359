package verdict

import (
	"track/scoring/stats"
)

// Unpaired compares all seeds of both sides if too few of them are the same.
type Unpaired struct {
	NCandidate int            `json:"n_candidate"`
	NBaseline  int            `json:"n_baseline"`
	MeanDelta  float64        `json:"mean_delta"`
	Interval   stats.Interval `json:"ci"` // Welch
	P          float64        `json:"p"`  // Mann–Whitney, two-sided
	Method     string         `json:"method"`
}

// compareUnpaired gives the second best: all distinct seeds of both sides against each other. nil where a side has
// fewer than two.
func compareUnpaired(candidate, baseline []JudgedSeed, o Options) *Unpaired {
	a, b := totals(distinct(candidate)), totals(distinct(baseline))
	u := &Unpaired{NCandidate: len(a), NBaseline: len(b), Interval: undefined(o.Confidence, stats.MethodT)}
	u.Method = "different seeds: Welch t interval and Mann–Whitney test"
	ranks, err := stats.NewMannWhitney(a, b)
	if err != nil || len(a) < 2 || len(b) < 2 {
		return nil
	}
	u.P, u.MeanDelta = ranks.P.TwoSided, mean(a)-mean(b)
	if welch, err := stats.WelchT(a, b, 1-o.Alpha()); err == nil {
		u.Interval = welch.Interval
	}
	return u
}
