package spec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track/internal/property"
	"track/scoring"
)

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
