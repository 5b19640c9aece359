package scoring

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track/internal/property"
)

func at(x float64) *float64 { return &x }

// lookup finds series in a map, as a seed has them.
func lookup(series map[string][]float64) func(string) ([]float64, bool) {
	return func(name string) ([]float64, bool) {
		x, ok := series[name]
		return x, ok
	}
}

// TestReduce: each reducer on numbers small enough to reckon by hand.
func TestReduce(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	series := lookup(map[string][]float64{
		"x":     {2, 4, 4, 4, 5, 5, 7, 9}, // mean 5, deviations -3 -1 -1 -1 0 0 2 4, sum of squares 32, of cubes -27-3+8+64 = 42
		"y":     {1, 2, 2, 2, 2.5, 2.5, 3.5, 4.5},
		"down":  {9, 7, 5, 3},
		"line":  {1, 3, 5, 7, 9}, // 2 per period
		"gap":   {1, nan, 5, 7, nan, 11},
		"first": {nan, 4, 6, 8, 10},
		"far":   {1, 2, 3, 4, 100}, // quartiles 2 and 4, fences at 1.5 IQR: -1 and 7
		"one":   {3},
		"inf":   {1, inf},
	})
	for _, c := range []struct {
		name      string
		reduction Reduction
		want      float64
	}{
		{"mean", Reduction{Series: "x", Reduce: ReduceMean}, 5},
		{"mean after skip", Reduction{Series: "x", Skip: 6, Reduce: ReduceMean}, 8},
		{"mean of one", Reduction{Series: "one", Reduce: ReduceMean}, 3},
		{"mean of infinity", Reduction{Series: "inf", Reduce: ReduceMean}, inf},
		{"std", Reduction{Series: "x", Reduce: reduceStd}, 2}, // √(32/8)
		{"std of one", Reduction{Series: "one", Reduce: reduceStd}, 0},
		{"std of infinity", Reduction{Series: "inf", Reduce: reduceStd}, nan},
		{"sample_std", Reduction{Series: "x", Reduce: reduceSampleStd}, math.Sqrt(32. / 7)},
		{"min", Reduction{Series: "x", Reduce: reduceMin}, 2},
		{"max", Reduction{Series: "down", Skip: 1, Reduce: reduceMax}, 7},
		{"last", Reduction{Series: "down", Reduce: reduceLast}, 3},
		{"sum", Reduction{Series: "x", Reduce: reduceSum}, 40},
		{"count", Reduction{Series: "x", Skip: 3, Reduce: reduceCount}, 5},
		{"median, even", Reduction{Series: "x", Reduce: reduceMedian}, 4.5},
		{"median, odd", Reduction{Series: "far", Reduce: reduceMedian}, 3},
		{"quantile 0", Reduction{Series: "down", Reduce: reduceQuantile, Q: 0}, 3},
		{"quantile 1", Reduction{Series: "down", Reduce: reduceQuantile, Q: 1}, 9},
		{"quantile 0.1", Reduction{Series: "down", Reduce: reduceQuantile, Q: 0.1}, 3.6}, // 0.1·3 steps of 2 above 3
		{"skewness", Reduction{Series: "x", Reduce: reduceSkewness}, 42. / 8 / 8},        // m2 = 4, so m2^1.5 = 8
		{"cv", Reduction{Series: "x", Reduce: reduceCV}, 0.4},
		{"slope", Reduction{Series: "line", Reduce: reduceSlope}, 2},
		{"slope after skip", Reduction{Series: "down", Skip: 1, Reduce: reduceSlope}, -2},
		// Deviations of down: 3 1 -1 -3; products at lag 1: 3 -1 3 = 5, at lag 2: -3 -3 = -6, over 20.
		{"autocorrelation 1", Reduction{Series: "down", Reduce: reduceAutocorrelation, Lag: 1}, 0.25},
		{"autocorrelation 2", Reduction{Series: "down", Reduce: reduceAutocorrelation, Lag: 2}, -0.3},
		{"pearson of a multiple", Reduction{Series: "x", With: "y", Reduce: reducePearson}, 1},
		{"pearson", Reduction{Series: "line", With: "far", Reduce: reducePearson}, 400 / math.Sqrt(40*7610)}, // far: mean 22
		{
			"pearson without outliers", // of far, 100 goes
			Reduction{Series: "line", With: "far", Reduce: reducePearson, DropOutliers: at(1.5)}, 1,
		},
		{"fraction_between", Reduction{Series: "x", Reduce: ReduceFractionBetween, Min: at(4), Max: at(5)}, 5. / 8},
		{"fraction_between, strict", Reduction{Series: "x", Reduce: ReduceFractionBetween, Min: at(4), Max: at(7), Strict: true}, 2. / 8},
		{"fraction from min", Reduction{Series: "x", Reduce: ReduceFractionBetween, Min: at(5)}, 4. / 8},
		{"fraction above min", Reduction{Series: "x", Reduce: ReduceFractionBetween, Min: at(5), Strict: true}, 2. / 8},
		{"fraction below max", Reduction{Series: "x", Reduce: ReduceFractionBetween, Max: at(5), Strict: true}, 4. / 8},
		{"fraction with infinity", Reduction{Series: "inf", Reduce: ReduceFractionBetween, Min: at(0), Strict: true}, 1},
		{"outliers beyond bounds", Reduction{Series: "x", Reduce: ReduceOutlierFraction, Min: at(4), Max: at(7)}, 2. / 8},
		{"outliers beyond the fences", Reduction{Series: "far", Reduce: ReduceOutlierFraction, IQRFactor: at(1.5)}, 1. / 5},
		{"outliers on the fence", Reduction{Series: "line", Reduce: ReduceOutlierFraction, IQRFactor: at(0.5)}, 0}, // [1, 9]
		{"ratio_of_means", Reduction{Series: "x", With: "down", Skip: 2, Reduce: reduceRatioOfMeans}, 34. / 6 / 4},

		{"NaN", Reduction{Series: "gap", Reduce: ReduceMean}, nan},
		{"NaN in count", Reduction{Series: "gap", Reduce: reduceCount}, nan},
		{"NaN in the other series", Reduction{Series: "line", With: "first", Reduce: reducePearson, NaN: NaNFail}, nan},
		{"NaN within skip", Reduction{Series: "first", Skip: 1, Reduce: ReduceMean}, 7},
		{"NaN skipped", Reduction{Series: "gap", Reduce: ReduceMean, NaN: NaNSkip}, 6},
		{"NaN skipped by count", Reduction{Series: "gap", Reduce: reduceCount, NaN: NaNSkip}, 4},
		{"NaN skipped by slope", Reduction{Series: "gap", Reduce: reduceSlope, NaN: NaNSkip}, 2}, // times stay
		// Deviations from 6: -5, -1, 1, 5 at times 0, 2, 3, 5; the one pair at lag 1 is (2, 3): -1 over 52.
		{"NaN skipped by autocorrelation", Reduction{Series: "gap", Reduce: reduceAutocorrelation, Lag: 1, NaN: NaNSkip}, -1. / 52},
		{"NaN skipped in pairs", Reduction{Series: "first", With: "line", Reduce: reducePearson, NaN: NaNSkip}, 1},
		{"NaN skipped on its own side", Reduction{Series: "line", With: "first", Reduce: reduceRatioOfMeans, NaN: NaNSkip}, 5. / 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			if problems := c.reduction.problems(); len(problems) > 0 {
				t.Fatalf("problems %v", problems)
			}
			got, reason := c.reduction.Compute(series)
			if reason != "" || !near(got, c.want) {
				t.Errorf("got %v %q, want %v", got, reason, c.want)
			}
		})
	}
}

