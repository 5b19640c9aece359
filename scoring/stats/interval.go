package stats

import (
	"math"

	"track/scoring/numeric"
)

// Methods of intervals.
const (
	MethodT              = "t"
	methodChiSquare      = "chi-square"
	MethodWilson         = "wilson"
	MethodClopperPearson = "clopper-pearson"
	MethodClopperLower   = "clopper-pearson-lower"
	methodPrediction     = "t-prediction"
	MethodNextMean       = "random-effects-prediction"
	MethodWelch          = "welch-t"
	methodBox            = "box"
	MethodBetting        = "betting"
	MethodMixture        = "betting-mixture"
	methodBernstein      = "empirical-bernstein"
	MethodBoundedMean    = "bounded-mean"
)

// Interval is a closed interval. Its ends are NaN if there is none, as for the mean of one value.
type Interval struct {
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	Confidence float64 `json:"confidence"` // 0.95 for 95 %
	Method     string  `json:"method"`     // one of the Method constants
}

// Defined says that the interval has ends.
func (i Interval) Defined() bool { return !math.IsNaN(i.Lo) && !math.IsNaN(i.Hi) }

// Contains says that x lies in the closed interval; false where it is not defined.
func (i Interval) Contains(x float64) bool { return i.Lo <= x && x <= i.Hi }

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
