package exchange

import (
	"context"
	"slices"

	"track"
	"track/store"
)

// Tombstones are the tombstones of executions of another database: texts that were forgotten there are forgotten here.
type Tombstones []store.Tombstone

// pageOfTombstones is how many tombstones a transaction takes.
const pageOfTombstones = 500

func (Tombstones) needs() Rights { return bringTombstones }
func (Tombstones) isKnown() bool { return false }

func (s Tombstones) settle(ctx context.Context, d *Door, r *store.Reader, tx *store.Tx) ([]Answer, error) {
	missing, err := r.MissingTombstones(ctx, s)
	if err != nil {
		return nil, err
	}
	found, err := r.Forgettables(ctx, missing)
	if err != nil {
		return nil, err
	}
	answers := make([]Answer, len(s))
	for i := range answers {
		answers[i] = answerFor(kindTombstone, i >= len(missing))
	}
	for _, f := range found {
		if !f.Forgotten {
			d.counts.Forgotten++
		}
	}
	if tx == nil {
		return answers, nil
	}
	for _, t := range missing {
		if err := tx.AddTombstone(t); err != nil {
			return nil, err
		}
	}
	for _, f := range found {
		if err := tx.ForgetAt(f.ID, f.At); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// Withdrawals are the withdrawals and restorations of another database.
type withdrawals []track.Withdrawal

func (withdrawals) needs() Rights { return bringWithdrawals }
func (withdrawals) isKnown() bool { return false }

func (s withdrawals) settle(ctx context.Context, d *Door, r *store.Reader, tx *store.Tx) ([]Answer, error) {
	answers := make([]Answer, len(s))
	for i, w := range s {
		known, err := r.HasWithdrawal(ctx, w.ID)
		if err != nil {
			return nil, err
		}
		answers[i] = answerFor(kindWithdrawal, known)
	}
	if tx == nil {
		return answers, nil
	}
	settled, err := tx.AddWithdrawals(s)
	d.counts.Withdrawn += settled.NWithdrawn
	d.counts.Restored += settled.NRestored
	return answers, err
}

// withdrawals brings in what was withdrawn and restored of scenarios, before their seeds and sweeps.
func (m *merge) withdrawals(ctx context.Context, scenarios map[string]bool) error {
	list, err := m.from.Withdrawals(ctx)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(w track.Withdrawal) bool { return !scenarios[w.Scenario] })
	if len(list) == 0 {
		return nil
	}
	return m.put(ctx, withdrawals(list))
}

// tombstones brings in tombstones, before the executions that they keep out. They name no lineage, so all of them come.
func (m *merge) tombstones(ctx context.Context) error {
	list, err := m.from.Tombstones(ctx)
	if err != nil {
		return err
	}
	for len(list) > 0 {
		n := min(len(list), pageOfTombstones)
		if err := m.put(ctx, Tombstones(list[:n])); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}
