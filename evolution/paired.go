package evolution

// comparePairs sets what follows from pairs whatever the policy, and returns the summary of their differences.
func (d *Decision) comparePairs(p pairing) sample {
	child, parent := scores(p.child), scores(p.parent)
	s := newSample(child, parent)
	d.NPairs = p.n()
	if p.n() == 0 {
		return s
	}
	d.compare(summarize(parent).mean, summarize(child).mean)
	d.Delta, d.Fitness = &s.mean, d.NewScore
	d.UsedChild, d.UsedParent = used(p.child), used(p.parent)
	d.Interval = pairedInterval(s, p.unpaired())
	d.PImprove = improvementOf(p.child, p.parent, true)
	return s
}

// afterPairs compares all pairs, once there are at least n of them; ok is false, and the decision waits, if there
// are fewer.
func (d *Decision) afterPairs(s sides, n int) (sum sample, ok bool) {
	p := pairUp(s.child.scored, s.parent.scored)
	sum = d.comparePairs(p)
	if p.n() < n {
		d.wait(needPairs(n-p.n(), p))
		return sum, false
	}
	return sum, true
}
