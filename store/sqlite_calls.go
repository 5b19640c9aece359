package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"math"
)

// manyCalls is from how many calls on it is faster to decode their rows from pages than to query them.
const manyCalls = 500

// The columns of the table call, as its rows have them behind the execution.
const (
	columnPosition = iota
	columnKey
	columnTool
	columnsOfCall = 17
)

const getTool = `SELECT name FROM tool WHERE id = $1`

// scanCalls implements [engine].
func (sqliteFile) scanCalls(ctx context.Context, r *Reader, execution int64, n int, visit func(*cells)) error {
	if n < manyCalls || r.pinned == nil {
		return r.streamCells(ctx, listCalls, []any{execution}, visit)
	}
	tools := toolNames{ctx: ctx, Reader: r, known: map[int64]driver.Value{}}
	var row [columnsOfCall]pageCell
	c := cells{row: make([]driver.Value, columnsOfCall)}
	err := scanKey(ctx, r, "call", []int64{execution}, func(_ int64, page *pageRow) (err error) {
		row = [columnsOfCall]pageCell{}
		if page.cells(row[:]); page.err != nil {
			return nil
		}
		for i, cell := range row {
			c.row[i] = cell.value()
		}
		if c.row[columnTool], err = tools.name(row[columnTool]); err != nil {
			return err
		}
		c.next = 0
		visit(&c)
		return nil
	})
	return c.check(err)
}

// toolNames finds the names of tools, each once.
type toolNames struct {
	*Reader
	ctx   context.Context
	known map[int64]driver.Value
}

// name returns the name of a tool; nil if there is no such tool.
func (t toolNames) name(cell pageCell) (driver.Value, error) {
	id := cell.integer()
	if name, known := t.known[id]; known {
		return name, nil
	}
	var name string
	switch err := t.read().GetContext(t.ctx, &name, getTool, id); {
	case errors.Is(err, sql.ErrNoRows):
		t.known[id] = nil
	case err != nil:
		return nil, err
	default:
		t.known[id] = name
	}
	return t.known[id], nil
}

// value returns what the driver makes of a cell.
func (c pageCell) value() driver.Value {
	switch {
	case c.kind == typeNull:
		return nil
	case c.kind == typeFloat:
		return math.Float64frombits(binary.BigEndian.Uint64(c.data))
	case c.kind <= lastNumber:
		return wholeNumber(c.kind, c.data)
	case c.kind%2 == 0:
		return c.data
	}
	return string(c.data)
}
