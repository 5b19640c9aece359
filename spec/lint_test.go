package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"track/scoring"
)

// Each metric of the file deserves one warning, for the reason in its name; the golden file has them.
func TestLint(t *testing.T) {
	s := mustParse(t, []byte(`
scenario: x
metrics:
  - {name: fine, type: RANGE, min: 0, max: 1, group: G}
  - {name: fine_at_the_bounds, type: MEAN_TOLERANCE, target: 0.3, tolerance: 0.1, min: 0.2, max: 0.4, group: G}
  - {name: fine_share, type: PCT_WITHIN, target: 1, min: 0.9, group: G}
  - {name: fine_outlier, type: OUTLIER, max_outlier: 1, group: G}
  - {name: no_weight, type: RANGE, min: 0, max: 1, weight: 0, group: G}
  - {name: no_width, type: RANGE, min: 1, max: 1, group: G}
  - {name: no_band, type: PCT_WITHIN, target: 0.9, min: 0.9, group: G}
  - {name: target_below_min, type: MEAN_TOLERANCE, target: 0, tolerance: 1, min: 1, group: G}
  - {name: target_above_max, type: MEAN_TOLERANCE, target: 2, tolerance: 1, max: 1, group: G}
  - {name: tolerance_past_min, type: MEAN_TOLERANCE, target: 1, tolerance: 2, min: 0, group: G}
  - {name: tolerance_past_max, type: MEAN_TOLERANCE, target: 1, tolerance: 2, max: 2, group: G}
  - {name: percent_target, type: PCT_WITHIN, target: 95, min: 0.9, group: G}
  - {name: percent_outlier, type: OUTLIER, max_outlier: 2, group: G}
  - {name: no_penalty, type: OUTLIER, max_outlier: 0.1, penalty_weight: 0, group: G}
  - {name: fine_from, type: PCT_WITHIN, target: 1, min: 0.9, group: G, from: {series: s, reduce: fraction_between, min: 0}}
  - {name: inside, type: OUTLIER, max_outlier: 0.1, group: G, from: {series: s, reduce: fraction_between, min: 0}}
  - {name: outside, type: PCT_WITHIN, target: 1, min: 0.9, group: G, from: {series: s, reduce: outlier_fraction, min: 0}}
  - {name: itself, type: RANGE, min: 0, max: 1, group: G, from: {series: s, reduce: pearson, with: s}}
  - {name: no_group, type: BOOLEAN, threshold: 1}
  - {name: outweighs, type: BOOLEAN, threshold: 1, weight: 100, group: G}
`))
	var b strings.Builder
	for _, w := range Lint(s) {
		fmt.Fprintln(&b, w)
	}
	golden(t, "lint.golden", b.String())
}

func TestLintGate(t *testing.T) {
	tests := []struct{ rules, want string }{
		{"{min_pass_rate: 0.95, max_std: 0, fail_on: []}", ""},
		{"{stable: true}", ""},
		{"{confidence: 0.9}", "gate: has no rule: it judges nothing by itself"},
		{"{fail_on: [warn]}", "gate: has no rule: it judges nothing by itself"},
		{"{stable: true, guard: [a]}", "gate.guard: says nothing without no_degradation"},
		{"{stable: true, leave_out: [{name: a, reason: x}]}", "gate.leave_out: says nothing without no_degradation"},
		{"{min_pass_rate: 0}", "gate.min_pass_rate: 0: every pass rate reaches it"},
		{"{min_pass_rate: 1, stable: true}", "gate.min_pass_rate: 1: the lower bound of a pass rate stays below it, however many seeds pass"},
	}
	for _, tt := range tests {
		var got []string
		for _, w := range Lint(mustParse(t, []byte(gate(tt.rules)))) {
			got = append(got, w.String())
		}
		if got := strings.Join(got, "\n"); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.rules, got, tt.want)
		}
	}
}

func TestLintFindsNothing(t *testing.T) {
	for _, data := range []string{
		metric("type: RANGE, min: 0, max: 1"), // all of the weight, but there is no other
		"scenario: x\nmetrics:\n- {name: a, type: RANGE, min: 0, max: 1}\n- {name: b, type: RANGE, min: 0, max: 1}\n", // half each; no groups at all
	} {
		if warnings := Lint(mustParse(t, []byte(data))); len(warnings) > 0 {
			t.Errorf("%v", warnings)
		}
	}
}

