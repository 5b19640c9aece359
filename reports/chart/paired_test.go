package chart

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestThinned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d Paired
		most, least := math.Inf(-1), math.Inf(1)
		scored := 0
		state := rapid.Uint64().Draw(t, "state")
		random := func() float64 {
			state = state*6364136223846793005 + 1442695040888963407
			return float64(state>>11) / (1 << 53)
		}
		for range rapid.IntRange(0, 400).Draw(t, "pairs") {
			p := Pair{Baseline: random(), Candidate: random()}
			if random() < 0.1 {
				p.Candidate = math.NaN()
			} else {
				scored++
				most, least = max(most, p.Candidate-p.Baseline), min(least, p.Candidate-p.Baseline)
			}
			d.Pairs = append(d.Pairs, p)
		}
		drawn := d.thinned()
		if len(d.Pairs) <= maxPairs {
			if len(drawn) != len(d.Pairs) {
				t.Errorf("%d of %d pairs are drawn", len(drawn), len(d.Pairs))
			}
			return
		}
		if len(drawn) != min(scored, maxPairs) {
			t.Fatalf("%d of %d pairs with two scores are drawn", len(drawn), scored)
		}
		first, last := drawn[0], drawn[len(drawn)-1]
		if first.Candidate-first.Baseline != least || last.Candidate-last.Baseline != most {
			t.Errorf("from %v to %v, the extremes are %v and %v", first, last, least, most)
		}
		for i, p := range drawn {
			if !slices.Contains(d.Pairs, p) || i > 0 && p.Candidate-p.Baseline < drawn[i-1].Candidate-drawn[i-1].Baseline {
				t.Errorf("pair %v is new or out of order", p)
			}
		}
	})
}

func TestDirection(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		baseline, candidate float64
		want                direction
	}{
		{1, 2, higher}, {2, 1, lower}, {1, 1, equal}, {nan, 1, onesided}, {1, nan, onesided}, {nan, nan, onesided}, {1, math.Inf(1), onesided},
	}
	for _, tt := range tests {
		if got := (Pair{Baseline: tt.baseline, Candidate: tt.candidate}).direction(); got != tt.want {
			t.Errorf("from %v to %v: %s, want %s", tt.baseline, tt.candidate, directions[got].name, directions[tt.want].name)
		}
	}
}
