package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"track/scoring"
)

// schemaNode is a JSON Schema with the keywords that spec.schema.json uses; decoding refuses any other, so that the check
// below never passes by ignoring one.
type schemaNode struct {
	always *bool // a schema that is just true or false

	Schema                    string `json:"$schema"`
	Title, Description        string
	Default                   any
	Examples                  []any
	Defs                      map[string]schemaNode `json:"$defs"`
	Ref                       string                `json:"$ref"`
	Type                      any
	Enum                      []any
	Const                     any
	Pattern                   string
	Minimum, ExclusiveMinimum *float64
	Maximum, ExclusiveMaximum *float64
	MinItems, MaxLength       int
	Items                     *schemaNode
	Required                  []string
	Properties                map[string]schemaNode
	AdditionalProperties      *schemaNode
	AllOf                     []schemaNode
	If, Then                  *schemaNode
}

func (s *schemaNode) UnmarshalJSON(data []byte) error {
	if always := string(data) == "true"; always || string(data) == "false" {
		s.always = &always
		return nil
	}
	type plain schemaNode
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return decoder.Decode((*plain)(s))
}

func readSchema(t *testing.T) *schemaNode {
	t.Helper()
	var root schemaNode
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	return &root
}

// validates says whether the schema accepts a value as encoding/json or YAML decodes it into any.
func (s *schemaNode) validates(root *schemaNode, value any) bool {
	if s.always != nil {
		return *s.always
	}
	if s.Ref != "" {
		def, ok := root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
		if !ok {
			panic("no " + s.Ref)
		}
		if !def.validates(root, value) {
			return false
		}
	}
	if s.If != nil && s.If.validates(root, value) && !s.Then.validates(root, value) {
		return false
	}
	return s.validatesType(value) && s.validatesScalar(value) && s.validatesObject(root, value) && s.validatesArray(root, value) &&
		!slices.ContainsFunc(s.AllOf, func(part schemaNode) bool { return !part.validates(root, value) })
}

func (s *schemaNode) validatesType(value any) bool {
	switch want := s.Type.(type) {
	case string:
		return isA(value, want)
	case []any:
		return slices.ContainsFunc(want, func(name any) bool { return isA(value, name.(string)) })
	}
	return true
}

func isA(value any, name string) bool {
	if name == "integer" {
		x, isFloat := value.(float64)
		return typeOf(value) == "number" && (!isFloat || x == math.Trunc(x))
	}
	return typeOf(value) == name
}

func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64, int:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return fmt.Sprintf("%T", value)
}

func (s *schemaNode) validatesScalar(value any) bool {
	if s.Enum != nil && !slices.Contains(s.Enum, value) || s.Const != nil && !reflect.DeepEqual(s.Const, value) {
		return false
	}
	if text, ok := value.(string); ok {
		return regexp.MustCompile(s.Pattern).MatchString(text) && (s.MaxLength == 0 || utf8.RuneCountInString(text) <= s.MaxLength)
	}
	x, isNumber := value.(float64)
	if i, ok := value.(int); ok {
		x, isNumber = float64(i), true
	}
	return !isNumber || (s.Minimum == nil || x >= *s.Minimum) && (s.ExclusiveMinimum == nil || x > *s.ExclusiveMinimum) &&
		(s.Maximum == nil || x <= *s.Maximum) && (s.ExclusiveMaximum == nil || x < *s.ExclusiveMaximum)
}

func (s *schemaNode) validatesObject(root *schemaNode, value any) bool {
	object, ok := value.(map[string]any)
	if !ok {
		return true
	}
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			return false
		}
	}
	for name, member := range object {
		property, known := s.Properties[name]
		if known && !property.validates(root, member) {
			return false
		}
		if !known && s.AdditionalProperties != nil && !s.AdditionalProperties.validates(root, member) {
			return false
		}
	}
	return true
}

func (s *schemaNode) validatesArray(root *schemaNode, value any) bool {
	array, ok := value.([]any)
	if !ok {
		return true
	}
	return len(array) >= s.MinItems &&
		(s.Items == nil || !slices.ContainsFunc(array, func(item any) bool { return !s.Items.validates(root, item) }))
}

