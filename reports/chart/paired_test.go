package chart

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

func TestThinned(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		var d Paired
		most, least := math.Inf(-1), math.Inf(1)
		state := rapid.Uint64().Draw(t, "state")
		random := func() float64 {
			state = state*6364136223846793005 + 1442695040888963407
			return float64(state>>11) / (1 << 53)
		}
		for range rapid.IntRange(0, 400).Draw(t, "pairs") {
			p := Pair{Label: whole(len(d.Pairs)), Baseline: random(), Candidate: random()}
			if random() < 0.1 {
				p.Candidate = math.NaN()
			}
			most, least = max(most, p.change()), min(least, p.change())
			d.Pairs = append(d.Pairs, p)
		}
		drawn := d.thinned()
		if len(d.Pairs) <= maxPairs {
			if len(drawn) != len(d.Pairs) {
				t.Errorf("%d of %d pairs are drawn", len(drawn), len(d.Pairs))
			}
			return
		}
		if len(drawn) != maxPairs {
			t.Fatalf("%d of %d pairs are drawn", len(drawn), len(d.Pairs))
		}
		first, last := drawn[0], drawn[len(drawn)-1]
		if first.change() != least || last.change() != most {
			t.Errorf("from %v to %v, the extremes are %v and %v", first, last, least, most)
		}
		for i, p := range drawn {
			known := func(other Pair) bool { return other.Label == p.Label }
			if !slices.ContainsFunc(d.Pairs, known) || i > 0 && p.change() < drawn[i-1].change() {
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
		{1, 2, higher}, {2, 1, lower}, {1, 1, equal}, {nan, 1, higher}, {1, nan, lower}, {nan, nan, equal}, {0, nan, equal}, {1, math.Inf(1), lower}, // no score counts as 0
	}
	for _, tt := range tests {
		if got := (Pair{Baseline: tt.baseline, Candidate: tt.candidate}).direction(); got != tt.want {
			t.Errorf("from %v to %v: %s, want %s", tt.baseline, tt.candidate, directions[got].name, directions[tt.want].name)
		}
	}
}

func TestPairsWithoutScore(t *testing.T) {
	nan := math.NaN()
	d := Paired{Pairs: []Pair{{"1", 0.5, 0.6}, {"2", 0.5, nan}, {"3", nan, 0.5}, {"4", nan, nan}, {"5", 0.5, nan}}}
	const want = "candidate higher 2, candidate lower 2, equal 1, baseline without a score 2, candidate without a score 3; a side without a score counts as 0."
	f := d.figure()
	if f.facts[1] != want {
		t.Errorf("%s\nwant %s", f.facts[1], want)
	}
	var names []string
	for _, e := range f.legend[1:] {
		names = append(names, e.name)
	}
	if got := strings.Join(names, ", "); !strings.HasPrefix(want, got+";") {
		t.Errorf("the legend has %s", got)
	}
	if f.y.lo < 0.4 || f.floor == 0 {
		t.Errorf("scores are drawn from %v on, with a lane of %v: what has no score belongs into a lane, not among the scores", f.y.lo, f.floor)
	}
}
