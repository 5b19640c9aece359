package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jmoiron/sqlx"

	"track"
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

const (
	firstDamage     = `PRAGMA integrity_check(1)`
	integrityCheck  = `SELECT integrity_check FROM pragma_integrity_check($1)`
	foreignKeyCheck = `SELECT rowid, parent FROM pragma_foreign_key_check($1)`
	// Two trees with the same root would each look sound.
	sharedRoots = `
	SELECT group_concat(name, ', ') FROM (SELECT rootpage, name FROM sqlite_schema WHERE rootpage > 0 LIMIT 1001)
	 GROUP BY rootpage HAVING count(*) > 1`
	getFileSize = `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`
)

// size implements [engine].
func (sqliteFile) size() string { return getFileSize }

// isServer implements [engine].
func (sqliteFile) isServer() bool { return false }

// FileSize returns the bytes of the database.
func (r *Reader) FileSize(ctx context.Context) (size int64, err error) {
	return size, r.get(ctx, &size, r.pool.engine.size())
}

// Foreign returns the tables and views of others in the database.
func (r *Reader) Foreign(ctx context.Context) ([]string, error) {
	if r.pool.engine.isServer() {
		return nil, nil
	}
	foreign, err := checkSchema(ctx, r.read(), false)
	return foreign, explain(err)
}

// FirstDamage lets SQLite check all pages, and compare the indexes with their tables, and returns what is wrong first;
// "" for nothing. It ends on every file. In a file with tables of others it looks at nothing, and reports that with
// isWhole: to check them evaluates their expressions.
func (r *Reader) FirstDamage(ctx context.Context) (text string, isWhole bool, err error) {
	if r.pool.engine.isServer() {
		return "", true, nil
	}
	if foreign, err := r.Foreign(ctx); len(foreign) > 0 || err != nil {
		return "", false, err
	}
	if err = r.read().GetContext(ctx, &text, firstDamage); text == "ok" {
		text = ""
	}
	return text, true, explain(err)
}

// CheckStructure lets SQLite check the pages of each table of track and of its indexes, one after the other.
func (r *Reader) CheckStructure(ctx context.Context, found func(Damage)) error {
	if r.pool.engine.isServer() {
		return nil
	}
	err := r.each(ctx, sharedRoots, nil, func(c *cells) { found(Damage{"", "tables or indexes share their pages", c.text()}) })
	if err != nil {
		return err
	}
	tables, err := ownTables()
	for i := 0; i < len(tables) && err == nil; i++ {
		err = r.each(ctx, integrityCheck, []any{tables[i]}, func(c *cells) {
			if text := c.text(); text != "ok" {
				found(Damage{tables[i], "SQLite finds its pages or rows damaged", text})
			}
		})
	}
	return err
}

// Interrupting calls read, whose statements end when ctx ends, which may be before the reader's own ends.
func (r *Reader) Interrupting(ctx context.Context, read func() error) error {
	defer r.pool.engine.interruptAtEnd(ctx, r.pinned)()
	return read()
}

func (r *Reader) checkForeignKeys(ctx context.Context, found func(Damage)) error {
	if r.pool.engine.isServer() {
		return nil
	}
	tables, err := ownTables()
	for i := 0; i < len(tables) && err == nil; i++ {
		err = r.each(ctx, foreignKeyCheck, []any{tables[i]}, func(c *cells) {
			row := c.integer()
			found(Damage{tables[i], "its " + c.text() + " does not exist", fmt.Sprintf("row %d", row)})
		})
	}
	return err
}

// IsDamaged reports whether an error says that a database is damaged.
func IsDamaged(err error) bool {
	return errors.Is(err, track.ErrDamaged) || isDamaged(err)
}
