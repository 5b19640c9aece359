package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"track"
)

const (
	quickCheck      = `SELECT quick_check FROM pragma_quick_check($1)`
	completeCheck   = `SELECT integrity_check FROM pragma_integrity_check`
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

// CheckStructure lets SQLite check the trees of pages of each table of track, and if full their indexes and the pages
// that belong to no table, unless the file has tables of others. Only full checks read the tables that
// [Reader.CheckSeeds] and [Reader.CheckResults] read row by row. Tables of others are left alone: to check them
// evaluates their expressions.
func (r *Reader) CheckStructure(ctx context.Context, full bool, found func(Damage)) error {
	if r.pool.engine.checksItself() {
		return nil
	}
	foreign, err := r.Foreign(ctx)
	if err != nil {
		return err
	}
	if full && len(foreign) == 0 {
		return r.askSQLite(ctx, completeCheck, nil, "", found)
	}
	err = r.stream(ctx, sharedRoots, nil, func(row []driver.Value) {
		found(Damage{"", "tables or indexes share their pages", asText(row[0])})
	})
	if err != nil {
		return explain(err)
	}
	tables, err := ownTables(ctx)
	if err != nil {
		return err
	}
	for _, table := range tables {
		query := quickCheck
		if full {
			query = integrityCheck
		} else if slices.Contains([]string{"packed_value", "packed_result"}, table) {
			continue
		}
		if err := r.askSQLite(ctx, query, []any{table}, table, found); err != nil {
			return err
		}
	}
	return nil
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
