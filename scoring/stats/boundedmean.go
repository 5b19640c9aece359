package stats

import (
	"math"
	"slices"

	"track/scoring/numeric"
)

// BoundedMeanP tests whether the mean of values that are at most largest is below limit: the p-value of "the mean is
// limit or more". It is the probability that Σ wᵢ xᵢ, with largest as one value more and weights uniform on the
// simplex, reaches limit (Gaffke 2005, Three test statistics for a nonparametric one-sided hypothesis on the mean of a
// nonnegative variable; Learned-Miller & Thomas 2019, arXiv:1905.06208).
//
// It assumes nothing but independent values of at most largest. For values of two sizes it is the test of Clopper and
// Pearson: n values of 0, with largest 1, have p = (1-limit)ⁿ. For others its level is proven for n = 1 only, and
// conjectured: no distribution is known for which it errs. Lowering a value never raises p, and the order of the values
// does not matter.
func BoundedMeanP(xs []float64, largest, limit float64) (float64, error) {
	if err := checkAtMost(xs, largest); err != nil {
		return 0, err
	}
	if !finite(limit) {
		return 0, badParam("limit %v is not a finite number", limit)
	}
	return simplexTail(xs, largest, limit), nil
}

// BoundedMeanUpper returns the interval from lowest to the limit at which [BoundedMeanP] is 1 - confidence: the mean is
// below Hi with the stated confidence. With n values of 0 and largest 1, Hi is 1 - (1-confidence)^(1/n).
func BoundedMeanUpper(xs []float64, lowest, largest, confidence float64) (Interval, error) {
	if err := checkAtMost(xs, largest); err != nil {
		return Interval{}, err
	}
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return Interval{}, err
	}
	if slices.Min(xs) == slices.Max(xs) { // p is ((largest - limit) / (largest - x))ⁿ
		hi := largest - float64((largest-xs[0])*numeric.Pow(1-confidence, 1/float64(len(xs))))
		return Interval{Lo: lowest, Hi: hi, Confidence: confidence, Method: MethodBoundedMean}, nil
	}
	const least = 1e-12 // of p: far beyond the root a smaller one only slows the search
	mean, _ := moments(xs)
	logAlpha := numeric.Log(1 - confidence)
	hi := crossing(mean, largest, func(limit float64) float64 {
		return numeric.Log(max(least, simplexTail(xs, largest, limit))) - logAlpha
	})
	return Interval{Lo: lowest, Hi: hi, Confidence: confidence, Method: MethodBoundedMean}, nil
}

// crossing returns where a falling f crosses 0 between lo and hi, from the right, by the Illinois rule (Dowell &
// Jarratt 1971): the secant, with half of the value at an end that stays.
func crossing(lo, hi float64, f func(float64) float64) float64 {
	fLo, fHi, stayed := f(lo), f(hi), 0
	if !(fLo > 0) {
		return lo
	}
	for step := 0; step < 60 && hi-lo > 1e-7; step++ {
		at := lo + float64((hi-lo)*(fLo/(fLo-fHi)))
		if step%4 == 3 || !(at > lo && at < hi) {
			at = lo + float64((hi-lo)/2)
		}
		y := f(at)
		if y > 0 {
			lo, fLo, stayed = at, y, max(stayed, 0)+1
		} else {
			hi, fHi, stayed = at, y, min(stayed, 0)-1
		}
		if stayed > 1 {
			fHi /= 2
		}
		if stayed < -1 {
			fLo /= 2
		}
	}
	return hi
}

func checkAtMost(xs []float64, largest float64) error {
	if err := check(xs, 1); err != nil {
		return err
	}
	for i, x := range xs {
		if x > largest {
			return badParam("value %d is %v, above %v", i, x, largest)
		}
	}
	return nil
}

