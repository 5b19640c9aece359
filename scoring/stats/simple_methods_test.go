package stats

import (
	"fmt"
	"math"
)

// Statistics that no program uses. The reference gives numbers for them, and they share their parts with those that
// programs use.

// Lag1 is the autocorrelation at lag 1, Σ(x_t-m)(x_{t-1}-m)/Σ(x_t-m)². A change of level raises it: take it of
// residuals. Fewer than 2 values are ErrTooFew, equal ones ErrZeroVariance.
func Lag1(xs []float64) (float64, error) {
	if err := check(xs, 2); err != nil {
		return 0, err
	}
	if constant(xs) {
		return 0, ErrZeroVariance
	}
	return lag1(xs), nil
}

// BestSplit finds the split with the largest energy statistic
//
//	q̂ = 2/(m+n)·Σ|x_i-y_j| - 2m/((m+n)(n-1))·Σ|x_i-x_k| - 2n/((m+n)(m-1))·Σ|y_j-y_k|
//
// between the n values before Index and any m values from it on, both at least minSize (Matteson & James 2014,
// exponent 1). ok is false where there are fewer than 2·minSize values, and where all are equal.
func BestSplit(xs []float64, minSize int) (split splitPoint, ok bool, err error) {
	if err := check(xs, 1); err != nil {
		return splitPoint{}, false, err
	}
	if minSize < 1 {
		return splitPoint{}, false, badParam("minimal segment of %d values", minSize)
	}
	split, ok = bestSplit(xs, minSize)
	return split, ok, nil
}

// BenjaminiHochberg controls the expected share of false ones among the rejections, for independent or positively
// dependent tests (Benjamini & Hochberg 1995; R p.adjust): the i-th smallest p is multiplied by m/i, made monotone
// from the largest and cut at 1. Use it for exploration, and say so; inputs as in [Holm].
func BenjaminiHochberg(p []float64, alpha float64) (Adjusted, error) {
	a, order, err := newAdjusted("benjamini-hochberg", p, alpha)
	if err != nil {
		return Adjusted{}, err
	}
	smallest := 1.0
	for rank := len(order) - 1; rank >= 0; rank-- {
		i := order[rank]
		smallest = min(smallest, p[i]*float64(len(p))/float64(rank+1))
		a.P[i] = smallest
	}
	return a.decide(), nil
}

// Power is the probability that the test of n pairs is significant when the differences are normal with mean/sd = dz:
// by the noncentral t with n-1 degrees of freedom and noncentrality dz·√n, both tails where two-sided (R
// power.t.test(strict=TRUE)). At dz = 0 it is alpha. Fewer than 2 pairs are ErrTooFew.
func (t Design) Power(dz float64, n int) (float64, error) {
	if err := t.check(); err != nil {
		return 0, err
	}
	if !finite(dz) {
		return 0, fmt.Errorf("dz is %v: %w", dz, errNonFinite)
	}
	if n < 2 {
		return 0, TooFewError{Need: 2, Have: n}
	}
	return t.power(dz, n), nil
}

// ClopperPearson computes the exact interval from the quantiles of Beta(k, n-k+1) and Beta(k+1, n-k) (Clopper &
// Pearson 1934; R binom.test). It covers at least its confidence whatever the rate, so it is wider than [Wilson]: use
// it where a guarantee is asked for. No trials are ErrEmpty.
func ClopperPearson(k, n int, confidence float64) (Proportion, error) {
	p, err := newProportion(k, n, confidence, MethodClopperPearson)
	if err != nil {
		return Proportion{}, err
	}
	tail := (1 - confidence) / 2
	p.Interval.Lo, p.Interval.Hi = clopperLower(k, n, tail), 1-clopperLower(n-k, n, tail)
	return p, nil
}

// Quantile is the P-quantile of N values.
type Quantile struct {
	N        int
	P        float64
	Value    float64
	Warnings []Warning
}

