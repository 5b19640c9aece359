package answer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/scoring"
	"track/scoring/verdict"
)

// The name of a rule must not read as a verdict. A preview has a row for each rule instead of a sentence of them all.
func TestGateNamesRules(t *testing.T) {
	rules, estimates := scoring.GateRules{Stable: true, Confidence: 0.95}, verdict.Estimates{NSeeds: 10}
	const want = "s, 10 seeds; rules: stable; confidence 0.95"
	rate, below, sd, within := 0.5, 0.5-0.9, 0.0125, 0.15-0.0125
	measured := []verdict.Measured{
		{Rule: "stable", Of: verdict.MeasuredPassRate, Value: &rate, Limit: 0.9, Margin: &below, N: 10},
		{Rule: "stable", Of: "population sd", Value: &sd, Limit: 0.15, AtMost: true, Margin: &within, Met: true, N: 10},
	}
	preview := GatePreview{Scenarios: []PreviewedScenario{{Name: "s", Scenario: "s", Rules: rules, Estimates: estimates, Measured: measured}}}
	lead := preview.Lead()
	if len(lead) != 2 || lead[0].Text != "s, 10 seeds" || !strings.HasPrefix(lead[1].Text, "This is a preview: nothing is judged.") {
		t.Errorf("the preview begins with %+v", lead)
	}
	table := preview.Tables()[0]
	wantRows := [][]any{
		{"s", "stable", "no", Cell{"50.0%", rate}, false, Cell{"≥ 90.0%", 0.9}, Cell{"-40.0 points", below}, "pass rate", 10},
		{"s", "stable", "yes", Cell{"0.0125", sd}, true, Cell{"≤ 0.1500", 0.15}, Cell{"+0.1375", within}, "population sd", 10},
	}
	if diff := cmp.Diff(wantRows, table.Rows); diff != "" || table.Notes[0].Text != "s: confidence 0.95" {
		t.Errorf("rules (-want +got):\n%s%+v", diff, table.Notes)
	}
	outcome := verdict.ScenarioOutcome{Name: "s", Measured: measured}
	if diff := cmp.Diff([3]any{"50.0%; population sd 0.0125", "≥ 90.0%; ≤ 0.1500", "-40.0 points; +0.1375"}, measuredCells(outcome.Measured, "stable")); diff != "" {
		t.Errorf("the gate (-want +got):\n%s", diff)
	}
	if got := gatedText(verdict.ScenarioOutcome{Name: "s", Scenario: "s", Rules: rules, Estimates: estimates}); got != want {
		t.Errorf("the gate begins with %q", got)
	}
}
