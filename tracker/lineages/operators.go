package lineages

import (
	"cmp"
	"context"
	"slices"

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
