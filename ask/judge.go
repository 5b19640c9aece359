package ask

import (
	"track/answer"
	"track/tracker/seeds"
)

// Stability asks whether the seeds of a configuration are stable.
func Stability() Def[answer.StabilityQuestion, answer.Stability] {
	return Def[answer.StabilityQuestion, answer.Stability]{
		Name: "stability", Scope: ScopeRead, Help: "judge the seeds of a configuration together",
		About: `Aggregates the stored results over the seeds of one configuration. This is the most recent one, unless a label or a prefix of a
hash names another. A seed that crashed or lacks a metric counts in the denominator of the pass rates.
A configuration is stable if its pass rate is at least 0.9 and the population standard deviation of its total scores is at most 0.15.
The verdict says whether the seeds show that. PASS: the intervals lie within both limits. WARN: only the numbers do.
FAIL: an interval lies beyond a limit. INCONCLUSIVE: everything else, and fewer than 5 scored seeds.
The exit code does not depend on the verdict; for that, use the gate with its rule "stable".`,
		Params: (*answer.StabilityQuestion).Params, Read: seeds.JudgeStability,
	}
}
