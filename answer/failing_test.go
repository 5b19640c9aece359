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

// Seeds that failed alike are one row, though their messages differ in numbers; a metric counts in each seed that
// failed it, the most frequent first.
func TestFailuresAreGrouped(t *testing.T) {
	t.Parallel()
	seed := func(n track.SeedNumber, outcome track.Outcome, reason string, metrics ...string) track.FailingSeed {
		f := track.FailingSeed{Number: n, Outcome: outcome, Reason: reason}
		for _, name := range metrics {
			f.Metrics = append(f.Metrics, track.FailingMetric{Name: name})
		}
		return f
	}
	got := failuresTable([]track.FailingSeed{
		seed(3, track.OutcomeTimeout, ""), seed(1, track.OutcomeError, "index 17 of 4"), seed(2, track.OutcomeError, "index 5 of 4"),
		seed(4, track.OutcomeError, "no index"), seed(5, track.OutcomeOK, "", "a", "b"), seed(6, track.OutcomeOK, "", "b"), seed(7, track.OutcomeOK, "", "b"),
	})
	want := [][]any{
		{"FAIL in b", 3, "5..7"}, {"error: index 17 of 4", 2, "1..2"}, {"timeout", 1, "3"}, {"error: no index", 1, "4"}, {"FAIL in a", 1, "5"},
	}
	for i, row := range got.Rows {
		if row[0].(Cell).Text != want[i][0] || row[1] != want[i][1] || row[2].(Cell).Text != want[i][2] {
			t.Errorf("row %d: %v, want %v", i, row, want[i])
		}
	}
	if len(got.Rows) != len(want) {
		t.Errorf("%d rows", len(got.Rows))
	}
}
