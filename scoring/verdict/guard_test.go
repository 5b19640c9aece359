package verdict

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// A larger win, and a tie that becomes a win, never take a PASS of the bound away.
func TestWinsNeverTakeAPassAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		difference := rapid.SampledFrom([]float64{-1, -0.3, -0.05, -0.01, 0, 0, 0, 0.01, 0.05, 0.3})
		d := rapid.SliceOfN(difference, 6, 40).Draw(t, "differences")
		threshold := rapid.SampledFrom([]float64{0.05, 0.084, 0.125, 0.25}).Draw(t, "threshold")
		before, err := boundLoss(d, threshold, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if i := rapid.IntRange(0, len(d)-1).Draw(t, "which"); d[i] >= 0 {
				d[i] = max(d[i], rapid.Float64Range(0.001, 1).Draw(t, "win"))
			}
		}
		after, err := boundLoss(d, threshold, 0.95)
		if err != nil || before.passes && !after.passes {
			t.Fatalf("more wins take the PASS away: %+v, before %+v (%v): %v", after, before, err, d)
		}
	})
}

// A guard that breaks in as many seeds as it may passes in at most 5 % of runs, if the other pairs are ties and if they
// look like noise.
func TestGuardThatBreaksPassesInFewRuns(t *testing.T) {
	const runs, loss = 500, 0.084 // base 0.25, weight 3: a little above the threshold 0.25/3
	rng := rand.New(rand.NewPCG(16, 9))
	for _, noise := range []float64{0, 0.05} {
		for _, n := range []int{6, 10, 20, 35} {
			passed := 0
			for range runs {
				d := make([]float64, n)
				for i := range d {
					if d[i] = noise * rng.NormFloat64(); rng.Float64() < loss {
						d[i] = -1
					}
				}
				b, err := boundLoss(d, 0.25/3, 0.95)
				if err != nil {
					t.Fatal(err)
				}
				if b.passes {
					passed++
				}
			}
			if limit := 0.05 + 4*math.Sqrt(0.05*0.95/runs); float64(passed)/runs > limit {
				t.Errorf("%d pairs, noise %v: %d of %d runs pass falsely, want at most %.1f %%", n, noise, passed, runs, 100*limit)
			}
		}
	}
}
