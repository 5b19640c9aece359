package scoring

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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

// DefaultConfidence is that of intervals and of the bounds of a gate.
const DefaultConfidence = 0.95

// Bound names the lower bound of the mean total score that must reach MinScore.
type Bound string

// The bounds.
const (
	BoundT                Bound = ""                  // a t bound, corrected for the skewness of the scores; it assumes that they show their tail
	BoundDistributionFree Bound = "distribution-free" // valid for every distribution of scores in [0, 1]
)

// NameT is what people call [BoundT].
const NameT = "t"

// ParseBound reads the name of a bound; an unknown one is refused by [GateRules.Problems].
func ParseBound(name string) Bound {
	if name == NameT {
		return BoundT
	}
	return Bound(name)
}

// Name is what people call the bound.
func (b Bound) Name() string { return cmp.Or(string(b), NameT) }

// ValuesRule says what follows where the values of a metric moved from those of the baseline.
type ValuesRule string

// The rules.
const (
	ValuesReported  ValuesRule = ""          // a warning
	ValuesUnchanged ValuesRule = "unchanged" // every metric must be shown to differ by less than its margin
)

const nameReported = "report"

// ParseValuesRule reads the name of a rule; an unknown one is refused by [GateRules.Problems].
func ParseValuesRule(name string) ValuesRule {
	if name == nameReported {
		return ValuesReported
	}
	return ValuesRule(name)
}

// Name is what people call the rule.
func (r ValuesRule) Name() string { return cmp.Or(string(r), nameReported) }

// GateRules say what the seeds of a configuration must show to pass a gate. A rule that is nil, false or 0 does not
// apply.
type GateRules struct {
	MinPassRate   *float64   `json:"min_pass_rate,omitzero"`  // the lower bound of the pass rate must reach it; 0..1
	Stable        bool       `json:"stable,omitzero"`         // the configuration must be stable, see [isStable]
	MaxStd        *float64   `json:"max_std,omitzero"`        // the sample standard deviation of the total scores must be shown to be at most this
	MinScore      *float64   `json:"min_score,omitzero"`      // the mean total score must be shown to be at least this; 0..1
	NoDegradation bool       `json:"no_degradation,omitzero"` // no metric may lose more than [DegradationThreshold] against the baseline
	Values        ValuesRule `json:"values,omitzero"`         // what follows from values of metrics that moved from the baseline
	MinSeeds      int        `json:"min_seeds,omitzero"`      // with fewer recorded seeds the gate is inconclusive
	Bound         Bound      `json:"bound,omitzero"`          // of MinScore

	// Guard names the metrics and groups that NoDegradation judges; nil means all of them. LeaveOut names metrics and
	// groups that it does not judge, each with the reason.
	Guard    []string  `json:"guard,omitzero"`
	LeaveOut []LeftOut `json:"leave_out,omitzero"`

	// Confidence of the bounds; 1 - Confidence bounds the chance of a false FAIL over all rules together. 0 means
	// [DefaultConfidence].
	Confidence float64 `json:"confidence,omitzero"`
	// FailOn are the verdicts, beside FAIL, that make the gate exit with a failure; nil means INCONCLUSIVE.
	FailOn []Verdict `json:"fail_on,omitzero"`
}

// LeftOut is a metric or a group that no_degradation does not judge.
type LeftOut struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// LeavesOut returns why no_degradation does not judge a metric; empty if it does.
func (g GateRules) LeavesOut(m MetricInfo) string {
	for _, out := range g.LeaveOut {
		if out.Name == m.Name || out.Name == m.Group && m.Group != "" {
			return out.Reason
		}
	}
	if g.Guard != nil && !slices.Contains(g.Guard, m.Name) && !(m.Group != "" && slices.Contains(g.Guard, m.Group)) {
		return "not among the guarded metrics"
	}
	return ""
}

// Compares reports whether a rule in force needs a baseline.
func (g GateRules) Compares() bool { return g.NoDegradation || g.Values == ValuesUnchanged }

// Any says that at least one rule is in force.
func (g GateRules) Any() bool {
	return g.MinPassRate != nil || g.Stable || g.MaxStd != nil || g.MinScore != nil || g.Compares() || g.MinSeeds > 0
}

// Judges says that a rule other than MinSeeds is in force: a number of seeds says nothing of how good they are.
func (g GateRules) Judges() bool {
	g.MinSeeds = 0
	return g.Any()
}

