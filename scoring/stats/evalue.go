package stats

import (
	"math"
	"slices"

	"track/scoring/numeric"
)

// EProcess is evidence against "the differences are symmetric about 0" after each of N pairs, in the order they came.
// One may look after every pair and stop at any time: E ≥ 1/alpha at any look happens with probability at most alpha
// under the hypothesis.
type EProcess struct {
	N                       int
	Greater, Less, TwoSided []float64 // one value a pair; TwoSided is the mean of the other two
}

// scales are the bets that a symmetric e-value averages over.
var scales = [...]float64{0.25, 0.5, 1, 2, 4}

// SymmetricEValue computes E_t = mean over c ∈ {.25, .5, 1, 2, 4} of Π exp(c·z_i)/cosh(c·z_i) with z_i =
// d_i/√(mean_{j≤i} d_j²), a sequential sign-flip test: given all sizes, each sign is a fair coin under the
// hypothesis, so E is a martingale.
//
// It assumes pairs independent of each other, and nothing about the distribution. A difference of 0 changes no bet.
// At best E doubles with every pair: six equal differences make 33 in one direction, seven 31 two-sided. The order
// matters: it is the order of looking. No pairs give empty slices.
func SymmetricEValue(d []float64) (EProcess, error) {
	e := EProcess{N: len(d), Greater: make([]float64, len(d)), Less: make([]float64, len(d)), TwoSided: make([]float64, len(d))}
	if len(d) == 0 {
		return e, nil
	}
	if err := check(d, 1); err != nil {
		return EProcess{}, err
	}
	greater, less := ones(), ones()
	squares := 0.0
	for i, v := range d {
		squares += float64(v * v)
		if !finite(squares) {
			return EProcess{}, errOverflow
		}
		z := 0.0
		if squares > 0 {
			z = v / math.Sqrt(squares/float64(i+1))
		}
		e.Greater[i], e.Less[i] = bet(&greater, z), bet(&less, -z)
		e.TwoSided[i] = (e.Greater[i] + e.Less[i]) / 2
	}
	return e, nil
}

func ones() [len(scales)]float64 { return [len(scales)]float64{1, 1, 1, 1, 1} }

// bet multiplies each capital by exp(cz)/cosh(cz) = 2/(1+exp(-2cz)) and returns their mean.
func bet(capital *[len(scales)]float64, z float64) float64 {
	sum := 0.0
	for k, c := range scales {
		capital[k] = float64(capital[k] * (2 / (1 + numeric.Exp(-2*c*z))))
		sum += capital[k]
	}
	return sum / float64(len(scales))
}

// AnytimeP is min(1, 1/max E) over all looks so far: a p-value that stays valid whenever one stops.
func (e EProcess) AnytimeP() PValues {
	p := func(values []float64) float64 {
		if len(values) == 0 {
			return 1
		}
		return min(1, 1/slices.Max(values))
	}
	return PValues{TwoSided: p(e.TwoSided), Greater: p(e.Greater), Less: p(e.Less)}
}

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
