package lineages

import (
	"context"
	"encoding/json"
	"fmt"

	"track/answer"
	"track/evolution"
	"track/store"
)

func DecideMutation(ctx context.Context, st *store.Store, q answer.DecideQuestion) (a answer.Decision, err error) {
	lineage, err := resolveMutation(ctx, st.Reader, q.Lineage, q.Mutation)
	if err != nil {
		return a, err
	}
	d, err := Decide(ctx, st, lineage, q.Mutation, DecideOptions{Policy: q.Policy, ExpectHead: q.ExpectHead, IfOpen: q.IfOpen, Scale: q.Scale, PCGState: q.PCGState, DryRun: q.DryRun, At: q.At})
	if err != nil {
		return a, err
	}
	a = decisionAnswer(d)
	a.DryRun = q.DryRun
	return a, nil
}

func PlanDecision(ctx context.Context, r *store.Reader, q answer.PlanQuestion) (a answer.Plan, err error) {
	if a.Lineage, err = resolveMutation(ctx, r, q.Lineage, q.Mutation); err != nil {
		return a, err
	}
	l, err := Load(ctx, r, a.Lineage)
	if err != nil {
		return a, err
	}
	d, err := decide(ctx, r, l, q.Mutation, DecideOptions{Policy: q.Policy})
	if err != nil {
		return a, err
	}
	a.Mutation, a.Decision = q.Mutation, decisionAnswer(d)
	a.Decision.DryRun = true
	a.State, a.Need = a.Decision.State, a.Decision.Need
	return a, nil
}

// decisionAnswer returns a decision as an answer.
func decisionAnswer(r DecideResult) answer.Decision {
	d := r.Record.Decision
	a := answer.Decision{
		ID: r.Entry.ID(), Number: r.Number, Lineage: r.Entry.Lineage, Mutation: r.Record.Mutation, Child: r.Mutation.Child, Parent: r.Parent,
		Operator: r.Mutation.Operator, Attempt: r.Record.Attempt, Repeated: r.Repeated, DryRun: r.DryRun, State: d.State, Accepted: d.Accepted, Label: d.Label,
		Policy: r.Record.Policy, PolicyParams: json.RawMessage(r.Record.Params), Overridden: r.Record.Override, Score: r.Record.Score, Scale: r.Record.Evidence.Scale, OldScore: d.OldScore, NewScore: d.NewScore,
		Delta: d.Delta, CI: d.Interval, PImprove: d.PImprove, Fitness: d.Fitness, Rule: d.Rule, NChild: d.NChild, NParent: d.NParent, NPairs: d.NPairs,
		Measured: d.Measured, Failures: r.Record.Evidence.Failures, FailedChild: d.FailedChild, FailedParent: d.FailedParent, UsedChild: d.UsedChild, UsedParent: d.UsedParent,
		Draw: drawAnswer(r.Record.Draw, &d.P, d.DrawUsed), HeadBefore: r.HeadBefore, HeadAfter: r.HeadAfter, HeadNow: r.Now, Noise: d.Noise,
		Warnings: r.Warnings, DecidedAt: r.At, Hash: r.Hash,
	}
	if need := d.Need; need != nil {
		a.Need = &answer.MissingEvidence{
			N: need.Child + need.Parent, Child: need.Child, Parent: need.Parent, Pairs: need.Pairs, Measure: need.Measure, Trials: r.planned(),
		}
	}
	return a
}

func drawAnswer(d evolution.Draw, p *float64, used bool) answer.Draw {
	return answer.Draw{
		Algorithm: d.Algorithm, Seed: fmt.Sprint(d.Seed), Key: answer.DrawKey{Lineage: d.Lineage, Mutation: d.Mutation, Attempt: d.Attempt, Label: d.Label},
		Raw: d.Raw, U: d.U, P: p, Used: used, StateBefore: d.StateBefore, StateAfter: d.StateAfter,
	}
}
