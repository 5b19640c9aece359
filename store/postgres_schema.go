package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
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

// migrateUp creates the tables, or brings them up to date. Of several processes one does it, and the others wait. It
// reports whether it was the one that created them.
func (p postgresSchema) migrateUp(ctx context.Context) (created bool, err error) {
	const interval, attempts = 50 * time.Millisecond, 1200                                    // a minute: longer than the lease of a process that ended
	locker, err := lock.NewPostgresTableLocker(lock.WithTableLockTimeout(interval, attempts)) // a row, which works behind PgBouncer too
	if err != nil {
		return false, err
	}
	db := sql.OpenDB(stdlib.GetConnector(*p.config))
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := mayCreate(ctx, db); err != nil { // the locker would try for a minute
		return false, err
	}
	if err := locker.Lock(ctx, db); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, locker.Unlock(ctx, db)) }()
	state, err := p.state(ctx, sqlx.NewDb(db, "pgx"))
	switch {
	case err != nil:
		return false, err
	case state.Version == 0:
		return true, errors.Join(postgresMigrations().create(ctx, db, ""), p.letQuery(ctx))
	case state.Version == migrations.Latest && state.HasViews:
		return false, nil // another process was faster
	}
	return false, errors.Join(postgresMigrations().upgrade(ctx, db, ""), p.letQuery(ctx))
}

// mayCreate returns the error of the server for a user who may not create tables. It leaves nothing behind.
func mayCreate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "CREATE TABLE track_may_create ()")
	return errors.Join(err, tx.Rollback())
}

func postgresMigrations() dialectMigrations {
	const listViews = `SELECT viewname FROM pg_catalog.pg_views WHERE schemaname = current_schema() AND viewname LIKE 'v\_%'`
	return dialectMigrations{goose.DialectPostgres, migrations.Postgres, listViews, withRules(migrations.PostgresViews)}
}

// queryRole is the role of a server with whose rights queries of users run: it may read the views, and nothing else.
const queryRole = "track_query"

const (
	// letQuery creates the role unless it exists, and grants it the views. What the user may not do is left to the
	// operator: a query says then what is missing. Several processes may do it at once.
	letQuery = `
	DO $$
	BEGIN
	    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = '` + queryRole + `') THEN
	        CREATE ROLE ` + queryRole + `;
	        GRANT ` + queryRole + ` TO CURRENT_USER;
	    END IF;
	EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation OR read_only_sql_transaction THEN NULL;
	END $$;
	DO $$
	DECLARE of_view record;
	BEGIN
	    EXECUTE format('GRANT USAGE ON SCHEMA %I TO ` + queryRole + `', current_schema());
	    FOR of_view IN SELECT viewname FROM pg_catalog.pg_views WHERE schemaname = current_schema() AND viewname LIKE 'v\_%' LOOP
	        EXECUTE format('GRANT SELECT ON %I TO ` + queryRole + `', of_view.viewname);
	    END LOOP;
	EXCEPTION WHEN insufficient_privilege OR undefined_object OR read_only_sql_transaction THEN NULL;
	END $$`
	isSuperuser = `SELECT CAST(rolsuper AS integer) FROM pg_catalog.pg_roles WHERE rolname = current_user`
	// limitTime limits the time of a statement unless the role has a limit of its own.
	limitTime = `
	SELECT set_config('statement_timeout', $1, true) FROM pg_catalog.pg_settings WHERE name = 'statement_timeout' AND setting = '0'`
	becomeQueryRole = `SAVEPOINT users_query; SET LOCAL standard_conforming_strings = on; SET LOCAL ROLE ` + queryRole
)

// longestQuery is how long the server may run a query of the user's own.
const longestQuery = 5 * time.Minute

// codeWrongValue is the error of a role that does not exist.
const codeWrongValue = "22023"

// confine implements [engine]. The server ends the query a second after the program should have. The connection is
// closed after the transaction, with all that a function may have left on it.
func (postgresSchema) confine(ctx context.Context, conn *sqlx.Conn) (release func(), err error) {
	limit := longestQuery
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, max(0, time.Until(end))+time.Second)
	}
	_ = conn.Raw(func(driverConn any) error {
		if c, ok := driverConn.(*postgresConn); ok {
			c.isSpent = true
		}
		return nil
	})
	if _, err = conn.ExecContext(ctx, limitTime, strconv.FormatInt(limit.Milliseconds(), 10)); err == nil {
		_, err = conn.ExecContext(ctx, becomeQueryRole)
	}
	if code := postgresCode(err); code == codeNoRights || code == codeWrongValue {
		return nil, track.WithHint(fmt.Errorf("%w: queries run with the rights of the role %s, which this user cannot take (%w)", track.ErrForbidden, queryRole, err),
			track.Hint{Text: "let a role that may create roles run CREATE ROLE " + queryRole + "; GRANT " + queryRole + " TO USER, and then the owner track migrate"})
	}
	return func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK TO SAVEPOINT users_query`) }, explain(err)
}

// CheckRole refuses a user of a database on a server whom no right stops: what a query reached by mistake would be all
// of the machine.
func (s *Store) CheckRole(ctx context.Context) error {
	if !s.pool.engine.isServer() {
		return nil
	}
	var super int
	if err := s.read().GetContext(ctx, &super, isSuperuser); err != nil || super == 0 {
		return explain(err)
	}
	return track.WithHint(fmt.Errorf("%w: the user of the database is a superuser, with whose rights a server must not answer", track.ErrForbidden),
		track.Hint{Text: strings.Join([]string{"make a role for it, as docs/how-to/postgres.md says: CREATE ROLE recorder LOGIN; GRANT " + queryRole + " TO recorder",
			"GRANT USAGE ON SCHEMA and INSERT, SELECT, UPDATE, DELETE ON ALL TABLES to it; and name it in the URL"}, "; ")})
}

// letQuery creates the role of queries as far as the user may.
func (p postgresSchema) letQuery(ctx context.Context) (err error) {
	db := p.openPool()
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, letQuery)
	return err
}
