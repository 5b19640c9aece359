package stats

import (
	"math"
)

// MethodSymmetric is an interval of all centres that a symmetric e-value has not rejected so far.
const MethodSymmetric = "symmetric e-value"

// SymmetricInterval returns the interval from lo to hi of the centres m about which d may be symmetric: on neither side
// has [SymmetricEValue] of d - m ever reached 2/(1 - confidence). It is valid at any time, and contains the mean of d.
//
// The e-value need not fall evenly with the distance from the mean. So each end is looked for from outside, over
// centres that lie closer the nearer they are to the mean, and the first one that is not rejected counts.
func SymmetricInterval(d []float64, lo, hi, confidence float64) (Interval, error) {
	i := Interval{Lo: lo, Hi: hi, Confidence: confidence, Method: MethodSymmetric}
	if err := checkOpenUnit("confidence", confidence); err != nil || len(d) == 0 {
		return i, err
	}
	if err := check(d, 1); err != nil {
		return i, err
	}
	mean, _ := moments(d)
	limit := 2 / (1 - confidence)
	i.Lo = lastRejected(mean, lo, func(m float64) bool { return reachesEValue(d, m, 1, limit) })
	i.Hi = lastRejected(mean, hi, func(m float64) bool { return reachesEValue(d, m, -1, limit) })
	return i, nil
}

// lastRejected goes from end towards mean, and returns the last centre before the first one that is not rejected.
func lastRejected(mean, end float64, isRejected func(m float64) bool) float64 {
	const steps, halvings = 24, 30
	at := func(k int) float64 {
		share := float64(k) / steps
		return mean + float64((end-mean)*float64(share*share))
	}
	for k := steps; k >= 0; k-- {
		if isRejected(at(k)) {
			continue
		}
		if k == steps {
			return end
		}
		rejected, kept := at(k+1), at(k)
		for range halvings {
			if mid := rejected + float64((kept-rejected)/2); isRejected(mid) {
				rejected = mid
			} else {
				kept = mid
			}
		}
		return rejected
	}
	return mean
}

// reachesEValue reports whether the e-value against "sign · (d - m) is symmetric about 0 or lower" ever reaches a
// limit.
func reachesEValue(d []float64, m, sign, limit float64) bool {
	capital, squares := ones(), 0.0
	for i, v := range d {
		v = sign * (v - m)
		squares += float64(v * v)
		if squares > 0 && bet(&capital, v/math.Sqrt(squares/float64(i+1))) >= limit {
			return true
		}
	}
	return false
}
