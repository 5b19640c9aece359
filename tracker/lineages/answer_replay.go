package lineages

import (
	"context"

	"track/answer"
	"track/store"
)

func ReplayLineages(ctx context.Context, r *store.Reader, q answer.ReplayQuestion) (a answer.Replays, err error) {
	if q.Decision != "" {
		return replayOneDecision(ctx, r, q)
	}
	name := q.Lineage
	if name == "" {
		name = q.Kept.Lineage
	}
	names := []string{name}
	if name == "" {
		if names, err = r.EvolvingNames(ctx); err != nil {
			return a, err
		}
		if len(names) == 0 {
			_, err := Resolve(ctx, r, "")
			return a, err
		}
	}
	for _, name := range names {
		replayed, err := replayLineage(ctx, r, name, q)
		if err != nil {
			return a, err
		}
		a.Items = append(a.Items, replayed)
	}
	return a, nil
}

func replayLineage(ctx context.Context, r *store.Reader, name string, q answer.ReplayQuestion) (a answer.Replay, err error) {
	report, err := Replay(ctx, r, name, ReplayOptions{Strict: q.Strict, Counterfactual: q.Counterfactual})
	if err != nil {
		return a, err
	}
	if q.Kept != (answer.KeptEnd{}) {
		truncated, err := checkEnd(ctx, r, name, q.Kept.End)
		if err != nil {
			return a, err
		}
		if truncated != nil {
			report.Differences = append(report.Differences, *truncated)
		}
	}
	a = replayAnswer(report, q.Strict)
	if q.Counterfactual != nil {
		a.Policy, a.Counterfactual = q.Counterfactual.Name(), alternativeAnswers(report.Alternatives)
	}
	return a, nil
}

// replayAnswer returns the replay of a lineage as an answer.
func replayAnswer(r ReplayReport, strict bool) answer.Replay {
	a := answer.Replay{
		Lineage: r.Lineage, OK: len(r.Differences) == 0, Entries: r.Entries, Decisions: r.Decisions, Verified: r.Verified, Head: r.Head, Scale: r.Settings.Scale, End: r.End,
		Differences: r.Differences, TrialsElsewhere: r.Elsewhere,
	}
	if strict {
		a.StrictTrials = &r.NStrict
	}
	return a
}

func alternativeAnswers(alternatives []Alternative) []answer.Alternative {
	list := make([]answer.Alternative, len(alternatives))
	for i, a := range alternatives {
		list[i] = answer.Alternative{
			Number: a.Entry.Number, Decision: a.Entry.ID(), Mutation: a.Record.Mutation, Attempt: a.Record.Attempt, Was: a.Record.Decision.State, Would: a.Decision.State,
			Label: a.Decision.Label, Delta: a.Decision.Delta, Same: a.Same, Need: a.Decision.Need, Noise: a.Decision.Noise, P: a.Decision.P,
		}
		if a.Err != nil {
			list[i].Problem = a.Err.Error()
		}
	}
	return list
}

// replayOneDecision returns one decision with the replay of its ledger.
func replayOneDecision(ctx context.Context, r *store.Reader, q answer.ReplayQuestion) (a answer.Replays, err error) {
	lineage, err := Resolve(ctx, r, q.Lineage)
	if err != nil {
		return a, err
	}
	d, err := replayDecision(ctx, r, lineage, q.Decision, q.Strict)
	if err != nil {
		return a, err
	}
	a.Items = []answer.Replay{replayAnswer(d.Replay, q.Strict)}
	a.Decision = &answer.DecisionReplay{Asked: q.Decision + " of lineage " + lineage, Own: d.Own}
	if d.Number > 0 {
		decision := decisionAnswer(d.DecideResult)
		a.Decision.Decision, a.Decision.Evidence = &decision, &d.Record.Evidence
	}
	if d.Problem != nil {
		a.Decision.Problem = d.Problem.Error()
	}
	return a, nil
}
