package scoring

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Format is how people see the values of a metric; it never changes how they are judged.
type Format string

// The formats.
const (
	FormatDefault Format = "DEFAULT" // four decimals
	FormatPercent Format = "PERCENT" // a share as a percentage
	FormatTrend   Format = "TREND"   // six decimals
	FormatInteger Format = "INTEGER" // a count
)

// Metric is one declared target of a scenario.
type Metric struct {
	Name       string
	Weight     float64 // share in the total score; 0 counts in the statuses only
	Target     Target
	Group      string // heading under which reports show it; may be empty
	Format     Format
	TargetDesc string // how people describe the target; may be empty
	// Margin is the smallest difference of values that matters, in their unit, above 0; nil where none is declared.
	Margin *float64
	// From says how the value follows from the series of a seed; nil where the seed carries the value itself.
	From *Reduction
}

// Description is TargetDesc, or the target itself in the unit of the metric's values if none is given.
func (m Metric) Description() string {
	switch {
	case m.TargetDesc != "":
		return m.TargetDesc
	case m.Format == FormatPercent:
		return m.Target.describe(percent)
	}
	return m.Target.describe(number)
}

// Computed says how the value comes about, as in "mean of unemployment, skip 500"; "given" if the seed carries it.
func (m Metric) Computed() string {
	if m.From == nil {
		return "given"
	}
	return m.From.String()
}

// Improvement says how a scenario is compared with its baseline.
type Improvement struct {
	Baseline           string  `json:"baseline,omitempty"`   // scenario whose seeds are the baseline; empty for the scenario itself
	MaxDegradationBase float64 `json:"max_degradation_base"` // base of [CheckImprovement] on the mean delta
}

// Spec declares the metrics of a scenario. It is a value: once added to a database, a version never changes.
type Spec struct {
	Scenario    string
	Title       string
	Metrics     []Metric
	Improvement *Improvement // nil where the file says nothing
	Gate        *GateRules   // nil where the file says nothing
}

// FieldProblem says what is wrong with one field.
type FieldProblem struct{ Field, Message string }

// Problem says what is wrong with a spec: with a field of the metric at index Metric, or of the spec itself where
// Metric is -1.
type Problem struct {
	Metric int
	Name   string // the metric's name, empty where Metric is -1
	FieldProblem
}

func (p Problem) Error() string {
	if p.Metric < 0 {
		return p.Field + ": " + p.Message
	}
	name := p.Name
	if name == "" {
		name = fmt.Sprintf("#%d", p.Metric+1)
	}
	return fmt.Sprintf("metric %s: %s: %s", name, p.Field, p.Message)
}

// problems lists everything that makes the spec unusable, in the order of the spec; none means that every metric can
// be judged for every value.
func (s Spec) Problems() []Problem {
	var list []Problem
	add := func(metric int, name, field, message string) {
		list = append(list, Problem{metric, name, FieldProblem{field, message}})
	}
	if strings.TrimSpace(s.Scenario) == "" {
		add(-1, "", "scenario", "missing: name the scenario")
	}
	if len(s.Metrics) == 0 {
		add(-1, "", "metrics", "empty: a spec needs at least one metric")
	}
	if s.Improvement != nil && !(s.Improvement.MaxDegradationBase >= 0 && !math.IsInf(s.Improvement.MaxDegradationBase, 0)) {
		add(-1, "", "improvement.max_degradation_base", "must be a finite number of at least 0")
	}
	if s.Gate != nil {
		for _, p := range s.Gate.Problems() {
			add(-1, "", "gate."+p.Field, p.Message)
		}
	}
	seen := map[string]int{}
	total := 0.0
	for i, m := range s.Metrics {
		if strings.TrimSpace(m.Name) == "" {
			add(i, m.Name, "name", "missing")
		} else if first, dup := seen[m.Name]; dup {
			add(i, m.Name, "name", fmt.Sprintf("duplicate of metric #%d", first+1))
		} else {
			seen[m.Name] = i
		}
		switch {
		case !finite(m.Weight):
			add(i, m.Name, "weight", "must be a finite number")
		case m.Weight < 0:
			add(i, m.Name, "weight", fmt.Sprintf("%v is negative", m.Weight))
		default:
			total += m.Weight
		}
		if !m.Format.known() {
			add(i, m.Name, "format", fmt.Sprintf("unknown format %q: use DEFAULT, PERCENT, TREND or INTEGER", m.Format))
		}
		if m.Margin != nil && !(*m.Margin > 0 && finite(*m.Margin)) {
			add(i, m.Name, "margin", fmt.Sprintf("%v must be a finite number above 0", *m.Margin))
		}
		if m.Target != nil { // else reported where the type was read
			for _, p := range m.Target.problems() {
				add(i, m.Name, p.Field, p.Message)
			}
		}
		if m.From != nil {
			for _, p := range m.From.problems() {
				add(i, m.Name, "from."+p.Field, p.Message)
			}
		}
	}
	if len(s.Metrics) > 0 && total == 0 {
		add(-1, "", "metrics", "the weights sum to 0: a total score needs at least one positive weight")
	} else if !finite(total) {
		add(-1, "", "metrics", "the weights sum to infinity")
	}
	return list
}

