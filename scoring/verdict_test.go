package scoring_test

import (
	"testing"

	"track/scoring"
)

func TestWorstVerdict(t *testing.T) {
	const pass, warn, inconclusive, fail = scoring.VerdictPass, scoring.VerdictWarn, scoring.VerdictInconclusive, scoring.VerdictFail
	for _, c := range []struct {
		verdicts []scoring.Verdict
		want     scoring.Verdict
	}{
		{nil, inconclusive}, // nothing was judged
		{[]scoring.Verdict{pass, pass}, pass},
		{[]scoring.Verdict{pass, warn, pass}, warn},
		{[]scoring.Verdict{inconclusive, warn, pass}, inconclusive},
		{[]scoring.Verdict{inconclusive, fail, warn}, fail},
	} {
		if got := scoring.WorstVerdict(c.verdicts...); got != c.want {
			t.Errorf("worst of %v: %s, want %s", c.verdicts, got, c.want)
		}
	}
}

// TestWorstVerdictOfPairs: the order of the arguments does not matter, and Verdicts is from the best to the worst.
func TestWorstVerdictOfPairs(t *testing.T) {
	all := scoring.Verdicts()
	for i, a := range all {
		for j, b := range all {
			if got, want := scoring.WorstVerdict(a, b), all[max(i, j)]; got != want {
				t.Errorf("worst of %s and %s: %s, want %s", a, b, got, want)
			}
		}
	}
}
