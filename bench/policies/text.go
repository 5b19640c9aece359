package main

// The words around the figures.
const (
	head = `# What the policies gain and let through

` + "`make sim-policies`" + ` prints this page: seeded simulations of ` + "`track/evolution`" + ` itself, with %d lineages for each row. [Mutations and decisions](decisions.md#policies) describes
the policies. All parameters are the defaults.

**The simulated world.** A lineage may spend %d trials. Of its mutations, %.0f %% improve, by |N(0, %v²)|, and %.0f %% harm, by |N(0, %v²)|. The others change nothing. It begins at %v of
100. A score is the truth plus normal noise with the given standard deviation (sd), within 0 to 100. ` + "`threshold`" + ` and the first stage of ` + "`confirm`" + ` compare five trials of the child with the
recorded trials of its parent. ` + "`strict`" + ` and ` + "`anneal`" + ` use five pairs, the others as many pairs as they ask for.

**Columns.** Gain is the true score of the last version minus the true score of the first, with the standard error of its mean. Truly worse is the share of accepted versions that are worse than their parent. Record
overstates is the recorded fitness of the last version minus its true score.

**In both tables,** ` + "`threshold`" + ` takes about a quarter of its steps backwards at any noise. Up to an sd of 5 it still gains most, because it is cheap. From 7 on its record overstates more
and more, at 10 by as much as one score varies. A loop that believes its record then stops improving. Of the policies that gain much, ` + "`confirm`" + ` takes the fewest steps back. At an sd
of 10 its record overstates by 0 and 3 only.

**Dependent on the world:** with shared tasks, ` + "`confirm`" + ` gains more than ` + "`threshold`" + ` from an sd between 7 and 10 on. ` + "`strict`" + ` and ` + "`poi`" + ` gain still more at 10, with more steps back. Without
shared tasks, ` + "`threshold`" + ` gains more than ` + "`confirm`" + ` at 10 too, and ` + "`strict`" + ` and ` + "`anneal`" + ` lose. So form pairs by task or seed if you can.

**Limits.** The world is an assumption, and the order of the policies follows from it. Among the worlds that were tried, this one comes nearest, at an sd of 10, to the figures for which ` + "`confirm`" + `
is recommended. Gains near 70 are at the ceiling of 100, and records there are too low. Losses beyond 30 are below the floor of 0, and records there are too high.

Decisions recommend ` + "`threshold`" + ` up to an sd of 5, and ` + "`confirm`" + ` above.
`
	sharedText = `Nine tenths of the variance belong to the task, as if easy and hard tasks are mixed. Both sides of a pair do the same task, so this part cancels.
`
	aloneText = `Every trial varies independently, so pairs gain nothing.
`
	ratesText = `
## Mutations that change nothing

The share of them that is accepted, of %d for each row, without shared noise. The last columns have the rate that a decision reports.

`
	tail = `
At an sd of 10, ` + "`threshold`" + ` also labels %s of them ` + "`large_improvement`" + ` (delta > 5). A one-sided t test at 5 %% that is repeated after every pair, from 2 to 40, accepts %s.
`
)
