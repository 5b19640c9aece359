package scoring

import (
	"math"
	"slices"
)

// Accumulator computes [Moments] of numbers that come one by one, in constant memory. It sums differences from the
// first finite number, with compensation, so that an offset common to all numbers costs no digits.
type Accumulator struct {
	n            int
	min, max     float64
	hasShift     bool
	shift        float64
	sum, squares compensated
	nonFinite    float64 // sum of what is not finite: infinite or NaN where there was any, else 0
}

// Add takes one more number, which may be NaN or infinite.
func (a *Accumulator) Add(x float64) {
	if a.n == 0 {
		a.min, a.max = x, x
	}
	a.n++
	a.min, a.max = min(a.min, x), max(a.max, x) // NaN if either is
	if !finite(x) {
		a.nonFinite += x
		return
	}
	if !a.hasShift {
		a.shift, a.hasShift = x, true
	}
	d := x - a.shift
	a.sum.add(d)
	a.squares.add(float64(d * d))
}

// Moments returns the moments of the numbers so far.
func (a *Accumulator) Moments() Moments {
	nan := math.NaN()
	switch {
	case a.n == 0:
		return Moments{Mean: nan, Std: nan, Min: nan, Max: nan}
	case a.nonFinite != 0: // NaN too
		return Moments{N: a.n, Mean: a.nonFinite, Std: nan, Min: a.min, Max: a.max}
	}
	n := float64(a.n)
	sum := a.sum.value()
	return Moments{N: a.n, Mean: a.shift + sum/n, Std: populationStd(a.n, sum, a.squares.value()), Min: a.min, Max: a.max}
}

// ValueAccumulator accumulates the finite ones of the values of a metric, and counts the others.
type ValueAccumulator struct {
	finite          Accumulator
	nNaN, nInfinite int
}

// Add takes one more value.
func (a *ValueAccumulator) Add(x float64) {
	switch {
	case math.IsNaN(x):
		a.nNaN++
	case math.IsInf(x, 0):
		a.nInfinite++
	default:
		a.finite.Add(x)
	}
}

// Fill sets the moments and counts of the values in m.
func (a *ValueAccumulator) Fill(m *MetricTotals) {
	m.Value, m.NNaN, m.NInfinite = a.finite.Moments(), a.nNaN, a.nInfinite
}

// MomentsOf returns the moments of finite numbers, which it goes through twice.
func MomentsOf(xs []float64) Moments {
	if len(xs) == 0 {
		nan := math.NaN()
		return Moments{Mean: nan, Std: nan, Min: nan, Max: nan}
	}
	m := Moments{N: len(xs), Min: slices.Min(xs), Max: slices.Max(xs)}
	var sum, squares compensated
	for _, x := range xs {
		sum.add(x)
	}
	m.Mean = sum.value() / float64(m.N)
	for _, x := range xs {
		squares.add(float64((x - m.Mean) * (x - m.Mean)))
	}
	m.Std = math.Sqrt(squares.value() / float64(m.N))
	return m
}

// compensated is a sum that keeps what rounding takes from it, after Neumaier, Rundungsfehleranalyse einiger
// Verfahren zur Summation endlicher Summen (1974).
type compensated struct{ sum, lost float64 }

func (c *compensated) add(x float64) {
	total := c.sum + x
	if math.Abs(c.sum) >= math.Abs(x) {
		c.lost += (c.sum - total) + x
	} else {
		c.lost += (x - total) + c.sum
	}
	c.sum = total
}

// value is the sum; infinite where it is beyond float64.
func (c *compensated) value() float64 {
	if math.IsInf(c.sum, 0) {
		return c.sum
	}
	return c.sum + c.lost
}
