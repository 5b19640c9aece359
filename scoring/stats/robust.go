package stats

import (
	"math"
	"slices"
)

// Quantile is the P-quantile of N values.
type Quantile struct {
	N        int
	P        float64
	Value    float64
	Warnings []Warning
}

// NewQuantile computes the quantile of type 7 of Hyndman & Fan (1996): linear interpolation between the order statistics at
// (n-1)·p (numpy's and R's default). p = 0 and 1 are the smallest and the largest value.
//
// At small n a quantile near 0 or 1 is the extreme value under another name: [warnTail] where n·min(p, 1-p) < 1, that is below
// 20 values for p = 0.95.
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

func median(xs []float64) float64 { return quantileSorted(sorted(xs), 0.5) }

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

// TrimmedMean is a mean over the values left when the EachSide smallest and EachSide largest of N are dropped.
type TrimmedMean struct {
	N        int
	EachSide int
	Mean     float64
	Warnings []Warning
}

// NewTrimmedMean drops int(cut·n) values from each side and returns the mean of the rest (scipy trim_mean, R mean(trim=)). It
// resists a few wild values without ignoring the size of all others. Below 1/cut values nothing is dropped: EachSide is 0, and
// [WarnUntrimmed] says so. cut must be in [0, 0.5).
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

func sorted(xs []float64) []float64 { return slices.Sorted(slices.Values(xs)) }
