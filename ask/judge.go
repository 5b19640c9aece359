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

// History asks how the scores of a scenario changed over its configurations.
func History() Def[answer.HistoryQuestion, answer.History] {
	return Def[answer.HistoryQuestion, answer.History]{
		Name: "history", Scope: ScopeRead, Help: "show the score history of a scenario over its configurations, or of an agent over its versions",
		About: `Lists the configurations of a scenario in the order of their first seeds, all judged under one spec, or the versions of a lineage.
With five stable configurations or more, it predicts the mean of the next one. With twenty or more, it marks changes of level.
No verdict depends on either.`,
		Params: (*answer.HistoryQuestion).Params, Read: seeds.ShowHistory,
	}
}

// Compare asks how several configurations look side by side.
func Compare() Def[answer.CompareQuestion, answer.Comparison] {
	return Def[answer.CompareQuestion, answer.Comparison]{
		Name: "compare", Scope: ScopeRead, Help: "show configurations side by side",
		About: `Judges two or more configurations by the newest spec of the first one's scenario. Shows the parameters that differ, the revisions, the
scores and the metrics. It decides nothing: use improvement for that, which compares seed by seed.`,
		Params: (*answer.CompareQuestion).Params, Read: seeds.CompareSides,
	}
}
