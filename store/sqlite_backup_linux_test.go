//go:build linux

package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"track"
	"track/store"
)

// A copy made while others record is one state of the database: sound, with all that was acknowledged before it began.
func TestBackUpWhileOthersRecord(t *testing.T) {
	path, dir := newDatabase(t), t.TempDir()
	const writers, each = 3, 60
	var acknowledged sync.Map
	var recording sync.WaitGroup
	for writer := range writers {
		other := openDatabase(t, path)
		recording.Go(func() {
			for i := range each {
				seed := failed(track.SeedNumber(writer*each + i))
				if err := record(t, other, seed); err != nil {
					t.Error(err)
				}
				acknowledged.Store(seed.Number, true)
			}
		})
	}
	st := openDatabase(t, path)
	for round := range 4 {
		before := map[track.SeedNumber]bool{}
		acknowledged.Range(func(number, _ any) bool { before[number.(track.SeedNumber)] = true; return true })
		file := filepath.Join(dir, fmt.Sprint(round, ".db"))
		b, err := st.BackUp(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		seeds, err := openDatabase(t, file).Seeds(t.Context(), store.SeedFilter{})
		if err != nil || len(seeds) != b.Seeds {
			t.Fatalf("%d seeds, %v, want %d", len(seeds), err, b.Seeds)
		}
		for _, seed := range seeds {
			delete(before, seed.Number)
		}
		if info, err := os.Stat(file); err != nil || info.Size() != b.Bytes || len(before) > 0 {
			t.Errorf("round %d: %v, %v, without the seeds %v", round, info, err, before)
		}
		if got := scan[string](t, file, "PRAGMA integrity_check") + scan[string](t, file, "PRAGMA journal_mode"); got != "okwal" {
			t.Error(got)
		}
	}
	recording.Wait()
}

// What cannot be written leaves nothing, and what is there is not replaced.
func TestBackUpRefuses(t *testing.T) {
	st, dir := openDatabase(t, newDatabase(t)), t.TempDir()
	if err := record(t, st, failed(1)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "there.db"), "precious")
	write(t, filepath.Join(dir, "log.db-wal"), "of another")
	before := contents(t, filepath.Join(dir, "there.db"))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ctx  context.Context
		name string
		want error
	}{
		{t.Context(), "there.db", track.ErrConflict},
		{t.Context(), "log.db", track.ErrConflict},
		{t.Context(), "no/such/folder.db", track.ErrNotFound},
		{cancelled, "cancelled.db", context.Canceled},
	} {
		if b, err := st.BackUp(tt.ctx, filepath.Join(dir, tt.name)); !errors.Is(err, tt.want) {
			t.Errorf("%s: %+v, %v, want %v", tt.name, b, err, tt.want)
		}
	}
	if after := contents(t, filepath.Join(dir, "there.db")); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("files changed from %v to %v", before, after)
	}
}

// A full disk is another file system than the source's, and gets no part of a copy.
func TestBackUpToFullDisk(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	disk := t.TempDir()
	mountSmall(t, disk)
	st := openDatabase(t, newDatabase(t))
	if _, err := st.BackUp(t.Context(), filepath.Join(disk, "small.db")); err != nil {
		t.Fatal(err)
	}
	seed := failed(1)
	seed.Message = strings.Repeat("x", 4<<20)
	if err := record(t, st, seed); err != nil {
		t.Fatal(err)
	}
	if _, err := st.BackUp(t.Context(), filepath.Join(disk, "large.db")); !errors.Is(err, track.ErrDatabase) || !strings.Contains(fmt.Sprint(track.Hints(err)), "space") {
		t.Errorf("%v with hints %q, want ErrDatabase and the way out", err, track.Hints(err))
	}
	if files, err := os.ReadDir(disk); err != nil || len(files) != 1 {
		t.Errorf("%v, %v: want the small copy alone", files, err)
	}
}

// A source that cannot be written, in a folder that cannot be, is copied with its permissions.
func TestBackUpOfReadOnly(t *testing.T) {
	if !asNobody(t) {
		return
	}
	path := newDatabase(t)
	chmod(t, path, 0o444)
	chmod(t, filepath.Dir(path), 0o555)
	file := filepath.Join(t.TempDir(), "copy.db")
	if _, err := openDatabase(t, path).BackUp(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o444 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
