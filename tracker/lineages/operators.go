package lineages

import (
	"cmp"
	"context"
	"slices"
	"time"

	"track"
	"track/answer"
	"track/evolution"
	"track/scoring/stats"
	"track/store"
)

// OperatorReport is how an operator did in its lineage.
type OperatorReport struct {
	Operator   evolution.Operator
	Listed     bool // in the active settings
	Proposed   int  // the sum of the five below
	Refused    int
	Open       int // still to be decided
	Accepted   int
	Rejected   int
	Withdrawn  int
	AcceptRate *stats.Proportion // of those accepted or rejected; nil for none
	Delta      *stats.Mean       // of the last decisions, with its interval; nil for none
	CostUSD    float64           // of the mutations whose cost is known
	NCost      int
	Gain       float64 // points: sum of the deltas of accepted mutations
	RolledBack int     // accepted, and left by a rollback later
	Weight     float64 // in the draw of an operator; 0 if it is not listed
}

// costPerPoint returns the cost of an accepted point of score; nil if no cost is recorded, or nothing was gained.
func (r OperatorReport) costPerPoint() *float64 {
	if r.NCost == 0 || r.Gain <= 0 {
		return nil
	}
	cost := r.CostUSD / r.Gain
	return &cost
}

// loadOperators returns how the operators of a lineage did: those of its settings in their order, then others by name.
func loadOperators(ctx context.Context, r *store.Reader, lineage string) (list []OperatorReport, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		l, err := Load(ctx, r, lineage)
		if err != nil {
			return err
		}
		outcomes, err := r.MutationOutcomes(ctx, l.Evolving)
		if err != nil {
			return err
		}
		var heads headHistory
		if _, found := l.newest[evolution.KindRollback]; found { // without one, nothing was rolled back
			if heads, err = r.HeadChanges(ctx, l.Evolving); err != nil {
				return err
			}
		}
		list, err = operatorReports(l, outcomes, heads)
		return err
	})
	return list, err
}

// outcomesOf returns the outcomes of mutations.
func outcomesOf(mutations []store.Mutation) []store.MutationOutcome {
	list := make([]store.MutationOutcome, len(mutations))
	for i, m := range mutations {
		list[i] = store.MutationOutcome{Key: m.Key, Operator: m.Operator, Risk: m.Risk, State: m.State, Delta: m.Delta, CostUSD: m.CostUSD}
	}
	return list
}