// The parser and the schema accept the same documents, but for what relates two fields or two metrics, which a schema cannot
// say.
func TestSchemaAgreesWithParse(t *testing.T) {
	metric := func(fields string) string { return "{scenario: x, metrics: [{name: a, " + fields + "}]}" }
	from := func(reduction string) string { return metric("type: RANGE, min: 0, max: 1, from: " + reduction) }
	gate := func(rules string) string {
		return "{scenario: x, gate: " + rules + ", metrics: [{name: a, type: RANGE, min: 0, max: 1}]}"
	}
	tests := []struct {
		data               string
		parses, onlyParser bool // onlyParser: refused, and the schema cannot know
	}{
		{data: metric("type: MEAN_TOLERANCE, target: 1, tolerance: 1"), parses: true},
		{data: metric("type: MEAN_TOLERANCE, target: 1, tolerance: 1, min: 0, max: ~"), parses: true},
		{data: metric("type: RANGE, min: 0, max: 1, weight: 0.5, group: g, format: TREND, target_desc: d"), parses: true},
		{data: metric("type: RANGE, min: 0, max: 1, group: ~, target_desc: ~"), parses: true},
		{data: metric("type: PCT_WITHIN, target: 0.9, min: 0.8"), parses: true},
		{data: metric("type: OUTLIER, max_outlier: 0"), parses: true},
		{data: metric("type: OUTLIER, max_outlier: 0.1, penalty_weight: 0"), parses: true},
		{data: metric("type: BOOLEAN, threshold: 1, invert: true"), parses: true},
		{data: "{scenario: x, title: ~, improvement: ~, metrics: [{name: a, type: RANGE, min: 0, max: 1}]}", parses: true},
		{data: "{scenario: x, title: t, improvement: {}, metrics: [{name: a, type: RANGE, min: 0, max: 1}]}", parses: true},
		{data: "{scenario: x, improvement: {baseline: ~, max_degradation_base: 0}, metrics: [{name: a, type: RANGE, min: 0, max: 1}]}", parses: true},
		{data: gate("~"), parses: true},
		{data: gate("{}"), parses: true},
		{data: gate("{min_pass_rate: 0.95, confidence: 0.99, stable: true, max_std: 0.05, min_score: 0.8}"), parses: true},
		{data: gate("{no_degradation: true, min_seeds: 1.0e1, fail_on: [warn, INCONCLUSIVE, Fail, warn]}"), parses: true},
		{data: gate("{min_pass_rate: ~, max_std: ~, min_score: ~, stable: false, min_seeds: 0}"), parses: true},
		{data: gate("{min_pass_rate: 0, max_std: 1, confidence: 0.5, fail_on: []}"), parses: true},
		{data: from("~"), parses: true},
		{data: from("{series: s, reduce: mean}"), parses: true},
		{data: from("{series: s, skip: 500, reduce: slope, nan: skip}"), parses: true},
		{data: from("{series: s, skip: 5.0e2, reduce: quantile, q: 0.05, nan: fail}"), parses: true},
		{data: from("{series: s, reduce: autocorrelation, lag: 1}"), parses: true},
		{data: from("{series: s, reduce: pearson, with: t, drop_outliers: 1.5}"), parses: true},
		{data: from("{series: s, reduce: pearson, with: t, drop_outliers: ~}"), parses: true},
		{data: from("{series: s, reduce: fraction_between, min: 0, max: ~, strict: true}"), parses: true},
		{data: from("{series: s, reduce: outlier_fraction, iqr_factor: 0}"), parses: true},
		{data: from("{series: s, reduce: outlier_fraction, min: 0, max: 0}"), parses: true},
		{data: from("{series: s, reduce: ratio_of_means, with: t}"), parses: true},

		{data: gate("0.95")},
		{data: gate("[]")},
		{data: gate("{pass_rate: 0.95}")},
		{data: gate("{min_pass_rate: 95}")},
		{data: gate("{min_pass_rate: '0.95'}")},
		{data: gate("{max_std: -0.1}")},
		{data: gate("{max_std: 1.1}")},
		{data: gate("{min_score: 80}")},
		{data: gate("{confidence: 0}")},
		{data: gate("{confidence: 0.49}")},
		{data: gate("{confidence: 1}")},
		{data: gate("{confidence: ~}")},
		{data: gate("{stable: ~}")},
		{data: gate("{stable: 1}")},
		{data: gate("{no_degradation: 0.05}")},
		{data: gate("{min_seeds: -1}")},
		{data: gate("{min_seeds: 2.5}")},
		{data: gate("{min_seeds: ~}")},
		{data: gate("{fail_on: ~}")},
		{data: gate("{fail_on: warn}")},
		{data: gate("{fail_on: {warn: true}}")},
		{data: gate("{fail_on: [pass]}")},
		{data: gate("{fail_on: [warn, ~]}")},
		{data: gate("{fail_on: [1]}")},
		{data: gate("{fail_on: ['warn ']}")},
		{data: gate("{fail_on: [inconcluſive]}")},

		{data: from("mean")},
		{data: from("[]")},
		{data: from("{}")},
		{data: from("{reduce: mean}")},
		{data: from("{series: s}")},
		{data: from("{series: ~, reduce: mean}")},
		{data: from("{series: ' s', reduce: mean}")},
		{data: from("{series: s, reduce: average}")},
		{data: from("{series: s, reduce: mean, burn_in: 500}")},
		{data: from("{series: s, reduce: mean, skip: -1}")},
		{data: from("{series: s, reduce: mean, skip: 0.5}")},
		{data: from("{series: s, reduce: mean, skip: ~}")},
		{data: from("{series: s, reduce: mean, nan: drop}")},
		{data: from("{series: s, reduce: mean, q: 0.5}")},
		{data: from("{series: s, reduce: quantile}")},
		{data: from("{series: s, reduce: quantile, q: 95}")},
		{data: from("{series: s, reduce: quantile, q: ~}")},
		{data: from("{series: s, reduce: autocorrelation}")},
		{data: from("{series: s, reduce: autocorrelation, lag: 0}")},
		{data: from("{series: s, reduce: pearson}")},
		{data: from("{series: s, reduce: pearson, with: ''}")},
		{data: from("{series: s, reduce: pearson, with: t, drop_outliers: -1}")},
		{data: from("{series: s, reduce: fraction_between, min: 0, strict: 1}")},
		{data: from("{series: s, reduce: outlier_fraction, min: 0, strict: true}")},
		{data: from("{series: s, reduce: ratio_of_means, with: t, drop_outliers: 1.5}")},

		{data: "[]"},
		{data: "{}"},
		{data: "{scenario: x}"},
		{data: "{scenario: x, metrics: ~}"},
		{data: "{scenario: x, metrics: []}"},
		{data: "{scenario: x, metrics: {}}"},
		{data: "{scenario: x, metrics: [1]}"},
		{data: "{metrics: [{name: a, type: RANGE, min: 0, max: 1}]}"},
		{data: "{scenario: ' ', metrics: [{name: a, type: RANGE, min: 0, max: 1}]}"},
		{data: "{scenario: 1, metrics: [{name: a, type: RANGE, min: 0, max: 1}]}"},
		{data: "{scenario: x, titel: t, metrics: [{name: a, type: RANGE, min: 0, max: 1}]}"},
		{data: "{scenario: x, improvement: 1, metrics: [{name: a, type: RANGE, min: 0, max: 1}]}"},
		{data: "{scenario: x, improvement: {base: 1}, metrics: [{name: a, type: RANGE, min: 0, max: 1}]}"},
		{data: "{scenario: x, improvement: {max_degradation_base: -1}, metrics: [{name: a, type: RANGE, min: 0, max: 1}]}"},
		{data: "{scenario: x, improvement: {max_degradation_base: ~}, metrics: [{name: a, type: RANGE, min: 0, max: 1}]}"},
		{data: "{scenario: x, metrics: [{type: RANGE, min: 0, max: 1}]}"},
		{data: "{scenario: x, metrics: [{name: ' ', type: RANGE, min: 0, max: 1}]}"},
		{data: "{scenario: x@1, metrics: [{name: a, type: RANGE, min: 0, max: 1}]}"},
		{data: "{scenario: x, metrics: [{name: 'a ', type: RANGE, min: 0, max: 1}]}"},
		{data: "{scenario: x, metrics: [{name: " + strings.Repeat("a", 201) + ", type: RANGE, min: 0, max: 1}]}"},
		{data: metric("min: 0, max: 1")},
		{data: metric("type: OTHER")},
		{data: metric("type: ~")},
		{data: metric("type: MEAN_TOLERANCE, target: 1")},
		{data: metric("type: MEAN_TOLERANCE, tolerance: 1")},
		{data: metric("type: MEAN_TOLERANCE, target: 1, tolerance: 0")},
		{data: metric("type: MEAN_TOLERANCE, target: ~, tolerance: 1")},
		{data: metric("type: MEAN_TOLERANCE, target: 1, tolerance: 1, invert: true")},
		{data: metric("type: RANGE, min: 0")},
		{data: metric("type: RANGE, max: 0")},
		{data: metric("type: RANGE, min: 0, max: ~")},
		{data: metric("type: RANGE, min: 0, max: '1'")},
		{data: metric("type: RANGE, min: 0, max: 1, target: 1")},
		{data: metric("type: RANGE, min: 0, max: 1, weight: -1")},
		{data: metric("type: RANGE, min: 0, max: 1, weight: ~")},
		{data: metric("type: RANGE, min: 0, max: 1, format: ~")},
		{data: metric("type: RANGE, min: 0, max: 1, format: OTHER")},
		{data: metric("type: RANGE, min: 0, max: 1, group: 1")},
		{data: metric("type: RANGE, min: 0, max: 1, target_desc: true")},
		{data: metric("type: PCT_WITHIN, target: 1")},
		{data: metric("type: PCT_WITHIN, min: 1")},
		{data: metric("type: PCT_WITHIN, target: 1, min: 0, max: 1")},
		{data: metric("type: OUTLIER")},
		{data: metric("type: OUTLIER, max_outlier: -1")},
		{data: metric("type: OUTLIER, max_outlier: 1, penalty_weight: -1")},
		{data: metric("type: OUTLIER, max_outlier: 1, penalty_weight: ~")},
		{data: metric("type: OUTLIER, max_outlier: 1, threshold: 1")},
		{data: metric("type: BOOLEAN")},
		{data: metric("type: BOOLEAN, threshold: 1, invert: yes")},
		{data: metric("type: BOOLEAN, threshold: 1, invert: ~")},
		{data: metric("type: BOOLEAN, threshold: 1, tolerance: 1")},

		{data: metric("type: RANGE, min: 1, max: 0"), onlyParser: true},
		{data: metric("type: RANGE, min: 0, max: 1, weight: 0"), onlyParser: true},
		{data: from("{series: s, reduce: fraction_between}"), onlyParser: true},
		{data: from("{series: s, reduce: fraction_between, min: 1, max: 0}"), onlyParser: true},
		{data: from("{series: s, reduce: outlier_fraction}"), onlyParser: true},
		{data: from("{series: s, reduce: outlier_fraction, min: 0, iqr_factor: 1.5}"), onlyParser: true},
		{data: from("{series: s, reduce: mean, skip: 1e300}"), onlyParser: true},
		{data: "{scenario: x, metrics: [{name: a, type: RANGE, min: 0, max: 1}, {name: a, type: RANGE, min: 0, max: 1}]}", onlyParser: true},
	}
	root := readSchema(t)
	for _, tt := range tests {
		_, err := Parse("", []byte("# YAML\n"+tt.data))
		if parses := err == nil; parses != tt.parses {
			t.Errorf("Parse(%s) = %v, want accepted %v", tt.data, err, tt.parses)
		}
		if got := root.validates(root, decodeYAML(t, []byte(tt.data))); got != (tt.parses || tt.onlyParser) {
			t.Errorf("the schema accepts %s: %v", tt.data, got)
		}
	}
}

