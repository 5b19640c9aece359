package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track/internal/property"
	"track/scoring"
)

// The canonical form and its hash are in databases: they must not change.
func TestCanonicalIsStable(t *testing.T) {
	s := mustParse(t, []byte(`
scenario: Größe
title: "a \"title\"\n"
metrics:
  - {name: b, type: MEAN_TOLERANCE, weight: 1.5, target: 0.065, tolerance: 1e-7, min: -1, max: 1e21, group: G}
  - {name: a, type: BOOLEAN, weight: 1, threshold: 0.2, invert: true, format: PERCENT, target_desc: "< 20%"}
  - {name: c, type: OUTLIER, max_outlier: 0.020, penalty_weight: 3, format: DEFAULT}
  - {name: d, type: PCT_WITHIN, target: 1.0, min: 0}
  - {name: e, type: RANGE, min: 100000, max: 1000000}
improvement: {baseline: base, max_degradation_base: 0.1}
`))
	const want = `{"improvement":{"baseline":"base","max_degradation_base":0.1},"metrics":[` +
		`{"group":"G","max":1e+21,"min":-1,"name":"b","target":0.065,"tolerance":1e-7,"type":"MEAN_TOLERANCE","weight":1.5},` +
		`{"format":"PERCENT","invert":true,"name":"a","target_desc":"< 20%","threshold":0.2,"type":"BOOLEAN"},` +
		`{"max_outlier":0.02,"name":"c","penalty_weight":3,"type":"OUTLIER"},` +
		`{"min":0,"name":"d","target":1,"type":"PCT_WITHIN"},` +
		`{"max":1000000,"min":100000,"name":"e","type":"RANGE"}],` +
		`"scenario":"Größe","title":"a \"title\"\n"}`
	if got := string(Canonical(s)); got != want {
		t.Errorf("Canonical\n got %s\nwant %s", got, want)
	}
	// printf '%s' '{...}' | sha256sum
	const hash = "b4b0057219f3e8f8d3000872e7cd781def6b13de055db4164c8f391de5bb1cbe"
	if got := Hash(s); got != hash {
		t.Errorf("Hash = %s, want %s", got, hash)
	}
}

// So are the reductions of metrics that are computed from series; without one, a metric has the form it always had.
func TestCanonicalFromIsStable(t *testing.T) {
	s := mustParse(t, []byte(`
scenario: x
metrics:
  - {name: a, type: RANGE, min: 0, max: 1, from: {series: s, skip: 5e2, reduce: pearson, with: t, drop_outliers: 1.5, nan: fail}}
  - {name: b, type: RANGE, min: 0, max: 1, from: {reduce: fraction_between, series: s, max: 0.1, strict: true, nan: skip}}
  - {name: c, type: RANGE, min: 0, max: 1, from: {reduce: fraction_between, series: s, min: -0.0, max: ~, strict: false, skip: 0}}
  - {name: d, type: RANGE, min: 0, max: 1, from: {reduce: quantile, series: s, q: 0}}
  - {name: e, type: RANGE, min: 0, max: 1, from: {reduce: autocorrelation, series: s, lag: 12}}
  - {name: f, type: RANGE, min: 0, max: 1, from: {reduce: outlier_fraction, series: s, iqr_factor: 3}}
  - {name: g, type: RANGE, min: 0, max: 1, from: ~}
`))
	const want = `{"metrics":[` +
		`{"from":{"drop_outliers":1.5,"reduce":"pearson","series":"s","skip":500,"with":"t"},"max":1,"min":0,"name":"a","type":"RANGE"},` +
		`{"from":{"max":0.1,"nan":"skip","reduce":"fraction_between","series":"s","strict":true},"max":1,"min":0,"name":"b","type":"RANGE"},` +
		`{"from":{"min":0,"reduce":"fraction_between","series":"s"},"max":1,"min":0,"name":"c","type":"RANGE"},` +
		`{"from":{"q":0,"reduce":"quantile","series":"s"},"max":1,"min":0,"name":"d","type":"RANGE"},` +
		`{"from":{"lag":12,"reduce":"autocorrelation","series":"s"},"max":1,"min":0,"name":"e","type":"RANGE"},` +
		`{"from":{"iqr_factor":3,"reduce":"outlier_fraction","series":"s"},"max":1,"min":0,"name":"f","type":"RANGE"},` +
		`{"max":1,"min":0,"name":"g","type":"RANGE"}],"scenario":"x"}`
	if got := string(Canonical(s)); got != want {
		t.Errorf("Canonical\n got %s\nwant %s", got, want)
	}
}

