package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestBoundedMeanPOfZerosIsAPower(t *testing.T) {
	for _, n := range []int{1, 2, 6, 10, 35, 59, 300} {
		for _, limit := range []float64{0.01, 0.25 / 3, 0.25, 0.5, 0.9} {
			got, err := BoundedMeanP(make([]float64, n), 1, limit)
			if want := math.Pow(1-limit, float64(n)); err != nil || math.Abs(got-want) > 1e-9*want+1e-15 {
				t.Errorf("n = %d, limit %v: p %v, want (1-limit)^n = %v (%v)", n, limit, got, want, err)
			}
		}
	}
}

func TestBoundedMeanPOfTwoValuesIsClopperPearson(t *testing.T) {
	for _, n := range []int{3, 10, 30, 200} {
		for k := 0; k < n; k += max(1, n/7) {
			xs := make([]float64, n)
			for i := range k {
				xs[i] = 1
			}
			for _, limit := range []float64{0.05, 0.3, 0.6} {
				got, err := BoundedMeanP(xs, 1, limit)
				if want := BinomialAtMost(k, n, limit); err != nil || math.Abs(got-want) > 1e-9 {
					t.Errorf("%d of %d, limit %v: p %v, want that of the binomial test, %v (%v)", k, n, limit, got, want, err)
				}
			}
		}
	}
}

// An independent way to the same number: weights drawn from the simplex.
func TestBoundedMeanPAgreesWithDraws(t *testing.T) {
	const draws = 200_000
	r := rand.New(rand.NewPCG(1, 2))
	for _, xs := range [][]float64{
		{0.1, -0.2, 0.05, 0.3, -0.4, 0}, {-0.3, -0.3, -0.3, 0.9}, {0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.5, -1, -0.5, 0, 0},
	} {
		for _, limit := range []float64{-0.1, 0.05, 0.2} {
			hits := 0
			for range draws {
				sum := r.ExpFloat64() * (1 - limit)
				for _, x := range xs {
					sum += r.ExpFloat64() * (x - limit)
				}
				if sum >= 0 {
					hits++
				}
			}
			got, err := BoundedMeanP(xs, 1, limit)
			want := float64(hits) / draws
			if err != nil || math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/draws) {
				t.Errorf("%v, limit %v: p %v, %v by %d draws (%v)", xs, limit, got, want, draws, err)
			}
		}
	}
}

func TestBoundedMeanFallsWithEachValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 40).Draw(t, "values")
		limit := rapid.Float64Range(-0.5, 0.9).Draw(t, "limit")
		before, err := BoundedMeanP(xs, 1, limit)
		if err != nil || before < 0 || before > 1 {
			t.Fatalf("p %v (%v)", before, err)
		}
		i := rapid.IntRange(0, len(xs)-1).Draw(t, "which")
		xs[i] = rapid.Float64Range(-1, xs[i]).Draw(t, "lower")
		after, err := BoundedMeanP(xs, 1, limit)
		if err != nil || after > before+1e-9 {
			t.Errorf("a lower value raised p from %v to %v (%v)", before, after, err)
		}
	})
}

// TestBoundedMeanOfTinyValues: the squares of the values, or of what divides by them, may be beyond float64.
func TestBoundedMeanOfTinyValues(t *testing.T) {
	for _, tiny := range []float64{1e-17, 1e-100, 1e-163, 1e-300, 5e-324} {
		for _, c := range []struct {
			xs                   []float64
			largest, limit, want float64
		}{
			{[]float64{0}, 1, tiny, 1},
			{[]float64{-tiny, tiny, 0}, 1, tiny, 1},
			{[]float64{tiny, 0.5, -tiny}, 1, 2 * tiny, 1},
			{[]float64{-0.5}, tiny, 0, 0},
			{[]float64{-1, -tiny, 0}, tiny, 0, 0},
			{[]float64{0, 0, 0}, 2 * tiny, tiny, 0.125},
		} {
			got, err := BoundedMeanP(c.xs, c.largest, c.limit)
			if err != nil || !(math.Abs(got-c.want) < 1e-7) {
				t.Errorf("%v, largest %v, limit %v: p %v, want %v (%v)", c.xs, c.largest, c.limit, got, c.want, err)
			}
		}
	}
}

func TestBoundedMeanUpper(t *testing.T) {
	for _, c := range []struct {
		n    int
		want float64 // 1 - 0.05^(1/n)
	}{{10, 0.2589}, {34, 0.0843}, {35, 0.0820}, {59, 0.0495}} {
		got, err := BoundedMeanUpper(make([]float64, c.n), -1, 1, 0.95)
		if err != nil || math.Abs(got.Hi-c.want) > 5e-5 || got.Lo != -1 || got.Method != MethodBoundedMean {
			t.Errorf("%d zeros: %+v, want an upper end of %v (%v)", c.n, got, c.want, err)
		}
	}
	for _, x := range []float64{-0.9, 0, 0.3, 0.99} { // equal values, and almost equal ones, whose bound is searched for
		equal, err := BoundedMeanUpper(slices.Repeat([]float64{x}, 40), -1, 1, 0.95)
		fatal(t, err)
		almost, err := BoundedMeanUpper(append(slices.Repeat([]float64{x}, 39), x-1e-9), -1, 1, 0.95)
		if err != nil || math.Abs(equal.Hi-almost.Hi) > 1e-6 {
			t.Errorf("40 values of %v: %v and %v (%v)", x, equal.Hi, almost.Hi, err)
		}
	}
	if _, err := BoundedMeanUpper([]float64{0.5, 2}, -1, 1, 0.95); !errors.Is(err, ErrBadParam) {
		t.Errorf("a value above the largest: %v", err)
	}
	if got, err := BoundedMeanP([]float64{0.1, 0.2}, 0.5, 0.6); err != nil || got != 0 {
		t.Errorf("no value can reach the limit: p %v (%v), want 0", got, err)
	}
	if got, err := BoundedMeanP([]float64{0.7, 0.9}, 1, 0.6); err != nil || got != 1 {
		t.Errorf("every value is above the limit: p %v (%v), want 1", got, err)
	}
}
