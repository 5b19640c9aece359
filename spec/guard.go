package spec

import (
	"cmp"
	"slices"
	"strings"

	"track/scoring"
)

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
