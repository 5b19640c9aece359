package lineages

import (
	"context"
	"errors"
	"slices"

	"track/answer"
	"track/evolution"
	"track/scoring/rubric"
	"track/store"
)

// VersionEntry is a version with its fitness.
type VersionEntry struct {
	store.VersionState
	State   answer.VersionPlace
	Best    bool     // the best fitness of the versions that were ever active
	Fitness *float64 // today; nil if no trial has a score, or there is a Problem
	Measure rubric.Measure
	NTasks  int    // with a score, over which the fitness is a mean; else 0
	Problem string // why its trials cannot be aggregated, such as scores under several rubrics
	N       int    // trials with a score
	NFailed int
}

// overview is where a lineage stands.
type overview struct {
	Lineage   Lineage
	Mutations map[evolution.MutationState]int
	Versions  []VersionEntry // that were ever active, the newest first: those that are kept and, if these are few, all
	NArchived int            // that are left out
}

// loadOverview returns where a lineage stands, with its versions that are kept.
func loadOverview(ctx context.Context, r *store.Reader, name string) (o overview, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		if o.Lineage, err = Load(ctx, r, name); err != nil {
			return err
		}
		if o.Mutations, err = r.CountOutcomes(ctx, o.Lineage.Evolving); err != nil {
			return err
		}
		o.Versions, o.NArchived, err = loadListed(ctx, r, o.Lineage)
		return err
	})
	return o, err
}

// listVersions lists all versions of a lineage with a ledger, candidates too, the newest first, with its settings.
func listVersions(ctx context.Context, r *store.Reader, name string) (list []VersionEntry, s evolution.Settings, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		l, err := Load(ctx, r, name)
		if err == nil {
			s = l.Settings
			list, err = loadVersions(ctx, r, l)
		}
		return err
	})
	return list, s, err
}

// loadVersions returns all versions of a lineage, the newest first.
func loadVersions(ctx context.Context, r *store.Reader, l Lineage) ([]VersionEntry, error) {
	versions, err := r.VersionStates(ctx, l.Name)
	if err != nil || len(versions) == 0 {
		return nil, err
	}
	heads, err := r.HeadChanges(ctx, l.Evolving)
	if err != nil {
		return nil, err
	}
	trials, err := loadTrialsOf(ctx, r, l, versions)
	if err != nil {
		return nil, err
	}
	return versionEntries(l, versions, heads, trials)
}

// loadTrialsOf reads the trials of many versions.
func loadTrialsOf(ctx context.Context, r *store.Reader, l Lineage, versions []store.VersionState) (recorded, error) {
	if l.scenario() == "" {
		return loadTrials(ctx, r, l)
	}
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = v.Name
	}
	return loadTrials(ctx, r, l, names...)
}

// versionEntries returns versions, the newest first, with what their trials say.
func versionEntries(l Lineage, versions []store.VersionState, heads headHistory, trials recorded) ([]VersionEntry, error) {
	positions := heads.positions()
	list := make([]VersionEntry, len(versions))
	var standings []evolution.Standing
	for i, v := range versions {
		own, err := trials.of(v.Name)
		if err != nil {
			return nil, err
		}
		if list[i], err = newVersionEntry(l, v, own); err != nil {
			return nil, err
		}
		if list[i].State = answer.VersionCandidate; positions[v.Name] > 0 {
			standing, err := newStanding(l, trials, v.Name, positions[v.Name], applied(l.Settings.Scale.Gain, list[i].Fitness))
			if err != nil {
				return nil, err
			}
			standings = append(standings, standing)
		}
	}
	setPlaces(l, list, standings)
	slices.Reverse(list)
	return list, nil
}

func newVersionEntry(l Lineage, v store.VersionState, trials VersionTrials) (entry VersionEntry, err error) {
	entry.VersionState = v
	for _, t := range trials.Trials {
		if t.Failed != "" {
			entry.NFailed++
		} else {
			entry.N++
		}
	}
	f, err := fitness(l, trials)
	if errors.Is(err, evolution.ErrEvidence) {
		entry.Problem, err = err.Error(), nil
	}
	if f == nil {
		return entry, err
	}
	entry.Fitness, entry.Measure = applied(l.Settings.Scale.Score, &f.Value), f.Measure
	if f.Measure == rubric.ByTask {
		entry.NTasks = f.NTasks
	}
	return entry, err
}

// applied returns what a function makes of a number; nil of none.
func applied(f func(float64) float64, x *float64) *float64 {
	if x == nil {
		return nil
	}
	y := f(*x)
	return &y
}

// setPlaces says which versions stay active, and which is the best.
func setPlaces(l Lineage, list []VersionEntry, standings []evolution.Standing) {
	active, archived := evolution.Retain(standings, l.Head, l.Settings.Loop.Keep)
	places := map[string]answer.VersionPlace{}
	for _, s := range active {
		places[s.Version] = answer.VersionKept
	}
	for _, s := range archived {
		places[s.Version] = answer.VersionArchived
	}
	places[l.Head] = answer.VersionActive
	best, ok := evolution.Best(standings)
	for i, v := range list {
		if place := places[v.Name]; place != "" {
			list[i].State = place
		}
		list[i].Best = ok && v.Name == best.Version
	}
}
