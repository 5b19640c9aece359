package lineages

import (
	"context"

	"track/evolution"
	"track/store"
)

// mutationHistory is a mutation with all entries of the ledger about it.
type mutationHistory struct {
	Lineage   string
	Scale     *evolution.Scale
	Mutation  store.Mutation
	Refusals  []evolution.Refusal
	Inferred  bool                 // a parent was inferred, and not recorded by its source
	Origin    *evolution.Origin    // what another evolver says; nil if it was proposed here
	Withdrawn string               // why
	Tasks     *evolution.TaskOrder // nil if the tasks are unknown
	Decisions []DecideResult
}

// loadMutationHistory collects what happened to a mutation.
func loadMutationHistory(ctx context.Context, r *store.Reader, lineage, mutation string) (h mutationHistory, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		l, err := Load(ctx, r, lineage)
		if err == nil {
			h, err = loadMutation(ctx, r, l, mutation)
		}
		return err
	})
	return h, err
}

func loadMutation(ctx context.Context, r *store.Reader, l Lineage, mutation string) (h mutationHistory, err error) {
	h.Lineage, h.Scale = l.Name, l.Settings.Scale
	if h.Mutation, err = r.Mutation(ctx, l.Evolving, mutation); err != nil {
		return h, err
	}
	entries, err := r.Entries(ctx, l.Evolving, store.EntryFilter{
		Kinds: []evolution.Kind{evolution.KindProposal, evolution.KindRefusal, evolution.KindWithdrawal}, Mutations: []string{mutation},
	})
	for _, e := range entries {
		if err == nil {
			err = h.add(e)
		}
	}
	if err != nil {
		return h, err
	}
	decisions, err := loadDecisions(ctx, r, l, h.Mutation)
	if err != nil {
		return h, err
	}
	for i, recorded := range decisions.own {
		d := DecideResult{Entry: recorded.Entry, Record: recorded.record, Mutation: h.Mutation, Now: l.Head, seeds: l.scenario() != ""}
		if len(h.Mutation.Parents) > 0 {
			d.Parent = h.Mutation.Parents[0]
		}
		for _, before := range decisions.own[:i] {
			countAttempt(&d, before.record)
		}
		d.ended += decisions.endedSiblings(d.Number)
		addWarnings(l, &d)
		h.Decisions = append(h.Decisions, d)
	}
	return h, nil
}

// add adds what an entry other than a decision says.
func (h *mutationHistory) add(e evolution.Entry) error {
	if e.Kind == evolution.KindWithdrawal {
		var w evolution.Withdrawal
		err := e.Decode(&w)
		h.Withdrawn = w.Reason
		return err
	}
	var p evolution.Proposal
	err := e.Decode(&p)
	h.Refusals, h.Inferred, h.Origin, h.Tasks = p.Refusals, p.Inferred, p.Origin, p.Tasks
	return err
}