// So are the rules of gates; without them, a spec has the form it always had.
func TestCanonicalGateIsStable(t *testing.T) {
	const begin, end = `{`, `"metrics":[{"max":1,"min":0,"name":"a","type":"RANGE"}],"scenario":"x"}`
	tests := []struct{ rules, want string }{
		{"{}", ""},
		{"{bound: t}", ""},
		{"{confidence: 0.95, fail_on: [INCONCLUSIVE], no_degradation: false}", ""},
		{"{min_pass_rate: 0.95, confidence: 0.99, stable: true, max_std: 5e-2, min_score: 0.80, bound: distribution-free, no_degradation: true, min_seeds: 1e1, fail_on: [fail, inconclusive, warn]}",
			`"gate":{"bound":"distribution-free","confidence":0.99,"fail_on":["warn","inconclusive"],"max_std":0.05,"min_pass_rate":0.95,"min_score":0.8,` +
				`"min_seeds":10,"no_degradation":true,"stable":true},`},
		{"{no_degradation: true, guard: [a, a], leave_out: [{reason: 'say \"why\"', name: a}]}",
			`"gate":{"guard":["a"],"leave_out":[{"name":"a","reason":"say \"why\""}],"no_degradation":true},`},
		{"{leave_out: []}", ""},
		{"{min_pass_rate: -0.0}", `"gate":{"min_pass_rate":0},`},
		{"{confidence: 0.9}", `"gate":{"confidence":0.9},`},
		{"{fail_on: []}", `"gate":{"fail_on":["fail"]},`},
	}
	for _, tt := range tests {
		if got, want := string(Canonical(mustParse(t, []byte(gate(tt.rules))))), begin+tt.want+end; got != want {
			t.Errorf("Canonical\n got %s\nwant %s", got, want)
		}
	}
}

func TestHashTellsSpecsApart(t *testing.T) {
	base := "scenario: x\nmetrics:\n- {name: a, type: RANGE, min: 0, max: 1}\n- {name: b, type: RANGE, min: 0, max: 1}\n"
	variants := []string{
		base,
		"scenario: x\nmetrics:\n- {name: b, type: RANGE, min: 0, max: 1}\n- {name: a, type: RANGE, min: 0, max: 1}\n", // the order of summation
		strings.Replace(base, "max: 1", "max: 1.0000000000000002", 1),
		strings.Replace(base, "max: 1", "max: 1, weight: 2", 1),
		strings.Replace(base, "max: 1", "max: 1, group: g", 1),
		strings.Replace(base, "max: 1", "max: 1, from: {series: s, reduce: mean}", 1),
		strings.Replace(base, "max: 1", "max: 1, from: {series: s, reduce: mean, skip: 1}", 1),
		strings.Replace(base, "max: 1", "max: 1, from: {series: s, reduce: mean, nan: skip}", 1),
		strings.Replace(base, "max: 1", "max: 1, from: {series: s, reduce: median}", 1),
		strings.Replace(base, "max: 1", "max: 1, from: {series: t, reduce: mean}", 1),
		strings.Replace(base, "max: 1", "max: 1, from: {series: s, reduce: fraction_between, min: 0}", 1),
		strings.Replace(base, "max: 1", "max: 1, from: {series: s, reduce: fraction_between, min: 0, strict: true}", 1),
		strings.Replace(base, "RANGE", "MEAN_TOLERANCE, target: 0, tolerance: 1", 1),
		base + "title: t\n",
		base + "improvement: {baseline: y}\n",
		base + "improvement: {max_degradation_base: 0.1}\n",
		base + "gate: {min_pass_rate: 0.9}\n",
		base + "gate: {min_pass_rate: 0}\n",
		base + "gate: {max_std: 0.9}\n",
		base + "gate: {min_score: 0.9}\n",
		base + "gate: {confidence: 0.9}\n",
		base + "gate: {stable: true}\n",
		base + "gate: {no_degradation: true}\n",
		base + "gate: {min_seeds: 1}\n",
		base + "gate: {guard: [a]}\n",
		base + "gate: {leave_out: [{name: a, reason: x}]}\n",
		base + "gate: {leave_out: [{name: a, reason: y}]}\n",
		base + "gate: {fail_on: []}\n",
		base + "gate: {fail_on: [warn]}\n",
		base + "gate: {fail_on: [warn, inconclusive]}\n",
	}
	seen := map[string]string{}
	for _, v := range variants {
		hash := Hash(mustParse(t, []byte(v)))
		if other, ok := seen[hash]; ok {
			t.Errorf("same hash:\n%s\n%s", v, other)
		}
		seen[hash] = v
	}
}

