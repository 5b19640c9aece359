package rubric

import (
	"errors"
	"strings"
	"testing"
)

const schema = `
json_schema:
  type: object
  required: [name, n]
  properties:
    name: {type: string, enum: [a, b]}
    n: {type: integer, minimum: 1, maximum: 3}
    list: {type: array, items: {type: [number, "null"]}}
    open: {type: object, additionalProperties: {type: boolean}}
  additionalProperties: false
`

func TestFollowsFormat(t *testing.T) {
	for _, c := range []struct {
		name, format, output string
		missed               string // part of why; empty where the format is followed
	}{
		{"heading", "required_headings: [Risks, next steps]", "## Next Steps\n\n# **Risks:**\n", ""},
		{"no heading", "required_headings: [Risks]", "Risks\n", "no such heading"},
		{"heading in a fence", "required_headings: [Risks]", "```\n# Risks\n```", "no such heading"},
		{"pattern", `{"patterns": ["(?m)^Total: \\d+$"]}`, "a\nTotal: 12\n", ""},
		{"no pattern", `{"patterns": ["^Total"]}`, "a\nTotal: 12\n", "matches nowhere"},
		{"words", "{min_words: 2, max_words: 3}", "one two - three", ""},
		{"too few words", "min_words: 2", "one", "there are 1"},
		{"too many words", "max_words: 2", "one two three", "there are 3"},

		{"JSON", schema, `{"name": "a", "n": 2, "list": [1.5, null], "open": {"x": true}}`, ""},
		{"JSON in a block", schema, "So:\n\n```json\n{\"name\": \"a\", \"n\": 2}\n```", ""},
		{"no JSON", schema, "So be it.", "nor is there a block of JSON"},
		{"broken JSON", schema, "```json\n{\n```", "not valid"},
		{"missing", schema, `{"n": 2}`, "$.name is missing"},
		{"not in the enum", schema, `{"name": "c", "n": 2}`, "$.name is none of"},
		{"wrong type", schema, `{"name": 1, "n": 2}`, "$.name is not of type"},
		{"no integer", schema, `{"name": "a", "n": 1.5}`, "$.n is not of type"},
		{"too small", schema, `{"name": "a", "n": 0}`, "below 1"},
		{"too large", schema, `{"name": "a", "n": 4}`, "above 3"},
		{"item", schema, `{"name": "a", "n": 2, "list": [1, "x"]}`, "$.list[1] is not of type"},
		{"not allowed", schema, `{"name": "a", "n": 2, "more": 1}`, "$.more is not allowed"},
		{"additional", schema, `{"name": "a", "n": 2, "open": {"x": 1}}`, "$.open.x is not of type"},
		{"not an object", schema, `[]`, "$ is not of type"},
	} {
		spec, err := ParseFormat([]byte(c.format))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		e := textExecution("", c.output)
		e.Format = spec
		part := component(t, score(t, e), followsFormat)
		if (*part.Value == 1) != (c.missed == "") || !strings.Contains(part.Reason, c.missed) || part.Vacuous {
			t.Errorf("%s: %+v", c.name, part)
		}
	}
}

func TestParseFormatProblems(t *testing.T) {
	for _, c := range []struct {
		name, format string
		fields       string // those that the error names, in order
	}{
		{"empty", "", ""},
		{"no requirement", "{}", ""},
		{"a list", "[1]", ""},
		{"broken", "a: [", ""},
		{"unknown field", "headings: [a]", "headings"},
		{"twice", `{"min_words": 1, "min_words": 2}`, "min_words"},
		{"headings as a string", "required_headings: Risks", "required_headings"},
		{"no headings", "required_headings: []", "required_headings"},
		{"heading without words", "required_headings: [a, '##']", "required_headings[1]"},
		{"number as a heading", "required_headings: [1]", "required_headings[0]"},
		{"bad pattern", "patterns: [a, '(']", "patterns[1]"},
		{"huge pattern", "patterns: ['a{1000}', 'b{1000}']", "patterns[1]"},
		{"half a word", "min_words: 1.5", "min_words"},
		{"negative", "max_words: -1", "max_words"},
		{"text", "max_words: many", "max_words"},
		{"NaN", "max_words: .nan", "max_words"},
		{"crossed", "{min_words: 3, max_words: 2}", "min_words"},
		{"unknown keyword", "json_schema: {properties: {a: {pattern: x}}}", "json_schema.properties.a.pattern"},
		{"reference", `json_schema: {$ref: "#"}`, "json_schema.$ref"},
		{"unknown type", "json_schema: {type: text}", "json_schema.type"},
		{"bad bound", "json_schema: {items: {minimum: low}}", "json_schema.items.minimum"},
		{"bad enum", "json_schema: {enum: a}", "json_schema.enum"},
		{"bad properties", "json_schema: {properties: [a]}", "json_schema.properties"},
		{"bad schema", "json_schema: true", "json_schema"},
		{"bad required", "json_schema: {required: a}", "json_schema.required"},
		{"alias", "required_headings: &a [x]\npatterns: *a", "patterns"},
		{"several", "{min_words: x, max_words: y}", "min_words max_words"},
		{"deep", "json_schema: " + strings.Repeat("{items: ", 100) + "{}" + strings.Repeat("}", 100), "json_schema" + strings.Repeat(".items", 64)},
		{"large", "#" + strings.Repeat("x", 300<<10), ""},
	} {
		spec, err := ParseFormat([]byte(c.format))
		var problems formatError
		if spec != nil || !errors.As(err, &problems) {
			t.Errorf("%s: %v %v", c.name, spec, err)
			continue
		}
		var fields []string
		for _, p := range problems.Problems {
			fields = append(fields, p.Field)
			if p.Message == "" || !strings.Contains(err.Error(), p.Message) {
				t.Errorf("%s: %v lacks %q", c.name, err, p.Message)
			}
		}
		if got := strings.Join(fields, " "); got != c.fields {
			t.Errorf("%s: names %q, want %q: %v", c.name, got, c.fields, err)
		}
	}
}

// TestParseFormatOfJSON: JSON is YAML, and annotations say nothing.
func TestParseFormatOfJSON(t *testing.T) {
	spec, err := ParseFormat([]byte(`{"json_schema": {"$schema": "x", "title": "t", "type": ["object", "null"], "required": [], "enum": [null, {"a": [1, true, "b"]}]}, "max_words": 5}`))
	if err != nil || *spec.MaxWords != 5 || len(spec.Schema.Types) != 2 || len(spec.Schema.Enum) != 2 {
		t.Fatalf("%+v %v", spec, err)
	}
	for output, want := range map[string]float64{"null": 1, `{"a": [1.0, true, "b"]}`: 1, `{"a": [2, true, "b"]}`: 0} {
		e := textExecution("", output)
		e.Format = spec
		if got := value(t, score(t, e), followsFormat); got != want {
			t.Errorf("%s: %v", output, got)
		}
	}
}
