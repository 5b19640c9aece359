// Package openhands reads histories of OpenHands: the output.jsonl of its evaluations and of its resolver, a record on
// each line, and an exported trajectory, an array of events.
//
// A record is one execution. Its task is the instance, or the issue; its key has the time of the first event, or if
// there are no times the shape of the whole.
//
// Calls are the actions of the agent but messages and finish; the observation that names an action as its cause answers
// it, in old histories the next one. The input is what the model asked for, else the arguments of the action. A call
// has failed with an error, an exit status other than 0, or a refusal; -1 is the exit status of a command that still
// runs.
//
// The output is the last thought of finish, else what the agent said last. An error of the record makes the status.
// Times have no zone: it is found from the clock of the model's answers, else they are read as UTC. A cost of 0 without
// the cost of any answer is unknown.
//
// resolved and the like, in the record, its test_result or its report, become truths. success of the resolver is what a
// model guessed, and called success_guessed.
package openhands
