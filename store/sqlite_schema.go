package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
