package ask

import (
	"track/answer"
	"track/tracker/agents"
)

// Executions asks which executions are recorded.
func Executions() Def[answer.ExecutionsQuestion, answer.Executions] {
	return Def[answer.ExecutionsQuestion, answer.Executions]{
		Name: "executions", Scope: ScopeRead, Help: "list recorded executions of agents, the newest first",
		About: "The score is your own, if you recorded one, else the score of the default rubric. " +
			"The time is the start of the execution; if the start is unknown, the time of recording.",
		Params: (*answer.ExecutionsQuestion).Params, Read: agents.ListExecutions,
	}
}

// ShowExecution asks for one execution in full.
func ShowExecution() Def[answer.ExecutionQuestion, answer.Execution] {
	return Def[answer.ExecutionQuestion, answer.Execution]{
		Name: "show execution", Scope: ScopeRead, Help: "show an execution with its tool calls, its scores, and the reasons for them",
		About:  "ID is an id from the list of executions, or the beginning of one.",
		Params: (*answer.ExecutionQuestion).Params, Read: agents.ShowExecution,
	}
}