// NewQuantile computes the quantile of type 7 of Hyndman & Fan (1996): linear interpolation between the order
// statistics at (n-1)·p (numpy's and R's default). p = 0 and 1 are the smallest and the largest value.
//
// At small n a quantile near 0 or 1 is the extreme value under another name: [warnTail] where n·min(p, 1-p) < 1, that
// is below 20 values for p = 0.95.
func NewQuantile(xs []float64, p float64) (Quantile, error) {
	if err := check(xs, 1); err != nil {
		return Quantile{}, err
	}
	if !(p >= 0 && p <= 1) {
		return Quantile{}, badParam("p %v is not in [0, 1]", p)
	}
	q := Quantile{N: len(xs), P: p, Value: quantileSorted(sorted(xs), p)}
	if beyond := float64(len(xs)) * min(p, 1-p); p > 0 && p < 1 && beyond < 1-1e-9 {
		q.Warnings = append(q.Warnings, warnTail)
	}
	return q, nil
}

// Median is the middle value, or the mean of the two middle ones.
func Median(xs []float64) (float64, error) {
	if err := check(xs, 1); err != nil {
		return 0, err
	}
	return median(xs), nil
}

// TrimmedMean is a mean over the values left when the EachSide smallest and EachSide largest of N are dropped.
type TrimmedMean struct {
	N        int
	EachSide int
	Mean     float64
	Warnings []Warning
}

// NewTrimmedMean drops int(cut·n) values from each side and returns the mean of the rest (scipy trim_mean, R
// mean(trim=)). It resists a few wild values without ignoring the size of all others. Below 1/cut values nothing is
// dropped: EachSide is 0, and [WarnUntrimmed] says so. cut must be in [0, 0.5).
func NewTrimmedMean(xs []float64, cut float64) (TrimmedMean, error) {
	if err := check(xs, 1); err != nil {
		return TrimmedMean{}, err
	}
	if !(cut >= 0 && cut < 0.5) {
		return TrimmedMean{}, badParam("cut %v is not in [0, 0.5)", cut)
	}
	each := int(cut * float64(len(xs)))
	kept := sorted(xs)[each : len(xs)-each]
	m, _ := moments(kept)
	t := TrimmedMean{N: len(xs), EachSide: each, Mean: m}
	if cut > 0 && each == 0 {
		t.Warnings = append(t.Warnings, WarnUntrimmed)
	}
	return t, nil
}

// NewIQM is the interquartile mean: [NewTrimmedMean] with a cut of 0.25 (Agarwal et al. 2021).
func NewIQM(xs []float64) (TrimmedMean, error) { return NewTrimmedMean(xs, 0.25) }

// prediction is the t interval for one further value, as [NewPrediction] gives it; not defined below two values.
func (s Summary) prediction(confidence float64) Interval {
	return s.around(confidence, methodPrediction, 1+1/float64(s.N))
}

// ClopperPearsonLower computes the exact one-sided interval from the lower bound to 1, all of whose error is below:
// the rate is at least Lo with the stated confidence. 59 of 59 are the fewest that show a rate of at least 95 % with
// 95 % confidence.
func ClopperPearsonLower(k, n int, confidence float64) (Proportion, error) {
	p, err := newProportion(k, n, confidence, "clopper-pearson-lower")
	if err != nil {
		return Proportion{}, err
	}
	p.Interval.Lo, p.Interval.Hi = clopperLower(k, n, 1-confidence), 1
	return p, nil
}

// quantileSorted interpolates as from + g·(to-from) and never beyond to, so that it is monotone in p to the last bit.
func quantileSorted(xs []float64, p float64) float64 {
	h := float64(float64(len(xs)-1) * p)
	i := int(math.Floor(h))
	g := h - float64(i)
	if g == 0 {
		return xs[i]
	}
	return min(xs[i+1], xs[i]+float64(g*(xs[i+1]-xs[i])))
}
