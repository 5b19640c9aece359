package evolution_test

import (
	"testing"

	"track/evolution"
)

// A plan covers all pairs that a policy may ask for, and the run on all tasks. One trial of the parent comes first.
func TestPlanDecision(t *testing.T) {
	for name, want := range map[string][2]evolution.DecisionPlan{ // of a parent without trials, and with eight
		"confirm":   {{ParentFirst: 1, Child: 60, Parent: 60}, {Child: 60, Parent: 60}},
		"greedy":    {{ParentFirst: 1, Child: 40, Parent: 40}, {Child: 40, Parent: 40}},
		"threshold": {{ParentFirst: 1, Child: 21, Parent: 21}, {Child: 21, Parent: 20}},
	} {
		for i, n := range []int{0, 8} {
			plan, err := evolution.PlanDecision(policy(t, name, ""), evolution.Evidence{Parent: trials("p", repeat(50, n)...)}, 20, 20)
			if err != nil || plan != want[i] {
				t.Errorf("%s with %d trials: %+v, %v, want %+v", name, n, plan, err, want[i])
			}
		}
	}
	if _, err := evolution.PlanDecision(policy(t, "confirm", ""), evolution.Evidence{Scale: &evolution.Scale{}}, 20, 20); err == nil {
		t.Error("points of an unbounded scale are unknown")
	}
}

// The source's "significant" is a band of delta and no test: people read it only where an interval shows the gain.
func TestLabelTexts(t *testing.T) {
	for _, c := range []struct {
		label          evolution.Label
		policy, params string
		shown          bool
		want           string
	}{
		{evolution.Significant, "threshold", "", false, "large_improvement (delta > 5)"},
		{evolution.Significant, "threshold", `{"significant":7.5}`, true, "large_improvement (delta > 7.5), in the source significant_improvement"},
		{evolution.Marginal, "threshold", "", true, "marginal_improvement (delta > 0)"},
		{evolution.Exploration, "threshold", "", false, "exploration (delta > -3)"},
		{evolution.Regression, "threshold", "", false, "regression (delta <= -3)"},
		{evolution.ScreenedOut, "confirm", "", false, "screened out"},
		{evolution.NeedsEvidence, "threshold", "", false, "needs evidence"},
	} {
		if got := c.label.Text(c.policy, []byte(c.params), c.shown); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.label, c.policy, got, c.want)
		}
	}
	if lo := (&evolution.Interval{Lo: 0, Hi: 2}); lo.IsAbove() || (*evolution.Interval)(nil).IsAbove() || !(&evolution.Interval{Lo: 0.1, Hi: 2}).IsAbove() {
		t.Error("above")
	}
}
