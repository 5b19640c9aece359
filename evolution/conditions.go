package evolution

import "math"

// Conditions are what a false-accept rate depends on besides the policy.
type Conditions struct {
	SD      float64 // of the score of one trial
	SDPairs float64 // of the difference of one pair
	NChild  int     // trials with a score; 0: as many as the policy weights
	NParent int
	NPairs  int // a policy that wants more counts on those it wants
	// Gain is by how much the child is better than its parent: 0 for the rate of false accepts.
	Gain float64
	// Shared says how far the two fitnesses of [Threshold] rest on the same tasks: the sum over pairs of the products
	// of their weights, each side's weights having the sum 1. [Conditions.Paired] sets it if every trial has a partner.
	Shared float64

	df, dfPairs int // degrees of freedom of SD and SDPairs; dfPairs is 0 if SDPairs follows from SD
}

// Paired returns the conditions with n trials on each side, on the same tasks in the same order.
func (c Conditions) Paired(n int) Conditions {
	c.NChild, c.NParent, c.NPairs, c.Shared = n, n, n, 1/weightedN(n)
	return c
}

// conditions returns the conditions of evidence: the sd within the sides, pooled, and the sd of the differences of
// all pairs. Differences that do not vary although the scores do tell nothing of their sd, so it follows from that of
// the scores.
func conditions(d Decision, s sides) Conditions {
	child, parent := summarize(scores(s.child.trials)), summarize(scores(s.parent.trials))
	p := pairUp(s.child.trials, s.parent.trials)
	c := Conditions{
		SD: pooledSD(child, parent), SDPairs: newSample(scores(p.child), scores(p.parent)).sd,
		NChild: child.n, NParent: parent.n, NPairs: d.NPairs, Shared: sharedWeights(d, p),
		df: max(0, child.n-1) + max(0, parent.n-1), dfPairs: max(0, p.n()-1),
	}
	switch {
	case math.IsNaN(c.SDPairs), c.SDPairs == 0 && c.SD > 0:
		c.SDPairs, c.dfPairs, c.Shared = c.SD*math.Sqrt2, 0, 0
	case math.IsNaN(c.SD):
		c.SD = c.SDPairs / math.Sqrt2
	}
	return c
}

// sharedWeights returns [Conditions.Shared] of the trials that a decision used.
func sharedWeights(d Decision, p pairing) float64 {
	partner := make(map[string]string, p.n())
	for i, t := range p.child {
		partner[t.ID] = p.parent[i].ID
	}
	weight, total := make(map[string]float64, len(d.UsedParent)), [2]float64{}
	for _, u := range d.UsedParent {
		weight[u.ID] = u.Weight
		total[1] += u.Weight
	}
	shared := 0.0
	for _, u := range d.UsedChild {
		total[0] += u.Weight
		shared += float64(u.Weight * weight[partner[u.ID]])
	}
	if shared == 0 {
		return 0
	}
	return shared / total[0] / total[1]
}

// variances returns the variance of the difference of two fitnesses that change nothing, in two parts: from single
// scores, and from the pairs that share tasks.
func (c Conditions) variances() (alone, paired float64) {
	rest := max(0, 1/weightedN(c.NChild)+1/weightedN(c.NParent)-2*c.Shared)
	return float64(c.SD * c.SD * rest), float64(c.SDPairs * c.SDPairs * c.Shared)
}

// degrees returns the degrees of freedom of the variance that the rate of a policy depends on, by Satterthwaite's
// approximation for its two parts. It returns 0 if the rate depends on no variance: only that of [Threshold] does.
func (c Conditions) degrees(p Policy) float64 {
	alone, paired := c.variances()
	if _, ok := p.(Threshold); !ok || alone+paired == 0 {
		return 0
	}
	df, dfPairs := float64(c.df), float64(c.dfPairs)
	if c.dfPairs == 0 {
		dfPairs = df
	}
	inverse := 0.0
	if alone > 0 {
		inverse += float64(alone * alone / df)
	}
	if paired > 0 {
		inverse += float64(paired * paired / dfPairs)
	}
	return (alone + paired) * (alone + paired) / inverse
}

// scaled returns the conditions at a noise that is so many times larger.
func (c Conditions) scaled(factor float64) Conditions {
	c.SD, c.SDPairs = c.SD*factor, c.SDPairs*factor
	return c
}

// pooledSD returns √(Σss/Σ(n-1)) over the sides that have two values; NaN if none has.
func pooledSD(a, b sample) float64 {
	squares, df := 0.0, 0
	for _, s := range [...]sample{a, b} {
		if s.n > 1 {
			squares += float64(s.sd * s.sd * float64(s.n-1))
			df += s.n - 1
		}
	}
	return math.Sqrt(squares / float64(df)) // 0/0 is NaN
}
