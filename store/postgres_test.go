package store_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/internal/outsidetest"
	"track/internal/testdb"
	"track/internal/testpostgres"
	"track/migrations"
	"track/store"
)

// postgres returns the URL of an empty schema with our tables.
func postgres(t *testing.T, server string) string {
	t.Helper()
	schema := testpostgres.Schema(t, server)
	if created, err := store.Init(t.Context(), schema); err != nil || !created {
		t.Fatalf("Init: %v, %v", created, err)
	}
	return schema
}

// sharedServer is the server of all tests that need no settings of their own, once startShared has started it.
var sharedServer *testpostgres.Server

var startShared = sync.OnceValue(func() error {
	binaries, err := testpostgres.Binaries()
	if err != nil {
		return err
	}
	sharedServer, err = testpostgres.Start(binaries)
	return err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if sharedServer != nil {
		if err := sharedServer.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// startServer returns the URL of a server: of its own if there are settings, else of the one that tests share.
func startServer(t *testing.T, settings ...string) (url string) {
	t.Helper()
	if url := os.Getenv(testpostgres.Variable); url != "" && len(settings) == 0 {
		return url
	}
	binaries, err := testpostgres.Binaries()
	if err != nil {
		outsidetest.Missing(t, "%v", err)
	}
	if len(settings) == 0 {
		if err := startShared(); err != nil {
			t.Fatal(err)
		}
		return sharedServer.URL
	}
	server, err := testpostgres.Start(binaries, settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sync.OnceFunc(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	}))
	return server.URL
}

// Both databases have the same tables, columns and views, but for what the one keeps in files and the other in an
// index.
func TestSameSchema(t *testing.T) {
	file, server := openDatabase(t, newDatabase(t)), openDatabase(t, postgres(t, startServer(t)))
	own := regexp.MustCompile(`^(claim|text_index.*|goose_.*|sqlite_.*)\.`)
	columns := func(st *store.Store, query string) (list []string) {
		_, err := st.Query(t.Context(), query, func(_ []string, row []any) error {
			if column := fmt.Sprintf("%s.%s", row[0], row[1]); !own.MatchString(column) {
				list = append(list, column)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	want := columns(file, `SELECT tables.name, columns.name FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
	 WHERE tables.type IN ('table', 'view') ORDER BY tables.name, columns.name`)
	got := columns(server, `SELECT CAST(table_name AS text) COLLATE "C" AS table_name, CAST(column_name AS text) COLLATE "C" AS column_name
	  FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1, 2`)
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 100 {
		t.Errorf("columns of PostgreSQL (-want +got):\n%s", diff)
	}
}

// A query of the user's own ends when its time is over, and times are printed.
func TestQueryPostgres(t *testing.T) {
	schema := postgres(t, startServer(t))
	st := openDatabase(t, schema+"&statement_timeout=50")
	ask := func(query string) (row []any, err error) {
		_, err = st.QueryViews(t.Context(), query, func(_ []string, r []any) error {
			row = r
			return nil
		})
		return row, err
	}
	if _, err := ask("SELECT max(i * i) FROM generate_series(1, 1000000000) AS n(i)"); !errors.Is(err, track.ErrInvalid) || !strings.Contains(err.Error(), "its time is limited") {
		t.Errorf("%v, want an end of its time", err)
	}
	row, err := ask("SELECT CAST('2026-01-02T03:04:05+01:00' AS timestamptz), true, 1.5, current_user")
	if want := []any{"2026-01-02T02:04:05.000Z", int64(1), 1.5, "track_query"}; err != nil || !slices.Equal(row, want) {
		t.Errorf("%v %v, want %v", row, err, want)
	}
	// What a query of a user has set, a later reader does not meet.
	for _, query := range []string{"SELECT current_user", "SELECT setting FROM pg_settings WHERE name = 'role'"} {
		_, err := st.Query(t.Context(), query, func(_ []string, r []any) error {
			row = r
			return nil
		})
		if err != nil || row[0] == "track_query" {
			t.Errorf("%s after a query: %v %v", query, row, err)
		}
	}
}

// The role of queries reads each view, and no table, whatever passes the check of the statement.
func TestQueryRolePostgres(t *testing.T) {
	schema := postgres(t, startServer(t))
	for _, row := range testdb.Rows(t, openDatabase(t, schema), "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()") {
		name, isView := row[0].(string), strings.HasPrefix(row[0].(string), "v_")
		err := testpostgres.Exec(schema, "SET ROLE track_query; SELECT * FROM "+name+" LIMIT 0")
		if (err == nil) != isView || err != nil && !strings.Contains(err.Error(), "42501") {
			t.Errorf("%s, view %t: %v", name, isView, err)
		}
	}
	for _, statement := range []string{"CREATE TABLE x (id int)", "SELECT pg_read_file('/etc/hostname')", "SELECT lo_import('/etc/hostname')", "SELECT pg_reload_conf()", "COPY v_seed TO '/tmp/x'"} {
		if err := testpostgres.Exec(schema, "SET ROLE track_query; "+statement); err == nil || !strings.Contains(err.Error(), "42501") {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// A user without the role, and a superuser that serves, are refused, and told what to do.
func TestMissingRolePostgres(t *testing.T) {
	server := startServer(t)
	schema := postgres(t, server)
	name := "plain_" + strconv.Itoa(os.Getpid())
	if err := testpostgres.Exec(schema, "CREATE ROLE "+name+" LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA "+schemaOf(schema)+" TO "+name+"; GRANT USAGE ON SCHEMA "+schemaOf(schema)+" TO "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := testpostgres.Exec(server, "DROP OWNED BY "+name+"; DROP ROLE "+name); err != nil {
			t.Error(err)
		}
	})
	st := openDatabase(t, testpostgres.With(t, schema, map[string]string{"user": name}))
	_, err := st.QueryViews(t.Context(), "SELECT 1", func([]string, []any) error { return nil })
	if !errors.Is(err, track.ErrForbidden) || !strings.Contains(fmt.Sprint(track.Hints(err)), "GRANT track_query TO") {
		t.Errorf("a user without the role: %v", err)
	}
	if err := st.CheckRole(t.Context()); err != nil {
		t.Errorf("a plain user: %v", err)
	}
	if err := openDatabase(t, schema).CheckRole(t.Context()); !errors.Is(err, track.ErrForbidden) {
		t.Errorf("a superuser: %v", err)
	}
}

func schemaOf(database string) string {
	_, schema, _ := strings.Cut(database, "search_path=")
	schema, _, _ = strings.Cut(schema, "&")
	return schema
}

// A query of which no more rows are wanted ends on the server too, and its connection stays usable.
func TestQueryStopsPostgres(t *testing.T) {
	st := openDatabase(t, postgres(t, startServer(t)))
	enough := errors.New("enough")
	for range 3 {
		n := 0
		_, err := st.QueryViews(t.Context(), "SELECT generate_series(1, 1000000000000)", func([]string, []any) error {
			if n++; n == 10 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || err.Error() != enough.Error() || n != 10 {
			t.Errorf("%v after %d rows, want the error of the tenth alone", err, n)
		}
	}
}

// A migration that was cut short is finished. A schema of a later track is refused, and so is one of others.
func TestMigratePostgres(t *testing.T) {
	server := startServer(t)
	schema := postgres(t, server)
	open := func() error {
		st, err := store.Open(t.Context(), schema, clock)
		if err == nil {
			err = st.Close()
		}
		return err
	}
	expect := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	run := func(statements string) {
		t.Helper()
		if err := testpostgres.Exec(schema, statements); err != nil {
			t.Fatal(err)
		}
	}
	if created, err := store.Init(t.Context(), schema); created || err != nil {
		t.Errorf("created again: %v %v", created, err)
	}
	run("DROP VIEW v_ledger") // as if a migration had been cut short
	expect(open(), "there is nothing in it")
	if _, err := store.Migrate(t.Context(), schema, clock()); err != nil {
		t.Error(err)
	}
	if err := open(); err != nil {
		t.Error(err)
	}
	run(fmt.Sprintf("INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, true)", migrations.Latest+1))
	expect(open(), "newer than")

	foreign := testpostgres.Schema(t, server)
	schema = foreign
	run("CREATE TABLE customers (id bigint)")
	expect(open(), "tables of others")
	_, err := store.Init(t.Context(), foreign)
	expect(err, "tables of others")
}

// Of processes that create the same tables at once, one does it. Nobody sees a part of them.
func TestInitAtOncePostgres(t *testing.T) {
	schema := testpostgres.Schema(t, startServer(t))
	if _, err := store.Migrate(t.Context(), schema, clock()); !errors.Is(err, track.ErrNotFound) {
		t.Errorf("migrating nothing: %v", err)
	}
	initAtOnce(t, schema, 6)
}
