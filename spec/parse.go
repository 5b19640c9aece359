package spec

import (
	"fmt"
	"slices"
	"strings"

	"track"
	"track/scoring"
)

// Parse reads a spec file; file names it in messages. What it returns has no [scoring.Spec.Problems], and every default
// is filled in. Where anything is wrong it returns an [*Error] with every problem found.
func Parse(file string, data []byte) (scoring.Spec, error) {
	root, problem := parseTree(data)
	if problem != nil {
		problem.File = file
		return scoring.Spec{}, &Error{[]Problem{*problem}}
	}
	s, problems := (&reader{checksNames: true}).read(root)
	if len(problems) == 0 {
		return s, nil
	}
	for i := range problems {
		problems[i].File = file
	}
	return scoring.Spec{}, &Error{problems}
}

// reader turns a tree into a spec and collects what is wrong with it.
type reader struct {
	checksNames bool // false for stored specs: they stay readable if the rules for names change
	types       []targetType
	problems    []Problem
	omitted     int // problems beyond maxProblems
}

// maxProblems bounds the problems of a file that is not a spec at all.
const maxProblems = 500

func (r *reader) report(p Problem) {
	if len(r.problems) == maxProblems {
		r.omitted++
		return
	}
	r.problems = append(r.problems, p)
}

// sorted returns the problems in the order of their lines.
func (r *reader) sorted() []Problem {
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Line - b.Line })
	if r.omitted > 0 {
		return append(r.problems, Problem{Message: fmt.Sprintf("and %d more", r.omitted)})
	}
	return r.problems
}

// read builds the spec of a tree. It is usable only if there are no problems.
func (r *reader) read(root node) (scoring.Spec, []Problem) {
	r.types = targetTypes()
	if root.kind != kindMapping {
		return scoring.Spec{}, []Problem{{
			Line: root.line, Message: "a spec must be a mapping of fields, not " + root.describe(),
			Hint: "it begins with scenario: and metrics:",
		}}
	}
	top := r.open(root, "", "")
	top.refuseUnknown(topFields)
	s := scoring.Spec{Scenario: top.text("scenario"), Title: top.optionalText("title")}
	top.checkName("scenario", s.Scenario, track.CheckScenarioName)
	metrics := r.readMetrics(top, &s)
	improvement := r.readImprovement(top, &s)
	gate := r.readGate(top, &s)
	for _, p := range s.Problems() {
		if name, nested := strings.CutPrefix(p.Field, "from."); nested {
			metrics[p.Metric].from.alsoWrong(name, p.Message)
		} else if p.Metric >= 0 {
			metrics[p.Metric].alsoWrong(p.Field, p.Message)
		} else if name, nested := strings.CutPrefix(p.Field, "improvement."); nested {
			improvement.alsoWrong(name, p.Message)
		} else if name, nested := strings.CutPrefix(p.Field, "gate."); nested {
			gate.alsoWrong(name, p.Message)
		} else {
			top.alsoWrong(p.Field, p.Message)
		}
	}
	s.Improvement, s.Gate = normalImprovement(s), normalGate(s.Gate)
	return s, r.sorted()
}

// readMetrics fills in s.Metrics and returns the mapping of each.
func (r *reader) readMetrics(top *mapping, s *scoring.Spec) []metricMapping {
	list, ok := top.required("metrics")
	if !ok {
		return nil
	}
	if list.kind != kindList {
		top.wrongKind("metrics", list, "a list of metrics", "")
		return nil
	}
	s.Metrics = make([]scoring.Metric, len(list.fields))
	metrics := make([]metricMapping, len(list.fields))
	for i, item := range list.fields {
		s.Metrics[i], metrics[i] = r.readMetric(item.value, i)
	}
	return metrics
}

// metricMapping is the mapping of a metric, and the mapping of its field from, or nil.
type metricMapping struct {
	*mapping
	from *mapping
}

