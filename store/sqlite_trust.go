package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"

	"track"
	"track/migrations"
)

// A file is trusted once its schema is the one that this package makes. Until then nothing is read of it but its
// version and sqlite_schema: any other statement could run a trigger, or a view in the place of a table.

// What is read of a schema is limited, because a file may hold anything.
const (
	maxStatement = 100_000 // bytes
	maxObjects   = 1000
)

// schemaText is all statements of the schema. A new database has a fifth of what the limits allow.
const schemaText = `
	(SELECT coalesce(group_concat(CASE WHEN octet_length(sql) <= 20000 THEN sql ELSE 'too long' END, char(30, 10)), '')
	   FROM (SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name LIMIT 200))`

// schemaHash is the SHA-256 of the schemaText of a new database. A file with another schema is compared statement by
// statement, which takes longer. TestSchemaHash says what it must be.
const schemaHash = "83bba6313d875c70f302235976b63e0776330d001ad8030ee15ffb5da83f986c"

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

const listSchema = `
	SELECT type, name, octet_length(sql) AS size, CASE WHEN octet_length(sql) <= 100000 THEN sql ELSE '' END AS sql
	  FROM sqlite_schema WHERE sql IS NOT NULL LIMIT 1001`

const listOwnIndexes = `
	SELECT t.name AS tbl_name, i.name FROM sqlite_schema AS t, pragma_index_list(t.name) AS i WHERE t.type = 'table' AND i.origin = 'c'`

// schemaObject is a table, a view, an index or a trigger of a file.
type schemaObject struct {
	Type string `db:"type"`
	Name string `db:"name"`
	Size int    `db:"size"`
	SQL  string `db:"sql"`
}

func (o schemaObject) kind() string { return o.Type + " " + o.Name }

// hasPlainStatement reports whether the statement of a table, a view or an index begins as SQLite writes it. Another
// one could create something else than it says.
func (o schemaObject) hasPlainStatement() bool {
	text := strings.ToLower(o.SQL)
	rest, plain := strings.CutPrefix(text, "create "+o.Type+" ")
	for _, kind := range map[string][]string{"index": {"create unique index "}, "table": {"create virtual table "}}[o.Type] {
		if !plain {
			rest, plain = strings.CutPrefix(text, kind)
		}
	}
	rest = strings.TrimLeft(rest, "\"'`[")
	rest, named := strings.CutPrefix(rest, strings.ToLower(o.Name))
	isName := func(r rune) bool {
		return r == '_' || r == '$' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127
	}
	return plain && named && strings.IndexFunc(rest, isName) != 0
}

// ownSchema is what the schema of a file is compared with.
type ownSchema struct {
	newest     []string        // statements of a new database
	statements map[string]bool // of a new database, and of those of earlier versions
	names      map[string]bool // of what they make, in lower case
	migrating  bool            // the file may be of an earlier version; its views are made anew
}

// newOwnSchema returns the schema of every version.
func newOwnSchema(migrating bool) (*ownSchema, error) {
	own, err := schemaOfVersions()
	own.migrating = migrating
	return &own, err
}

