package lineages

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"track"
	"track/bundle"
	"track/evolution"
	"track/store"
)

// ErrReplay is wrapped where a ledger does not replay.
var ErrReplay = errors.New("replay differs")

// Export returns a lineage as it stands. Executions are no part of it: what decisions followed from is in the ledger.
func Export(ctx context.Context, st *store.Reader, name string) (x bundle.Lineage, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		l, err := st.Evolving(ctx, name)
		if err != nil {
			return err
		}
		x = bundle.Lineage{Name: name, Head: l.Head, End: l.End}
		if x.KeepText, err = st.KeepsText(ctx, name); err != nil {
			return err
		}
		if x.Entries, err = st.Entries(ctx, l, store.EntryFilter{}); err != nil {
			return err
		}
		named := map[string]bool{}
		for _, ref := range refsOf(x.Entries) {
			named[ref.Label] = true
		}
		states, err := st.VersionStates(ctx, name)
		if err != nil {
			return err
		}
		for _, state := range states {
			if !named[state.Name] {
				continue
			}
			v, err := st.Version(ctx, name, state.Name)
			if err != nil {
				return err
			}
			x.Versions = append(x.Versions, v)
		}
		return nil
	})
	return x, err
}

// Imported says what became of a lineage that was handed over.
type Imported struct {
	Lineage string
	Created bool
	Entries int // added
	Known   int // that were there
	Head    string
	End     evolution.Head
}

// Import records a lineage that was exported elsewhere. Its ledger must replay without a difference, and hold what is here already: a ledger that
// went on here otherwise is a conflict. Nothing is recorded, or everything.
func Import(ctx context.Context, st *store.Store, x bundle.Lineage) (r Imported, err error) {
	replayed, err := CheckExport(x)
	if err != nil {
		return r, err
	}
	err = st.Update(ctx, func(tx *store.Tx) error {
		if r, err = Write(ctx, tx, tx.Reader, x, replayed); err != nil {
			return err
		}
		return CountTrialsElsewhere(ctx, tx, tx.Reader, x.Name, r.Entries > 0)
	})
	return r, err
}

// CountTrialsElsewhere notes how many trials the newest entry of a ledger counts that are not here, so that whoever goes on with it waits for those made from now on and
// not for as many as its origin had. Unless anew, it only notes more of them than are noted.
func CountTrialsElsewhere(ctx context.Context, tx *store.Tx, reads *store.Reader, name string, anew bool) error {
	var l Lineage
	var err error
	if l.Evolving, err = reads.Evolving(ctx, name); err != nil {
		return err
	}
	counted, err := l.trialsCounted(ctx, reads)
	if err != nil {
		return err
	}
	here, err := l.countTrialsHere(ctx, reads)
	if n := max(0, counted-here); err == nil && (anew || n > l.TrialsElsewhere) {
		err = tx.SetTrialsElsewhere(l.ID, n)
	}
	return err
}

// trialsCounted are the trials that there were at the newest entry that says how many.
func (l Lineage) trialsCounted(ctx context.Context, st *store.Reader) (int, error) {
	e, ok, err := st.LastEntry(ctx, l.Evolving, evolution.KindConsideration, evolution.KindProposal, evolution.KindRefusal, evolution.KindRollback)
	if err != nil || !ok {
		return 0, err
	}
	switch e.Kind {
	case evolution.KindConsideration:
		var c evolution.Consideration
		err = e.Decode(&c)
		return c.Executions, err
	case evolution.KindRollback:
		var r evolution.RollbackEvent
		err = e.Decode(&r)
		return r.Executions, err
	}
	var p evolution.Proposal
	err = e.Decode(&p)
	return p.Executions, err
}

// CheckExport replays a lineage that was handed over, and refuses one that is not what its ledger says.
func CheckExport(x bundle.Lineage) (evolution.Replayed, error) {
	replayed := evolution.ReplayLedger(x.Entries, x.End)
	if n := len(replayed.Differences); n > 0 {
		return replayed, track.WithHint(fmt.Errorf("%w: %d differences, the first: %s", ErrReplay, n, replayed.Differences[0]), track.Hint{Text: "nothing was recorded: the file was changed since it was exported, or cut off"})
	}
	if len(x.Entries) == 0 {
		return replayed, fmt.Errorf("%w: the file has no entry of a ledger", track.ErrInvalid)
	}
	return replayed, checkVersions(x)
}

