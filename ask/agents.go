package ask

import (
	"track/access"
	"track/answer"
	"track/reports"
	"track/tracker/agents"
	"track/tracker/seeds"
)

func Executions() Def[answer.ExecutionsQuestion, answer.Executions] {
	return Def[answer.ExecutionsQuestion, answer.Executions]{
		Name: "executions", Scope: access.Read, Help: "list recorded executions of agents, the newest first",
		About: `The score is your own, if you recorded one, else the score of the default rubric. The time is the start of the execution; if the start is
unknown, the time of recording.`,
		Params: (*answer.ExecutionsQuestion).Params, Read: agents.ListExecutions,
	}
}

func ShowExecution() Def[answer.ExecutionQuestion, answer.Execution] {
	return Def[answer.ExecutionQuestion, answer.Execution]{
		Name: "show execution", Scope: access.Read, Help: "show an execution with its tool calls, its scores, and the reasons for them",
		About:  "ID is an id from the list of executions, or the beginning of one.",
		Params: (*answer.ExecutionQuestion).Params, Read: agents.ShowExecution,
	}
}

func CompareExecutions() Def[answer.CompareExecutionsQuestion, answer.ExecutionComparison] {
	return Def[answer.CompareExecutionsQuestion, answer.ExecutionComparison]{
		Name: "compare executions", Scope: access.Read, Help: "compare two executions, call by call",
		About: `Aligns the calls of two executions by their tools, and marks the first call that differs in its input or its result. Also compares their scores, the
components of these, tokens and time. Inputs are compared by their digests, so texts need not be kept.`,
		Params: (*answer.CompareExecutionsQuestion).Params, Read: agents.CompareExecutions,
	}
}

func Search() Def[answer.SearchQuestion, answer.FoundTexts] {
	return Def[answer.SearchQuestion, answer.FoundTexts]{
		Name: "search", Scope: access.Read, Help: "search names, and the texts of executions that are kept",
		About: `Finds the names that have the text in them: scenarios, labels of configurations, lineages, versions, mutations, metrics and sweeps. Also finds
configurations by the beginning of their hash, and executions by the beginning of their id; four characters are enough. With scenario@ or
lineage@ before it, finds names of that one. With a kind or a model, finds texts alone.
Then finds the texts that hold all words, in whatever case and with or without accents, the best match by BM25 first. Searches prompts, inputs,
outputs and errors of calls, answers, and messages of executions, as they are stored: masked. What was recorded since the last search is indexed
first. Texts that were forgotten are not found.`,
		Params: (*answer.SearchQuestion).Params, Write: agents.Search, Notes: true,
	}
}

func Fitness() Def[answer.FitnessQuestion, answer.Fitness] {
	return Def[answer.FitnessQuestion, answer.Fitness]{
		Name: "fitness", Scope: access.Read, Help: "aggregate the scores of a version of an agent",
		About: `Drops the best and the worst 10% of the scores. Takes the weighted mean of the five newest of the rest, with weights 1.0 to 0.6. Shows
which executions were used, with which weights. Without a version, takes the active one, or in a lineage without a ledger the version that was executed last.
Uses the kind of score that decides in the lineage (score-from), and leaves out holdout tasks. If a rubric is named, all executions count.`,
		Params: (*answer.FitnessQuestion).Params, Read: agents.ShowFitness,
	}
}

func Rubrics() Def[answer.RubricsQuestion, answer.Rubrics] {
	return Def[answer.RubricsQuestion, answer.Rubrics]{
		Name: "rubric list", Scope: access.Read, Help: "list the rubrics with their components and weights",
		About: `Every execution is scored under each rubric when it is recorded. The score of the default rubric is active, unless you record a score of
your own.`,
		Params: (*answer.RubricsQuestion).Params, Read: agents.ListRubrics,
	}
}

func CheckRubric() Def[answer.RubricCheckQuestion, answer.RubricCheck] {
	return Def[answer.RubricCheckQuestion, answer.RubricCheck]{
		Name: "rubric check", Scope: access.Read, Help: "compare the scores of a rubric with a ground-truth label",
		About: `Shows how well the score and each of its components separate successes from failures. An AUC of 0.5 is no better than a coin; 1 is
perfect. Also shows how much two trials of one task differ, which is noise. A rubric is a heuristic: check it on your tasks before it
decides about mutations.`,
		Params: (*answer.RubricCheckQuestion).Params, Read: agents.CheckRubric,
	}
}