// decodeYAML decodes a document; yes is a text, as in YAML 1.2 and for the parser.
func decodeYAML(t *testing.T, data []byte) any {
	t.Helper()
	var value any
	if err := yaml.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestSchemaAcceptsExamples(t *testing.T) {
	root := readSchema(t)
	files, err := filepath.Glob("../examples/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no example specs: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !root.validates(root, decodeYAML(t, data)) {
			t.Errorf("the schema refuses %s", file)
		}
	}
	check := func(document any) {
		data, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse("example", data); err != nil || !root.validates(root, document) {
			t.Errorf("example %s: %v", data, err)
		}
	}
	for _, example := range root.Examples {
		check(example)
	}
	for _, def := range root.Defs {
		for _, example := range def.Examples {
			check(map[string]any{"scenario": "x", "metrics": []any{example}})
		}
	}
}

// The schema and the parser know the same fields, with the same defaults, and every field is described.
func TestSchemaFields(t *testing.T) {
	root := readSchema(t)
	checkFields(t, root, "spec", *root, topFields)
	checkFields(t, root, "improvement", root.Properties["improvement"], improvementFields)
	checkFields(t, root, "gate", root.Properties["gate"], gateFields)
	branches := root.Defs["metric"].AllOf
	for i, target := range targetTypes() {
		if got := branches[i].If.Properties["type"].Const; got != string(target.name) {
			t.Fatalf("branch %d is for %v, want %s", i, got, target.name)
		}
		def := root.Defs[strings.TrimPrefix(branches[i].Then.Ref, "#/$defs/")]
		checkFields(t, root, string(target.name), def, slices.Concat(commonFields, target.fields))
	}
	if len(branches) != len(targetTypes()) {
		t.Errorf("%d branches for %d types", len(branches), len(targetTypes()))
	}
}

