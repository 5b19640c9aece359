package scoring

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Compute reduces the series of one seed, which series finds by name. reason is not empty where there is nothing to
// work on, such as no series of that name, no point after Skip, or no variance where the reducer divides by it; value
// is then NaN. A NaN among the points gives NaN without a reason, or is left out under [NaNSkip]. The reduction must
// have no [Reduction.Problems].
func (r Reduction) Compute(series func(name string) ([]float64, bool)) (value float64, reason string) {
	x, reason := r.points(series, r.Series)
	if reason != "" {
		return math.NaN(), reason
	}
	var with []float64
	if r.With != "" {
		if with, reason = r.points(series, r.With); reason != "" {
			return math.NaN(), reason
		}
	}
	if r.NaN != NaNSkip && (slices.ContainsFunc(x, math.IsNaN) || slices.ContainsFunc(with, math.IsNaN)) {
		return math.NaN(), ""
	}
	switch r.Reduce {
	case reduceSlope:
		value, reason = slope(x)
	case reduceAutocorrelation:
		value, reason = autocorrelation(x, r.Lag)
	case reducePearson:
		value, reason = r.pearson(x, with)
	case reduceRatioOfMeans:
		value, reason = ratioOfMeans(withoutNaN(x), withoutNaN(with))
	default:
		value, reason = r.reduce(withoutNaN(x))
	}
	if reason != "" {
		return math.NaN(), fmt.Sprintf("series %q: %s", r.Series, reason)
	}
	return value, ""
}

// points finds a series and leaves out its first Skip points.
func (r Reduction) points(series func(string) ([]float64, bool), name string) ([]float64, string) {
	x, ok := series(name)
	switch {
	case !ok:
		return nil, fmt.Sprintf("no series %q", name)
	case len(x) == 0:
		return nil, fmt.Sprintf("series %q: has no points", name)
	case len(x) <= r.Skip:
		return nil, fmt.Sprintf("series %q: has %d points, and skip leaves out %d", name, len(x), r.Skip)
	}
	return x[r.Skip:], ""
}

// withoutNaN returns x itself where it has none.
func withoutNaN(x []float64) []float64 {
	if !slices.ContainsFunc(x, math.IsNaN) {
		return x
	}
	return slices.DeleteFunc(slices.Clone(x), math.IsNaN)
}

// Why there is no value.
const (
	onlyNaN       = "has only NaN"
	isConstant    = "is constant"
	meanIsZero    = "its mean is 0"
	tooFewPoints  = "has %d points, and %s needs %d"
	tooFewPairs   = "has %d pairs with %q, and %s needs %d"
	unlikeLengths = "has %d points, and %q has %d"
)

// reduce handles the reducers to which the order of the points, if any, is all there is of time.
func (r Reduction) reduce(x []float64) (float64, string) {
	if r.Reduce == reduceCount {
		return float64(len(x)), ""
	}
	if len(x) == 0 {
		return 0, onlyNaN
	}
	switch r.Reduce {
	case ReduceMean:
		return mean(x), ""
	case reduceStd:
		return std(x, len(x)), ""
	case reduceSampleStd:
		if len(x) < 2 {
			return 0, fmt.Sprintf(tooFewPoints, len(x), r.Reduce, 2)
		}
		return std(x, len(x)-1), ""
	case reduceMin:
		return slices.Min(x), ""
	case reduceMax:
		return slices.Max(x), ""
	case reduceLast:
		return x[len(x)-1], ""
	case reduceSum:
		return sum(x), ""
	case reduceMedian:
		return quantile(slices.Sorted(slices.Values(x)), 0.5), ""
	case reduceQuantile:
		return quantile(slices.Sorted(slices.Values(x)), r.Q), ""
	case reduceSkewness:
		return skewness(x)
	case reduceCV:
		m := mean(x)
		if m == 0 {
			return 0, meanIsZero
		}
		return std(x, len(x)) / m, ""
	case ReduceFractionBetween:
		return r.fractionBetween(x), ""
	case ReduceOutlierFraction:
		return r.outlierFraction(x), ""
	}
	return 0, fmt.Sprintf("unknown reducer %q", r.Reduce)
}

