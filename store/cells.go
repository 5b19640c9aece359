package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"track"
)

// cells reads the cells of streamed rows one after the other. A cell of a type that the schema does not allow leaves
// damaged set.
type cells struct {
	row     []driver.Value
	next    int
	damaged bool
}

func (c *cells) cell() driver.Value {
	c.next++
	return c.row[c.next-1]
}

// text returns a text; empty for NULL.
func (c *cells) text() string {
	cell := c.cell()
	text, ok := cell.(string)
	c.damaged = c.damaged || !ok && cell != nil
	return text
}

func (c *cells) integer() int64 {
	n, ok := c.cell().(int64)
	c.damaged = c.damaged || !ok
	return n
}

func (c *cells) isTrue() bool { return c.integer() != 0 }

// real returns a number; nil for NULL.
func (c *cells) real() *float64 {
	switch x := c.cell().(type) {
	case float64:
		return &x
	case int64:
		number := float64(x)
		return &number
	case nil:
		return nil
	}
	c.damaged = true
	return nil
}

// optionalText returns a text; nil for NULL.
func (c *cells) optionalText() *string {
	switch cell := c.cell().(type) {
	case string:
		return &cell
	case nil:
		return nil
	}
	c.damaged = true
	return nil
}

// optionalInteger returns a whole number; nil for NULL.
func (c *cells) optionalInteger() *int64 {
	switch cell := c.cell().(type) {
	case int64:
		return &cell
	case nil:
		return nil
	}
	c.damaged = true
	return nil
}

// bytes returns a BLOB, which is valid until the next row; nil for NULL.
func (c *cells) bytes() []byte {
	cell := c.cell()
	blob, ok := cell.([]byte)
	c.damaged = c.damaged || !ok && cell != nil
	return blob
}

// optionalTime returns a time; zero for NULL.
func (c *cells) optionalTime() time.Time {
	if us := c.optionalInteger(); us != nil {
		return fromMicros(*us)
	}
	return time.Time{}
}

// streamCells is [Reader.stream] with the cells of each row.
func (r *Reader) streamCells(ctx context.Context, query string, args []any, visit func(*cells)) error {
	var c cells
	err := r.stream(ctx, query, args, func(row []driver.Value) {
		c.row, c.next = row, 0
		visit(&c)
	})
	return c.check(err)
}

// check returns an error if a cell had a type that the schema does not allow; err is that of reading the cells.
func (c *cells) check(err error) error {
	if err == nil && c.damaged {
		err = fmt.Errorf("%w: a cell has a type that the schema does not allow", track.ErrDamaged)
	}
	return explain(err)
}
