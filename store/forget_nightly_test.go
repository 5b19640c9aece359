//go:build nightly

package store_test

import (
	"errors"
	"testing"

	"track"
	"track/store"
)

// A reader in the middle of something holds the old pages; whoever forgets is told.
func TestForgetWhileRead(t *testing.T) {
	t.Parallel() // it waits for the reader as long as a lock is waited for
	path := newDatabase(t)
	st := openDatabase(t, path)
	ids := addTexts(t, st, 3)
	err := st.Snapshot(t.Context(), func(snapshot *store.Reader) error {
		if _, err := snapshot.Lineages(t.Context()); err != nil {
			return err
		}
		if err := st.Forget(t.Context(), ids...); !errors.Is(err, track.ErrDatabase) || len(track.Hints(err)) == 0 {
			t.Errorf("%v, want ErrDatabase and what to do", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Forget(t.Context(), ids...); err != nil {
		t.Fatal(err)
	}
	if n := found(t, path); n != 0 {
		t.Errorf("%d copies are left", n)
	}
}
