package agents

import (
	"context"

	"track/answer"
	"track/scoring"
	"track/scoring/rubric"
	"track/store"
)

// ListRubrics returns all rubrics. It needs no database.
func ListRubrics(context.Context, *store.Reader, answer.RubricsQuestion) (a answer.Rubrics, err error) {
	a.Default = rubric.Default
	for _, name := range rubric.Names() {
		r, err := rubric.ByName(name)
		if err != nil {
			return a, err
		}
		a.Items = append(a.Items, r)
	}
	return a, nil
}

// CheckRubric compares the scores of a lineage's executions with a ground-truth label.
func CheckRubric(ctx context.Context, r *store.Reader, q answer.RubricCheckQuestion) (a answer.RubricCheck, err error) {
	by, err := rubric.ByName(q.Rubric)
	if err != nil {
		return a, err
	}
	recorded, err := r.Trials(ctx, q.Lineage, store.TrialFilter{Truth: q.Truth, Rubric: by.Name, Components: true})
	if err != nil {
		return a, err
	}
	trials, unscored := scoredTrials(recorded, q.Success)
	a = answer.RubricCheck{Lineage: q.Lineage, Truth: q.Truth, SuccessFrom: q.Success, Rubric: by.Name, NUnscored: unscored}
	a.Check, err = rubric.CheckTruth(by, trials, scoring.DefaultConfidence)
	return a, err
}

func scoredTrials(recorded []store.Trial, success float64) (trials []rubric.Trial, unscored int) {
	for _, t := range recorded {
		if t.Score == nil {
			unscored++
			continue
		}
		trial := rubric.Trial{Task: t.Task, Version: t.Version, Success: *t.Truth >= success, Score: *t.Score, Components: map[string]*float64{}}
		for _, c := range t.Components {
			trial.Components[c.Name] = c.Value
		}
		trials = append(trials, trial)
	}
	return trials, unscored
}
