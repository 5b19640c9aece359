package spec

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// mapping reads the fields of one mapping and reports what is wrong with them. Its methods return a harmless value for
// a field that they report.
type mapping struct {
	r        *reader
	line     int
	metric   string // its label in messages; empty outside of metrics
	prefix   string // before the name of a field in messages
	fields   []field
	wrong    map[string]bool // fields reported already
	hopeless bool            // not a mapping at all
}

// maxFields is more than any mapping of a spec file has; beyond it the rest is not looked at.
const maxFields = 100

// open reports duplicate keys. The first one counts.
func (r *reader) open(n node, metric, prefix string) *mapping {
	m := &mapping{r: r, line: n.line, metric: metric, prefix: prefix}
	if n.kind == kindMapping {
		m.fields = n.fields
	}
	if len(m.fields) > maxFields {
		m.problem("", fmt.Sprintf("%d fields are too many", len(m.fields)), "")
		m.fields = m.fields[:maxFields]
	}
	for i := range m.fields {
		f := &m.fields[i]
		if first := find(m.fields[:i], f.key); first != nil {
			m.problemAt(f.line, f.key, fmt.Sprintf("duplicate field, already on line %d", first.line), "")
		}
	}
	return m
}

func find(fields []field, key string) *field {
	for i := range fields {
		if fields[i].key == key {
			return &fields[i]
		}
	}
	return nil
}

// problem reports a field at its line, or at the line of the mapping where the field is absent.
func (m *mapping) problem(name, message, hint string) {
	line := m.line
	if f := find(m.fields, name); f != nil {
		line = f.line
	}
	m.problemAt(line, name, message, hint)
}

func (m *mapping) problemAt(line int, name, message, hint string) {
	if m.wrong == nil {
		m.wrong = map[string]bool{}
	}
	m.wrong[name] = true
	if name != "" {
		name = m.prefix + name
	}
	m.r.report(Problem{Line: line, Metric: m.metric, Field: name, Message: message, Hint: hint})
}

func (m *mapping) isWrong(name string) bool { return m.hopeless || m.wrong[name] }

// alsoWrong reports what a check of the whole spec found, unless the field was reported already.
func (m *mapping) alsoWrong(name, message string) {
	if !m.isWrong(name) {
		m.problem(name, message, "")
	}
}

// wrongKind reports that a field is not what it must be.
func (m *mapping) wrongKind(name string, n node, want, hint string) {
	if n.kind == kindRefused {
		m.problem(name, n.text, "")
		return
	}
	m.problem(name, "must be "+want+", not "+n.describe(), hint)
}

// required finds a field that must be there, with a value.
func (m *mapping) required(name string) (node, bool) {
	f := find(m.fields, name)
	switch {
	case f == nil:
		m.problem(name, "missing", "")
	case f.value.kind == kindNull:
		m.problem(name, "has no value", "")
	default:
		return f.value, true
	}
	return node{}, false
}

// optional returns a field that may be absent, but not empty: a field left empty by mistake is not a default.
func (m *mapping) optional(name, fallback string) (node, bool) {
	f := find(m.fields, name)
	switch {
	case f == nil:
	case f.value.kind == kindNull:
		m.problem(name, "has no value", "leave the field out for the default, "+fallback)
	default:
		return f.value, true
	}
	return node{}, false
}

// nullable finds a field for which null is the same as its absence.
func (m *mapping) nullable(name string) (node, bool) {
	f := find(m.fields, name)
	if f == nil || f.value.kind == kindNull {
		return node{}, false
	}
	return f.value, true
}

// checkName reports a name that no seed can be recorded under; one that is empty is reported elsewhere.
func (m *mapping) checkName(field, name string, check func(string) error) {
	if !m.r.checksNames || name == "" {
		return
	}
	if err := check(name); err != nil {
		m.problem(field, err.Error(), "")
	}
}

func (m *mapping) text(name string) string {
	n, ok := m.required(name)
	return m.asText(name, n, ok, "")
}

func (m *mapping) textOr(name, fallback string) string {
	n, ok := m.optional(name, fallback)
	return m.asText(name, n, ok, fallback)
}

func (m *mapping) optionalText(name string) string {
	n, ok := m.nullable(name)
	return m.asText(name, n, ok, "")
}

