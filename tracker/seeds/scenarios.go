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
		state, err := scenarioState(ctx, r, name, q.Configurations)
		if err != nil {
			return a, err
		}
		a.Items = append(a.Items, state)
	}
	return a, nil
}

func scenarioState(ctx context.Context, r *store.Reader, name string, configurations int) (answer.ScenarioState, error) {
	s := answer.ScenarioState{Scenario: name, Means: []float64{}, MeanLines: []int{}}
	h, err := ShowHistory(ctx, r, answer.HistoryQuestion{Scenario: name, Limit: configurations})
	switch {
	case errors.Is(err, track.ErrNotFound), errors.Is(err, track.ErrInvalid):
		s.Reason = err.Error()
		_, s.NConfigurations, err = r.Configurations(ctx, name, 1)
		if errors.Is(err, track.ErrNotFound) { // a spec without seeds
			err = nil
		}
		return s, err
	case err != nil:
		return s, err
	}
	s.Spec, s.NOlder, s.NConfigurations = &h.Spec, h.NOlder, h.NOlder+len(h.Entries)
	lines, known := h.Lines(), map[string]int{}
	for i, e := range h.Entries {
		if mean, _ := e.Mean(); mean.N > 0 {
			if _, is := known[lines[i]]; !is {
				known[lines[i]] = len(known)
			}
			s.Means, s.MeanLines = append(s.Means, mean.Value), append(s.MeanLines, known[lines[i]])
		}
	}
	if len(h.Entries) > 0 {
		newest := h.Entries[len(h.Entries)-1]
		s.Configuration, s.FirstRecorded, s.Verdict, s.Estimates = newest.Configuration, newest.FirstRecorded, newest.Verdict, newest.Estimates
		s.Change = newest.Change
		if newest.Estimates == nil {
			s.Reason = "some seeds were never judged under the newest spec"
			return s, nil
		}
		s.Reason, err = meantBy(ctx, r, name, newest.Configuration)
	}
	return s, err
}

// meantBy says that the name of a scenario alone does not mean its newest configuration; empty if it does.
func meantBy(ctx context.Context, r *store.Reader, scenario string, newest track.RecordedConfiguration) (string, error) {
	candidates, found, err := candidatesOf(ctx, r, answer.Selector{Scenario: scenario}, false)
	if err != nil {
		return "", err
	}
	if isAmbiguous(candidates, found) {
		return "the newest configuration; " + scenario + " alone is ambiguous", nil
	}
	meant, err := listed(ctx, r, candidates, 1)
	if err != nil || len(meant) == 0 || meant[0].Hash == newest.Hash {
		return "", err
	}
	return "the newest configuration; " + scenario + " alone means " + scenario + "@" + track.ShortHash(meant[0].Hash), nil
}
