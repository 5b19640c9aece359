package lineages

import (
	"context"
	"fmt"
	"time"

	"track"
	"track/evolution"
	"track/store"
)

// withdraw takes back a mutation that is not accepted.
func withdraw(ctx context.Context, st *store.Store, lineage, mutation, reason string, at time.Time) (m store.Mutation, err error) {
	err = change(ctx, st, lineage, func(tx *store.Tx, l *Lineage) error {
		if m, err = tx.Mutation(ctx, l.Evolving, mutation); err != nil {
			return err
		}
		switch m.State {
		case evolution.MutationWithdrawn:
			return nil
		case evolution.MutationAccepted, evolution.MutationRefused:
			err := fmt.Errorf("%w: mutation %s is %s", track.ErrConflict, m.Key, m.State)
			return track.WithHint(err, track.NewHint("leave an accepted version", "rollback", l.Name))
		}
		m, err = TakeBack(tx, l, m, reason, at)
		return err
	})
	return m, err
}

// TakeBack records that an open mutation is withdrawn.
func TakeBack(tx *store.Tx, l *Lineage, m store.Mutation, reason string, at time.Time) (store.Mutation, error) {
	m.State = evolution.MutationWithdrawn
	body := evolution.Withdrawal{Mutation: m.Key, Reason: withoutSecrets(tx.Reader, reason)}
	if _, err := appendEntry(tx, l, evolution.KindWithdrawal, body, l.Head, orNow(at, tx.Reader)); err != nil {
		return m, err
	}
	return m, tx.SetMutationState(m)
}
