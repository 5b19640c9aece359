package agents

import (
	"context"
	"errors"

	"track/scoring/rubric"
	"track/store"
)

// LineageEntry is one version in the history of a lineage.
type LineageEntry struct {
	store.VersionSummary
	Scores  []float64             // of the executions that have one
	Fitness *rubric.FitnessResult // of the score; nil where no execution has one
}

// LineageHistory is the scores of the versions of a lineage, in the order of their first executions.
type LineageHistory struct {
	Lineage, Rubric, Component string // Rubric is empty for the scores in force, Component for the score itself
	Entries                    []LineageEntry
	NOlder                     int // versions before the first of Entries
}

// LoadLineageHistory aggregates the newest limit versions of a lineage: their scores, or a component of them.
func LoadLineageHistory(ctx context.Context, st *store.Reader, lineage, rubricName, component string, limit int) (h LineageHistory, err error) {
	h = LineageHistory{Lineage: lineage, Rubric: rubricName, Component: component}
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		versions, err := st.Versions(ctx, lineage)
		if err != nil {
			return err
		}
		h.NOlder = max(0, len(versions)-limit)
		for _, v := range versions[h.NOlder:] {
			entry, err := lineageEntry(ctx, st, v, rubricName, component)
			if err != nil {
				return err
			}
			h.Entries = append(h.Entries, entry)
		}
		return nil
	})
	return h, err
}

func lineageEntry(ctx context.Context, st *store.Reader, v store.VersionSummary, rubricName, component string) (LineageEntry, error) {
	entry := LineageEntry{VersionSummary: v}
	scores, err := versionTrials(ctx, st, v.Lineage, v.Version, rubricName)
	if err != nil {
		return entry, err
	}
	for _, s := range scores {
		if x := s.Score; component == "" && x != nil {
			entry.Scores = append(entry.Scores, *x)
		}
		for _, c := range s.Components {
			if c.Name == component && c.Value != nil {
				entry.Scores = append(entry.Scores, *c.Value)
			}
		}
	}
	report, err := fitnessOf(v.Lineage, v.Version, scores, rubricName, rubric.FitnessOptions{})
	switch {
	case errors.Is(err, rubric.ErrNoScores):
		return entry, nil
	case err == nil:
		entry.Fitness = &report.FitnessResult
	}
	return entry, err
}
