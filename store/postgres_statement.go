package store

import (
	"context"
	"database/sql"

	"github.com/jmoiron/sqlx"
)

// direct implements [engine].
func (postgresSchema) direct(context.Context, *sqlx.Conn, string) (directStatement, error) {
	return nil, nil
}

// exec implements [engine].
func (postgresSchema) exec(t *Tx, query string, args []any) (sql.Result, error) {
	stmt, err := t.prepare(t.ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(t.ctx, args...)
}

// getID implements [engine].
func (postgresSchema) getID(t *Tx, id *int64, query string, args []any) error {
	stmt, err := t.prepare(t.ctx, query)
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(t.ctx, args...).Scan(id)
}

// insertNew implements [engine].
func (s postgresSchema) insertNew(t *Tx, insert string, args []any) (id int64, err error) {
	return id, s.getID(t, &id, insert+" RETURNING id", args)
}
