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
	d.PImprove = improvementOf(p.child, p.parent, true)
	return s
}
