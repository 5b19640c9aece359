package migrations_test

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver

	"track/migrations"
)

var fileName = regexp.MustCompile(`^(\d{5})_[a-z0-9_]+\.sql$`)

func names(t *testing.T, files fs.FS) []string {
	t.Helper()
	list, err := fs.Glob(files, "*")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Both dialects have the same migrations. Numbers run from 1 to the latest without a gap.
func TestNumbers(t *testing.T) {
	sqlite := names(t, os.DirFS("sqlite"))
	if diff := cmp.Diff(sqlite, names(t, os.DirFS("postgres"))); diff != "" {
		t.Errorf("the dialects differ (-sqlite +postgres):\n%s", diff)
	}
	for i, name := range sqlite {
		match := fileName.FindStringSubmatch(name)
		if match == nil {
			t.Fatalf("%s is not named as a migration", name)
		}
		if n, err := strconv.Atoi(match[1]); err != nil || n != i+1 {
			t.Errorf("%s is not number %d", name, i+1)
		}
	}
	if len(sqlite) != migrations.Latest {
		t.Errorf("%d migrations, and the latest is %d", len(sqlite), migrations.Latest)
	}
}

var createTable = regexp.MustCompile(`(?m)^(-- .*\n)?CREATE (?:VIRTUAL )?TABLE (\w+)`)

// Both dialects create the same tables in the same order, each with a comment. PostgreSQL has one more.
func TestTables(t *testing.T) {
	tables := map[string][]string{}
	for _, dialect := range []string{"sqlite", "postgres"} {
		for _, name := range names(t, os.DirFS(dialect)) {
			text, err := os.ReadFile(filepath.Join(dialect, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range createTable.FindAllStringSubmatch(string(text), -1) {
				if match[1] == "" {
					t.Errorf("%s/%s: the table %s has no comment", dialect, name, match[2])
				}
				tables[dialect] = append(tables[dialect], match[2])
			}
		}
	}
	if diff := cmp.Diff(append(tables["sqlite"], "claim"), tables["postgres"]); diff != "" {
		t.Errorf("the dialects differ (-sqlite +postgres):\n%s", diff)
	}
}

// schema is the text of everything in the database but what goose and SQLite keep for themselves.
func schema(t *testing.T, db *sql.DB) (objects []string) {
	t.Helper()
	rows, err := db.Query(`SELECT type || ' ' || name || ': ' || coalesce(sql, '') FROM sqlite_schema
	 WHERE name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite%' ORDER BY type, name`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var object string
		if err := rows.Scan(&object); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return objects
}

// newProvider returns a provider for a new database.
func newProvider(t *testing.T) (*sql.DB, *goose.Provider) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "x.db")+"?_pragma=foreign_keys(1)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	files, err := migrations.SQLite()
	if err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files)
	if err != nil {
		t.Fatal(err)
	}
	return db, provider
}

// Every table is STRICT: without it, SQLite stores whatever it is given. FTS5 itself makes the tables of its index.
func TestStrict(t *testing.T) {
	db, provider := newProvider(t)
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, object := range schema(t, db) {
		if strings.HasPrefix(object, "table ") && !strings.HasPrefix(object, "table text_index") && !strings.Contains(object[strings.LastIndex(object, ")"):], "STRICT") {
			t.Errorf("not STRICT: %s", object)
		}
	}
}

// TestOldSQLite keeps out of the stored schema what sqlite3 programs before 3.44 cannot parse: they could not open a
// database at all.
func TestOldSQLite(t *testing.T) {
	newer := regexp.MustCompile(`(?i)string_agg|\(select\s+\w+\([^()]*(\([^()]*\)[^()]*)*\border by\b`)
	for _, text := range []string{"SELECT (SELECT string_agg(a, ',') FROM b)", "SELECT (SELECT group_concat(a, f(b) ORDER BY c) FROM d)"} {
		if !newer.MatchString(text) {
			t.Errorf("%s is not recognised", text)
		}
	}
	files, err := filepath.Glob("views_sqlite.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	more, err := filepath.Glob("sqlite/*.sql")
	if err != nil || len(more) == 0 {
		t.Fatal(more, err)
	}
	for _, file := range append(files, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := newer.FindString(string(text)); found != "" {
			t.Errorf("%s: %q", file, found)
		}
	}
}
