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
			h, err := NewHistory(xs, HistoryMaxP, r.Uint64())
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
		h, err := NewHistory(xs, HistoryMaxP, r.Uint64())
		fatal(t, err)
		if slices.ContainsFunc(h.Points, func(p ChangePoint) bool { return p.Index >= 12 && p.Index <= 18 }) {
			found++
		}
	}
	if found < 180 {
		t.Errorf("found %d of 200 shifts", found)
	}
}

// A change that is shown comes with a warning in about 10 % of independent histories with a shift, and in at least a
// third of autocorrelated ones without any. 4 standard errors of 100 histories at 10 % are 0.12.
func TestHistoryWarnsOfDependentPoints(t *testing.T) {
	warned := func(correlation, shift float64) (share float64, shown int) {
		r, n := rand.New(rand.NewPCG(7, 16)), 0
		for range 100 {
			xs, state := make([]float64, 60), 0.0
			for i := range xs {
				state = correlation*state + math.Sqrt(1-correlation*correlation)*r.NormFloat64()
				if xs[i] = state; i >= 30 {
					xs[i] += shift
				}
			}
			h, err := NewHistory(xs, HistoryMaxP, 1)
			fatal(t, err)
			if len(h.Points) == 0 {
				continue
			}
			shown++
			if slices.Contains(h.Warnings, warnDependent) {
				n++
			}
		}
		return float64(n) / float64(shown), shown
	}
	if share, shown := warned(0, 2); share > 0.1+0.12 || shown < 90 {
		t.Errorf("independent: %v of %d shown changes have a warning", share, shown)
	}
	if share, shown := warned(0.4, 0); share < 1./3 || shown < 5 {
		t.Errorf("autocorrelated: %v of %d shown changes have a warning", share, shown)
	}
}