// checkVersions compares contents with the identities that the ledger gives them.
func checkVersions(x bundle.Lineage) error {
	contents := map[string]*string{}
	for _, v := range x.Versions {
		if err := v.Validate(); err != nil {
			return err
		}
		contents[v.Name] = v.Content
	}
	for _, ref := range refsOf(x.Entries) {
		content, there := contents[ref.Label]
		switch {
		case !there:
			return fmt.Errorf("%w: version %s is missing", track.ErrInvalid, ref.Label)
		case ref.ID != "" && content == nil:
			return fmt.Errorf("%w: version %s: its content is missing", track.ErrInvalid, ref.Label)
		case ref.ID != "" && evolution.VersionID([]byte(*content)) != ref.ID:
			return fmt.Errorf("%w: version %s: its content is not what the ledger says", ErrReplay, ref.Label)
		}
	}
	return nil
}

func Write(ctx context.Context, tx *store.Tx, reads *store.Reader, x bundle.Lineage, replayed evolution.Replayed) (r Imported, err error) {
	r = Imported{Lineage: x.Name, Head: replayed.Head, End: x.End}
	var creation evolution.Creation
	if err := x.Entries[0].Decode(&creation); err != nil {
		return r, err
	}
	l, err := reads.Evolving(ctx, x.Name)
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
	here, err := reads.Entries(ctx, l, store.EntryFilter{})
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
	return r, addLineage(ctx, tx, reads, x, l, replayed, r.Known)
}

// CheckSameHistory says whether the entries that two ledgers of a lineage both have are the same.
func CheckSameHistory(lineage string, here, there []evolution.Entry) error {
	for i := range here {
		if here[i].Hash != there[i].Hash {
			return track.WithHint(fmt.Errorf("%w: lineage %s went on otherwise here: entry %d is another", track.ErrConflict, lineage, i+1), track.Hint{Text: "one name, two histories: import it into another database with --db FILE, and compare"})

		}
	}
	return nil
}

// addLineage writes versions, the entries that are new, and where the mutations stand after them.
func addLineage(ctx context.Context, tx *store.Tx, reads *store.Reader, x bundle.Lineage, l store.Evolving, replayed evolution.Replayed, known int) error {
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
	at := map[string]evolution.Entry{}
	for _, e := range x.Entries {
		if e.Kind == evolution.KindProposal || e.Kind == evolution.KindRefusal {
			at[e.Mutation] = e
		}
	}
	for _, want := range replayed.Mutations {
		m, err := reads.Mutation(ctx, l, want.Mutation)
		if errors.Is(err, track.ErrNotFound) {
			if err = tx.AddMutation(l, mutationOf(want.Proposal, want.State, at[want.Mutation].At)); err == nil {
				m, err = reads.Mutation(ctx, l, want.Mutation)
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

// addVersion stores a version as it came. One that is here with another content is a conflict.
func addVersion(tx *store.Tx, v track.Version) error {
	change, err := tx.AddVersion(v, true)
	if err == nil && change == store.VersionConflict {
		err = track.WithHint(fmt.Errorf("%w: version %s of lineage %s is recorded with another content", track.ErrConflict, v.Name, v.Lineage), track.Hint{Text: "import it into another database with --db FILE"})
	}
	return err
}

// CheckEnd compares the end of a ledger, as somebody kept it, with the ledger: the entry of that number must have that hash. It finds what was cut off, or
// written anew, even where the lineage agrees with itself.
func CheckEnd(ctx context.Context, st *store.Reader, lineage string, end evolution.Head) (*evolution.Difference, error) {
	l, err := st.Evolving(ctx, lineage)
	if err != nil {
		return nil, err
	}
	entries, err := st.Entries(ctx, l, store.EntryFilter{})
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
