package programs

import "slices"

const mostRelatives = 200 // that are compared with one program line by line

// relatives finds programs by what was measured of them and by their generation.
type relatives map[relation][]*Draft

type relation struct {
	measured   string
	generation int
}

// newRelatives takes the programs in the order in which they were made.
func newRelatives(ranked []*Draft) relatives {
	r := relatives{}
	for _, d := range ranked {
		if d.Measured != "" && d.Generation != nil {
			key := relation{d.Measured, *d.Generation}
			r[key] = append(r[key], d)
		}
	}
	return r
}

// ofLostParent returns the program that is likeliest to be like the parent that a program has lost, as the package
// comment says; nil where there is none.
func (r relatives) ofLostParent(child *Draft) *Draft {
	if child.Generation == nil {
		return nil
	}
	wanted := relation{child.ParentMeasured, *child.Generation - 1}
	if child.Migrant {
		wanted = relation{child.Measured, *child.Generation}
	}
	if wanted.measured == "" {
		return nil
	}
	var like []*Draft
	for _, d := range slices.Backward(r[wanted]) {
		if len(like) == mostRelatives {
			break
		}
		if d.before(child) && !slices.Contains(child.Parents, d.ID) && (!child.Migrant || d.Content == child.Content) {
			like = append(like, d)
		}
	}
	return closest(child.code(), like)
}

// inspiration returns the one of several inspirations that shares most with what a program has and its first parent
// has not.
func (l linker) inspiration(d *Draft, ids []string) *Draft {
	var there []*Draft
	for _, id := range ids {
		if inspiration := l.drafts[id]; inspiration != nil {
			there = append(there, inspiration)
		}
	}
	rest := d.code()
	if first := l.drafts[d.Parents[0]]; first != nil {
		rest = rest.without(first.code())
	}
	return closest(rest, there)
}
