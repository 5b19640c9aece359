package store

import (
	"context"
	"errors"
	"time"

	"track"
)

const (
	lastExecutionRow    = `SELECT coalesce(max(id), 0) FROM execution`
	listExecutionsAfter = selectExecutions + ` AND execution.id > $1 ORDER BY execution.id`
	listOpenIDs         = `SELECT ulid FROM execution WHERE is_open = 1`
)

// LastExecutionRow returns a mark for [Reader.ExecutionsAfter]: where the executions that were recorded so far end.
func (r *Reader) LastExecutionRow(ctx context.Context) (mark int64, err error) {
	return mark, explain(r.read().GetContext(ctx, &mark, lastExecutionRow))
}

// ExecutionsAfter returns the executions behind a mark in the order in which they were recorded, and the mark behind
// them. One that was recorded again, as more became known of it, stands where that was done.
func (r *Reader) ExecutionsAfter(ctx context.Context, mark int64) ([]track.RecordedExecution, int64, error) {
	var rows []executionRow
	if err := r.read().SelectContext(ctx, &rows, listExecutionsAfter, mark); err != nil {
		return nil, mark, explain(err)
	}
	list := make([]track.RecordedExecution, len(rows))
	for i, row := range rows {
		list[i], mark = row.execution(), row.RowID
	}
	return list, mark, nil
}

// OpenExecutions returns the ids of executions that may still change.
func (r *Reader) OpenExecutions(ctx context.Context) (ids []string, err error) {
	return ids, explain(r.read().SelectContext(ctx, &ids, listOpenIDs))
}

// Sync waits until everything committed is on the disk.
func (s *Store) Sync() error {
	s.updating.Lock()
	defer s.updating.Unlock()
	if err := s.pool.engine.sync(s.relaxed); err != nil {
		return explain(err)
	}
	s.relaxed = commitment{}
	return nil
}

// Watch calls changed at once, and again whenever somebody else has changed the database, until ctx ends or changed
// returns an error. It looks every interval, which costs next to nothing if nothing changed.
func (s *Store) Watch(ctx context.Context, interval time.Duration, changed func() error) (err error) {
	changes, err := s.Changes(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, changes.Close()) }()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for last := int64(-1); ; {
		version, err := changes.Cursor(ctx)
		if err != nil {
			return err
		}
		if version != last {
			if err := changed(); err != nil {
				return err
			}
			last = version
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}
