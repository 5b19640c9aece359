package seeds

import (
	"context"
	"errors"
	"slices"

	"track"
	"track/answer"
	"track/store"
)

// ListScenarios says of each scenario how its newest configuration stands.
func ListScenarios(ctx context.Context, r *store.Reader, q answer.ScenariosQuestion) (a answer.Scenarios, err error) {
	names, err := r.Scenarios(ctx)
	if err != nil {
		return a, err
	}
	if q.Page.After != "" {
		i := slices.Index(names, q.Page.After)
		if i < 0 {
			return a, q.Page.UnknownCursor()
		}
		names = names[i+1:]
	}
	a.Items = []answer.ScenarioState{}
	limit := q.Page.PageLimit()
	for i, name := range names {
		if i == limit {
			a.Next = names[i-1]
			break
		}
		state, err := scenarioState(ctx, r, name)
		if err != nil {
			return a, err
		}
		a.Items = append(a.Items, state)
	}
	return a, nil
}

func scenarioState(ctx context.Context, r *store.Reader, name string) (answer.ScenarioState, error) {
	const configurations = 20
	s := answer.ScenarioState{Scenario: name, Means: []float64{}}
	h, err := ShowHistory(ctx, r, answer.HistoryQuestion{Scenario: name, Limit: configurations})
	switch {
	case errors.Is(err, track.ErrNotFound), errors.Is(err, track.ErrInvalid):
		s.Reason = err.Error()
		return s, nil
	case err != nil:
		return s, err
	}
	s.Spec, s.NOlder = &h.Spec, h.NOlder
	for _, e := range h.Entries {
		if mean, _ := e.Mean(); mean.N > 0 {
			s.Means = append(s.Means, mean.Value)
		}
	}
	if len(h.Entries) > 0 {
		newest := h.Entries[len(h.Entries)-1]
		s.Configuration, s.FirstRecorded, s.Verdict, s.Estimates = newest.Configuration, newest.FirstRecorded, newest.Verdict, newest.Estimates
		s.Change = newest.Change
		if newest.Estimates == nil {
			s.Reason = "some seeds were never judged under the newest spec"
		}
	}
	return s, nil
}
