package ask

import (
	"track/access"
	"track/answer"
	"track/tracker/lineages"
)

// Propose asks to record a mutation.
func Propose() Def[answer.ProposeQuestion, answer.Proposed] {
	return Def[answer.ProposeQuestion, answer.Proposed]{
		Name: "mutation propose", Scope: access.Decide, Help: "record a child of a version, to be tried and decided",
		Concludes: []answer.Conclusion{answer.Done, answer.Rejected},
		About: `The content is stored unchanged; a content that the lineage already has is that version. Without a parent it is a child of the active version.
Of two parents, as in a crossover, the child is compared with the first. Without an operator it is the operator that was drawn last. The id
follows from parents, child and operator, so proposing the same again does nothing. The same child by another operator is a conflict,
unless an id names the attempt. A child is recorded as refused if it is empty, shorter than half its
parent, longer than the settings allow, or matches a forbidden pattern. Daily limits bind the loop: a child beyond them is recorded, with a warning.`,
		Params: (*answer.ProposeQuestion).Params, Write: lineages.ProposeMutation,
	}
}

// Next asks what to do with a lineage now.
func Next() Def[answer.NextQuestion, answer.Next] {
	return Def[answer.NextQuestion, answer.Next]{
		Name: "mutation next", Scope: access.Decide, Help: "show what to do with a lineage now, and why",
		About: `The action is one of

   run       run the trials that a policy needs before it decides a mutation
   decide    decide a mutation that has enough evidence
   mutate    propose a child of the active version, by the operator that was drawn
   wait      run the active version some more times, or wait until a daily limit lets the next mutation through
   rollback  go back, because a trigger applies
   stop      stop: the lineage is frozen, or stable

Whether to mutate, and by which operator, is drawn once and recorded. Asked again, the answer is the same until something happens.`,
		Params: (*answer.NextQuestion).Params, Write: lineages.NextAction, Trial: func(q answer.NextQuestion) bool { return q.DryRun },
	}
}

// Plan asks which trials a policy needs before it decides a mutation.
func Plan() Def[answer.PlanQuestion, answer.Plan] {
	return Def[answer.PlanQuestion, answer.Plan]{
		Name: "mutation plan", Scope: access.Read, Help: "list the trials that a policy needs before it decides",
		About:  `Nothing is recorded. Trials come first if the other side was run on the same task or seed. If the policy would decide now, the answer says how.`,
		Params: (*answer.PlanQuestion).Params, Read: lineages.PlanDecision,
	}
}

// Decide asks to decide a mutation.
func Decide() Def[answer.DecideQuestion, answer.Decision] {
	return Def[answer.DecideQuestion, answer.Decision]{
		Name: "mutation decide", Scope: access.Decide, Help: "decide whether to keep a mutation, using the lineage's policy",
		Concludes: []answer.Conclusion{answer.Accepted, answer.Rejected, answer.NeedsEvidence},
		About: `Compares the executions of the child with those of its parent. It is accepted, rejected, or needs more executions.

The decision is recorded with its evidence, its policy and its draw, and can be replayed. Without new evidence the same decision is returned.
With new evidence, or another policy, it is a further attempt, which is numbered. The child of an accepted mutation becomes active, unless
its parent no longer is. With expect-head, deciding while another version is active is a conflict.`,
		Params: (*answer.DecideQuestion).Params, Write: lineages.DecideMutation, Trial: func(q answer.DecideQuestion) bool { return q.DryRun },
	}
}

// Mutations asks for the mutations of a lineage.
func Mutations() Def[answer.MutationsQuestion, answer.Mutations] {
	return Def[answer.MutationsQuestion, answer.Mutations]{
		Name: "mutation list", Scope: access.Read, Help: "list the mutations of a lineage, the newest first",
		Params: (*answer.MutationsQuestion).Params, Read: lineages.ListMutations,
	}
}

// Mutation asks for a mutation.
func Mutation() Def[answer.MutationQuestion, answer.MutationDetail] {
	return Def[answer.MutationQuestion, answer.MutationDetail]{
		Name: "mutation show", Scope: access.Read, Help: "show a mutation with all decisions on it",
		Params: (*answer.MutationQuestion).Params, Read: lineages.ShowMutation,
	}
}

// MutationDiff asks what a mutation changes.
func MutationDiff() Def[answer.MutationQuestion, answer.VersionDiff] {
	return Def[answer.MutationQuestion, answer.VersionDiff]{
		Name: "mutation diff", Scope: access.Read, Help: "show what a mutation changes",
		About:  "Compares the child with its parent.",
		Params: (*answer.MutationQuestion).Params, Read: lineages.DiffMutation,
	}
}

// Withdraw asks to take back a mutation.
func Withdraw() Def[answer.WithdrawQuestion, answer.Withdrawn] {
	return Def[answer.WithdrawQuestion, answer.Withdrawn]{
		Name: "mutation withdraw", Scope: access.Decide, Help: "take back a mutation that is not accepted",
		About:  "It stays in the ledger, with the reason, and can no longer be decided.",
		Params: (*answer.WithdrawQuestion).Params, Write: lineages.WithdrawMutation,
	}
}
