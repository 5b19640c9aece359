package spec

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track/scoring"
)

// The fields of a spec file. Each list is in the order in which people read them; spec.schema.json has the same.
var (
	topFields         = []string{"scenario", "title", "metrics", "improvement", "gate"}
	improvementFields = []string{"baseline", "max_degradation_base"}
	gateFields        = []string{
		"min_pass_rate", "confidence", "stable", "max_std", "min_score", "bound", "no_degradation", "values", "guard", "leave_out", "min_seeds", "fail_on",
	}
	commonFields    = []string{"name", "type", "weight", "group", "format", "target_desc", "margin", "from"}
	reductionFields = []string{"series", "skip", "reduce", "nan"} // the reducer may add others
)

// defaultWeight is the weight of a metric that names none.
const defaultWeight = 1.0

// targetType ties a metric type to its fields.
type targetType struct {
	name   scoring.Type
	fields []string
	read   func(*mapping) scoring.Target
}

// targetTypes is a function and not a variable: nothing is built before it is needed.
func targetTypes() []targetType {
	return []targetType{
		{scoring.TypeMeanTolerance, []string{"target", "tolerance", "min", "max"}, func(m *mapping) scoring.Target {
			return scoring.MeanTolerance{
				Target: m.number("target"), Tolerance: m.number("tolerance"), Min: m.bound("min"), Max: m.bound("max"),
			}
		}},
		{scoring.TypeRange, []string{"min", "max"}, func(m *mapping) scoring.Target {
			return scoring.Range{Min: m.number("min"), Max: m.number("max")}
		}},
		{scoring.TypePctWithin, []string{"target", "min"}, func(m *mapping) scoring.Target {
			return scoring.PctWithin{Target: m.number("target"), Min: m.number("min")}
		}},
		{scoring.TypeOutlier, []string{"max_outlier", "penalty_weight"}, func(m *mapping) scoring.Target {
			return scoring.Outlier{
				MaxOutlier:    m.number("max_outlier"),
				PenaltyWeight: m.numberOr("penalty_weight", scoring.DefaultPenaltyWeight),
			}
		}},
		{scoring.TypeBoolean, []string{"threshold", "invert"}, func(m *mapping) scoring.Target {
			return scoring.Boolean{Threshold: m.number("threshold"), Invert: m.flag("invert")}
		}},
	}
}

// setting is one field of a metric with its effective value, as a file would show it.
type setting struct {
	field     string
	value     string
	isText    bool // JSON puts it in quotes
	isDefault bool // a file without the field means the same
}

func textSetting(field, value string) setting {
	return setting{field: field, value: value, isText: true}
}

func textSettingOr(field, value, fallback string) setting {
	return setting{field, value, true, value == fallback}
}

func numberSetting(field string, x float64) setting {
	return setting{field: field, value: formatNumber(x)}
}

func numberSettingOr(field string, x, fallback float64) setting {
	return setting{field: field, value: formatNumber(x), isDefault: x == fallback}
}

// flagSetting is false by default.
func flagSetting(field string, flag bool) setting {
	return setting{field: field, value: strconv.FormatBool(flag), isDefault: !flag}
}

// appendBound leaves an absent bound out.
func appendBound(list []setting, field string, x *float64) []setting {
	if x == nil {
		return list
	}
	return append(list, numberSetting(field, *x))
}

// appendMetric lists the fields of a metric in the order in which people read them: the inverse of reading them. Absent
// bounds are left out, and so is from, which is nested.
func appendMetric(list []setting, m scoring.Metric) []setting {
	list = append(list,
		textSetting("name", m.Name),
		textSetting("type", string(m.Target.Type())),
		numberSettingOr("weight", m.Weight, defaultWeight))
	list = appendTarget(list, m.Target)
	return appendBound(append(list,
		textSettingOr("group", m.Group, ""),
		textSettingOr("format", string(cmp.Or(m.Format, scoring.FormatDefault)), string(scoring.FormatDefault)),
		textSettingOr("target_desc", m.TargetDesc, "")), "margin", m.Margin)
}

