package store

import (
	"context"
	"database/sql/driver"
	"strings"
)

// rowsPerInsert bounds the rows of one multi-row insert, and so how many different statements there are.
const rowsPerInsert = 128

// arguments are the arguments of a multi-row insert. They go to the driver without database/sql, which would check and
// copy each: int64, float64, string, []byte and nil are what the driver takes.
type arguments struct{ values []driver.NamedValue }

// arguments returns an empty list, which is valid until the next call.
func (t *Tx) arguments() *arguments {
	t.args.values = t.args.values[:0]
	return &t.args
}

func (a *arguments) add(row ...driver.Value) {
	for _, value := range row {
		a.values = append(a.values, driver.NamedValue{Value: value})
	}
}

func (t *Tx) insertRows(insert string, width int, args *arguments) error {
	return t.writer.engine.insertRows(t, insert, width, args)
}

// settle implements [engine]: every row is stored at once.
func (sqliteFile) settle(context.Context, *writer, string) error { return nil }

// insertRows implements [engine], many rows at a time.
func (sqliteFile) insertRows(t *Tx, insert string, width int, args *arguments) error {
	for rest := args.values; len(rest) > 0; {
		n := min(len(rest)/width, rowsPerInsert)
		stmt, err := t.multiRow(insert, width, n)
		if err != nil {
			return err
		}
		chunk := rest[:n*width]
		for i := range chunk {
			chunk[i].Ordinal = i + 1
		}
		if _, err := stmt.ExecContext(t.ctx, chunk); err != nil {
			return err
		}
		rest = rest[n*width:]
	}
	return nil
}

type multiRowKey struct {
	insert string
	rows   int
}

// multiRow returns the statement insert for n rows of width columns, which lives as long as the connection.
func (t *Tx) multiRow(insert string, width, n int) (directStatement, error) {
	if err := t.caller.Err(); err != nil {
		return nil, err
	}
	key := multiRowKey{insert, n}
	if stmt, ok := t.multiRows[key]; ok {
		return stmt, nil
	}
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", width), ",") + "),"
	query := insert + strings.TrimSuffix(strings.Repeat(row, n), ",")
	stmt, err := t.writer.engine.direct(t.ctx, t.conn, t.writer.engine.words(query))
	if err == nil {
		t.multiRows[key] = stmt
	}
	return stmt, err
}
