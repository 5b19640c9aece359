package lineages

import (
	"context"

	"track"
	"track/answer"
	"track/store"
)

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
