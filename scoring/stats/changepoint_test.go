package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// maxFalse is the most of n events of probability p that a test accepts: 4 standard errors more than expected.
func maxFalse(n int, p float64) int {
	return int(float64(n)*p + 4*math.Sqrt(float64(n)*p*(1-p)))
}

// Without any change at most 5 % of histories show one, under every distribution.
func TestHistoryFindsNoChangeWhereThereIsNone(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 16))
	const runs = 400
	for name, draw := range map[string]func() float64{
		"normal": r.NormFloat64, "exponential": r.ExpFloat64,
		"t with 3 degrees of freedom": func() float64 {
			z := r.NormFloat64()
			return r.NormFloat64() / math.Sqrt((2*r.ExpFloat64()+z*z)/3)
		},
		"Cauchy": func() float64 { return r.NormFloat64() / r.NormFloat64() },
		"ties":   func() float64 { return float64(r.IntN(3)) },
	} {
		found := 0
		for range runs {
			xs := make([]float64, 30)
			for i := range xs {
				xs[i] = draw()
			}
			h, err := NewHistory(xs, r.Uint64())
			fatal(t, err)
			if len(h.Points) > 0 {
				found++
			}
		}
		if found > maxFalse(runs, HistoryMaxP) {
			t.Errorf("%s: %d of %d histories without a change show one", name, found, runs)
		}
	}
}

// A shift of two standard deviations in the middle of 30 values is nearly always found.
func TestHistoryFindsShifts(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 16))
	found := 0
	for range 200 {
		xs := make([]float64, 30)
		for i := range xs {
			xs[i] = r.NormFloat64()
			if i >= 15 {
				xs[i] += 2
			}
		}
		h, err := NewHistory(xs, r.Uint64())
		fatal(t, err)
		if slices.ContainsFunc(h.Points, func(p ChangePoint) bool { return p.Index >= 12 && p.Index <= 18 }) {
			found++
		}
	}
	if found < 180 {
		t.Errorf("found %d of 200 shifts", found)
	}
}
