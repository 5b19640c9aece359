package evolution_test

import (
	"testing"

	"track/evolution"
)

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
