package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"track/scoring/stats"
)

// The levels of equal looks are 2(1-Φ(c)) of the constants in Jennison & Turnbull (2000), table 2.1: 2.178, 2.289,
// 2.361, 2.413 and 2.555 at 0.05 for 2, 3, 4, 5 and 10 looks; 2.772 and 2.986 at 0.01 for 2 and 5; 1.875 at 0.1 for 2.
func TestPocockAlpha(t *testing.T) {
	for _, c := range []struct {
		alpha float64
		n     []int
		want  float64
	}{
		{0.05, []int{10}, 0.05},
		{0.05, []int{10, 20}, 0.02939},
		{0.05, []int{10, 20, 30}, 0.02206},
		{0.05, []int{10, 20, 30, 40}, 0.01821},
		{0.05, []int{10, 20, 30, 40, 50}, 0.01581},
		{0.05, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.01061},
		{0.01, []int{30, 60}, 0.005570},
		{0.01, []int{1, 2, 3, 4, 5}, 0.002826},
		{0.1, []int{4, 8}, 0.06078},
	} {
		got := stats.PocockAlpha(c.alpha, c.n)
		if math.Abs(got-c.want) > 0.0035*c.want {
			t.Errorf("%v at %v: %v, want %v", c.n, c.alpha, got, c.want)
		}
	}
}

// Of looks at almost the same observations the first spends almost all, and looks far apart are nearly independent.
func TestPocockAlphaOfUnevenLooks(t *testing.T) {
	if got := stats.PocockAlpha(0.05, []int{999, 1000}); got < 0.045 || got > 0.05 {
		t.Errorf("looks at 999 and 1000: %v", got)
	}
	far := stats.PocockAlpha(0.05, []int{2, 20_000})
	if sidak := 1 - math.Sqrt(0.95); far < 0.025 || far > sidak+1e-4 {
		t.Errorf("looks at 2 and 20,000: %v, independent looks have %v", far, sidak)
	}
}

// The chance that any look rejects is alpha, in 40,000 walks with looks that are not evenly spaced.
func TestPocockAlphaKeepsAlpha(t *testing.T) {
	looks := []int{8, 10, 25, 60}
	z := math.Sqrt2 * math.Erfinv(1-stats.PocockAlpha(0.05, looks))
	r, rejected, walks := rand.New(rand.NewPCG(1, 2)), 0, 40_000
	for range walks {
		sum, n := 0.0, 0
		for _, look := range looks {
			for ; n < look; n++ {
				sum += r.NormFloat64()
			}
			if math.Abs(sum) > z*math.Sqrt(float64(n)) {
				rejected++
				break
			}
		}
	}
	if rate := float64(rejected) / float64(walks); rate < 0.046 || rate > 0.054 {
		t.Errorf("any of the looks rejects in %v", rate)
	}
}

func BenchmarkPocockAlpha(b *testing.B) {
	for b.Loop() {
		stats.PocockAlpha(0.05, []int{8, 10, 20, 30})
	}
}
