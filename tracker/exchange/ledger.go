package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"track"
	"track/answer"
	"track/evolution"
	"track/importer/lines"
	"track/store"
	"track/tracker/lineages"
)

// ledgerRecord is a lineage with its ledger, as an export or another database holds it.
type ledgerRecord struct {
	lines.Lineage
	replayed evolution.Replayed // of the whole ledger; not needed in a dry run
	// trialsElsewhere counts the trials that the ledger counts and that its source lacks. It is nil if the trials do
	// not come along.
	trialsElsewhere *int
	result          lineages.Imported
}

func (*ledgerRecord) needs() Rights { return bringLedgers }
func (*ledgerRecord) isKnown() bool { return false }

// settle stores a ledger that continues the one here. A ledger that diverges is an error that wraps
// [track.ErrConflict].
func (l *ledgerRecord) settle(ctx context.Context, _ *Door, r *store.Reader, tx *store.Tx) (answers []Answer, err error) {
	if tx == nil {
		err = l.foresee(ctx, r)
	} else {
		err = l.write(ctx, tx)
	}
	return []Answer{answerFor(kindLineage, l.result.Entries == 0)}, err
}

func (l *ledgerRecord) write(ctx context.Context, tx *store.Tx) (err error) {
	if l.result, err = lineages.Write(ctx, tx, l.Lineage, l.replayed); err != nil {
		return err
	}
	if l.trialsElsewhere == nil {
		return lineages.CountTrialsElsewhere(ctx, tx, l.Name, l.result.Entries > 0)
	}
	here, err := tx.Evolving(ctx, l.Name)
	if err != nil {
		return err
	}
	if n := *l.trialsElsewhere; l.result.Created || n < here.TrialsElsewhere { // its trials come along
		return tx.SetTrialsElsewhere(here.ID, n)
	}
	return nil
}

// A new entry of a ledger takes at most so many rows: its own, and those of a mutation, of a version and of its name.
const rowsOfEntry = 4

// putLedger stores a ledger. On a server, whose transactions are bounded, a long one takes several: what ends at any
// entry of a ledger is one too, and the next time continues one that was cut off.
func (d *Door) putLedger(ctx context.Context, l *ledgerRecord) error {
	most := 0
	if !d.dryRun {
		most = d.store.MaxRows() / rowsOfEntry
	}
	if most == 0 {
		_, err := d.Put(ctx, l)
		return err
	}
	here, err := d.store.Evolving(ctx, l.Name)
	if err != nil && !errors.Is(err, track.ErrNotFound) {
		return err
	}
	var before lineages.Imported
	var stored []evolution.ReplayedMutation
	for step := range evolution.ReplaySteps(l.Entries, here.End.Number, most) {
		replayed := step
		replayed.Mutations = changed(stored, step.Mutations)
		stored = slices.Clone(step.Mutations)
		switch step.Entries {
		case here.End.Number: // is here
			continue
		case len(l.Entries):
			l.replayed = replayed
			continue
		}
		part := ledgerRecord{Lineage: lineages.Until(l.Lineage, step.Entries), replayed: replayed, trialsElsewhere: l.trialsElsewhere}
		// It has no answer of its own: the ledger counts once.
		if _, err := NewDoor(d.store, d.rights, d.names, false).Put(ctx, &part); err != nil {
			return err
		}
		before.Created, before.Entries = before.Created || part.result.Created, before.Entries+part.result.Entries
	}
	_, err = d.Put(ctx, l)
	l.result.Created = l.result.Created || before.Created
	l.result.Entries, l.result.Known = l.result.Entries+before.Entries, l.result.Known-before.Entries
	return err
}

// changed returns the mutations that stand otherwise than before, and the new ones.
func changed(before, after []evolution.ReplayedMutation) (list []evolution.ReplayedMutation) {
	for i, m := range after {
		if i >= len(before) || m.State != before[i].State || m.Attempts != before[i].Attempts || m.Delta != before[i].Delta {
			list = append(list, m)
		}
	}
	return list
}

// foresee finds out what storing the ledger would come to.
func (l *ledgerRecord) foresee(ctx context.Context, r *store.Reader) error {
	if len(l.Entries) == 0 {
		return fmt.Errorf("%w: the lineage has no entry of a ledger", track.ErrInvalid)
	}
	if replayed := evolution.ReplayLedger(l.Entries, l.End); len(replayed.Differences) > 0 {
		return fmt.Errorf("%w: %s", track.ErrDiffers, replayed.Differences[0])
	}
	var entries []evolution.Entry
	here, err := r.Evolving(ctx, l.Name)
	if err == nil {
		entries, err = r.Entries(ctx, here, store.EntryFilter{})
	}
	if err != nil && !errors.Is(err, track.ErrNotFound) {
		return err
	}
	l.result.Known = min(len(entries), len(l.Entries))
	l.result.Entries = len(l.Entries) - l.result.Known
	return lineages.CheckSameHistory(l.Name, entries[:l.result.Known], l.Entries)
}

// ledger puts the ledger of a lineage, if it continues the one here. A ledger in conflict is not an error: problem
// says why it is left out. One that looks like a secret is an error: the caller can allow it.
func (m *merge) ledger(ctx context.Context, name string) (l answer.MergedLedger, problem *Conflict, err error) {
	l, err = m.mergeLedger(ctx, name)
	if refused := (*track.FieldError)(nil); errors.As(err, &refused) && refused.Hint != nil {
		return l, nil, &hereError{store.WriteError(m.path, err)}
	}
	if errors.Is(err, track.ErrConflict) || errors.Is(err, track.ErrDiffers) || errors.Is(err, track.ErrInvalid) {
		return answer.MergedLedger{Lineage: name, Conflict: true}, &Conflict{Kind: kindLineage, Scenario: name, Reason: err.Error()}, nil
	}
	return l, nil, err
}

func (m *merge) mergeLedger(ctx context.Context, name string) (merged answer.MergedLedger, err error) {
	merged.Lineage = name
	there, err := m.from.Evolving(ctx, name)
	if err != nil {
		return merged, err
	}
	here, err := m.store.Evolving(ctx, name)
	if err == nil && here.End == there.End && here.End.Number > 0 && here.TrialsElsewhere <= there.TrialsElsewhere {
		merged.Known = here.End.Number
		return merged, nil
	}
	if err != nil && !errors.Is(err, track.ErrNotFound) {
		return merged, &hereError{err}
	}
	l := ledgerRecord{trialsElsewhere: &there.TrialsElsewhere}
	if l.Lineage, err = lineages.Export(ctx, m.from, name); err != nil {
		return merged, err
	}
	if !m.dryRun {
		if l.replayed, err = lineages.CheckExport(l.Lineage); err != nil {
			return merged, err
		}
	}
	err = m.putLedger(ctx, &l)
	merged.Entries, merged.Known = l.result.Entries, l.result.Known
	return merged, err
}
