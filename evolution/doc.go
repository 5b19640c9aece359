// Package evolution decides which mutations of an evolving thing to keep, and lets anybody check each decision
// afterwards.
//
// A lineage is the history of one evolving thing; its versions are identified by their content ([VersionID]). A
// mutation is the step from one or two parents to a child ([mutationID]). A decision is a verdict on a mutation:
// [Decide] makes it from [Evidence], the scored trials of both sides, under a [Policy], with a [Draw].
//
//	threshold  difference of the two fitnesses: above 5 or 0 accept, above -3 accept one in five, by the draw (the default)
//	strict     mean paired difference above eps
//	poi        probability of improvement, shrunk towards none, at least c
//	confirm    n1 trials of the child screen, n2 fresh pairs confirm (recommended)
//	sprt       sequential likelihood ratio test of d0 against d1
//	cs         confidence sequence: may be applied after every pair
//	anneal     accept a loss m with probability exp(m/T), by the draw, at a falling temperature
//
// Every decision carries the noise it was made in: the interval of the difference, the share of pairs won, the rate
// at which the policy accepts mutations that change nothing, and the name of the policy that would serve.
//
// A draw is a function of its key alone ([NewDraw]). A [Record] holds all that a decision followed from:
// [replayRecord] decides again and names what differs, [Counterfactual] asks another policy. The ledger of a lineage
// is made of [Entry], each with the hash of the one before: creation, settings, proposals, considerations, decisions,
// rollbacks. [ReplayLedger] computes all of them again, and the head after each.
//
// Around the decision: which operator to use ([ChooseOperator]), whether to mutate at all ([LoopSettings.MayMutate]),
// which children not to try ([CheckChild]), when to go back ([RollbackRules.Check]) and what stays active ([Retain]).
//
// It is pure: no clock, no I/O, no randomness of its own. Equal arguments give equal results, and no result depends
// on the order in which trials are listed.
package evolution
