package answer

import (
	"strings"
	"testing"

	"track/evolution"
)

// Ties are named: three ties are not "the share of comparisons won 0.50" without a word.
func TestWonText(t *testing.T) {
	for want, p := range map[string]evolution.PImprove{
		"P(improvement) 0.50, 0 of 3 comparisons won, 3 tied; a tie counts half": {Value: 0.5, N: 3, Paired: true, Ties: 3},
		"P(improvement) 0.75, 2 of 4 comparisons won, 2 tied; a tie counts half": {Value: 0.75, N: 4, Paired: true, Wins: 2, Ties: 2},
		"P(improvement) 1.00, 1 of 1 comparison won":                             {Value: 1, N: 1, Paired: true, Wins: 1},
	} {
		if got := wonText(p); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// One sentence says the verdict, the gain with its interval, the pairs and the failures.
func TestDecisionSentence(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	measured := evolution.Measured{
		Gain:    evolution.Gain{Mean: 3.2, Interval: &evolution.Interval{Lo: 2.8, Hi: 3.6, Confidence: 0.95, Method: "paired t"}, N: 20},
		Holdout: &evolution.Gain{Mean: -1, N: 1},
	}
	confirm := Decision{Mutation: "m", Child: "v2", Parent: "v1", Policy: "confirm", Accepted: true, Measured: &measured, NPairs: 30, NChild: 50, NParent: 50}
	same := confirm
	same.Measured = &evolution.Measured{Gain: evolution.Gain{Mean: 6, N: 20}}
	crashed := Decision{Mutation: "m", Child: "v2", Parent: "v1", Policy: "confirm", Label: "screened_out", Delta: number(-33.6), NPairs: 5, NChild: 5, NParent: 6, FailedChild: 3}
	excluded := crashed
	excluded.Failures, excluded.NChild = evolution.FailuresExclude, 2
	drawn := Decision{Mutation: "m", Child: "v2", Parent: "v1", Policy: "threshold", Accepted: true, Delta: number(-1), Draw: Draw{Used: true, U: 0.1157, P: number(0.2)}}
	waiting := Decision{Mutation: "m", Child: "v2", Parent: "v1", Policy: "confirm", Need: &MissingEvidence{Child: 20, Parent: 19, Measure: true}}
	for name, c := range map[string]struct {
		decision Decision
		want     string
	}{
		"measured": {confirm, "ACCEPTED  m: v2 gains 3.20 points over v1, measured on 20 tasks (95% paired t interval +2.80 to +3.60), and -1.00 on 1 task that never decides, after 30 pairs; no trial failed"},
		"no noise": {same, "ACCEPTED  m: v2 gains 6.00 points over v1, measured on 20 tasks (each by as much, so no interval), after 30 pairs; no trial failed"},
		"crashed":  {crashed, "REJECTED  m: v2 loses 33.60 points against v1 in 5 pairs: clearly worse in the first pairs; 3 of 5 trials of v2 and 0 of 6 of v1 failed and count as the worst score"},
		"excluded": {excluded, "REJECTED  m: v2 loses 33.60 points against v1 in 5 pairs: clearly worse in the first pairs; 3 of 5 trials of v2 and 0 of 6 of v1 failed and are left out"},
		"drawn":    {drawn, "ACCEPTED  m: v2 loses 1.00 points against v1 in fitness; no trial failed; by the draw, u = 0.1157 < p = 0.2"},
		"waiting":  {waiting, "CONTINUE  m: confirm accepts v2; to measure its gain on all tasks it needs 20 more of v2 and 19 of v1"},
	} {
		if got := c.decision.sentence().Text; got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// Of several warnings the first is shown, and how to see the others.
func TestFirstWarning(t *testing.T) {
	d := Decision{Mutation: "m", Warnings: []DecisionWarning{{Message: "first"}, {Message: "second"}, {Message: "third"}}}
	brief := d.Brief()
	if len(brief) != 3 || brief[1].Text != "warning: first" || brief[2].Text != "2 more warnings" || !strings.Contains(brief[2].Hint.Text, "show all") {
		t.Errorf("%+v", brief)
	}
	if all := d.Sentences(); !strings.HasSuffix(all[len(all)-1].Text, "third") {
		t.Errorf("%+v", all)
	}
}