// TestReduceNothing: what cannot be computed has a reason, and NaN for a value.
func TestReduceNothing(t *testing.T) {
	nan := math.NaN()
	series := lookup(map[string][]float64{
		"empty": {}, "one": {3}, "two": {1, 2}, "flat": {0.1, 0.1, 0.1}, "zero": {-1, 1}, "nan": {nan, nan}, "nearly": {nan, 1},
	})
	for _, c := range []struct {
		name      string
		reduction Reduction
		want      string
	}{
		{"unknown series", Reduction{Series: "x", Reduce: ReduceMean}, `no series "x"`},
		{"unknown other series", Reduction{Series: "two", With: "x", Reduce: reducePearson}, `no series "x"`},
		{"empty", Reduction{Series: "empty", Reduce: reduceCount}, `series "empty": has no points`},
		{"all skipped", Reduction{Series: "two", Skip: 2, Reduce: reduceSum}, `series "two": has 2 points, and skip leaves out 2`},
		{"other skipped", Reduction{Series: "two", With: "one", Skip: 1, Reduce: reduceRatioOfMeans}, `series "one": has 1 points, and skip leaves out 1`},
		{"only NaN", Reduction{Series: "nan", Reduce: reduceMax, NaN: NaNSkip}, `series "nan": has only NaN`},
		{"only NaN, autocorrelation", Reduction{Series: "nan", Reduce: reduceAutocorrelation, Lag: 1, NaN: NaNSkip}, `series "nan": has only NaN`},
		{"only NaN below", Reduction{Series: "two", With: "nan", Reduce: reduceRatioOfMeans, NaN: NaNSkip}, `series "two": has only NaN`},
		{"sample_std of one", Reduction{Series: "one", Reduce: reduceSampleStd}, `series "one": has 1 points, and sample_std needs 2`},
		{"skewness of a constant", Reduction{Series: "flat", Reduce: reduceSkewness}, `series "flat": is constant`},
		{"cv around 0", Reduction{Series: "zero", Reduce: reduceCV}, `series "zero": its mean is 0`},
		{"slope of one", Reduction{Series: "nearly", Reduce: reduceSlope, NaN: NaNSkip}, `series "nearly": has 1 points, and slope needs 2`},
		{"long lag", Reduction{Series: "two", Reduce: reduceAutocorrelation, Lag: 2}, `series "two": has 2 points, and lag 2 needs 3`},
		{"autocorrelation of a constant", Reduction{Series: "flat", Reduce: reduceAutocorrelation, Lag: 1}, `series "flat": is constant`},
		{"pearson of unlike lengths", Reduction{Series: "two", With: "flat", Skip: 1, Reduce: reducePearson}, `series "two": has 2 points, and "flat" has 3`},
		{"pearson of one pair", Reduction{Series: "nearly", With: "two", Reduce: reducePearson, NaN: NaNSkip}, `series "nearly": has 1 pairs with "two", and pearson needs 2`},
		{"pearson of no pair", Reduction{Series: "nan", With: "two", Reduce: reducePearson, NaN: NaNSkip, DropOutliers: at(1.5)}, `series "nan": has 0 pairs with "two", and pearson needs 2`},
		{"pearson of a constant", Reduction{Series: "flat", With: "flat", Reduce: reducePearson}, `series "flat": is constant`},
		{"pearson with a constant", Reduction{Series: "two", With: "same", Reduce: reducePearson}, `series "two": "same" is constant`},
		{"ratio to 0", Reduction{Series: "two", With: "zero", Reduce: reduceRatioOfMeans}, `series "two": the mean to divide by is 0`},
	} {
		t.Run(c.name, func(t *testing.T) {
			value, reason := c.reduction.Compute(func(name string) ([]float64, bool) {
				if name == "same" {
					return []float64{4, 4}, true
				}
				return series(name)
			})
			if reason != c.want || !math.IsNaN(value) {
				t.Errorf("got %v %q, want NaN %q", value, reason, c.want)
			}
		})
	}
}