// The schema knows every reducer, each in one branch, with the fields that the parser reads.
func TestSchemaReducers(t *testing.T) {
	root := readSchema(t)
	from := root.Defs["from"]
	if want := from.Properties["reduce"].Enum; len(want) != len(scoring.Reducers()) {
		t.Errorf("the schema has the reducers %v", want)
	}
	for _, reducer := range scoring.Reducers() {
		if !slices.Contains(from.Properties["reduce"].Enum, any(string(reducer))) {
			t.Errorf("the schema lacks %s", reducer)
		}
		var refs []string
		for _, branch := range from.AllOf {
			if branch.If.validates(root, map[string]any{"reduce": string(reducer)}) {
				refs = append(refs, strings.TrimPrefix(branch.Then.Ref, "#/$defs/"))
			}
		}
		if len(refs) != 1 {
			t.Fatalf("%s has the branches %v", reducer, refs)
		}
		checkFields(t, root, string(reducer), root.Defs[refs[0]], slices.Concat(reductionFields, reducer.Fields()))
	}
}

func checkFields(t *testing.T, root *schemaNode, name string, s schemaNode, want []string) {
	t.Helper()
	var got []string
	for field, property := range s.Properties {
		got = append(got, field)
		def := root.Defs[strings.TrimPrefix(property.Ref, "#/$defs/")]
		if property.always == nil && property.Description == "" && def.Description == "" {
			t.Errorf("%s: %s has no description", name, field)
		}
	}
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s: the schema has %v, the parser %v", name, got, want)
	}
	if s.AdditionalProperties == nil || s.AdditionalProperties.always == nil || *s.AdditionalProperties.always {
		t.Errorf("%s: the schema accepts unknown fields", name)
	}
}

// The caller may change what it gets.
func TestSchemaIsACopy(t *testing.T) {
	Schema()[0] = 'x'
	if Schema()[0] != '{' {
		t.Error("Schema returns its only copy")
	}
}
