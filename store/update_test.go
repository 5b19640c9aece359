package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"track"
)

func newTestStore(t *testing.T) *Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "track.db")
	if _, err := Init(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	st, err := OpenForUpdate(t.Context(), path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

func (t *Tx) addFailed(number track.SeedNumber, message string) error {
	seed := track.Seed{ID: fmt.Sprint(number), Scenario: "s", Number: number, Outcome: track.OutcomeError, Message: message}
	_, _, err := t.AddSeed(seed, seed.Digest())
	return err
}

func (s *Store) count(t *testing.T) (n int) {
	t.Helper()
	if err := s.read().GetContext(t.Context(), &n, "SELECT count(*) FROM seed"); err != nil {
		t.Fatal(err)
	}
	return n
}

// What is acknowledged one by one waits for the disk; a batch waits once, in Sync.
func TestDurability(t *testing.T) {
	st := newTestStore(t)
	synchronous := func(update func(func(*Tx) error) error) (mode int) {
		t.Helper()
		if err := update(func(tx *Tx) error { return tx.get(&mode, "PRAGMA synchronous") }); err != nil {
			t.Fatal(err)
		}
		return mode
	}
	full := func(write func(*Tx) error) error { return st.Update(t.Context(), write) }
	relaxed := func(write func(*Tx) error) error { return st.UpdateRelaxed(t.Context(), write) }
	const modeNormal, modeFull = 1, 2
	for i, stage := range []struct {
		update func(func(*Tx) error) error
		want   int
	}{{full, modeFull}, {relaxed, modeNormal}, {relaxed, modeNormal}, {full, modeFull}} {
		if got := synchronous(stage.update); got != stage.want {
			t.Errorf("stage %d: PRAGMA synchronous is %d, want %d", i, got, stage.want)
		}
	}
	if err := st.Sync(); err != nil {
		t.Error(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if err := st.Sync(); err != nil { // no log, nothing to wait for
		t.Error(err)
	}
}

// A disk that is full stops what is written then, whole, and nothing else. The limit of pages stands in for the disk.
func TestFull(t *testing.T) {
	st := newTestStore(t)
	for name, update := range map[string]func(func(*Tx) error) error{
		"full":    func(write func(*Tx) error) error { return st.Update(t.Context(), write) },
		"relaxed": func(write func(*Tx) error) error { return st.UpdateRelaxed(t.Context(), write) },
	} {
		before := st.count(t)
		limit := func(pages string) {
			t.Helper()
			if _, err := st.writer.conn.ExecContext(t.Context(), "PRAGMA max_page_count = "+pages); err != nil {
				t.Fatal(err)
			}
		}
		limit("1") // that is, what there is
		long := strings.Repeat("x", 100_000)
		err := update(func(tx *Tx) error {
			return errors.Join(tx.addFailed(track.SeedNumber(before+1), ""), tx.addFailed(track.SeedNumber(before+2), long))
		})
		if !errors.Is(err, track.ErrDatabase) || !strings.Contains(fmt.Sprint(track.Hints(err)), "space") {
			t.Errorf("%s: %v with hints %q, want ErrDatabase and the way out", name, err, track.Hints(err))
		}
		if n := st.count(t); n != before {
			t.Errorf("%s: %d seeds after a failure, want %d", name, n, before)
		}
		limit("1000000")
		if err := update(func(tx *Tx) error { return tx.addFailed(track.SeedNumber(before+1), long) }); err != nil {
			t.Errorf("%s: with space again: %v", name, err)
		}
		if n := st.count(t); n != before+1 {
			t.Errorf("%s: %d seeds with space again, want %d", name, n, before+1)
		}
	}
}
