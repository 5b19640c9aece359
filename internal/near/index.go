package near

import (
	"math/bits"
	"slices"
)

// maxSpellings bounds the spellings that a name is compared with. Nobody types names of so many.
const maxSpellings = 20_000

// Index finds the names that are near a name, among many.
type Index struct {
	groups map[[2]string]*group
	order  []*group // as they came
}

// group holds names that differ in their counters and in capitals alone.
type group struct {
	name      // the first one
	all       []name
	byCounter map[string][]name
}

// NewIndex returns an index of names.
func NewIndex(names []string) *Index {
	x := &Index{groups: map[[2]string]*group{}}
	for _, text := range names {
		x.Add(text)
	}
	return x
}

// Add adds a name.
func (x *Index) Add(text string) {
	n := newName(text)
	key := [2]string{string(n.letters), n.rest}
	g := x.groups[key]
	if g == nil {
		g = &group{name: n, byCounter: map[string][]name{}}
		x.groups[key] = g
		x.order = append(x.order, g)
	}
	g.all = append(g.all, n)
	g.byCounter[n.counters] = append(g.byCounter[n.counters], n)
}

// Near returns the names that are near a name, the nearest ones first.
func (x *Index) Near(text string) []string {
	if len(x.order) > maxSpellings {
		return nil
	}
	n := newName(text)
	var found [maxEdits + 1][]string
	for _, g := range x.order {
		for _, other := range g.candidates(n) {
			if edits, near := n.edits(other); near {
				found[edits] = append(found[edits], other.text)
			}
		}
	}
	return slices.Concat(found[:]...)
}

// candidates returns the names of the group that can be near a name.
func (g *group) candidates(n name) []name {
	switch {
	case g.rest == n.rest:
		return g.byCounter[n.counters]
	case bits.OnesCount64(g.seen^n.seen) > 2*maxEdits, distance(g.letters, n.letters, maxEdits) > maxEdits:
		return nil
	}
	return g.all
}
