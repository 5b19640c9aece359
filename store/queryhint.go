package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"regexp"
	"track"
	"track/internal/near"
)

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