// compileSchema compiles the schema, or the definition of that name in it.
func compileSchema(t *testing.T, definition string) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	const url = "file:///spec.schema.json"
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(url, document); err != nil {
		t.Fatal(err)
	}
	if definition != "" {
		definition = "#/$defs/" + definition
	}
	compiled, err := compiler.Compile(url + definition)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// The parser and the schema accept the same documents, but for what relates two fields or two metrics, which a schema
// cannot say.
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

		{data: gate("{no_degradation: true, guard: [a], leave_out: [{name: a, reason: bimodal}]}"), parses: true},
		{data: gate("{guard: []}")},
		{data: gate("{guard: a}")},
		{data: gate("{guard: [1]}")},
		{data: gate("{leave_out: {a: bimodal}}")},
		{data: gate("{leave_out: [a]}")},
		{data: gate("{leave_out: [{name: a}]}")},
		{data: gate("{leave_out: [{name: a, reason: ' '}]}")},
		{data: gate("{leave_out: [{name: a, reason: x, why: y}]}")},
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
	root := compileSchema(t, "")
	for _, tt := range tests {
		_, err := Parse("", []byte("# YAML\n"+tt.data))
		if parses := err == nil; parses != tt.parses {
			t.Errorf("Parse(%s) = %v, want accepted %v", tt.data, err, tt.parses)
		}
		if err := root.Validate(decodeYAML(t, []byte(tt.data))); (err == nil) != (tt.parses || tt.onlyParser) {
			t.Errorf("the schema says of %s: %v", tt.data, err)
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
	root := compileSchema(t, "")
	files, err := filepath.Glob("../examples/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no example specs: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := root.Validate(decodeYAML(t, data)); err != nil {
			t.Errorf("the schema refuses %s: %v", file, err)
		}
	}
	check := func(document any) {
		data, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Parse("example", data)
		if err := errors.Join(err, root.Validate(document)); err != nil {
			t.Errorf("example %s: %v", data, err)
		}
	}
	for _, example := range root.Examples {
		check(example)
	}
	var document struct {
		Defs map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &document); err != nil {
		t.Fatal(err)
	}
	for name := range document.Defs {
		for _, example := range compileSchema(t, name).Examples {
			check(map[string]any{"scenario": "x", "metrics": []any{example}})
		}
	}
}

// The schema and the parser know the same fields, with the same defaults, and every field is described.
func TestSchemaFields(t *testing.T) {
	root := compileSchema(t, "")
	checkFields(t, "spec", root, topFields)
	checkFields(t, "improvement", root.Properties["improvement"], improvementFields)
	checkFields(t, "gate", root.Properties["gate"], gateFields)
	branches := compileSchema(t, "metric").AllOf
	for i, target := range targetTypes() {
		if got := branches[i].If.Properties["type"].Const; got == nil || *got != string(target.name) {
			t.Fatalf("branch %d is for %v, want %s", i, got, target.name)
		}
		checkFields(t, string(target.name), branches[i].Then.Ref, slices.Concat(commonFields, target.fields))
	}
	if len(branches) != len(targetTypes()) {
		t.Errorf("%d branches for %d types", len(branches), len(targetTypes()))
	}
}

// The schema knows every reducer, each in one branch, with the fields that the parser reads.
func TestSchemaReducers(t *testing.T) {
	from := compileSchema(t, "from")
	reducers := from.Properties["reduce"].Enum.Values
	if len(reducers) != len(scoring.Reducers()) {
		t.Errorf("the schema has the reducers %v", reducers)
	}
	for _, reducer := range scoring.Reducers() {
		if !slices.Contains(reducers, any(string(reducer))) {
			t.Errorf("the schema lacks %s", reducer)
		}
		var refs []*jsonschema.Schema
		for _, branch := range from.AllOf {
			if branch.If.Validate(map[string]any{"reduce": string(reducer)}) == nil {
				refs = append(refs, branch.Then.Ref)
			}
		}
		if len(refs) != 1 {
			t.Fatalf("%s has the branches %v", reducer, refs)
		}
		checkFields(t, string(reducer), refs[0], slices.Concat(reductionFields, reducer.Fields()))
	}
}

func checkFields(t *testing.T, name string, s *jsonschema.Schema, want []string) {
	t.Helper()
	var got []string
	for field, property := range s.Properties {
		got = append(got, field)
		isDescribed := property.Bool != nil || property.Description != "" || property.Ref != nil && property.Ref.Description != ""
		if !isDescribed {
			t.Errorf("%s: %s has no description", name, field)
		}
	}
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s: the schema has %v, the parser %v", name, got, want)
	}
	if s.AdditionalProperties != false {
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
