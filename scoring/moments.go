package scoring

import (
	"fmt"
	"math"
	"slices"
)

// The formulas behind the reducers: two passes, the first for the mean, the second over the deviations from it. x is
// never empty.

// sum is compensated (Neumaier 1974): its error does not grow with the number of points.
func sum(x []float64) float64 {
	total, lost := 0.0, 0.0
	for _, v := range x {
		next := total + v
		if math.Abs(total) >= math.Abs(v) {
			lost += (total - next) + v
		} else {
			lost += (v - next) + total
		}
		total = next
	}
	if !finite(lost) { // an infinity among the points, or a sum beyond float64
		return total
	}
	return total + lost
}

func mean(x []float64) float64 {
	n := float64(len(x))
	if s := sum(x); !math.IsInf(s, 0) {
		return s / n
	}
	m := 0.0
	for _, v := range x { // the sum of large points may be infinite where their mean is not
		m += v / n
	}
	return m
}

func constant(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v != x[0] })
}

// unit is a power of two by which to multiply the deviations of x from m, so that the largest is near 1 and no power
// of them leaves float64. A power of two changes no digit.
func unit(x []float64, m float64) float64 {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v-m))
	}
	if largest == 0 || !finite(largest) {
		return 1
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, min(-exponent, 1000))
}

// std is the square root of the sum of squared deviations over divisor; 0 for a constant series.
func std(x []float64, divisor int) float64 {
	if constant(x) && finite(x[0]) {
		return 0
	}
	m := mean(x)
	u := unit(x, m)
	squares := 0.0
	for _, v := range x {
		d := (v - m) * u
		squares += float64(d * d)
	}
	return math.Sqrt(squares/float64(divisor)) / u
}

func skewness(x []float64) (float64, string) {
	if constant(x) {
		return 0, isConstant
	}
	m := mean(x)
	u := unit(x, m)
	squares, cubes := 0.0, 0.0
	for _, v := range x {
		d := (v - m) * u
		squares += float64(d * d)
		cubes += float64(d * d * d)
	}
	n := float64(len(x))
	return cubes / n / float64(squares/n*math.Sqrt(squares/n)), ""
}

// correlation is Pearson's, of two series of which neither is constant.
func correlation(x, y []float64) float64 {
	mx, my := mean(x), mean(y)
	ux, uy := unit(x, mx), unit(y, my)
	xx, yy, xy := 0.0, 0.0, 0.0
	for i := range x {
		dx, dy := (x[i]-mx)*ux, (y[i]-my)*uy
		xx += float64(dx * dx)
		yy += float64(dy * dy)
		xy += float64(dx * dy)
	}
	return max(-1, min(1, xy/(math.Sqrt(xx)*math.Sqrt(yy)))) // rounding may leave [-1, 1]; NaN stays NaN
}

// slope is that of the least-squares line through the points that are not NaN, each at the time of its index.
func slope(x []float64) (float64, string) {
	points := withoutNaN(x)
	if len(points) < 2 {
		return 0, fmt.Sprintf(tooFewPoints, len(points), reduceSlope, 2)
	}
	meanTime, m := 0.0, mean(points)
	for i, v := range x {
		if !math.IsNaN(v) {
			meanTime += float64(i)
		}
	}
	meanTime /= float64(len(points))
	times, products := 0.0, 0.0
	for i, v := range x {
		if !math.IsNaN(v) {
			t := float64(i) - meanTime
			times += float64(t * t)
			products += float64(t * (v - m))
		}
	}
	return products / times, ""
}

// autocorrelation leaves out the pairs that have a NaN.
func autocorrelation(x []float64, lag int) (float64, string) {
	points := withoutNaN(x)
	switch {
	case len(points) == 0:
		return 0, onlyNaN
	case len(x) <= lag:
		return 0, fmt.Sprintf("has %d points, and lag %d needs %d", len(x), lag, lag+1)
	case constant(points):
		return 0, isConstant
	}
	m := mean(points)
	u := unit(points, m)
	squares, products := 0.0, 0.0
	for _, v := range points {
		d := (v - m) * u
		squares += float64(d * d)
	}
	for i, v := range x[lag:] {
		if product := float64((x[i] - m) * u * ((v - m) * u)); !math.IsNaN(product) {
			products += product
		}
	}
	return products / squares, ""
}

// quantile interpolates linearly between the order statistics around q*(n-1).
func quantile(sorted []float64, q float64) float64 {
	position := float64(q * float64(len(sorted)-1))
	i := int(position)
	t := position - float64(i)
	if t == 0 || sorted[i] == sorted[i+1] {
		return sorted[i]
	}
	a, b := sorted[i], sorted[i+1]
	switch width := b - a; {
	case math.IsInf(width, 0):
		return float64(a*(1-t)) + float64(b*t)
	case t < 0.5:
		return a + float64(width*t)
	default:
		return b - float64(width*(1-t))
	}
}

// fences are the quartiles, each moved outwards by factor times their distance.
func fences(x []float64, factor float64) (lower, upper float64) {
	sorted := slices.Sorted(slices.Values(x))
	q1, q3 := quantile(sorted, 0.25), quantile(sorted, 0.75)
	reach := factor * (q3 - q1)
	return q1 - float64(reach), q3 + float64(reach)
}
