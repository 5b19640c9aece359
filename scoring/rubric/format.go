package rubric

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"strings"

	"go.yaml.in/yaml/v3"

	"track/scoring"
)

// FormatSpec is what a task or a version asks of the final text; nil and empty ask nothing. Make it with [ParseFormat].
type FormatSpec struct {
	RequiredHeadings []string         // texts of headings, of any level, without regard to case and marks
	Patterns         []*regexp.Regexp // each must match somewhere; ^ and $ are those of the whole text unless the pattern says (?m)
	Schema           *Schema          // for the text as JSON, or for its first fenced block of JSON
	MinWords         *int             // of the whole text, as white space separates them
	MaxWords         *int
}

// formatError lists what is wrong with a format spec.
type formatError struct{ Problems []scoring.FieldProblem }

func (e formatError) Error() string {
	list := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		list[i] = p.Message
		if p.Field != "" {
			list[i] = p.Field + ": " + p.Message
		}
	}
	return "format: " + strings.Join(list, "; ")
}

// Limits of a format spec.
const (
	maxFormat    = 256 << 10 // bytes
	maxProgram   = 2000      // instructions of all patterns: matching takes time in proportion
	formatLevels = 64        // of nesting
)

// ParseFormat reads a format spec in YAML or JSON: an object with required_headings, patterns, json_schema, min_words
// and max_words. The error is a [formatError] that names each field that is wrong.
//
// Of JSON Schema it knows type, required, properties, items, enum, minimum, maximum and additionalProperties; title,
// description, $schema and $comment say nothing and are allowed; any other keyword is refused, because ignoring it
// would pass what it forbids.
func ParseFormat(data []byte) (spec *FormatSpec, err error) {
	p := &formatParser{}
	defer func() {
		if r := recover(); r != nil { // a bug in the YAML parser
			spec, err = nil, formatError{[]scoring.FieldProblem{{Message: fmt.Sprintf("the YAML parser gave up: %v", r)}}}
		}
	}()
	root := p.read(data)
	if root != nil {
		spec = p.spec(root)
	}
	if len(p.problems) > 0 {
		return nil, formatError{p.problems}
	}
	return spec, nil
}

type formatParser struct {
	problems []scoring.FieldProblem
	program  int
}

func (p *formatParser) problem(field, format string, args ...any) {
	p.problems = append(p.problems, scoring.FieldProblem{Field: field, Message: fmt.Sprintf(format, args...)})
}

func (p *formatParser) read(data []byte) *yaml.Node {
	if len(data) > maxFormat {
		p.problem("", "longer than %d bytes", maxFormat)
		return nil
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		p.problem("", "%v", yamlError(err))
		return nil
	}
	if len(document.Content) != 1 {
		p.problem("", "empty: nothing is asked for")
		return nil
	}
	root := document.Content[0]
	if !p.plain("", root, 0) {
		return nil
	}
	return root
}

// plain refuses what JSON has not: aliases (which may multiply without end), keys that are no strings, duplicate
// keys; and nesting deeper than anybody writes.
func (p *formatParser) plain(field string, n *yaml.Node, level int) bool {
	switch {
	case level > formatLevels:
		p.problem(field, "nests deeper than %d levels", formatLevels)
		return false
	case n.Kind == yaml.AliasNode:
		p.problem(field, "line %d: aliases are not supported", n.Line)
		return false
	case n.Kind == yaml.SequenceNode:
		for i, item := range n.Content {
			if !p.plain(fmt.Sprintf("%s[%d]", field, i), item, level+1) {
				return false
			}
		}
	case n.Kind == yaml.MappingNode:
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
				p.problem(field, "line %d: a key must be a plain string", key.Line)
				return false
			}
			if seen[key.Value] {
				p.problem(below(field, key.Value), "line %d: given twice", key.Line)
				return false
			}
			seen[key.Value] = true
			if !p.plain(below(field, key.Value), n.Content[i+1], level+1) {
				return false
			}
		}
	}
	return true
}

func below(field, key string) string {
	if field == "" {
		return excerpt(key)
	}
	return field + "." + excerpt(key)
}

func (p *formatParser) spec(root *yaml.Node) *FormatSpec {
	if root.Kind != yaml.MappingNode {
		p.problem("", "line %d: must be an object with required_headings, patterns, json_schema, min_words or max_words", root.Line)
		return nil
	}
	s := &FormatSpec{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		switch key, value := root.Content[i].Value, root.Content[i+1]; key {
		case "required_headings":
			s.RequiredHeadings = p.headings(key, value)
		case "patterns":
			s.Patterns = p.patterns(key, value)
		case "json_schema":
			s.Schema = p.schema(key, value)
		case "min_words":
			s.MinWords = p.words(key, value)
		case "max_words":
			s.MaxWords = p.words(key, value)
		default:
			p.problem(excerpt(key), "unknown: use required_headings, patterns, json_schema, min_words or max_words")
		}
	}
	if len(root.Content) == 0 {
		p.problem("", "empty: nothing is asked for")
	}
	if s.MinWords != nil && s.MaxWords != nil && *s.MinWords > *s.MaxWords {
		p.problem("min_words", "%d is above max_words %d", *s.MinWords, *s.MaxWords)
	}
	return s
}

func (p *formatParser) headings(field string, n *yaml.Node) []string {
	list := p.strings(field, n)
	for i, heading := range list {
		if plain(heading) == " " {
			p.problem(fmt.Sprintf("%s[%d]", field, i), "has no word")
		}
	}
	return list
}

