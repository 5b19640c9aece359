package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"

	"track"
	"track/migrations"
)

// applicationID marks a SQLite file as a database of track: "trck" in ASCII.
const applicationID = 0x7472636b

// schemaState is the state of the schema of a file. It is read before anything else.
type schemaState struct {
	Version       int    `db:"user_version"`
	ApplicationID int    `db:"application_id"`
	Tables        int    `db:"tables"`
	Schema        string `db:"schema_text"`
}

const getSchemaState = `
	SELECT user_version, application_id, (SELECT count(*) FROM (SELECT 1 FROM sqlite_schema LIMIT 1)) AS tables,` + schemaText + ` AS schema_text
	  FROM pragma_user_version, pragma_application_id`

// unfinished reports whether the file is empty or its creation was cut short.
func (s schemaState) unfinished() bool {
	return s.Version == 0 && s.Tables == 0 && (s.ApplicationID == applicationID || s.ApplicationID == 0)
}

func (s schemaState) upToDateOrForeign() bool {
	return !s.unfinished() && (s.ApplicationID != applicationID || s.Version >= migrations.Latest)
}

func (s schemaState) usable(path string) error {
	switch {
	case s.unfinished():
		return nil
	case s.ApplicationID != applicationID:
		return track.WithHint(wrongFile("this SQLite file was not made by track"), otherDatabase("name another file; nothing was changed"))

	case s.Version < migrations.Latest:
		return track.WithHint(wrongFile("its schema is version %d, this track needs %d", s.Version, migrations.Latest), track.NewHint("bring it up to date, after making a backup", "migrate").With("db", path))

	case s.Version > migrations.Latest:
		return track.WithHint(wrongFile("its schema is version %d, newer than the %d this track knows", s.Version, migrations.Latest), track.Hint{Text: "use a newer track; nothing was changed"})

	}
	return nil
}

// check refuses a file that cannot be used or trusted.
func (s schemaState) check(ctx context.Context, db querier, path string) error {
	err := s.usable(path)
	if err == nil && !s.unfinished() && hashOf(s.Schema) != schemaHash {
		_, err = checkSchema(ctx, db, false)
	}
	return err
}

// headSize is how many bytes the head of a database has.
const headSize = 100

// inspect looks at the file at path without a change to it or to its folder; a missing file has the state of an empty
// one.
func inspect(ctx context.Context, path string) (state schemaState, err error) {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return state, nil
	} else if err == nil {
		if err := checkRegular(path, info); err != nil {
			return state, err
		}
	}
	s := newStore(path, sqliteFile{path}, nil)
	err = s.read().GetContext(ctx, &state, getSchemaState)
	return state, errors.Join(err, s.Close())
}

// checkFile refuses the file at path, which is in a state, if it cannot be used or trusted.
func checkFile(ctx context.Context, path string, state schemaState) error {
	s := newStore(path, sqliteFile{path}, nil)
	return errors.Join(state.check(ctx, s.read(), path), s.Close())
}

// Init creates the database at path and the folder it lies in, or finishes a creation that was cut short. It returns
// false if the database was there already. Several processes may call it at once.
func Init(ctx context.Context, path string) (created bool, err error) {
	if IsServer(path) {
		server, err := newPostgres(path)
		if err != nil {
			return false, err
		}
		created, err = server.init(ctx)
		return created, server.openError(err)
	}
	defer func() { err = openError(path, err) }()
	state, err := inspect(ctx, path)
	if err == nil && !state.unfinished() || isNoDatabase(err) || errors.Is(err, track.ErrInvalid) {
		return false, cmp.Or(err, state.usable(path)) // no lock beside, and no checkpoint in, a file that is not ours
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return false, err
	}
	unlock, err := lockFile(ctx, path+".lock")
	if err != nil {
		return false, err
	}
	defer unlock()
	_, missing := os.Stat(path)
	db, err := openForSchema(ctx, path)
	if err != nil {
		return false, err
	}
	defer func() {
		if err = errors.Join(err, db.Close()); err != nil && errors.Is(missing, fs.ErrNotExist) {
			removeEmpty(path)
		}
	}()
	if err := db.GetContext(ctx, &state, getSchemaState); err != nil {
		return false, err
	}
	if !state.unfinished() {
		return false, state.usable(path)
	}
	if filepath.Base(dir) == DefaultDir {
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o644); err != nil {
			return false, err
		}
	}
	if err := create(ctx, db); err != nil {
		return false, err
	}
	return true, syncDir(filepath.Dir(dir))
}