// A spec keeps its identity in either format, in any order of its keys, with defaults written out or not.
func TestHashInvariance(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s := specs().Draw(t, "spec")
		want := Hash(s)
		d := drawDocument(t, s)
		if got := Hash(mustParse(t, d.yaml(t))); got != want {
			t.Fatalf("YAML changes the hash:\n%s\n%s", Canonical(s), d.yaml(t))
		}
		if got := Hash(mustParse(t, d.json())); got != want {
			t.Fatalf("JSON changes the hash:\n%s\n%s", Canonical(s), d.json())
		}
	})
}

func TestCanonicalProperties(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s := specs().Draw(t, "spec")
		canonical := Canonical(s)

		// RFC 8785, by an independent implementation.
		reference := jsontext.Value(canonical).Clone()
		if err := reference.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		if string(reference) != string(canonical) {
			t.Fatalf("not canonical:\n%s\n%s", canonical, reference)
		}
		sum := sha256.Sum256(canonical)
		if got := Hash(s); got != hex.EncodeToString(sum[:]) {
			t.Fatalf("Hash = %s, want the SHA-256 of Canonical", got)
		}

		decoded, err := Decode(canonical)
		if err != nil {
			t.Fatalf("%v\n%s", err, canonical)
		}
		if diff := cmp.Diff(s.Metrics, decoded.Metrics); diff != "" {
			t.Fatal(diff)
		}
		if Hash(decoded) != Hash(s) || len(Diff(s, decoded)) > 0 {
			t.Fatalf("Decode is no inverse: %v", Diff(s, decoded))
		}
		if diff := cmp.Diff(decoded, mustParse(t, canonical)); diff != "" {
			t.Fatalf("Parse and Decode read the canonical form differently: %s", diff)
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	gated := func(rules string) string {
		return `{"gate":{` + rules + `},"metrics":[{"max":1,"min":0,"name":"a","type":"RANGE"}],"scenario":"x"}`
	}
	tests := []struct{ name, data, want string }{
		{"nothing", "", "decode canonical spec: line 1: not valid JSON: "},
		{"YAML", "scenario: x", "decode canonical spec: line 1: not valid JSON: "},
		{"problems", `{"metrics":[],"scenario":"x"}`, "decode canonical spec: line 1: metrics: empty"},
		{"field of a later version", `{"metrics":[{"max":1,"min":0,"name":"a","new":1,"type":"RANGE"}],"scenario":"x"}`,
			"decode canonical spec: line 1: metric a: new: unknown field"},
		{"white space", `{"metrics":[{"max":1,"min":0,"name":"a","type":"RANGE"}], "scenario":"x"}`, "not in canonical form"},
		{"order", `{"scenario":"x","metrics":[{"max":1,"min":0,"name":"a","type":"RANGE"}]}`, "not in canonical form"},
		{"default", `{"metrics":[{"max":1,"min":0,"name":"a","type":"RANGE","weight":1}],"scenario":"x"}`, "not in canonical form"},
		{"default of a gate", gated(`"confidence":0.95,"stable":true`), "not in canonical form"},
		{"empty gate", gated(``), "not in canonical form"},
		{"empty list", gated(`"fail_on":[]`), "not in canonical form"},
		{"order of verdicts", gated(`"fail_on":["inconclusive","warn"]`), "not in canonical form"},
		{"verdict in upper case", gated(`"fail_on":["WARN"]`), "not in canonical form"},
		{"number", `{"metrics":[{"max":1.0,"min":0,"name":"a","type":"RANGE"}],"scenario":"x"}`, "not in canonical form"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Decode([]byte(tt.data)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Decode = %v, want %q", err, tt.want)
			}
		})
	}
}

