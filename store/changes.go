package store

import (
	"context"
	"errors"
	"sync"

	"github.com/jmoiron/sqlx"
)

// Changes tells whether the database was changed. It keeps a connection.
type Changes struct {
	mu   sync.Mutex
	conn *sqlx.Conn
	stmt *sqlx.Stmt // that asks for the cursor
}

// Changes returns what tells whether the database was changed. It must be closed.
func (s *Store) Changes(ctx context.Context) (*Changes, error) {
	db, err := s.pool.open()
	if err != nil {
		return nil, explain(err)
	}
	conn, err := db.Connx(ctx)
	if err != nil {
		return nil, explain(err)
	}
	stmt, err := conn.PreparexContext(ctx, s.pool.engine.changes())
	if err != nil {
		return nil, errors.Join(explain(err), conn.Close())
	}
	return &Changes{conn: conn, stmt: stmt}, nil
}

// Cursor returns a number that differs once something was committed after the last call. It can differ without that.
// The end of ctx does not end the query: the driver of a server would close the connection, which others need too.
func (c *Changes) Cursor(ctx context.Context) (cursor int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
	defer cancel()
	return cursor, explain(c.stmt.QueryRowContext(ctx).Scan(&cursor))
}

// Close returns the connection.
func (c *Changes) Close() error {
	return explain(errors.Join(c.stmt.Close(), c.conn.Close()))
}
