package spec

import (
	"fmt"
	"strings"
	"testing"
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
