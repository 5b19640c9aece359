package sweeps

import (
	"math"
	"testing"

	"track/store"
)

// Seeds without a score are left out; the last step has all scores, and its interval is the narrowest.
func TestScoresSoFar(t *testing.T) {
	t.Parallel()
	rows := []store.SeedScore{{TotalScore: math.NaN()}}
	for k := range 100 {
		rows = append(rows, store.SeedScore{TotalScore: 0.5 + 0.1*float64(k%3-1)})
	}
	list, err := scoresSoFar(rows)
	if err != nil || len(list) != shownSteps {
		t.Fatalf("%d steps, %v", len(list), err)
	}
	last, middle := list[shownSteps-1], list[shownSteps/2]
	if last.N != 100 || math.Abs(last.Mean-0.499) > 1e-12 { // 34 scores of 0.4, 33 of 0.5 and of 0.6
		t.Errorf("last step %+v", last)
	}
	if last.Interval.Hi-last.Interval.Lo >= middle.Interval.Hi-middle.Interval.Lo {
		t.Errorf("the interval does not shrink: %+v, then %+v", middle.Interval, last.Interval)
	}
	if list, err := scoresSoFar(nil); err != nil || len(list) != 0 {
		t.Errorf("without seeds: %+v, %v", list, err)
	}
}