// operatorReports sums up the mutations of a lineage by operator.
func operatorReports(l Lineage, mutations []store.MutationOutcome, heads headHistory) ([]OperatorReport, error) {
	left, histories := heads.rolledBack(), evolution.Histories{}
	var list []OperatorReport
	for _, o := range l.Settings.Operators {
		list = append(list, OperatorReport{Operator: o, Listed: true})
	}
	listed, deltas := len(list), map[string][]float64{}
	for _, m := range mutations {
		i := slices.IndexFunc(list, func(r OperatorReport) bool { return r.Operator.Name == m.Operator })
		if i < 0 {
			i, list = len(list), append(list, OperatorReport{Operator: evolution.Operator{Name: m.Operator, Risk: m.Risk}})
		}
		list[i].add(m, left[m.Key])
		if m.Delta != nil && !m.State.Open() {
			deltas[m.Operator] = append(deltas[m.Operator], *m.Delta)
		}
		if m.State == evolution.MutationAccepted || m.State == evolution.MutationRejected {
			histories.Add(m.Operator, m.Delta, m.State == evolution.MutationAccepted)
		}
	}
	for i, w := range l.Settings.OperatorChoice.Weights(l.Settings.Operators, histories) {
		list[i].Weight = w
	}
	slices.SortFunc(list[listed:], func(a, b OperatorReport) int { return cmp.Compare(a.Operator.Name, b.Operator.Name) })
	for i := range list {
		name := list[i].Operator.Name
		if err := list[i].estimate(deltas[name]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// estimate computes what can be estimated.
func (r *OperatorReport) estimate(deltas []float64) error {
	if decided := r.Accepted + r.Rejected; decided > 0 {
		rate, err := stats.Wilson(r.Accepted, decided, evolution.Confidence)
		if err != nil {
			return err
		}
		r.AcceptRate = &rate
	}
	if len(deltas) == 0 {
		return nil
	}
	delta, err := stats.NewMean(deltas, evolution.Confidence)
	r.Delta = &delta
	return err
}

func (r *OperatorReport) add(m store.MutationOutcome, rolledBack bool) {
	if m.CostUSD != nil {
		r.CostUSD, r.NCost = r.CostUSD+*m.CostUSD, r.NCost+1
	}
	r.Proposed++
	switch {
	case m.State == evolution.MutationRefused:
		r.Refused++
	case m.State.Open():
		r.Open++
	case m.State == evolution.MutationWithdrawn:
		r.Withdrawn++
	case m.State == evolution.MutationRejected:
		r.Rejected++
	case m.State == evolution.MutationAccepted:
		r.Accepted++
		if m.Delta != nil {
			r.Gain += *m.Delta
		}
	}
	if rolledBack {
		r.RolledBack++
	}
}

// rolledBack returns the mutations that rollbacks left: those that had led from the version gone back to, to the one
// active then.
func (h headHistory) rolledBack() map[string]bool {
	left := map[string]bool{}
	type step struct{ version, mutation string }
	var path []step
	for _, e := range h {
		if e.Kind != evolution.KindRollback {
			path = append(path, step{e.After, e.Mutation})
			continue
		}
		for len(path) > 0 && path[len(path)-1].version != e.After {
			if m := path[len(path)-1].mutation; m != "" {
				left[m] = true
			}
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			path = append(path, step{e.After, ""})
		}
	}
	return left
}

// suggestion is the operator that would be drawn if a mutation were considered now, whatever the loop rules say.
type suggestion struct {
	evolution.OperatorChoice
	Draw    evolution.Draw
	Pending bool // it was drawn already, and nothing was proposed since
}

// suggestOperator returns the operator that the next consideration would draw. It records nothing; the consideration
// makes the same draw.
func suggestOperator(ctx context.Context, r *store.Reader, lineage string) (s suggestion, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		l, err := Load(ctx, r, lineage)
		if err != nil {
			return err
		}
		pending, err := pendingChoice(l)
		if err != nil {
			return err
		}
		if pending != nil {
			s = suggestion{*pending.Choice, *pending.Operator, true}
			return nil
		}
		where, err := loadStanding(ctx, r, l)
		if err != nil {
			return err
		}
		c, err := loopState(ctx, r, l, where, r.Now())
		if err != nil {
			return err
		}
		s.Draw = evolution.NewDraw(evolution.DrawKey{Seed: uint64(l.Seed), Lineage: l.Name, Mutation: evolution.ConsiderationKey(c.Number), Label: evolution.LabelOperator})
		s.OperatorChoice, err = evolution.ChooseOperator(l.Settings.OperatorChoice, l.Settings.Operators, c.Signals, c.Histories, s.Draw)
		return err
	})
	return s, err
}

// recordedDraw is a draw with what came of it.
type recordedDraw struct {
	Number  int // of the entry in the ledger
	At      time.Time
	Draw    evolution.Draw
	P       *float64 // probability that it decided against; nil for a choice among several
	Used    bool     // another number would have led elsewhere
	Outcome string
}

// listDraws lists every draw of a lineage, in the order in which they were made.
func listDraws(ctx context.Context, r *store.Reader, lineage string) ([]recordedDraw, error) {
	l, err := r.Evolving(ctx, lineage)
	if err != nil {
		return nil, err
	}
	entries, err := r.Entries(ctx, l, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindConsideration, evolution.KindDecision}})
	if err != nil {
		return nil, err
	}
	var list []recordedDraw
	for _, e := range entries {
		drawn, err := drawsOf(e)
		if err != nil {
			return nil, err
		}
		list = append(list, drawn...)
	}
	return list, nil
}

func drawsOf(e evolution.Entry) ([]recordedDraw, error) {
	if e.Kind == evolution.KindDecision {
		var r evolution.Record
		err := e.Decode(&r)
		return []recordedDraw{{e.Number, e.At, r.Draw, &r.Decision.P, r.Decision.DrawUsed, string(r.Decision.State)}}, err
	}
	var c evolution.Consideration
	if err := e.Decode(&c); err != nil {
		return nil, err
	}
	outcome := "wait"
	if c.Permission.Mutate {
		outcome = "mutate"
	}
	list := []recordedDraw{{e.Number, e.At, c.Draw, nil, c.Permission.DrawUsed, outcome}}
	if c.Operator != nil && c.Choice != nil {
		list = append(list, recordedDraw{e.Number, e.At, *c.Operator, nil, c.Choice.DrawUsed, c.Choice.Operator.Name})
	}
	return list, nil
}

// ListDraws answers which draws a lineage made.
func ListDraws(ctx context.Context, r *store.Reader, q answer.OptionalLineageQuestion) (a answer.Draws, err error) {
	if a.Lineage, err = Resolve(ctx, r, q.Lineage); err != nil {
		return a, err
	}
	list, err := listDraws(ctx, r, a.Lineage)
	for _, d := range list {
		a.Items = append(a.Items, answer.LedgerDraw{Number: d.Number, Draw: drawAnswer(d.Draw, d.P, d.Used), Outcome: d.Outcome, At: d.At})
	}
	return a, err
}

