package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"track"
)

// streamSelected streams what a query finds of a selection.
func (r *Reader) streamSelected(ctx context.Context, sel Selection, query string, args []any, visit func(row []driver.Value)) error {
	query, args = sel.of(query, slices.Clone(args)...)
	return r.stream(ctx, query, args, visit)
}

// stream calls visit with each row of a query. The row is valid during the call. If visit panics, because it meets a row
// that this package never writes, the database is damaged.
func (r *Reader) stream(ctx context.Context, query string, args []any, visit func(row []driver.Value)) (err error) {
	rows, err := r.read().QueryxContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	defer catchDamage(&err)
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	row, cells := make([]driver.Value, len(columns)), make([]any, len(columns))
	for i := range row {
		cells[i] = (*any)(&row[i])
	}
	for rows.Next() {
		if err := rows.Scan(cells...); err != nil {
			return err
		}
		visit(row)
	}
	return rows.Err()
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
