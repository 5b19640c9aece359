package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"track"
)

// streamSelected streams what a query finds of a selection.
func (r *Reader) streamSelected(ctx context.Context, sel Selection, query string, args []any, visit func(row []driver.Value)) error {
	query, args = sel.of(query, slices.Clone(args)...)
	return r.stream(ctx, query, args, visit)
}

// stream hands each row of a query to visit, straight from the driver: for tens of thousands of rows of numbers, what
// database/sql does for each cell takes longer than SQLite. The row is valid during the call. Arguments are int64,
// string or driver.Valuer. If visit panics, because it meets a row that this package never writes, the database is
// damaged.
func (r *Reader) stream(ctx context.Context, query string, args []any, visit func(row []driver.Value)) (err error) {
	named := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		value, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return fmt.Errorf("argument %d: %w", i+1, err)
		}
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: value}
	}
	return r.streamNamed(ctx, query, named, visit)
}

func (r *Reader) streamNamed(ctx context.Context, query string, named []driver.NamedValue, visit func(row []driver.Value)) (err error) {
	if err := r.settle(ctx, query); err != nil {
		return err
	}
	r.pool.statements.Add(1)
	conn := r.pinned
	if conn == nil {
		if conn, err = r.connect(ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, conn.Close()) }()
		defer r.pool.engine.interruptAtEnd(ctx, conn)()
	}
	return conn.Raw(func(driverConn any) (err error) {
		defer catchDamage(&err)
		queryer, ok := driverConn.(driver.QueryerContext)
		if !ok {
			return errors.New("the driver cannot query")
		}
		rows, err := queryer.QueryContext(ctx, r.pool.engine.words(query), named)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		row := make([]driver.Value, len(rows.Columns()))
		for {
			if err := rows.Next(row); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			visit(row)
		}
	})
}

// settle stores what the transaction has inserted and a statement may read.
func (r *Reader) settle(ctx context.Context, statement string) error {
	if tx, ok := r.tx.(prepared); ok {
		return tx.engine.settle(ctx, tx.writer, statement)
	}
	return nil
}

// impossible is what a visit of rows panics with, because the database holds what this package never writes.
type impossible string

// knownRow returns what a row refers to, which a sound database holds.
func knownRow[V any](rows map[int64]V, table string, id int64) V {
	row, ok := rows[id]
	if !ok {
		panic(impossible(fmt.Sprintf("a row refers to %s %d, which does not belong to it", table, id)))
	}
	return row
}

// rowError is a panic over a row.
type rowError struct{ *track.PanicError }

func (*rowError) Error() string { return "a row holds what track never writes" }

func (e *rowError) Unwrap() error { return e.PanicError }

// catchDamage makes a panic over a row an error of damage.
func catchDamage(err *error) {
	switch value := recover().(type) {
	case nil:
	case impossible:
		*err = fmt.Errorf("%w: %s", track.ErrDamaged, string(value))
	default:
		*err = fmt.Errorf("%w: %w", track.ErrDamaged, &rowError{&track.PanicError{Value: value, Stack: string(debug.Stack())}})
	}
}
