package stats

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

// Equal scores c show a limit m as soon as half of (c/m)ⁿ, and what the other bets won, make 20: at .87 against .8
// that is 41 scores, where no valid method needs fewer than 36.
func TestMeanAtLeastOfEqualScores(t *testing.T) {
	reaches := func(n int, c, limit float64) bool {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = c
		}
		bound, err := MeanAtLeast(xs, 0.95)
		fatal(t, err)
		return bound.Lo >= limit
	}
	for _, c := range []struct {
		score, limit float64
		n            int
	}{{0.87, 0.8, 41}, {1, 0.9, 33}, {1, 0.8, 16}} {
		if !reaches(c.n, c.score, c.limit) || reaches(c.n-1, c.score, c.limit) {
			t.Errorf("%v against %v: not %d scores", c.score, c.limit, c.n)
		}
		if least := math.Log(20) / math.Log(c.score/c.limit); float64(c.n) > least+math.Ln2/math.Log(c.score/c.limit)+1 {
			t.Errorf("%v against %v: %d scores, the limit is %v", c.score, c.limit, c.n, least)
		}
	}
}

// An implementation of its own: the capital, bet by bet, in logarithms.
func TestMeanAtLeastIsTheRootOfTheCapital(t *testing.T) {
	capital := func(xs []float64, m float64) float64 {
		sum := 0.0
		for k := 1; k <= 39; k += 2 {
			log := 0.0
			for _, x := range xs {
				log += math.Log1p(float64(k) / 40 * (x/m - 1))
			}
			sum += math.Exp(log) / 40
		}
		bold := 0.5
		for _, x := range xs {
			bold *= x / m
		}
		return sum + bold
	}
	property.Check(t, func(t *rapid.T) {
		xs := samples(t, rapid.Float64Range(0, 1), 1, 40)
		c := confidence.Draw(t, "confidence")
		bound, err := MeanAtLeast(xs, c)
		if err != nil {
			t.Fatal(err)
		}
		if got := capital(xs, bound.Lo) * (1 - c); bound.Lo > 1e-8 && math.Abs(got-1) > 1e-6 {
			t.Errorf("at the bound %v the capital is %v times its threshold", bound.Lo, got)
		}
		if upper, err := MeanAtMost(mirror(xs), c); err != nil || math.Abs(upper.Hi-(1-bound.Lo)) > 1e-12 || upper.Lo != 0 {
			t.Errorf("mirrored: %+v, %v", upper, err)
		}
	})
}

// The chance that the bound is ever above the mean is at most alpha, also for the distributions that are worst: rare
// catastrophes under a high score.
func TestMeanAtLeastKeepsItsLevelAtAnyTime(t *testing.T) {
	const repetitions, n = 1_000, 40
	for name, c := range map[string]struct {
		mean float64
		draw func(*rand.Rand) float64
	}{
		"Bernoulli .95": {0.95, func(r *rand.Rand) float64 { return certain(r.Float64() < 0.95) }},
		"Bernoulli .5":  {0.5, func(r *rand.Rand) float64 { return certain(r.Float64() < 0.5) }},
		"2 % at 0":      {0.98 * 0.87, func(r *rand.Rand) float64 { return 0.87 * certain(r.Float64() < 0.98) }},
		"uniform":       {0.5, func(r *rand.Rand) float64 { return r.Float64() }},
	} {
		r := rng()
		wrong := rate(repetitions, func() bool {
			xs := make([]float64, 0, n)
			for range n {
				xs = append(xs, c.draw(r))
				if logMixture(xs, c.mean) >= math.Log(20) { // as the bound, which is slower to compute
					return true
				}
			}
			return false
		})
		wantAtMost(t, name, wrong, 0.05, repetitions)
	}
}

func TestMeanAtLeastRefuses(t *testing.T) {
	for _, f := range []func([]float64, float64) (Interval, error){MeanAtLeast, MeanAtMost} {
		if _, err := f([]float64{0.5, 1.1}, 0.95); !errors.Is(err, ErrOutOfRange) {
			t.Errorf("a score above 1: %v", err)
		}
		if _, err := f(nil, 1); !errors.Is(err, ErrBadParam) {
			t.Errorf("confidence 1: %v", err)
		}
		if i, err := f(nil, 0.95); err != nil || i.Lo != 0 || i.Hi != 1 {
			t.Errorf("of no scores: %+v, %v", i, err)
		}
	}
}

func BenchmarkMeanAtLeast(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		xs := normals(rng(), n)
		for i := range xs {
			xs[i] /= 30
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := MeanAtLeast(xs, 0.95); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
