package stats

import (
	"math"

	"track/scoring/numeric"
)

// Methods of intervals.
const (
	MethodT              = "t"
	MethodTSkewed        = "t-skewness"
	methodChiSquare      = "chi-square"
	MethodAdjusted       = "chi-square-kurtosis"
	MethodMarkov         = "markov"
	MethodRange          = "range"
	MethodWilson         = "wilson"
	MethodClopperPearson = "clopper-pearson"
	methodPrediction     = "t-prediction"
	MethodNextMean       = "random-effects-prediction"
	MethodWelch          = "welch-t"
	MethodClopperEnds    = "clopper-pearson-one-sided" // each end holds by itself
	methodBox            = "box"
	methodBetting        = "betting"
	MethodMixture        = "betting-mixture"
	methodBernstein      = "empirical-bernstein"
	MethodBoundedMean    = "bounded-mean"
)

// Interval is a closed interval. Its ends are NaN if there is none, as for the mean of one value.
type Interval struct {
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	Confidence float64 `json:"confidence"`   // 0.95 for 95 %
	Method     string  `json:"method"`       // one of the Method constants
	Cut        bool    `json:"cut,omitzero"` // an end lay outside what is possible, and was moved there
}

// Defined says that the interval has ends.
func (i Interval) Defined() bool { return !math.IsNaN(i.Lo) && !math.IsNaN(i.Hi) }

// Contains says that x lies in the closed interval; false where it is not defined.
func (i Interval) Contains(x float64) bool { return i.Lo <= x && x <= i.Hi }

// within cuts the interval to what is possible.
func (i Interval) within(lo, hi float64) Interval {
	if i.Lo < lo {
		i.Lo, i.Cut = lo, true
	}
	if i.Hi > hi {
		i.Hi, i.Cut = hi, true
	}
	return i
}

func noInterval(confidence float64, method string) Interval {
	return Interval{Lo: math.NaN(), Hi: math.NaN(), Confidence: confidence, Method: method}
}

// studentQuantile is the t with P(|T| <= t) = confidence.
func studentQuantile(confidence, df float64) float64 {
	return -numeric.StudentQuantile((1-confidence)/2, df)
}

// normalQuantile is the z with P(|Z| <= z) = confidence.
func normalQuantile(confidence float64) float64 {
	return -numeric.NormalQuantile((1 - confidence) / 2)
}
