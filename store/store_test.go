package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"track"
	"track/internal/testdb"
	"track/store"
	"track/store/storetest"
)

// clock stands still, at a time that is not whole in milliseconds.
func clock() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC) }

// newDatabase creates a database and returns its path.
func newDatabase(t testing.TB) string { return testdb.NewFile(t) }

func openDatabase(t testing.TB, path string) *store.Store {
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

// The last to close the database leaves no log behind.
func TestClose(t *testing.T) {
	path := newDatabase(t)
	st, err := store.OpenForUpdate(t.Context(), path, clock)
	if err != nil {
		t.Fatal(err)
	}
	seed := track.Seed{Scenario: "s", Outcome: track.OutcomeOK, Values: map[string]float64{"m": 1}}
	if err := errors.Join(record(t, st, seed), st.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the log: %v, want none", err)
	}
}

func TestSuite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) *store.Store { return openDatabase(t, newDatabase(t)) })
}

// Reading makes no database of a file that is empty or too short to be one.
func TestOpenLeavesShortFiles(t *testing.T) {
	for _, text := range []string{"", "x", "some notes"} {
		path := filepath.Join(t.TempDir(), "track.db")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := store.Open(t.Context(), path, clock)
		if !errors.Is(err, track.ErrInvalid) {
			t.Errorf("%q: error %v, want invalid", text, err)
		}
		if text != "" {
			if _, err := store.Init(t.Context(), path); !errors.Is(err, track.ErrInvalid) {
				t.Errorf("init of %q: error %v, want invalid", text, err)
			}
		}
		if left, err := os.ReadFile(path); err != nil || string(left) != text {
			t.Errorf("%q became %d bytes, %v", text, len(left), err)
		}
	}
}
