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
shows what ` + "`confirm`" + ` is recommended for: about twice the gain of ` + "`threshold`" + `, few steps back, and a record that is true. Without shared tasks, in the second table, ` + "`confirm`" + ` keeps
its record and its few steps back, but gains less than ` + "`threshold`" + `, whose many cheap trials then outweigh its mistakes. What holds in both: ` + "`threshold`" + ` takes about a quarter of its steps
backwards at any noise, and at high noise its record overstates by as much as one score varies. Gains near 70 are at the ceiling of 100, and records there are too low.
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
