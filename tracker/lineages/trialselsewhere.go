package lineages

import (
	"context"

	"track/evolution"
	"track/store"
)

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
