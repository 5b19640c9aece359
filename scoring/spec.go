package scoring

import (
	"fmt"
	"math"
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
