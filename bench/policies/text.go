package main

// The words around the figures.
const (
	head = `# What the policies gain and let through

` + "`make sim-policies`" + ` prints this page: seeded simulations of ` + "`track/evolution`" + ` itself, %d lineages for each row. A lineage may spend %d trials.
Of the mutations it meets, %.0f %% improve, by |N(0, %v²)|, %.0f %% harm, by |N(0, %v²)|, and the rest changes nothing; it begins at %v of 100. A score is the truth plus
normal noise with the given sd, within 0 to 100. ` + "`threshold`" + ` and the first stage of ` + "`confirm`" + ` compare five trials of the child with what is on record of its parent;
` + "`strict`" + ` and ` + "`anneal`" + ` look at five pairs, the others at as many pairs as they ask for. All parameters are the defaults.

Gain is the true score of the last version minus that of the first; truly worse is the share among the accepted that is worse than its parent; the record is the fitness on
record of the last version minus its truth.

The world is an assumption, and the order of the policies follows from it. The effects and the share of the tasks are those, among some that were tried, at which an sd of 10
comes nearest to the figures that ` + "`confirm`" + ` is recommended for.

What holds in both tables: ` + "`threshold`" + ` takes about a quarter of its steps backwards at any noise. Up to an sd of 5 it gains most all the same, because it is cheap; from 7 on
its record overstates more and more, at 10 by as much as one score varies, and a loop that believes its record stops to improve. ` + "`confirm`" + ` takes the fewest steps back of those that gain
much, and its record overstates far less: by 0 and 3 at an sd of 10.

What depends on the world: with shared tasks ` + "`confirm`" + ` gains more than ` + "`threshold`" + ` from an sd between 7 and 10, and ` + "`strict`" + ` and ` + "`poi`" + ` gain more still at 10, with more steps back. Without,
` + "`threshold`" + ` gains more than ` + "`confirm`" + ` at 10 too, and ` + "`strict`" + ` and ` + "`anneal`" + ` lose. So pair by task or seed wherever that can be done. Gains near 70 are at the ceiling of 100, and records there
are too low; a loss beyond 30 is below the floor of 0, and records there are too high.

Decisions name ` + "`threshold`" + ` as the policy that would serve up to an sd of 5, and ` + "`confirm`" + ` beyond.
`
	sharedText = `Nine tenths of the variance belong to the task, as where easy and hard tasks are mixed. Both sides of a pair do the same task, so that it cancels.
`
	aloneText = `Every trial varies for itself: pairing gains nothing.
`
	ratesText = `
## Mutations that change nothing

The share that is accepted, of %d for each row, with nothing of the noise shared; beside it the rate that a decision prints.

`
	tail = `
At an sd of 10, ` + "`threshold`" + ` also calls %s of them significant improvements. A one-sided t test at 5 %% that is repeated after every pair, from 2 to 40, accepts %s.
`
)
