package ask

import (
	"track/access"
	"track/answer"
	"track/reports"
	"track/tracker/seeds"
)

// Stability asks whether the seeds of a configuration are stable.
func Stability() Def[answer.StabilityQuestion, answer.Stability] {
	return Def[answer.StabilityQuestion, answer.Stability]{
		Name: "stability", Scope: access.Read, Help: "judge the seeds of a configuration together",
		About: `Aggregates the stored results over the seeds of one configuration. This is the most recent one, unless a label or a prefix of a
hash names another. A seed that crashed or lacks a metric counts in the denominator of the pass rates.
A configuration is stable if its pass rate is at least 0.9 and the population standard deviation of its total scores is at most 0.15.
The verdict says whether the seeds show that. PASS: the intervals lie within both limits. WARN: only the numbers do.
FAIL: an interval lies beyond a limit. INCONCLUSIVE: everything else, and fewer than 5 scored seeds.
The verdict does not fail a job of CI; for that, use the gate with its rule "stable".`,
		Params: (*answer.StabilityQuestion).Params, Read: seeds.JudgeStability,
	}
}

// History asks how the scores of a scenario changed over its configurations.
func History() Def[answer.HistoryQuestion, answer.History] {
	return Def[answer.HistoryQuestion, answer.History]{
		Name: "history", Scope: access.Read, Help: "show the score history of a scenario over its configurations, or of an agent over its versions",
		About: `Lists the configurations of a scenario in the order of their first seeds, all judged under one spec, or the versions of a lineage.
With five stable configurations or more, it predicts the mean of the next one. With twenty or more, it marks changes of level.
No verdict depends on either.`,
		Params: (*answer.HistoryQuestion).Params, Read: seeds.ShowHistory, Draw: drawn(seeds.ShowHistory, reports.HistoryChart),
	}
}

// Compare asks how several configurations look side by side.
func Compare() Def[answer.CompareQuestion, answer.Comparison] {
	return Def[answer.CompareQuestion, answer.Comparison]{
		Name: "compare", Scope: access.Read, Help: "show configurations side by side, with their paired differences",
		About: `Judges two or more configurations by the newest spec of the first one's scenario. Shows the parameters that differ, the revisions, the
scores, and the differences of all metrics from the first configuration, seed by seed, with intervals. It decides nothing, and does
not count as an interim analysis: use improvement for a decision.`,
		Params: (*answer.CompareQuestion).Params, Read: seeds.CompareSides,
	}
}

// Noise asks how often decisions would find a difference between identical configurations.
func Noise() Def[answer.NoiseQuestion, answer.Noise] {
	return Def[answer.NoiseQuestion, answer.Noise]{
		Name: "noise", Scope: access.Read, Help: "measure how often identical configurations are told apart (A/A check)",
		About: `Draws pairs of samples, as if two identical configurations had been run on different seeds, and asks the active gate and the
improvement check about each pair. A gate flips if its two verdicts differ. Every degraded metric and every decided comparison is a false alarm.
The recorded seeds of the configuration are the pilot. They are a sample themselves, so the pairs come from many populations that the pilot
could come from (double bootstrap; pass rates from Jeffreys' posterior). The interval of a rate holds 95% of these populations.`,
		Params: (*answer.NoiseQuestion).Params, Read: seeds.MeasureNoise,
	}
}

// SeedsNeeded asks how many seeds a comparison needs.
func SeedsNeeded() Def[answer.SeedsNeededQuestion, answer.SeedsNeeded] {
	return Def[answer.SeedsNeededQuestion, answer.SeedsNeeded]{
		Name: "seeds-needed", Scope: access.Read, Help: "plan how many seeds detect an effect",
		About: `Plans a paired comparison from the recorded seeds, which are the pilot. Their standard deviation is only an estimate, so the plan uses
its 80% upper bound. With a baseline (given, named by the spec, or pinned) the pilot is the differences of the pairs. Without one, it is
the scores of the configuration, as if candidate and baseline were independent.`,
		Params: (*answer.SeedsNeededQuestion).Params, Read: seeds.PlanSeeds,
	}
}

// Improvement asks whether a candidate is better than its baseline.
func Improvement() Def[answer.ImprovementQuestion, answer.Improvement] {
	return Def[answer.ImprovementQuestion, answer.Improvement]{
		Name: "improvement", Scope: access.Read, Help: "compare a candidate with its baseline, seed by seed",
		About: `Scores both under the spec of the baseline's scenario. A seed that failed on one side scores 0 there.
The status of a metric follows from its mean delta and the threshold base/weight. PASS: no loss. WARN: a loss within the threshold.
FAIL: a larger loss. ~ marks changes that are not significant (sign-flip test, Holm's correction).
The verdict is about the total score. PASS: better. WARN: better, but some metrics are degraded. FAIL: worse. INCONCLUSIVE: everything else.
The verdict does not fail a job of CI; for that, use the gate with its rule "no-degradation".
Every comparison of new seeds is recorded as an interim analysis (a look).`,
		Params: (*answer.ImprovementQuestion).Params, Write: seeds.JudgeImprovement, Notes: true,
	}
}

// Gate asks whether configurations keep the rules of a gate.
func Gate() Def[answer.GateQuestion, answer.Gate] {
	return Def[answer.GateQuestion, answer.Gate]{
		Name: "gate", Scope: access.Read, Help: "judge scenarios by rules, for CI",
		Concludes: []answer.Conclusion{answer.Passed, answer.Failed, answer.Inconclusive},
		About: `Rules are parameters, or stand under gate: in the spec; a parameter wins. Without any rule a configuration must be stable.
PASS: the bound is met at the required confidence. FAIL: a test refutes the rule, after Holm's correction for everything that can fail.
INCONCLUSIVE: neither.
The gate passes with PASS and WARN. With fail-on warn, WARN fails it; with fail-on fail, INCONCLUSIVE passes.
Every gate on new seeds is recorded as an interim analysis (a look).`,
		Params: (*answer.GateQuestion).Params, Write: seeds.JudgeGate, Notes: true,
	}
}

// GatePreview asks what a gate would judge.
func GatePreview() Def[answer.GateQuestion, answer.GatePreview] {
	return Def[answer.GateQuestion, answer.GatePreview]{
		Name: "gate preview", Path: "gate", Scope: access.Read, Help: "show what a gate would judge, without a verdict",
		About: `Takes the parameters of the gate. Shows what the seeds measured of each rule, and the estimates with their n and intervals. It decides nothing, and is not
recorded as an interim analysis (a look).`,
		Params: (*answer.GateQuestion).Params, Read: seeds.PreviewGate,
	}
}
