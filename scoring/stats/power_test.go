package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"track/scoring/stats"
)

// The power that a plan states is the share of experiments in which both the t interval and the sign-flip test decide,
// within 2 points. It was 17 points less for a t test alone at n = 6.
func TestPowerOfBothTests(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		alpha float64
		n     int
		runs  int
	}{
		{0.05, 6, 3000}, {0.05, 7, 3000}, {0.05, 8, 2500}, {0.05, 10, 2000}, {0.05, 14, 1000}, {0.05, 20, 250}, {0.05, 30, 500},
		{0.0125, 8, 2500}, {0.0125, 9, 2000}, {0.0125, 12, 1500}, {0.01, 8, 2500},
	} {
		design := stats.Design{Alpha: c.alpha, Alternative: stats.TwoSided, Confirmed: true}
		for _, power := range []float64{0.8, 0.5} {
			dz, err := design.DetectableDz(c.n, power)
			if err != nil {
				t.Fatal(err)
			}
			decided := 0
			for range c.runs {
				if bothDecide(t, r, c.n, dz, c.alpha) {
					decided++
				}
			}
			got := float64(decided) / float64(c.runs)
			if off := math.Abs(got - power); off > 0.02+4*math.Sqrt(power*(1-power)/float64(c.runs)) {
				t.Errorf("n = %d, alpha %v: power %v at dz %.3f, want %v", c.n, c.alpha, got, dz, power)
			}
		}
	}
}

// bothDecide says whether both tests find n differences above 0, which are normal with mean dz and sd 1.
func bothDecide(t *testing.T, r *rand.Rand, n int, dz, alpha float64) bool {
	t.Helper()
	d := make([]float64, n)
	for i := range d {
		d[i] = dz + r.NormFloat64()
	}
	interval, err := stats.TInterval(d, 1-alpha)
	if err != nil {
		t.Fatal(err)
	}
	if interval.Lo <= 0 {
		return false
	}
	flip, err := stats.SignFlip(d, 1)
	if err != nil {
		t.Fatal(err)
	}
	return flip.P.Greater <= alpha/2
}

// A plan never asks for fewer pairs than the exact test needs, however large the effect is.
func TestSeedsNeededByBothTests(t *testing.T) {
	pilot := []float64{0.01, -0.01, 0.02, 0, 0.005}
	for alpha, least := range map[float64]int{0.05: 6, 0.1: 5, 0.025: 7, 0.01: 8, 0.001: 11} {
		plan, err := stats.Design{Alpha: alpha, Alternative: stats.TwoSided, Confirmed: true}.SeedsFromPilot(pilot, 1, 0.8)
		if err != nil || plan.N != least || stats.LeastPairs(alpha) != least {
			t.Errorf("alpha %v: %d pairs, least %d, want %d; error %v", alpha, plan.N, stats.LeastPairs(alpha), least, err)
		}
	}
}
