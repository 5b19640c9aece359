package lineages

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"track"
	"track/evolution"
	"track/importer/lines"
	"track/store"
)

// Export returns a lineage as it is stored. Executions are no part of it: the ledger has the evidence of its decisions.
func Export(ctx context.Context, r *store.Reader, name string) (x lines.Lineage, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		l, err := r.Evolving(ctx, name)
		if err != nil {
			return err
		}
		entries, err := r.Entries(ctx, l, store.EntryFilter{})
		if err != nil {
			return err
		}
		versions, err := r.VersionContents(ctx, name)
		if err != nil {
			return err
		}
		x, err = exportOf(ctx, r, l, entries, versions, labelsOf(entries))
		return err
	})
	return x, err
}

// exportOf returns the export of a lineage from its rows; it reads only whether texts are kept.
func exportOf(ctx context.Context, r *store.Reader, l store.Evolving, entries []evolution.Entry, versions []store.VersionState, labels map[string]string) (lines.Lineage, error) {
	x := lines.Lineage{Name: l.Name, Head: l.Head, End: l.End, Entries: entries}
	var err error
	x.KeepText, err = r.KeepsText(ctx, l.Name)
	for _, v := range versions {
		if _, mentioned := labels[v.Name]; mentioned {
			x.Versions = append(x.Versions, v.Version(l.Name))
		}
	}
	return x, err
}

// labelsOf returns the labels of the versions that a ledger mentions, with their identities as far as they are known.
func labelsOf(entries []evolution.Entry) map[string]string {
	labels := map[string]string{}
	for _, ref := range refsOf(entries) {
		labels[ref.Label] = cmp.Or(ref.ID, labels[ref.Label])
	}
	return labels
}

// refsOf returns the versions that the entries of a ledger mention.
func refsOf(entries []evolution.Entry) (list []evolution.VersionRef) {
	for _, e := range entries {
		switch e.Kind {
		case evolution.KindCreation:
			var c evolution.Creation
			if e.Decode(&c) == nil && c.Root != nil {
				list = append(list, *c.Root)
			}
		case evolution.KindProposal, evolution.KindRefusal:
			var p evolution.Proposal
			if e.Decode(&p) == nil {
				list = append(append(list, p.Child), p.Parents...)
			}
		case evolution.KindRollback:
			var r evolution.RollbackEvent
			if e.Decode(&r) == nil && r.Version != nil {
				list = append(list, *r.Version)
			}
		case evolution.KindAdoption:
			var a evolution.Adoption
			if e.Decode(&a) == nil {
				list = append(list, a.Version)
			}
		}
	}
	return list
}

// CheckExport replays a lineage that was handed over, and refuses one that differs from its ledger.
func CheckExport(x lines.Lineage) (evolution.Replayed, error) {
	replayed := evolution.ReplayLedger(x.Entries, x.End)
	if n := len(replayed.Differences); n > 0 {
		err := fmt.Errorf("%w: %d differences, the first: %s", track.ErrDiffers, n, replayed.Differences[0])
		return replayed, track.WithHint(err, track.Hint{Text: "export it again: the file was changed or truncated, and nothing was recorded"})
	}
	if len(x.Entries) == 0 {
		return replayed, fmt.Errorf("%w: the file has no entry of a ledger", track.ErrInvalid)
	}
	return replayed, checkVersions(x, replayed.Labels)
}

// checkVersions compares contents with the identities in the ledger.
func checkVersions(x lines.Lineage, labels map[string]string) error {
	contents := map[string]*string{}
	for _, v := range x.Versions {
		if err := v.Validate(); err != nil {
			return err
		}
		contents[v.Name] = v.Content
	}
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		content, found := contents[label]
		id := labels[label]
		switch {
		case !found:
			return fmt.Errorf("%w: version %s is missing", track.ErrInvalid, label)
		case id != "" && content == nil:
			return fmt.Errorf("%w: version %s: its content is missing", track.ErrInvalid, label)
		case id != "" && evolution.VersionID([]byte(*content)) != id:
			return fmt.Errorf("%w: version %s: its content differs from the ledger", track.ErrDiffers, label)
		}
	}
	return nil
}

// checkEnd compares an end of a ledger that somebody kept with the ledger: the entry of that number must have that
// hash. It finds what was truncated, or written anew, even if the lineage agrees with itself.
func checkEnd(ctx context.Context, r *store.Reader, lineage string, end evolution.Head) (*evolution.Difference, error) {
	l, err := r.Evolving(ctx, lineage)
	if err != nil {
		return nil, err
	}
	entries, err := r.Entries(ctx, l, store.EntryFilter{})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(entries, func(e evolution.Entry) bool { return e.Number == end.Number })
	d := &evolution.Difference{Number: end.Number, Kind: "end", Field: "hash", Stored: "missing", Replayed: end.Hash}
	if i < 0 {
		return d, nil
	}
	if d.Kind, d.Stored = entries[i].Kind, entries[i].Hash; d.Stored != end.Hash {
		return d, nil
	}
	return nil, nil
}
