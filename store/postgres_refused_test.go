//go:build postgres

package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
	"github.com/oklog/ulid/v2"
	"github.com/pressly/goose/v3/lock"

	"track"
	"track/internal/testpostgres"
	"track/store"
)

// expectRefused wants an error with a reason and, as a hint, a way out.
func expectRefused(t *testing.T, err error, reason, hint string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), reason) || !strings.Contains(fmt.Sprint(track.Hints(err)), hint) {
		t.Errorf("error %v with hints %v, want %q with %q", err, track.Hints(err), reason, hint)
	}
}

func openOnly(t *testing.T, database string) error {
	t.Helper()
	st, err := store.Open(t.Context(), database, clock)
	if err == nil {
		err = st.Close()
	}
	return err
}

// Texts are UTF-8 in the database, and on the way to it whatever the role says.
func TestEncodingPostgres(t *testing.T) {
	server := startServer(t)
	for _, encoding := range []string{"LATIN1", "SQL_ASCII"} {
		name := fmt.Sprintf("test_%s_%d", strings.ToLower(encoding), os.Getpid())
		if err := testpostgres.Exec(server, fmt.Sprintf("CREATE DATABASE %s TEMPLATE template0 ENCODING '%s' LC_COLLATE 'C' LC_CTYPE 'C'", name, encoding)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := testpostgres.Exec(server, "DROP DATABASE "+name); err != nil {
				t.Error(err)
			}
		})
		database := testpostgres.With(t, server, map[string]string{"dbname": name})
		_, err := store.Init(t.Context(), database)
		for _, err := range []error{err, openOnly(t, database)} {
			expectRefused(t, err, "its encoding is "+encoding, "createdb --encoding UTF8")
		}
	}
	schema := postgres(t, server)
	role := testpostgres.Role(t, server, "SUPERUSER")
	if err := testpostgres.Exec(server, "ALTER ROLE "+role+" SET client_encoding = 'LATIN1'"); err != nil {
		t.Fatal(err)
	}
	st := openDatabase(t, testpostgres.With(t, schema, map[string]string{"user": role}))
	if err := recordAny(t, st, "größe μ"); err != nil {
		t.Fatal(err)
	}
	if names, err := openDatabase(t, schema).Scenarios(t.Context()); err != nil || len(names) != 1 || names[0] != "größe μ" {
		t.Errorf("scenarios %q, error %v", names, err)
	}
}

// A role that has no right to do something gets to know that it lacks the right, and nothing is half recorded.
func TestRightsPostgres(t *testing.T) {
	server := startServer(t)
	const lists = "docs/how-to/postgres.md lists the rights"
	nobody := testpostgres.Role(t, server, "")

	empty := testpostgres.Schema(t, server)
	grant := func(format string) {
		t.Helper()
		if err := testpostgres.Exec(server, strings.NewReplacer("SCHEMA_NAME", schemaName(empty), "ROLE_NAME", nobody).Replace(format)); err != nil {
			t.Fatal(err)
		}
	}
	asNobody := testpostgres.With(t, empty, map[string]string{"user": nobody})
	expectRefused(t, openOnly(t, asNobody), "the schema that its search path names does not exist, or the user may not use it", "GRANT USAGE")
	grant("GRANT USAGE ON SCHEMA SCHEMA_NAME TO ROLE_NAME")
	_, err := store.Init(t.Context(), asNobody)
	expectRefused(t, err, "the user has no right to do that", lists)

	empty = postgres(t, server)
	asNobody = testpostgres.With(t, empty, map[string]string{"user": nobody})
	grant("GRANT USAGE ON SCHEMA SCHEMA_NAME TO ROLE_NAME")
	expectRefused(t, openOnly(t, asNobody), "the user has no right to do that", lists)
	grant("GRANT SELECT ON ALL TABLES IN SCHEMA SCHEMA_NAME TO ROLE_NAME")
	st := openDatabase(t, asNobody)
	expectRefused(t, recordAny(t, st, "s"), "the user has no right to do that", lists)
	if names, err := st.Scenarios(t.Context()); err != nil || len(names) != 0 {
		t.Errorf("scenarios %q, error %v", names, err)
	}
}

