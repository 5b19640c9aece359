package spec

import (
	"fmt"
	"math"

	"track/scoring"
)

// Warning is a likely mistake in a usable spec.
type Warning struct {
	Metric  string `json:"metric"`
	Field   string `json:"field"`
	Message string `json:"message"` // what there is, and why it matters
}

// String is "metric name: field: message".
func (w Warning) String() string {
	return Problem{Metric: w.Metric, Field: w.Field, Message: w.Message}.String()
}

// Lint lists what deserves a look in a spec without [scoring.Spec.Problems], in the order of the spec.
func Lint(s scoring.Spec) []Warning {
	l := &linter{}
	total, grouped := 0.0, 0
	for _, m := range s.Metrics {
		total += m.Weight
		if m.Group != "" {
			grouped++
		}
	}
	for _, m := range s.Metrics {
		l.metric = m.Name
		l.weight(m.Weight, total, len(s.Metrics))
		l.target(m.Target)
		if m.From != nil {
			l.from(m.Target.Type(), *m.From)
		}
		if grouped > 0 && m.Group == "" {
			l.warn("group", "has none, where %d of %d metrics do: reports show it under no heading", grouped, len(s.Metrics))
		}
	}
	l.metric = ""
	if s.Gate != nil {
		l.gate(*s.Gate)
	}
	return l.warnings
}

type linter struct {
	metric   string
	warnings []Warning
}

func (l *linter) warn(field, format string, args ...any) {
	l.warnings = append(l.warnings, Warning{l.metric, field, fmt.Sprintf(format, args...)})
}

func (l *linter) weight(weight, total float64, metrics int) {
	switch {
	case weight == 0:
		l.warn("weight", "0: the score does not count in the total, but the metric can still fail a seed")
	case metrics > 1 && weight > total/2:
		l.warn("weight", "%s of %s in total: this metric outweighs all others together", formatNumber(weight), formatNumber(total))
	}
}

func (l *linter) target(target scoring.Target) {
	switch t := target.(type) {
	case scoring.MeanTolerance:
		l.hardBounds(t)
	case scoring.Range:
		if t.Min == t.Max {
			l.warn("max", "equals min %s: only that very number passes, and any other scores 0", formatNumber(t.Min))
		}
	case scoring.PctWithin:
		l.share("target", t.Target)
		l.share("min", t.Min)
		if t.Target == t.Min {
			l.warn("min", "equals target %s: there is no band between PASS and FAIL", formatNumber(t.Target))
		}
	case scoring.Outlier:
		l.share("max_outlier", t.MaxOutlier)
		if t.PenaltyWeight == 0 {
			l.warn("penalty_weight", "0: the score is 1 however many outliers there are")
		}
	}
}

// from warns of a share that is counted on the wrong side, and of a series that is held against itself.
func (l *linter) from(target scoring.Type, r scoring.Reduction) {
	switch {
	case target == scoring.TypeOutlier && r.Reduce == scoring.ReduceFractionBetween:
		l.warn("from.reduce", "%s counts the points inside the bounds, but %s wants few: the points outside are %s",
			r.Reduce, target, scoring.ReduceOutlierFraction)
	case target == scoring.TypePctWithin && r.Reduce == scoring.ReduceOutlierFraction:
		l.warn("from.reduce", "%s counts the points outside the bounds, but %s wants many: the points inside are %s",
			r.Reduce, target, scoring.ReduceFractionBetween)
	}
	if r.With == r.Series {
		l.warn("from.with", "is the series itself: the value is always 1")
	}
}

// gate warns of rules that decide the same whatever the seeds show.
func (l *linter) gate(g scoring.GateRules) {
	if !g.NoDegradation && g.Guard != nil {
		l.warn("gate.guard", "says nothing without no_degradation")
	}
	if !g.NoDegradation && g.LeaveOut != nil {
		l.warn("gate.leave_out", "says nothing without no_degradation")
	}
	switch {
	case !g.Any():
		l.warn("gate", "has no rule: it judges nothing by itself")
	case g.MinPassRate == nil:
	case *g.MinPassRate == 0:
		l.warn("gate.min_pass_rate", "0: every pass rate reaches it")
	case *g.MinPassRate == 1:
		l.warn("gate.min_pass_rate", "1: the lower bound of a pass rate stays below it, however many seeds pass")
	}
}

// hardBounds warns of a target and of tolerated values that the hard bounds FAIL.
func (l *linter) hardBounds(t scoring.MeanTolerance) {
	switch {
	case t.Min != nil && t.Target < *t.Min:
		l.warn("target", "%s is below the hard bound min %s: the best score is a FAIL", formatNumber(t.Target), formatNumber(*t.Min))
	case t.Max != nil && t.Target > *t.Max:
		l.warn("target", "%s is above the hard bound max %s: the best score is a FAIL", formatNumber(t.Target), formatNumber(*t.Max))
	default:
		l.tolerance(t)
	}
}

func (l *linter) tolerance(t scoring.MeanTolerance) {
	const why = "%s reaches to %s, past the hard bound %s %s: values within tolerance FAIL"
	if low := t.Target - t.Tolerance; t.Min != nil && low < *t.Min && !nearly(low, *t.Min) {
		l.warn("tolerance", why, formatNumber(t.Tolerance), formatNumber(low), "min", formatNumber(*t.Min))
	}
	if high := t.Target + t.Tolerance; t.Max != nil && high > *t.Max && !nearly(high, *t.Max) {
		l.warn("tolerance", why, formatNumber(t.Tolerance), formatNumber(high), "max", formatNumber(*t.Max))
	}
}

// share warns of a percentage written as 95 and not as 0.95.
func (l *linter) share(field string, x float64) {
	if x > 1 {
		l.warn(field, "%s is more than everything: shares run from 0 to 1, write %s for %s %%",
			formatNumber(x), formatNumber(x/100), formatNumber(x))
	}
}

// nearly reports whether two numbers differ by rounding alone: 0.3 - 0.1 lies below 0.2 in float64.
func nearly(a, b float64) bool {
	const rounding = 1e-12
	return math.Abs(a-b) <= rounding*max(math.Abs(a), math.Abs(b))
}
