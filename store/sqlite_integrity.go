package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"track"
)

const (
	firstDamage     = `PRAGMA integrity_check(1)`
	integrityCheck  = `SELECT integrity_check FROM pragma_integrity_check($1)`
	foreignKeyCheck = `SELECT "table", coalesce(rowid, 0), parent FROM pragma_foreign_key_check($1)`
	// Two trees with the same root would each look sound.
	sharedRoots = `
	SELECT group_concat(name, ', ') FROM (SELECT rootpage, name FROM sqlite_schema WHERE rootpage > 0 LIMIT 1001)
	 GROUP BY rootpage HAVING count(*) > 1`
	getFileSize = `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`
)

// size implements [engine].
func (sqliteFile) size() string { return getFileSize }

// checksItself implements [engine]: a file may come from anywhere.
func (sqliteFile) checksItself() bool { return false }

// FileSize returns the bytes of the database.
func (r *Reader) FileSize(ctx context.Context) (size int64, err error) {
	return size, explain(r.read().GetContext(ctx, &size, r.pool.engine.size()))
}

// Foreign returns the tables and views of others in the database.
func (r *Reader) Foreign(ctx context.Context) ([]string, error) {
	if r.pool.engine.checksItself() {
		return nil, nil
	}
	foreign, err := checkSchema(ctx, r.read(), false)
	return foreign, explain(err)
}

// FirstDamage lets SQLite check all pages, and compare the indexes with their tables, and returns what is wrong first;
// "" for nothing. It ends on every file. In a file with tables of others it looks at nothing, and reports that with
// isWhole: to check them evaluates their expressions.
func (r *Reader) FirstDamage(ctx context.Context) (text string, isWhole bool, err error) {
	if r.pool.engine.checksItself() {
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
	if r.pool.engine.checksItself() {
		return nil
	}
	err := r.stream(ctx, sharedRoots, nil, func(row []driver.Value) {
		found(Damage{"", "tables or indexes share their pages", asText(row[0])})
	})
	if err != nil {
		return explain(err)
	}
	tables, err := ownTables(ctx)
	for i := 0; i < len(tables) && err == nil; i++ {
		err = r.askSQLite(ctx, integrityCheck, []any{tables[i]}, tables[i], found)
	}
	return err
}

// Interrupting calls read, whose statements end when ctx ends, which may be before the reader's own ends.
func (r *Reader) Interrupting(ctx context.Context, read func() error) error {
	defer r.pool.engine.interruptAtEnd(ctx, r.pinned)()
	return read()
}

func (r *Reader) askSQLite(ctx context.Context, query string, args []any, table string, found func(Damage)) error {
	err := r.stream(ctx, query, args, func(row []driver.Value) {
		if text := asText(row[0]); text != "ok" {
			found(Damage{table, "SQLite finds its pages or rows damaged", text})
		}
	})
	return explain(err)
}

func (r *Reader) checkForeignKeys(ctx context.Context, found func(Damage)) error {
	if r.pool.engine.checksItself() {
		return nil
	}
	tables, err := ownTables(ctx)
	if err != nil {
		return err
	}
	for _, table := range tables {
		err := r.stream(ctx, foreignKeyCheck, []any{table}, func(row []driver.Value) {
			found(Damage{table, "its " + asText(row[2]) + " does not exist", fmt.Sprintf("row %d", asInt(row[1]))})
		})
		if err != nil {
			return explain(err)
		}
	}
	return nil
}

// IsDamaged reports whether an error says that a database is damaged.
func IsDamaged(err error) bool {
	return errors.Is(err, track.ErrDamaged) || isDamaged(err)
}
