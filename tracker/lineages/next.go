package lineages

import (
	"context"
	"fmt"
	"time"

	"track/evolution"
	"track/store"
)

// Action is what a loop is to do next.
type Action string

// The actions.
const (
	ActionRun      Action = "run"      // trials that a policy wants before it decides
	ActionDecide   Action = "decide"   // a mutation that has its evidence
	ActionMutate   Action = "mutate"   // propose a child of the version in force, by the operator
	ActionWait     Action = "wait"     // run the version in force so many times more
	ActionRollback Action = "rollback" // a trigger applies
	ActionStop     Action = "stop"     // nothing, until somebody changes something
)

// NextStep is what to do with a lineage now, and why.
type NextStep struct {
	Action     Action
	Reason     string
	Head       string
	Executions int                // to wait for, or to run
	Until      time.Time          // not before; zero for at once
	Mutation   string             // to decide, or to run trials for
	Operator   evolution.Operator // to mutate by
	Trials     []PlannedTrial     // to run
	Rollback   *evolution.Rollback
	Hold       evolution.Hold
	// Considered is the consideration that the answer follows from, and Entry, where it was made now, its entry.
	Considered *evolution.Consideration
	Entry      evolution.Entry
}

// Next says what to do now. Whether to mutate, and by which operator, is drawn once, and recorded; asked again, it answers the same until something
// happens. A dry run draws and records nothing.
func Next(ctx context.Context, st *store.Store, lineage string, dryRun bool, at time.Time) (s NextStep, err error) {
	if dryRun {
		err = st.Snapshot(ctx, func(st *store.Reader) error {
			l, err := Load(ctx, st, lineage)
			if err == nil {
				s, err = l.nextStep(ctx, st, orNow(at, st))
			}
			return err
		})
		s.Entry = evolution.Entry{}
		return s, err
	}
	err = change(ctx, st, lineage, func(w *Writer) error {
		if s, err = w.nextStep(ctx, w.Store, orNow(at, w.Store)); err != nil || s.Entry.Number == 0 {
			return err
		}
		s.Entry, err = w.append(evolution.KindConsideration, *s.Considered, w.Head, s.Entry.At)
		return err
	})
	return s, err
}

// nextStep finds out what to do, without writing. Its Entry has a number where a consideration is to be recorded.
func (l Lineage) nextStep(ctx context.Context, st *store.Reader, now time.Time) (s NextStep, err error) {
	for _, look := range []func(context.Context, *store.Reader, time.Time) (NextStep, error){l.nextFrozen, l.nextRollback, l.nextDecision, l.nextPending, l.nextConsideration} {
		if s, err = look(ctx, st, now); err != nil || s.Action != "" {
			break
		}
	}
	s.Head = l.Head
	return s, err
}

func (l Lineage) nextFrozen(context.Context, *store.Reader, time.Time) (s NextStep, err error) {
	switch {
	case l.Settings.Loop.Frozen:
		s = NextStep{Action: ActionStop, Hold: evolution.HoldFrozen, Reason: "frozen by hand"}
	case l.Head == "":
		s = NextStep{Action: ActionStop, Reason: "no version is in force: track rollback " + l.Name + " --to VERSION puts one in force"}
	}
	return s, nil
}

func (l Lineage) nextRollback(ctx context.Context, st *store.Reader, _ time.Time) (s NextStep, err error) {
	state, _, err := l.rollbackState(ctx, st)
	if err != nil {
		return s, err
	}
	if r := l.Settings.Rollback.Check(state); r != nil {
		s = NextStep{Action: ActionRollback, Rollback: r, Reason: fmt.Sprintf("%s: %s; back to %s", r.Trigger, r.Reason, r.To)}
	}
	return s, nil
}

