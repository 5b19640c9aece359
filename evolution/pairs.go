package evolution

import "slices"

// pairing joins the scored trials of two sides by key.
type pairing struct {
	child, parent []Trial // k-th with k-th, in the order in which the pairs became complete
	// openChild and openParent are keyed trials without a partner; noKey counts those that cannot have one.
	openChild, openParent []Trial
	noKey                 int
}

// pairUp joins trials of the same key: of several, the oldest with the oldest, and so on. Pairs are in the order in
// which they became complete, so that more trials never change which pairs were the first n. Both lists are oldest
// first.
func pairUp(child, parent []Trial) (p pairing) {
	waiting := map[string][]Trial{}
	for _, t := range parent {
		if t.Key == "" {
			p.noKey++
			continue
		}
		waiting[t.Key] = append(waiting[t.Key], t)
	}
	type pair struct{ child, parent Trial }
	var pairs []pair
	for _, t := range child {
		list := waiting[t.Key]
		switch {
		case t.Key == "":
			p.noKey++
		case len(list) == 0:
			p.openChild = append(p.openChild, t)
		default:
			pairs, waiting[t.Key] = append(pairs, pair{t, list[0]}), list[1:]
		}
	}
	for _, list := range waiting {
		p.openParent = append(p.openParent, list...)
	}
	slices.SortFunc(p.openParent, age)
	complete := func(p pair) Trial { return slices.MaxFunc([]Trial{p.child, p.parent}, age) }
	slices.SortFunc(pairs, func(a, b pair) int { return age(complete(a), complete(b)) })
	for _, pair := range pairs {
		p.child, p.parent = append(p.child, pair.child), append(p.parent, pair.parent)
	}
	return p
}

func (p pairing) n() int { return len(p.child) }

// differences returns child - parent of each pair, rounded as in [newSample].
func (p pairing) differences() []float64 {
	list := make([]float64, p.n())
	for i := range list {
		list[i] = round9(*p.child[i].Score - *p.parent[i].Score)
	}
	return list
}

// unpaired counts the trials without a partner.
func (p pairing) unpaired() int { return len(p.openChild) + len(p.openParent) + p.noKey }

// first keeps the first n pairs.
func (p pairing) first(n int) pairing {
	p.child, p.parent = p.child[:n:n], p.parent[:n:n]
	return p
}

// matchedShare returns the share of pairs among all that could be one; 0 for none.
func (p pairing) matchedShare() float64 {
	all := p.n() + p.unpaired()
	if all == 0 {
		return 0
	}
	return float64(p.n()) / float64(all)
}