// TestReductionProblems lists the fields that a mistake is reported at.
func TestReductionProblems(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name      string
		reduction Reduction
		want      []string
	}{
		{"nothing", Reduction{Series: "x", Reduce: ReduceMean}, nil},
		{"no series", Reduction{Series: " ", Reduce: ReduceMean}, []string{"series"}},
		{"no reducer", Reduction{Series: "x"}, []string{"reduce"}},
		{"unknown reducer", Reduction{Series: "x", Reduce: "average", Q: 3}, []string{"reduce"}}, // of its fields nothing is known
		{"negative skip", Reduction{Series: "x", Skip: -1, Reduce: ReduceMean}, []string{"skip"}},
		{"skip beyond float64", Reduction{Series: "x", Skip: 1<<53 + 1, Reduce: ReduceMean}, []string{"skip"}},
		{"rules for NaN", Reduction{Series: "x", Reduce: ReduceMean, NaN: NaNFail}, nil},
		{"unknown rule for NaN", Reduction{Series: "x", Reduce: ReduceMean, NaN: "drop"}, []string{"nan"}},
		{"fields of others", Reduction{
			Series: "x", Reduce: ReduceMean, Q: 0.5, Lag: 1, With: "y", DropOutliers: at(1), Min: at(0), Max: at(1), Strict: true, IQRFactor: at(1),
		}, []string{"q", "lag", "with", "drop_outliers", "min", "max", "strict", "iqr_factor"}},
		{"q 0", Reduction{Series: "x", Reduce: reduceQuantile}, nil},
		{"q above 1", Reduction{Series: "x", Reduce: reduceQuantile, Q: 1.5}, []string{"q"}},
		{"q is NaN", Reduction{Series: "x", Reduce: reduceQuantile, Q: nan}, []string{"q"}},
		{"no lag", Reduction{Series: "x", Reduce: reduceAutocorrelation}, []string{"lag"}},
		{"lag beyond float64", Reduction{Series: "x", Reduce: reduceAutocorrelation, Lag: 1<<53 + 1}, []string{"lag"}},
		{"pearson with nothing", Reduction{Series: "x", Reduce: reducePearson}, []string{"with"}},
		{"ratio to nothing", Reduction{Series: "x", Reduce: reduceRatioOfMeans, With: " "}, []string{"with"}},
		{"ratio without outliers", Reduction{Series: "x", With: "y", Reduce: reduceRatioOfMeans, DropOutliers: at(1)}, []string{"drop_outliers"}},
		{"drop_outliers 0", Reduction{Series: "x", With: "y", Reduce: reducePearson, DropOutliers: at(0)}, nil},
		{"drop_outliers negative", Reduction{Series: "x", With: "y", Reduce: reducePearson, DropOutliers: at(-1)}, []string{"drop_outliers"}},
		{"drop_outliers infinite", Reduction{Series: "x", With: "y", Reduce: reducePearson, DropOutliers: at(-inf)}, []string{"drop_outliers"}},
		{"no bounds", Reduction{Series: "x", Reduce: ReduceFractionBetween}, []string{"min"}},
		{"bounds crossed", Reduction{Series: "x", Reduce: ReduceFractionBetween, Min: at(1), Max: at(0)}, []string{"min"}},
		{"bounds not finite", Reduction{Series: "x", Reduce: ReduceFractionBetween, Min: at(-inf), Max: at(nan)}, []string{"min", "max"}},
		{"one bound", Reduction{Series: "x", Reduce: ReduceFractionBetween, Max: at(0), Strict: true}, nil},
		{"no outliers", Reduction{Series: "x", Reduce: ReduceOutlierFraction}, []string{"iqr_factor"}},
		{"outliers twice", Reduction{Series: "x", Reduce: ReduceOutlierFraction, Max: at(0), IQRFactor: at(1)}, []string{"iqr_factor"}},
		{"strict outliers", Reduction{Series: "x", Reduce: ReduceOutlierFraction, Max: at(0), Strict: true}, []string{"strict"}},
		{"iqr_factor is NaN", Reduction{Series: "x", Reduce: ReduceOutlierFraction, IQRFactor: at(nan)}, []string{"iqr_factor"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var want, inSpec []string
			for _, field := range c.want {
				want, inSpec = append(want, field), append(inSpec, "m/from."+field)
			}
			var got []string
			for _, p := range c.reduction.problems() {
				got = append(got, p.Field)
				if p.Message == "" {
					t.Errorf("%s: no message", p.Field)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			spec := specOf(Boolean{})
			spec.Metrics[0].From = &c.reduction
			checkProblems(t, spec, inSpec)
		})
	}
}

// TestReducers: every reducer says its own fields only, and computes something.
func TestReducers(t *testing.T) {
	for _, reducer := range Reducers() {
		r := Reduction{Series: "x", Reduce: reducer}
		for _, field := range reducer.Fields() {
			switch field {
			case "q":
				r.Q = 0.5
			case "lag":
				r.Lag = 1
			case "with":
				r.With = "y"
			case "min":
				r.Min = at(0)
			}
		}
		if problems := r.problems(); len(problems) > 0 {
			t.Errorf("%s: %v", reducer, problems)
		}
		value, reason := r.Compute(lookup(map[string][]float64{"x": {1, 2, 4}, "y": {3, 1, 1}}))
		if math.IsNaN(value) || reason != "" {
			t.Errorf("%s: %v %q", reducer, value, reason)
		}
	}
	if _, reason := (Reduction{Series: "x", Reduce: "other"}).Compute(lookup(map[string][]float64{"x": {1}})); !strings.Contains(reason, "unknown reducer") {
		t.Errorf("an unknown reducer gives the reason %q", reason)
	}
}

func TestReductionString(t *testing.T) {
	for _, c := range []struct {
		reduction Reduction
		want      string
	}{
		{Reduction{Series: "x", Reduce: ReduceMean, NaN: NaNFail}, "mean of x"},
		{Reduction{Series: "x", Skip: 5, Reduce: ReduceMean, NaN: NaNSkip}, "mean of x, skip 5, nan skip"},
		{Reduction{Series: "x", Reduce: reduceQuantile}, "quantile of x, q 0"},
		{Reduction{Series: "x", Reduce: reduceAutocorrelation, Lag: 4}, "autocorrelation of x, lag 4"},
		{
			Reduction{Series: "x", With: "y", Skip: 5, Reduce: reducePearson, DropOutliers: at(1.5)},
			"pearson of x with y, skip 5, drop_outliers 1.5",
		},
		{
			Reduction{Series: "x", Reduce: ReduceFractionBetween, Min: at(-0.05), Max: at(1), Strict: true},
			"fraction_between of x, min -0.05, max 1, strict",
		},
		{Reduction{Series: "x", Reduce: ReduceOutlierFraction, IQRFactor: at(3)}, "outlier_fraction of x, iqr_factor 3"},
	} {
		if got := c.reduction.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// reductions draws any usable reduction of the series x and y.
func reductions() *rapid.Generator[Reduction] {
	bound := rapid.Ptr(hundredths(-3, 3), true)
	factor := rapid.Ptr(hundredths(0, 3), true)
	return rapid.Custom(func(t *rapid.T) Reduction {
		r := Reduction{
			Series: "x", Skip: rapid.IntRange(0, 3).Draw(t, "skip"), Reduce: rapid.SampledFrom(Reducers()).Draw(t, "reduce"),
			NaN: rapid.SampledFrom([]NaNRule{"", NaNFail, NaNSkip}).Draw(t, "nan"),
		}
		for _, field := range r.Reduce.Fields() {
			switch field {
			case "q":
				r.Q = hundredths(0, 1).Draw(t, "q")
			case "lag":
				r.Lag = rapid.IntRange(1, 3).Draw(t, "lag")
			case "with":
				r.With = "y"
			case "drop_outliers":
				r.DropOutliers = factor.Draw(t, "drop_outliers")
			case "min":
				r.Min = bound.Draw(t, "min")
			case "max":
				r.Max = bound.Draw(t, "max")
			case "strict":
				r.Strict = rapid.Bool().Draw(t, "strict")
			case "iqr_factor":
				if r.Min == nil && r.Max == nil {
					r.IQRFactor = at(hundredths(0, 3).Draw(t, "iqr_factor"))
				}
			}
		}
		return r
	}).Filter(func(r Reduction) bool { return len(r.problems()) == 0 })
}

// TestReduceAnySeries: a usable reduction computes something of any series, or says why not; and it leaves the series
// as it was.
func TestReduceAnySeries(t *testing.T) {
	points := rapid.SliceOfN(rapid.OneOf(anyFloat, hundredths(-3, 3)), 0, 12)
	property.Check(t, func(t *rapid.T) {
		r := reductions().Draw(t, "reduction")
		series := map[string][]float64{"x": points.Draw(t, "x"), "y": points.Draw(t, "y")}
		x, y := slices.Clone(series["x"]), slices.Clone(series["y"])
		value, reason := r.Compute(lookup(series))
		if reason != "" && !math.IsNaN(value) {
			t.Fatalf("%v, but %s", value, reason)
		}
		if !cmp.Equal(x, series["x"], bits) || !cmp.Equal(y, series["y"], bits) {
			t.Fatal("the series changed")
		}
	})
}

// bits compares floats by what they are in memory.
var bits = cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })

// TestReduceIsSound: what must be true of every series of finite numbers of ordinary size.
func TestReduceIsSound(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		x := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), n, n).Draw(t, "x")
		y := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), n, n).Draw(t, "y")
		compute := func(r Reduction, x []float64) (float64, string) {
			r.Series = "x"
			return r.Compute(lookup(map[string][]float64{"x": x, "y": y}))
		}
		value := func(reducer Reducer) float64 {
			v, reason := compute(Reduction{Reduce: reducer}, x)
			if reason != "" || math.IsNaN(v) {
				t.Fatalf("%s: %v %s", reducer, v, reason)
			}
			return v
		}
		low, high := value(reduceMin), value(reduceMax)
		for _, reducer := range []Reducer{ReduceMean, reduceMedian, reduceLast} {
			if v := value(reducer); v < low || v > high {
				t.Errorf("%s %v is not in [%v, %v]", reducer, v, low, high)
			}
		}
		if s := value(reduceStd); s < 0 || s > (high-low)/2*(1+1e-12) { // Popoviciu (1935)
			t.Errorf("std %v in [%v, %v]", s, low, high)
		}
		for _, r := range []Reduction{{Reduce: reducePearson, With: "y"}, {Reduce: reduceAutocorrelation, Lag: 1}} {
			if v, reason := compute(r, x); reason == "" && !(v >= -1 && v <= 1) {
				t.Errorf("%s %v", r.Reduce, v)
			}
		}
		// Shares inside and outside of the same bounds are all there is.
		minimum, maximum := at(min(x[0], x[1])), at(max(x[0], x[1]))
		inside, _ := compute(Reduction{Reduce: ReduceFractionBetween, Min: minimum, Max: maximum}, x)
		outside, _ := compute(Reduction{Reduce: ReduceOutlierFraction, Min: minimum, Max: maximum}, x)
		if !near(inside+outside, 1) {
			t.Errorf("%v inside and %v outside of [%v, %v]", inside, outside, *minimum, *maximum)
		}
		// Skipping is the same as not having.
		skipped, _ := compute(Reduction{Reduce: reduceStd, Skip: n / 2}, x)
		if want, _ := compute(Reduction{Reduce: reduceStd}, x[n/2:]); skipped != want {
			t.Errorf("std %v after skip, want %v", skipped, want)
		}
	})
}

// TestReduceScales: multiplied by a power of two, even one at the limits of float64, a series keeps its shape to the
// last bit.
func TestReduceScales(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(hundredths(-3, 3), 5, 20).Draw(t, "x")
		exponent := rapid.IntRange(-900, 1000).Draw(t, "exponent")
		scaled := make([]float64, len(x))
		for i := range x {
			scaled[i] = math.Ldexp(x[i], exponent)
		}
		for _, reducer := range []Reducer{reduceSkewness, reduceCV, ReduceMean, reduceStd} {
			r := Reduction{Series: "x", Reduce: reducer}
			want, reason := r.Compute(lookup(map[string][]float64{"x": x}))
			if reducer == ReduceMean || reducer == reduceStd {
				want = math.Ldexp(want, exponent)
			}
			got, scaledReason := r.Compute(lookup(map[string][]float64{"x": scaled}))
			if reason != scaledReason || reason == "" && got != want {
				t.Errorf("%s: %v %q, want %v %q", reducer, got, scaledReason, want, reason)
			}
		}
	})
}
