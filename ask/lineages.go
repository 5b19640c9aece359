package ask

import (
	"track/access"
	"track/answer"
	"track/reports"
	"track/tracker/lineages"
)

func Lineages() Def[answer.LineagesQuestion, answer.Lineages] {
	return Def[answer.LineagesQuestion, answer.Lineages]{
		Name: "lineage list", Scope: access.Read, Help: "list the lineages",
		About:  "A lineage begins with its first execution, or with a ledger.",
		Params: (*answer.LineagesQuestion).Params, Read: lineages.ListLineages,
	}
}

func Lineage() Def[answer.LineageQuestion, answer.Lineage] {
	return Def[answer.LineageQuestion, answer.Lineage]{
		Name: "lineage show", Scope: access.Read, Help: "show the active version, mutations and settings of a lineage",
		Params: (*answer.LineageQuestion).Params, Read: lineages.ShowLineage,
	}
}

func LineageTree() Def[answer.LineageQuestion, answer.LineageTree] {
	return Def[answer.LineageQuestion, answer.LineageTree]{
		Name: "lineage tree", Scope: access.Read, Help: "list all versions of a lineage with their parents",
		About: `Lists the versions in the order in which they were recorded. Each has the mutation that made it and its state. Marks the path to the active
version, and versions with the content of their parents. If several mutations made a version, shows the accepted one.`,
		Params: (*answer.LineageQuestion).Params, Read: lineages.ShowTree,
	}
}

func LineageFront() Def[answer.FrontQuestion, answer.LineageFront] {
	return Def[answer.FrontQuestion, answer.LineageFront]{
		Name: "lineage front", Scope: access.Read, Help: "compare the versions of a lineage by two objectives, and mark the Pareto front",
		About: `An objective is the mean over the trials or executions of a version, with its t interval. A version is on the front if no other version is at least as
good in both means and better in one. Intervals are of single versions: the front says nothing of chance. Holdout tasks never count. It decides nothing.`,
		Params: (*answer.FrontQuestion).Params, Read: lineages.ShowFront, Draw: drawn(lineages.ShowFront, reports.FrontChart),
	}
}

func LineageHead() Def[answer.LineageQuestion, answer.Head] {
	return Def[answer.LineageQuestion, answer.Head]{
		Name: "lineage head", Scope: access.Read, Help: "print the name of the active version",
		About:  "In JSON, the answer also says since when the version is active, and what made it active.",
		Params: (*answer.LineageQuestion).Params, Read: lineages.ShowHead,
	}
}

func NewLineage() Def[answer.NewLineageQuestion, answer.LineageCreated] {
	return Def[answer.NewLineageQuestion, answer.LineageCreated]{
		Name: "lineage new", Scope: access.Decide, Help: "begin the ledger of a lineage",
		About: `A lineage is the history of one thing that evolves. For an agent, that is a prompt, and its executions are the evidence. For the subject
scenario:NAME, it is the parameters of a simulation, a JSON object, and the seeds of the scenario are the evidence. The root is the first
active version. A lineage that was only recorded so far keeps its versions: the one that its source calls active, or that the parameter head names, is
active. Every draw follows from the seed. Without one, a random seed is recorded. Asking again does nothing.`,
		Params: (*answer.NewLineageQuestion).Params, Write: lineages.BeginLineage,
		Creates: func(answer.NewLineageQuestion) bool { return true },
	}
}

func SetLineage() Def[answer.SetLineageQuestion, answer.LineageSettings] {
	return Def[answer.SetLineageQuestion, answer.LineageSettings]{
		Name: "lineage set", Scope: access.Decide, Help: "change settings of a lineage",
		About: `keep_text=on keeps inputs and outputs of the calls recorded from now on, with recognized secrets masked. keep_text=off, the default, keeps their digests
and sizes. The other settings are those in the lineage's table of settings. Each change is an entry of the ledger, and decisions name the
settings they were made under. Write policy=NAME or policy=NAME,param=number; operators=LIST in JSON; forbidden=PATTERNS, one a
line. A decision uses one kind of score on both sides (score-from), and leaves out and counts the trials that lack it. Holdout tasks never decide.`,
		Params: (*answer.SetLineageQuestion).Params, Write: lineages.SetLineage,
		Creates: func(q answer.SetLineageQuestion) bool { return !q.Changes() }, // keep_text alone may precede any record
	}
}