func ForgetExecution() Def[answer.ForgetExecutionQuestion, answer.ForgottenExecutions] {
	return Def[answer.ForgetExecutionQuestion, answer.ForgottenExecutions]{
		Name: "forget execution", Scope: access.Admin, Help: "remove the texts of executions; keep scores, counts and digests",
		About: `Removes the final text, the inputs and outputs of calls, error messages, and their quotes in the reasons of scores. This cannot be
undone. Rewrites the whole database, so that no trace stays in its files: forget many executions at once. Backups and copies keep their
texts, but no merge, import or spool brings them back.`,
		Params: (*answer.ForgetExecutionQuestion).Params, Write: agents.ForgetExecutions,
	}
}

func LineageHistory() Def[answer.LineageHistoryQuestion, answer.LineageHistory] {
	return Def[answer.LineageHistoryQuestion, answer.LineageHistory]{
		Name: "lineage history", Scope: access.Read, Help: "show the score history of an agent over its versions",
		About: `With five versions that have scores, or more, it predicts the mean of the next one. With twenty or more, it marks changes of level.
No decision depends on either. Uses the kind of score that decides in the lineage (score-from), and leaves out holdout tasks. If a rubric is
named, all executions count.`,
		Params: (*answer.LineageHistoryQuestion).Params, Read: agents.ShowLineageHistory, Draw: drawn(agents.ShowLineageHistory, reports.LineageHistoryChart),
	}
}

func CompareRubrics() Def[answer.GradeChangesQuestion, answer.GradeChanges] {
	return Def[answer.GradeChangesQuestion, answer.GradeChanges]{
		Name: "rubric compare", Scope: access.Read, Help: "list the executions whose grade differs under a rubric",
		About:  "Compares the grade of each active score with the grade under the rubric. Every execution is scored under each rubric when it is recorded.",
		Params: (*answer.GradeChangesQuestion).Params, Read: agents.CompareRubrics,
	}
}

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

func History() Def[answer.HistoryQuestion, answer.History] {
	return Def[answer.HistoryQuestion, answer.History]{
		Name: "history", Scope: access.Read, Help: "show the score history of a scenario over its configurations, or of an agent over its versions",
		About: `Lists the configurations of a scenario in the order of their first seeds, all judged under one spec, or the versions of a lineage.
With five stable configurations or more, it predicts the mean of the next one. With twenty or more, it marks changes of level.
No verdict depends on either.`,
		Params: (*answer.HistoryQuestion).Params, Read: seeds.ShowHistory, Draw: drawn(seeds.ShowHistory, reports.HistoryChart),
	}
}

func Compare() Def[answer.CompareQuestion, answer.Comparison] {
	return Def[answer.CompareQuestion, answer.Comparison]{
		Name: "compare", Scope: access.Read, Help: "show configurations side by side, with their paired differences",
		About: `Judges two or more configurations by the newest spec of the first one's scenario. Shows the parameters that differ, the revisions, the
scores, and the differences of all metrics from the first configuration, seed by seed, with intervals. It decides nothing, and does
not count as an interim analysis: use improvement for a decision.`,
		Params: (*answer.CompareQuestion).Params, Read: seeds.CompareSides,
	}
}

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

func SeedsNeeded() Def[answer.SeedsNeededQuestion, answer.SeedsNeeded] {
	return Def[answer.SeedsNeededQuestion, answer.SeedsNeeded]{
		Name: "seeds-needed", Scope: access.Read, Help: "plan how many seeds detect an effect",
		About: `Plans a paired comparison from the recorded seeds, which are the pilot. Their standard deviation is only an estimate, so the plan uses
its 80% upper bound. With a baseline (given, named by the spec, or pinned) the pilot is the differences of the pairs. Without one, it is
the scores of the configuration, as if candidate and baseline were independent.`,
		Params: (*answer.SeedsNeededQuestion).Params, Read: seeds.PlanSeeds,
	}
}

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

func GatePreview() Def[answer.GateQuestion, answer.GatePreview] {
	return Def[answer.GateQuestion, answer.GatePreview]{
		Name: "gate preview", Path: "gate", Scope: access.Read, Help: "show what a gate would judge, without a verdict",
		About: `Takes the parameters of the gate. Shows what the seeds measured of each rule, and the estimates with their n and intervals. It decides nothing, and is not
recorded as an interim analysis (a look).`,
		Params: (*answer.GateQuestion).Params, Read: seeds.PreviewGate,
	}
}