// A hash of something that no file can say would be an identity without a thing.
func TestCanonicalPanics(t *testing.T) {
	valid := func() scoring.Spec {
		return mustParse(t, []byte(metric("type: RANGE, min: 0, max: 1")))
	}
	tests := map[string]func(*scoring.Spec){
		"NaN":       func(s *scoring.Spec) { s.Metrics[0].Target = scoring.Range{Min: math.NaN()} },
		"infinity":  func(s *scoring.Spec) { s.Metrics[0].Weight = math.Inf(-1) },
		"no target": func(s *scoring.Spec) { s.Metrics[0].Target = nil },
		"not UTF-8": func(s *scoring.Spec) { s.Title = "\xff" },
		"gate":      func(s *scoring.Spec) { s.Gate = &scoring.GateRules{Confidence: math.NaN()} },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			s := valid()
			spoil(&s)
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			Canonical(s)
		})
	}
}

// What Go code leaves empty is the default, as in a file.
func TestCanonicalOfZeroFormat(t *testing.T) {
	s := mustParse(t, []byte(metric("type: RANGE, min: 0, max: 1")))
	want := Hash(s)
	s.Metrics[0].Format = ""
	s.Metrics[0].Target = scoring.Range{Min: math.Copysign(0, -1), Max: 1}
	s.Improvement = &scoring.Improvement{Baseline: "x", MaxDegradationBase: 0.25}
	s.Gate = &scoring.GateRules{}
	if got := Hash(s); got != want {
		t.Errorf("%s", Canonical(s))
	}
}

func changes(list []Change) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintln(&b, describe(c))
	}
	return b.String()
}

// describe writes a change on one line, as in "changed unemployment_std: max 0.03 → 0.04".
func describe(c Change) string {
	s := string(c.Kind)
	if c.Metric != "" {
		s += " " + c.Metric
	}
	switch {
	case c.Kind == added:
		return s + ": " + c.New
	case c.Kind == removed:
		return s + ": " + c.Old
	case c.Metric != "":
		s += ":"
	}
	for _, text := range []*string{&c.Old, &c.New} {
		if *text == "" {
			*text = "(none)"
		}
	}
	return fmt.Sprintf("%s %s %s → %s", s, c.Field, c.Old, c.New)
}

func TestDiff(t *testing.T) {
	before := mustParse(t, []byte(`
scenario: x
title: Old
metrics:
  - {name: gone, type: RANGE, min: 0, max: 1}
  - {name: same, type: RANGE, min: 0, max: 1}
  - {name: tighter, type: RANGE, min: 0, max: 4}
  - {name: bounded, type: MEAN_TOLERANCE, target: 1, tolerance: 1, max: 3}
  - {name: retyped, type: PCT_WITHIN, target: 0.9, min: 0.8, format: PERCENT}
  - {name: heavier, type: OUTLIER, max_outlier: 0.02}
  - {name: computed, type: RANGE, min: 0, max: 1, from: {series: s, skip: 500, reduce: quantile, q: 0.5}}
  - {name: given, type: RANGE, min: 0, max: 1, from: {series: s, reduce: mean}}
gate: {max_std: 0.05, min_seeds: 10, stable: true}
`))
	after := mustParse(t, []byte(`
scenario: x
metrics:
  - {name: same, type: RANGE, min: 0, max: 1}
  - {name: heavier, type: OUTLIER, max_outlier: 0.02, penalty_weight: 4, weight: 2}
  - {name: tighter, type: RANGE, min: 0.5, max: 3}
  - {name: new, type: BOOLEAN, threshold: 1, invert: true, from: {series: s, skip: 10, reduce: last}}
  - {name: bounded, type: MEAN_TOLERANCE, target: 1, tolerance: 1, min: -1, group: G}
  - {name: retyped, type: BOOLEAN, threshold: 0.8}
  - {name: computed, type: RANGE, min: 0, max: 1, from: {series: s, reduce: fraction_between, max: 0.5, nan: skip}}
  - {name: given, type: RANGE, min: 0, max: 1}
improvement: {baseline: y, max_degradation_base: 0.1}
gate: {min_pass_rate: 0.95, stable: true, confidence: 0.9, fail_on: [warn, inconclusive]}
`))
	golden(t, "diff.golden", changes(Diff(before, after)))
	golden(t, "diff_back.golden", changes(Diff(after, before)))

	want := []Change{
		{Kind: changed, Field: "title", Old: "Old"},
		{Kind: changed, Field: "improvement.baseline", New: "y"},
		{Kind: changed, Field: "improvement.max_degradation_base", Old: "0.25", New: "0.1"},
		{Kind: changed, Field: "gate.min_pass_rate", New: "0.95"},
		{Kind: changed, Field: "gate.confidence", Old: "0.95", New: "0.9"},
		{Kind: changed, Field: "gate.min_seeds", Old: "10", New: "0"},
		{Kind: changed, Field: "gate.fail_on", Old: "[inconclusive]", New: "[warn, inconclusive]"},
		{Kind: changed, Field: "gate.max_std", Old: "0.05"},
		{Kind: changed, Metric: "heavier", Field: "weight", Old: "1", New: "2"},
	}
	if diff := cmp.Diff(want, Diff(before, after)[:len(want)]); diff != "" {
		t.Error(diff)
	}
}

