package scoring

import (
	"math"

	"track/scoring/numeric"
)

// failEscalationMultiplier widens or narrows the WARN band by a metric's weight: clamp(5 - 2*weight, 0.5, 5). Heavy
// metrics (weight 3) fail early (0.5), light ones (weight 0.5) late (4).
func failEscalationMultiplier(weight float64) float64 {
	return maxOf(0.5, minOf(5, 5-float64(2*weight)))
}

// scoreMeanTolerance is 1 on target, 0.5 at a distance of tolerance, and 0 from twice the tolerance. A tolerance of 0,
// of either sign, is an error in a spec, and scores 0.
func scoreMeanTolerance(actual, target, tolerance float64) float64 {
	if tolerance == 0 {
		return 0
	}
	return maxOf(0, 1-float64(math.Abs(actual-target)/tolerance/2))
}

// scoreRange is 1 at the centre of [lower, upper], 0.75 at both edges, and falls to 0 outside, by the overshoot in
// widths of the range. A range of width 0 scores 1 on its value and 0 elsewhere.
func scoreRange(actual, lower, upper float64) float64 {
	width := upper - lower
	if width == 0 {
		if actual == lower {
			return 1
		}
		return 0
	}
	if lower <= actual && actual <= upper {
		centre := float64((lower + upper) / 2)
		return 1 - float64(0.25*(math.Abs(actual-centre)/(width/2)))
	}
	overshoot := actual - upper
	if actual < lower {
		overshoot = lower - actual
	}
	return maxOf(0, 0.75-overshoot/width)
}

// scorePctWithinTarget is 1 from target up, 0.75 to 1 between lower and target, and falls in proportion to 0 below
// lower. All three are shares, 0.05 for 5 %.
func scorePctWithinTarget(actual, target, lower float64) float64 {
	switch {
	case actual >= target:
		return 1
	case actual >= lower:
		return 0.75 + float64(0.25*((actual-lower)/(target-lower)))
	case lower > 0:
		return maxOf(0, 0.75*(1-(lower-actual)/lower))
	}
	return 0
}

// scoreOutlierPenalty is 1 up to maxOutlier and decays exponentially beyond it, at the rate penaltyWeight (2 where a
// spec names none) per multiple of maxOutlier. With maxOutlier 0 any outlier scores 0. outlier and maxOutlier are
// shares.
func scoreOutlierPenalty(outlier, maxOutlier, penaltyWeight float64) float64 {
	if outlier <= maxOutlier {
		return 1
	}
	if maxOutlier == 0 {
		return 0
	}
	return maxOf(0, numeric.Exp(-penaltyWeight*(outlier-maxOutlier)/maxOutlier))
}

// scoreBoolean is 1 where [checkBoolean] passes and 0 elsewhere.
func scoreBoolean(actual, threshold float64, invert bool) float64 {
	if checkBoolean(actual, threshold, invert) == Pass {
		return 1
	}
	return 0
}

// CombinedFormula is the formula of the combined score over the names that its arguments have in results.
const CombinedFormula = "score_of_seeds_that_ran * pass_rate * (1 - std_score)"

// combinedScore returns mean * passRate * (1 - std), with the population standard deviation of the scores. It rewards
// small n: never rank by it across different numbers of seeds.
func combinedScore(mean, passRate, std float64) float64 {
	return mean * passRate * (1 - std)
}

// maxOf returns a unless b > a, so a NaN in second place yields a: the rule the published vectors follow. math.Max
// would propagate the NaN.
func maxOf(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

// minOf returns a unless b < a; see [maxOf].
func minOf(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}
