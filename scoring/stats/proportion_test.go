package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

// The sequence is the intersection of the interval after each score.
func TestBettingIntervalMakesTheSequence(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		scores := samples(t, rapid.OneOf(score, rapid.SampledFrom([]float64{0, 1})), 0, 30)
		c := confidence.Draw(t, "confidence")
		sequence, err := BettingSequence(scores, c)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := 0.0, 1.0
		for n := range len(scores) + 1 {
			i, err := BettingInterval(scores[:n], c)
			if err != nil || i.Confidence != c || i.Method != methodBetting {
				t.Fatalf("%+v, %v", i, err)
			}
			if n == 0 && (i.Lo != 0 || i.Hi != 1) {
				t.Fatalf("of no scores: %+v", i)
			}
			lo, hi = max(lo, i.Lo), min(hi, i.Hi)
			if n > 0 && (lo != sequence.Lo[n-1] || hi != sequence.Hi[n-1]) {
				t.Fatalf("after %d: [%v, %v], the sequence has [%v, %v]", n, lo, hi, sequence.Lo[n-1], sequence.Hi[n-1])
			}
		}
	})
}

// Bernoulli scores, looked at after every one: the chance that any interval misses the mean is at most alpha.
func TestBettingIntervalCoversAtAnyTime(t *testing.T) {
	const repetitions, n, truth = 500, 40, 0.9
	r := rng()
	width := 0.0
	missed := rate(repetitions, func() bool {
		var scores []float64
		missed := false
		for k := range n {
			x := 0.0
			if r.Float64() < truth {
				x = 1
			}
			scores = append(scores, x)
			if k%4 != 3 {
				continue
			}
			i, err := BettingInterval(scores, 0.8)
			fatal(t, err)
			missed = missed || !i.Contains(truth)
			if k == n-1 {
				width += (i.Hi - i.Lo) / repetitions
			}
		}
		return missed
	})
	wantAtMost(t, "missed at any of 10 looks", missed, 0.2, repetitions)
	if !(width > 0.05 && width < 0.35) { // [0, 1] would cover too
		t.Errorf("mean width %v after %d", width, n)
	}
}

func TestBettingIntervalRefuses(t *testing.T) {
	if _, err := BettingInterval([]float64{0.5, 1.1}, 0.95); !errors.Is(err, ErrOutOfRange) {
		t.Errorf("a score above 1: %v", err)
	}
	if _, err := BettingInterval(nil, 1); !errors.Is(err, ErrBadParam) {
		t.Errorf("confidence 1: %v", err)
	}
}

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

// The p-values are of R 4: fisher.test(matrix(c(k, n-k, all-k, size-n-all+k), 2))$p.value and pf(f, df1, df2,
// lower=FALSE).
func TestFisherExact(t *testing.T) {
	for _, c := range []struct {
		k, n, all, size int
		want            float64
	}{
		{60, 60, 120, 360, 6.17722662806224e-35},
		{25, 60, 120, 360, 0.136783768499291},
		{0, 3, 2, 9, 0.5},
		{3, 3, 3, 6, 0.1},
		{5, 10, 5, 40, 0.000382974067184593},
		{1, 4, 7, 12, 0.222222222222222},
		{0, 5, 0, 10, 1},
		{300, 5000, 500, 20000, 2.79394923717316e-63},
	} {
		if got := FisherExact(c.k, c.n, c.all, c.size); !near(got, c.want, 1e-9*c.want) {
			t.Errorf("%d of %d, %d of %d: %v, want %v", c.k, c.n, c.all, c.size, got, c.want)
		}
	}
}

func TestFTest(t *testing.T) {
	for _, c := range []struct{ f, df1, df2, want float64 }{
		{1, 1, 1, 0.5},
		{3.5, 2, 10, 0.0704296277723743},
		{0.2, 4, 234, 0.938174320834235},
		{40, 26, 9, 1.57541865649255e-06},
		{2.2, 1.5, 30, 0.139205481662772},
	} {
		if got := FTest(c.f, c.df1, c.df2); !near(got, c.want, 1e-10*c.want) {
			t.Errorf("F(%v, %v) = %v: %v, want %v", c.df1, c.df2, c.f, got, c.want)
		}
	}
}

// The p-values are of R 4: mantelhaen.test.
func TestMantelHaenszel(t *testing.T) {
	for _, c := range []struct {
		strata []Table
		want   float64
	}{
		{[]Table{{8, 10, 9, 30}, {5, 10, 6, 30}, {0, 10, 1, 20}}, 2.88939742681858e-05},
		{[]Table{{2, 10, 4, 20}, {3, 10, 6, 20}}, 1},
		{[]Table{{1, 10, 9, 30}, {0, 5, 2, 10}}, 0.069190299541944},
		{[]Table{{10, 10, 10, 10}, {1, 1, 1, 1}, {}}, 1}, // nothing to compare with
	} {
		if got := MantelHaenszel(c.strata); !near(got, c.want, 1e-10*c.want) {
			t.Errorf("%v: %v, want %v", c.strata, got, c.want)
		}
	}
}

// Of the six pairs of {1, 2, 3} and {0, 1.5}, 1 < 1.5 alone is lost: 5/6. The shares of the second group below each
// of the first are 1/2, 1, 1 with variance 1/12, and of the first above each of the second 1 and 2/3 with variance
// 1/18: the variance of the area is 1/36 + 1/36.
func TestAUC(t *testing.T) {
	a, err := NewAUC([]float64{1, 2, 3}, []float64{0, 1.5}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	half := 1.959963984540054 * math.Sqrt(1./18)
	if math.Abs(a.Value-5./6) > 1e-12 || math.Abs(a.Interval.Lo-(5./6-half)) > 1e-12 || a.Interval.Hi != 1 {
		t.Errorf("%+v, want 5/6 ± %v, cut at 1", a, half)
	}
	if a, err := NewAUC([]float64{2, 3}, []float64{0, 1}, 0.95); err != nil || a.Value != 1 || len(a.Warnings) != 2 {
		t.Errorf("fully separated: %+v, %v; want two warnings", a, err)
	}
	if a, err := NewAUC([]float64{2}, []float64{0, 1}, 0.95); err != nil || a.Interval.Defined() {
		t.Errorf("one value: %+v, %v; want no interval", a, err)
	}
	if _, err := NewAUC(nil, []float64{0, 1}, 0.95); !errors.Is(err, ErrEmpty) {
		t.Errorf("an empty group: %v", err)
	}
}

// Swapping the groups mirrors area and interval, and the area is the probability of improvement of unpaired samples.
func TestAUCProperties(t *testing.T) {
	values := rapid.SliceOfN(rapid.Float64Range(-3, 3), 2, 12)
	property.Check(t, func(t *rapid.T) {
		x, y := values.Draw(t, "x"), values.Draw(t, "y")
		a, err := NewAUC(x, y, 0.9)
		b, errB := NewAUC(y, x, 0.9)
		p, errP := NewProbImprovementUnpaired(x, y)
		if err != nil || errB != nil || errP != nil {
			t.Fatal(err, errB, errP)
		}
		if math.Abs(a.Value+b.Value-1) > 1e-12 || math.Abs(a.Interval.Lo-(1-b.Interval.Hi)) > 1e-9 {
			t.Fatalf("%+v and %+v", a, b)
		}
		if math.Abs(a.Value-p.Value) > 1e-12 || !a.Interval.Contains(a.Value) {
			t.Fatalf("%+v, probability %v", a, p.Value)
		}
	})
}