// removeEmpty removes a file that nothing could be written to, as on a full disk.
func removeEmpty(path string) {
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		_ = os.Remove(path)
	}
}

// create makes an unfinished file a database.
func create(ctx context.Context, db *sqlx.DB) error {
	// The application id comes first, because the log may hold all the rest.
	_, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA journal_mode = WAL", applicationID))
	if err != nil {
		return err
	}
	return sqliteMigrations().create(ctx, db.DB, setVersion)
}

// setVersion is read before anything else of a file.
var setVersion = fmt.Sprintf("PRAGMA user_version = %d", migrations.Latest)

// Migrate brings the schema of the database at path up to date. If there is something to do, it first writes a backup
// beside the database and returns its path.
func Migrate(ctx context.Context, path string, now time.Time) (backup string, err error) {
	if IsServer(path) {
		server, err := newPostgres(path)
		if err != nil {
			return "", err
		}
		return "", server.openError(server.migrate(ctx))
	}
	defer func() { err = openError(path, err) }()
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s: %w", path, track.ErrNotFound)
	}
	state, err := inspect(ctx, path)
	if err == nil && state.upToDateOrForeign() || isNoDatabase(err) || errors.Is(err, track.ErrInvalid) {
		return "", cmp.Or(err, checkFile(ctx, path, state))
	}
	unlock, err := lockFile(ctx, path+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	db, err := openForSchema(ctx, path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.GetContext(ctx, &state, getSchemaState); err != nil {
		return "", err
	}
	if state.unfinished() {
		return "", create(ctx, db)
	}
	if state.upToDateOrForeign() {
		return "", state.check(ctx, db, path)
	}
	if _, err := checkSchema(ctx, db, true); err != nil {
		return "", err
	}
	if err := removeUnfinished(path+".v*.backup"+unfinishedSuffix, now); err != nil { // the lock is held: nobody writes one
		return "", err
	}
	backup = fmt.Sprintf("%s.v%d-%s.backup", path, state.Version, now.UTC().Format("20060102T150405Z"))
	if err := backUp(ctx, db, backup); err != nil {
		return "", fmt.Errorf("backup: %w", err)
	}
	return backup, sqliteMigrations().upgrade(ctx, db.DB, setVersion)
}

// backUp writes a copy of the database, which has its name only once it is whole.
func backUp(ctx context.Context, db *sqlx.DB, path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fmt.Errorf("%s: %w", path, fs.ErrExist))
	}
	unfinished := path + unfinishedSuffix
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", unfinished); err != nil {
		return errors.Join(err, os.Remove(unfinished))
	}
	return os.Rename(unfinished, path)
}

func openForSchema(ctx context.Context, path string) (*sqlx.DB, error) {
	db, err := openPool(dataSource(path, "mode=rwc"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // PRAGMA and migrations have to meet on one connection
	return db, db.PingContext(ctx)
}

func sqliteMigrations() dialectMigrations {
	const listViews = `SELECT name FROM sqlite_schema WHERE type = 'view' AND name GLOB 'v_[a-z]*'`
	return dialectMigrations{goose.DialectSQLite3, migrations.SQLite, listViews, withRules(migrations.SQLiteViews)}
}

// syncDir makes the creation of files in dir survive a power cut.
func syncDir(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// SchemaVersion is the version of the schema that this package reads and writes.
const SchemaVersion = migrations.Latest

// IsOlder reports whether the file at path is a database of an earlier track, which [Migrate] brings up to date.
func IsOlder(ctx context.Context, path string) (bool, error) {
	if IsServer(path) {
		server, err := newPostgres(path)
		if err != nil {
			return false, err
		}
		state, err := server.inspect(ctx)
		return err == nil && state.Version > 0 && state.Version < migrations.Latest, server.openError(err)
	}
	state, err := inspect(ctx, path)
	return err == nil && state.ApplicationID == applicationID && state.Version > 0 && state.Version < SchemaVersion, openError(path, err)
}

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
