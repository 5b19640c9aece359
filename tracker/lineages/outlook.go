package lineages

import (
	"context"

	"track/evolution"
	"track/store"
)

// Outlook says what a loop needs to know before it has a child of the active version proposed.
type Outlook struct {
	Policy        string
	Scale         *evolution.Scale
	Missing       int      // trials of the active version that are still to be scored before that
	Child, Parent int      // trials of each side that a decision can take at most if none fails
	Score         *float64 // fitness of the active version; nil if it has fewer trials than a child needs
	NAccepted     int      // mutations
}

// LookAhead returns the outlook of a lineage. That its policy cannot decide on its scores is an error.
func LookAhead(ctx context.Context, r *store.Reader, lineage string) (o Outlook, err error) {
	l, err := Load(ctx, r, lineage)
	if err != nil {
		return o, err
	}
	policy, _, err := choosePolicy(l, nil)
	if err != nil {
		return o, err
	}
	trials, err := loadTrials(ctx, r, l, l.Head)
	if err != nil {
		return o, err
	}
	head, err := trials.of(l.Head)
	if err != nil {
		return o, err
	}
	measured := 0
	if m := l.Settings.Measurement(); m != nil {
		measured = len(m.Tasks)
	}
	plan, err := evolution.PlanDecision(policy, newEvidence(l, store.Mutation{}, [2]VersionTrials{1: head}, l.Settings.Scale), len(l.Settings.Deciding()), measured)
	if err != nil {
		return o, explainEvidence(l, err)
	}
	scored := len(lastScores(head.Trials, l.Settings.Loop.Interval))
	missing := max(plan.ParentFirst, l.Settings.Loop.Interval-scored)
	o = Outlook{Policy: l.Settings.Policy, Scale: l.Settings.Scale, Missing: missing, Child: max(plan.Child, l.Settings.Loop.Interval), Parent: plan.Parent}
	if missing == 0 {
		gain, err := fitnessValue(l, head)
		if err != nil {
			return o, err
		}
		o.Score = applied(l.Settings.Scale.Score, gain)
	}
	counts, err := r.CountOutcomes(ctx, l.Evolving)
	o.NAccepted = counts[evolution.MutationAccepted]
	return o, err
}
