package lineages

import (
	"context"
	"fmt"
	"slices"
	"time"

	"track/answer"
	"track/evolution"
	"track/scoring/format"
	"track/store"
)

// NextStep is what to do with a lineage now, and why.
type NextStep struct {
	Action     answer.Action
	Reason     string
	Head       string
	Executions int                   // to wait for, or to run
	Until      time.Time             // not before; zero for at once
	Mutation   string                // to decide, or to run trials for
	Operator   evolution.Operator    // to mutate by
	Trials     []answer.PlannedTrial // to run
	Rollback   *evolution.Rollback
	Hold       evolution.Hold
	// Considered is the consideration that the answer follows from. Entry is its entry if it was made now.
	Considered *evolution.Consideration
	Entry      evolution.Entry
}

// Next says what to do now. Whether to mutate, and by which operator, is drawn once and recorded. Asked again, it
// answers the same until something happens. A dry run draws and records nothing.
func Next(ctx context.Context, st *store.Store, lineage string, dryRun bool, at time.Time) (s NextStep, err error) {
	if dryRun {
		err = st.Snapshot(ctx, func(r *store.Reader) error {
			l, err := Load(ctx, r, lineage)
			if err == nil {
				s, err = nextStep(ctx, r, l, orNow(at, r))
			}
			return err
		})
		s.Entry = evolution.Entry{}
		return s, err
	}
	err = change(ctx, st, lineage, func(tx *store.Tx, l *Lineage) error {
		if s, err = nextStep(ctx, tx.Reader, *l, orNow(at, tx.Reader)); err != nil || s.Entry.Number == 0 {
			return err
		}
		s.Entry, err = appendEntry(tx, l, evolution.KindConsideration, *s.Considered, l.Head, s.Entry.At)
		return err
	})
	return s, err
}

// nextStep finds out what to do, without writing. Its Entry has a number if a consideration is to be recorded.
func nextStep(ctx context.Context, r *store.Reader, l Lineage, now time.Time) (s NextStep, err error) {
	defer func() { s.Head = l.Head }()
	switch {
	case l.Settings.Loop.Frozen:
		return NextStep{Action: answer.ActionStop, Hold: evolution.HoldFrozen, Reason: "frozen by hand"}, nil
	case l.Head == "":
		return NextStep{Action: answer.ActionStop, Reason: "no version is active; a rollback makes one active"}, nil
	}
	where, err := loadStanding(ctx, r, l)
	if err != nil {
		return s, err
	}
	if s, err = nextRollback(ctx, where); err != nil || s.Action != "" {
		return s, err
	}
	if s, err = nextDecision(ctx, r, l); err != nil || s.Action != "" {
		return s, err
	}
	pending, err := pendingChoice(l)
	if err != nil {
		return s, err
	}
	if pending != nil {
		return mutate(pending), nil
	}
	return nextConsideration(ctx, r, l, where, now)
}

// nextRollback returns the step of the first trigger that applies; the zero NextStep if none does.
func nextRollback(ctx context.Context, where standing) (s NextStep, err error) {
	state, err := rollbackState(ctx, where)
	if err != nil {
		return s, err
	}
	if r := where.lineage.Settings.Rollback.Check(state); r != nil {
		s = NextStep{Action: answer.ActionRollback, Rollback: r, Reason: fmt.Sprintf("%s: %s; back to %s", r.Trigger, r.Reason, r.To)}
	}
	return s, nil
}

// nextDecision returns the step for the oldest mutation that is still to be decided; mutations of a run that is over do
// not count.
func nextDecision(ctx context.Context, r *store.Reader, l Lineage) (s NextStep, err error) {
	open, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{Open: true})
	if err != nil {
		return s, err
	}
	i := slices.IndexFunc(open, func(m store.Mutation) bool { return m.Source == "" })
	if i < 0 {
		return s, nil
	}
	m := open[i]
	d, err := decideMutation(ctx, r, l, m, DecideOptions{})
	if err != nil {
		return s, err
	}
	decision := d.Record.Decision
	missing := l.Settings.Loop.Interval - len(d.Record.Evidence.Child)
	switch {
	case decision.State != evolution.Continue && missing > 0:
		return tooSoon(d, missing), nil
	case decision.State != evolution.Continue:
		reason := fmt.Sprintf("%s has enough evidence: %s of the child, %d of the parent", m.Key, format.Counted(decision.NChild, "trial"), decision.NParent)
		return NextStep{Action: answer.ActionDecide, Mutation: m.Key, Reason: reason}, nil
	}
	trials := d.planned()
	return NextStep{Action: answer.ActionRun, Mutation: m.Key, Trials: trials, Executions: len(trials), Reason: d.Record.Policy + " needs " + d.wanted()}, nil
}

// tooSoon returns the step to run more trials of a child than its policy needs: as many as the loop waits between
// considerations.
func tooSoon(r DecideResult, missing int) NextStep {
	s := NextStep{
		Action: answer.ActionRun, Mutation: r.Mutation.Key, Executions: missing,
		Reason: fmt.Sprintf("%d of %d trials of %s; %s would already decide, from little evidence", len(r.Record.Evidence.Child),
			len(r.Record.Evidence.Child)+missing, r.Mutation.Child, r.Record.Policy),
	}
	for _, key := range r.freeKeys(missing) {
		s.Trials = append(s.Trials, answer.PlannedTrial{Side: "child", Version: r.Mutation.Child, Key: key})
	}
	return s
}
