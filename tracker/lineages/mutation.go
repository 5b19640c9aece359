package lineages

import (
	"context"

	"track/evolution"
	"track/store"
)

// MutationHistory is a mutation with all that the ledger tells of it.
type MutationHistory struct {
	Lineage   string
	Mutation  store.Mutation
	Refusals  []evolution.Refusal
	Inferred  bool   // a parent was inferred, and not recorded by its source
	Withdrawn string // why
	Decisions []DecideResult
}

// LoadMutation collects what happened to a mutation.
func LoadMutation(ctx context.Context, st *store.Reader, lineage, mutation string) (s MutationHistory, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		l, err := Load(ctx, st, lineage)
		if err == nil {
			s, err = l.tell(ctx, st, mutation)
		}
		return err
	})
	return s, err
}

func (l Lineage) tell(ctx context.Context, st *store.Reader, mutation string) (s MutationHistory, err error) {
	s.Lineage = l.Name
	if s.Mutation, err = st.Mutation(ctx, l.Evolving, mutation); err != nil {
		return s, err
	}
	entries, err := st.Entries(ctx, l.Evolving, store.EntryFilter{Mutation: mutation})
	for _, e := range entries {
		if err == nil {
			err = s.add(ctx, st, l, e)
		}
	}
	return s, err
}

func (s *MutationHistory) add(ctx context.Context, st *store.Reader, l Lineage, e evolution.Entry) error {
	switch e.Kind {
	case evolution.KindProposal, evolution.KindRefusal:
		var p evolution.Proposal
		if err := e.Decode(&p); err != nil {
			return err
		}
		s.Refusals, s.Inferred = p.Refusals, p.Inferred
	case evolution.KindWithdrawal:
		var w evolution.Withdrawal
		if err := e.Decode(&w); err != nil {
			return err
		}
		s.Withdrawn = w.Reason
	case evolution.KindDecision:
		d := DecideResult{Entry: e, Mutation: s.Mutation, Now: l.Head, seeds: l.Scenario() != ""}
		if err := e.Decode(&d.Record); err != nil {
			return err
		}
		if len(s.Mutation.Parents) > 0 {
			d.Parent = s.Mutation.Parents[0]
		}
		for _, earlier := range s.Decisions {
			d.count(earlier.Record)
		}
		if err := d.countTwins(ctx, st, l); err != nil {
			return err
		}
		d.warn(l)
		s.Decisions = append(s.Decisions, d)
	}
	return nil
}