func (m *mapping) asText(name string, n node, ok bool, fallback string) string {
	switch {
	case !ok:
		return fallback
	case n.kind == kindText:
		return n.text
	case n.kind == kindNumber || n.kind == kindBool:
		m.wrongKind(name, n, "text", "write "+quote(n.text)+" with the quotes")
	default:
		m.wrongKind(name, n, "text", "")
	}
	return fallback
}

func (m *mapping) number(name string) float64 {
	n, ok := m.required(name)
	return m.asNumber(name, n, ok, 0)
}

func (m *mapping) numberOr(name string, fallback float64) float64 {
	n, ok := m.optional(name, formatNumber(fallback))
	return m.asNumber(name, n, ok, fallback)
}

// bound reads an optional number; nil if it is absent.
func (m *mapping) bound(name string) *float64 {
	n, ok := m.nullable(name)
	if !ok {
		return nil
	}
	x := m.asNumber(name, n, ok, 0)
	return &x
}

func (m *mapping) asNumber(name string, n node, ok bool, fallback float64) float64 {
	if !ok {
		return fallback
	}
	if n.kind != kindNumber {
		hint := ""
		if n.kind == kindText && decimal(n.text) {
			hint = "leave the quotes out"
		}
		m.wrongKind(name, n, "a number", hint)
		return fallback
	}
	x, message := parseNumber(n.text)
	if message != "" {
		m.problem(name, message, "")
		return fallback
	}
	return x
}

// count reads an optional integer, 0 if it is absent. A check of the whole spec holds its range.
func (m *mapping) count(name string) int {
	n, ok := m.optional(name, "0")
	return m.asCount(name, n, ok)
}

// requiredCount reads an integer that must be there.
func (m *mapping) requiredCount(name string) int {
	n, ok := m.required(name)
	return m.asCount(name, n, ok)
}

func (m *mapping) asCount(name string, n node, ok bool) int {
	x := m.asNumber(name, n, ok, 0)
	switch {
	case x != math.Trunc(x):
		m.problem(name, n.text+" is not a whole number", "")
	case math.Abs(x) > 1<<53:
		m.problem(name, n.text+" is out of range", "")
	default:
		return int(x)
	}
	return 0
}

func (m *mapping) flag(name string) bool {
	n, ok := m.optional(name, "false")
	if ok && n.kind != kindBool {
		m.wrongKind(name, n, "true or false", "")
		return false
	}
	return ok && n.text == "true"
}

// list finds the items of an optional list; want says in messages what it is.
func (m *mapping) list(name, want, fallback string) ([]field, bool) {
	n, ok := m.optional(name, fallback)
	if ok && n.kind != kindList {
		hint := ""
		if n.kind == kindText {
			hint = "write [" + printable(n.text) + "]"
		}
		m.wrongKind(name, n, want, hint)
		return nil, false
	}
	return n.fields, ok
}

// refuseUnknown reports every field that is in none of the lists of known ones.
func (m *mapping) refuseUnknown(known ...[]string) {
	for _, f := range m.fields {
		if !isKnown(f.key, known) && !m.isWrong(f.key) {
			m.problemAt(f.line, f.key, "unknown field", hintFor(f.key, slices.Concat(known...)))
		}
	}
}

// refuseForeign reports every field that kind, a metric type or a reducer, has neither in common with all others nor of
// its own; ownersOf names the kinds that do have a field.
func (m *mapping) refuseForeign(kind string, common, own []string, ownersOf func(field string) []string) {
	for _, f := range m.fields {
		if isKnown(f.key, [][]string{common, own}) || m.isWrong(f.key) {
			continue
		}
		if owners := ownersOf(f.key); len(owners) > 0 {
			message := fmt.Sprintf("not a field of %s: it belongs to %s", kind, strings.Join(owners, ", "))
			m.problemAt(f.line, f.key, message, hasFields(kind, common, own))
		}
	}
	m.refuseUnknown(common, own)
}

func hasFields(kind string, common, own []string) string {
	if len(own) == 0 {
		own = common
	}
	return fmt.Sprintf("%s has %s", kind, strings.Join(own, ", "))
}

func isKnown(name string, lists [][]string) bool {
	return slices.ContainsFunc(lists, func(list []string) bool { return slices.Contains(list, name) })
}

func hintFor(name string, known []string) string {
	if name == "<<" {
		return "merge keys are not supported: write the fields out"
	}
	return suggest(name, known, "known fields: ")
}

func numbered(index int) string { return fmt.Sprintf("#%d", index+1) }
