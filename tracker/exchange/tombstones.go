package exchange

import (
	"context"

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