func (r Reduction) fractionBetween(x []float64) float64 {
	lower, upper := r.bounds()
	return share(x, func(v float64) bool {
		if r.Strict {
			return (r.Min == nil || lower < v) && (r.Max == nil || v < upper)
		}
		return lower <= v && v <= upper
	})
}

func (r Reduction) outlierFraction(x []float64) float64 {
	lower, upper := r.bounds()
	if r.IQRFactor != nil {
		lower, upper = fences(x, *r.IQRFactor)
	}
	return share(x, func(v float64) bool { return v < lower || v > upper })
}

// bounds are Min and Max, infinite where there is none.
func (r Reduction) bounds() (lower, upper float64) {
	lower, upper = math.Inf(-1), math.Inf(1)
	if r.Min != nil {
		lower = *r.Min
	}
	if r.Max != nil {
		upper = *r.Max
	}
	return lower, upper
}

func share(x []float64, counts func(float64) bool) float64 {
	n := 0
	for _, v := range x {
		if counts(v) {
			n++
		}
	}
	return float64(n) / float64(len(x))
}

// pearson correlates the pairs without NaN.
func (r Reduction) pearson(x, y []float64) (float64, string) {
	if len(x) != len(y) {
		return 0, fmt.Sprintf(unlikeLengths, len(x)+r.Skip, r.With, len(y)+r.Skip)
	}
	x, y = pairs(x, y, func(a, b float64) bool { return !math.IsNaN(a) && !math.IsNaN(b) })
	if r.DropOutliers != nil && len(x) > 0 {
		lowX, highX := fences(x, *r.DropOutliers)
		lowY, highY := fences(y, *r.DropOutliers)
		x, y = pairs(x, y, func(a, b float64) bool { return lowX <= a && a <= highX && lowY <= b && b <= highY })
	}
	switch {
	case len(x) < 2:
		return 0, fmt.Sprintf(tooFewPairs, len(x), r.With, r.Reduce, 2)
	case constant(x):
		return 0, isConstant
	case constant(y):
		return 0, fmt.Sprintf("%q %s", r.With, isConstant)
	}
	return correlation(x, y), ""
}

// pairs returns the pairs that keep wants.
func pairs(x, y []float64, keep func(a, b float64) bool) (keptX, keptY []float64) {
	for i := range x {
		if keep(x[i], y[i]) {
			keptX, keptY = append(keptX, x[i]), append(keptY, y[i])
		}
	}
	return keptX, keptY
}

func ratioOfMeans(x, y []float64) (float64, string) {
	if len(x) == 0 || len(y) == 0 {
		return 0, onlyNaN
	}
	denominator := mean(y)
	if denominator == 0 {
		return 0, "the mean to divide by is 0"
	}
	return mean(x) / denominator, ""
}

// Reducer names how a series becomes one value.
type Reducer string

// The reducers. n is the number of points that are left after Skip, and after NaN under [NaNSkip].
const (
	ReduceMean      Reducer = "mean"
	reduceStd       Reducer = "std"        // population standard deviation: divide by n
	reduceSampleStd Reducer = "sample_std" // divide by n-1
	reduceMin       Reducer = "min"
	reduceMax       Reducer = "max"
	reduceLast      Reducer = "last"
	reduceSum       Reducer = "sum"
	reduceCount     Reducer = "count" // n
	reduceMedian    Reducer = "median"
	reduceQuantile  Reducer = "quantile" // of order Q by linear interpolation, type 7 of Hyndman and Fan (1996)
	reduceSkewness  Reducer = "skewness" // of the population: m3 / m2^(3/2)
	reduceCV        Reducer = "cv"       // coefficient of variation: std / mean
	reduceSlope     Reducer = "slope"    // of the least-squares line, per period
	// reduceAutocorrelation is sum((x[t]-m)(x[t+Lag]-m)) / sum((x[t]-m)²), with the mean m of all points.
	reduceAutocorrelation Reducer = "autocorrelation"
	// reducePearson is the correlation with the series With, point by point. With DropOutliers, pairs are left out of
	// which either value lies outside [q1 - DropOutliers*IQR, q3 + DropOutliers*IQR] of its series, quartiles as for
	// reduceQuantile.
	reducePearson Reducer = "pearson"
	// ReduceFractionBetween is the share of points in [Min, Max], bounds included unless Strict; nil is unbounded.
	ReduceFractionBetween Reducer = "fraction_between"
	// ReduceOutlierFraction is the share of points outside [Min, Max], or outside [q1 - IQRFactor*IQR, q3 +
	// IQRFactor*IQR]; the bounds themselves are no outliers.
	ReduceOutlierFraction Reducer = "outlier_fraction"
	reduceRatioOfMeans    Reducer = "ratio_of_means" // mean of the series / mean of With
)