func FreezeLineage() Def[answer.FreezeQuestion, answer.Frozen] {
	return Def[answer.FreezeQuestion, answer.Frozen]{
		Name: "lineage freeze", Scope: access.Decide, Help: "stop mutating a lineage",
		About:  "A frozen lineage takes no proposal, and its next step is to stop. Mutations proposed before can still be decided.",
		Params: (*answer.FreezeQuestion).Params, Write: lineages.Freeze,
	}
}

func UnfreezeLineage() Def[answer.FreezeQuestion, answer.Frozen] {
	return Def[answer.FreezeQuestion, answer.Frozen]{
		Name: "lineage unfreeze", Scope: access.Decide, Help: "let a lineage mutate again",
		Params: (*answer.FreezeQuestion).Params, Write: lineages.Unfreeze,
	}
}

func Rollback() Def[answer.RollbackQuestion, answer.Rollback] {
	return Def[answer.RollbackQuestion, answer.Rollback]{
		Name: "rollback", Scope: access.Decide, Help: "make an earlier version active",
		About: `The triggers of the settings are: several drops of fitness from version to version in a row, a fitness below a share of the best, and an error
rate that is too high. A rollback is an entry of the ledger, and begins the cooldown. It never leads to a version that matches a forbidden
pattern of the settings: naming such a version is a conflict.`,
		Params: (*answer.RollbackQuestion).Params, Write: lineages.RollBack,
	}
}

func Replay() Def[answer.ReplayQuestion, answer.Replays] {
	return Def[answer.ReplayQuestion, answer.Replays]{
		Name: "replay", Scope: access.Read, Help: "compute every decision again from its evidence, and compare",
		Concludes: []answer.Conclusion{answer.Done, answer.Differs},
		About: `Every draw, decision, choice of an operator, rollback and active version is computed again from the ledger. The replay also compares the hashes
that chain the entries, and the stored mutations and versions. The replay fails if anything differs. A strict replay also compares the
evidence with the executions and seeds that are recorded now, which a rescore may have changed. A counterfactual replay decides each
decision by another policy, each on its own: under that policy, other versions and other evidence would have followed.`,
		Params: (*answer.ReplayQuestion).Params, Read: lineages.ReplayLineages,
	}
}

func Draws() Def[answer.OptionalLineageQuestion, answer.Draws] {
	return Def[answer.OptionalLineageQuestion, answer.Draws]{
		Name: "draws", Scope: access.Read, Help: "list the random numbers of a lineage, with what reproduces them",
		About: `A draw is a function of its key: the first 8 bytes of SHA-256 over "track/draw/1", a zero byte, the seed (8 bytes, big-endian) and, each after
its length (4 bytes, big-endian), the lineage, the mutation, the attempt in decimal and the label. u is its highest 53 bits over 2^53.`,
		Params: (*answer.OptionalLineageQuestion).Params, Read: lineages.ListDraws,
	}
}

func Operators() Def[answer.OperatorsQuestion, answer.Operators] {
	return Def[answer.OperatorsQuestion, answer.Operators]{
		Name: "operators", Scope: access.Read, Help: "show how the operators of a lineage did",
		About: `Proposals are accepted, rejected, refused because of their content, withdrawn, or undecided. The acceptance rate is the share of accepted ones among
those accepted or rejected, with its Wilson interval. The mean delta is over the last decisions, with its t interval; every mutation weighs the same, however few its trials. The cost per point is the known cost of the
mutations over the points that accepted mutations gained when they were decided.`,
		Params: (*answer.OperatorsQuestion).Params, Read: lineages.ShowOperators, Live: true,
	}
}

