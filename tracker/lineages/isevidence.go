package lineages

import (
	"context"
	"slices"

	"track"
	"track/evolution"
	"track/store"
)

// Feedback returns the newest executions of a version, at most n, for whoever makes its children: with the scores that
// decide, and without those that are held out.
func Feedback(ctx context.Context, r *store.Reader, lineage, version string, n int) ([]track.RecordedExecution, error) {
	l, err := Load(ctx, r, lineage)
	if err != nil {
		return nil, err
	}
	trials, err := loadTrials(ctx, r, l, version)
	if err != nil {
		return nil, err
	}
	own, err := trials.of(version)
	if err != nil {
		return nil, err
	}
	scores := map[string]*float64{}
	for _, t := range own.Trials {
		scores[t.ID] = t.Score
	}
	f := store.ExecutionFilter{Lineage: lineage, Version: &version}
	for f.Limit = n; ; f.Limit *= pageGrowth {
		page, err := r.Executions(ctx, f)
		if err != nil {
			return nil, err
		}
		list := slices.DeleteFunc(slices.Clone(page), func(e track.RecordedExecution) bool { return e.Holdout || l.holds(e.Task) })
		if len(list) < n && len(page) == f.Limit {
			continue
		}
		list = list[:min(n, len(list))]
		for i, e := range list {
			list[i].Score = scores[TrialID(e.Source, e.Key)]
		}
		return list, nil
	}
}

// IsEvidence reports whether a recorded execution of an agent has a score that decisions use under the settings of its
// lineage.
func IsEvidence(ctx context.Context, r *store.Reader, e track.Execution) (bool, error) {
	l, err := Load(ctx, r, e.Lineage)
	if err != nil {
		return false, err
	}
	trials, err := loadTrials(ctx, r, l, e.Version)
	if err != nil {
		return false, err
	}
	own, err := trials.of(e.Version)
	id := TrialID(e.Source, e.Key)
	return slices.ContainsFunc(own.Trials, func(t evolution.Trial) bool { return t.ID == id && t.Score != nil }), err
}
