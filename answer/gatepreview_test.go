package answer

import (
	"testing"

	"track/scoring"
	"track/scoring/verdict"
)

// The name of a rule must not read as a verdict.
func TestGateNamesRules(t *testing.T) {
	rules, estimates := scoring.GateRules{Stable: true, Confidence: 0.95}, verdict.Estimates{NSeeds: 10}
	const want = "s, 10 seeds; rules: stable; confidence 0.95"
	preview := GatePreview{Scenarios: []PreviewedScenario{{Name: "s", Scenario: "s", Rules: rules, Estimates: estimates}}}
	lead := preview.Lead()
	if len(lead) != 2 || lead[0].Text != want || lead[1].Text != "This is a preview: nothing is judged." {
		t.Errorf("the preview begins with %+v", lead)
	}
	if got := gatedText(verdict.ScenarioOutcome{Name: "s", Scenario: "s", Rules: rules, Estimates: estimates}); got != want {
		t.Errorf("the gate begins with %q", got)
	}
}
