package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"track"
)

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
