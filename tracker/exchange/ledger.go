package exchange

import (
	"context"

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
