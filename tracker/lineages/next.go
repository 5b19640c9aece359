package lineages

import (
	"context"
	"fmt"
	"slices"
	"time"
	"track"

	"track/answer"
	"track/evolution"
	"track/scoring/format"
	"track/store"
)

// NextAction says what to do now. Whether to mutate, and by which operator, is drawn once and recorded. Asked again, it
// answers the same until something happens. A dry run draws and records nothing.
func NextAction(ctx context.Context, st *store.Store, q answer.NextQuestion) (a answer.Next, err error) {
	lineage, err := Resolve(ctx, st.Reader, q.Lineage)
	if err != nil {
		return a, err
	}
	if q.DryRun {
		err = st.Snapshot(ctx, func(r *store.Reader) error {
			l, err := Load(ctx, r, lineage)
			if err == nil {
				a, _, err = nextStep(ctx, r, l, orNow(q.At, r))
			}
			return err
		})
	} else {
		err = change(ctx, st, lineage, func(tx *store.Tx, l *Lineage) error {
			at, records := orNow(q.At, tx.Reader), false
			if a, records, err = nextStep(ctx, tx.Reader, *l, at); err != nil || !records {
				return err
			}
			_, err = appendEntry(tx, l, evolution.KindConsideration, *a.Considered, l.Head, at)
			return err
		})
	}
	if err != nil {
		return a, err
	}
	a.Lineage = lineage
	if c := a.Considered; c != nil {
		a.Draws = append(a.Draws, drawAnswer(c.Draw, nil, c.Permission.DrawUsed))
		if c.Operator != nil {
			a.Draws = append(a.Draws, drawAnswer(*c.Operator, nil, c.Choice.DrawUsed))
		}
	}
	if a.Action == answer.ActionWait || a.Action == answer.ActionMutate {
		a.Version = a.Head
	}
	if len(a.Trials) > 0 {
		a.Version, a.Task = a.Trials[0].Version, a.Trials[0].Key
	}
	a.Step = nextHint(a)
	return a, nil
}

// nextHint returns the command to go on with; nil for none.
func nextHint(a answer.Next) *track.Hint {
	var h track.Hint
	switch a.Action {
	case answer.ActionDecide:
		h = track.NewHint("decide it", "mutation decide", a.Mutation).With("lineage", a.Lineage)
	case answer.ActionRun:
		h = track.NewHint("list the trials", "mutation plan", a.Mutation).With("lineage", a.Lineage)
	case answer.ActionMutate:
		h = track.NewHint("propose a child", "mutation propose").With("lineage", a.Lineage).With("parent", a.Head).With("operator", a.Operator).With("child", "FILE")
	case answer.ActionRollback:
		h = track.NewHint("go back", "rollback", a.Lineage).With("if-triggered", "")
	case answer.ActionStop:
		if a.Head != "" {
			return nil
		}
		h = track.NewHint("make a version active", "rollback", a.Lineage).With("to", "VERSION")
	default:
		return nil
	}
	return &h
}

// nextStep finds out what to do, without writing, and whether it is a consideration to be recorded.
func nextStep(ctx context.Context, r *store.Reader, l Lineage, now time.Time) (s answer.Next, records bool, err error) {
	defer func() { s.Head = l.Head }()
	switch {
	case l.Settings.Loop.Frozen:
		return answer.Next{Action: answer.ActionStop, Hold: evolution.HoldFrozen, Reason: "frozen by hand"}, false, nil
	case l.Head == "":
		return answer.Next{Action: answer.ActionStop, Reason: "no version is active; a rollback makes one active"}, false, nil
	}
	where, err := loadStanding(ctx, r, l)
	if err != nil {
		return s, false, err
	}
	if s, err = nextRollback(ctx, where); err != nil || s.Action != "" {
		return s, false, err
	}
	if s, err = nextDecision(ctx, r, l); err != nil || s.Action != "" {
		return s, false, err
	}
	pending, err := pendingChoice(l)
	if err != nil {
		return s, false, err
	}
	if pending != nil {
		return mutate(pending), false, nil
	}
	return nextConsideration(ctx, r, l, where, now)
}

