package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/pressly/goose/v3/lock"

	"track"
	"track/migrations"
)

// codeNoTable is the error of a table that does not exist.
const codeNoTable = "42P01"

const (
	getPostgresState = `
	SELECT coalesce(max(version_id), 0) AS version, coalesce(current_schema(), '') AS schema, current_setting('search_path') AS search_path,
	       current_setting('server_encoding') AS encoding, to_regclass('v_ledger') IS NOT NULL AS has_views
	  FROM goose_db_version`
	getForeignState = `
	SELECT coalesce(current_schema(), '') AS schema, current_setting('search_path') AS search_path, current_setting('server_encoding') AS encoding,
	       to_regclass('goose_db_version') IS NOT NULL AS is_ours,
	       (SELECT count(*) FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
	         WHERE nspname = current_schema() AND relkind IN ('r', 'v', 'm', 'p', 'f') AND relname <> '` + lock.DefaultLockTableName + `') AS tables`
)

// postgresState is the state of a schema.
type postgresState struct {
	Version    int    `db:"version"` // 0 if there is none of our tables
	Encoding   string `db:"encoding"`
	HasViews   bool   `db:"has_views"`
	SearchPath string `db:"search_path"`
	Schema     string `db:"schema"` // empty if the search path names none that exists
	Tables     int    `db:"tables"` // of others, if none is ours
	IsOurs     bool   `db:"is_ours"`

	wantedPath string // the search path of the URL; empty if it has none
}

func (p postgresSchema) state(ctx context.Context, db querier) (s postgresState, err error) {
	err = db.GetContext(ctx, &s, getPostgresState)
	if postgresCode(err) == codeNoTable {
		err = db.GetContext(ctx, &s, getForeignState)
	}
	if err == nil && s.IsOurs { // another process has created our tables meanwhile
		s = postgresState{}
		err = db.GetContext(ctx, &s, getPostgresState)
	}
	s.wantedPath = p.config.RuntimeParams["search_path"]
	return s, err
}

// isEmpty reports whether nothing is there yet, or its creation was cut short.
func (s postgresState) isEmpty() bool {
	return s.Version == 0 && s.Tables == 0 || s.Version == migrations.Latest && !s.HasViews
}

func (s postgresState) check(name string) error {
	switch {
	case s.wantedPath != "" && s.wantedPath != s.SearchPath: // ignore_startup_parameters of PgBouncer
		return track.WithHint(wrongFile("its search path is %s, and not %s as in the URL", s.SearchPath, s.wantedPath), pathOfRole())
	case s.Encoding != "UTF8":
		return track.WithHint(wrongFile("its encoding is %s", s.Encoding), track.Hint{Text: "create a database of the encoding UTF8: createdb --encoding UTF8 --template template0 NAME"})
	case s.Version == 0 && s.Schema == "":
		return track.WithHint(wrongFile("the schema that its search path names does not exist, or the user may not use it"),
			track.Hint{Text: "create it with: CREATE SCHEMA NAME; or as its owner: GRANT USAGE ON SCHEMA NAME TO USER"})
	case s.Version == 0 && s.Tables > 0:
		return track.WithHint(wrongFile("its schema %s holds tables of others", s.Schema), track.Hint{Text: "use a schema of its own: add ?search_path=NAME to the URL; nothing was changed"})
	case s.isEmpty():
		return track.WithHint(fmt.Errorf("open %s: there is nothing in it: %w", WithoutPassword(name), track.ErrNotFound), track.NewHint("create its tables", "init").With("db", name))
	case s.Version < migrations.Latest:
		return track.WithHint(wrongFile("its schema is version %d, this track needs %d", s.Version, migrations.Latest), track.NewHint("bring it up to date, after making a backup", "migrate").With("db", name))
	case s.Version > migrations.Latest:
		return track.WithHint(wrongFile("its schema is version %d, newer than the %d this track knows", s.Version, migrations.Latest), track.Hint{Text: "use a newer track; nothing was changed"})
	}
	return nil
}

// pathOfRole returns the hint to let a role name the schema, for URLs that cannot.
func pathOfRole() track.Hint {
	return track.Hint{Text: "leave search_path out of the URL, and let the role have it: ALTER ROLE NAME SET search_path = SCHEMA"}
}

// inspect looks at the schema without a change to it.
func (p postgresSchema) inspect(ctx context.Context) (s postgresState, err error) {
	db := p.openPool()
	defer func() { err = errors.Join(err, db.Close()) }()
	return p.state(ctx, db)
}

// init creates the tables, or finishes a creation that was cut short. Of several processes one is told that it created them.
func (p postgresSchema) init(ctx context.Context) (created bool, err error) {
	state, err := p.inspect(ctx)
	if err != nil {
		return false, err
	}
	if err := state.check(p.name); !state.isEmpty() || !errors.Is(err, track.ErrNotFound) {
		return false, err
	}
	return p.migrateUp(ctx)
}

// migrate brings the schema up to date.
func (p postgresSchema) migrate(ctx context.Context) error {
	state, err := p.inspect(ctx)
	if err != nil {
		return err
	}
	if state.Version > 0 && (state.Version < migrations.Latest || state.isEmpty()) {
		_, err := p.migrateUp(ctx)
		return err
	}
	if err := state.check(p.name); err != nil {
		return err
	}
	return p.letQuery(ctx)
}