// problems lists the fields that make the rules unusable.
func (g GateRules) Problems() []FieldProblem {
	var list []FieldProblem
	within := func(field string, x *float64, lo, hi float64) {
		if x != nil && !(lo <= *x && *x <= hi) {
			list = append(list, FieldProblem{field, fmt.Sprintf("%v is not between %v and %v", *x, lo, hi)})
		}
	}
	within("min_pass_rate", g.MinPassRate, 0, 1)
	within("max_std", g.MaxStd, 0, 1)
	within("min_score", g.MinScore, 0, 1)
	if g.MinSeeds < 0 {
		list = append(list, FieldProblem{"min_seeds", fmt.Sprintf("%d is negative", g.MinSeeds)})
	}
	if g.Confidence != 0 && !(g.Confidence >= 0.5 && g.Confidence < 1) {
		list = append(list, FieldProblem{"confidence", fmt.Sprintf("%v is not from 0.5 to below 1", g.Confidence)})
	}
	if g.Bound != BoundT && g.Bound != BoundDistributionFree {
		list = append(list, FieldProblem{"bound", fmt.Sprintf("unknown bound %q: use %s or %s", g.Bound, NameT, BoundDistributionFree)})
	}
	if g.Values != ValuesReported && g.Values != ValuesUnchanged {
		list = append(list, FieldProblem{"values", fmt.Sprintf("unknown rule %q: use %s or %s", string(g.Values), ValuesUnchanged, nameReported)})
	}
	for _, v := range g.FailOn {
		if v != VerdictWarn && v != VerdictInconclusive && v != VerdictFail {
			list = append(list, FieldProblem{"fail_on", fmt.Sprintf("unknown verdict %q: use warn, inconclusive or fail", v)})
		}
	}
	return list
}

// Fails says whether the rules fail on a verdict. On FAIL they always do, on INCONCLUSIVE unless FailOn is set
// without it; where they fail on WARN they fail on INCONCLUSIVE too, which is worse.
func (g GateRules) Fails(v Verdict) bool {
	named := g.FailOn
	if named == nil {
		named = []Verdict{VerdictInconclusive}
	}
	return v == VerdictFail || slices.Contains(named, v) || v == VerdictInconclusive && slices.Contains(named, VerdictWarn)
}

// FailingVerdicts returns the verdicts that the rules fail on, from the best to the worst.
func (g GateRules) FailingVerdicts() []Verdict {
	return slices.DeleteFunc(Verdicts(), func(v Verdict) bool { return !g.Fails(v) })
}

// String returns the rules in words, for people.
func (g GateRules) String() string {
	list := g.limits()
	settings := g.Settings()
	last := len(settings) - 1 // the confidence, which is always set
	list = append(list, settings[:last]...)
	if len(list) == 0 {
		list = append(list, "no rule")
	}
	return strings.Join(list, ", ") + "; " + settings[last]
}

// limits returns each rule with its limit, in words.
func (g GateRules) limits() (list []string) {
	number := func(name string, x *float64) {
		if x != nil {
			list = append(list, fmt.Sprintf("%s %v", name, *x))
		}
	}
	if g.MinSeeds > 0 {
		list = append(list, fmt.Sprintf("min_seeds %d", g.MinSeeds))
	}
	number("min_pass_rate", g.MinPassRate)
	if g.Stable {
		list = append(list, "stable")
	}
	number("max_std", g.MaxStd)
	number("min_score", g.MinScore)
	if g.NoDegradation {
		list = append(list, "no_degradation")
	}
	if g.Values == ValuesUnchanged {
		list = append(list, "values unchanged")
	}
	return list
}

// Settings returns in words how the rules are applied: the bound, what no_degradation judges, and the confidence.
func (g GateRules) Settings() (list []string) {
	if g.Bound != BoundT {
		list = append(list, "bound "+g.Bound.Name())
	}
	if g.Guard != nil {
		list = append(list, "guard ["+strings.Join(g.Guard, ", ")+"]")
	}
	for _, out := range g.LeaveOut {
		list = append(list, fmt.Sprintf("leave_out %s (%s)", out.Name, out.Reason))
	}
	return append(list, fmt.Sprintf("confidence %v", cmp.Or(g.Confidence, DefaultConfidence)))
}

