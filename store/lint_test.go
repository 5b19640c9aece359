//go:build !race

package store

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// names returns what a query finds in its only column.
func names(t *testing.T, st *Store, query string, args ...any) (list []string) {
	t.Helper()
	if err := st.read().SelectContext(t.Context(), &list, query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return list
}

const (
	listTables    = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite%' ORDER BY name`
	listViews     = `SELECT name FROM sqlite_schema WHERE type = 'view' AND name GLOB 'v_*' ORDER BY name`
	listColumnsOf = `SELECT name FROM pragma_table_info($1)`
	listUnique    = `SELECT name FROM pragma_index_list($1) WHERE "unique" = 1`
	listIndexes   = `SELECT name FROM pragma_index_list($1)`
	listIndexed   = `SELECT name FROM pragma_index_info($1) ORDER BY seqno`
	isPartial     = `SELECT name FROM pragma_index_list($1) WHERE partial = 1`
)

// The schema has at most 40 tables of track.
func TestTables(t *testing.T) {
	tables := slices.DeleteFunc(names(t, planStore(t), listTables), func(name string) bool { return strings.HasPrefix(name, "text_index_") })
	if len(tables) > 40 {
		t.Errorf("%d tables: %s", len(tables), strings.Join(tables, ", "))
	}
}

// No index is the beginning of another, which would answer the same queries. A partial index is smaller, and so another
// thing.
func TestNoRedundantIndex(t *testing.T) {
	st := planStore(t)
	for _, table := range names(t, st, listTables) {
		partial := names(t, st, isPartial, table)
		columns := map[string][]string{}
		for _, index := range names(t, st, listIndexes, table) {
			if !slices.Contains(partial, index) {
				columns[index] = names(t, st, listIndexed, index)
			}
		}
		for a, short := range columns {
			for b, long := range columns {
				if a != b && len(short) <= len(long) && slices.Equal(short, long[:len(short)]) {
					t.Errorf("%s: index %s (%s) is the beginning of %s (%s)", table, a, strings.Join(short, ", "), b, strings.Join(long, ", "))
				}
			}
		}
	}
}

// docs/reference/sql.md lists every view and every column, and no others.
func TestViewsAreDocumented(t *testing.T) {
	st := planStore(t)
	text, err := os.ReadFile(filepath.FromSlash("../docs/reference/sql.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string][]string{}
	view := ""
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "### "); ok {
			view = name
		} else if strings.HasPrefix(line, "#") {
			view = ""
		}
		if cells := strings.Split(line, "|"); view != "" && len(cells) > 2 && !strings.HasPrefix(line, "|---") && strings.TrimSpace(cells[1]) != "column" {
			for name := range strings.SplitSeq(cells[1], ",") {
				documented[view] = append(documented[view], strings.TrimSpace(name))
			}
		}
	}
	views := map[string][]string{}
	for _, view := range names(t, st, listViews) {
		views[view] = names(t, st, listColumnsOf, view)
	}
	for _, columns := range []map[string][]string{documented, views} {
		for _, list := range columns {
			slices.Sort(list)
		}
	}
	if diff := cmp.Diff(documented, views); diff != "" {
		t.Errorf("views (-docs/reference/sql.md +schema):\n%s", diff)
	}
}

// onlySQLite are words that another database does not know.
var onlySQLite = regexp.MustCompile(
	`\b(PRAGMA|VACUUM\b|ATTACH |INDEXED BY|WITHOUT ROWID|sqlite_schema|group_concat|strftime|json_each|json_extract|json_remove|[^.]hex\(|sqlite3\.|"sqlite"|BEGIN IMMEDIATE)|= \?|\(\?|, \?`)

// Statements are in the SQL that databases share. What only SQLite knows is in files named after it.
func TestSQLiteHasItsOwnFiles(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if strings.HasPrefix(file, "sqlite_") || file == "querycheck.go" || // which lists the functions of both
			strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if code, _, _ := strings.Cut(line, "//"); onlySQLite.MatchString(code) {
				t.Errorf("%s:%d: %s", file, i+1, strings.TrimSpace(line))
			}
		}
	}
}
