package stats

import (
	"bufio"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// The vectors come from testdata/spearman.py.
func TestSpearmanVectors(t *testing.T) {
	file, err := os.Open("testdata/spearman.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		var v struct {
			X, Y      []float64
			Rho       float64
			Lo, Hi, P *float64
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		s, err := NewSpearman(v.X, v.Y, 0.95, 1)
		if err != nil {
			t.Fatalf("vector %d: %v", n, err)
		}
		if !near(s.Rho, v.Rho, 1e-12) || s.N != len(v.X) {
			t.Errorf("vector %d: rho %v of %d, want %v of %d", n, s.Rho, s.N, v.Rho, len(v.X))
		}
		if s.Interval.Defined() != (v.Lo != nil) || v.Lo != nil && (!near(s.Interval.Lo, *v.Lo, 1e-9) || !near(s.Interval.Hi, *v.Hi, 1e-9)) {
			t.Errorf("vector %d: interval %v, want %v to %v", n, s.Interval, v.Lo, v.Hi)
		}
		if v.P != nil && !near(s.P, *v.P, 1e-9) {
			t.Errorf("vector %d: p %v, want %v", n, s.P, *v.P)
		}
	}
	if n < 10 {
		t.Errorf("%d vectors", n)
	}
}

// Drawn permutations agree with the t approximation where both are good.
func TestSpearmanDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		x, y := make([]float64, 60), make([]float64, 60)
		for i := range x {
			x[i] = rng.NormFloat64()
			y[i] = 0.2*x[i] + rng.NormFloat64()
		}
		s, err := NewSpearman(x, y, 0.95, 1)
		if err != nil || math.Abs(s.P-s.tApproximation()) > 0.02 {
			t.Errorf("p %v, t approximation %v, error %v", s.P, s.tApproximation(), err)
		}
	}
}

// The interval covers the correlation of a bivariate normal: ρ_S = 6/π·asin(ρ/2).
func TestSpearmanIntervalCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, rho := range []float64{0, 0.4, 0.8} {
		want, covered := 6/math.Pi*math.Asin(rho/2), 0
		const runs, n = 1000, 101 // no permutations are drawn
		for range runs {
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i] = rng.NormFloat64()
				y[i] = rho*x[i] + math.Sqrt(1-rho*rho)*rng.NormFloat64()
			}
			s, err := NewSpearman(x, y, 0.95, 1)
			if err != nil {
				t.Fatal(err)
			}
			if s.Interval.Contains(want) {
				covered++
			}
		}
		if covered < 920 || covered > 980 {
			t.Errorf("rho %v: %d of %d intervals cover it, want about 950", rho, covered, runs)
		}
	}
}

func TestSpearmanRefuses(t *testing.T) {
	if _, err := NewSpearman([]float64{1, 2}, []float64{1, 2}, 0.95, 1); !errors.Is(err, ErrTooFew) {
		t.Errorf("two pairs: %v", err)
	}
	if _, err := NewSpearman([]float64{1, 1, 1}, []float64{1, 2, 3}, 0.95, 1); !errors.Is(err, ErrZeroVariance) {
		t.Errorf("equal values: %v", err)
	}
	if _, err := NewSpearman([]float64{1, 2, math.NaN()}, []float64{1, 2, 3}, 0.95, 1); err == nil {
		t.Error("NaN is accepted")
	}
}