// Reducers lists them all, in the order of their description.
func Reducers() []Reducer {
	return []Reducer{
		ReduceMean, reduceStd, reduceSampleStd, reduceMin, reduceMax, reduceLast, reduceSum, reduceCount, reduceMedian,
		reduceQuantile, reduceSkewness, reduceCV, reduceSlope, reduceAutocorrelation, reducePearson, ReduceFractionBetween,
		ReduceOutlierFraction, reduceRatioOfMeans,
	}
}

// Fields names the fields of a [Reduction] that the reducer has beside series, skip, reduce and nan, as spec files
// write them.
func (r Reducer) Fields() []string {
	switch r {
	case reduceQuantile:
		return []string{"q"}
	case reduceAutocorrelation:
		return []string{"lag"}
	case reducePearson:
		return []string{"with", "drop_outliers"}
	case ReduceFractionBetween:
		return []string{"min", "max", "strict"}
	case ReduceOutlierFraction:
		return []string{"min", "max", "iqr_factor"}
	case reduceRatioOfMeans:
		return []string{"with"}
	}
	return nil
}

// NaNRule says what a NaN among the points does.
type NaNRule string

// The rules; the empty rule is NaNFail.
const (
	NaNFail NaNRule = "fail" // the value is NaN, and so the metric FAIL
	NaNSkip NaNRule = "skip" // the point is left out, of a pair of series the pair; times do not shift
)

// Reduction says how the value of a metric follows from the series of a seed.
type Reduction struct {
	Series string // name of the series
	Skip   int    // number of points at the beginning that do not count, of With as well
	Reduce Reducer
	NaN    NaNRule

	// Only where the reducer has the field, see [Reducer.Fields].
	Q            float64  // order of the quantile, 0..1
	Lag          int      // periods, at least 1
	With         string   // name of the other series
	DropOutliers *float64 // nil keeps all pairs
	Min, Max     *float64 // nil is unbounded
	Strict       bool     // the bounds themselves do not count as between
	IQRFactor    *float64
}

// String describes the reduction for people, as in "pearson of wages with prices, skip 500, drop_outliers 1.5".
func (r Reduction) String() string {
	s := string(r.Reduce) + " of " + r.Series
	if r.With != "" {
		s += " with " + r.With
	}
	add := func(name string, x *float64) {
		if x != nil {
			s += ", " + name + " " + number(*x)
		}
	}
	if r.Skip != 0 {
		s += fmt.Sprintf(", skip %d", r.Skip)
	}
	if r.Reduce == reduceQuantile {
		add("q", &r.Q)
	}
	if r.Reduce == reduceAutocorrelation {
		s += fmt.Sprintf(", lag %d", r.Lag)
	}
	add("drop_outliers", r.DropOutliers)
	add("min", r.Min)
	add("max", r.Max)
	if r.Strict {
		s += ", strict"
	}
	add("iqr_factor", r.IQRFactor)
	if r.NaN == NaNSkip {
		s += ", nan skip"
	}
	return s
}

