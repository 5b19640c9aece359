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

func mutate(c *evolution.Consideration) NextStep {
	return NextStep{
		Action: answer.ActionMutate, Operator: c.Choice.Operator, Considered: c,
		Reason: fmt.Sprintf("%s; %s by %s", c.Permission.Reason, c.Choice.Operator.Name, c.Choice.Reason),
	}
}

// pendingChoice returns the consideration that said to mutate, if nothing was proposed since; nil for none.
func pendingChoice(l Lineage) (*evolution.Consideration, error) {
	last, ok := newestOf(l, evolution.KindConsideration, evolution.KindProposal, evolution.KindRefusal, evolution.KindRollback)
	if !ok || last.Kind != evolution.KindConsideration {
		return nil, nil
	}
	var c evolution.Consideration
	if err := last.Decode(&c); err != nil || c.Choice == nil {
		return nil, err
	}
	return &c, nil
}

// nextConsideration draws whether to mutate, unless something speaks against it.
func nextConsideration(ctx context.Context, r *store.Reader, l Lineage, where standing, now time.Time) (s NextStep, err error) {
	c, err := consider(ctx, r, l, where, now)
	if err != nil {
		return s, err
	}
	if limited := onlyHighRisk(l, c.State, now); limited != nil {
		return *limited, nil
	}
	if !c.Permission.DrawUsed {
		return held(l, c), nil
	}
	if !c.Permission.Mutate {
		s = NextStep{Action: answer.ActionWait, Hold: c.Permission.Hold, Executions: l.Settings.Loop.Interval, Reason: c.Permission.Reason, Considered: &c}
	} else {
		s = mutate(&c)
	}
	s.Entry, err = nextEntry(l, evolution.KindConsideration, c, l.Head, now)
	return s, err
}

// consider makes the next consideration.
func consider(ctx context.Context, r *store.Reader, l Lineage, where standing, now time.Time) (c evolution.Consideration, err error) {
	if c, err = loopState(ctx, r, l, where, now); err != nil {
		return c, err
	}
	key := evolution.DrawKey{Seed: uint64(l.Seed), Lineage: l.Name, Mutation: evolution.ConsiderationKey(c.Number), Label: evolution.LabelMutate}
	c.Settings, c.Draw = l.Settings.Number, evolution.NewDraw(key)
	if c.Permission, err = l.Settings.Loop.MayMutate(c.State, now, c.Draw); err != nil || !c.Permission.Mutate {
		return c, err
	}
	operators := c.Permission.Operators(l.Settings.Operators)
	if len(operators) == 0 {
		return c, nil
	}
	key.Label = evolution.LabelOperator
	draw := evolution.NewDraw(key)
	choice, err := evolution.ChooseOperator(l.Settings.OperatorChoice, operators, c.Signals, c.Histories, draw)
	c.Operator, c.Choice = &draw, &choice
	return c, err
}

// loopState returns where the lineage stands, and the histories of its operators.
func loopState(ctx context.Context, r *store.Reader, l Lineage, where standing, now time.Time) (c evolution.Consideration, err error) {
	if c.Executions, err = countTrials(ctx, r, l); err != nil {
		return c, err
	}
	c.Number, c.State = 1, evolution.LoopState{SinceConsidered: -1, SinceMutation: -1, SinceRollback: -1}
	if err := sinceEvents(l, &c); err != nil {
		return c, err
	}
	c.State.Scores = lastScores(where.head.Trials, max(recentTrials, l.Settings.Loop.StableScores))
	if c.State.Mutations, err = lastDay(ctx, r, l, now); err != nil {
		return c, err
	}
	outcomes, err := r.MutationOutcomes(ctx, l.Evolving)
	c.Histories, c.Signals = histories(outcomes), where.signals
	return c, err
}

// sinceEvents fills in how many trials there were since the last consideration, mutation and rollback.
func sinceEvents(l Lineage, c *evolution.Consideration) error {
	var last evolution.Consideration
	var proposal evolution.Proposal
	var rollback evolution.RollbackEvent
	for _, event := range []struct {
		kind  evolution.Kind
		body  any
		since *int
		then  *int
	}{
		{evolution.KindConsideration, &last, &c.State.SinceConsidered, &last.Executions},
		{evolution.KindProposal, &proposal, &c.State.SinceMutation, &proposal.Executions},
		{evolution.KindRollback, &rollback, &c.State.SinceRollback, &rollback.Executions},
	} {
		e, ok := l.newest[event.kind]
		if !ok {
			continue
		}
		if err := e.Decode(event.body); err != nil {
			return err
		}
		*event.since = max(0, c.Executions-*event.then)
	}
	c.Number += last.Number
	return nil
}

// lastScores returns the newest n scores of trials, oldest first.
func lastScores(trials []evolution.Trial, n int) []float64 {
	scores := []float64{}
	for _, t := range trials {
		if t.Score != nil {
			scores = append(scores, *t.Score)
		}
	}
	return scores[max(0, len(scores)-n):]
}

// lastDay returns the mutations of the last 24 hours that daily limits count: none that was refused, or made elsewhere.
func lastDay(ctx context.Context, r *store.Reader, l Lineage, now time.Time) ([]evolution.PastMutation, error) {
	recent, err := r.ProposedSince(ctx, l.Evolving, now.Add(-24*time.Hour))
	return slices.DeleteFunc(recent, func(m evolution.PastMutation) bool { return m.At.After(now) }), err
}

// histories returns the outcomes of the operators so far.
func histories(outcomes []store.MutationOutcome) evolution.Histories {
	h := evolution.Histories{}
	for _, o := range outcomes {
		if o.State == evolution.MutationAccepted || o.State == evolution.MutationRejected {
			h.Add(o.Operator, o.Delta, o.State == evolution.MutationAccepted)
		}
	}
	return h
}

// onlyHighRisk returns the step to wait if the daily limit of high-risk mutations is reached and the lineage has no
// other operators.
func onlyHighRisk(l Lineage, state evolution.LoopState, now time.Time) *NextStep {
	if len(evolution.WithoutRisk(l.Settings.Operators, evolution.High)) > 0 {
		return nil
	}
	n, first := 0, time.Time{}
	for _, m := range state.Mutations {
		if m.Risk == evolution.High && now.Sub(m.At) < 24*time.Hour {
			n++
			if first.IsZero() {
				first = m.At
			}
		}
	}
	if n < l.Settings.Loop.MaxHighPerDay {
		return nil
	}
	s := &NextStep{Action: answer.ActionWait, Hold: evolution.HoldDay, Reason: fmt.Sprintf("%d of %d mutations of high risk in 24 hours, and no operator of less", n, l.Settings.Loop.MaxHighPerDay)}
	if !first.IsZero() {
		s.Until = first.Add(24 * time.Hour)
	}
	return s
}

// held returns what to do if something speaks against a mutation.
func held(l Lineage, c evolution.Consideration) NextStep {
	p, loop := c.Permission, l.Settings.Loop
	s := NextStep{Action: answer.ActionWait, Hold: p.Hold, Reason: p.Reason, Until: p.Until}
	switch p.Hold {
	case evolution.HoldCooldown:
		s.Executions = loop.Cooldown - c.State.SinceRollback
	case evolution.HoldInterval:
		s.Executions = loop.Interval - c.State.SinceConsidered
	case evolution.HoldBetween:
		s.Executions = loop.MinBetween - c.State.SinceMutation
	case evolution.HoldStable:
		s.Action = answer.ActionStop
	case evolution.HoldDay:
		if loop.MaxPerDay == 0 {
			s.Action = answer.ActionStop
		}
	}
	return s
}
