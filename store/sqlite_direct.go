package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/jmoiron/sqlx"
)

// directStatement is a prepared statement of the driver, which runs without database/sql: its locks, checks and copies
// cost about as much as a short statement itself.
type directStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// direct returns the statement for query, which lives as long as the connection. Queries come from a small fixed set.
func (w *writer) direct(ctx context.Context, query string) (stmt directStatement, err error) {
	if stmt, ok := w.directs[query]; ok {
		return stmt, nil
	}
	if stmt, err = w.engine.direct(ctx, w.conn, w.engine.words(query)); err == nil {
		w.directs[query] = stmt
	}
	return stmt, err
}

// direct implements [engine].
func (sqliteFile) direct(ctx context.Context, conn *sqlx.Conn, query string) (stmt directStatement, err error) {
	err = conn.Raw(func(driverConn any) error {
		stmt, err = prepareDirect(ctx, driverConn, query)
		return err
	})
	return stmt, err
}

// prepareDirect prepares a statement on a connection of the driver.
func prepareDirect(ctx context.Context, conn any, query string) (directStatement, error) {
	preparer, ok := conn.(driver.ConnPrepareContext)
	if !ok {
		return nil, errors.New("the driver cannot prepare statements")
	}
	prepared, err := preparer.PrepareContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", query, err)
	}
	stmt, ok := prepared.(directStatement)
	if !ok {
		return nil, errors.Join(errors.New("the driver cannot execute prepared statements"), prepared.Close())
	}
	return stmt, nil
}

// begunDirect returns the statement for query in a running transaction, and its arguments for the driver. They are valid
// until the next call.
func (t *Tx) begunDirect(query string, args []any) (directStatement, []driver.NamedValue, error) {
	if err := t.caller.Err(); err != nil {
		return nil, nil, err
	}
	stmt, err := t.direct(t.ctx, query)
	if err != nil {
		return nil, nil, err
	}
	t.few = t.few[:0]
	for i, arg := range args {
		value, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return nil, nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		t.few = append(t.few, driver.NamedValue{Ordinal: i + 1, Value: value})
	}
	return stmt, t.few, nil
}

// exec implements [engine].
func (sqliteFile) exec(t *Tx, query string, args []any) (sql.Result, error) {
	stmt, values, err := t.begunDirect(query, args)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(t.ctx, values)
}

// getID implements [engine].
func (sqliteFile) getID(t *Tx, id *int64, query string, args []any) error {
	stmt, values, err := t.begunDirect(query, args)
	if err == nil {
		*id, err = oneNumber(t.ctx, stmt, values)
	}
	return err
}

// oneNumber returns the number that a query answers; [sql.ErrNoRows] if there is none.
func oneNumber(ctx context.Context, stmt directStatement, args []driver.NamedValue) (n int64, err error) {
	rows, err := stmt.QueryContext(ctx, args)
	if err != nil {
		return 0, err
	}
	var row [1]driver.Value
	err = rows.Next(row[:])
	if errors.Is(err, io.EOF) {
		err = sql.ErrNoRows
	}
	n, isNumber := row[0].(int64)
	if err == nil && !isNumber {
		err = fmt.Errorf("the answer is %T and not a number", row[0])
	}
	return n, errors.Join(err, rows.Close())
}

// insertNew implements [engine].
func (s sqliteFile) insertNew(t *Tx, insert string, args []any) (id int64, err error) {
	result, err := s.exec(t, insert, args)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	if err == nil && n == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}
