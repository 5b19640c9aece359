package main

import (
	"math/rand/v2"

	"track/evolution"
)

// outcome is what came of one loop.
type outcome struct {
	gain      float64 // true score of the last version minus that of the first
	squares   float64 // sum of the squared gains of several loops
	overstate float64 // recorded minus true score of the last version
	tried     int
	accepted  int
	worse     int // accepted, and truly worse than the parent
}

// first is how many trials a version has that is compared with a record, or in few pairs.
const first = 5

// evolve runs one lineage under one policy until the budget is spent.
func evolve(w world, p evolution.Policy, seed uint64) (o outcome, err error) {
	l := &lab{world: w, random: rand.New(rand.NewPCG(seed, 1))}
	truth, record := w.start, l.alone(w.start, first)
	recorded := mean(record)
	for l.made < w.budget {
		child := truth + w.effect(l.random)
		d, mine, theirs, err := l.try(p, child, truth, record, o.tried)
		if err != nil {
			return o, err
		}
		o.tried++
		if !d.Accepted {
			record = append(record, theirs...) // which the parent was measured by again
			continue
		}
		o.accepted++
		if child < truth {
			o.worse++
		}
		truth, record, recorded = child, mine, *d.Fitness
	}
	o.gain, o.overstate = truth-w.start, recorded-truth
	return o, nil
}

// try gathers evidence until the policy decides. Threshold and the first stage of confirm compare with what is on
// record of the parent, the others look at pairs alone. It returns the trials that the child is recorded by, and the
// new ones of the parent.
func (l *lab) try(p evolution.Policy, child, parent float64, record []evolution.Trial, step int) (d evolution.Decision, mine, theirs []evolution.Trial, err error) {
	e := evolution.Evidence{Step: step}
	screened, known := 0, 0
	switch p.(type) {
	case evolution.Threshold:
		e.Child, e.Parent, known = l.alone(child, first), record, len(record)
	case evolution.Confirm:
		e.Child, e.Parent, known = l.alone(child, first), record, len(record)
		screened = first
	case evolution.Strict, evolution.Anneal:
		e.Child, e.Parent = l.pairs(child, parent, first)
	}
	for {
		if d, err = evolution.Judge(p, e, l.draw()); err != nil || d.State != evolution.Continue {
			return d, e.Child[screened:], e.Parent[known:], err
		}
		more, others := l.pairs(child, parent, d.Need.Pairs)
		e.Child = append(e.Child, more...)
		e.Parent = append(e.Parent[:len(e.Parent):len(e.Parent)], others...)
	}
}

// mean of scores.
func mean(trials []evolution.Trial) float64 {
	sum := 0.0
	for _, t := range trials {
		sum += *t.Score
	}
	return sum / float64(len(trials))
}
