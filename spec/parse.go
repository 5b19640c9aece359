package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

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

// jsonParser builds a tree from JSON and counts lines as it goes.
type jsonParser struct {
	data    []byte
	decoder *jsontext.Decoder
	line    int // of the last token read
	offset  int // up to which lines are counted
}

func jsonTree(data []byte) (node, *Problem) {
	// The reader refuses duplicate names, with the words it has for YAML.
	decoder := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	p := &jsonParser{data: data, decoder: decoder, line: 1}
	root, err := p.value()
	if err != nil {
		return node{}, p.syntaxProblem(err)
	}
	switch _, err := p.token(); {
	case err == nil:
		return node{}, secondDocument(p.line)
	case err != io.EOF:
		return node{}, p.syntaxProblem(err)
	}
	return root, nil
}

// token reads the next token; no token spans lines, so its line is the one where it ends.
func (p *jsonParser) token() (jsontext.Token, error) {
	t, err := p.decoder.ReadToken()
	if err == nil {
		p.countLines(int(p.decoder.InputOffset()))
	}
	return t, err
}

func (p *jsonParser) countLines(offset int) {
	p.line += bytes.Count(p.data[p.offset:offset], []byte("\n"))
	p.offset = offset
}

func (p *jsonParser) value() (node, error) {
	t, err := p.token()
	if err != nil {
		return node{}, err
	}
	n := node{line: p.line}
	switch t.Kind() {
	case 'n':
		n.kind = kindNull
	case 't', 'f':
		n.kind, n.text = kindBool, t.String()
	case '0':
		n.kind, n.text = kindNumber, t.String()
	case '"':
		n.kind, n.text = kindText, t.String()
	case '[':
		n.kind = kindList
		n.fields, err = p.items()
	case '{':
		n.kind = kindMapping
		n.fields, err = p.fields()
	}
	return n, err
}

func (p *jsonParser) items() ([]field, error) {
	var items []field
	for p.decoder.PeekKind() != ']' {
		item, err := p.value()
		if err != nil {
			return nil, err
		}
		items = append(items, field{value: item})
	}
	_, err := p.token()
	return items, err
}

func (p *jsonParser) fields() ([]field, error) {
	fields := make([]field, 0, 8)
	for p.decoder.PeekKind() != '}' {
		key, err := p.token()
		if err != nil {
			return nil, err
		}
		f := field{key: key.String(), line: p.line}
		if f.value, err = p.value(); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	_, err := p.token()
	return fields, err
}

func (p *jsonParser) syntaxProblem(err error) *Problem {
	message := err.Error()
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		p.countLines(max(p.offset, min(int(syntax.ByteOffset), len(p.data))))
		message = syntax.Err.Error()
	}
	return &Problem{
		Line:    p.line,
		Message: "not valid JSON: " + strings.TrimPrefix(message, "jsontext: "),
		Hint:    "a file that starts with { is read as JSON, any other as YAML",
	}
}

// yamlTree reads one YAML document. Aliases are refused where they stand and never followed, so a file is never larger
// than it looks.
func yamlTree(data []byte) (node, *Problem) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, next yaml.Node
	switch err := decoder.Decode(&document); {
	case err == io.EOF:
		return node{}, emptyFile()
	case err != nil:
		return node{}, yamlSyntaxProblem(err)
	}
	switch err := decoder.Decode(&next); {
	case err == nil:
		return node{}, secondDocument(next.Line)
	case err != io.EOF:
		return node{}, yamlSyntaxProblem(err)
	}
	root := yamlNode(document.Content[0])
	if root.kind == kindNull {
		return node{}, emptyFile()
	}
	return root, nil
}

// yamlSyntaxProblem takes the line out of an error, which has it in its text only, and not always.
func yamlSyntaxProblem(err error) *Problem {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		if number, after, ok := strings.Cut(rest, ": "); ok {
			line, _ = strconv.Atoi(number)
			message = after
		}
	}
	if line > 0 && countsFromZero(message) {
		line++
	}
	return &Problem{
		Line:    line,
		Message: "not valid YAML: " + message,
		Hint:    "text with : # , [ ] { } in it, or with > | % @ & * at its beginning, belongs in quotes",
	}
}

