package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"track"
)

// Query runs one reading statement and hands each row to visit: int64, float64, string, []byte or nil for each column.
// The connection is read-only, and only SELECT, WITH, VALUES and EXPLAIN are let through to it. A text or BLOB of more
// than [largestValue] bytes is refused.
func (r *Reader) Query(ctx context.Context, query string, visit func(columns []string, row []any) error) (columns []string, err error) {
	if err := checkReading(query); err != nil {
		return nil, err
	}
	err = r.Snapshot(ctx, func(r *Reader) error {
		release, err := r.pool.engine.limitValues(r.pinned, largestValue)
		if err != nil {
			return err
		}
		defer release()
		columns, err = r.query(ctx, query, visit)
		return err
	})
	return columns, r.withNames(ctx, query, err)
}

// largestValue is the largest number of bytes of a text or BLOB of a query.
const largestValue = 64 << 20

func (r *Reader) query(ctx context.Context, query string, visit func(columns []string, row []any) error) (columns []string, err error) {
	// A server sends all rows of a statement, even those that nobody wants any more, unless the statement is ended.
	wanted, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer r.pool.engine.interruptAtEnd(wanted, r.pinned)()
	rows, err := r.read().QueryxContext(ctx, query)
	if err != nil {
		return nil, queryError(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	if columns, err = rows.Columns(); err != nil {
		return nil, err
	}
	tellApart(columns)
	for rows.Next() {
		row, err := rows.SliceScan()
		if err != nil {
			return columns, err
		}
		if err := visit(columns, row); err != nil {
			end()
			return columns, err
		}
	}
	return columns, queryError(ctx, rows.Err())
}

// tellApart numbers columns of the same name: the second id becomes id_2.
func tellApart(columns []string) {
	taken := map[string]bool{}
	for i, name := range columns {
		for n := 2; taken[columns[i]]; n++ {
			columns[i] = fmt.Sprintf("%s_%d", name, n)
		}
		taken[columns[i]] = true
	}
}

// queryError distinguishes a wrong query from a broken database and from an interruption.
func queryError(ctx context.Context, err error) error {
	hint := track.Hint{Text: "docs/reference/sql.md describes the views v_seed, v_result, v_stability, v_sweep, v_run and others"}
	switch explained := explain(err); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case postgresCode(err) == codeCancelled:
		return track.WithHint(fmt.Errorf("%w: the server ended the query, because its time is limited", track.ErrInvalid), track.Hint{Text: "ask for less, by a condition or with LIMIT"})
	case isTooLarge(err):
		return track.WithHint(fmt.Errorf("%w: a value of the query is larger than %d MiB", track.ErrInvalid, largestValue>>20),
			track.Hint{Text: "select a part of it, as with substr"})
	case isReadOnly(err):
		hint = onlyReads()
	case errors.Is(explained, track.ErrDatabase):
		return explained
	}
	return track.WithHint(fmt.Errorf("%w: %w", track.ErrInvalid, err), hint)
}

func onlyReads() track.Hint {
	return track.NewHint("record seeds with another command; a query only reads", "record seed")
}

func checkReading(query string) error {
	word := strings.ToUpper(firstWord(query))
	switch word {
	case "SELECT", "WITH", "VALUES", "EXPLAIN":
	default:
		return track.WithHint(fmt.Errorf("%w: a query begins with SELECT, WITH, VALUES or EXPLAIN, not %q", track.ErrInvalid, word), nearestOf(word, []string{"SELECT", "WITH", "VALUES", "EXPLAIN"}, onlyReads()))
	}
	if statements := splitStatements(query); len(statements) > 1 {
		return fmt.Errorf("%w: one statement at a time, not %d", track.ErrInvalid, len(statements))
	}
	return nil
}

// firstWord skips white space, comments and opening parentheses.
func firstWord(query string) string {
	for {
		query = strings.TrimLeft(query, " \t\r\n\f\v(")
		switch {
		case strings.HasPrefix(query, "--"):
			_, query, _ = strings.Cut(query, "\n")
		case strings.HasPrefix(query, "/*"):
			_, query, _ = strings.Cut(query[2:], "*/")
		default:
			end := strings.IndexFunc(query, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') })
			if end >= 0 {
				query = query[:end]
			}
			return query
		}
	}
}

// splitStatements cuts at the semicolons outside of strings, names and comments, and drops what is empty.
func splitStatements(query string) (statements []string) {
	start := 0
	add := func(end int) {
		if firstWord(query[start:end]) != "" {
			statements = append(statements, query[start:end])
		}
	}
	for i := 0; i < len(query); i++ {
		switch c := query[i]; {
		case c == '\'' || c == '"' || c == '`':
			i = skipTo(query, i+1, string(c))
		case c == '[':
			i = skipTo(query, i+1, "]")
		case strings.HasPrefix(query[i:], "--"):
			i = skipTo(query, i+2, "\n")
		case strings.HasPrefix(query[i:], "/*"):
			i = skipTo(query, i+2, "*/")
		case c == ';':
			add(i)
			start = i + 1
		}
	}
	add(len(query))
	return statements
}

// skipTo returns the index of the last byte of the first end from i on, or of the last byte of query.
func skipTo(query string, i int, end string) int {
	if i >= len(query) {
		return len(query) - 1
	}
	at := strings.Index(query[i:], end)
	if at < 0 {
		return len(query) - 1
	}
	return i + at + len(end) - 1
}