func (p *formatParser) patterns(field string, n *yaml.Node) []*regexp.Regexp {
	var list []*regexp.Regexp
	for i, text := range p.strings(field, n) {
		at := fmt.Sprintf("%s[%d]", field, i)
		pattern, err := regexp.Compile(text)
		if err != nil {
			p.problem(at, "%v", err)
			continue
		}
		if p.program += instructions(text); p.program > maxProgram {
			p.problem(at, "the patterns are too large: they compile to more than %d instructions", maxProgram)
			return nil
		}
		list = append(list, pattern)
	}
	return list
}

// instructions is the size of a compiled pattern.
func instructions(pattern string) int {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return 0
	}
	return len(program.Inst)
}

// strings is a non-empty list of strings.
func (p *formatParser) strings(field string, n *yaml.Node) []string {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		p.problem(field, "line %d: must be a list of at least one string", n.Line)
		return nil
	}
	var list []string
	for i, item := range n.Content {
		if item.Kind != yaml.ScalarNode || item.ShortTag() != "!!str" {
			p.problem(fmt.Sprintf("%s[%d]", field, i), "line %d: must be a string", item.Line)
			continue
		}
		list = append(list, item.Value)
	}
	return list
}

func (p *formatParser) words(field string, n *yaml.Node) *int {
	x, ok := p.number(n)
	if !ok || x != math.Trunc(x) || x < 0 || x > 1e9 {
		p.problem(field, "line %d: must be a whole number from 0 up", n.Line)
		return nil
	}
	count := int(x)
	return &count
}

func (p *formatParser) number(n *yaml.Node) (float64, bool) {
	var x float64
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" && n.ShortTag() != "!!float" || n.Decode(&x) != nil {
		return 0, false
	}
	return x, !math.IsNaN(x) && !math.IsInf(x, 0)
}

// formatDetail is what [followsFormat] was computed from.
type formatDetail struct {
	Requirements []requirement `json:"requirements"`
}

// requirement is one thing that the format asks for.
type requirement struct {
	Asked string `json:"asked"`
	Met   bool   `json:"met"`
	Why   string `json:"why,omitempty"` // what is missing
	Line  int    `json:"line,omitempty"`
}

// followsFormat wants everything that the format asks for. Where there is none, nothing can be missed.
func (s *scorer) followsFormat() Component {
	var d formatDetail
	if f := s.e.Format; f != nil {
		d.Requirements = s.requirements(f)
	}
	if len(d.Requirements) == 0 {
		c := holds(followsFormat, true, nil, "vacuous: no format is given")
		c.Vacuous = true
		return c
	}
	missed := 0
	reason := ""
	for _, r := range d.Requirements {
		if !r.Met {
			if missed++; missed == 1 {
				reason = fmt.Sprintf("%s: %s", r.Asked, r.Why)
			}
		}
	}
	if missed == 0 {
		return holds(followsFormat, true, d, "%s met", plural(len(d.Requirements), "requirement"))
	}
	return holds(followsFormat, false, d, "%d of %s missed, the first: %s", missed, plural(len(d.Requirements), "requirement"), reason)
}

func (s *scorer) requirements(f *FormatSpec) []requirement {
	var list []requirement
	for _, heading := range f.RequiredHeadings {
		list = append(list, s.requireHeading(heading))
	}
	for _, pattern := range f.Patterns {
		r := requirement{Asked: "pattern " + excerpt(pattern.String())}
		if at := pattern.FindStringIndex(s.text); at != nil {
			r.Met, r.Line = true, 1+strings.Count(s.text[:at[0]], "\n")
		} else {
			r.Why = "matches nowhere"
		}
		list = append(list, r)
	}
	if f.Schema != nil {
		r := requirement{Asked: "JSON Schema"}
		r.Why, r.Line = s.schemaMismatch(f.Schema)
		r.Met = r.Why == ""
		list = append(list, r)
	}
	words := countWords(s.text)
	if f.MinWords != nil {
		r := requirement{Asked: fmt.Sprintf("at least %s", plural(*f.MinWords, "word")), Met: words >= *f.MinWords}
		if !r.Met {
			r.Why = fmt.Sprintf("there are %d", words)
		}
		list = append(list, r)
	}
	if f.MaxWords != nil {
		r := requirement{Asked: fmt.Sprintf("at most %s", plural(*f.MaxWords, "word")), Met: words <= *f.MaxWords}
		if !r.Met {
			r.Why = fmt.Sprintf("there are %d", words)
		}
		list = append(list, r)
	}
	return list
}

func (s *scorer) requireHeading(heading string) requirement {
	r := requirement{Asked: "heading " + excerpt(heading), Why: "no such heading"}
	for _, b := range s.doc.blocks {
		if b.Kind == headingBlock && b.plain == plain(heading) {
			return requirement{Asked: r.Asked, Met: true, Line: b.Line}
		}
	}
	return r
}

// schemaMismatch looks at the text as a whole where it is JSON, else at its first fenced block of JSON.
func (s *scorer) schemaMismatch(schema *Schema) (why string, line int) {
	var v any
	if json.Unmarshal([]byte(s.text), &v) == nil {
		return schema.mismatch("$", v), 1
	}
	for _, b := range s.doc.blocks {
		if b.Kind != codeBlock || !b.Fenced || canonicalLanguage(b.Language) != "json" {
			continue
		}
		if err := json.Unmarshal([]byte(b.Text), &v); err != nil {
			return "the JSON block is not valid: " + err.Error(), b.Line
		}
		return schema.mismatch("$", v), b.Line
	}
	return "neither is the text JSON, nor is there a block of JSON", 0
}