func Versions() Def[answer.OptionalLineageQuestion, answer.Versions] {
	return Def[answer.OptionalLineageQuestion, answer.Versions]{
		Name: "version list", Scope: access.Read, Help: "list the versions of a lineage, the newest first",
		About: `A candidate was never active. Of the versions that were, the newest, the best and the head are kept as active, and the others are archived.
No version is ever deleted.`,
		Params: (*answer.OptionalLineageQuestion).Params, Read: lineages.ListVersions,
	}
}

func Version() Def[answer.VersionQuestion, answer.VersionDetail] {
	return Def[answer.VersionQuestion, answer.VersionDetail]{
		Name: "version show", Scope: access.Read, Help: "show a version with its content",
		Params: (*answer.VersionQuestion).Params, Read: lineages.ShowVersion,
	}
}

func VersionDiff() Def[answer.VersionDiffQuestion, answer.VersionDiff] {
	return Def[answer.VersionDiffQuestion, answer.VersionDiff]{
		Name: "version diff", Scope: access.Read, Help: "show the difference of two versions",
		About:  "Compares a version with its parent, or two versions, the older first.",
		Params: (*answer.VersionDiffQuestion).Params, Read: lineages.DiffVersions,
	}
}

func VersionContent() Def[answer.VersionQuestion, answer.VersionContent] {
	return Def[answer.VersionQuestion, answer.VersionContent]{
		Name: "version export", Scope: access.Read, Help: "write the content of a version, unchanged",
		Params: (*answer.VersionQuestion).Params, Read: lineages.ShowContent,
	}
}

func CompareVersions() Def[answer.CompareVersionsQuestion, answer.VersionComparison] {
	return Def[answer.CompareVersionsQuestion, answer.VersionComparison]{
		Name: "compare versions", Scope: access.Read, Help: "compare versions of a lineage, task by task",
		About: `Shows the mean score of each version on each task, with n, and compares every version with the first: the mean difference of the tasks that both have, with
its paired t interval, and the tasks won, lost and tied. Tasks that only one of them has are named and left out. Holdout tasks are marked. It decides nothing.`,
		Params: (*answer.CompareVersionsQuestion).Params, Read: lineages.CompareVersions,
	}
}

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

func Plan() Def[answer.PlanQuestion, answer.Plan] {
	return Def[answer.PlanQuestion, answer.Plan]{
		Name: "mutation plan", Scope: access.Read, Help: "list the trials that a policy needs before it decides",
		About:  `Nothing is recorded. Trials come first if the other side was run on the same task or seed. If the policy would decide now, the answer says how.`,
		Params: (*answer.PlanQuestion).Params, Read: lineages.PlanDecision,
	}
}

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

func Mutations() Def[answer.MutationsQuestion, answer.Mutations] {
	return Def[answer.MutationsQuestion, answer.Mutations]{
		Name: "mutation list", Scope: access.Read, Help: "list the mutations of a lineage, the newest first",
		Params: (*answer.MutationsQuestion).Params, Read: lineages.ListMutations,
	}
}

func Mutation() Def[answer.MutationQuestion, answer.MutationDetail] {
	return Def[answer.MutationQuestion, answer.MutationDetail]{
		Name: "mutation show", Scope: access.Read, Help: "show a mutation with all decisions on it",
		Params: (*answer.MutationQuestion).Params, Read: lineages.ShowMutation,
	}
}

func MutationDiff() Def[answer.MutationQuestion, answer.VersionDiff] {
	return Def[answer.MutationQuestion, answer.VersionDiff]{
		Name: "mutation diff", Scope: access.Read, Help: "show what a mutation changes",
		About:  "Compares the child with its parent.",
		Params: (*answer.MutationQuestion).Params, Read: lineages.DiffMutation,
	}
}

func Withdraw() Def[answer.WithdrawQuestion, answer.Withdrawn] {
	return Def[answer.WithdrawQuestion, answer.Withdrawn]{
		Name: "mutation withdraw", Scope: access.Decide, Help: "take back a mutation that is not accepted",
		About:  "It stays in the ledger, with the reason, and can no longer be decided.",
		Params: (*answer.WithdrawQuestion).Params, Write: lineages.WithdrawMutation,
	}
}
