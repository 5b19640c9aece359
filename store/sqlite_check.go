package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"regexp"
)

// ErrUnknownSchema means that SQL cannot be checked, because it uses tables, columns or functions that do not exist
// here.
var ErrUnknownSchema = errors.New("the schema is not known")

// CheckSQL checks that SQLite understands text. It returns nil, an error that wraps [ErrUnknownSchema], or SQLite's
// complaint about the first statement it refuses. Each statement is compiled by EXPLAIN in an empty database in memory,
// and none is run.
func CheckSQL(ctx context.Context, text string) error {
	db, err := sqlx.ConnectContext(ctx, "sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	unknown := false
	for i, statement := range splitSQL(text) {
		rows, err := db.QueryxContext(ctx, "EXPLAIN "+statement)
		if err == nil {
			err = rows.Close()
		}
		switch {
		case err == nil:
		case missing.MatchString(err.Error()):
			unknown = true
		default:
			return fmt.Errorf("statement %d: %w", i+1, err)
		}
	}
	if unknown {
		return fmt.Errorf("%w: only that the statements parse was seen", ErrUnknownSchema)
	}
	return nil
}

// missing are SQLite's complaints about what an empty database lacks.
var missing = regexp.MustCompile(`no such (table|column|function|module|view|index|trigger|savepoint|collation)|unknown database|has no column named`)

// splitSQL cuts SQL at the semicolons that end statements, which those in strings, names, comments and triggers do not.
// Statements of nothing but comments are left out.
func splitSQL(text string) (statements []string) {
	start, blank := 0, true
	for i := 0; i < len(text); {
		end := i + 1
		switch c := text[i]; {
		case c == '\'' || c == '"' || c == '`' || c == '[':
			end, blank = endOfQuoted(text, i), false
		case strings.HasPrefix(text[i:], "--"):
			end = endOf(text, i, "\n")
		case strings.HasPrefix(text[i:], "/*"):
			end = endOf(text, i, "*/")
		case c == ';' && !insideTrigger(text[start:i]):
			if !blank {
				statements = append(statements, text[start:i])
			}
			start, blank = end, true
		case c > ' ':
			blank = false
		}
		i = end
	}
	if !blank {
		statements = append(statements, text[start:])
	}
	return statements
}

func endOf(text string, from int, mark string) int {
	if at := strings.Index(text[from:], mark); at >= 0 {
		return from + at + len(mark)
	}
	return len(text)
}

// endOfQuoted is behind the quote that ends what begins at from; a doubled one does not end it.
func endOfQuoted(text string, from int) int {
	quote := text[from]
	if quote == '[' {
		return endOf(text, from, "]")
	}
	for i := from + 1; i < len(text); i++ {
		if text[i] == quote {
			if i+1 == len(text) || text[i+1] != quote {
				return i + 1
			}
			i++
		}
	}
	return len(text)
}

var (
	trigger    = regexp.MustCompile(`(?is)^\s*create\s+(temp\s+|temporary\s+)?trigger\b`)
	triggerEnd = regexp.MustCompile(`(?is)\bend\s*$`)
)

func insideTrigger(statement string) bool {
	return trigger.MatchString(statement) && !triggerEnd.MatchString(statement)
}
