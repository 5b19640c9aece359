package evolution_test

import (
	"testing"

	"track/evolution"
)

// A plan covers all stages of a policy. Trials of the parent that serve are not asked for again.
func TestPlanDecision(t *testing.T) {
	for name, want := range map[string][2]evolution.DecisionPlan{ // of a parent without trials, and with eight
		"bands":     {{ParentFirst: 3, Child: 3, Parent: 3}, {Child: 3}},
		"threshold": {{ParentFirst: 1, Child: 1, Parent: 1}, {Child: 1}},
		"strict":    {{ParentFirst: 1, Child: 1, Parent: 1}, {Child: 1}},
		"poi":       {{ParentFirst: 8, Child: 8, Parent: 8}, {Child: 8}},
		"confirm":   {{ParentFirst: 5, Child: 20, Parent: 20}, {Child: 20, Parent: 15}}, // 5 to screen, and 15 fresh pairs
		"sprt":      {{ParentFirst: 8, Child: 40, Parent: 40}, {Child: 40, Parent: 32}}, // at most 40 pairs
		"cs":        {{ParentFirst: 5, Child: 40, Parent: 40}, {Child: 40, Parent: 35}}, // 40 pairs, of which 5 are asked for first
		"anneal":    {{ParentFirst: 1, Child: 1, Parent: 1}, {Child: 1}},
	} {
		for i, n := range []int{0, 8} {
			plan, err := evolution.PlanDecision(policy(t, name, ""), trials("p", repeat(50, n)...), nil)
			if err != nil || plan != want[i] {
				t.Errorf("%s with %d trials: %+v, %v, want %+v", name, n, plan, err, want[i])
			}
		}
	}
	if _, err := evolution.PlanDecision(policy(t, "bands", ""), nil, &evolution.Scale{}); err == nil {
		t.Error("points of an unbounded scale are unknown")
	}
}