func (f Format) known() bool {
	switch f {
	case FormatDefault, FormatPercent, FormatTrend, FormatInteger:
		return true
	}
	return false
}

func (t MeanTolerance) problems() []FieldProblem {
	list := nonFinite("target", t.Target, "tolerance", t.Tolerance, "min", deref(t.Min), "max", deref(t.Max))
	if t.Tolerance <= 0 {
		list = append(list, FieldProblem{"tolerance", fmt.Sprintf("%v must be greater than 0", t.Tolerance)})
	}
	if t.Min != nil && t.Max != nil && *t.Min > *t.Max {
		list = append(list, FieldProblem{"min", fmt.Sprintf("%v is above max %v", *t.Min, *t.Max)})
	}
	return list
}

func (t Range) problems() []FieldProblem {
	list := nonFinite("min", t.Min, "max", t.Max)
	switch {
	case t.Min > t.Max:
		list = append(list, FieldProblem{"min", fmt.Sprintf("%v is above max %v", t.Min, t.Max)})
	case len(list) == 0 && !finite(t.Max-t.Min):
		list = append(list, FieldProblem{"max", "the width of the range is infinite in float64"})
	}
	return list
}

func (t PctWithin) problems() []FieldProblem {
	list := nonFinite("target", t.Target, "min", t.Min)
	switch {
	case t.Min > t.Target:
		list = append(list, FieldProblem{"min", fmt.Sprintf("%v is above target %v", t.Min, t.Target)})
	case len(list) == 0 && !finite(t.Target-t.Min):
		list = append(list, FieldProblem{"target", "the distance from min is infinite in float64"})
	}
	return list
}

func (t Outlier) problems() []FieldProblem {
	list := nonFinite("max_outlier", t.MaxOutlier, "penalty_weight", t.PenaltyWeight)
	if t.MaxOutlier < 0 {
		list = append(list, FieldProblem{"max_outlier", fmt.Sprintf("%v is negative", t.MaxOutlier)})
	}
	if t.PenaltyWeight < 0 {
		list = append(list, FieldProblem{"penalty_weight", fmt.Sprintf("%v is negative: more outliers would score higher", t.PenaltyWeight)})
	}
	return list
}

func (t Boolean) problems() []FieldProblem { return nonFinite("threshold", t.Threshold) }

// nonFinite takes pairs of a field's name and its value and reports the values that are NaN or infinite.
func nonFinite(pairs ...any) []FieldProblem {
	var list []FieldProblem
	for i := 0; i < len(pairs); i += 2 {
		if x := pairs[i+1].(float64); !finite(x) {
			list = append(list, FieldProblem{pairs[i].(string), fmt.Sprintf("%v is not a finite number", x)})
		}
	}
	return list
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// deref returns 0 for an absent bound.
func deref(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

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
