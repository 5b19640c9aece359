package lineages

import (
	"context"
	"errors"
	"slices"

	"track"
	"track/evolution"
	"track/store"
)

// VersionPlace is where a version stands in its lineage.
type VersionPlace string

// The places. Nothing is ever deleted: archived versions only are no longer among those that [evolution.Retain] keeps active.
const (
	VersionHead      VersionPlace = "head"      // in force
	VersionActive    VersionPlace = "active"    // was in force
	VersionArchived  VersionPlace = "archived"  // was in force, long ago
	VersionCandidate VersionPlace = "candidate" // never in force
)

// VersionEntry is a version with what it came to.
type VersionEntry struct {
	store.VersionState
	State   VersionPlace
	Best    bool     // the best fitness of those that were ever in force
	Fitness *float64 // today; nil where no trial has a score, or where there is a Problem
	Problem string   // why its trials cannot be taken together, such as scores under several rubrics
	N       int      // trials with a score
	NFailed int
}

// Overview is where a lineage stands.
type Overview struct {
	Lineage   Lineage
	Mutations map[evolution.MutationState]int
	Versions  []VersionEntry // those that were ever in force, the newest first; all, where that was asked for
}

// LoadOverview tells where a lineage stands, with the versions that were ever in force.
func LoadOverview(ctx context.Context, st *store.Reader, name string) (o Overview, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		if o.Lineage, err = Load(ctx, st, name); err != nil {
			return err
		}
		o.Mutations = map[evolution.MutationState]int{}
		outcomes, err := st.MutationOutcomes(ctx, o.Lineage.Evolving)
		if err != nil {
			return err
		}
		for _, m := range outcomes {
			o.Mutations[m.State]++
		}
		o.Versions, err = o.Lineage.versionEntries(ctx, st, false)
		return err
	})
	return o, err
}

// Versions lists all versions of a lineage with a ledger, candidates too, the newest first.
func Versions(ctx context.Context, st *store.Reader, name string) (list []VersionEntry, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		l, err := Load(ctx, st, name)
		if err == nil {
			list, err = l.versionEntries(ctx, st, true)
		}
		return err
	})
	return list, err
}

func (l Lineage) versionEntries(ctx context.Context, st *store.Reader, all bool) ([]VersionEntry, error) {
	versions, err := st.VersionStates(ctx, l.Name)
	if err != nil {
		return nil, err
	}
	r, err := l.reign(ctx, st)
	if err != nil {
		return nil, err
	}
	reigned := map[string]bool{}
	for _, name := range r.versions() {
		reigned[name] = true
	}
	var list []VersionEntry
	var standings []evolution.Standing
	var names []string
	for _, v := range versions {
		if reigned[v.Name] || all {
			names = append(names, v.Name)
		}
	}
	trials, err := l.trialsOf(ctx, st, names)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		if !reigned[v.Name] && !all {
			continue
		}
		entry, err := l.versionEntry(v, trials[v.Name])
		if err != nil {
			return nil, err
		}
		if entry.State = VersionCandidate; reigned[v.Name] {
			standings = append(standings, evolution.Standing{Version: v.Name, Number: v.Number, Score: entry.Fitness})
		}
		list = append(list, entry)
	}
	l.place(list, standings)
	slices.Reverse(list)
	return list, nil
}

func (l Lineage) versionEntry(v store.VersionState, trials VersionTrials) (entry VersionEntry, err error) {
	entry.VersionState = v
	for _, t := range trials.Trials {
		if t.Failed != "" {
			entry.NFailed++
		} else {
			entry.N++
		}
	}
	if entry.Fitness, err = l.fitness(trials); errors.Is(err, evolution.ErrEvidence) {
		entry.Problem, err = err.Error(), nil
	}
	return entry, err
}

// place says which versions stay active, and which is the best.
func (l Lineage) place(list []VersionEntry, standings []evolution.Standing) {
	active, archived := evolution.Retain(standings, l.Head, l.Settings.Loop.Keep)
	places := map[string]VersionPlace{}
	for _, s := range active {
		places[s.Version] = VersionActive
	}
	for _, s := range archived {
		places[s.Version] = VersionArchived
	}
	places[l.Head] = VersionHead
	best, ok := evolution.Best(standings)
	for i, v := range list {
		if place := places[v.Name]; place != "" {
			list[i].State = place
		}
		list[i].Best = ok && v.Name == best.Version
	}
}

// LoadVersion is one version of a lineage. Where the lineage has no ledger, it stands in no place.
func LoadVersion(ctx context.Context, st *store.Reader, lineage, version string) (entry VersionEntry, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		state, err := st.VersionState(ctx, lineage, version)
		if err != nil {
			return err
		}
		l, err := Load(ctx, st, lineage)
		if errors.Is(err, track.ErrNotFound) {
			entry = VersionEntry{VersionState: state}
			return nil
		}
		if err != nil {
			return err
		}
		list, err := l.versionEntries(ctx, st, true)
		for _, v := range list {
			if v.Name == version {
				entry = v
			}
		}
		return err
	})
	return entry, err
}
