package stats

import (
	"cmp"
	"fmt"
	"slices"
)

// Adjusted are p-values corrected for their number, in the order they came in.
type Adjusted struct {
	Method string // "holm" or "benjamini-hochberg"
	Alpha  float64
	P      []float64
	Reject []bool // P ≤ Alpha
}

// Holm controls the probability of even one false rejection among all tests, whatever their dependence (Holm 1979; R
// p.adjust): the i-th smallest p is multiplied by m-i+1, made monotone and cut at 1. Use it for a gate: 10 metrics at
// 0.05 each raise 40 % false alarms without. A test that could not be done still counts: pass p = 1, not NaN, which
// is errNonFinite. No tests reject nothing.
func Holm(p []float64, alpha float64) (Adjusted, error) {
	a, order, err := newAdjusted("holm", p, alpha)
	if err != nil {
		return Adjusted{}, err
	}
	largest := 0.0
	for rank, i := range order {
		largest = max(largest, min(1, p[i]*float64(len(p)-rank)))
		a.P[i] = largest
	}
	return a.decide(), nil
}

// newAdjusted checks the inputs and returns the indices of p from the smallest to the largest.
func newAdjusted(method string, p []float64, alpha float64) (Adjusted, []int, error) {
	if err := checkOpenUnit("alpha", alpha); err != nil {
		return Adjusted{}, nil, err
	}
	order := make([]int, len(p))
	for i, v := range p {
		switch {
		case !finite(v):
			return Adjusted{}, nil, fmt.Errorf("p %d is %v: %w", i, v, errNonFinite)
		case v < 0 || v > 1:
			return Adjusted{}, nil, badParam("p %d is %v", i, v)
		}
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	return Adjusted{Method: method, Alpha: alpha, P: make([]float64, len(p)), Reject: make([]bool, len(p))}, order, nil
}

func (a Adjusted) decide() Adjusted {
	for i, p := range a.P {
		a.Reject[i] = p <= a.Alpha
	}
	return a
}
