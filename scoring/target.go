package scoring

import (
	"fmt"
	"math"
	"strconv"
)

// Type names how a metric is judged.
type Type string

// The metric types.
const (
	TypeMeanTolerance Type = "MEAN_TOLERANCE"
	TypeRange         Type = "RANGE"
	TypePctWithin     Type = "PCT_WITHIN"
	TypeOutlier       Type = "OUTLIER"
	TypeBoolean       Type = "BOOLEAN"
)

// Target is what a metric is held against; each metric type has one implementation.
type Target interface {
	Type() Type
	// Score rates a finite actual from 0 (far off) to 1 (on target); see [reasonNoScore] for where it cannot.
	score(actual float64) float64
	// Check judges actual; escalation (see [failEscalationMultiplier]) scales the band between Pass and Fail.
	check(actual, escalation float64) Status
	// limits returns, up to rounding, the values at which the status changes.
	limits(escalation float64) []float64
	// String describes the target for people, as in "0.065 ± 0.02".
	String() string
	// describe is String with values written by number.
	describe(number func(float64) string) string
	// problems lists what makes the target unusable.
	problems() []FieldProblem
}

// MeanTolerance wants a value near Target, and never outside the hard bounds Min and Max; nil is unbounded.
type MeanTolerance struct {
	Target, Tolerance float64
	Min, Max          *float64
}

// Range wants a value in [Min, Max].
type Range struct{ Min, Max float64 }

// PctWithin wants a share of at least Target; below Min it is bad.
type PctWithin struct{ Target, Min float64 }

// Outlier wants a share of outliers of at most MaxOutlier; PenaltyWeight is the decay rate of the score beyond it.
type Outlier struct{ MaxOutlier, PenaltyWeight float64 }

// Boolean wants a value above Threshold, or below it with Invert.
type Boolean struct {
	Threshold float64
	Invert    bool
}

// Type returns TypeMeanTolerance.
func (MeanTolerance) Type() Type { return TypeMeanTolerance }

// Type returns TypeRange.
func (Range) Type() Type { return TypeRange }

// Type returns TypePctWithin.
func (PctWithin) Type() Type { return TypePctWithin }

// Type returns TypeOutlier.
func (Outlier) Type() Type { return TypeOutlier }

// Type returns TypeBoolean.
func (Boolean) Type() Type { return TypeBoolean }

// score is [scoreMeanTolerance]; hard bounds do not change it.
func (t MeanTolerance) score(actual float64) float64 {
	return scoreMeanTolerance(actual, t.Target, t.Tolerance)
}

// score is [scoreRange].
func (t Range) score(actual float64) float64 { return scoreRange(actual, t.Min, t.Max) }

// score is [scorePctWithinTarget].
func (t PctWithin) score(actual float64) float64 {
	return scorePctWithinTarget(actual, t.Target, t.Min)
}

// score is [scoreOutlierPenalty].
func (t Outlier) score(actual float64) float64 {
	return scoreOutlierPenalty(actual, t.MaxOutlier, t.PenaltyWeight)
}

// score is [scoreBoolean].
func (t Boolean) score(actual float64) float64 { return scoreBoolean(actual, t.Threshold, t.Invert) }

// check is [checkMeanTolerance], then [checkHardBounds] where the target has bounds.
func (t MeanTolerance) check(actual, escalation float64) Status {
	status := checkMeanTolerance(actual, t.Target, t.Tolerance, defaultWarnMultiplier, escalation)
	if t.Min == nil && t.Max == nil {
		return status
	}
	unit := checkMeanTolerance(actual, t.Target, t.Tolerance, defaultWarnMultiplier, 1)
	return checkHardBounds(status, unit, actual, t.lower(), t.upper())
}

// check is [checkRange].
func (t Range) check(actual, escalation float64) Status {
	return checkRange(actual, t.Min, t.Max, defaultWarnBuffer, escalation)
}

// check is [checkPctWithinTarget].
func (t PctWithin) check(actual, escalation float64) Status {
	return checkPctWithinTarget(actual, t.Target, t.Min, escalation)
}

// check is [checkOutlierPenalty].
func (t Outlier) check(actual, escalation float64) Status {
	return checkOutlierPenalty(actual, t.MaxOutlier, defaultSevereMultiplier, escalation)
}

// check is [checkBoolean]; it has no band to escalate.
func (t Boolean) check(actual, _ float64) Status {
	return checkBoolean(actual, t.Threshold, t.Invert)
}

func (t MeanTolerance) lower() float64 {
	if t.Min == nil {
		return math.Inf(-1)
	}
	return *t.Min
}

func (t MeanTolerance) upper() float64 {
	if t.Max == nil {
		return math.Inf(1)
	}
	return *t.Max
}

// String describes the target; its values are shares for PctWithin and Outlier.
func (t MeanTolerance) String() string { return t.describe(number) }

func (t Range) String() string { return t.describe(number) }

func (t PctWithin) String() string { return t.describe(percent) }

func (t Outlier) String() string { return t.describe(percent) }

func (t Boolean) String() string { return t.describe(number) }

func (t MeanTolerance) describe(number func(float64) string) string {
	s := number(t.Target) + " ± " + number(t.Tolerance)
	switch {
	case t.Min != nil && t.Max != nil:
		s += " in [" + number(*t.Min) + ", " + number(*t.Max) + "]"
	case t.Min != nil:
		s += ", ≥ " + number(*t.Min)
	case t.Max != nil:
		s += ", ≤ " + number(*t.Max)
	}
	return s
}

func (t Range) describe(number func(float64) string) string {
	return "[" + number(t.Min) + ", " + number(t.Max) + "]"
}

func (t PctWithin) describe(number func(float64) string) string {
	return fmt.Sprintf("≥ %s (min %s)", number(t.Target), number(t.Min))
}

func (t Outlier) describe(number func(float64) string) string { return "≤ " + number(t.MaxOutlier) }

func (t Boolean) describe(number func(float64) string) string {
	if t.Invert {
		return "< " + number(t.Threshold)
	}
	return "> " + number(t.Threshold)
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// percent rounds to six digits so that 0.07 reads as 7%, not 7.000000000000001%.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 6, 64) + "%" }
