package spec

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/scoring"
)

// parseError returns the problems of a document that must be refused.
func parseError(t *testing.T, data string) []Problem {
	t.Helper()
	_, err := Parse("s.yaml", []byte(data))
	refused, ok := errors.AsType[*Error](err)
	if !ok || !errors.Is(err, track.ErrInvalid) {
		t.Fatalf("Parse = %v, want *spec.Error for\n%s", err, data)
	}
	if len(refused.Problems) == 0 {
		t.Fatal("an Error without problems")
	}
	return refused.Problems
}

// metric is a document with one metric, so that its fields are on line 2.
func metric(fields string) string { return "scenario: x\nmetrics: [{name: a, " + fields + "}]\n" }

func TestParse(t *testing.T) {
	got, err := Parse("s.yaml", []byte(`
scenario: growth_plus
title: Growth+ scenario
metrics:
  - {name: mean, type: MEAN_TOLERANCE, weight: 1.5, target: 0.065, tolerance: 0.02, group: TIME_SERIES}
  - {name: bounded, type: MEAN_TOLERANCE, target: 3, tolerance: 2, min: 1, max: null}
  - {name: ceiling, type: BOOLEAN, weight: 3, threshold: .2, invert: true, target_desc: "< 20%", from: {series: u, reduce: max}}
  - {name: floor, type: BOOLEAN, threshold: -15e-2}
  - {name: range, type: RANGE, min: -1, max: +1.0, format: TREND}
  - {name: share, type: PCT_WITHIN, target: 0.9, min: 0.8, format: PERCENT, group: ~, from: {series: s, skip: 500, reduce: fraction_between, min: -0.05, nan: skip}}
  - {name: outliers, type: OUTLIER, max_outlier: 0.02}
  - {name: steep, type: OUTLIER, max_outlier: 0.02, penalty_weight: 4}
improvement: {baseline: baseline}
gate:
  min_pass_rate: 0.95
  stable: true
  max_std: .05
  min_score: null
  no_degradation: true
  min_seeds: 10
  fail_on: [Inconclusive, WARN]
`))
	if err != nil {
		t.Fatal(err)
	}
	one, floor, rate, std := 1.0, -0.05, 0.95, 0.05
	want := scoring.Spec{
		Scenario: "growth_plus",
		Title:    "Growth+ scenario",
		Metrics: []scoring.Metric{
			{Name: "mean", Weight: 1.5, Format: "DEFAULT", Group: "TIME_SERIES", Target: scoring.MeanTolerance{Target: 0.065, Tolerance: 0.02}},
			{Name: "bounded", Weight: 1, Format: "DEFAULT", Target: scoring.MeanTolerance{Target: 3, Tolerance: 2, Min: &one}},
			{
				Name: "ceiling", Weight: 3, Format: "DEFAULT", TargetDesc: "< 20%", Target: scoring.Boolean{Threshold: 0.2, Invert: true},
				From: &scoring.Reduction{Series: "u", Reduce: "max", NaN: "fail"},
			},
			{Name: "floor", Weight: 1, Format: "DEFAULT", Target: scoring.Boolean{Threshold: -0.15}},
			{Name: "range", Weight: 1, Format: "TREND", Target: scoring.Range{Min: -1, Max: 1}},
			{
				Name: "share", Weight: 1, Format: "PERCENT", Target: scoring.PctWithin{Target: 0.9, Min: 0.8},
				From: &scoring.Reduction{Series: "s", Skip: 500, Reduce: "fraction_between", NaN: "skip", Min: &floor},
			},
			{Name: "outliers", Weight: 1, Format: "DEFAULT", Target: scoring.Outlier{MaxOutlier: 0.02, PenaltyWeight: 2}},
			{Name: "steep", Weight: 1, Format: "DEFAULT", Target: scoring.Outlier{MaxOutlier: 0.02, PenaltyWeight: 4}},
		},
		Improvement: &scoring.Improvement{Baseline: "baseline", MaxDegradationBase: 0.25},
		Gate: &scoring.GateRules{
			MinPassRate: &rate, Stable: true, MaxStd: &std, NoDegradation: true, MinSeeds: 10,
			Confidence: 0.95, FailOn: []scoring.Verdict{"WARN", "INCONCLUSIVE"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// gate is a document with a gate of one line.
func gate(rules string) string {
	return metric("type: RANGE, min: 0, max: 1") + "gate: " + rules + "\n"
}

// What a list of verdicts says besides FAIL, which always fails; nil, the default, is INCONCLUSIVE.
func TestParseFailOn(t *testing.T) {
	tests := []struct {
		list string
		want []scoring.Verdict
	}{
		{"[]", []scoring.Verdict{"FAIL"}},
		{"[fail]", []scoring.Verdict{"FAIL"}},
		{"[Fail, FAIL]", []scoring.Verdict{"FAIL"}},
		{"[inconclusive]", nil},
		{"[fail, INCONCLUSIVE]", nil},
		{"[warn]", []scoring.Verdict{"WARN"}},
		{"[fail, warn]", []scoring.Verdict{"WARN"}},
		{"[inconclusive, warn, inconclusive]", []scoring.Verdict{"WARN", "INCONCLUSIVE"}},
	}
	for _, tt := range tests {
		s := mustParse(t, []byte(gate("{stable: true, fail_on: "+tt.list+"}")))
		if diff := cmp.Diff(tt.want, s.Gate.FailOn); diff != "" {
			t.Errorf("%s: %s", tt.list, diff)
		}
	}
}

// A gate that says nothing is none; one without a rule of its own still says how to judge by the rules of others.
func TestParseGateWithoutRules(t *testing.T) {
	for _, rules := range []string{"~", "{}", "{confidence: 0.95, stable: false, min_seeds: 0, max_std: ~, fail_on: [inconclusive]}"} {
		if s := mustParse(t, []byte(gate(rules))); s.Gate != nil {
			t.Errorf("%s: %+v", rules, s.Gate)
		}
	}
	tests := map[string]scoring.GateRules{
		"{confidence: 0.9}": {Confidence: 0.9},
		"{fail_on: []}":     {Confidence: 0.95, FailOn: []scoring.Verdict{"FAIL"}},
	}
	for rules, want := range tests {
		if diff := cmp.Diff(&want, mustParse(t, []byte(gate(rules))).Gate); diff != "" {
			t.Errorf("%s: %s", rules, diff)
		}
	}
}

// What follows "s.yaml:2: metric a: " in the message; the metric is a valid one but for what the case is about.
func TestParseRefusesMetric(t *testing.T) {
	const known = "known fields: name, type, weight, group, format, target_desc, margin, from, "
	const from = "type: RANGE, min: 0, max: 1, from: "
	tests := []struct{ name, fields, want string }{
		{"no type", "weight: 1", "type: missing"},
		{"unknown type", "type: MEAN", `type: unknown type "MEAN" (did you mean MEAN_TOLERANCE?)`},
		{"type in lower case", "type: range, min: 0, max: 1", `type: unknown type "range" (did you mean RANGE?)`},
		{"type far off", "type: GAUSS", `type: unknown type "GAUSS" (the types are MEAN_TOLERANCE, RANGE, PCT_WITHIN, OUTLIER, BOOLEAN)`},
		{"type is empty", "type: ''", `type: unknown type "" (the types are MEAN_TOLERANCE, RANGE, PCT_WITHIN, OUTLIER, BOOLEAN)`},
		{"type is a list", "type: [RANGE]", "type: must be text, not a list"},

		{"MEAN_TOLERANCE target missing", "type: MEAN_TOLERANCE, tolerance: 1", "target: missing"},
		{"MEAN_TOLERANCE tolerance missing", "type: MEAN_TOLERANCE, target: 1", "tolerance: missing"},
		{"RANGE min missing", "type: RANGE, max: 1", "min: missing"},
		{"RANGE max null", "type: RANGE, min: 1, max: null", "max: has no value"},
		{"PCT_WITHIN min missing", "type: PCT_WITHIN, target: 1", "min: missing"},
		{"OUTLIER max_outlier missing", "type: OUTLIER", "max_outlier: missing"},
		{"BOOLEAN threshold missing", "type: BOOLEAN, invert: true", "threshold: missing"},

		{"unknown field, near", "type: MEAN_TOLERANCE, target: 1, tolerance: 1, tolerence: 1", "tolerence: unknown field (did you mean tolerance?)"},
		{"unknown field, far", "type: RANGE, min: 0, max: 1, params: {}", "params: unknown field (" + known + "min, max)"},
		{"field of another type", "type: RANGE, min: 0, max: 1, threshold: 1",
			"threshold: not a field of RANGE: it belongs to BOOLEAN (RANGE has min, max)"},
		{"field of two other types", "type: BOOLEAN, threshold: 1, target: 1",
			"target: not a field of BOOLEAN: it belongs to MEAN_TOLERANCE, PCT_WITHIN (BOOLEAN has threshold, invert)"},
		{"duplicate field", "type: RANGE, min: 0, max: 1, min: 0", "min: duplicate field, already on line 2"},

		{"number in quotes", `type: RANGE, min: "0", max: 1`, `min: must be a number, not the text "0" (leave the quotes out)`},
		{"number is a word", "type: RANGE, min: zero, max: 1", `min: must be a number, not the text "zero"`},
		{"number is a bool", "type: RANGE, min: false, max: 1", "min: must be a number, not false"},
		{"number is a mapping", "type: RANGE, min: {a: 1}, max: 1", "min: must be a number, not a mapping"},
		{"NaN", "type: RANGE, min: .nan, max: 1", "min: .nan is not a finite number"},
		{"infinity", "type: RANGE, min: 0, max: .Inf", "max: .Inf is not a finite number"},
		{"negative infinity", "type: RANGE, min: -.inf, max: 0", "min: -.inf is not a finite number"},
		{"overflow", "type: RANGE, min: 0, max: 1e999", "max: 1e999 is too large for a float64"},
		{"hexadecimal", "type: RANGE, min: 0, max: 0x10", "max: 0x10: write the number in plain decimal, as in 0.05"},
		{"octal, 8 or 10", "type: RANGE, min: 0, max: 010", "max: 010: write the number in plain decimal, as in 0.05"},
		{"digit groups", "type: RANGE, min: 0, max: 1_000", "max: 1_000: write the number in plain decimal, as in 0.05"},
		{"tagged text", "type: RANGE, min: 0, max: !!float one", "max: one: write the number in plain decimal, as in 0.05"},

		{"weight without value", "type: RANGE, min: 0, max: 1, weight: ", "weight: has no value (leave the field out for the default, 1)"},
		{"weight in quotes", "type: RANGE, min: 0, max: 1, weight: '2'", `weight: must be a number, not the text "2" (leave the quotes out)`},
		{"invert is a word", "type: BOOLEAN, threshold: 1, invert: yes", `invert: must be true or false, not the text "yes"`},
		{"invert is a number", "type: BOOLEAN, threshold: 1, invert: 1", "invert: must be true or false, not the number 1"},
		{"invert without value", "type: BOOLEAN, threshold: 1, invert: ", "invert: has no value (leave the field out for the default, false)"},
		{"format without value", "type: RANGE, min: 0, max: 1, format: ", "format: has no value (leave the field out for the default, DEFAULT)"},
		{"unknown format", "type: RANGE, min: 0, max: 1, format: percent",
			`format: unknown format "percent": use DEFAULT, PERCENT, TREND or INTEGER`},
		{"group is a number", "type: RANGE, min: 0, max: 1, group: 1", `group: must be text, not the number 1 (write "1" with the quotes)`},
		{"target_desc is a bool", "type: RANGE, min: 0, max: 1, target_desc: true",
			`target_desc: must be text, not true (write "true" with the quotes)`},

		{"from is a word", from + "mean", `from: must be a mapping with series and reduce, not the text "mean"`},
		{"no series", from + "{reduce: mean}", "from.series: missing"},
		{"series is a list", from + "{series: [a, b], reduce: mean}", "from.series: must be text, not a list"},
		{"series with a space", from + "{series: 'a ', reduce: mean}", `from.series: "a " begins or ends with white space`},
		{"no reducer", from + "{series: s}", "from.reduce: missing"},
		{"unknown reducer, near", from + "{series: s, reduce: avg, min: 0}", `from.reduce: unknown reducer "avg" (the reducers are mean, std, sample_std, ` +
			"min, max, last, sum, count, median, quantile, skewness, cv, slope, autocorrelation, pearson, fraction_between, outlier_fraction, ratio_of_means)"},
		{"reducer in upper case", from + "{series: s, reduce: MEAN}", `from.reduce: unknown reducer "MEAN" (did you mean mean?)`},
		{"unknown field of from", from + "{series: s, reduce: mean, skp: 500}", "from.skp: unknown field (did you mean skip?)"},
		{"unknown field of from, far", from + "{series: s, reduce: mean, burn_in: 500}", "from.burn_in: unknown field (known fields: series, skip, reduce, nan)"},
		{"field of another reducer", from + "{series: s, reduce: mean, q: 0.5}",
			"from.q: not a field of mean: it belongs to quantile (mean has series, skip, reduce, nan)"},
		{"field of two other reducers", from + "{series: s, reduce: pearson, with: t, min: 0}",
			"from.min: not a field of pearson: it belongs to fraction_between, outlier_fraction (pearson has with, drop_outliers)"},
		{"duplicate field of from", from + "{series: s, reduce: mean, series: s}", "from.series: duplicate field, already on line 2"},
		{"skip is a word", from + "{series: s, reduce: mean, skip: half}", `from.skip: must be a number, not the text "half"`},
		{"skip is a half", from + "{series: s, reduce: mean, skip: 0.5}", "from.skip: 0.5 is not a whole number"},
		{"skip is negative", from + "{series: s, reduce: mean, skip: -1}", "from.skip: -1 is negative"},
		{"skip is huge", from + "{series: s, reduce: mean, skip: 1e300}", "from.skip: 1e300 is out of range"},
		{"skip without value", from + "{series: s, reduce: mean, skip: }", "from.skip: has no value (leave the field out for the default, 0)"},
		{"rule for NaN", from + "{series: s, reduce: mean, nan: drop}", `from.nan: unknown rule "drop": use fail or skip`},
		{"no q", from + "{series: s, reduce: quantile}", "from.q: missing"},
		{"q in percent", from + "{series: s, reduce: quantile, q: 95}", "from.q: 95 is not from 0 to 1"},
		{"no lag", from + "{series: s, reduce: autocorrelation}", "from.lag: missing"},
		{"lag 0", from + "{series: s, reduce: autocorrelation, lag: 0}", "from.lag: 0 must be at least 1"},
		{"no other series", from + "{series: s, reduce: pearson}", "from.with: missing"},
		{"no bounds", from + "{series: s, reduce: fraction_between}", "from.min: missing: fraction_between takes min, max or both"},
		{"bounds crossed", from + "{series: s, reduce: outlier_fraction, min: 1, max: 0}", "from.min: 1 is above max 0"},
		{"strict is a word", from + "{series: s, reduce: fraction_between, min: 0, strict: yes}", `from.strict: must be true or false, not the text "yes"`},

		// What scoring finds, with the line and the field.
		{"min above max", "type: RANGE, min: 2, max: 1", "min: 2 is above max 1"},
		{"infinite width", "type: RANGE, min: -1e308, max: 1e308", "max: the width of the range is infinite in float64"},
		{"tolerance 0", "type: MEAN_TOLERANCE, target: 1, tolerance: 0", "tolerance: 0 must be greater than 0"},
		{"tolerance underflows", "type: MEAN_TOLERANCE, target: 1, tolerance: 1e-999", "tolerance: 0 must be greater than 0"},
		{"hard bounds crossed", "type: MEAN_TOLERANCE, target: 1, tolerance: 1, min: 2, max: 1", "min: 2 is above max 1"},
		{"min above target", "type: PCT_WITHIN, target: 0.5, min: 0.9", "min: 0.9 is above target 0.5"},
		{"negative share", "type: OUTLIER, max_outlier: -1", "max_outlier: -1 is negative"},
		{"negative penalty", "type: OUTLIER, max_outlier: 0, penalty_weight: -1", "penalty_weight: -1 is negative: more outliers would score higher"},
		{"negative weight", "type: RANGE, min: 0, max: 1, weight: -1", "weight: -1 is negative"},

		{"alias", "type: RANGE, min: &m 1, max: *m", "max: aliases (*m) are not supported: write the value out"},
		{"merge key", "type: RANGE, min: 0, max: 1, <<: {}", "<<: unknown field (merge keys are not supported: write the fields out)"},
		{"tag", "type: RANGE, min: 0, max: !percent 1", "max: the tag !percent is not supported: leave it out"},
		{"tag on a mapping", "type: RANGE, min: 0, max: !!set {}", "max: the tag !!set is not supported: leave it out"},
		{"binary", "type: RANGE, min: 0, max: 1, group: !!binary aGk=", "group: the tag !!binary is not supported: leave it out"},
		{"key is a list", "type: RANGE, min: 0, max: 1, ? [a] : 1", "[...]: unknown field (" + known + "min, max)"},
		{"key is a mapping", "type: RANGE, min: 0, max: 1, ? {a: b} : 1", "{...}: unknown field (" + known + "min, max)"},
		{"key is an alias", "type: RANGE, min: &m 0, max: 1, *m : 1", "*m: unknown field (" + known + "min, max)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			problems := parseError(t, metric(tt.fields))
			if got, want := problems[0].String(), "s.yaml:2: metric a: "+tt.want; got != want {
				t.Errorf("problem\n got %s\nwant %s", got, want)
			}
			// A document that is wrong in one place has one problem, but for weights: the only one is also their sum.
			for _, p := range problems[1:] {
				if p.Field != "metrics" {
					t.Errorf("also: %s", p)
				}
			}
		})
	}
}

func TestParseRefusesFile(t *testing.T) {
	const valid = "metrics: [{name: a, type: RANGE, min: 0, max: 1}]\n"
	const quotes = " (text with : # , [ ] { } in it, or with > | % @ & * at its beginning, belongs in quotes)"
	const isJSON = " (a file that starts with { is read as JSON, any other as YAML)"
	tests := []struct {
		name, data string
		want       []string
	}{
		{"nothing", "", []string{"s.yaml:1: the file is empty (a spec has at least scenario and metrics)"}},
		{"comment", "# later\n", []string{"s.yaml:1: the file is empty (a spec has at least scenario and metrics)"}},
		{"null", "---\n", []string{"s.yaml:1: the file is empty (a spec has at least scenario and metrics)"}},
		{"list", "- a\n", []string{"s.yaml:1: a spec must be a mapping of fields, not a list (it begins with scenario: and metrics:)"}},
		{"text", "growth", []string{`s.yaml:1: a spec must be a mapping of fields, not the text "growth" (it begins with scenario: and metrics:)`}},
		{"JSON list", "[1]", []string{"s.yaml:1: a spec must be a mapping of fields, not a list (it begins with scenario: and metrics:)"}},
		{"two documents", "scenario: x\n" + valid + "---\nscenario: y\n", []string{"s.yaml:3: a second document begins here (write one spec per file)"}},
		{"two JSON documents", "{}\n{}", []string{"s.yaml:2: a second document begins here (write one spec per file)"}},
		{"second document broken", "scenario: x\n---\na: b: c\n", []string{
			"s.yaml:3: not valid YAML: mapping values are not allowed in this context" + quotes,
		}},

		{"no scenario", valid, []string{"s.yaml:1: scenario: missing"}},
		{"blank scenario", "scenario: ' '\n" + valid, []string{`s.yaml:1: scenario: " " begins or ends with white space`}},
		{"empty scenario", "scenario: ''\n" + valid, []string{"s.yaml:1: scenario: missing: name the scenario"}},
		{"scenario with @", "scenario: x@2\n" + valid, []string{
			`s.yaml:1: scenario: "x@2" contains @, which separates a scenario from its configuration`,
		}},
		{"baseline with @", "scenario: x\n" + valid + "improvement: {baseline: x@2}\n", []string{
			`s.yaml:3: improvement.baseline: "x@2" contains @, which separates a scenario from its configuration`,
		}},
		{"name in spaces", "scenario: x\nmetrics:\n- {name: ' a', type: RANGE, min: 0, max: 1}\n", []string{
			`s.yaml:3: metric " a": name: " a" begins or ends with white space`,
		}},
		{"name with a control character", "scenario: x\nmetrics:\n- {name: \"a\\eb\", type: RANGE, min: 0, max: 1}\n", []string{
			`s.yaml:3: metric "a\x1bb": name: "a\x1bb" contains a control character: U+001B at byte 2`,
		}},
		{"scenario is a number", "scenario: 7\n" + valid, []string{`s.yaml:1: scenario: must be text, not the number 7 (write "7" with the quotes)`}},
		{"unknown field", "scenario: x\ntitel: y\n" + valid, []string{"s.yaml:2: titel: unknown field (did you mean title?)"}},
		{"field of a metric", "scenario: x\nweight: 3\n" + valid, []string{
			"s.yaml:2: weight: unknown field (known fields: scenario, title, metrics, improvement, gate)",
		}},
		{"duplicate field", "scenario: x\n" + valid + "scenario: y\n", []string{"s.yaml:3: scenario: duplicate field, already on line 1"}},
		{"no metrics", "scenario: x\n", []string{"s.yaml:1: metrics: missing"}},
		{"empty metrics", "scenario: x\nmetrics: []\n", []string{"s.yaml:2: metrics: empty: a spec needs at least one metric"}},
		{"metrics without value", "scenario: x\nmetrics:\n", []string{"s.yaml:2: metrics: has no value"}},
		{"metrics by name", "scenario: x\nmetrics: {a: {type: RANGE}}\n", []string{"s.yaml:2: metrics: must be a list of metrics, not a mapping"}},
		{"metric is a text", "scenario: x\nmetrics:\n- a\n", []string{`s.yaml:3: metric #1: must be a mapping with name and type, not the text "a"`}},
		{"metric is a list", "scenario: x\nmetrics:\n- [a, b]\n", []string{"s.yaml:3: metric #1: must be a mapping with name and type, not a list"}},
		{"baseline is blank", "scenario: x\n" + valid + "improvement: {baseline: ' '}\n", []string{
			`s.yaml:3: improvement.baseline: " " begins or ends with white space`,
		}},
		{"metric is an alias", "scenario: x\nmetrics:\n- &a {name: a, type: RANGE, min: 0, max: 1}\n- *a\n", []string{
			"s.yaml:4: metric #2: aliases (*a) are not supported: write the value out",
		}},
		{"metric without name", "scenario: x\nmetrics:\n- {type: RANGE, min: 0, max: 1}\n", []string{"s.yaml:3: metric #1: name: missing"}},
		{"metric with blank name", "scenario: x\nmetrics:\n- {name: '', type: RANGE, min: 0, max: 1}\n", []string{"s.yaml:3: metric #1: name: missing"}},
		{"name twice", "scenario: x\nmetrics:\n- {name: a, type: RANGE, min: 0, max: 1}\n- type: RANGE\n  min: 0\n  max: 1\n  name: a\n", []string{
			"s.yaml:7: metric a: name: duplicate of metric #1",
		}},
		{"weights sum to 0", metric("type: RANGE, min: 0, max: 1, weight: 0"), []string{
			"s.yaml:2: metrics: the weights sum to 0: a total score needs at least one positive weight",
		}},
		{"weights sum to infinity", "scenario: x\nmetrics:\n- {name: a, type: RANGE, min: 0, max: 1, weight: 1e308}\n" +
			"- {name: b, type: RANGE, min: 0, max: 1, weight: 1e308}\n", []string{"s.yaml:2: metrics: the weights sum to infinity"}},
		{"improvement is a number", "scenario: x\n" + valid + "improvement: 0.25\n", []string{
			"s.yaml:3: improvement: must be a mapping of fields, not the number 0.25",
		}},
		{"improvement", "scenario: x\n" + valid + "improvement:\n  basline: y\n  max_degradation_base: -1\n  baseline: 3\n", []string{
			"s.yaml:4: improvement.basline: unknown field (did you mean baseline?)",
			"s.yaml:5: improvement.max_degradation_base: must be a finite number of at least 0",
			`s.yaml:6: improvement.baseline: must be text, not the number 3 (write "3" with the quotes)`,
		}},
		{"gate is a flag", "scenario: x\n" + valid + "gate: true\n", []string{"s.yaml:3: gate: must be a mapping of fields, not true"}},
		{"gate", "scenario: x\n" + valid + `gate:
  min_passrate: 0.9
  max_std: "0.05"
  confidence: 95
  stable: yes
  min_score: 0.5
  min_seeds: 2.5
  no_degradation:
  min_score: 1
`, []string{
			"s.yaml:4: gate.min_passrate: unknown field (did you mean min_pass_rate?)",
			`s.yaml:5: gate.max_std: must be a number, not the text "0.05" (leave the quotes out)`,
			"s.yaml:6: gate.confidence: 95 is not from 0.5 to below 1",
			`s.yaml:7: gate.stable: must be true or false, not the text "yes"`,
			"s.yaml:9: gate.min_seeds: 2.5 is not a whole number",
			"s.yaml:10: gate.no_degradation: has no value (leave the field out for the default, false)",
			"s.yaml:11: gate.min_score: duplicate field, already on line 8",
		}},
		{"gate out of range", "scenario: x\n" + valid + "gate: {min_pass_rate: 95, max_std: 2, min_seeds: -1, confidence: 0, rules: []}\n", []string{
			"s.yaml:3: gate.rules: unknown field " +
				"(known fields: min_pass_rate, confidence, stable, max_std, min_score, bound, no_degradation, values, guard, leave_out, min_seeds, fail_on)",
			"s.yaml:3: gate.confidence: 0 is not from 0.5 to below 1",
			"s.yaml:3: gate.min_pass_rate: 95 is not between 0 and 1",
			"s.yaml:3: gate.max_std: 2 is not between 0 and 1",
			"s.yaml:3: gate.min_seeds: -1 is negative",
		}},
		{"guard", "scenario: x\nmetrics: [{name: wages, type: RANGE, min: 0, max: 1, group: LABOUR}]\ngate:\n  guard: [wage, LABOUR, 1]\n" +
			"  leave_out:\n  - {name: LABOR, reason: x}\n  - {name: wages}\n  - {name: wages, reason: x}\n  - {name: wages, reason: y}\n", []string{
			`s.yaml:4: gate.guard: no metric or group "wage" (did you mean wages?)`,
			"s.yaml:4: gate.guard: must list names of metrics and groups, not the number 1",
			`s.yaml:6: gate.leave_out.name: no metric or group "LABOR" (did you mean LABOUR?)`,
			"s.yaml:7: gate.leave_out.reason: missing",
			`s.yaml:9: gate.leave_out.name: "wages" is left out already`,
		}},
		{"fail_on is a text", "scenario: x\n" + valid + "gate: {fail_on: warn}\n", []string{
			`s.yaml:3: gate.fail_on: must be a list of verdicts, not the text "warn" (write [warn])`,
		}},
		{"fail_on is a flag", "scenario: x\n" + valid + "gate: {fail_on: true}\n", []string{
			"s.yaml:3: gate.fail_on: must be a list of verdicts, not true",
		}},
		{"fail_on without value", "scenario: x\n" + valid + "gate:\n  fail_on:\n", []string{
			"s.yaml:4: gate.fail_on: has no value (leave the field out for the default, [inconclusive])",
		}},
		{"verdicts", "scenario: x\n" + valid + "gate:\n  fail_on:\n  - &w warm\n  - PASS\n  - Warn\n  - 1\n  - *w\n  - INCON\n", []string{
			`s.yaml:5: gate.fail_on: unknown verdict "warm" (did you mean warn?)`,
			`s.yaml:6: gate.fail_on: unknown verdict "PASS" (the verdicts are warn, inconclusive, fail)`,
			"s.yaml:8: gate.fail_on: must list verdicts, not the number 1",
			"s.yaml:9: gate.fail_on: aliases (*w) are not supported: write the value out",
			`s.yaml:10: gate.fail_on: unknown verdict "INCON" (did you mean inconclusive?)`,
		}},

		{"flow mapping not closed", "scenario: x\nmetrics:\n- {name: a\n- {name: b}\n", []string{
			"s.yaml:3: not valid YAML: did not find expected ',' or '}'" + quotes,
		}},
		{"indentation", "scenario: x\nmetrics:\n  - name: a\n   type: RANGE\n", []string{
			"s.yaml:3: not valid YAML: did not find expected '-' indicator" + quotes,
		}},
		{"unquoted >", "scenario: x\nmetrics:\n- {target_desc: > 0}\n", []string{
			"s.yaml:3: not valid YAML: found character that cannot start any token" + quotes,
		}},
		{"not UTF-8", "scenario: \xff", []string{"s.yaml: not valid YAML: invalid leading UTF-8 octet" + quotes}},
		{"unknown anchor", "scenario: *x\n", []string{"s.yaml: not valid YAML: unknown anchor 'x' referenced" + quotes}},
		{"JSON without a comma", "{\"scenario\": \"x\"\n\"metrics\": []}", []string{
			"s.yaml:2: not valid JSON: invalid character '\"' after object value (expecting ',' or '}')" + isJSON,
		}},
		{"JSON cut off", "{\"scenario\": \"x\",\n\"metrics\": [", []string{"s.yaml:2: not valid JSON: unexpected EOF" + isJSON}},
		{"JSON cut off in a key", "{\"scenario\": \"x\",\n\"metr", []string{"s.yaml:2: not valid JSON: unexpected EOF" + isJSON}},
		{"JSON with a tail", "{}\n}", []string{"s.yaml:2: not valid JSON: invalid character '}' at start of value" + isJSON}},
		{"YAML flow mapping", "{scenario: x}", []string{"s.yaml:1: not valid JSON: invalid character 's' at start of value" + isJSON}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range parseError(t, tt.data) {
				got = append(got, p.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The golden file shows what a person sees who makes many mistakes at once: all of them, in the order of the lines.
func TestParseListsEveryProblem(t *testing.T) {
	data, err := os.ReadFile("testdata/many_problems.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse("many_problems.yaml", data)
	golden(t, "many_problems.golden", err.Error()+"\n")
}

// The same mistakes are told in the same words, but for the names of nothing and of lines.
func TestParseJSONAndYAMLAgree(t *testing.T) {
	yamlData := `scenario: x
titel: y
metrics:
- {name: a, type: RANGE, min: "0", maxx: 1, weight: null}
- {name: a, type: BOOLEAN, threshold: 1e999, invert: 1, invert: true, target: 3}
- 7
improvement: {max_degradation_base: []}
gate: {confidence: 1, max_std: .5.,
fail_on: [warn,
7, warm]}
`
	jsonData := `{"scenario": "x",
"titel": "y",
"metrics": [
{"name": "a", "type": "RANGE", "min": "0", "maxx": 1, "weight": null},
{"name": "a", "type": "BOOLEAN", "threshold": 1e999, "invert": 1, "invert": true, "target": 3},
7],
"improvement": {"max_degradation_base": []},
"gate": {"confidence": 1, "max_std": ".5.",
"fail_on": ["warn",
7, "warm"]}}
`
	if diff := cmp.Diff(parseError(t, yamlData), parseError(t, jsonData)); diff != "" {
		t.Error(diff)
	}
}

func TestParseAcceptsByteOrderMarks(t *testing.T) {
	for _, data := range []string{
		"\uFEFF" + metric("type: RANGE, min: 0, max: 1"),
		"\uFEFF \n{\"scenario\": \"x\", \"metrics\": [{\"name\": \"a\", \"type\": \"RANGE\", \"min\": 0, \"max\": 1}]}",
	} {
		if _, err := Parse("s", []byte(data)); err != nil {
			t.Error(err)
		}
	}
}

// Every decimal text becomes the float64 nearest to it, also where YAML would see an integer beyond 64 bits.
func TestParseNumbers(t *testing.T) {
	tests := map[string]float64{
		"0": 0, "-0": 0, "-0.0": 0, "7": 7, "+7": 7, "7.": 7, ".5": 0.5, "-.5e1": -5, "0.1": 0.1, "1e-7": 1e-7, "1E3": 1000,
		"9007199254740993": 9007199254740992, "123456789012345678901234567890": 123456789012345678901234567890,
		"0.30000000000000004": 0.30000000000000004, "4.9e-324": math.SmallestNonzeroFloat64, "1.7976931348623157e308": math.MaxFloat64,
	}
	for text, want := range tests {
		s, err := Parse("s", []byte(metric("type: BOOLEAN, threshold: "+text)))
		if err != nil {
			t.Error(err)
			continue
		}
		got := s.Metrics[0].Target.(scoring.Boolean).Threshold
		if math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%s = %v, want %v", text, got, want)
		}
	}
}

// An alias is refused where it stands and not followed: ten levels of ten would be 10¹⁰ values.
func TestParseBillionLaughs(t *testing.T) {
	var b strings.Builder
	b.WriteString("l0: &l0 [ha, ha]\n")
	for i := range 10 {
		fmt.Fprintf(&b, "l%d: &l%d [*l%d%s]\n", i+1, i+1, i, strings.Repeat(fmt.Sprintf(", *l%d", i), 9))
	}
	b.WriteString("scenario: x\nmetrics: *l10\n")
	problems := parseError(t, b.String())
	if got, want := problems[len(problems)-1].Message, "aliases (*l10) are not supported: write the value out"; got != want {
		t.Errorf("last problem %q, want %q", got, want)
	}
}

func TestParseBoundsHostileFiles(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"a database", strings.Repeat("x", 16<<20+1), "s.yaml: 16777217 bytes are too many for a spec file: the limit is 16777216"},
		{"many fields", "{" + strings.Repeat(`"a":1,`, 99999) + `"a":1}`, "s.yaml:1: 100000 fields are too many"},
		{"many metrics", "scenario: x\nmetrics: [" + strings.Repeat("1,", 9999) + "1]", "s.yaml:2: metric #1: must be a mapping with name and type, not the number 1"},
		{"deep YAML", "a: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "s.yaml:1: a: unknown field (known fields: scenario, title, metrics, improvement, gate)"},
		{"deeper YAML", strings.Repeat("[", 100000), "s.yaml: not valid YAML: exceeded max depth of 10000 (text with : # , [ ] { } in it, or with > | % @ & * at its beginning, belongs in quotes)"},
		{"deep JSON", `{"a":` + strings.Repeat("[", 100000), "s.yaml:1: not valid JSON: exceeded max depth (a file that starts with { is read as JSON, any other as YAML)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			problems := parseError(t, tt.data)
			if got := problems[0].String(); got != tt.want {
				t.Errorf("first problem\n got %s\nwant %s", got, tt.want)
			}
			if len(problems) > 501 {
				t.Errorf("%d problems", len(problems))
			}
		})
	}
	problems := parseError(t, tests[2].data)
	if got, want := problems[500].String(), "s.yaml: and 9500 more"; got != want {
		t.Errorf("last problem %q, want %q", got, want)
	}
}

func TestProblemString(t *testing.T) {
	tests := []struct {
		problem Problem
		want    string
	}{
		{Problem{File: "f", Line: 3, Metric: "m", Field: "min", Message: "bad", Hint: "better"}, "f:3: metric m: min: bad (better)"},
		{Problem{File: "f", Message: "bad"}, "f: bad"},
		{Problem{Line: 3, Message: "bad"}, "line 3: bad"},
		{Problem{Message: "bad"}, "bad"},
		{Problem{Metric: "a\nb", Field: "\x1b[31m", Message: "bad"}, `metric "a\nb": "\x1b[31m": bad`},
		{Problem{Field: strings.Repeat("ä", 99), Message: "bad"}, strings.Repeat("ä", 50) + "…: bad"},
	}
	for _, tt := range tests {
		if got := tt.problem.String(); got != tt.want {
			t.Errorf("%+v = %q, want %q", tt.problem, got, tt.want)
		}
	}
}

// golden compares with a file in testdata; UPDATE_GOLDEN=1 writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (UPDATE_GOLDEN=1 rewrites it):\n%s", file, diff)
	}
}
