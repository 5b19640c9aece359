package lineages

import (
	"cmp"
	"context"
	"slices"

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

func drawsOf(e evolution.Entry) ([]answer.LedgerDraw, error) {
	if e.Kind == evolution.KindDecision {
		var r evolution.Record
		err := e.Decode(&r)
		return []answer.LedgerDraw{{Number: e.Number, Draw: drawAnswer(r.Draw, &r.Decision.P, r.Decision.DrawUsed), Outcome: string(r.Decision.State), At: e.At}}, err
	}
	var c evolution.Consideration
	if err := e.Decode(&c); err != nil {
		return nil, err
	}
	outcome := "wait"
	if c.Permission.Mutate {
		outcome = "mutate"
	}
	list := []answer.LedgerDraw{{Number: e.Number, Draw: drawAnswer(c.Draw, nil, c.Permission.DrawUsed), Outcome: outcome, At: e.At}}
	if c.Operator != nil && c.Choice != nil {
		list = append(list, answer.LedgerDraw{Number: e.Number, Draw: drawAnswer(*c.Operator, nil, c.Choice.DrawUsed), Outcome: c.Choice.Operator.Name, At: e.At})
	}
	return list, nil
}

// ListDraws lists every draw of a lineage, in the order in which they were made.
func ListDraws(ctx context.Context, r *store.Reader, q answer.OptionalLineageQuestion) (a answer.Draws, err error) {
	if a.Lineage, err = Resolve(ctx, r, q.Lineage); err != nil {
		return a, err
	}
	l, err := r.Evolving(ctx, a.Lineage)
	if err != nil {
		return a, err
	}
	entries, err := r.Entries(ctx, l, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindConsideration, evolution.KindDecision}})
	for _, e := range entries {
		drawn, err := drawsOf(e)
		if err != nil {
			return a, err
		}
		a.Items = append(a.Items, drawn...)
	}
	return a, err
}

// ShowOperators shows how the operators of a lineage did: those of its settings in their order, then others by name.
func ShowOperators(ctx context.Context, r *store.Reader, q answer.OperatorsQuestion) (a answer.Operators, err error) {
	l, err := loadOnly(ctx, r, q.Lineage)
	if err != nil {
		return a, err
	}
	outcomes, err := r.MutationOutcomes(ctx, l.Evolving)
	if err != nil {
		return a, err
	}
	var heads headHistory
	if _, found := l.newest[evolution.KindRollback]; found { // without one, nothing was rolled back
		if heads, err = r.HeadChanges(ctx, l.Evolving); err != nil {
			return a, err
		}
	}
	list, err := operatorReports(l, outcomes, heads)
	if err != nil {
		return a, err
	}
	a.Lineage, a.Operators, a.Scale = l.Name, operatorAnswers(list), l.Settings.Scale
	if q.Suggest {
		a.Suggestion, err = suggestOperator(ctx, r, l)
	}
	return a, err
}

// suggestOperator returns the operator that the next consideration would draw, whatever the loop rules say. It records
// nothing; the consideration makes the same draw.
func suggestOperator(ctx context.Context, r *store.Reader, l Lineage) (*answer.SuggestedOperator, error) {
	pending, err := pendingChoice(l)
	if err != nil {
		return nil, err
	}
	suggested := func(c evolution.OperatorChoice, draw evolution.Draw) *answer.SuggestedOperator {
		return &answer.SuggestedOperator{
			Operator: c.Operator.Name, Risk: c.Operator.Risk, Reason: c.Reason, Pending: pending != nil, Weights: c.Weights, Draw: drawAnswer(draw, nil, c.DrawUsed),
		}
	}
	if pending != nil {
		return suggested(*pending.Choice, *pending.Operator), nil
	}
	where, err := loadStanding(ctx, r, l)
	if err != nil {
		return nil, err
	}
	c, err := loopState(ctx, r, l, where, r.Now())
	if err != nil {
		return nil, err
	}
	draw := evolution.NewDraw(evolution.DrawKey{Seed: uint64(l.Seed), Lineage: l.Name, Mutation: evolution.ConsiderationKey(c.Number), Label: evolution.LabelOperator})
	choice, err := evolution.ChooseOperator(l.Settings.OperatorChoice, l.Settings.Operators, c.Signals, c.Histories, draw)
	return suggested(choice, draw), err
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