// problems lists what makes the reduction unusable, by the names of spec files.
func (r Reduction) problems() []FieldProblem {
	var list []FieldProblem
	add := func(field, format string, args ...any) {
		list = append(list, FieldProblem{field, fmt.Sprintf(format, args...)})
	}
	if strings.TrimSpace(r.Series) == "" {
		add("series", "missing: name the series")
	}
	switch {
	case r.Skip < 0:
		add("skip", "%d is negative", r.Skip)
	case int64(r.Skip) > maxPeriods:
		add("skip", "%d is more than any series has", r.Skip)
	}
	if !slices.Contains(Reducers(), r.Reduce) {
		add("reduce", "unknown reducer %q", r.Reduce)
		return list
	}
	if r.NaN != "" && r.NaN != NaNFail && r.NaN != NaNSkip {
		add("nan", "unknown rule %q: use fail or skip", r.NaN)
	}
	for _, field := range r.given() {
		if !slices.Contains(r.Reduce.Fields(), field) {
			add(field, "not a field of %s", r.Reduce)
		}
	}
	return append(list, r.fieldProblems()...)
}

// maxPeriods is the largest integer up to which float64, and so canonical JSON, holds every one.
const maxPeriods = 1 << 53

// given names the fields of certain reducers that are set.
func (r Reduction) given() []string {
	var fields []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"q", r.Q != 0},
		{"lag", r.Lag != 0},
		{"with", r.With != ""},
		{"drop_outliers", r.DropOutliers != nil},
		{"min", r.Min != nil},
		{"max", r.Max != nil},
		{"strict", r.Strict},
		{"iqr_factor", r.IQRFactor != nil},
	} {
		if f.set {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// fieldProblems checks the fields that belong to the reducer.
func (r Reduction) fieldProblems() []FieldProblem {
	problem := func(field, format string, args ...any) []FieldProblem {
		return []FieldProblem{{field, fmt.Sprintf(format, args...)}}
	}
	switch r.Reduce {
	case reduceQuantile:
		if !(r.Q >= 0 && r.Q <= 1) {
			return problem("q", "%v is not from 0 to 1", r.Q)
		}
	case reduceAutocorrelation:
		if r.Lag < 1 {
			return problem("lag", "%d must be at least 1", r.Lag)
		}
		if int64(r.Lag) > maxPeriods {
			return problem("lag", "%d is more than any series has", r.Lag)
		}
	case reducePearson, reduceRatioOfMeans:
		if strings.TrimSpace(r.With) == "" {
			return problem("with", "missing: %s takes a second series", r.Reduce)
		}
		return notNegative("drop_outliers", r.DropOutliers)
	case ReduceFractionBetween:
		if r.Min == nil && r.Max == nil {
			return problem("min", "missing: %s takes min, max or both", r.Reduce)
		}
		return r.boundProblems()
	case ReduceOutlierFraction:
		bounded := r.Min != nil || r.Max != nil
		switch {
		case !bounded && r.IQRFactor == nil:
			return problem("iqr_factor", "missing: %s takes iqr_factor, or min, max or both", r.Reduce)
		case bounded && r.IQRFactor != nil:
			return problem("iqr_factor", "stands beside min or max: %s takes one or the other", r.Reduce)
		}
		return append(r.boundProblems(), notNegative("iqr_factor", r.IQRFactor)...)
	}
	return nil
}

func (r Reduction) boundProblems() []FieldProblem {
	list := nonFinite("min", deref(r.Min), "max", deref(r.Max))
	if r.Min != nil && r.Max != nil && *r.Min > *r.Max {
		list = append(list, FieldProblem{"min", fmt.Sprintf("%v is above max %v", *r.Min, *r.Max)})
	}
	return list
}

func notNegative(field string, x *float64) []FieldProblem {
	switch {
	case x == nil || *x >= 0 && !math.IsInf(*x, 0):
		return nil
	case *x < 0 && !math.IsInf(*x, 0):
		return []FieldProblem{{field, fmt.Sprintf("%v is negative", *x)}}
	}
	return nonFinite(field, *x)
}
