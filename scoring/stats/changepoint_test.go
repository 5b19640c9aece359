package stats

import (
	"bufio"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
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

// A slide of 0.02 a value under noise of 0.01 has that slope; eight values in falling order have the exact p 2/8!.
func TestTrend(t *testing.T) {
	r := rng()
	var xs []float64
	for i := range 20 {
		xs = append(xs, 0.95-0.02*float64(i)+0.01*r.NormFloat64())
	}
	got, err := NewTrend(xs, 1)
	if err != nil || got.N != 20 || got.Rho > -0.97 || got.P > 0.001 || !near(got.Slope, -0.02, 0.002) || math.Abs(got.Lag1) > 0.5 {
		t.Errorf("%+v, error %v", got, err)
	}
	got, err = NewTrend([]float64{8, 7, 6, 5, 4, 3, 2, 1}, 1)
	if err != nil || got.Rho != -1 || !near(got.P, 2.0/40320, 1e-12) || got.Slope != -1 {
		t.Errorf("%+v, error %v", got, err)
	}
	got, err = NewTrend(make([]float64, 9), 1)
	if err != nil || got.P != 1 || got.Slope != 0 || got.Rho != 0 {
		t.Errorf("equal values: %+v, error %v", got, err)
	}
	if _, err := NewTrend(make([]float64, 7), 1); !errors.Is(err, ErrTooFew) {
		t.Errorf("7 values: error %v", err)
	}
}

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

// Columns hold the numbers of the generator of the standard library.
func TestStridesAgree(t *testing.T) {
	const rows = 50
	for _, n := range []int{1, 2, 3, 64, 157} {
		source := rand.NewPCG(7, streamSignFlip)
		want := make([]uint64, rows*n)
		for i := range want {
			want[i] = source.Uint64()
		}
		columns := newStrides(7, streamSignFlip, n)
		column := make([]uint64, rows)
		for c := range n {
			columns.next(column)
			for r, got := range column {
				if got != want[r*n+c] {
					t.Fatalf("%d columns: column %d has %d in row %d, want %d", n, c, got, r, want[r*n+c])
				}
			}
		}
	}
}