// nextRollback returns the step of the first trigger that applies; the zero answer.Next if none does.
func nextRollback(ctx context.Context, where standing) (s answer.Next, err error) {
	state, err := rollbackState(ctx, where)
	if err != nil {
		return s, err
	}
	if r := where.lineage.Settings.Rollback.Check(state); r != nil {
		s = answer.Next{Action: answer.ActionRollback, Rollback: r, Reason: fmt.Sprintf("%s: %s; back to %s", r.Trigger, r.Reason, r.To)}
	}
	return s, nil
}

// nextDecision returns the step for the oldest mutation that is still to be decided; mutations of a run that is over do
// not count.
func nextDecision(ctx context.Context, r *store.Reader, l Lineage) (s answer.Next, err error) {
	open, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{Open: true})
	if err != nil {
		return s, err
	}
	i := slices.IndexFunc(open, func(m store.Mutation) bool { return m.Source == "" })
	if i < 0 {
		return s, nil
	}
	m := open[i]
	d, err := decideMutation(ctx, r, l, m, answer.DecideQuestion{})
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
		return answer.Next{Action: answer.ActionDecide, Mutation: m.Key, Reason: reason}, nil
	}
	trials := d.planned()
	return answer.Next{Action: answer.ActionRun, Mutation: m.Key, Trials: trials, Executions: len(trials), Reason: d.Record.Policy + " needs " + d.wanted()}, nil
}

// tooSoon returns the step to run more trials of a child than its policy needs: as many as the loop waits between
// considerations.
func tooSoon(r DecideResult, missing int) answer.Next {
	s := answer.Next{
		Action: answer.ActionRun, Mutation: r.Mutation.Key, Executions: missing,
		Reason: fmt.Sprintf("%d of %d trials of %s; %s would already decide, from little evidence", len(r.Record.Evidence.Child),
			len(r.Record.Evidence.Child)+missing, r.Mutation.Child, r.Record.Policy),
	}
	for _, key := range r.freeKeys(missing) {
		s.Trials = append(s.Trials, answer.PlannedTrial{Side: "child", Version: r.Mutation.Child, Key: key})
	}
	return s
}

func mutate(c *evolution.Consideration) answer.Next {
	return answer.Next{
		Action: answer.ActionMutate, Operator: c.Choice.Operator.Name, Risk: c.Choice.Operator.Risk, Considered: c,
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
func nextConsideration(ctx context.Context, r *store.Reader, l Lineage, where standing, now time.Time) (s answer.Next, records bool, err error) {
	c, err := consider(ctx, r, l, where, now)
	if err != nil {
		return s, false, err
	}
	if limited := onlyHighRisk(l, c.State, now); limited != nil {
		return *limited, false, nil
	}
	if !c.Permission.DrawUsed {
		return held(l, c), false, nil
	}
	if !c.Permission.Mutate {
		return answer.Next{Action: answer.ActionWait, Hold: c.Permission.Hold, Executions: l.Settings.Loop.Interval, Reason: c.Permission.Reason, Considered: &c}, true, nil
	}
	return mutate(&c), true, nil
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
func onlyHighRisk(l Lineage, state evolution.LoopState, now time.Time) *answer.Next {
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
	s := &answer.Next{Action: answer.ActionWait, Hold: evolution.HoldDay, Reason: fmt.Sprintf("%d of %d mutations of high risk in 24 hours, and no operator of less", n, l.Settings.Loop.MaxHighPerDay)}
	if !first.IsZero() {
		s.Until = first.Add(24 * time.Hour)
	}
	return s
}

// held returns what to do if something speaks against a mutation.
func held(l Lineage, c evolution.Consideration) answer.Next {
	p, loop := c.Permission, l.Settings.Loop
	s := answer.Next{Action: answer.ActionWait, Hold: p.Hold, Reason: p.Reason, Until: p.Until}
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
