package stats

import (
	"errors"
	"slices"
)

// Trend is how a series rises or falls from its first to its last value.
type Trend struct {
	N     int     `json:"n"`
	Rho   float64 `json:"rho"`   // Spearman's rank correlation with the position
	P     float64 `json:"p"`     // two-sided, against values in any order
	Slope float64 `json:"slope"` // from one value to the next
	Lag1  float64 `json:"lag1_autocorrelation"`
}

// TrendMinValues is the number of values below which [NewTrend] reports ErrTooFew.
const TrendMinValues = 8

// NewTrend tests whether a series rises or falls, by Spearman's rank correlation of value and position (Daniels 1950)
// with the p of [NewSpearman]. Without a trend, p ≤ 0.05 in at most 5 % of series if their values are exchangeable. A
// change of level is a trend to it, and so is a level that wanders: Lag1 is the autocorrelation of what the slope
// leaves. The slope is the median over pairs of values that are half the series apart (Theil 1950, the incomplete
// method).
func NewTrend(xs []float64, seed uint64) (Trend, error) {
	if err := check(xs, TrendMinValues); err != nil {
		return Trend{}, err
	}
	at := make([]float64, len(xs))
	var slopes []float64
	half := len(xs) / 2
	for i := range xs {
		if at[i] = float64(i); i >= half {
			slopes = append(slopes, (xs[i]-xs[i-half])/float64(half))
		}
	}
	t := Trend{N: len(xs), P: 1, Slope: median(slopes)}
	rest := slices.Clone(xs)
	for i := range rest {
		rest[i] -= float64(t.Slope * at[i])
	}
	t.Lag1 = lag1(rest)
	s, err := NewSpearman(at, xs, 0.95, seed)
	if errors.Is(err, ErrZeroVariance) {
		return t, nil
	}
	t.Rho, t.P = s.Rho, s.P
	return t, err
}
