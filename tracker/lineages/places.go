package lineages

import (
	"context"
	"errors"

	"track"
	"track/answer"
	"track/store"
)

// mostVersions is how many versions that were ever active are listed with a lineage. If there are more, only those that
// are kept are.
const mostVersions = 20

// places says which versions of a lineage are kept: the newest, the best, and the active one.
type places struct {
	head   string
	best   string // empty if no version has a fitness
	kept   map[string]bool
	newest []store.Activation // those that are kept or, of few, all
	n      int                // of the versions that were ever active
}

func loadPlaces(ctx context.Context, r *store.Reader, l Lineage) (p places, err error) {
	p = places{head: l.Head, kept: map[string]bool{}}
	if p.n, err = r.NActivations(ctx, l.Evolving); err != nil {
		return p, err
	}
	keep := l.Settings.Loop.Keep
	if p.newest, err = r.NewestActivations(ctx, l.Evolving, max(keep, mostVersions)); err != nil {
		return p, err
	}
	for _, a := range p.newest[:min(keep, len(p.newest))] {
		p.kept[a.Version] = true
	}
	if p.n > mostVersions {
		p.newest = p.newest[:min(keep, len(p.newest))]
	}
	s, err := rateStanding(ctx, r, l)
	if err != nil {
		return p, err
	}
	best, ok, err := s.ranking().next(ctx)
	if ok {
		p.best, p.kept[best.Version] = best.Version, true
	}
	return p, err
}

// listed returns the names of the versions that are listed with the lineage.
func (p places) listed() (names []string) {
	listed := map[string]bool{"": true}
	add := func(name string) {
		if !listed[name] {
			listed[name], names = true, append(names, name)
		}
	}
	for _, a := range p.newest {
		add(a.Version)
	}
	add(p.best)
	add(p.head)
	return names
}

// set sets the place of a version.
func (p places) set(v *VersionEntry, wasActive bool) {
	switch {
	case v.Name == p.head:
		v.State = answer.VersionActive
	case p.kept[v.Name]:
		v.State = answer.VersionKept
	case wasActive:
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
		p.set(&entry, true)
		list = append(list, entry)
	}
	return list, p.n - len(list), nil
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
	if err != nil {
		return entry, err
	}
	_, wasActive, err := r.Activation(ctx, l.Evolving, state.Name)
	p.set(&entry, wasActive)
	return entry, err
}
