package lineages

import (
	"context"
	"errors"
	"fmt"

	"track"
	"track/evolution"
	"track/importer/lines"
	"track/store"
)

// Imported says what became of a lineage that was handed over.
type Imported struct {
	Lineage string
	Created bool
	Entries int // added
	Known   int // that existed
	Head    string
	End     evolution.Head
}

// Write stores a lineage that was handed over and checked.
func Write(ctx context.Context, tx *store.Tx, x lines.Lineage, replayed evolution.Replayed) (r Imported, err error) {
	r = Imported{Lineage: x.Name, Head: replayed.Head, End: x.End}
	creation, ok := replayed.Events[0].Body.(evolution.Creation)
	if !ok {
		return r, fmt.Errorf("%w: the ledger does not begin with a creation", track.ErrInvalid)
	}
	l, err := tx.Evolving(ctx, x.Name)
	switch {
	case errors.Is(err, track.ErrNotFound):
		r.Created = true
		if l, err = tx.Evolve(x.Name, track.SeedNumber(creation.Seed), creation.Subject); err != nil {
			return r, err
		}
		if err := tx.SetKeepText(x.Name, x.KeepText); err != nil {
			return r, err
		}
	case err != nil:
		return r, err
	}
	r.Known = min(l.End.Number, len(x.Entries))
	if !continues(x.Entries, l.End) {
		here, err := tx.Entries(ctx, l, store.EntryFilter{})
		if err != nil {
			return r, err
		}
		if err := CheckSameHistory(x.Name, here[:min(len(here), len(x.Entries))], x.Entries); err != nil {
			return r, err
		}
	}
	if l.End.Number >= len(x.Entries) {
		r.Head, r.End = l.Head, l.End
		return r, nil
	}
	r.Entries = len(x.Entries) - r.Known
	return r, addLineage(ctx, tx, x, l, replayed, r.Known)
}

// continues reports whether entries go on after the end of a ledger. Each hash covers all entries before.
func continues(entries []evolution.Entry, end evolution.Head) bool {
	return end.Number <= len(entries) && (end.Number == 0 || entries[end.Number-1].Hash == end.Hash)
}

// CheckSameHistory returns a conflict if the entries that two ledgers of a lineage both have differ.
func CheckSameHistory(lineage string, here, there []evolution.Entry) error {
	for i := range here {
		if here[i].Hash != there[i].Hash {
			err := fmt.Errorf("%w: the histories of lineage %s diverge at entry %d", track.ErrConflict, lineage, i+1)
			return track.WithHint(err, track.NewHint("merge it into another database, and compare", "merge", "FILE").With("db", "OTHER"))
		}
	}
	return nil
}

// addLineage writes versions, the new entries, and the states of the mutations after them.
func addLineage(ctx context.Context, tx *store.Tx, x lines.Lineage, l store.Evolving, replayed evolution.Replayed, known int) error {
	for _, v := range x.Versions { // all names first: a version may name a parent that follows it
		if err := tx.AddVersionName(l.ID, v.Name); err != nil {
			return err
		}
	}
	for _, v := range x.Versions {
		if err := addVersion(tx, v); err != nil {
			return err
		}
	}
	for _, e := range x.Entries[known:] {
		if err := tx.Append(l.ID, e); err != nil {
			return err
		}
	}
	for _, want := range replayed.Mutations {
		m, err := tx.Mutation(ctx, l, want.Mutation)
		if errors.Is(err, track.ErrNotFound) {
			if err = tx.AddMutation(l, mutationOf(want.Proposal, want.State, want.At)); err == nil {
				m, err = tx.Mutation(ctx, l, want.Mutation)
			}
		}
		if err != nil {
			return err
		}
		m.State, m.NAttempts, m.Delta = want.State, want.Attempts, want.Delta
		if err := tx.SetMutationState(m); err != nil {
			return err
		}
	}
	return nil
}

// addVersion stores a version as it came. A stored version with another content is a conflict.
func addVersion(tx *store.Tx, v track.Version) error {
	change, err := tx.AddVersion(v, true)
	if err == nil && change == store.VersionConflict {
		err = fmt.Errorf("%w: version %s of lineage %s is recorded with another content", track.ErrConflict, v.Name, v.Lineage)
		err = track.WithHint(err, track.NewHint("merge it into another database", "merge", "FILE").With("db", "OTHER"))
	}
	return err
}