// nextDecision looks at the oldest mutation that is still to be decided.
func (l Lineage) nextDecision(ctx context.Context, st *store.Reader, _ time.Time) (s NextStep, err error) {
	open, err := st.Mutations(ctx, l.Evolving, store.MutationFilter{Open: true})
	if err != nil {
		return s, err
	}
	for _, m := range open {
		if m.Source != "" {
			continue // of a run that is over
		}
		r, err := l.decide(ctx, st, m.Key, DecideOptions{})
		if err != nil {
			return s, err
		}
		d := r.Record.Decision
		if missing := l.Settings.Loop.Interval - d.NChild - d.FailedChild; d.State != evolution.Continue && missing > 0 {
			return tooSoon(r, missing), nil
		}
		if d.State != evolution.Continue {
			return NextStep{Action: ActionDecide, Mutation: m.Key, Reason: fmt.Sprintf("%s has its evidence: %d trials of the child, %d of the parent", m.Key, d.NChild, d.NParent)}, nil
		}
		trials := r.Planned()
		return NextStep{
			Action: ActionRun, Mutation: m.Key, Trials: trials, Executions: len(trials),
			Reason: r.Record.Policy + " wants " + r.Wanted(),
		}, nil
	}
	return s, nil
}

// tooSoon asks for more trials of a child than a policy that decides on a single one does: as many as the loop waits between considerations.
func tooSoon(r DecideResult, missing int) NextStep {
	s := NextStep{
		Action: ActionRun, Mutation: r.Mutation.Key, Executions: missing,
		Reason: fmt.Sprintf("%d of %d trials of %s: %s would decide on fewer, but knows little then", r.Record.Decision.NChild+r.Record.Decision.FailedChild,
			r.Record.Decision.NChild+r.Record.Decision.FailedChild+missing, r.Mutation.Child, r.Record.Policy),
	}
	for _, key := range r.freeKeys(missing) {
		s.Trials = append(s.Trials, PlannedTrial{"child", r.Mutation.Child, key})
	}
	return s
}

func (l Lineage) nextPending(ctx context.Context, st *store.Reader, _ time.Time) (s NextStep, err error) {
	pending, err := pendingChoice(ctx, st, l)
	if err != nil || pending == nil {
		return s, err
	}
	return mutate(pending), nil
}

func mutate(c *evolution.Consideration) NextStep {
	return NextStep{
		Action: ActionMutate, Operator: c.Choice.Operator, Considered: c,
		Reason: fmt.Sprintf("%s; %s by %s", c.Permission.Reason, c.Choice.Operator.Name, c.Choice.Reason),
	}
}

// pendingChoice is the consideration that said to mutate, where nothing was proposed since; nil for none.
func pendingChoice(ctx context.Context, st *store.Reader, l Lineage) (*evolution.Consideration, error) {
	last, ok, err := st.LastEntry(ctx, l.Evolving, evolution.KindConsideration, evolution.KindProposal, evolution.KindRefusal, evolution.KindRollback)
	if err != nil || !ok || last.Kind != evolution.KindConsideration {
		return nil, err
	}
	var c evolution.Consideration
	if err := last.Decode(&c); err != nil || c.Choice == nil {
		return nil, err
	}
	return &c, nil
}

// nextConsideration draws whether to mutate, unless something speaks against it.
func (l Lineage) nextConsideration(ctx context.Context, st *store.Reader, now time.Time) (s NextStep, err error) {
	c, err := l.consider(ctx, st, now)
	if err != nil {
		return s, err
	}
	if limited := l.onlyHighRisk(c.State, now); limited != nil {
		return *limited, nil
	}
	if !c.Permission.DrawUsed {
		return l.held(c), nil
	}
	if !c.Permission.Mutate {
		s = NextStep{Action: ActionWait, Hold: c.Permission.Hold, Executions: l.Settings.Loop.Interval, Reason: c.Permission.Reason, Considered: &c}
	} else {
		s = mutate(&c)
	}
	s.Entry, err = l.next(evolution.KindConsideration, c, l.Head, now)
	return s, err
}

