package verdict_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"track/scoring"
	"track/scoring/verdict"
)

// Of 66 correlated metrics every other one changes. In at most 5 % of comparisons one of the others is called changed,
// and in at most 5 % the intervals do not hold all changes together, with heavy tails and with ties. 4 standard errors
// of 100 comparisons at 5 % are 0.087. Before the correction for 66 metrics, both happen in half of them.
func TestManyMetricsTogether(t *testing.T) {
	const runs, n, metrics, shift = 100, 8, 66, 0.15
	spec := scoring.Spec{Scenario: "s"}
	for k := range metrics {
		spec.Metrics = append(spec.Metrics, scoring.Metric{Name: fmt.Sprint(k), Weight: 1, Target: scoring.Range{Max: 1}})
	}
	heavy := func(r *rand.Rand, x float64) float64 { return 0.05 * x / max(0.1, math.Abs(r.NormFloat64())) }
	tied := func(_ *rand.Rand, x float64) float64 { return 0.15 * math.Round(x) }
	for name, deviation := range map[string]func(*rand.Rand, float64) float64{"heavy tails": heavy, "ties": tied} {
		r := rng()
		side := func(by float64) []verdict.JudgedSeed {
			list := make([]verdict.JudgedSeed, n)
			for i := range list {
				common, scores := r.NormFloat64(), make([]float64, metrics)
				for k := range scores {
					x := deviation(r, (common+r.NormFloat64())/math.Sqrt2)
					scores[k] = 0.5 + max(-0.3, min(0.3, x)) + by*float64(k%2)
				}
				list[i] = verdict.JudgedSeed{Number: uint64(i), Passed: true, Total: scores[0], Scores: scores}
			}
			return list
		}
		wrong, missed := 0, 0
		for range runs {
			i, err := verdict.Compare(spec, side(shift), side(0), options())
			fatal(t, err)
			isWrong, isMissed := false, false
			for k, m := range i.Metrics {
				isWrong = isWrong || k%2 == 0 && m.IsDecided
				isMissed = isMissed || !m.Interval.Contains(shift*float64(k%2))
			}
			if isWrong {
				wrong++
			}
			if isMissed {
				missed++
			}
		}
		if most := 0.137 * runs; float64(wrong) > most || float64(missed) > most {
			t.Errorf("%s: of %d comparisons %d call a metric changed that is not, and in %d an interval misses", name, runs, wrong, missed)
		}
	}
}
