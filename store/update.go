package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
)

// writer is the one connection that writes, with the statements prepared on it and the ids it has seen.
type writer struct {
	engine     engine
	db         *sqlx.DB
	conn       *sqlx.Conn
	statements map[string]*sqlx.Stmt
	judged     []any           // rows of assessments that are inserted together, before something reads the table
	relaxed    bool            // commits do not wait for the disk
	caller     context.Context // of the transaction; no statement begins once it has ended
	last       commitment      // of the last transaction
	isUnknown  bool            // whether it was committed, if the connection is lost
	lease      time.Duration   // how long a server waits for the next statement of a transaction
	reset      string          // when the server of the connection reset its statistics
	resetAsked time.Time       // when that was asked for
	ids        ids
	compressor
}

// ids remembers rows that never change, so that a batch looks each up once. A rollback empties it.
type ids struct {
	scenarios, configurations, environments, lineages, versions map[string]int64

	pairs   map[[2]int64]bool  // scenarios with configurations
	metrics map[int64][]string // of specs, in their order
	names   map[string]bool    // of values, that may be stored
}

func newIDs() ids {
	return ids{
		scenarios: map[string]int64{}, configurations: map[string]int64{}, environments: map[string]int64{}, lineages: map[string]int64{},
		versions: map[string]int64{}, pairs: map[[2]int64]bool{}, metrics: map[int64][]string{}, names: map[string]bool{},
	}
}

// Tx is a write transaction. It reads what it has written.
type Tx struct {
	*Reader
	*writer
	ctx context.Context
	now int64 // microseconds

	NForgotten int // executions that were stored without their texts, because these were forgotten earlier

	anyWithdrawn *bool                // whether anything was ever withdrawn; nil until it is asked
	withdrawn    map[string]Withdrawn // by scenario and hash of the configuration
}

// prepared reads with the statements that the writer keeps.
type prepared struct {
	*writer
	ctx context.Context // of the transaction, which cannot be cancelled
}

func (p prepared) GetContext(_ context.Context, dest any, query string, args ...any) error {
	stmt, err := p.prepare(p.ctx, query)
	if err != nil {
		return err
	}
	return stmt.GetContext(p.ctx, dest, args...)
}

func (p prepared) SelectContext(_ context.Context, dest any, query string, args ...any) error {
	stmt, err := p.prepare(p.ctx, query)
	if err != nil {
		return err
	}
	return stmt.SelectContext(p.ctx, dest, args...)
}

// QueryxContext prepares nothing: while its rows are read, another query of the same text may begin.
func (p prepared) QueryxContext(_ context.Context, query string, args ...any) (*sqlx.Rows, error) {
	if err := p.insertJudged(p.ctx, query); err != nil {
		return nil, err
	}
	return p.conn.QueryxContext(p.ctx, query, args...)
}

func (s *Store) newTx(ctx context.Context, w *writer, attempts *int) *Tx {
	reader := &Reader{now: s.now, pool: s.pool, texts: s.texts, pinned: w.conn, tx: prepared{w, ctx}, attempts: attempts}
	return &Tx{Reader: reader, writer: w, ctx: ctx, now: micros(s.Now())}
}

// Update runs write in an immediate transaction and commits it durably: once Update returns nil, a power cut loses
// nothing of it. An error of write, or the end of ctx before the commit, rolls everything back. If another transaction
// comes in its way, or the connection is lost, all of write runs again: it sets what it leaves, and appends to nothing.
func (s *Store) Update(ctx context.Context, write func(*Tx) error) error {
	return s.update(ctx, false, write)
}

// UpdateRelaxed is [Store.Update] without waiting for the disk: the transaction survives the end of the process at
// once, and a power cut after the next [Store.Sync] or Update.
func (s *Store) UpdateRelaxed(ctx context.Context, write func(*Tx) error) error {
	return s.update(ctx, true, write)
}

