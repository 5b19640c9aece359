package programs

import (
	"fmt"
	"slices"
	"strings"
)

// linker finds the parents of the programs of a run.
type linker struct {
	*Collector
	infer  bool
	ranked []*Draft // in the order in which they were made
}

func (l linker) link() {
	lost := map[string]bool{}
	all := newRelatives(l.ranked)
	for _, d := range l.ranked {
		l.unlinkSelf(d)
		l.choose(d)
		if first := l.lostParent(d); first != "" {
			lost[first] = true
			l.replaceLost(d, all)
		}
		l.second(d)
		for _, id := range d.Parents {
			if l.drafts[id] == nil {
				lost[id] = true
			}
		}
		if d.Inferred {
			l.run.Inferred++
		}
	}
	for id := range lost {
		l.run.Lost = append(l.run.Lost, id)
	}
	slices.Sort(l.run.Lost)
}

// unlinkSelf takes parents away that name the program itself, or stand there twice.
func (l linker) unlinkSelf(d *Draft) {
	seen := map[string]bool{d.ID: true}
	d.dropParents(func(id string) bool {
		again := seen[id]
		seen[id] = true
		if again && id == d.ID {
			l.Skip(d.File, d.Line, d.ParentField, "is the program itself, which cannot be its own parent: it is taken as unknown")
		}
		return again
	})
}

// choose deals with a parent that is one of several.
func (l linker) choose(d *Draft) {
	if len(d.Parents) > 0 && len(d.Candidates) > 1 {
		l.run.Picked++
	}
	if len(d.Parents) > 0 || len(d.Candidates) == 0 {
		return
	}
	if l.infer {
		if parent := l.latest(d); parent != nil {
			d.Parents, d.Inferred = []string{parent.ID}, true
			return
		}
	}
	l.run.Ambiguous++
	reason := "the source does not say which of these is the parent: " + strings.Join(d.Candidates, ", ")
	if !l.infer {
		reason += "; --infer-parents takes the latest before it"
	}
	l.Skip(d.File, d.Line, d.ParentField, reason)
}

// latest returns the last of the candidates that came before a program; nil where there is none.
func (l linker) latest(d *Draft) (parent *Draft) {
	for _, id := range d.Candidates {
		if c := l.drafts[id]; c != nil && c.before(d) && (parent == nil || c.compare(parent) > 0) {
			parent = c
		}
	}
	return parent
}

// lostParent returns the first parent of a program if no file has it.
func (l linker) lostParent(d *Draft) string {
	if len(d.Parents) == 0 || l.drafts[d.Parents[0]] != nil {
		return ""
	}
	return d.Parents[0]
}

// replaceLost puts the likeliest program in the place of a first parent that no file has.
func (l linker) replaceLost(d *Draft, all relatives) {
	if !l.infer {
		return
	}
	if parent := all.ofLostParent(d); parent != nil {
		d.Instead, d.Inferred = d.Parents[0], true
		d.Parents = append([]string{parent.ID}, d.Parents[1:]...)
	}
}

// second finds the second parent of a crossover: the only inspiration, or the likeliest.
func (l linker) second(d *Draft) {
	if !d.Crossover || len(d.Parents) > 1 {
		return
	}
	var inspirations []string
	for _, id := range d.Inspirations {
		if id != d.ID && !slices.Contains(d.Parents, id) && !slices.Contains(inspirations, id) {
			inspirations = append(inspirations, id)
		}
	}
	switch {
	case len(d.Parents) == 0: // a second without a first would pass for it
	case len(inspirations) == 1:
		d.Parents = append(slices.Clone(d.Parents), inspirations[0])
		return
	case l.infer:
		if parent := l.inspiration(d, inspirations); parent != nil {
			d.Parents, d.Inferred = append(slices.Clone(d.Parents), parent.ID), true
			return
		}
	}
	l.run.SecondUnknown++
}

// opened says that a circle of parents was opened.
func (l linker) opened(d, parent *Draft) {
	l.Skip(d.File, d.Line, d.ParentField, fmt.Sprintf("%q descends from this program %q, and cannot be its parent: it is taken as unknown", parent.ID, d.ID))
}