// metricsNamed is a spec whose metrics differ in their names alone, one letter each.
func metricsNamed(names string) scoring.Spec {
	s := scoring.Spec{Scenario: "x"}
	for _, name := range names {
		s.Metrics = append(s.Metrics, scoring.Metric{Name: string(name), Weight: 1, Target: scoring.Range{Max: 1}})
	}
	return s
}

func TestDiffMoves(t *testing.T) {
	tests := []struct{ before, after, want string }{
		{"abcdef", "abcdef", ""},
		{"abcdef", "bcdefa", "moved a: position 1 → 6\n"},
		{"abcdef", "fabcde", "moved f: position 6 → 1\n"},
		{"ab", "ba", "moved b: position 2 → 1\n"}, // either is right: the later one in the new order stayed
		{"abc", "cba", "moved c: position 3 → 1\nmoved b: position 2 → 2\n"},
		{"abcd", "xabcd", "added x: RANGE [0, 1], weight 1\n"},                                   // a shift is no move
		{"abcd", "cd", "removed a: RANGE [0, 1], weight 1\nremoved b: RANGE [0, 1], weight 1\n"}, // nor is this
	}
	for _, tt := range tests {
		got := changes(Diff(metricsNamed(tt.before), metricsNamed(tt.after)))
		if got != tt.want {
			t.Errorf("%s → %s:\n got %s\nwant %s", tt.before, tt.after, got, tt.want)
		}
	}
}

// No change means the same hash, and the reverse; the opposite direction tells the opposite.
func TestDiffProperties(t *testing.T) {
	opposite := map[Kind]Kind{
		added: removed, removed: added, changed: changed, moved: moved,
	}
	count := func(list []Change) map[Kind]int {
		n := map[Kind]int{}
		for _, c := range list {
			n[c.Kind]++
		}
		return n
	}
	property.Check(t, func(t *rapid.T) {
		a := specs().Draw(t, "a")
		b := a
		b.Metrics = rapid.Permutation(a.Metrics).Draw(t, "metrics")
		if rapid.Bool().Draw(t, "another gate") {
			b.Gate = rapid.Ptr(gateRules(), true).Draw(t, "gate")
		}
		if rapid.Bool().Draw(t, "another") {
			b = specs().Draw(t, "b")
		}
		forth, back := Diff(a, b), Diff(b, a)
		if same := Hash(a) == Hash(b); same != (len(forth) == 0) {
			t.Fatalf("same hash: %v, changes: %v", same, forth)
		}
		reversed := map[Kind]int{}
		for kind, n := range count(back) {
			reversed[opposite[kind]] = n
		}
		if diff := cmp.Diff(count(forth), reversed); diff != "" {
			t.Fatal(diff)
		}
	})
}