// consider makes the next consideration.
func (l Lineage) consider(ctx context.Context, st *store.Reader, now time.Time) (c evolution.Consideration, err error) {
	if c, err = l.loopState(ctx, st, now); err != nil {
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
	choice, err := evolution.ChooseOperator(operators, c.Signals, c.Histories, draw)
	c.Operator, c.Choice = &draw, &choice
	return c, err
}

// loopState is where the lineage stands, and how its operators did.
func (l Lineage) loopState(ctx context.Context, st *store.Reader, now time.Time) (c evolution.Consideration, err error) {
	if c.Executions, err = l.countTrials(ctx, st); err != nil {
		return c, err
	}
	c.Number, c.State = 1, evolution.LoopState{SinceConsidered: -1, SinceMutation: -1, SinceRollback: -1, Scores: []float64{}}
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
		e, ok, err := st.LastEntry(ctx, l.Evolving, event.kind)
		if err != nil {
			return c, err
		}
		if !ok {
			continue
		}
		if err := e.Decode(event.body); err != nil {
			return c, err
		}
		*event.since = max(0, c.Executions-*event.then)
	}
	c.Number += last.Number
	v, err := l.trials(ctx, st, l.Head)
	if err != nil {
		return c, err
	}
	for _, t := range v.Trials {
		if t.Score != nil {
			c.State.Scores = append(c.State.Scores, *t.Score)
		}
	}
	c.State.Scores = c.State.Scores[max(0, len(c.State.Scores)-max(recentTrials, l.Settings.Loop.StableScores)):]
	if c.State.Mutations, err = l.lastDay(ctx, st, now); err != nil {
		return c, err
	}
	if c.Histories, err = l.histories(ctx, st); err != nil {
		return c, err
	}
	c.Signals, err = l.signals(ctx, st)
	return c, err
}

// lastDay are the mutations of the last 24 hours that the limits of a day count: none that was refused, or made elsewhere.
func (l Lineage) lastDay(ctx context.Context, st *store.Reader, now time.Time) ([]evolution.PastMutation, error) {
	recent, err := st.Mutations(ctx, l.Evolving, store.MutationFilter{Since: now.Add(-24 * time.Hour)})
	list := []evolution.PastMutation{}
	for _, m := range recent {
		if m.State != evolution.MutationRefused && m.Source == "" && !m.ProposedAt.After(now) {
			list = append(list, evolution.PastMutation{At: m.ProposedAt, Risk: m.Risk})
		}
	}
	return list, err
}

// histories are how the operators did so far.
func (l Lineage) histories(ctx context.Context, st *store.Reader) (evolution.Histories, error) {
	outcomes, err := st.MutationOutcomes(ctx, l.Evolving)
	h := evolution.Histories{}
	for _, o := range outcomes {
		if o.State == evolution.MutationAccepted || o.State == evolution.MutationRejected {
			h.Add(o.Operator, o.Delta)
		}
	}
	return h, err
}

// onlyHighRisk says that the limit of the day for mutations of high risk is reached, and the lineage has no others.
func (l Lineage) onlyHighRisk(state evolution.LoopState, now time.Time) *NextStep {
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
	s := &NextStep{Action: ActionWait, Hold: evolution.HoldDay, Reason: fmt.Sprintf("%d of %d mutations of high risk in 24 hours, and no operator of less", n, l.Settings.Loop.MaxHighPerDay)}
	if !first.IsZero() {
		s.Until = first.Add(24 * time.Hour)
	}
	return s
}

// held is what to do where something speaks against a mutation.
func (l Lineage) held(c evolution.Consideration) NextStep {
	p, loop := c.Permission, l.Settings.Loop
	s := NextStep{Action: ActionWait, Hold: p.Hold, Reason: p.Reason, Until: p.Until}
	switch p.Hold {
	case evolution.HoldCooldown:
		s.Executions = loop.Cooldown - c.State.SinceRollback
	case evolution.HoldInterval:
		s.Executions = loop.Interval - c.State.SinceConsidered
	case evolution.HoldBetween:
		s.Executions = loop.MinBetween - c.State.SinceMutation
	case evolution.HoldStable:
		s.Action = ActionStop
	case evolution.HoldDay:
		if loop.MaxPerDay == 0 {
			s.Action = ActionStop
		}
	}
	return s
}
