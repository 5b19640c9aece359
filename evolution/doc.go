// Package evolution decides which mutations of an evolving thing to keep, and lets anybody check each decision
// afterwards.
//
// A lineage is the history of one evolving thing; its versions are identified by their content ([VersionID]). A
// mutation is the step from one or two parents to a child ([mutationID]). A decision is a verdict on a mutation:
// [Decide] makes it from [Evidence], the scored trials of both sides, under a [Policy], with a [Draw].
//
//	confirm    an exact sign-flip test on fresh pairs, with planned looks (the default)
//	greedy     mean paired difference above eps
//	threshold  difference of the two fitnesses: above 5 or 0 accept, above -3 accept one in five, by the draw
//
// A failed trial counts as the worst score. Whatever is compared is compared on tasks that both sides have, but for
// threshold. Every decision carries the noise it was made in: the interval of the difference, the share of pairs won,
// and the rate at which the policy accepts mutations that change nothing.
//
// A draw is a function of its key alone ([NewDraw]). A [Record] holds all that a decision followed from:
// [replayRecord] decides again and names what differs, [Counterfactual] asks another policy. The ledger of a lineage
// is made of [Entry], each with the hash of the one before: creation, settings, proposals, considerations, decisions,
// rollbacks. [ReplayLedger] computes all of them again, and the head after each.
//
// Around the decision: which operator to use ([ChooseOperator]), whether to mutate at all ([LoopSettings.MayMutate]),
// which children not to try ([CheckChild]) and when to go back ([RollbackRules.Check]).
//
// It is pure: no clock, no I/O, no randomness of its own. Equal arguments give equal results, and no result depends
// on the order in which trials are listed.
package evolution