// appendReduction lists the fields of a reduction in the order in which people read them. Fields that the reducer does
// not have and absent bounds are left out.
func appendReduction(list []setting, r scoring.Reduction) []setting {
	list = append(list,
		textSetting("series", r.Series),
		numberSettingOr("skip", float64(r.Skip), 0),
		textSetting("reduce", string(r.Reduce)))
	for _, field := range r.Reduce.Fields() {
		switch field {
		case "q":
			list = append(list, numberSetting(field, r.Q))
		case "lag":
			list = append(list, numberSetting(field, float64(r.Lag)))
		case "with":
			list = append(list, textSetting(field, r.With))
		case "drop_outliers":
			list = appendBound(list, field, r.DropOutliers)
		case "min":
			list = appendBound(list, field, r.Min)
		case "max":
			list = appendBound(list, field, r.Max)
		case "strict":
			list = append(list, flagSetting(field, r.Strict))
		case "iqr_factor":
			list = appendBound(list, field, r.IQRFactor)
		}
	}
	return append(list, textSettingOr("nan", string(cmp.Or(r.NaN, scoring.NaNFail)), string(scoring.NaNFail)))
}

func appendTarget(list []setting, target scoring.Target) []setting {
	switch t := target.(type) {
	case scoring.MeanTolerance:
		list = append(list, numberSetting("target", t.Target), numberSetting("tolerance", t.Tolerance))
		list = appendBound(appendBound(list, "min", t.Min), "max", t.Max)
	case scoring.Range:
		list = append(list, numberSetting("min", t.Min), numberSetting("max", t.Max))
	case scoring.PctWithin:
		list = append(list, numberSetting("target", t.Target), numberSetting("min", t.Min))
	case scoring.Outlier:
		list = append(list, numberSetting("max_outlier", t.MaxOutlier),
			numberSettingOr("penalty_weight", t.PenaltyWeight, scoring.DefaultPenaltyWeight))
	case scoring.Boolean:
		list = append(list, numberSetting("threshold", t.Threshold), flagSetting("invert", t.Invert))
	}
	return list
}

// normalImprovement is what the section says, without what it only repeats: nil where it is all default, and no
// baseline where that is the scenario itself.
func normalImprovement(s scoring.Spec) *scoring.Improvement {
	if s.Improvement == nil {
		return nil
	}
	normal := *s.Improvement
	if normal.Baseline == s.Scenario {
		normal.Baseline = ""
	}
	if normal == (scoring.Improvement{MaxDegradationBase: scoring.DefaultMeanDegradationBase}) {
		return nil
	}
	return &normal
}

// normalGate is what the section says, without what it only repeats: nil where it is all default.
func normalGate(g *scoring.GateRules) *scoring.GateRules {
	if g == nil {
		return nil
	}
	normal := *g
	normal.Confidence = cmp.Or(g.Confidence, scoring.DefaultConfidence)
	normal.FailOn = normalFailOn(g.FailOn)
	normalGuard(&normal)
	if !normal.Any() && normal.Guard == nil && normal.LeaveOut == nil && normal.Confidence == scoring.DefaultConfidence && normal.FailOn == nil && normal.Bound == scoring.BoundT {
		return nil
	}
	return &normal
}

// normalFailOn sorts the worst last. FAIL always fails, so it is named only where nothing else does: an empty list
// would be too easily taken for the default, which is nil.
func normalFailOn(list []scoring.Verdict) []scoring.Verdict {
	if list == nil {
		return nil
	}
	var normal []scoring.Verdict
	for _, v := range list {
		if v != scoring.VerdictFail && !slices.Contains(normal, v) {
			normal = append(normal, v)
		}
	}
	slices.SortFunc(normal, func(a, b scoring.Verdict) int {
		return slices.Index(scoring.Verdicts(), a) - slices.Index(scoring.Verdicts(), b)
	})
	switch {
	case len(normal) == 0:
		return []scoring.Verdict{scoring.VerdictFail}
	case slices.Equal(normal, defaultFailOn()):
		return nil
	}
	return normal
}

