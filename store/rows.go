package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"track"
)

// cells reads the cells of a row one after the other; NULL is the zero value. A cell of a type that the schema does not
// allow, or that cannot be decoded, makes the query return an error of damage.
type cells struct {
	row  []driver.Value
	next int
	err  error
}

func (c *cells) cell() driver.Value {
	c.next++
	return c.row[c.next-1]
}

// fail notes damage.
func (c *cells) fail(err error) {
	if c.err == nil && err != nil {
		c.err = err
	}
}

func cellOf[T any](c *cells) (value T, known bool) {
	switch cell := c.cell().(type) {
	case T:
		return cell, true
	case nil:
	default:
		c.fail(fmt.Errorf("%w: a cell has a type that the schema does not allow", track.ErrDamaged))
	}
	return value, false
}

func pointerOf[T any](c *cells) *T {
	if value, known := cellOf[T](c); known {
		return &value
	}
	return nil
}

func (c *cells) text() string {
	text, _ := cellOf[string](c)
	return text
}

func (c *cells) integer() int64 {
	n, _ := cellOf[int64](c)
	return n
}

func (c *cells) count() int   { return int(c.integer()) }
func (c *cells) isTrue() bool { return c.integer() != 0 }

func (c *cells) number() track.SeedNumber { return track.SeedNumber(c.integer()) }

// bytes returns a BLOB, which is valid until the next row.
func (c *cells) bytes() []byte {
	blob, _ := cellOf[[]byte](c)
	return blob
}

func (c *cells) digest() (digest [sha256.Size]byte) {
	copy(digest[:], c.bytes())
	return digest
}

// real returns a number; NaN for NULL.
func (c *cells) real() float64 {
	if x := c.realOrNil(); x != nil {
		return *x
	}
	return math.NaN()
}

func (c *cells) realOrNil() *float64 {
	if n, isWhole := c.row[c.next].(int64); isWhole {
		c.next++
		x := float64(n)
		return &x
	}
	return pointerOf[float64](c)
}

func (c *cells) textOrNil() *string   { return pointerOf[string](c) }
func (c *cells) integerOrNil() *int64 { return pointerOf[int64](c) }

func (c *cells) countOrNil() *int {
	if n := c.integerOrNil(); n != nil {
		count := int(*n)
		return &count
	}
	return nil
}

func (c *cells) time() time.Time {
	if us := c.integerOrNil(); us != nil {
		return fromMicros(*us)
	}
	return time.Time{}
}

func (c *cells) duration() *time.Duration {
	if us := c.integerOrNil(); us != nil {
		d := time.Duration(*us) * time.Microsecond
		return &d
	}
	return nil
}

// decompressed returns a text as [compressor.compress] stored it.
func (c *cells) decompressed() string {
	text, err := decompress(c.bytes())
	c.fail(err)
	return text
}

// json decodes a JSON text into a value, which stays as it is for NULL.
func (c *cells) json(what string, into any) {
	if text := c.text(); text != "" {
		c.fail(decodeStored(what, []byte(text), into))
	}
}

// each calls visit with the cells of each row of a query.
func (r *Reader) each(ctx context.Context, query string, args []any, visit func(*cells)) (err error) {
	rows, err := r.read().QueryxContext(ctx, query, args...)
	if err != nil {
		return explain(err)
	}
	defer func() { err = explain(errors.Join(err, rows.Close())) }()
	defer catchDamage(&err)
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	c := cells{row: make([]driver.Value, len(columns))}
	into := make([]any, len(columns))
	for i := range c.row {
		into[i] = (*any)(&c.row[i])
	}
	for rows.Next() && c.err == nil {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		c.next = 0
		visit(&c)
	}
	return errors.Join(c.err, rows.Err())
}

// list reads the rows of a query.
func list[T any](ctx context.Context, r *Reader, query string, args []any, row func(*cells) T) ([]T, error) {
	all := []T{}
	err := r.each(ctx, query, args, func(c *cells) { all = append(all, row(c)) })
	return all, err
}

