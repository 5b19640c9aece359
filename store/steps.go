package store

import (
	"context"
	"math"
)

// inSteps calls step, which changes at most so many rows and returns how many it changed, until nothing is left to
// change. On a server each step is a transaction: what is cut short goes on when it is done again. On a file there is
// one step.
func (s *Store) inSteps(ctx context.Context, step func(tx *Tx, rows int64) (n int64, err error)) error {
	rows, isOnce := int64(s.MaxRows()), false
	if rows == 0 {
		rows, isOnce = math.MaxInt64, true
	}
	for {
		var n int64
		err := s.Update(ctx, func(tx *Tx) (err error) {
			n, err = step(tx, rows)
			return err
		})
		if err != nil || n == 0 || isOnce {
			return err
		}
	}
}

// change runs a statement and returns how many rows it changed.
func (t *Tx) change(statement string, args ...any) (int64, error) {
	result, err := t.exec(statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