func (s *Store) update(ctx context.Context, relaxed bool, write func(*Tx) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	// A context that can be cancelled would cost a goroutine for each statement: one interrupts all of them.
	caller, ctx := ctx, context.WithoutCancel(ctx)
	s.updating.Lock()
	defer s.updating.Unlock()
	const most = 12    // transactions of others in whose way this one may come
	const mostLost = 5 // connections in a row
	var attempts, nLost int
	for pause := time.Millisecond; ; pause *= 2 {
		attempts++
		err = s.updateOnce(caller, ctx, relaxed, write, &attempts)
		switch {
		case err == nil:
			return nil
		case s.writer != nil && s.pool.engine.isLost(s.writer):
			isCommitted, lostErr := s.reconnect(ctx, relaxed)
			if isCommitted || lostErr != nil {
				return explain(lostErr)
			}
			if nLost++; nLost == mostLost || caller.Err() != nil {
				return lostConnection(err)
			}
		case pause >= 1<<most*time.Millisecond || !s.pool.engine.isRepeatable(err):
			return err
		}
		if err := wait(caller, rand.N(pause)); err != nil {
			return err
		}
	}
}

// reconnect lets the next transaction open another connection, since that of the writer is lost, and reports whether
// the last one was committed all the same.
func (s *Store) reconnect(ctx context.Context, relaxed bool) (isCommitted bool, err error) {
	last, isUnknown := s.writer.last, s.writer.isUnknown
	_ = s.writer.close() // it is lost
	s.writer = nil
	if isUnknown {
		isCommitted, err = s.pool.engine.isCommitted(ctx, last)
	}
	if s.relaxed.number != "" && !isCommitted && err == nil { // what is committed last is on the disk last
		isThere, err := s.pool.engine.isCommitted(ctx, s.relaxed)
		if err == nil && !isThere {
			s.relaxed, err = commitment{}, lostRecords()
		}
		return false, err
	}
	if isCommitted {
		s.setRelaxed(relaxed, last)
	}
	return isCommitted, err
}

// setRelaxed notes whether the last transaction may not be on the disk yet.
func (s *Store) setRelaxed(relaxed bool, last commitment) {
	if s.relaxed = (commitment{}); relaxed {
		s.relaxed = last
	}
}

// wait waits for a while, or until ctx ends.
func wait(ctx context.Context, while time.Duration) error {
	timer := time.NewTimer(while)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// updateOnce runs a transaction. Its statements run under ctx, which cannot be cancelled, until caller ends.
func (s *Store) updateOnce(caller, ctx context.Context, relaxed bool, write func(*Tx) error, attempts *int) (err error) {
	unlock, err := s.pool.engine.lock(caller)
	if err != nil {
		return s.pool.engine.openError(err)
	}
	defer unlock()
	if s.writer == nil {
		if s.writer, err = s.pool.engine.openWriter(ctx); err != nil {
			return s.pool.engine.openError(err)
		}
	}
	w := s.writer
	w.lease = s.lease
	if err := s.pool.engine.begin(caller, w, relaxed); err != nil {
		return explain(err)
	}
	w.caller = caller
	interruptible := sync.OnceFunc(s.pool.engine.interruptAtEnd(caller, w.conn))
	committed := false
	defer func() {
		interruptible()
		if !committed {
			w.ids, w.judged = newIDs(), nil
			_, rollbackErr := w.conn.ExecContext(ctx, "ROLLBACK")
			if err == nil { // write panicked
				err = rollbackErr
			}
		}
	}()
	tx := s.newTx(ctx, w, attempts)
	if err := write(tx); err != nil {
		return w.explain(err)
	}
	if err := w.insertJudged(ctx, assessmentTable); err != nil {
		return w.explain(err)
	}
	interruptible()
	if err := caller.Err(); err != nil {
		return err
	}
	if err := s.pool.engine.commit(ctx, w); err != nil {
		return w.explain(err)
	}
	committed = true
	s.setRelaxed(relaxed, w.last)
	return nil
}

// newWriter returns a writer on a connection of db, which it closes.
func newWriter(ctx context.Context, engine engine, db *sqlx.DB) (*writer, error) {
	conn, err := db.Connx(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &writer{engine: engine, db: db, conn: conn, statements: map[string]*sqlx.Stmt{}, ids: newIDs(), caller: ctx}, nil
}

// close finalizes every statement first: SQLite moves the log into the database, and spares the next process from
// reading it, only when nothing is left open.
func (w *writer) close() error {
	var errs []error
	for _, stmt := range w.statements {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, w.conn.Close(), w.db.Close())...)
}

// prepare returns the statement for query, which lives as long as the connection. Queries come from a small fixed set.
func (w *writer) prepare(ctx context.Context, query string) (*sqlx.Stmt, error) {
	if err := w.caller.Err(); err != nil {
		return nil, err
	}
	if err := w.insertJudged(ctx, query); err != nil {
		return nil, err
	}
	if stmt, ok := w.statements[query]; ok {
		return stmt, nil
	}
	stmt, err := w.conn.PreparexContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", query, err)
	}
	w.statements[query] = stmt
	return stmt, nil
}

