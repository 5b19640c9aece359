package stats

import (
	"math"

	"track/scoring/numeric"
)

// EffectVariant says what a mean difference is divided by.
type EffectVariant string

// The variants.
const (
	EffectDz     EffectVariant = "dz"     // paired: the sd of the differences, n-1 degrees of freedom
	EffectDav    EffectVariant = "dav"    // paired: √((sa²+sb²)/2), n-1 degrees of freedom
	effectPooled EffectVariant = "pooled" // independent: the pooled sd, na+nb-2 degrees of freedom
)

// Effect is a standardised mean difference.
type Effect struct {
	Variant  EffectVariant
	NA, NB   int
	D        float64 // Cohen's d
	G        float64 // Hedges' g, J·D: free of the bias of D
	J        float64 // the correction
	DF       float64
	Warnings []Warning
}

// NewEffect computes Cohen's d of a - b and Hedges' g with the exact correction J = Γ(df/2)/(√(df/2)·Γ((df-1)/2))
// (Hedges 1981; R effectsize; the usual 1 - 3/(4·df-1) is 1.3 % off at df = 2).
//
// g assumes normal values. At df = 1, two pairs, J and so g are 0: d has no expectation there. Fewer than 2 values
// are ErrTooFew (pooled: fewer than 2 on either side); a divisor of 0 is ErrZeroVariance.
func NewEffect(a, b []float64, variant EffectVariant) (Effect, error) {
	divisor, df, err := effectDivisor(a, b, variant)
	if err != nil {
		return Effect{}, err
	}
	diff := meanDifference(a, b)
	switch {
	case divisor == 0:
		return Effect{}, ErrZeroVariance
	case !finite(divisor) || !finite(diff):
		return Effect{}, errOverflow
	}
	d, j := diff/divisor, hedgesJ(df)
	return Effect{
		Variant: variant, NA: len(a), NB: len(b), D: d, G: j * d, J: j, DF: df, Warnings: smallN(min(len(a), len(b))),
	}, nil
}

func effectDivisor(a, b []float64, variant EffectVariant) (divisor, df float64, err error) {
	switch variant {
	case EffectDz:
		divisor, err = differenceSD(a, b)
		return divisor, float64(len(a) - 1), err
	case EffectDav:
		if err := checkPairs(a, b, 2); err != nil {
			return 0, 0, err
		}
		return math.Sqrt((variance(a) + variance(b)) / 2), float64(len(a) - 1), nil
	case effectPooled:
		if err := checkBoth(a, b, 2); err != nil {
			return 0, 0, err
		}
		return pooledSD(a, b), float64(len(a) + len(b) - 2), nil
	}
	return 0, 0, badParam("effect variant %q", variant)
}

// differenceSD returns the sd of a - b; one that is only rounding is 0.
func differenceSD(a, b []float64) (float64, error) {
	if err := checkPairs(a, b, 2); err != nil {
		return 0, err
	}
	d, err := Differences(a, b)
	if err != nil || equalButForRounding(d, a, b) {
		return 0, err
	}
	return sampleSD(d), nil
}

func meanDifference(a, b []float64) float64 {
	ma, _ := moments(a)
	mb, _ := moments(b)
	return ma - mb
}

func variance(xs []float64) float64 {
	_, ss := moments(xs)
	return ss / float64(len(xs)-1)
}

func pooledSD(a, b []float64) float64 {
	_, ssa := moments(a)
	_, ssb := moments(b)
	return math.Sqrt((ssa + ssb) / float64(len(a)+len(b)-2))
}

// hedgesJ is 0 at df = 1, where Γ((df-1)/2) is infinite.
func hedgesJ(df float64) float64 {
	if df == 1 {
		return 0
	}
	return numeric.Exp(numeric.LogGamma(df/2)-numeric.LogGamma((df-1)/2)) / math.Sqrt(df/2)
}