// readMetric reads one metric. One that cannot be read has no target and the default weight, so that it causes no
// further problems.
func (r *reader) readMetric(n node, index int) (scoring.Metric, metricMapping) {
	m := metricMapping{r.open(n, metricLabel(n, index), ""), nil}
	if n.kind != kindMapping {
		m.wrongKind("", n, "a mapping with name and type", "")
		m.hopeless = true
		return scoring.Metric{Weight: defaultWeight, Format: scoring.FormatDefault}, m
	}
	metric := scoring.Metric{
		Name:       m.text("name"),
		Weight:     m.numberOr("weight", defaultWeight),
		Group:      m.optionalText("group"),
		Format:     scoring.Format(m.textOr("format", string(scoring.FormatDefault))),
		TargetDesc: m.optionalText("target_desc"),
		Margin:     m.bound("margin"),
	}
	m.checkName("name", metric.Name, track.CheckName)
	metric.Target = r.readTarget(m.mapping)
	metric.From, m.from = r.readReduction(m.mapping)
	return metric, m
}

// metricLabel is how messages name a metric: its name, or its number if it has none.
func metricLabel(n node, index int) string {
	for _, f := range n.fields {
		if f.key == "name" && f.value.kind == kindText && strings.TrimSpace(f.value.text) != "" {
			return f.value.text
		}
	}
	return numbered(index)
}

// readTarget reads the fields that belong to the type of the metric; nil if the type or one of them is wrong.
func (r *reader) readTarget(m *mapping) scoring.Target {
	name := m.text("type")
	i := slices.IndexFunc(r.types, func(t targetType) bool { return string(t.name) == name })
	if i < 0 {
		if !m.isWrong("type") {
			m.problem("type", "unknown type "+quote(name), r.suggestType(name))
		}
		m.refuseUnknown(r.allMetricFields())
		return nil
	}
	t := r.types[i]
	m.refuseForeign(name, commonFields, t.fields, typesWith)
	target := t.read(m)
	if slices.ContainsFunc(t.fields, m.isWrong) {
		return nil
	}
	return target
}

func (r *reader) suggestType(name string) string {
	names := make([]string, len(r.types))
	for i, t := range r.types {
		names[i] = string(t.name)
	}
	return suggest(strings.ToUpper(name), names, "the types are ")
}