// simplexTail is P(Σ Eᵢ aᵢ ≥ 0) for independent exponential Eᵢ, with aᵢ = xᵢ - limit for all values and largest.
func simplexTail(xs []float64, largest, limit float64) float64 {
	a := make([]float64, len(xs)+1)
	lo, hi, sum := largest-limit, largest-limit, largest-limit
	a[len(xs)] = largest - limit
	for i, x := range xs {
		a[i] = x - limit
		lo, hi, sum = min(lo, a[i]), max(hi, a[i]), sum+a[i]
	}
	_, exponent := math.Frexp(max(hi, -lo))
	for i, v := range a { // p is that of any multiple; squares of these stay within float64
		a[i] = math.Ldexp(v, -exponent)
	}
	lo, hi = math.Ldexp(lo, -exponent), math.Ldexp(hi, -exponent)
	switch {
	case hi <= 0:
		return 0
	case lo >= 0:
		return 1
	case sum > 0: // its mean is above 0: the lower tail is the smaller one
		for i := range a {
			a[i] = -a[i]
		}
		return 1 - weightedTail(a, -lo)
	}
	return weightedTail(a, hi)
}

// weightedTail is P(Σ Eᵢ aᵢ > 0) where the sum of a is not above 0 and the largest of them is hi > 0. It integrates the
// moment generating function Π 1/(1 - s·aᵢ) over s along the vertical line through its saddle point, by the trapezoid
// rule after t = width·sinh(u), halving the step until the result stays the same.
func weightedTail(a []float64, hi float64) float64 {
	if most := float64(hi*float64(len(a))) / -slices.Min(a); most < 1e-17 { // Σ Eᵢ hi reaches one of the others no more often
		return most
	}
	saddle := saddlePoint(a, hi)
	logAt, curvature := 0.0, 1/float64(saddle*saddle)
	c := make([]float64, len(a))
	for i, v := range a {
		rest := 1 - float64(saddle*v)
		c[i] = v / rest
		logAt -= numeric.Log(rest)
		curvature += float64(c[i] * c[i])
	}
	if logAt < -40 { // p is below 1e-17: its size is enough
		return numeric.Exp(logAt)
	}
	width := min(saddle, 1/hi-saddle, 1.5/math.Sqrt(curvature))
	at := func(u float64) (value, size float64) {
		grow := numeric.Exp(u)
		t, slope := float64(width*(grow-1/grow)/2), float64(width*(grow+1/grow)/2)
		re, im := transform(c, t)
		norm := float64(saddle*saddle) + float64(t*t)
		return slope * (float64(re*saddle) + float64(im*t)) / norm, slope * (math.Abs(re) + math.Abs(im)) / math.Sqrt(norm)
	}
	value, size := at(0)
	sum, step, reach := value/2, 0.25, 0.0
	for ; size > 1e-11*width/saddle && reach < 16; sum += value {
		reach += step
		value, size = at(reach)
	}
	for previous := math.NaN(); step > 0.25/64 && !(math.Abs(float64(step*sum)-previous) <= 1e-8*math.Abs(previous)); step /= 2 {
		previous = float64(step * sum)
		for u := step / 2; u < reach; u += step {
			value, _ = at(u)
			sum += value
		}
	}
	return min(1, max(0, float64(step*sum*numeric.Exp(logAt)/math.Pi)))
}

// saddlePoint is the s in (0, 1/hi) at which Π 1/(1 - s·aᵢ) / s is smallest.
func saddlePoint(a []float64, hi float64) float64 {
	slope := func(s float64) float64 {
		sum := -1 / s
		for _, v := range a {
			sum += v / (1 - float64(s*v))
		}
		return sum
	}
	lo, top := 0.0, 1/hi
	for range 40 {
		mid := lo + float64((top-lo)/2)
		if slope(mid) < 0 {
			lo = mid
		} else {
			top = mid
		}
	}
	return lo + float64((top-lo)/2)
}

// transform is Π 1/(1 - i·t·cᵢ).
func transform(c []float64, t float64) (re, im float64) {
	re = 1
	for _, v := range c {
		tc := float64(t * v)
		q := 1 + float64(tc*tc)
		re, im = (re-float64(im*tc))/q, (im+float64(re*tc))/q
		if re == 0 && im == 0 {
			return 0, 0
		}
	}
	return re, im
}