// schemaOfVersions creates each version of the schema in memory, once: it takes 10 ms and is always the same.
var schemaOfVersions = sync.OnceValues(func() (own ownSchema, err error) {
	ctx := context.Background()
	db, err := sqlx.Open(driverName, ":memory:")
	if err != nil {
		return own, err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	m := sqliteMigrations()
	provider, err := m.provider(db.DB)
	if err != nil {
		return own, err
	}
	own = ownSchema{statements: map[string]bool{}, names: map[string]bool{}}
	for range migrations.Latest {
		if _, err := provider.UpByOne(ctx); err != nil {
			return own, err
		}
		if err := own.add(ctx, db); err != nil {
			return own, err
		}
	}
	if _, err := db.ExecContext(ctx, m.views); err != nil {
		return own, err
	}
	return own, own.add(ctx, db)
})

// add adds the schema of db, which becomes the newest.
func (own *ownSchema) add(ctx context.Context, db querier) error {
	own.newest = nil
	if err := db.SelectContext(ctx, &own.newest, `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL`); err != nil {
		return err
	}
	for _, statement := range own.newest {
		own.statements[statement] = true
		own.names[strings.ToLower(createdName(statement))] = true
	}
	return nil
}

// createdName returns the name of what a statement creates.
func createdName(statement string) string {
	words := strings.FieldsFunc(statement, func(r rune) bool { return strings.ContainsRune(" \t\n(\"'", r) })
	if words[1] == "UNIQUE" || words[1] == "VIRTUAL" {
		return words[3]
	}
	return words[2]
}

// checkSchema refuses a file whose schema differs from the one that track makes. It returns what else the file holds,
// which is never read. If migrating is set, the file may be of an earlier version.
func checkSchema(ctx context.Context, db querier, migrating bool) (foreign []string, err error) {
	own, err := newOwnSchema(migrating)
	if err != nil {
		return nil, err
	}
	var objects []schemaObject
	if err := db.SelectContext(ctx, &objects, listSchema); err != nil {
		return nil, err
	}
	if len(objects) > maxObjects {
		return nil, untrusted("its schema has more than %d tables, views and indexes", maxObjects)
	}
	found := map[string]bool{}
	for _, o := range objects {
		found[o.SQL] = true
		isForeign, err := own.judge(o)
		if err != nil {
			return nil, err
		}
		if isForeign {
			foreign = append(foreign, o.kind())
		}
	}
	if err := own.checkIndexes(ctx, db); len(foreign) > 0 && err != nil {
		return nil, err
	}
	return foreign, own.checkMissing(found)
}

// judge reports whether something in a file is foreign, and refuses what may change what track reads and writes.
func (own *ownSchema) judge(o schemaObject) (foreign bool, err error) {
	name := strings.ToLower(o.Name)
	ours := own.names[name]
	switch {
	case own.statements[o.SQL]:
		return false, nil
	case o.Size > maxStatement:
		return false, untrusted("the SQL of its %s has %d bytes", o.kind(), o.Size)
	case o.Type == "trigger":
		return false, untrusted("it has the trigger %s, which track does not make", o.Name)
	case !o.hasPlainStatement():
		return false, untrusted("it has the %s, which track does not make", o.kind())
	case ours && o.Type == "table" && name == goose.DefaultTablename && !own.migrating: // never read
		return false, nil
	case ours && o.Type == "view" && own.migrating:
		return false, nil
	case ours:
		return false, untrusted("its %s differs from the one that track makes", o.kind())
	}
	return !strings.HasPrefix(name, "sqlite_"), nil
}

// checkIndexes refuses other indexes on the tables of track: each write evaluates their expressions.
func (own *ownSchema) checkIndexes(ctx context.Context, db querier) error {
	var indexes []struct {
		Table string `db:"tbl_name"`
		Name  string `db:"name"`
	}
	if err := db.SelectContext(ctx, &indexes, listOwnIndexes); err != nil {
		return err
	}
	for _, i := range indexes {
		if own.names[strings.ToLower(i.Table)] && !own.names[strings.ToLower(i.Name)] {
			return untrusted("it has the index %s on the table %s, which track does not make", i.Name, i.Table)
		}
	}
	return nil
}

func (own *ownSchema) checkMissing(found map[string]bool) error {
	if own.migrating {
		return nil
	}
	var missing []string
	for _, statement := range own.newest {
		if name := createdName(statement); !found[statement] && name != goose.DefaultTablename && !strings.HasPrefix(name, "sqlite_") {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("%w: its schema lacks %s", track.ErrDamaged, strings.Join(missing, ", "))
}

func untrusted(format string, args ...any) error {
	return track.WithHint(wrongFile(format, args...), track.Hint{Text: "docs/reference/sql.md says what a database may hold; nothing was read or changed"})
}
