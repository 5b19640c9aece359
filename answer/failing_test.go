package answer

import (
	"testing"

	"track"
	"track/scoring"
)

// The value of a metric has the format of its target.
func TestMissedText(t *testing.T) {
	t.Parallel()
	share := scoring.MetricStability{MetricInfo: scoring.MetricInfo{Name: "idle", Format: scoring.FormatPercent, Target: "< 35%"}}
	for want, m := range map[string]track.FailingMetric{
		"idle 42.7%, target < 35%": {Name: "idle", Value: 0.4267},
		"idle missing":             {Name: "idle", Missing: true},
	} {
		if got := missedText(m, share); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := missedText(track.FailingMetric{Name: "x", Value: -1}, scoring.MetricStability{}); got != "x -1.0000" {
		t.Errorf("%q of a metric that is not declared", got)
	}
}
