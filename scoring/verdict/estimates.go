package verdict

import (
	"fmt"
	"math"

	"track/scoring"
	"track/scoring/stats"
)

// Estimates are the aggregates of the seeds of one configuration with their intervals. What cannot be estimated is NaN.
type Estimates struct {
	NSeeds, NScored, NPassed int
	Mean                     float64 // of the total scores, 0..1
	MeanInterval             stats.Interval
	SD                       float64 // sample standard deviation of the total scores
	SDInterval               stats.Interval
	PassRate                 float64 // NPassed / NSeeds
	PassRateInterval         stats.Interval
	Combined                 float64 // with the population standard deviation, see [scoring.CombinedScore]
	CombinedInterval         stats.Interval
	Coverage                 Coverage
	Warnings                 []Warning
}

// NewEstimates computes the estimates of a stability aggregate.
func NewEstimates(s scoring.Stability, confidence float64) Estimates {
	summary := Summary(s.SeedTotals)
	e := Estimates{
		NSeeds: s.NSeeds, NScored: s.Score.N, NPassed: s.NPassed,
		Mean: s.Score.Mean, MeanInterval: summary.MeanInterval(confidence),
		SD: summary.SD(), SDInterval: summary.SDInterval(confidence),
		PassRate: s.PassRate, PassRateInterval: undefined(confidence, stats.MethodWilson),
		Combined: s.CombinedScore, CombinedInterval: summary.CombinedInterval(s.NPassed, s.NSeeds, confidence),
	}
	if rate, err := stats.Wilson(s.NPassed, s.NSeeds, confidence); err == nil {
		e.PassRateInterval = rate.Interval
	}
	e.Warnings = seedWarnings(s.SeedTotals, summary)
	return e
}

// Summary is what the intervals of the total scores need of the totals.
func Summary(t scoring.SeedTotals) stats.Summary {
	return stats.Summary{
		N: t.Score.N, Mean: t.Score.Mean, PopulationSD: t.Score.Std,
		Constant: t.Score.N > 0 && t.Score.Min == t.Score.Max, NSaturated: t.NSaturated,
	}
}

// MetricSummary is what the intervals of the scores of a metric need of its totals.
func MetricSummary(m scoring.MetricTotals) stats.Summary {
	return stats.Summary{N: m.Score.N, Mean: m.Score.Mean, PopulationSD: m.Score.Std, Constant: m.Score.N > 0 && m.Score.Min == m.Score.Max}
}

func undefined(confidence float64, method string) stats.Interval {
	return stats.Interval{Lo: math.NaN(), Hi: math.NaN(), Confidence: confidence, Method: method}
}

// Codes of warnings beyond those of package stats.
const (
	WarnNoSeeds        = "no_seeds"
	WarnNoScores       = "no_scores"
	WarnFailedSeeds    = "failed_seeds"
	WarnIdenticalSeeds = "identical_seeds"
)

func seedWarnings(t scoring.SeedTotals, summary stats.Summary) []Warning {
	var list []Warning
	add := func(code, format string, args ...any) {
		list = append(list, Warning{code, fmt.Sprintf(format, args...)})
	}
	switch {
	case t.NSeeds == 0:
		add(WarnNoSeeds, "there are no seeds")
		return list
	case t.Score.N == 0:
		add(WarnNoScores, "none of the %d seeds has a score", t.NSeeds)
	case t.Score.N < t.NSeeds:
		add(WarnFailedSeeds, "%d of %d seeds have no score: they count as not passed, and enter no mean", t.NSeeds-t.Score.N, t.NSeeds)
	}
	if t.NIdentical > 0 {
		add(WarnIdenticalSeeds, "%d of %d seeds repeat exactly what another seed measured: does the simulation use its seed?", t.NIdentical, t.NSeeds)
	}
	for _, w := range summary.Warnings() {
		switch {
		case w == stats.WarnSmallN && summary.N == 0:
		case w == stats.WarnSmallN:
			add(string(w), "n = %d is too small: the true spread may be many times the one shown", summary.N)
		case w == stats.WarnSaturated:
			add(string(w), "%d of %d total scores are exactly 0 or 1: differences beyond these limits are not seen", summary.NSaturated, summary.N)
		default:
			add(string(w), "%s", w.Message())
		}
	}
	return list
}
