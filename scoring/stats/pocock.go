package stats

import (
	"math"

	"track/scoring/numeric"
)

// PocockAlpha returns the level of the two-sided test at each of several looks that leaves alpha to all looks together:
// the boundary is the same at each (Pocock 1977), for looks after n observations each, which rise. It is between
// alpha/len(n), which Bonferroni's inequality gives, and alpha. The statistics must have the joint distribution of
// standardized sums of independent observations with finite variance, which is normal if n is not small. The result is
// rounded down to three digits.
func PocockAlpha(alpha float64, n []int) float64 {
	if len(n) < 2 || !(alpha > 0 && alpha < 1) {
		return alpha
	}
	least, most := numeric.NormalQuantile(1-alpha/2), numeric.NormalQuantile(1-alpha/float64(2*len(n)))
	z := bisectTo(1e-7, least, most, func(z float64) bool { return 1-stayWithin(z, n) > alpha })
	level := float64(2 * numeric.NormalCDF(-z))
	units := 1.0 // for each 1
	for float64(level*units) < 100 {
		units *= 10
	}
	return max(alpha/float64(len(n)), math.Floor(float64(level*units))/units)
}

// bisectTo returns where below stops being true on [lo, hi], to a tolerance.
func bisectTo(tolerance, lo, hi float64, below func(float64) bool) float64 {
	for hi-lo > tolerance {
		if mid := lo + float64((hi-lo)/2); below(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// stayWithin is the probability that a Brownian motion is within ±z√t at each of the times t, which are those of n. It
// integrates over the place at each time after the other (Armitage, McPherson and Rowe 1969).
func stayWithin(z float64, n []int) float64 {
	last := float64(n[len(n)-1])
	density := func(x, t float64) float64 {
		return float64(numeric.Exp(float64(-x*x/(2*t))) / math.Sqrt(float64(2*math.Pi*t)))
	}
	var places, masses []float64 // of the paths that are within the boundary so far
	before := 0.0
	for _, k := range n {
		t := float64(k) / last
		step := t - before
		edge := float64(z * math.Sqrt(t))
		panels := int(min(64, math.Ceil(float64(edge/(3*math.Sqrt(step))))))
		nodes, weights := numeric.Nodes(-edge, edge, panels)
		next := make([]float64, len(nodes))
		for i, x := range nodes {
			if before == 0 {
				next[i] = float64(weights[i] * density(x, t))
				continue
			}
			sum := 0.0
			for j, y := range places {
				sum += float64(masses[j] * density(x-y, step))
			}
			next[i] = float64(weights[i] * sum)
		}
		places, masses, before = nodes, next, t
	}
	sum := 0.0
	for _, m := range masses {
		sum += m
	}
	return sum
}