// ActiveRules returns the rules of a spec, replaced by the given ones where both set one. If no rule judges the seeds,
// a configuration must be stable.
func (s Spec) ActiveRules(given GateRules) GateRules {
	var rules GateRules
	if s.Gate != nil {
		rules = *s.Gate
	}
	if given.MinPassRate != nil {
		rules.MinPassRate = given.MinPassRate
	}
	if given.MaxStd != nil {
		rules.MaxStd = given.MaxStd
	}
	if given.MinScore != nil {
		rules.MinScore = given.MinScore
	}
	if given.Bound != BoundT {
		rules.Bound = given.Bound
	}
	if given.MinSeeds > 0 {
		rules.MinSeeds = given.MinSeeds
	}
	if given.Confidence != 0 {
		rules.Confidence = given.Confidence
	}
	if given.FailOn != nil {
		rules.FailOn = given.FailOn
	}
	if given.Guard != nil {
		rules.Guard = given.Guard
	}
	if given.LeaveOut != nil {
		rules.LeaveOut = given.LeaveOut
	}
	if given.Values != ValuesReported {
		rules.Values = given.Values
	}
	rules.Stable = rules.Stable || given.Stable
	rules.NoDegradation = rules.NoDegradation || given.NoDegradation
	rules.Stable = rules.Stable || !rules.Judges()
	if rules.Confidence == 0 {
		rules.Confidence = DefaultConfidence
	}
	return rules
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

// Band is a range of values that all get the same status. Its ends belong to it; nil is unbounded.
type Band struct {
	Status Status   `json:"status"`
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`
}

// Bands returns which status each finite value of the metric gets, from the smallest values to the largest. The ends
// are exact: the next float64 beyond an end belongs to the next band. A metric without a target has none.
func (m Metric) Bands() []Band {
	if m.Target == nil {
		return nil
	}
	status := func(x float64) Status { return m.Target.check(x, failEscalationMultiplier(m.Weight)) }
	samples := samplesAround(m.Target.limits(failEscalationMultiplier(m.Weight)))
	bands := []Band{{Status: status(samples[0])}}
	for i := 1; i < len(samples); i++ {
		for from := samples[i-1]; status(from) != status(samples[i]); {
			hi, lo := lastAlike(from, samples[i], status)
			bands[len(bands)-1].Hi = &hi
			bands = append(bands, Band{Status: status(lo), Lo: &lo})
			from = lo
		}
	}
	return bands
}

// samplesAround returns values such that the status changes at most once between two of them: the limits, the middles
// between them, and the ends of float64.
func samplesAround(limits []float64) []float64 {
	limits = slices.DeleteFunc(limits, func(x float64) bool { return !finite(x) })
	slices.Sort(limits)
	samples := []float64{-math.MaxFloat64}
	for i, x := range limits {
		if i > 0 {
			samples = append(samples, limits[i-1]+float64((x-limits[i-1])/2))
		}
		samples = append(samples, x)
	}
	return append(samples, math.MaxFloat64)
}

// lastAlike returns the last value from a towards b that has the status of a, and the float64 after it. It bisects the
// numbers of the float64 in their order.
func lastAlike(a, b float64, status func(float64) Status) (last, next float64) {
	lo, hi := position(a), position(b)
	for uint64(hi)-uint64(lo) > 1 {
		middle := lo + int64((uint64(hi)-uint64(lo))/2)
		if status(atPosition(middle)) == status(a) {
			lo = middle
		} else {
			hi = middle
		}
	}
	return atPosition(lo), atPosition(hi)
}

// position returns the place of x among all float64: that of the next one is larger by 1.
func position(x float64) int64 {
	bits := int64(math.Float64bits(x))
	if bits < 0 {
		return math.MinInt64 - bits
	}
	return bits
}

func atPosition(i int64) float64 {
	if i < 0 {
		i = math.MinInt64 - i
	}
	return math.Float64frombits(uint64(i))
}

// limits returns where the status changes, up to rounding: between tolerances and at the hard bounds.
func (t MeanTolerance) limits(escalation float64) []float64 {
	list := []float64{t.Target}
	for _, distance := range []float64{t.Tolerance, float64(t.Tolerance * defaultWarnMultiplier), float64(t.Tolerance * defaultWarnMultiplier * escalation)} {
		list = append(list, t.Target-distance, t.Target+distance)
	}
	for _, bound := range []*float64{t.Min, t.Max} {
		if bound != nil {
			list = append(list, *bound)
		}
	}
	return list
}

// limits returns the ends of the range and of the buffers around it.
func (t Range) limits(escalation float64) []float64 {
	buffer := float64((t.Max - t.Min) * defaultWarnBuffer * escalation)
	return []float64{t.Min - buffer, t.Min, t.Max, t.Max + buffer}
}

// limits returns the target and the least share that is not FAIL.
func (t PctWithin) limits(escalation float64) []float64 {
	return []float64{maxOf(0, t.Min-float64((t.Target-t.Min)*(escalation-1))), t.Target}
}

// limits returns the largest shares that are PASS and WARN.
func (t Outlier) limits(escalation float64) []float64 {
	return []float64{t.MaxOutlier, t.MaxOutlier * defaultSevereMultiplier * escalation}
}

// limits returns the threshold.
func (t Boolean) limits(float64) []float64 { return []float64{t.Threshold} }

// BandText says which values get a status, as in "0.005 to 0.045 or 0.085 to 0.125"; empty for none. Where two bands
// meet, their limit belongs to the better status. Numbers have at most ten digits.
func (m Metric) BandText(status Status) string {
	bands := m.Bands()
	largest := 0.0
	for _, b := range bands {
		largest = max(largest, math.Abs(deref(b.Lo)), math.Abs(deref(b.Hi)))
	}
	var parts []string
	for _, b := range bands {
		if b.Status == status {
			parts = append(parts, m.rangeText(b, largest))
		}
	}
	return strings.Join(parts, " or ")
}

func (m Metric) rangeText(b Band, largest float64) string {
	text := func(x *float64) string {
		if limit := rounded(*x, largest); m.Format != FormatPercent {
			return number(limit)
		}
		return number(rounded(100*rounded(*x, largest), largest)) + "%"
	}
	belongs := (b.Status == Fail) == (m.Target.Type() == TypeBoolean) // whether the limit does: only BOOLEAN is strict
	switch {
	case b.Lo == nil && b.Hi == nil:
		return "any"
	case b.Lo == nil && belongs:
		return "up to " + text(b.Hi)
	case b.Lo == nil:
		return "below " + text(b.Hi)
	case b.Hi == nil && belongs:
		return "from " + text(b.Lo)
	case b.Hi == nil:
		return "above " + text(b.Lo)
	case text(b.Lo) == text(b.Hi):
		return "exactly " + text(b.Lo)
	}
	return text(b.Lo) + " to " + text(b.Hi)
}

// rounded returns a limit without the rounding errors of its computation, which are small beside the largest limit.
func rounded(x, largest float64) float64 {
	const digits, noise, smallest = 10, 1e-15, 1e-300
	if math.Abs(x) <= max(noise*largest, smallest) {
		return 0
	}
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	return x
}

// Shape is the form of a distribution of scores: how far it leans to one side, and how heavy its tails are. It is zero
// if it is not known, as for equal scores.
type Shape struct {
	Skewness float64 // m3/m2^1.5 of the central moments; below 0 where the tail is below the mean
	Kurtosis float64 // m4/m2², at least 1 + Skewness²; 3 for normal scores
}

// NewShape computes the shape of scores.
func NewShape(xs []float64) Shape {
	m := NewMoments(xs)
	var m2, m3, m4 float64
	for _, x := range xs {
		d := x - m.Mean
		square := float64(d * d)
		m2 += square
		m3 += float64(square * d)
		m4 += float64(square * square)
	}
	n := float64(len(xs))
	if len(xs) == 0 || m.Min == m.Max {
		return Shape{}
	}
	return shapeOf(m2/n, m3/n, m4/n)
}

// shapeOf returns the shape of a distribution with these central moments.
func shapeOf(m2, m3, m4 float64) Shape {
	s := Shape{Skewness: m3 / float64(m2*math.Sqrt(m2)), Kurtosis: m4 / float64(m2*m2)}
	if !(m2 > 0) || !finite(s.Skewness) || !finite(s.Kurtosis) {
		return Shape{}
	}
	s.Kurtosis = max(1, s.Kurtosis) // which rounding can leave
	return s
}

// smallestNormal is the smallest number with full precision. A range that accepts all above 0 begins below it.
const smallestNormal = 0x1p-1022

// Outside returns how far a value lies outside of the bands that are not FAIL: the distance to the nearest value that is
// accepted, as a share of the width of the accepted range. If that range is open on a side, it is a share of the size of
// its limit; if the limit is 0, it is the distance itself. It is 0 for an accepted value, and infinite for one that is
// not finite.
func Outside(bands []Band, x float64) float64 {
	lowest, highest, distance := math.Inf(1), math.Inf(-1), math.Inf(1)
	for _, b := range bands {
		if b.Status == Fail {
			continue
		}
		lo, hi := math.Inf(-1), math.Inf(1)
		if b.Lo != nil {
			lo = *b.Lo
		}
		if b.Hi != nil {
			hi = *b.Hi
		}
		lowest, highest = min(lowest, lo), max(highest, hi)
		distance = min(distance, max(lo-x, x-hi, 0))
	}
	if math.IsNaN(distance) || math.IsInf(x, 0) {
		return math.Inf(1)
	}
	for _, scale := range []float64{highest - lowest, math.Abs(lowest), math.Abs(highest)} {
		if scale > smallestNormal && !math.IsInf(scale, 0) {
			return distance / scale
		}
	}
	return distance
}
