package lineages

import (
	"context"
	"fmt"
	"slices"
	"time"

	"track/answer"
	"track/evolution"
	"track/store"
)

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
