package exchange

import (
	"context"
	"errors"
	"fmt"

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
	l, err = m.putLedger(ctx, name)
	if refused := (*track.FieldError)(nil); errors.As(err, &refused) && refused.Hint != nil {
		return l, nil, &hereError{store.WriteError(m.path, err)}
	}
	if errors.Is(err, track.ErrConflict) || errors.Is(err, track.ErrDiffers) || errors.Is(err, track.ErrInvalid) {
		return answer.MergedLedger{Lineage: name, Conflict: true}, &Conflict{Kind: kindLineage, Scenario: name, Reason: err.Error()}, nil
	}
	return l, nil, err
}

func (m *merge) putLedger(ctx context.Context, name string) (merged answer.MergedLedger, err error) {
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
	_, err = m.Put(ctx, &l)
	merged.Entries, merged.Known = l.result.Entries, l.result.Known
	return merged, err
}
