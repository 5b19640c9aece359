package scoring

import (
	"fmt"
	"math"
	"slices"
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