// countsFromZero reports whether an error comes from the library's parser, which counts lines from 0; its scanner,
// which finds the other errors, counts from 1.
func countsFromZero(message string) bool {
	expected, ok := strings.CutPrefix(message, "did not find expected ")
	if !ok {
		return false
	}
	for _, prefix := range []string{"key", "node content", "'-' indicator", "',' or", "<"} {
		if strings.HasPrefix(expected, prefix) {
			return true
		}
	}
	return false
}

func yamlNode(y *yaml.Node) node {
	n := node{line: y.Line}
	switch tag := y.ShortTag(); {
	case y.Kind == yaml.AliasNode:
		n.kind, n.text = kindRefused, "aliases (*"+printable(y.Value)+") are not supported: write the value out"
	case y.Kind == yaml.MappingNode && tag == "!!map":
		n.kind, n.fields = kindMapping, yamlFields(y.Content)
	case y.Kind == yaml.SequenceNode && tag == "!!seq":
		n.kind = kindList
		for _, item := range y.Content {
			n.fields = append(n.fields, field{value: yamlNode(item)})
		}
	case y.Kind == yaml.ScalarNode:
		n.kind, n.text = yamlScalar(y, tag)
	default:
		n.kind, n.text = kindRefused, unknownTag(tag)
	}
	return n
}

// yamlFields takes keys and values in turn. A key that is not a text becomes an unknown key.
func yamlFields(content []*yaml.Node) []field {
	var fields []field
	for i := 0; i+1 < len(content); i += 2 {
		key := content[i]
		f := field{key: key.Value, line: key.Line, value: yamlNode(content[i+1])}
		switch key.Kind {
		case yaml.AliasNode:
			f.key = "*" + key.Value
		case yaml.MappingNode:
			f.key = "{...}"
		case yaml.SequenceNode:
			f.key = "[...]"
		}
		fields = append(fields, f)
	}
	return fields
}

func yamlScalar(y *yaml.Node, tag string) (kind, string) {
	plain := y.Style&(yaml.TaggedStyle|yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	switch {
	case plain && decimal(y.Value): // even if it overflows, which makes it a text for the parser
		return kindNumber, y.Value
	case tag == "!!str" || tag == "!!timestamp": // a date is a text in YAML 1.2
		return kindText, y.Value
	case tag == "!!int" || tag == "!!float":
		return kindNumber, y.Value
	case tag == "!!bool":
		return kindBool, strings.ToLower(y.Value)
	case tag == "!!null":
		return kindNull, ""
	}
	return kindRefused, unknownTag(tag)
}

func unknownTag(tag string) string {
	return "the tag " + printable(tag) + " is not supported: leave it out"
}

// maxSize keeps a file given by mistake, a database or a log, out of the parsers. A spec of 10,000 metrics has 1.5 MB.
const maxSize = 16 << 20

type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindText
	kindList
	kindMapping
	kindRefused // what YAML has and spec files have not, such as an alias
)

// node is a value of the file and its place: the one form that YAML and JSON become before they are read.
type node struct {
	kind   kind
	line   int
	text   string  // of a text, number or bool, as written; of a refused node, why
	fields []field // of a mapping, in the order of the file, duplicates included; of a list, its items, without keys
}

type field struct {
	key   string
	line  int // of the key
	value node
}

// describe names the node in a message.
func (n node) describe() string {
	switch n.kind {
	case kindNull:
		return "nothing"
	case kindNumber:
		return "the number " + printable(n.text)
	case kindText:
		return "the text " + quote(n.text)
	case kindList:
		return "a list"
	case kindMapping:
		return "a mapping"
	}
	return n.text
}

var byteOrderMark = []byte("\uFEFF")

// parseTree reads the one document of a file.
func parseTree(data []byte) (node, *Problem) {
	if len(data) > maxSize {
		return node{}, &Problem{Message: fmt.Sprintf("%d bytes are too many for a spec file: the limit is %d", len(data), maxSize)}
	}
	data = bytes.TrimPrefix(data, byteOrderMark)
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		return jsonTree(data)
	}
	return yamlTree(data)
}

func emptyFile() *Problem {
	return &Problem{Line: 1, Message: "the file is empty", Hint: "a spec has at least scenario and metrics"}
}

func secondDocument(line int) *Problem {
	return &Problem{Line: line, Message: "a second document begins here", Hint: "write one spec per file"}
}