// A schema with a table of somebody else is refused, even if its name is one of ours.
func TestForeignTablesPostgres(t *testing.T) {
	server := startServer(t)
	foreign := testpostgres.Schema(t, server)
	if err := testpostgres.Exec(foreign, "CREATE TABLE seed (id bigint, plant text)"); err != nil {
		t.Fatal(err)
	}
	_, initErr := store.Init(t.Context(), foreign)
	_, migrateErr := store.Migrate(t.Context(), foreign, clock())
	for _, err := range []error{openOnly(t, foreign), initErr, migrateErr} {
		expectRefused(t, err, "holds tables of others", "search_path=NAME")
	}
}

// A process that was killed before it created the tables, or is about to, leaves nothing that is taken for another's.
func TestLockTablePostgres(t *testing.T) {
	database := testpostgres.Schema(t, startServer(t))
	db, err := sql.Open("pgx", database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	locker, err := lock.NewPostgresTableLocker()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(locker.Lock(t.Context(), db), locker.Unlock(t.Context(), db)); err != nil {
		t.Fatal(err)
	}
	expectRefused(t, openOnly(t, database), "there is nothing in it", "create its tables")
	if created, err := store.Init(t.Context(), database); err != nil || !created {
		t.Errorf("created: %v, error %v", created, err)
	}
}

// A role may have fewer connections than a command takes: the command ends with an error that says so, and waits for
// nobody for ever. What two connections are enough for works with two.
func TestFewConnectionsPostgres(t *testing.T) {
	server := startServer(t)
	schema := postgres(t, server)
	role := testpostgres.Role(t, server, "CONNECTION LIMIT 1")
	grants := strings.NewReplacer("NAME", schemaName(schema), "ROLE", role).Replace(
		"GRANT USAGE ON SCHEMA NAME TO ROLE; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA NAME TO ROLE")
	if err := testpostgres.Exec(server, grants); err != nil {
		t.Fatal(err)
	}
	database := testpostgres.With(t, schema, map[string]string{"user": role})
	st := openDatabase(t, database)
	const reason, hint = "the server has no connection left for this user", "CONNECTION LIMIT"
	expectRefused(t, openOnly(t, database), reason, hint)
	err := st.Update(t.Context(), func(*store.Tx) error { return nil })
	expectRefused(t, err, reason, hint)
	if !store.IsAway(err) || store.IsUnreachable(err) {
		t.Error("a record that finds no connection would not go into the spool")
	}
	if names, err := st.Scenarios(t.Context()); err != nil || len(names) != 0 {
		t.Errorf("scenarios %q, error %v: the first connection is no longer usable", names, err)
	}
	if err := testpostgres.Exec(server, "ALTER ROLE "+role+" CONNECTION LIMIT 2"); err != nil {
		t.Fatal(err)
	}
	if err := recordAny(t, st, "s"); err != nil {
		t.Error(err)
	}
	if names, err := st.Scenarios(t.Context()); err != nil || len(names) != 1 {
		t.Errorf("scenarios %q, error %v", names, err)
	}
}

// recordAny records a seed of a scenario.
func recordAny(t *testing.T, st *store.Store, scenario string) error {
	return st.Update(t.Context(), func(tx *store.Tx) error { return addAny(tx, scenario) })
}

func addAny(tx *store.Tx, scenario string) error {
	seed := track.Seed{ID: ulid.Make().String(), Scenario: scenario, Number: 1, Outcome: track.OutcomeOK, Values: map[string]float64{"a": 1}, RecordedAt: clock()}
	_, _, err := tx.AddSeed(seed, seed.Digest())
	return err
}

func schemaName(database string) string {
	_, name, _ := strings.Cut(database, "search_path=")
	name, _, _ = strings.Cut(name, "&")
	return name
}
