package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"track/store"
	"track/store/storetest"
)

// clock stands still, at a time that is not whole in milliseconds.
func clock() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC) }

// newDatabase creates a database and returns its path.
func newDatabase(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "track.db")
	if created, err := store.Init(t.Context(), path); err != nil || !created {
		t.Fatalf("Init: %v, %v", created, err)
	}
	return path
}

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

func TestSuite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) *store.Store { return openDatabase(t, newDatabase(t)) })
}
