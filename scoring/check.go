package scoring

import "math"

// Parameters of the checks that a spec does not set.
const (
	// defaultWarnMultiplier is how many tolerances from its target a MEAN_TOLERANCE metric may be and still WARN.
	defaultWarnMultiplier = 2.0
	// defaultWarnBuffer is how many widths outside its range a RANGE metric may be and still WARN.
	defaultWarnBuffer = 0.5
	// defaultSevereMultiplier is how many times its maximum an OUTLIER metric may be and still WARN.
	defaultSevereMultiplier = 2.0
	// DefaultPenaltyWeight is the decay rate of [scoreOutlierPenalty].
	DefaultPenaltyWeight = 2.0
	// defaultDegradationBase is the base of [CheckImprovement] for a single delta.
	defaultDegradationBase = 0.10
	// DefaultMeanDegradationBase is the base for the mean delta over seeds, where the spec sets none.
	DefaultMeanDegradationBase = 0.25
)

// checkMeanTolerance is Pass within tolerance of target, Warn within tolerance*warnMultiplier*escalation, else Fail.
func checkMeanTolerance(actual, target, tolerance, warnMultiplier, escalation float64) Status {
	distance := math.Abs(actual - target)
	switch {
	case distance <= tolerance:
		return Pass
	case distance <= tolerance*warnMultiplier*escalation:
		return Warn
	}
	return Fail
}

// checkHardBounds corrects the status of a MEAN_TOLERANCE metric by its hard bounds; a bound that is not set is
// infinite. Outside them, and for NaN, the status is Fail. Inside them a Fail becomes Warn, unless it is caused only
// by an escalation below 1, that is: unless atUnitEscalation, the status with escalation 1, is better than Fail.
func checkHardBounds(status, atUnitEscalation Status, actual, lower, upper float64) Status {
	switch {
	case !(lower <= actual && actual <= upper):
		return Fail
	case status == Fail && atUnitEscalation == Fail:
		return Warn
	}
	return status
}

// checkRange is Pass in [lower, upper], Warn within warnBuffer*escalation widths outside it, else Fail.
func checkRange(actual, lower, upper, warnBuffer, escalation float64) Status {
	if lower <= actual && actual <= upper {
		return Pass
	}
	buffer := float64((upper - lower) * float64(warnBuffer*escalation))
	if lower-buffer <= actual && actual <= upper+buffer {
		return Warn
	}
	return Fail
}

// checkPctWithinTarget is Pass from target up, Warn down to max(0, lower-(target-lower)*(escalation-1)), else Fail.
func checkPctWithinTarget(actual, target, lower, escalation float64) Status {
	effectiveMin := maxOf(0, lower-float64((target-lower)*(escalation-1)))
	switch {
	case actual >= target:
		return Pass
	case actual >= effectiveMin:
		return Warn
	}
	return Fail
}

// checkOutlierPenalty is Pass up to maxOutlier, Warn up to maxOutlier*severeMultiplier*escalation, else Fail.
func checkOutlierPenalty(outlier, maxOutlier, severeMultiplier, escalation float64) Status {
	switch {
	case outlier <= maxOutlier:
		return Pass
	case outlier <= maxOutlier*severeMultiplier*escalation:
		return Warn
	}
	return Fail
}

// checkBoolean is Pass where actual > threshold, or actual < threshold with invert, both strict; else Fail. It knows
// no Warn.
func checkBoolean(actual, threshold float64, invert bool) Status {
	if invert && actual < threshold || !invert && actual > threshold {
		return Pass
	}
	return Fail
}

// CheckImprovement judges a change of score: Pass for delta >= 0, Warn for a loss of at most base/max(weight, 0.1),
// else Fail.
func CheckImprovement(delta, weight, base float64) Status {
	switch {
	case delta >= 0:
		return Pass
	case math.Abs(delta) <= DegradationThreshold(weight, base):
		return Warn
	}
	return Fail
}

// DegradationThreshold is the largest loss of score that [CheckImprovement] lets pass as Warn: base/max(weight, 0.1).
func DegradationThreshold(weight, base float64) float64 {
	return base / maxOf(weight, 0.1)
}
