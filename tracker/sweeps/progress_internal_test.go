package sweeps

import (
	"math"
	"testing"

	"track"
	"track/store"
)

// A seed without a score counts as 0; the last step has all seeds, and its interval is the narrowest.
func TestScoresSoFar(t *testing.T) {
	t.Parallel()
	rows := []store.Seed{{TotalScore: math.NaN()}}
	for k := range 100 {
		rows = append(rows, store.Seed{TotalScore: 0.5 + 0.1*float64(k%3-1)})
	}
	list, err := scoresSoFar(rows)
	if err != nil || len(list) != shownSteps {
		t.Fatalf("%d steps, %v", len(list), err)
	}
	last, middle := list[shownSteps-1], list[shownSteps/2]
	if last.N != 101 || math.Abs(last.Mean-49.9/101) > 1e-12 { // 0, and 34 scores of 0.4, 33 of 0.5 and of 0.6
		t.Errorf("last step %+v", last)
	}
	if last.Interval.Hi-last.Interval.Lo >= middle.Interval.Hi-middle.Interval.Lo {
		t.Errorf("the interval does not shrink: %+v, then %+v", middle.Interval, last.Interval)
	}
	if list, err := scoresSoFar(nil); err != nil || len(list) != 0 {
		t.Errorf("without seeds: %+v, %v", list, err)
	}
}

// The rule looks at the first of the planned seeds without a gap, and a seed without a score counts as 0.
func TestStopRuleSoFar(t *testing.T) {
	t.Parallel()
	p, err := parsePrecision("se<0.01")
	if err != nil {
		t.Fatal(err)
	}
	planned := track.SeedRanges{{First: 1, Last: 20}}
	var rows []store.Seed
	for n := range 20 {
		row := store.Seed{Number: track.SeedNumber(20 - n), TotalScore: 0.5 + 0.1*float64(n%2)}
		if n == 15 { // seed 5
			row.TotalScore = math.NaN()
		}
		rows = append(rows, row)
	}
	for _, tt := range []struct {
		rows []store.Seed
		want string
	}{
		{rows, "se is 0.0296, not less than 0.01, from 20 seeds, 1 of them failed and counted as 0"},
		{rows[5:], "se is 0.0389, not less than 0.01, from 15 seeds, 1 of them failed and counted as 0"},
		{rows[:19], ""}, // seed 1 is missing
		{rows[11:], ""}, // 9 seeds are too few for a look
	} {
		if got, err := p.soFar(tt.rows, planned); got != tt.want || err != nil {
			t.Errorf("%d rows: %q, %v, not %q", len(tt.rows), got, err, tt.want)
		}
	}
}