// first reads the first row of a query; nil if there is none.
func first[T any](ctx context.Context, r *Reader, query string, args []any, row func(*cells) T) (*T, error) {
	all, err := list(ctx, r, query, args, row)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// rowError is a panic over a row.
type rowError struct{ *track.PanicError }

func (*rowError) Error() string { return "a row holds what track never writes" }

func (e *rowError) Unwrap() error { return e.PanicError }

// catchDamage makes a panic over a row an error of damage.
func catchDamage(err *error) {
	if value := recover(); value != nil {
		*err = fmt.Errorf("%w: %w", track.ErrDamaged, &rowError{&track.PanicError{Value: value, Stack: string(debug.Stack())}})
	}
}

func isNoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// clauses builds a statement of constant fragments, with its arguments.
type clauses struct {
	text strings.Builder
	args []any
}

// add appends a fragment, whose placeholders count from $1, and its arguments. A {list} in it becomes the placeholders
// of the last argument, a slice of values.
func (c *clauses) add(fragment string, args ...any) {
	before, after, isList := strings.Cut(fragment, "{list}")
	if !isList {
		c.renumber(fragment)
		c.args = append(c.args, args...)
		return
	}
	c.add(before, args[:len(args)-1]...)
	for i, value := range args[len(args)-1].([]any) {
		if i > 0 {
			c.text.WriteString(", ")
		}
		c.add("$1", value)
	}
	if len(args[len(args)-1].([]any)) == 0 {
		c.text.WriteString("NULL") // PostgreSQL has no empty list
	}
	c.text.WriteString(after)
}

// renumber appends a fragment with the arguments so far before its own.
func (c *clauses) renumber(fragment string) {
	by := len(c.args)
	for {
		before, after, found := strings.Cut(fragment, "$")
		c.text.WriteString(before)
		if !found {
			return
		}
		digits := len(after) - len(strings.TrimLeft(after, "0123456789"))
		n, err := strconv.Atoi(after[:digits])
		c.text.WriteByte('$')
		if err == nil { // else it is no placeholder
			c.text.WriteString(strconv.Itoa(n + by))
		}
		fragment = after[digits:]
	}
}

func (c *clauses) statement() (text string, args []any) { return c.text.String(), c.args }

func anys[T any](list []T) []any {
	values := make([]any, len(list))
	for i, v := range list {
		values[i] = v
	}
	return values
}

// nullText returns a text for a column in which unknown is NULL.
func nullText(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func nullTime(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return micros(t)
}

func nullMicros(d *time.Duration) any {
	if d == nil {
		return nil
	}
	return d.Microseconds()
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(us int64) time.Time { return time.UnixMicro(us).UTC() }

// compressor compresses texts one after the other.
type compressor struct {
	gzip *gzip.Writer // made when it is first needed: it takes most of a megabyte
}

func (c *compressor) compress(text string) ([]byte, error) {
	var b bytes.Buffer
	if c.gzip == nil {
		c.gzip = gzip.NewWriter(&b)
	} else {
		c.gzip.Reset(&b)
	}
	_, err := io.WriteString(c.gzip, text)
	err = errors.Join(err, c.gzip.Close())
	return b.Bytes(), err
}

// decompress returns the text that compress was given. Nothing is the empty text.
func decompress(data []byte) (string, error) {
	if len(data) == 0 {
		return "", nil
	}
	return decompressWithin(data, math.MaxInt64-1)
}

// decompressWithin is [decompress] for at most so many bytes.
func decompressWithin(data []byte, most int64) (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("%w: compressed text: %w", track.ErrDamaged, err)
	}
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
	if err != nil {
		return "", fmt.Errorf("%w: compressed text: %w", track.ErrDamaged, err)
	}
	return string(text), nil
}

// decodeStored decodes the JSON of a column.
func decodeStored(what string, text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%w: %s: %w", track.ErrDamaged, what, err)
	}
	return nil
}
