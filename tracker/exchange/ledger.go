package exchange

import (
	"context"
	"errors"
	"slices"

	"track"
	"track/evolution"
	"track/importer/lines"
	"track/store"
	"track/tracker/lineages"
)

// ledgerRecord is a lineage with its ledger, as an export or another database holds it.
type ledgerRecord struct {
	lines.Lineage
	replayed evolution.Replayed // of the whole ledger
	result   lineages.Imported
}

func (*ledgerRecord) needs() (Rights, string) { return Owner, "lineage" }
func (*ledgerRecord) isKnown() bool           { return false }

// settle stores a ledger that continues the one here. A ledger that diverges is an error that wraps
// [track.ErrConflict].
func (l *ledgerRecord) settle(ctx context.Context, _ *Door, _ *store.Reader, tx *store.Tx) (answers []Answer, err error) {
	err = l.write(ctx, tx)
	return []Answer{answerFor(kindLineage, l.result.Entries == 0)}, err
}

func (l *ledgerRecord) write(ctx context.Context, tx *store.Tx) (err error) {
	if l.result, err = lineages.Write(ctx, tx, l.Lineage, l.replayed); err != nil {
		return err
	}
	if l.TrialsElsewhere == nil {
		return lineages.CountTrialsElsewhere(ctx, tx, l.Name, l.result.Entries > 0)
	}
	here, err := tx.Evolving(ctx, l.Name)
	if err != nil {
		return err
	}
	if n := *l.TrialsElsewhere; l.result.Created || n < here.TrialsElsewhere { // its trials come along
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
		part := ledgerRecord{Lineage: lineages.Until(l.Lineage, step.Entries), replayed: replayed}
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
