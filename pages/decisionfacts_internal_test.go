package pages

import (
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
