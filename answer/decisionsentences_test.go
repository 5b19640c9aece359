package answer

import (
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