func (r *reader) allMetricFields() []string {
	all := slices.Clone(commonFields)
	for _, t := range r.types {
		for _, name := range t.fields {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// readReduction reads the field from of a metric and returns its mapping too; nil if there is none, or if the reducer
// is wrong, without which the other fields say nothing.
func (r *reader) readReduction(metric *mapping) (*scoring.Reduction, *mapping) {
	n, ok := metric.nullable("from")
	if !ok {
		return nil, nil
	}
	if n.kind != kindMapping {
		metric.wrongKind("from", n, "a mapping with series and reduce", "")
		return nil, nil
	}
	m := r.open(n, metric.metric, "from.")
	reduction := &scoring.Reduction{
		Series: m.text("series"),
		Skip:   m.count("skip"),
		Reduce: scoring.Reducer(m.text("reduce")),
		NaN:    scoring.NaNRule(m.textOr("nan", string(scoring.NaNFail))),
	}
	m.checkName("series", reduction.Series, track.CheckName)
	if !slices.Contains(scoring.Reducers(), reduction.Reduce) {
		if !m.isWrong("reduce") {
			m.problem("reduce", "unknown reducer "+quote(string(reduction.Reduce)), suggestReducer(reduction.Reduce))
		}
		m.refuseUnknown(allReductionFields())
		return nil, nil
	}
	m.refuseForeign(string(reduction.Reduce), reductionFields, reduction.Reduce.Fields(), reducersWith)
	for _, field := range reduction.Reduce.Fields() {
		m.readReducerField(reduction, field)
	}
	return reduction, m
}

func (m *mapping) readReducerField(r *scoring.Reduction, field string) {
	switch field {
	case "q":
		r.Q = m.number(field)
	case "lag":
		r.Lag = m.requiredCount(field)
	case "with":
		r.With = m.text(field)
		m.checkName(field, r.With, track.CheckName)
	case "drop_outliers":
		r.DropOutliers = m.bound(field)
	case "min":
		r.Min = m.bound(field)
	case "max":
		r.Max = m.bound(field)
	case "strict":
		r.Strict = m.flag(field)
	case "iqr_factor":
		r.IQRFactor = m.bound(field)
	}
}

func suggestReducer(name scoring.Reducer) string {
	var names []string
	for _, r := range scoring.Reducers() {
		names = append(names, string(r))
	}
	return suggest(strings.ToLower(string(name)), names, "the reducers are ")
}

func allReductionFields() []string {
	all := slices.Clone(reductionFields)
	for _, r := range scoring.Reducers() {
		for _, name := range r.Fields() {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// readImprovement fills in s.Improvement and returns its mapping, nil if there is none.
func (r *reader) readImprovement(top *mapping, s *scoring.Spec) *mapping {
	n, ok := top.nullable("improvement")
	if !ok {
		return nil
	}
	if n.kind != kindMapping {
		top.wrongKind("improvement", n, "a mapping of fields", "")
		return nil
	}
	m := r.open(n, "", "improvement.")
	m.refuseUnknown(improvementFields)
	s.Improvement = &scoring.Improvement{
		Baseline:           m.optionalText("baseline"),
		MaxDegradationBase: m.numberOr("max_degradation_base", scoring.DefaultMeanDegradationBase),
	}
	m.checkName("baseline", s.Improvement.Baseline, track.CheckScenarioName)
	return m
}

// readGate fills in s.Gate and returns its mapping, nil if there is none.
func (r *reader) readGate(top *mapping, s *scoring.Spec) *mapping {
	n, ok := top.nullable("gate")
	if !ok {
		return nil
	}
	if n.kind != kindMapping {
		top.wrongKind("gate", n, "a mapping of fields", "")
		return nil
	}
	m := r.open(n, "", "gate.")
	m.refuseUnknown(gateFields)
	s.Gate = &scoring.GateRules{
		MinPassRate:   m.bound("min_pass_rate"),
		Confidence:    m.numberOr("confidence", scoring.DefaultConfidence),
		Stable:        m.flag("stable"),
		MaxStd:        m.bound("max_std"),
		MinScore:      m.bound("min_score"),
		Bound:         scoring.ParseBound(m.textOr("bound", scoring.NameT)),
		NoDegradation: m.flag("no_degradation"),
		Values:        scoring.ParseValuesRule(m.textOr("values", scoring.ValuesReported.Name())),
		Guard:         m.readGuard("guard", s.Metrics),
		LeaveOut:      m.readLeaveOut("leave_out", s.Metrics),
		MinSeeds:      m.count("min_seeds"),
		FailOn:        m.readFailOn("fail_on"),
	}
	if s.Gate.Confidence == 0 { // the default in Go code, but not in a file, where somebody wrote it
		m.alsoWrong("confidence", "0 is not from 0.5 to below 1")
	}
	return m
}

// readFailOn reads an optional list of verdicts; nil if it is absent, and only there.
func (m *mapping) readFailOn(name string) []scoring.Verdict {
	items, ok := m.list(name, "a list of verdicts", "["+strings.Join(verdictNames(defaultFailOn()), ", ")+"]")
	if !ok {
		return nil
	}
	list := []scoring.Verdict{}
	for _, item := range items {
		if v, ok := m.asVerdict(name, item.value); ok {
			list = append(list, v)
		}
	}
	return list
}

// asVerdict reads one item of a list, and reports it at its own line.
func (m *mapping) asVerdict(name string, n node) (scoring.Verdict, bool) {
	switch n.kind {
	case kindRefused:
		m.problemAt(n.line, name, n.text, "")
		return "", false
	case kindText:
	default:
		m.problemAt(n.line, name, "must list verdicts, not "+n.describe(), "")
		return "", false
	}
	for _, v := range verdictsToFailOn() {
		// Letters that only fold to ASCII ones, such as ſ, are longer in UTF-8.
		if len(n.text) == len(v) && strings.EqualFold(n.text, string(v)) {
			return v, true
		}
	}
	hint := suggest(strings.ToLower(n.text), verdictNames(verdictsToFailOn()), "the verdicts are ")
	m.problemAt(n.line, name, "unknown verdict "+quote(n.text), hint)
	return "", false
}