func (t *Tx) exec(query string, args ...any) (sql.Result, error) {
	stmt, err := t.prepare(t.ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(t.ctx, args...)
}

// change runs a statement and returns how many rows it changed.
func (t *Tx) change(statement string, args ...any) (int64, error) {
	result, err := t.exec(statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// get reads one row into dest; [sql.ErrNoRows] if there is none.
func (t *Tx) get(dest any, query string, args ...any) error {
	return t.read().GetContext(t.ctx, dest, query, args...)
}

// getID reads one number, without the cost of mapping columns; [sql.ErrNoRows] if there is none.
func (t *Tx) getID(id *int64, query string, args ...any) error {
	stmt, err := t.prepare(t.ctx, query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(t.ctx, args...).Scan(id)
}

// findOrAdd returns the id of a row by its only key, from the cache or the table. If there is none, add stores it.
func (t *Tx) findOrAdd(cache map[string]int64, key, find string, add func() (int64, error)) (id int64, err error) {
	if id, ok := cache[key]; ok {
		return id, nil
	}
	if err = t.getID(&id, find, key); isNoRows(err) {
		id, err = add()
	}
	if err == nil && cache != nil {
		cache[key] = id
	}
	return id, err
}

// addRow runs a statement that returns the id of the row that it inserts.
func (t *Tx) addRow(insert string, args ...any) (id int64, err error) {
	return id, t.getID(&id, insert, args...)
}

// commitment is how to find out later whether a transaction was committed.
type commitment struct {
	number string // of the transaction on its server; empty if there is none
	find   string // a query that reports whether one of its records is there; empty if it has none with a name of its own
	args   []any
}

// Queries for records that have a name of their own.
const (
	findSeedByULID       = `SELECT EXISTS (SELECT 1 FROM seed WHERE ulid = $1)`
	findExecutionByULID  = `SELECT EXISTS (SELECT 1 FROM execution WHERE ulid = $1)`
	findSweepByULID      = `SELECT EXISTS (SELECT 1 FROM sweep WHERE ulid = $1)`
	findRepetitionByULID = `SELECT EXISTS (SELECT 1 FROM repetition WHERE ulid = $1 AND seed_id = (SELECT id FROM seed WHERE ulid = $2))`
	findLookByULID       = `SELECT EXISTS (SELECT 1 FROM look WHERE ulid = $1)`
	findAnnotationByULID = `SELECT EXISTS (SELECT 1 FROM annotation WHERE ulid = $1)`
	findWithdrawalByULID = `SELECT EXISTS (SELECT 1 FROM withdrawal WHERE ulid = $1)`
	findEntryByHash      = `SELECT EXISTS (SELECT 1 FROM ledger WHERE lineage_id = $1 AND number = $2 AND hash = $3)`
)

// added notes a record that the transaction has added: it is there later if the transaction was committed.
func (w *writer) added(find string, args ...any) {
	if w.last.find == "" {
		w.last.find, w.last.args = find, args
	}
}
