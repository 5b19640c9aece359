package pages

import (
	"slices"
	"testing"

	"track/answer"
	"track/evolution"
)

// An interval stands beside the estimate that it is of: a delta of means over all trials is not the mean of the pairs.
func TestDecisionFacts(t *testing.T) {
	t.Parallel()
	delta := 0.68
	var d answer.Decision
	d.Delta, d.NChild, d.NParent = &delta, 4, 3
	d.CI = &evolution.Interval{Lo: -10.66, Hi: 13.82, Estimate: 1.58, N: 3, Confidence: 0.95, Method: "paired t"}
	list := decisionFacts(d)
	if len(list) < 2 || list[0].Interval != "" || list[1].Name != "mean of pairs" || list[1].Value != "+1.58" || list[1].Interval != "[-10.66, +13.82]" {
		t.Errorf("%+v", list)
	}
	d.CI.Estimate = delta
	if list = decisionFacts(d); list[0].Interval != "[-10.66, +13.82]" || len(list) > 1 && list[1].Name == "mean of pairs" {
		t.Errorf("the same estimate: %+v", list)
	}
}

// The page of a mutation begins with what became of it and with warnings, and says neither again.
func TestDecisionIsSaidOnce(t *testing.T) {
	t.Parallel()
	if got, want := sentenceOf(answer.Sentence{Kind: answer.Verdict, Text: "REJECTED  m-1: v2 of v1"}), (sentence{Class: string(answer.Verdict), Verdict: "REJECTED", Status: "fail", Text: "m-1: v2 of v1"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	var d answer.Decision
	d.Mutation, d.State, d.Warnings = "m-1", "REJECTED", []answer.DecisionWarning{{Code: "small_n", Message: "n too small"}}
	var b builder
	b.lead(slices.Concat(d.Brief(), warningsOf(d.Lead())))
	b.addDecision(d)
	if last := b.view.Lead[len(b.view.Lead)-1]; last.Class != string(answer.Warning) {
		t.Errorf("the lead ends with %+v, not with a warning", last)
	}
	for _, s := range b.view.Sections[0].Sentences {
		if slices.Contains(b.view.Lead, s) {
			t.Errorf("%+v is said twice", s)
		}
	}
}
