package store

import (
	"context"
	"strings"
)

// rowsPerInsert bounds the rows of one multi-row insert, and so how many different statements there are.
const rowsPerInsert = 128

// arguments are the arguments of a multi-row insert: int64, float64, string, []byte and nil.
type arguments struct{ values []any }

// arguments returns an empty list, which is valid until the next call.
func (t *Tx) arguments() *arguments {
	t.args.values = t.args.values[:0]
	return &t.args
}

func (a *arguments) add(row ...any) { a.values = append(a.values, row...) }

func (t *Tx) insertRows(insert string, width int, args *arguments) error {
	return t.writer.engine.insertRows(t, insert, width, args)
}

// settle implements [engine]: every row is stored at once.
func (sqliteFile) settle(context.Context, *writer, string) error { return nil }

// insertRows implements [engine], many rows at a time.
func (sqliteFile) insertRows(t *Tx, insert string, width int, args *arguments) error {
	row := "(" + inList(width) + "),"
	for rest := args.values; len(rest) > 0; {
		n := min(len(rest)/width, rowsPerInsert)
		if _, err := t.exec(insert+strings.TrimSuffix(strings.Repeat(row, n), ","), rest[:n*width]...); err != nil {
			return err
		}
		rest = rest[n*width:]
	}
	return nil
}
