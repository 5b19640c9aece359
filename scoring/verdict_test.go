package scoring

import (
	"testing"
)

func TestWorstVerdict(t *testing.T) {
	const pass, warn, inconclusive, fail = VerdictPass, VerdictWarn, VerdictInconclusive, VerdictFail
	for _, c := range []struct {
		verdicts []Verdict
		want     Verdict
	}{
		{nil, inconclusive}, // nothing was judged
		{[]Verdict{pass, pass}, pass},
		{[]Verdict{pass, warn, pass}, warn},
		{[]Verdict{inconclusive, warn, pass}, inconclusive},
		{[]Verdict{inconclusive, fail, warn}, fail},
	} {
		if got := WorstVerdict(c.verdicts...); got != c.want {
			t.Errorf("worst of %v: %s, want %s", c.verdicts, got, c.want)
		}
	}
}

// TestWorstVerdictOfPairs: the order of the arguments does not matter, and Verdicts is from the best to the worst.
func TestWorstVerdictOfPairs(t *testing.T) {
	all := Verdicts()
	for i, a := range all {
		for j, b := range all {
			if got, want := WorstVerdict(a, b), all[max(i, j)]; got != want {
				t.Errorf("worst of %s and %s: %s, want %s", a, b, got, want)
			}
		}
	}
}
