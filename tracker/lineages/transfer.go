package lineages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"track"
	"track/evolution"
	"track/importer/lines"
	"track/store"
)

// ErrReplay is wrapped if a ledger does not replay.
var ErrReplay = errors.New("replay differs")

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
		}
	}
	return list
}

// Imported says what became of a lineage that was handed over.
type Imported struct {
	Lineage string
	Created bool
	Entries int // added
	Known   int // that existed
	Head    string
	End     evolution.Head
}

// CountTrialsElsewhere notes how many of the trials that the newest entry of a ledger counts are not stored, so that a
// loop that continues it waits for trials made from now on. Unless anew, it only notes more of them than are noted.
func CountTrialsElsewhere(ctx context.Context, tx *store.Tx, name string, anew bool) error {
	l, err := Load(ctx, tx.Reader, name)
	if err != nil {
		return err
	}
	counted, err := trialsCounted(l)
	if err != nil {
		return err
	}
	here, err := countTrialsHere(ctx, tx.Reader, l)
	if n := max(0, counted-here); err == nil && (anew || n > l.TrialsElsewhere) {
		err = tx.SetTrialsElsewhere(l.ID, n)
	}
	return err
}

// trialsCounted returns how many trials the newest entry with a count has.
func trialsCounted(l Lineage) (int, error) {
	e, ok := newestOf(l, evolution.KindConsideration, evolution.KindProposal, evolution.KindRefusal, evolution.KindRollback)
	if !ok {
		return 0, nil
	}
	switch e.Kind {
	case evolution.KindConsideration:
		var c evolution.Consideration
		err := e.Decode(&c)
		return c.Executions, err
	case evolution.KindRollback:
		var r evolution.RollbackEvent
		err := e.Decode(&r)
		return r.Executions, err
	}
	var p evolution.Proposal
	err := e.Decode(&p)
	return p.Executions, err
}

// CheckExport replays a lineage that was handed over, and refuses one that differs from its ledger.
func CheckExport(x lines.Lineage) (evolution.Replayed, error) {
	replayed := evolution.ReplayLedger(x.Entries, x.End)
	if n := len(replayed.Differences); n > 0 {
		err := fmt.Errorf("%w: %d differences, the first: %s", ErrReplay, n, replayed.Differences[0])
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
			return fmt.Errorf("%w: version %s: its content differs from the ledger", ErrReplay, label)
		}
	}
	return nil
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
	here, err := tx.Entries(ctx, l, store.EntryFilter{})
	if err != nil {
		return r, err
	}
	r.Known = min(len(here), len(x.Entries))
	if err := CheckSameHistory(x.Name, here[:r.Known], x.Entries); err != nil {
		return r, err
	}
	if len(here) >= len(x.Entries) {
		r.Head, r.End = l.Head, l.End
		return r, nil
	}
	r.Entries = len(x.Entries) - r.Known
	return r, addLineage(ctx, tx, x, l, replayed, r.Known)
}

// CheckSameHistory returns a conflict if the entries that two ledgers of a lineage both have differ.
func CheckSameHistory(lineage string, here, there []evolution.Entry) error {
	for i := range here {
		if here[i].Hash != there[i].Hash {
			err := fmt.Errorf("%w: the histories of lineage %s diverge at entry %d", track.ErrConflict, lineage, i+1)
			return track.WithHint(err, track.NewHint("import it into another database, and compare", "import lineage", "FILE").With("db", "OTHER"))
		}
	}
	return nil
}

// addLineage writes versions, the new entries, and the states of the mutations after them.
func addLineage(ctx context.Context, tx *store.Tx, x lines.Lineage, l store.Evolving, replayed evolution.Replayed, known int) error {
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
		err = track.WithHint(err, track.NewHint("import it into another database", "import lineage", "FILE").With("db", "OTHER"))
	}
	return err
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
