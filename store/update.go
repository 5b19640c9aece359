package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/jmoiron/sqlx"
)

// writer is the one connection that writes, with the statements prepared on it and the ids it has seen.
type writer struct {
	db         *sqlx.DB
	conn       *sqlx.Conn
	statements map[string]*sqlx.Stmt
	multiRows  map[multiRowKey]statement
	args       arguments
	relaxed    bool            // PRAGMA synchronous is NORMAL
	caller     context.Context // of the transaction; no statement begins once it has ended
	ids        ids
	compressor
}

// ids remembers the ids of rows that never change, so that a batch looks each up once. A rollback empties it.
type ids struct {
	scenarios, metrics, configurations, environments map[string]int64
	lineages, versions, tools                        map[string]int64
}

func newIDs() ids {
	return ids{
		scenarios: map[string]int64{}, metrics: map[string]int64{}, configurations: map[string]int64{}, environments: map[string]int64{},
		lineages: map[string]int64{}, versions: map[string]int64{}, tools: map[string]int64{},
	}
}

// Tx is a write transaction. It reads what it has written.
type Tx struct {
	*Reader
	*writer
	ctx context.Context
	now int64 // microseconds

	pairs  []pair         // that seeds were stored for, in their order
	counts map[pair]int64 // of these seeds, less those that were superseded

	NForgotten int // executions that were stored without their texts, because these were forgotten earlier

	anyWithdrawn *bool                // whether anything was ever withdrawn; nil until it is asked
	withdrawn    map[string]Withdrawn // by scenario and hash of the configuration

	unrated map[int64]bool // versions whose fitness is not stored any more
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
	return p.conn.QueryxContext(p.ctx, query, args...)
}

func (s *Store) newTx(ctx context.Context, w *writer) *Tx {
	reader := &Reader{now: s.now, pool: s.pool, texts: s.texts, pinned: w.conn, tx: prepared{w, ctx}}
	return &Tx{Reader: reader, writer: w, ctx: ctx, now: micros(s.Now()), counts: map[pair]int64{}}
}

// Update runs write in an immediate transaction and commits it durably: once Update returns nil, a power cut loses
// nothing of it. An error of write, or the end of ctx before the commit, rolls everything back.
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
	unlock, err := lockFile(caller, s.path+".lock")
	if err != nil {
		return openError(s.path, err)
	}
	defer unlock()
	if s.writer == nil {
		if s.writer, err = openWriter(ctx, s.path); err != nil {
			return openError(s.path, err)
		}
	}
	w := s.writer
	if err := w.relax(ctx, relaxed); err != nil {
		return explain(err)
	}
	if err := w.begin(caller); err != nil {
		return explain(err)
	}
	w.caller = caller
	interruptible := sync.OnceFunc(interruptAtEnd(caller, w.conn))
	committed := false
	defer func() {
		interruptible()
		if !committed {
			w.ids = newIDs()
			_, rollbackErr := w.conn.ExecContext(ctx, "ROLLBACK")
			if err == nil { // write panicked
				err = rollbackErr
			}
		}
	}()
	tx := s.newTx(ctx, w)
	if err := write(tx); err != nil {
		return w.explain(err)
	}
	if err := tx.storeCounts(); err != nil {
		return w.explain(err)
	}
	interruptible()
	if err := caller.Err(); err != nil {
		return err
	}
	if _, err := w.conn.ExecContext(ctx, "COMMIT"); err != nil {
		return w.explain(err)
	}
	committed = true
	return nil
}

func openWriter(ctx context.Context, path string) (*writer, error) {
	return openConnection(ctx, dataSource(path, "mode=rw"))
}

func openConnection(ctx context.Context, source string) (*writer, error) {
	db, err := openPool(source)
	if err != nil {
		return nil, err
	}
	conn, err := db.Connx(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &writer{db: db, conn: conn, statements: map[string]*sqlx.Stmt{}, multiRows: map[multiRowKey]statement{}, ids: newIDs(), caller: ctx}, nil
}

// close finalizes every statement first: SQLite moves the log into the database, and spares the next process from
// reading it, only when nothing is left open.
func (w *writer) close() error {
	var errs []error
	for _, stmt := range w.statements {
		errs = append(errs, stmt.Close())
	}
	errs = append(errs, w.conn.Raw(func(any) error {
		for _, stmt := range w.multiRows {
			errs = append(errs, stmt.Close())
		}
		return nil
	}))
	return errors.Join(append(errs, w.conn.Close(), w.db.Close())...)
}

// prepare returns the statement for query, which lives as long as the connection. Queries come from a small fixed set.
func (w *writer) prepare(ctx context.Context, query string) (*sqlx.Stmt, error) {
	if err := w.caller.Err(); err != nil {
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

// get reads one row into dest; [sql.ErrNoRows] if there is none.
func (t *Tx) get(dest any, query string, args ...any) error {
	return t.read().GetContext(t.ctx, dest, query, args...)
}

// getID reads one number, without the cost of mapping columns.
func (t *Tx) getID(id *int64, query string, args ...any) error {
	stmt, err := t.prepare(t.ctx, query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(t.ctx, args...).Scan(id)
}

func (t *Tx) selectAll(dest any, query string, args ...any) error {
	return t.read().SelectContext(t.ctx, dest, query, args...)
}

// cachedID returns the id of the row that key names, from the cache or else from lookup.
func cachedID(cache map[string]int64, key string, lookup func() (int64, error)) (int64, error) {
	if id, ok := cache[key]; ok {
		return id, nil
	}
	id, err := lookup()
	if err == nil {
		cache[key] = id
	}
	return id, err
}

// upsert returns the id of a row, which insert creates unless it is there.
func (t *Tx) upsert(find string, key any, insert string, args ...any) (id int64, err error) {
	if err = t.get(&id, find, key); !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	return id, t.get(&id, insert, args...)
}
