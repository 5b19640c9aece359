package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"track"
	"track/internal/admission"
)

// Reader reads from a database: what was committed last, one state of it in [Reader.Snapshot], or what a transaction
// sees. [Store] and [Tx] embed one. The Reader of a store may be used by several goroutines, the others by one.
type Reader struct {
	now    func() time.Time
	texts  *admission.Rules
	pool   *pool
	pinned *sqlx.Conn // of the snapshot or the transaction; nil if the pool is read from

	tx       querier // the prepared statements of the transaction; nil outside one
	attempts *int    // at the transaction, which its Readers share; nil outside one
}

// Repeats reports whether an earlier Reader is of the same transaction, which was rolled back and runs again: what was
// learnt through that Reader may not be so.
func (r *Reader) Repeats(earlier *Reader) bool {
	return earlier != nil && r != earlier && r.attempts != nil && r.attempts == earlier.attempts
}

// querier is what reads are asked of.
type querier interface {
	GetContext(ctx context.Context, dest any, query string, args ...any) error
	SelectContext(ctx context.Context, dest any, query string, args ...any) error
	QueryxContext(ctx context.Context, query string, args ...any) (*sqlx.Rows, error)
}

// Hear calls heard with each query that reads, in transactions too.
func (r *Reader) Hear(heard func(query string, args []any)) { r.pool.seen = heard }

// Path returns the path of the database, or the URL of its server without the password.
func (r *Reader) Path() string { return r.pool.path }

// Texts returns the rules by which texts are recorded.
func (r *Reader) Texts() *admission.Rules { return r.texts }

// Now returns the time at which something is recorded, to the microsecond.
func (r *Reader) Now() time.Time { return r.now().UTC().Truncate(time.Microsecond) }

// Snapshot calls read with a Reader of one state of the database, whatever is recorded meanwhile. The Reader is valid
// until read returns. Within a snapshot or a transaction, read gets the same state.
func (r *Reader) Snapshot(ctx context.Context, read func(*Reader) error) (err error) {
	if r.pinned != nil {
		return read(r)
	}
	db, err := r.pool.open()
	if err != nil {
		return explain(err)
	}
	conn, err := db.Connx(ctx)
	if err != nil {
		return explain(err)
	}
	defer func() { err = errors.Join(err, explain(conn.Close())) }()
	if _, err := conn.ExecContext(ctx, r.pool.engine.beginReading()); err != nil {
		return explain(err)
	}
	release := r.pool.engine.interruptAtEnd(ctx, conn)
	defer func() {
		release()
		_, rollbackErr := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") // or the connection would go back in a transaction
		err = cmp.Or(err, explain(rollbackErr))
	}()
	return read(&Reader{now: r.now, pool: r.pool, texts: r.texts, pinned: conn})
}

// read returns what to read one statement from.
func (r *Reader) read() querier {
	switch {
	case r.tx != nil:
		return checked{r.pool, r.tx}
	case r.pinned != nil:
		return checked{r.pool, r.pinned}
	}
	db, err := r.pool.open()
	if err != nil {
		return unreachable{err}
	}
	return checked{r.pool, db}
}

// get reads one row; the error is [sql.ErrNoRows] if there is none.
func (r *Reader) get(ctx context.Context, dest any, query string, args ...any) error {
	return explain(r.read().GetContext(ctx, dest, query, args...))
}

// selectAll reads all rows.
func (r *Reader) selectAll(ctx context.Context, dest any, query string, args ...any) error {
	return explain(r.read().SelectContext(ctx, dest, query, args...))
}

// exists reports whether a query finds something.
func (r *Reader) exists(ctx context.Context, query string, args ...any) (found bool, err error) {
	return found, r.get(ctx, &found, "SELECT EXISTS ("+query+")", args...)
}

// checked reads from a database that may be damaged: a row of other types than its table has is an error of damage.
type checked struct {
	pool *pool
	from querier
}

func (c checked) GetContext(ctx context.Context, dest any, query string, args ...any) error {
	c.pool.note(query, args)
	return scanError(ctx, c.from.GetContext(ctx, dest, query, args...))
}

func (c checked) SelectContext(ctx context.Context, dest any, query string, args ...any) error {
	c.pool.note(query, args)
	return scanError(ctx, c.from.SelectContext(ctx, dest, query, args...))
}

func (c checked) QueryxContext(ctx context.Context, query string, args ...any) (*sqlx.Rows, error) {
	c.pool.note(query, args)
	return c.from.QueryxContext(ctx, query, args...)
}

// unreachable is a database to which there is no connection.
type unreachable struct{ err error }

func (u unreachable) GetContext(context.Context, any, string, ...any) error    { return u.err }
func (u unreachable) SelectContext(context.Context, any, string, ...any) error { return u.err }
func (u unreachable) QueryxContext(context.Context, string, ...any) (*sqlx.Rows, error) {
	return nil, u.err
}

// scanError tells what could not be scanned, which has no type of its own, from the errors that have one.
func scanError(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || isNoRows(err) || isDriverError(err) {
		return err
	}
	return fmt.Errorf("%w: %w", track.ErrDamaged, err)
}

// mostIdle is how many read-only connections are kept open while nobody reads. To open one costs as much as many short
// questions: SQLite reads the schema.
const mostIdle = 4

// pool holds the read-only connections of a store.
type pool struct {
	path   string // of the database, or the URL of its server without the password
	engine engine
	seen   func(query string, args []any) // hears of each query; mostly nil

	mu sync.Mutex
	db *sqlx.DB // nil until something is read
}

func (p *pool) note(query string, args []any) {
	if p.seen != nil {
		p.seen(query, args)
	}
}

// open returns the connections.
func (p *pool) open() (_ *sqlx.DB, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.db == nil {
		p.db, err = p.engine.openReaders()
	}
	return p.db, err
}

func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.db == nil {
		return nil
	}
	return p.db.Close()
}
