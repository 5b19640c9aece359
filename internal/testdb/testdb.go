// Package testdb opens and reads databases for tests.
package testdb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"track/internal/testpostgres"
	"track/migrations"
	"track/store"
)

// Clock returns a fixed time that is not a whole number of milliseconds.
func Clock() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC) }

// New returns a new database with [Clock], which is closed when the test ends: a file, or a database on the server that
// [testpostgres.Variable] names.
func New(t testing.TB) *store.Store {
	t.Helper()
	return openAt(t, newPlace(t), Clock)
}

// NewTicking is [New] with a clock that goes on by a millisecond whenever it is looked at.
func NewTicking(t testing.TB) *store.Store {
	t.Helper()
	var ticks atomic.Int64
	return openAt(t, newPlace(t), func() time.Time { return Clock().Add(time.Duration(ticks.Add(1)) * time.Millisecond) })
}

// newPlace returns where a new database is: a file, or a database on the server.
func newPlace(t testing.TB) string {
	t.Helper()
	if server := os.Getenv(testpostgres.Variable); server != "" {
		return onServer(t, server)
	}
	return NewFile(t)
}

// NewFile returns the path of a new file with our tables. It is a copy of the first one: to create tables takes a
// second under the race detector.
func NewFile(t testing.TB) (path string) {
	t.Helper()
	content, err := first()
	path = filepath.Join(t.TempDir(), "track.db")
	if err = errors.Join(err, os.WriteFile(path, content, 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// first returns a file with our tables, created once in a process.
var first = sync.OnceValues(func() (content []byte, err error) {
	folder, err := os.MkdirTemp("", "track-testdb-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "track.db")
	if _, err := store.Init(context.Background(), path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// OnlySQLite skips a test that needs a file of SQLite if tests use a server, and says why.
func OnlySQLite(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv(testpostgres.Variable) != "" {
		t.Skip("only on SQLite: " + reason)
	}
}

// onServer returns the URL of a database with our tables, which is dropped when the test ends. It is a copy: that
// takes a fifth of the time that it takes to create tables.
func onServer(t testing.TB, server string) string {
	t.Helper()
	files, err := migrations.Postgres()
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.New()
	if err := errors.Join(writeFiles(hash, files), writeText(hash, migrations.PostgresViews)); err != nil {
		t.Fatal(err)
	}
	return testpostgres.Copy(t, server, "template_"+hex.EncodeToString(hash.Sum(nil)[:8]), func(database string) error {
		_, err := store.Init(t.Context(), database)
		return err
	})
}

func writeText(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

func writeFiles(w io.Writer, files fs.FS) error {
	return fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, path)
		return errors.Join(err, writeText(w, string(text)))
	})
}

// Open opens a database with [Clock]. It is closed when the test ends.
func Open(t testing.TB, path string) *store.Store {
	t.Helper()
	return openAt(t, path, Clock)
}

func openAt(t testing.TB, path string, clock func() time.Time) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), path, clock)
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
