package ask

import (
	"track/access"
	"track/answer"
	"track/reports"
	"track/tracker/agents"
)

// Executions asks which executions are recorded.
func Executions() Def[answer.ExecutionsQuestion, answer.Executions] {
	return Def[answer.ExecutionsQuestion, answer.Executions]{
		Name: "executions", Scope: access.Read, Help: "list recorded executions of agents, the newest first",
		About: `The score is your own, if you recorded one, else the score of the default rubric. The time is the start of the execution; if the start is
unknown, the time of recording.`,
		Params: (*answer.ExecutionsQuestion).Params, Read: agents.ListExecutions,
	}
}

// Watch asks what was recorded since an earlier answer.
func Watch() Def[answer.WatchQuestion, answer.Watched] {
	return Def[answer.WatchQuestion, answer.Watched]{
		Name: "watch", Path: "executions/recorded", Scope: access.Read, Help: "show executions as they are recorded",
		About: `Lists the executions that were recorded behind a mark, and the mark of the next question. Without a mark, lists nothing: the mark then stands
behind all that is recorded. An execution of which more became known, or one of the newest, can come again: its id tells.`,
		Params: (*answer.WatchQuestion).Params, Read: agents.Watch,
	}
}

// ShowExecution asks for one execution in full.
func ShowExecution() Def[answer.ExecutionQuestion, answer.Execution] {
	return Def[answer.ExecutionQuestion, answer.Execution]{
		Name: "show execution", Scope: access.Read, Help: "show an execution with its tool calls, its scores, and the reasons for them",
		About:  "ID is an id from the list of executions, or the beginning of one.",
		Params: (*answer.ExecutionQuestion).Params, Read: agents.ShowExecution,
	}
}

// CompareExecutions asks how two executions differ.
func CompareExecutions() Def[answer.CompareExecutionsQuestion, answer.ExecutionComparison] {
	return Def[answer.CompareExecutionsQuestion, answer.ExecutionComparison]{
		Name: "compare executions", Scope: access.Read, Help: "compare two executions, call by call",
		About: `Aligns the calls of two executions by their tools, and marks the first call that differs in its input or its result. Also compares their scores, the
components of these, tokens and time. Inputs are compared by their digests, so texts need not be kept.`,
		Params: (*answer.CompareExecutionsQuestion).Params, Read: agents.CompareExecutions,
	}
}

// Search asks which names hold a text, and which texts of executions hold its words.
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

// Fitness asks for the fitness of a version of a lineage.
func Fitness() Def[answer.FitnessQuestion, answer.Fitness] {
	return Def[answer.FitnessQuestion, answer.Fitness]{
		Name: "fitness", Scope: access.Read, Help: "aggregate the scores of a version of an agent",
		About: `Drops the best and the worst 10% of the scores. Takes the weighted mean of the five newest of the rest, with weights 1.0 to 0.6. Shows
which executions were used, with which weights. Without a version, takes the active one, or in a lineage without a ledger the version that was executed last.
Uses the kind of score that decides in the lineage (score-from), and leaves out holdout tasks. If a rubric is named, all executions count.`,
		Params: (*answer.FitnessQuestion).Params, Read: agents.ShowFitness,
	}
}

// Rubrics asks which rubrics there are.
func Rubrics() Def[answer.RubricsQuestion, answer.Rubrics] {
	return Def[answer.RubricsQuestion, answer.Rubrics]{
		Name: "rubric list", Scope: access.Read, Help: "list the rubrics with their components and weights",
		About: `Every execution is scored under each rubric when it is recorded. The score of the default rubric is active, unless you record a score of
your own.`,
		Params: (*answer.RubricsQuestion).Params, Read: agents.ListRubrics,
	}
}

// CheckRubric asks how well the scores of a rubric agree with a ground-truth label.
func CheckRubric() Def[answer.RubricCheckQuestion, answer.RubricCheck] {
	return Def[answer.RubricCheckQuestion, answer.RubricCheck]{
		Name: "rubric check", Scope: access.Read, Help: "compare the scores of a rubric with a ground-truth label",
		About: `Shows how well the score and each of its components separate successes from failures. An AUC of 0.5 is no better than a coin; 1 is
perfect. Also shows how much two trials of one task differ, which is noise. A rubric is a heuristic: check it on your tasks before it
decides about mutations.`,
		Params: (*answer.RubricCheckQuestion).Params, Read: agents.CheckRubric,
	}
}

// ForgetExecution asks to remove the texts of executions.
func ForgetExecution() Def[answer.ForgetExecutionQuestion, answer.ForgottenExecutions] {
	return Def[answer.ForgetExecutionQuestion, answer.ForgottenExecutions]{
		Name: "forget execution", Scope: access.Admin, Help: "remove the texts of executions; keep scores, counts and digests",
		About: `Removes the final text, the inputs and outputs of calls, error messages, and their quotes in the reasons of scores. This cannot be
undone. Rewrites the whole database, so that no trace stays in its files: forget many executions at once. Backups and copies keep their
texts, but no merge, import or spool brings them back.`,
		Params: (*answer.ForgetExecutionQuestion).Params, Write: agents.ForgetExecutions,
	}
}

// LineageHistory asks how the scores of an agent changed over its versions.
func LineageHistory() Def[answer.LineageHistoryQuestion, answer.LineageHistory] {
	return Def[answer.LineageHistoryQuestion, answer.LineageHistory]{
		Name: "lineage history", Scope: access.Read, Help: "show the score history of an agent over its versions",
		About: `With five versions that have scores, or more, it predicts the mean of the next one. With twenty or more, it marks changes of level.
No decision depends on either. Uses the kind of score that decides in the lineage (score-from), and leaves out holdout tasks. If a rubric is
named, all executions count.`,
		Params: (*answer.LineageHistoryQuestion).Params, Read: agents.ShowLineageHistory, Draw: drawn(agents.ShowLineageHistory, reports.LineageHistoryChart),
	}
}

// CompareRubrics asks which executions of a lineage have another grade under a rubric.
func CompareRubrics() Def[answer.GradeChangesQuestion, answer.GradeChanges] {
	return Def[answer.GradeChangesQuestion, answer.GradeChanges]{
		Name: "rubric compare", Scope: access.Read, Help: "list the executions whose grade differs under a rubric",
		About:  "Compares the grade of each active score with the grade under the rubric. Every execution is scored under each rubric when it is recorded.",
		Params: (*answer.GradeChangesQuestion).Params, Read: agents.CompareRubrics,
	}
}
