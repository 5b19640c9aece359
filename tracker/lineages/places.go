package lineages

import (
	"context"
	"errors"
	"slices"

	"track"
	"track/answer"
	"track/evolution"
	"track/store"
)

// pageGrowth is how much larger each page of a long history is than the one before.
const pageGrowth = 8

// mostVersions is how many versions that were ever active are listed with a lineage. If there are more, only those that
// are kept are.
const mostVersions = 20

// places says which versions of a lineage are kept: the newest, the best, and the active one.
type places struct {
	head   string
	best   string // empty if no version has a fitness
	kept   map[string]bool
	newest []string       // those that are kept or, of few, all, the one that was first active last first
	all    map[string]int // positions of the versions that were ever active
}

func loadPlaces(ctx context.Context, r *store.Reader, l Lineage) (p places, err error) {
	s, err := compareStanding(ctx, r, l)
	p = places{head: l.Head, kept: map[string]bool{}, all: s.heads.positions(), newest: s.heads.versions()}
	if err != nil {
		return p, err
	}
	slices.Reverse(p.newest)
	keep := min(l.Settings.Loop.Keep, len(p.newest))
	for _, version := range p.newest[:keep] {
		p.kept[version] = true
	}
	if len(p.newest) > mostVersions {
		p.newest = p.newest[:keep]
	}
	if best, ok := evolution.Best(s.versions); ok {
		p.best, p.kept[best.Version] = best.Version, true
	}
	return p, nil
}

// listed returns the names of the versions that are listed with the lineage.
func (p places) listed() (names []string) {
	listed := map[string]bool{"": true}
	add := func(name string) {
		if !listed[name] {
			listed[name], names = true, append(names, name)
		}
	}
	for _, version := range p.newest {
		add(version)
	}
	add(p.best)
	add(p.head)
	return names
}

// set sets the place of a version.
func (p places) set(v *VersionEntry) {
	switch {
	case v.Name == p.head:
		v.State = answer.VersionActive
	case p.kept[v.Name]:
		v.State = answer.VersionKept
	case p.all[v.Name] > 0:
		v.State = answer.VersionArchived
	default:
		v.State = answer.VersionCandidate
	}
	v.Best = v.Name == p.best
}

// loadListed returns the versions that are listed with a lineage, the newest first, and how many archived ones are not.
func loadListed(ctx context.Context, r *store.Reader, l Lineage) (list []VersionEntry, archived int, err error) {
	p, err := loadPlaces(ctx, r, l)
	names := p.listed()
	if err != nil || len(names) == 0 {
		return nil, 0, err
	}
	versions, err := r.NamedVersions(ctx, l.Name, names...)
	if err != nil {
		return nil, 0, err
	}
	trials, err := loadTrials(ctx, r, l, names...)
	if err != nil {
		return nil, 0, err
	}
	for i := range versions {
		v := versions[len(versions)-1-i]
		own, err := trials.of(v.Name)
		if err != nil {
			return nil, 0, err
		}
		entry, err := newVersionEntry(l, v, own)
		if err != nil {
			return nil, 0, err
		}
		p.set(&entry)
		list = append(list, entry)
	}
	return list, len(p.all) - len(list), nil
}

// loadVersion returns one version of a lineage. If the lineage has no ledger, it has no place.
func loadVersion(ctx context.Context, r *store.Reader, lineage, version string) (entry VersionEntry, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		state, err := r.VersionState(ctx, lineage, version)
		if err != nil {
			return err
		}
		l, err := Load(ctx, r, lineage)
		if errors.Is(err, track.ErrNotFound) {
			entry = VersionEntry{VersionState: state}
			return nil
		}
		if err == nil {
			entry, err = placedVersion(ctx, r, l, state)
		}
		return err
	})
	return entry, err
}

func placedVersion(ctx context.Context, r *store.Reader, l Lineage, state store.VersionState) (entry VersionEntry, err error) {
	trials, err := loadTrials(ctx, r, l, state.Name)
	if err != nil {
		return entry, err
	}
	own, err := trials.of(state.Name)
	if err == nil {
		entry, err = newVersionEntry(l, state, own)
	}
	if err != nil {
		return entry, err
	}
	p, err := loadPlaces(ctx, r, l)
	p.set(&entry)
	return entry, err
}
