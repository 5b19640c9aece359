package agents

import (
	"context"
	"errors"
	"fmt"
	"math"

	"track"
	"track/answer"
	"track/scoring/rubric"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/store"
)

// ShowLineageHistory aggregates the newest versions of a lineage: their scores, or a component of them.
func ShowLineageHistory(ctx context.Context, r *store.Reader, q answer.LineageHistoryQuestion) (a answer.LineageHistory, err error) {
	if err := checkComponent(q.Component); err != nil {
		return a, err
	}
	versions, err := r.Versions(ctx, q.Lineage)
	if err != nil {
		return a, err
	}
	d := deciding{rubric: q.Rubric, times: 1, asked: true}
	if q.Component == "" { // scores of other kinds have no components
		if d, err = loadDeciding(ctx, r, q.Lineage, q.Rubric); err != nil {
			return a, err
		}
	}
	a = answer.LineageHistory{Lineage: q.Lineage, Rubric: q.Rubric, ScoreBasis: d.basis(), Component: q.Component, NOlder: max(0, len(versions)-q.Limit)}
	points := []verdict.HistoryPoint{}
	o := verdict.HistoryOptions{Next: q.Next}
	var previous verdict.HistoryPoint
	for _, v := range versions[a.NOlder:] {
		entry, err := lineageHistoryEntry(ctx, r, v, d, q.Component)
		if err != nil {
			return a, err
		}
		point := verdict.HistoryPoint{N: entry.Mean.N, Mean: entry.Mean.Value, SD: entry.SD.Value, Accepted: true}
		if entry.Change = verdict.ChangeBetween(previous, point, o); point.N > 0 {
			previous = point
		}
		a.Entries, points = append(a.Entries, entry), append(points, point)
	}
	a.Analysis = verdict.AnalyseHistory(points, o)
	return a, nil
}

// checkComponent returns an error if no rubric has the component.
func checkComponent(name string) error {
	if name == "" {
		return nil
	}
	r, err := rubric.ByName(rubric.Default)
	if err != nil {
		return err
	}
	var names []string
	for _, part := range r.Parts {
		if part.Name == name {
			return nil
		}
		names = append(names, part.Name)
	}
	return track.WithHint(fmt.Errorf("component %s: %w", name, track.ErrNotFound), track.Hint{Text: fmt.Sprintf("the components are: %v", names)})
}

func lineageHistoryEntry(ctx context.Context, r *store.Reader, v store.VersionSummary, d deciding, component string) (e answer.LineageHistoryEntry, err error) {
	trials, nHoldout, err := d.trials(ctx, r, v.Lineage, v.Version)
	if err != nil {
		return e, err
	}
	e = answer.LineageHistoryEntry{Version: v.Version, First: v.First, Last: v.Last, NExecutions: v.NExecutions, NFailed: v.NFailed, NHoldout: nHoldout}
	if e.Mean, e.SD, e.Warnings, err = estimateScores(scoresOf(trials, component)); err != nil {
		return e, err
	}
	byTask, err := r.IsRun(ctx, v.Lineage)
	if err != nil {
		return e, err
	}
	report, err := fitnessOf(v.Lineage, v.Version, trials, d.rubric, rubric.FitnessOptions{ByTask: byTask})
	if err == nil {
		err = dropGrade(ctx, r, &report)
	}
	switch {
	case errors.Is(err, rubric.ErrNoScores):
		return e, nil
	case err == nil:
		e.Fitness, e.Grade, e.EffectiveN = &report.Value, report.Grade, &report.EffectiveN
	}
	return e, err
}

// scoresOf returns the scores of executions that have one, or the values of a component.
func scoresOf(trials []store.Trial, component string) (scores []float64) {
	for _, t := range trials {
		if x := t.Score; component == "" && x != nil {
			scores = append(scores, *x)
		}
		for _, c := range t.Components {
			if c.Name == component && c.Value != nil {
				scores = append(scores, *c.Value)
			}
		}
	}
	return scores
}

func estimateScores(scores []float64) (mean, sd verdict.Estimate, warnings []stats.Warning, err error) {
	s, err := stats.Summarize(scores)
	if errors.Is(err, stats.ErrEmpty) {
		s, err = stats.Summary{Mean: math.NaN(), PopulationSD: math.NaN()}, nil
	}
	if s.N > 0 {
		warnings = s.Warnings()
	}
	mean = verdict.Estimate{Value: s.Mean, N: s.N, Interval: s.MeanInterval(0.95)}
	sd = verdict.Estimate{Value: s.SD(), N: s.N, Interval: s.SDInterval(0.95)}
	return mean, sd, warnings, err
}
