package scoring

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

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
