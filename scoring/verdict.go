package scoring

import "slices"

// Verdict is the answer of a rule over seeds.
type Verdict string

// The verdicts. Inconclusive means that the data do not decide, which is neither Pass nor Fail.
const (
	VerdictPass         Verdict = "PASS"
	VerdictWarn         Verdict = "WARN"
	VerdictInconclusive Verdict = "INCONCLUSIVE"
	VerdictFail         Verdict = "FAIL"
)

// Verdicts returns all verdicts from the best to the worst.
func Verdicts() []Verdict {
	return []Verdict{VerdictPass, VerdictWarn, VerdictInconclusive, VerdictFail}
}

// WorstVerdict returns the worst of the verdicts: Fail, then Inconclusive, then Warn, then Pass. It is Inconclusive
// for none at all, because nothing was judged, and counts what is no verdict as Inconclusive.
func WorstVerdict(verdicts ...Verdict) Verdict {
	if len(verdicts) == 0 {
		return VerdictInconclusive
	}
	worst := 0
	for _, v := range verdicts {
		rank := slices.Index(Verdicts(), v)
		if rank < 0 {
			rank = slices.Index(Verdicts(), VerdictInconclusive)
		}
		worst = max(worst, rank)
	}
	return Verdicts()[worst]
}
