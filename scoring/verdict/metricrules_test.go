package verdict_test

import (
	"testing"

	"track/scoring"
	"track/scoring/verdict"
)

// Each rule has its number, its limit and the margin between them, on the side that the rule allows. A rule that is just
// kept is met.
func TestGateMeasures(t *testing.T) {
	rules := scoring.GateRules{MinSeeds: 20, MinPassRate: ptr(0.95), Stable: true, MaxStd: ptr(0.5), MinScore: ptr(0.9), NoDegradation: true}
	want := map[string][]struct {
		of     string
		limit  float64
		isMost bool
		met    bool
	}{
		verdict.RuleMinSeeds:    {{"seeds", 20, false, true}},
		verdict.RuleMinPassRate: {{"pass rate", 0.95, false, false}}, // 18 of 20
		verdict.RuleStable:      {{"pass rate", 0.9, false, true}, {"population sd", 0.15, true, true}},
		verdict.RuleMaxStd:      {{"sd", 0.5, true, true}},
		verdict.RuleMinScore:    {{"score", 0.9, false, false}},
	}
	g := gate(t, input(rules, stability(18, 20, around(0.8, 20))))
	seen := map[string]int{}
	for _, m := range g.Scenarios[0].Measured {
		if m.Rule == verdict.RuleNoDegradation {
			if m.Value != nil || m.Margin != nil || m.Met {
				t.Errorf("without a baseline: %+v", m)
			}
			continue
		}
		w := want[m.Rule][seen[m.Rule]]
		seen[m.Rule]++
		margin := *m.Value - m.Limit
		if m.AtMost {
			margin = -margin
		}
		if m.Of != w.of || m.Limit != w.limit || m.AtMost != w.isMost || m.Met != w.met || *m.Margin != margin || m.Met != (margin >= 0) || m.N != 20 {
			t.Errorf("%+v, value %v, margin %v, want %+v", m, *m.Value, *m.Margin, w)
		}
	}
	if len(seen) != len(want) || seen[verdict.RuleStable] != 2 {
		t.Errorf("measured: %v", seen)
	}
	// Of three metrics, one loses 0.5 where 0.25 may be lost.
	g = gate(t, against(t, options(), level(0.05, 11), level(-0.5, 11), level(-0.05, 11)))
	for _, m := range g.Scenarios[0].Measured {
		if m.Rule == verdict.RuleNoDegradation && (*m.Value != 2 || m.Limit != 3 || *m.Margin != -1 || m.Met || m.N != 11) {
			t.Errorf("no_degradation: %+v", m)
		}
	}
}
