package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/stdlib"
)

// postgresConnector opens connections that take and give the values that SQLite's driver takes and gives: int64,
// float64, string, []byte and nil. NaN is NULL, and true is 1.
type postgresConnector struct{ driver.Connector }

// Connect implements [driver.Connector].
func (c postgresConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	plain, ok := conn.(*stdlib.Conn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver connects with %T", conn), conn.Close())
	}
	return &postgresConn{Conn: plain}, nil
}

// connect connects. A server takes a moment to give a connection of another process free: if it has none left, connect
// waits for up to 2.5 s.
func (c postgresConnector) connect(ctx context.Context) (driver.Conn, error) {
	const longest = 1280 * time.Millisecond
	for pause := 10 * time.Millisecond; ; pause *= 2 {
		conn, err := c.Connector.Connect(ctx)
		if postgresCode(err) != codeTooMany || pause > longest || wait(ctx, pause) != nil {
			return conn, err
		}
	}
}

// postgresConn is one connection. While its rows are read, another statement may begin: what is left of them is read
// into memory first, because the protocol has one result at a time.
type postgresConn struct {
	*stdlib.Conn
	reading *postgresRows // nil if no rows are open
	isSpent bool          // nobody may use it again
}

// IsValid implements [driver.Validator].
func (c *postgresConn) IsValid() bool { return !c.isSpent }

// CheckNamedValue implements [driver.NamedValueChecker].
func (*postgresConn) CheckNamedValue(arg *driver.NamedValue) (err error) {
	if _, isList := arg.Value.([]int64); isList {
		return nil
	}
	arg.Value, err = driver.DefaultParameterConverter.ConvertValue(arg.Value)
	return err
}

func (c *postgresConn) before(args []driver.NamedValue) error {
	for i := range args {
		args[i].Value = toPostgres(args[i].Value)
	}
	if c.reading == nil {
		return nil
	}
	return c.reading.keepRest()
}

// errConnection is in the error of a statement whose connection was lost.
var errConnection = errors.New("the connection to the server was lost")

// explain tells the end of a connection from the other errors of a statement. A driver says of it only that something
// ended too early.
func (c *postgresConn) explain(err error) error {
	if err == nil || !c.Conn.Conn().IsClosed() {
		return err
	}
	return fmt.Errorf("%w (%w)", errConnection, err)
}

// ExecContext implements [driver.ExecerContext].
func (c *postgresConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.before(args); err != nil {
		return nil, err
	}
	result, err := c.Conn.ExecContext(ctx, query, args)
	return result, c.explain(err)
}

// QueryContext implements [driver.QueryerContext].
func (c *postgresConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.before(args); err != nil {
		return nil, err
	}
	rows, err := c.Conn.QueryContext(ctx, query, args)
	if err != nil {
		return nil, c.explain(err)
	}
	plain, ok := rows.(*stdlib.Rows)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver reads with %T", rows), rows.Close())
	}
	c.reading = newPostgresRows(c, plain)
	return c.reading, nil
}

// PrepareContext implements [driver.ConnPrepareContext]. Nothing is prepared here: the connection prepares a statement
// when it runs it, and keeps it, unless its URL says otherwise, as it must behind PgBouncer.
func (c *postgresConn) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	return &postgresStatement{c, query}, nil
}

// ResetSession implements [driver.SessionResetter].
func (c *postgresConn) ResetSession(ctx context.Context) error {
	c.reading = nil
	return c.Conn.ResetSession(ctx)
}

type postgresStatement struct {
	conn  *postgresConn
	query string
}

func (s *postgresStatement) Close() error  { return nil }
func (s *postgresStatement) NumInput() int { return -1 }

// CheckNamedValue implements [driver.NamedValueChecker].
func (s *postgresStatement) CheckNamedValue(arg *driver.NamedValue) error {
	return s.conn.CheckNamedValue(arg)
}

func (s *postgresStatement) Exec([]driver.Value) (driver.Result, error) {
	return nil, driver.ErrSkip
}

func (s *postgresStatement) Query([]driver.Value) (driver.Rows, error) {
	return nil, driver.ErrSkip
}

func (s *postgresStatement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.ExecContext(ctx, s.query, args)
}

