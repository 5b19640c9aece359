// Package testdb opens and reads databases for tests.
package testdb

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"track/internal/testpostgres"
	"track/store"
)

// Clock returns a fixed time that is not a whole number of milliseconds.
func Clock() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC) }

// New returns a new database with [Clock], which is closed when the test ends: a file, or a schema of the server that
// [testpostgres.Variable] names.
func New(t testing.TB) *store.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "track.db")
	if server := os.Getenv(testpostgres.Variable); server != "" {
		path = testpostgres.Schema(t, server)
	}
	if _, err := store.Init(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return Open(t, path)
}

// Open opens a database with [Clock]. It is closed when the test ends.
func Open(t testing.TB, path string) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), path, Clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// Rows returns the rows of a reading SQL statement.
func Rows(t testing.TB, st *store.Store, query string) (rows [][]any) {
	t.Helper()
	_, err := st.Query(t.Context(), query, func(_ []string, row []any) error {
		rows = append(rows, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
