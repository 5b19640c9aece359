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

// Numbers run from 1 to the latest of each dialect without a gap.
func TestNumbers(t *testing.T) {
	for dialect, latest := range map[string]int{"sqlite": migrations.Latest, "postgres": migrations.LatestPostgres} {
		list := names(t, os.DirFS(dialect))
		for i, name := range list {
			match := fileName.FindStringSubmatch(name)
			if match == nil {
				t.Fatalf("%s is not named as a migration", name)
			}
			if n, err := strconv.Atoi(match[1]); err != nil || n != i+1 {
				t.Errorf("%s/%s is not number %d", dialect, name, i+1)
			}
		}
		if len(list) != latest {
			t.Errorf("%s: %d migrations, and the latest is %d", dialect, len(list), latest)
		}
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

// newProvider is that of a new database.
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

// Each migration can be taken back and made again.
func TestUpDownUp(t *testing.T) {
	db, provider := newProvider(t)
	stages := [][]string{schema(t, db)} // after each migration
	for range migrations.Latest {
		if _, err := provider.UpByOne(t.Context()); err != nil {
			t.Fatal(err)
		}
		stages = append(stages, schema(t, db))
	}
	for version := migrations.Latest; version > 0; version-- {
		if _, err := provider.Down(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(stages[version-1], schema(t, db)); diff != "" {
			t.Errorf("taking back %d leaves (-want +got):\n%s", version, diff)
		}
	}
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(stages[migrations.Latest], schema(t, db)); diff != "" {
		t.Errorf("the second time (-want +got):\n%s", diff)
	}
	if n := len(stages[migrations.Latest]); n < 15 {
		t.Errorf("only %d objects in the schema", n)
	}
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
	files, err := filepath.Glob("*.sql")
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
