package store

import (
	"context"
	"sync"

	"github.com/jmoiron/sqlx"
)

// Changes tells whether the database was changed. It keeps a connection.
type Changes struct {
	engine engine
	mu     sync.Mutex
	conn   *sqlx.Conn
}

// Changes returns what tells whether the database was changed. It must be closed.
func (s *Store) Changes(ctx context.Context) (*Changes, error) {
	conn, err := s.connect(ctx)
	if err != nil {
		return nil, explain(err)
	}
	return &Changes{engine: s.pool.engine, conn: conn}, nil
}

// Cursor returns a number that differs once something was committed after the last call. It can differ without that.
func (c *Changes) Cursor(ctx context.Context) (cursor int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return cursor, explain(c.conn.GetContext(ctx, &cursor, c.engine.changes()))
}

// Close returns the connection.
func (c *Changes) Close() error { return explain(c.conn.Close()) }
