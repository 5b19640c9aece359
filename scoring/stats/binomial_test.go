package stats

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

// binomialAtMost sums the terms exactly.
func binomialAtMost(k, n int, p float64) float64 {
	success := new(big.Rat)
	success.SetFloat64(p)
	failure := new(big.Rat).Sub(big.NewRat(1, 1), success)
	sum := new(big.Rat)
	for i := range k + 1 {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(i)))
		for j := range n {
			if j < i {
				term.Mul(term, success)
			} else {
				term.Mul(term, failure)
			}
		}
		sum.Add(sum, term)
	}
	x, _ := sum.Float64()
	return x
}

func TestBinomialAtMost(t *testing.T) {
	for _, n := range []int{1, 2, 5, 10, 30} {
		for k := range n + 1 {
			for _, p := range []float64{1. / 1024, 0.1, 0.5, 0.8, 0.95, 1023. / 1024} {
				got, want := BinomialAtMost(k, n, p), binomialAtMost(k, n, p)
				if math.Abs(got-want) > 1e-11*want {
					t.Errorf("P(X ≤ %d) of %d at %v: %v, want %v", k, n, p, got, want)
				}
			}
		}
	}
	for _, c := range []struct {
		k, n    int
		p, want float64
	}{{0, 0, 0.5, 1}, {3, 3, 0.9, 1}, {0, 3, 0, 1}, {2, 3, 1, 0}, {3, 3, 1, 1}, {0, 3, 0.9, 0.1 * 0.1 * 0.1}} {
		if got := BinomialAtMost(c.k, c.n, c.p); !near(got, c.want, 1e-15) {
			t.Errorf("P(X ≤ %d) of %d at %v: %v, want %v", c.k, c.n, c.p, got, c.want)
		}
	}
}

// The lower bound is where k or more successes have probability alpha, the upper one where k or fewer do.
func TestBinomialAtMostIsDualToClopperPearson(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1000).Draw(t, "n")
		k := rapid.IntRange(0, n-1).Draw(t, "k")
		alpha := rapid.Float64Range(0.001, 0.4).Draw(t, "alpha")
		more, err := ClopperPearsonLower(k+1, n, 1-alpha)
		if err != nil || !near(1-BinomialAtMost(k, n, more.Interval.Lo), alpha, 1e-8) {
			t.Fatalf("%d of %d: lower bound %+v at %v, %v", k+1, n, more, alpha, err)
		}
		failures, err := ClopperPearsonLower(n-k, n, 1-alpha)
		upper := 1 - failures.Interval.Lo
		if err != nil || !near(BinomialAtMost(k, n, upper), alpha, 1e-8) {
			t.Fatalf("%d of %d: upper bound %v at %v, %v", k, n, upper, alpha, err)
		}
		if rate := rapid.Float64Range(0, 1).Draw(t, "rate"); math.Abs(rate-upper) > 1e-6 && (BinomialAtMost(k, n, rate) <= alpha) != (rate > upper) {
			t.Fatalf("%d of %d, rate %v, upper bound %v: p = %v at %v", k, n, rate, upper, BinomialAtMost(k, n, rate), alpha)
		}
	})
}
