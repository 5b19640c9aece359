package spec

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

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

// leftOutFields are the fields of an item of gate.leave_out.
var leftOutFields = []string{"name", "reason"}

// readGuard reads an optional list of metrics and groups; nil if it is absent, and only there.
func (m *mapping) readGuard(name string, metrics []scoring.Metric) []string {
	items, ok := m.list(name, "a list of metrics and groups", "all metrics")
	if !ok {
		return nil
	}
	if len(items) == 0 {
		m.problem(name, "is empty", "name a metric or a group, or leave the field out for all metrics")
	}
	list := []string{}
	for _, item := range items {
		if item.value.kind == kindText {
			list = append(list, item.value.text)
			m.checkGuarded(item.value.line, name, item.value.text, metrics)
		} else {
			m.problemAt(item.value.line, name, "must list names of metrics and groups, not "+item.value.describe(), "")
		}
	}
	return list
}

// readLeaveOut reads an optional list of metrics and groups, each with its reason.
func (m *mapping) readLeaveOut(name string, metrics []scoring.Metric) (list []scoring.LeftOut) {
	items, _ := m.list(name, "a list of {name, reason}", "no metric")
	for _, item := range items {
		if item.value.kind != kindMapping {
			m.problemAt(item.value.line, name, "must list {name, reason}, not "+item.value.describe(), "")
			continue
		}
		entry := m.r.open(item.value, "", m.prefix+name+".")
		entry.refuseUnknown(leftOutFields)
		out := scoring.LeftOut{Name: entry.text("name"), Reason: entry.text("reason")}
		switch {
		case entry.isWrong("name") || entry.isWrong("reason"):
		case strings.TrimSpace(out.Reason) == "":
			entry.problem("reason", "is empty", "")
		case slices.ContainsFunc(list, func(other scoring.LeftOut) bool { return other.Name == out.Name }):
			entry.problem("name", quote(out.Name)+" is left out already", "")
		default:
			list = append(list, out)
			entry.checkGuarded(item.value.line, "name", out.Name, metrics)
		}
	}
	return list
}

// checkGuarded reports a name that is neither a metric nor a group: it would guard nothing, or leave out nothing.
func (m *mapping) checkGuarded(line int, field, name string, metrics []scoring.Metric) {
	var known []string
	for _, metric := range metrics {
		for _, candidate := range []string{metric.Name, metric.Group} {
			if candidate == name {
				return
			}
			if candidate != "" && !slices.Contains(known, candidate) {
				known = append(known, candidate)
			}
		}
	}
	m.problemAt(line, field, "no metric or group "+quote(name), suggest(name, known, "there are "))
}

// normalGuard sorts the names of the guarded metrics, and those left out.
func normalGuard(g *scoring.GateRules) {
	if g.Guard != nil {
		g.Guard = slices.Compact(slices.Sorted(slices.Values(g.Guard)))
	}
	g.LeaveOut = slices.SortedFunc(slices.Values(g.LeaveOut), func(a, b scoring.LeftOut) int { return cmp.Compare(a.Name, b.Name) })
}

// guardSettings are the lists of guarded metrics and of those left out, in canonical JSON, where there are any.
func guardSettings(g scoring.GateRules) (list []setting) {
	if g.Guard != nil {
		list = append(list, setting{field: "guard", value: string(appendList(nil, "guard", g.Guard))})
	}
	if len(g.LeaveOut) == 0 {
		return list
	}
	b := []byte{'['}
	for i, out := range g.LeaveOut {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendObject(b, []setting{textSetting("name", out.Name), textSetting("reason", out.Reason)})
	}
	return append(list, setting{field: "leave_out", value: string(append(b, ']'))})
}

//go:embed spec.schema.json
var schema []byte

// Schema is the JSON Schema (draft 2020-12) of a spec file, for editors and for checks in other languages. It cannot
// say what relates two fields or two metrics, such as min ≤ max or unique names: [Parse] refuses more than it does.
func Schema() []byte { return append([]byte(nil), schema...) }
