package lineages

import (
	"context"
	"slices"

	"track/evolution"
	"track/store"
)

// decided is a recorded decision.
type decided struct {
	evolution.Entry
	record evolution.Record
}

// attempts are the decisions on a mutation, and on others of the same parent to the same child, which are draws from
// the same evidence.
type attempts struct {
	own      []decided
	siblings map[string][]decided // by the key of the mutation
}

// loadDecisions reads the decisions on a mutation and on its siblings.
func loadDecisions(ctx context.Context, r *store.Reader, l Lineage, m store.Mutation) (a attempts, err error) {
	keys := []string{m.Key}
	if len(m.Parents) > 0 {
		siblings, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{Child: m.Child})
		if err != nil {
			return a, err
		}
		for _, s := range siblings {
			if s.Key != m.Key && len(s.Parents) > 0 && s.Parents[0] == m.Parents[0] {
				keys = append(keys, s.Key)
			}
		}
	}
	entries, err := r.Entries(ctx, l.Evolving, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindDecision}, Mutations: keys})
	if err != nil {
		return a, err
	}
	a.siblings = map[string][]decided{}
	for _, e := range entries {
		d := decided{Entry: e}
		if err := e.Decode(&d.record); err != nil {
			return a, err
		}
		if e.Mutation == m.Key {
			a.own = append(a.own, d)
		} else {
			a.siblings[e.Mutation] = append(a.siblings[e.Mutation], d)
		}
	}
	return a, nil
}

// endedSiblings counts the siblings that a decision accepted or rejected, before the entry of a number; 0 for any.
func (a attempts) endedSiblings(before int) (n int) {
	for _, list := range a.siblings {
		for _, d := range list {
			if before > 0 && d.Number > before {
				break
			}
			if d.record.Decision.State != evolution.Continue {
				n++
				break
			}
		}
	}
	return n
}

// lastEnded returns the number of the entry that accepted or rejected the mutation last; 0 if none did.
func (a attempts) lastEnded() int {
	for _, d := range slices.Backward(a.own) {
		if d.record.Decision.State != evolution.Continue {
			return d.Number
		}
	}
	return 0
}

// repeatDecision takes over the earlier decision that answers the same question, and counts those before it that came
// to an end. A policy that was asked in between makes no difference: asking two policies in turn would be another draw
// each time.
func repeatDecision(l Lineage, d *DecideResult, earlier attempts, repeats func(decided) (bool, error)) error {
	for _, before := range earlier.own {
		same, err := repeats(before)
		if err != nil {
			return explainEvidence(l, err)
		}
		if same {
			d.Entry, d.Record, d.Repeated = before.Entry, before.record, true
			break
		}
		countAttempt(d, before.record)
	}
	d.ended += earlier.endedSiblings(d.Number)
	return nil
}

// countAttempt notes an earlier decision on the mutation. One that asked for more evidence was no chance to be
// accepted, or its policy allows for it.
func countAttempt(d *DecideResult, earlier evolution.Record) {
	if earlier.Decision.State != evolution.Continue {
		d.ended++
	}
	d.was = evolution.StateAfter(earlier.Decision, d.was)
}