// defaultFailOn is what a nil FailOn means.
func defaultFailOn() []scoring.Verdict { return []scoring.Verdict{scoring.VerdictInconclusive} }

// verdictsToFailOn are the verdicts that fail_on may name.
func verdictsToFailOn() []scoring.Verdict { return scoring.Verdicts()[1:] }

// verdictNames are the verdicts as files write them.
func verdictNames(list []scoring.Verdict) []string {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = strings.ToLower(string(v))
	}
	return names
}

// typesWith lists the types that have a field.
func typesWith(name string) []string {
	var owners []string
	for _, t := range targetTypes() {
		if slices.Contains(t.fields, name) {
			owners = append(owners, string(t.name))
		}
	}
	return owners
}

// reducersWith lists the reducers that have a field.
func reducersWith(name string) []string {
	var owners []string
	for _, r := range scoring.Reducers() {
		if slices.Contains(r.Fields(), name) {
			owners = append(owners, string(r))
		}
	}
	return owners
}

func appendImprovement(list []setting, i scoring.Improvement) []setting {
	return append(list,
		textSettingOr("baseline", i.Baseline, ""),
		numberSettingOr("max_degradation_base", i.MaxDegradationBase, scoring.DefaultMeanDegradationBase))
}

// appendGate lists the fields of a gate in the order in which people read them. Absent bounds are left out, and so is
// fail_on, which is a list.
func appendGate(list []setting, g scoring.GateRules) []setting {
	list = appendBound(list, "min_pass_rate", g.MinPassRate)
	list = append(list,
		numberSettingOr("confidence", g.Confidence, scoring.DefaultConfidence),
		flagSetting("stable", g.Stable))
	list = appendBound(appendBound(list, "max_std", g.MaxStd), "min_score", g.MinScore)
	return append(list,
		textSettingOr("bound", g.Bound.Name(), scoring.NameT),
		flagSetting("no_degradation", g.NoDegradation),
		textSettingOr("values", g.Values.Name(), scoring.ValuesReported.Name()),
		numberSettingOr("min_seeds", float64(g.MinSeeds), 0))
}

// decimal reports whether s is a number in decimal notation, without leading zeros, which mean octal to some readers of
// YAML.
func decimal(s string) bool {
	s = unsigned(s)
	whole, rest := leadingDigits(s)
	if whole > 1 && s[0] == '0' {
		return false
	}
	fraction := 0
	if rest != "" && rest[0] == '.' {
		fraction, rest = leadingDigits(rest[1:])
	}
	return whole+fraction > 0 && exponent(rest)
}

// exponent reports whether s is the exponent of a number, or empty.
func exponent(s string) bool {
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	digits, rest := leadingDigits(unsigned(s[1:]))
	return digits > 0 && rest == ""
}

func unsigned(s string) string {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[1:]
	}
	return s
}

// leadingDigits returns how many digits s begins with and what follows them.
func leadingDigits(s string) (int, string) {
	rest := strings.TrimLeft(s, "0123456789")
	return len(s) - len(rest), rest
}

// parseNumber returns the float64 nearest to a decimal text, or why there is none.
func parseNumber(text string) (float64, string) {
	switch strings.ToLower(unsigned(text)) {
	case ".nan", ".inf":
		return 0, text + " is not a finite number"
	}
	if !decimal(text) {
		return 0, printable(text) + ": write the number in plain decimal, as in 0.05"
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, printable(text) + " is too large for a float64"
	}
	return x + 0, "" // -0 + 0 is 0: canonical JSON knows no -0
}

// formatNumber is the shortest text that reads back as x, as RFC 8785 writes it: 1000000, 1e-7, and 0 for -0.
func formatNumber(x float64) string { return jsontext.Float(x + 0).String() }

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
