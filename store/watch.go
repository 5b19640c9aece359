package store

import (
	"context"
	"errors"
	"time"

	"track"
)

const (
	lastExecutionRow      = `SELECT coalesce(max(id), 0) FROM execution`
	listExecutionsBetween = selectExecutions + ` AND execution.id > $1 ORDER BY execution.id LIMIT $2`
	ofWatchedLineage      = ` AND lineage_id = (SELECT id FROM lineage WHERE name = $1)`
	openExecutions        = `SELECT ulid FROM execution WHERE is_open = 1`
	executionsBehind      = ` UNION SELECT ulid FROM execution WHERE id > $1`
	newestExecutions      = ` UNION SELECT ulid FROM (SELECT ulid, lineage_id FROM execution ORDER BY id DESC LIMIT 1000) AS newest WHERE TRUE`
	byULID                = ` ORDER BY ulid`
)

// ExecutionMark says which executions somebody knows. A transaction of a server can commit a row with a smaller id than
// those that others have read. So a row is passed only once every transaction has ended that had begun when it was
// the last one: as long as one runs, the rows behind Known are read again.
type ExecutionMark struct {
	Known int64 // all rows up to it are known, and no other will have such an id
	Next  int64 // what Known becomes
	Until int64 // once all transactions below this number have ended
	Read  int64 // rows up to it were read, and more follow now; 0 if none do
}

// ExecutionsEnd returns the mark behind what is recorded.
func (r *Reader) ExecutionsEnd(ctx context.Context) (m ExecutionMark, err error) {
	now, last, err := r.executionHorizon(ctx)
	end := last - now.Slack
	return ExecutionMark{Known: end, Next: end, Until: now.Next}, err
}

func (r *Reader) executionHorizon(ctx context.Context) (now horizon, last int64, err error) {
	if err := r.read().GetContext(ctx, &now, r.pool.engine.horizon()); err != nil {
		return now, 0, explain(err)
	}
	return now, last, explain(r.read().GetContext(ctx, &last, lastExecutionRow))
}

// ExecutionsAfter returns at most limit executions behind a mark in the order in which they were recorded, and the mark
// behind them. One that was recorded again, as more became known of it, stands where that was done. On a server, the
// newest ones can come several times.
func (r *Reader) ExecutionsAfter(ctx context.Context, m ExecutionMark, limit int) ([]track.RecordedExecution, ExecutionMark, error) {
	if m.Read == 0 {
		now, last, err := r.executionHorizon(ctx)
		if err != nil {
			return nil, m, err
		}
		m.Read = min(m.Known, last) // less if the database was restored from an older copy
		if m.Known = m.Read; m.Until <= now.Oldest {
			m.Known, m.Next, m.Until = min(m.Next, last), last-now.Slack, now.Next
		}
		if now.Oldest == now.Next { // nothing runs that could commit a smaller id
			m.Known = m.Next
		}
	}
	var rows []int64
	executions, err := list(ctx, r, listExecutionsBetween, []any{m.Read, limit + 1}, func(c *cells) track.RecordedExecution {
		id, e := c.executionRow()
		rows = append(rows, id)
		return e
	})
	if err != nil {
		return nil, m, err
	}
	m.Read = 0
	if len(rows) > limit {
		m.Read, executions = rows[limit-1], executions[:limit]
	}
	return executions, m, nil
}

// KnownExecutions returns the ids of executions, of a lineage unless it is empty, that can come again behind a mark:
// those that are open, and the newest ones.
func (r *Reader) KnownExecutions(ctx context.Context, m ExecutionMark, lineage string) (ids []string, err error) {
	var c clauses
	for _, part := range []struct {
		text string
		args []any
	}{{openExecutions, nil}, {executionsBehind, []any{m.Known}}, {newestExecutions, nil}} {
		if c.add(part.text, part.args...); lineage != "" {
			c.add(ofWatchedLineage, lineage)
		}
	}
	c.add(byULID)
	query, args := c.statement()
	return ids, explain(r.read().SelectContext(ctx, &ids, query, args...))
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