func ShowOperators(ctx context.Context, r *store.Reader, q answer.OperatorsQuestion) (a answer.Operators, err error) {
	if a.Lineage, err = Resolve(ctx, r, q.Lineage); err != nil {
		return a, err
	}
	list, err := loadOperators(ctx, r, a.Lineage)
	if err != nil {
		return a, err
	}
	l, err := Load(ctx, r, a.Lineage)
	if err != nil {
		return a, err
	}
	a.Operators, a.Scale = operatorAnswers(list), l.Settings.Scale
	if !q.Suggest {
		return a, nil
	}
	s, err := suggestOperator(ctx, r, a.Lineage)
	a.Suggestion = &answer.SuggestedOperator{
		Operator: s.Operator.Name, Risk: s.Operator.Risk, Reason: s.Reason, Pending: s.Pending, Weights: s.Weights, Draw: drawAnswer(s.Draw, nil, s.DrawUsed),
	}
	return a, err
}

// operatorAnswers returns operators as answers.
func operatorAnswers(list []OperatorReport) []answer.Operator {
	items := make([]answer.Operator, len(list))
	for i, r := range list {
		items[i] = answer.Operator{
			Operator: r.Operator.Name, Risk: r.Operator.Risk, Listed: r.Listed, Proposed: r.Proposed, Refused: r.Refused, Open: r.Open, Accepted: r.Accepted,
			Rejected: r.Rejected, Withdrawn: r.Withdrawn, NCost: r.NCost, Gain: r.Gain, CostPerPoint: r.costPerPoint(), RolledBack: r.RolledBack, Weight: r.Weight,
		}
		if p := r.AcceptRate; p != nil {
			items[i].AcceptRate = answer.NewEstimate(p.Value, p.N, p.Interval)
		}
		if m := r.Delta; m != nil {
			items[i].Delta = answer.NewEstimate(m.Mean, m.N, m.Interval)
		}
		if r.NCost > 0 {
			items[i].CostUSD = &r.CostUSD
		}
	}
	return items
}

func NextAction(ctx context.Context, st *store.Store, q answer.NextQuestion) (a answer.Next, err error) {
	lineage, err := Resolve(ctx, st.Reader, q.Lineage)
	if err != nil {
		return a, err
	}
	s, err := Next(ctx, st, lineage, q.DryRun, q.At)
	if err != nil {
		return a, err
	}
	return nextAnswer(lineage, s), nil
}

func nextAnswer(lineage string, s NextStep) answer.Next {
	a := answer.Next{
		Lineage: lineage, Action: s.Action, Reason: s.Reason, Hold: s.Hold, Head: s.Head, Executions: s.Executions, Until: s.Until, Mutation: s.Mutation,
		Operator: s.Operator.Name, Risk: s.Operator.Risk, Trials: s.Trials, Rollback: s.Rollback, Considered: s.Considered,
	}
	if c := s.Considered; c != nil {
		a.Draws = append(a.Draws, drawAnswer(c.Draw, nil, c.Permission.DrawUsed))
		if c.Operator != nil {
			a.Draws = append(a.Draws, drawAnswer(*c.Operator, nil, c.Choice.DrawUsed))
		}
	}
	if s.Action == answer.ActionWait || s.Action == answer.ActionMutate {
		a.Version = s.Head
	}
	if len(s.Trials) > 0 {
		a.Version, a.Task = s.Trials[0].Version, s.Trials[0].Key
	}
	a.Step = nextHint(lineage, s)
	return a
}

// nextHint returns the command to go on with; nil for none.
func nextHint(lineage string, s NextStep) *track.Hint {
	var h track.Hint
	switch s.Action {
	case answer.ActionDecide:
		h = track.NewHint("decide it", "mutation decide", s.Mutation).With("lineage", lineage)
	case answer.ActionRun:
		h = track.NewHint("list the trials", "mutation plan", s.Mutation).With("lineage", lineage)
	case answer.ActionMutate:
		h = track.NewHint("propose a child", "mutation propose").With("lineage", lineage).With("parent", s.Head).With("operator", s.Operator.Name).With("child", "FILE")
	case answer.ActionRollback:
		h = track.NewHint("go back", "rollback", lineage).With("if-triggered", "")
	case answer.ActionStop:
		if s.Head != "" {
			return nil
		}
		h = track.NewHint("make a version active", "rollback", lineage).With("to", "VERSION")
	default:
		return nil
	}
	return &h
}
