package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"track"
	"track/internal/near"
)

// QueryViews runs one SELECT over the views, and hands each row to visit: int64, float64, string, []byte or nil for
// each column. [checkQuery] says what it may name. On a server it runs with the rights of [queryRole]. A text or BLOB
// of more than [largestValue] bytes is refused.
func (r *Reader) QueryViews(ctx context.Context, query string, visit func(columns []string, row []any) error) (columns []string, err error) {
	if err := checkQuery(query, r.pool.engine.isServer()); err != nil {
		return nil, err
	}
	err = r.Snapshot(ctx, func(r *Reader) error {
		release, err := r.pool.engine.confine(ctx, r.pinned)
		if err != nil {
			return err
		}
		defer release()
		columns, err = r.query(ctx, query, visit)
		return err
	})
	return columns, r.withNames(ctx, query, err)
}

// Query is [Reader.QueryViews] for a statement of this program, which may read tables.
func (r *Reader) Query(ctx context.Context, query string, visit func(columns []string, row []any) error) (columns []string, err error) {
	err = r.Snapshot(ctx, func(r *Reader) error {
		columns, err = r.query(ctx, query, visit)
		return err
	})
	return columns, err
}

// largestValue is the largest number of bytes of a text or BLOB of a query.
const largestValue = 16 << 20

func (r *Reader) query(ctx context.Context, query string, visit func(columns []string, row []any) error) (columns []string, err error) {
	// A server sends all rows of a statement, even those that nobody wants any more, unless the statement is ended.
	wanted, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer r.pool.engine.interruptAtEnd(wanted, r.pinned)()
	rows, err := r.pinned.QueryxContext(ctx, query)
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
	hint := viewsHint()
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
	case postgresCode(err) == codeNoRights:
		return track.WithHint(fmt.Errorf("%w: %w", track.ErrForbidden, err), hint)
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

// unknownName finds the name that a query has and the database has not. SQLite says it in its text alone, and so does
// PostgreSQL.
var unknownName = regexp.MustCompile(`no such (column|table): (\w+\.)*(\w+)|(column|relation) "?(\w+\.)*(\w+)"? does not exist`)

// withNames returns the error of a query with a hint to the name that was probably meant, and to the columns of the
// views that the query names.
func (r *Reader) withNames(ctx context.Context, query string, err error) error {
	if !errors.Is(err, track.ErrInvalid) {
		return err
	}
	found := unknownName.FindStringSubmatch(err.Error())
	if found == nil {
		return err
	}
	name := found[3] + found[6]
	outside := &Reader{now: r.now, pool: r.pool, texts: r.texts} // a transaction of PostgreSQL answers nothing after an error
	var texts []string
	if strings.HasPrefix(name, "v_") {
		texts = append(texts, meant(name, views)...)
	} else {
		var known []string
		for _, view := range views {
			if !strings.Contains(strings.ToLower(query), view) {
				continue
			}
			columns, readErr := outside.columnsOf(ctx, view)
			if readErr != nil {
				return err
			}
			known = append(known, columns...)
			texts = append(texts, view+" has "+strings.Join(columns, ", "))
		}
		if len(texts) > 0 {
			texts = append(meant(name, known), strings.Join(texts, "; "))
		}
	}
	if len(texts) == 0 {
		return err
	}
	return track.WithHint(err, track.Hint{Text: strings.Join(texts, " ")})
}

// meant returns the question for the name that was probably meant.
func meant(name string, known []string) []string {
	if nearest := near.Nearest(name, known); nearest != "" && nearest != name {
		return []string{didYouMean(nearest).Text}
	}
	return nil
}

// columnsOf returns the columns of a view.
func (r *Reader) columnsOf(ctx context.Context, view string) ([]string, error) {
	if !slices.Contains(views, view) { // it becomes a part of the statement
		return nil, nil
	}
	rows, err := r.read().QueryxContext(ctx, "SELECT * FROM "+view+" LIMIT 0")
	if err != nil {
		return nil, explain(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	return columns, explain(errors.Join(err, rows.Err()))
}