func (s *postgresStatement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.QueryContext(ctx, s.query, args)
}

// postgresRows are the rows of a statement.
type postgresRows struct {
	*stdlib.Rows
	conn  *postgresConn
	types []string
	kept  [][]driver.Value // what was read before another statement began
	isAll bool             // kept is all that was left
	err   error            // of reading it
}

func newPostgresRows(conn *postgresConn, rows *stdlib.Rows) *postgresRows {
	r := &postgresRows{Rows: rows, conn: conn, types: make([]string, len(rows.Columns()))}
	for i := range r.types {
		r.types[i] = rows.ColumnTypeDatabaseTypeName(i)
	}
	return r
}

// keepRest reads what is left into memory.
func (r *postgresRows) keepRest() error {
	for !r.isAll {
		row := make([]driver.Value, len(r.types))
		switch err := r.fetch(row); {
		case errors.Is(err, io.EOF):
			r.isAll = true
		case err != nil:
			r.isAll, r.err = true, err
		default:
			r.kept = append(r.kept, row)
		}
	}
	r.conn.reading = nil
	return r.Rows.Close()
}

// Next implements [driver.Rows].
func (r *postgresRows) Next(row []driver.Value) error {
	switch {
	case !r.isAll:
		return r.fetch(row)
	case len(r.kept) > 0:
		copy(row, r.kept[0])
		r.kept = r.kept[1:]
		return nil
	case r.err != nil:
		return r.err
	}
	return io.EOF
}

func (r *postgresRows) fetch(row []driver.Value) error {
	if err := r.Rows.Next(row); err != nil {
		return r.conn.explain(err)
	}
	for i, value := range row {
		var err error
		if row[i], err = fromPostgres(r.types[i], value); err != nil {
			return err
		}
	}
	return nil
}

// Close implements [driver.Rows].
func (r *postgresRows) Close() error {
	if r.conn.reading != r {
		return nil
	}
	r.conn.reading = nil
	return r.Rows.Close()
}

// toPostgres returns an argument as PostgreSQL takes it.
func toPostgres(value driver.Value) driver.Value {
	switch x := value.(type) {
	case bool:
		if x {
			return int64(1)
		}
		return int64(0)
	case float64:
		if math.IsNaN(x) {
			return nil
		}
	case string:
		return escapeText(x)
	case []byte:
		if x == nil {
			return nil
		}
	}
	return value
}

// fromPostgres returns a value of a column of a type as SQLite would give it.
func fromPostgres(typeName string, value driver.Value) (driver.Value, error) {
	switch x := value.(type) {
	case bool:
		return toPostgres(x), nil
	case time.Time:
		return x.UTC().Format("2006-01-02T15:04:05.000Z"), nil
	case string:
		if typeName == "NUMERIC" { // of sum and avg over whole numbers
			return numberOf(x)
		}
		return unescapeText(x), nil
	case []byte:
		if typeName == "JSON" || typeName == "JSONB" {
			return unescapeText(string(x)), nil
		}
	}
	return value, nil
}

func numberOf(text string) (driver.Value, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err
}

// textEscape begins what stands in a text for a byte that PostgreSQL does not take. It is no character.
const textEscape = "\U0010FFFE"

// escapeText returns a text without zero bytes and bytes that are not UTF-8, which PostgreSQL does not take.
func escapeText(s string) string {
	if strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) && !strings.Contains(s, textEscape) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case s[0] == 0, r == utf8.RuneError && size == 1, s[:size] == textEscape:
			for _, c := range []byte(s[:size]) {
				fmt.Fprintf(&b, "%s%02x", textEscape, c)
			}
		default:
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// unescapeText undoes escapeText.
func unescapeText(s string) string {
	before, rest, found := strings.Cut(s, textEscape)
	if !found {
		return s
	}
	var b strings.Builder
	for found {
		b.WriteString(before)
		if len(rest) >= 2 {
			if c, err := strconv.ParseUint(rest[:2], 16, 8); err == nil {
				b.WriteByte(byte(c))
				rest = rest[2:]
			}
		}
		before, rest, found = strings.Cut(rest, textEscape)
	}
	b.WriteString(before)
	return b.String()
}
