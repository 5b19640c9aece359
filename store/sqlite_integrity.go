package store

import (
	"context"
	"errors"
	"fmt"

	"track"
)

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
