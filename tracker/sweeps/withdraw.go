package sweeps

import (
	"context"
	"fmt"

	"track"
	"track/answer"
	"track/store"
	"track/tracker/seeds"
)

// Withdraw takes back a sweep: what it did not run is not missing any more, and unless the plan alone is withdrawn,
// what it measured does not count.
func Withdraw(ctx context.Context, st *store.Store, q answer.WithdrawSweepQuestion) (a answer.WithdrawalReceipt, err error) {
	s, err := seeds.FindSweep(ctx, st.Reader, q.ID)
	if err != nil {
		return a, err
	}
	subjects := []track.Withdrawal{{Kind: track.WithdrawnSweep, Scenario: s.Scenario, Sweep: s.ID}}
	if !q.PlanOnly {
		measured, err := st.MeasuredBy(ctx, s.Scenario, s.ID)
		if err != nil {
			return a, err
		}
		subjects = append(subjects, measured...)
	}
	if s.Withdrawn != nil && len(subjects) == 1 {
		err := fmt.Errorf("%w: sweep %s was withdrawn already: %s", track.ErrConflict, track.ShortID(s.ID), s.Withdrawn.Reason)
		return a, track.WithHint(err, track.NewHint("restore it", "restore sweep", track.ShortID(s.ID)).With("reason", "TEXT"))
	}
	return seeds.RecordWithdrawals(ctx, st, track.ActionWithdrawn, subjects, q.Change)
}

// Restore makes the plan of a withdrawn sweep count again, with the seeds that were withdrawn with it.
func Restore(ctx context.Context, st *store.Store, q answer.RestoreSweepQuestion) (a answer.WithdrawalReceipt, err error) {
	s, err := seeds.FindSweep(ctx, st.Reader, q.ID)
	if err != nil {
		return a, err
	}
	if s.Withdrawn == nil {
		err := fmt.Errorf("sweep %s is not withdrawn: %w", track.ShortID(s.ID), track.ErrNotFound)
		return a, track.WithHint(err, track.NewHint("list the sweeps", "sweep list", s.Scenario))
	}
	measured, err := st.WithdrawnWith(ctx, s.ID)
	if err != nil {
		return a, err
	}
	subjects := append([]track.Withdrawal{{Kind: track.WithdrawnSweep, Scenario: s.Scenario, Sweep: s.ID}}, measured...)
	return seeds.RecordWithdrawals(ctx, st, track.ActionRestored, subjects, q.Change)
}
