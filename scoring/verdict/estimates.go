package verdict

import (
	"fmt"
	"math"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/numeric"
	"track/scoring/stats"
)

// Estimate is a number computed from seeds, with its interval.
type Estimate struct {
	Value    float64        `json:"value"` // NaN if it does not exist
	N        int            `json:"n"`     // seeds that it was computed from
	Interval stats.Interval `json:"ci"`

	Assumption Assumption `json:"assumption,omitzero"` // of the interval, beyond independent seeds
}

// Estimates are the aggregates of the seeds of one configuration with their intervals.
type Estimates struct {
	NSeeds     int      `json:"n_seeds"`
	NScored    int      `json:"n_scored"`
	NPassed    int      `json:"n_passed"`
	Confidence float64  `json:"confidence"`
	Score      Estimate `json:"score"`                   // mean total score, 0..1; a failed seed counts as 0
	OfRan      Estimate `json:"score_of_seeds_that_ran"` // without those
	SD         Estimate `json:"sd"`                      // sample standard deviation of the total scores
	PassRate   Estimate `json:"pass_rate"`               // passed seeds / all seeds
	Combined   Estimate `json:"combined"`                // with the population standard deviation, see [scoring.combinedScore]

	// UnseenShare is the largest share of failing seeds that none of NSeeds would show with probability 1 - Confidence:
	// 1 - (1-Confidence)^(1/NSeeds). Nothing that is assumed can be checked beyond it. It is 1 if there are no seeds.
	UnseenShare float64 `json:"unseen_share"`
}

// newEstimates computes the estimates of a stability aggregate.
func newEstimates(s scoring.Stability, confidence float64) Estimates {
	totals := s.Totals()
	summary, all := summary(totals), summary(totals.WithFailures())
	e := Estimates{
		NSeeds: s.NSeeds, NScored: s.NScored, NPassed: s.NPassed, Confidence: confidence,
		Score:    Estimate{all.Mean, s.NSeeds, all.ScoreInterval(confidence), assumesNormalMean},
		OfRan:    Estimate{totals.Score.Mean, s.NScored, summary.ScoreInterval(confidence), assumesNormalMean},
		SD:       Estimate{summary.SD(), s.NScored, summary.ScoreSDInterval(confidence), assumesVisibleTail},
		PassRate: Estimate{math.NaN(), s.NSeeds, undefined(confidence, stats.MethodClopperEnds), AssumesNothing},
		Combined: Estimate{math.NaN(), s.NScored, summary.CombinedInterval(s.NPassed, s.NSeeds, confidence), assumesVisibleTail},

		UnseenShare: unseenShare(s.NSeeds, confidence),
	}
	if s.NScored < stats.SmallN || summary.Constant {
		e.OfRan.Assumption, e.SD.Assumption = AssumesNothing, AssumesNothing
	}
	if s.NSeeds < stats.SmallN || all.Constant {
		e.Score.Assumption = AssumesNothing
	}
	if s.CombinedScore != nil {
		e.Combined.Value = *s.CombinedScore
	}
	if rate, err := stats.ClopperPearsonEnds(s.NPassed, s.NSeeds, confidence); err == nil {
		e.PassRate.Value, e.PassRate.Interval = rate.Value, rate.Interval
	}
	return e
}

// unseenShare is the largest share of seeds that none of n shows with probability 1 - confidence.
func unseenShare(n int, confidence float64) float64 {
	if n == 0 {
		return 1
	}
	return 1 - numeric.Pow(1-confidence, 1/float64(n))
}

// summary is what the intervals of the total scores need of the totals.
func summary(t scoring.SeedTotals) stats.Summary {
	return stats.Summary{
		N: t.Score.N, Mean: t.Score.Mean, PopulationSD: t.Score.Std,
		Constant: t.Score.N > 0 && t.Score.Min == t.Score.Max, NSaturated: t.NSaturated, Min: t.Score.Min, Max: t.Score.Max,
		Skewness: t.Shape.Skewness, Kurtosis: t.Shape.Kurtosis,
	}
}

func undefined(confidence float64, method string) stats.Interval {
	return stats.Interval{Lo: math.NaN(), Hi: math.NaN(), Confidence: confidence, Method: method}
}

// Codes of warnings beyond those of package stats.
const (
	warnNoSeeds        = "no_seeds"
	warnNoScores       = "no_scores"
	WarnFailedSeeds    = "failed_seeds"
	warnIdenticalSeeds = "identical_seeds"
)

func seedWarnings(t scoring.SeedTotals) []Warning {
	summary := summary(t)
	var list []Warning
	add := func(code, text string, args ...any) {
		list = append(list, Warning{code, fmt.Sprintf(text, args...)})
	}
	switch {
	case t.NSeeds == 0:
		add(warnNoSeeds, "there are no seeds")
		return list
	case t.Score.N == 0:
		add(warnNoScores, "%s without a score", format.Counted(t.NSeeds, "seed"))
	case t.Score.N < t.NSeeds:
		failed := t.NSeeds - t.Score.N
		add(WarnFailedSeeds, "%s %s no score, %s as not passed, with score 0, and %s left out of the score of seeds that ran", format.CountedOf(failed, t.NSeeds, "seed"),
			format.Verb(failed, "has", "have"), format.Verb(failed, "counts", "count"), format.Verb(failed, "is", "are"))
	}
	if t.NIdentical > 0 {
		add(warnIdenticalSeeds, "%s %s exactly what another seed measured: %s count, each once; does the simulation use its seed?",
			format.CountedOf(t.NIdentical, t.NSeeds+t.NIdentical, "seed"), format.Verb(t.NIdentical, "repeats", "repeat"), format.Counted(t.NSeeds, "distinct seed"))
	}
	for _, w := range summary.Warnings() {
		switch {
		case w == stats.WarnSmallN && summary.N == 0:
		case w == stats.WarnSmallN:
			add(string(w), "n = %d is small: the true spread may be many times the one shown", summary.N)
		case w == stats.WarnSaturated:
			add(string(w), "%s %s exactly 0 or 1: differences beyond these limits do not show",
				format.CountedOf(summary.NSaturated, summary.N, "total score"), format.Verb(summary.N, "is", "are"))
		default:
			add(string(w), "%s", w.Message())
		}
	}
	return list
}
