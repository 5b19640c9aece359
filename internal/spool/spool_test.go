package spool_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"track"
	"track/importer/lines"
	"track/internal/property"
	"track/internal/spool"
)

func seed(n track.SeedNumber) track.Seed {
	return track.Seed{Scenario: "s", Number: n, Outcome: track.OutcomeOK, Values: map[string]float64{"m": float64(n)}}
}

// numbers are those of the seeds in a text of lines.
func numbers(t testing.TB, text io.Reader) (list []track.SeedNumber) {
	t.Helper()
	for record, err := range lines.Read("f", text) {
		if err != nil || record.Err != nil {
			t.Fatalf("%v, %v", err, record.Err)
		}
		list = append(list, record.Seed.Number)
	}
	return list
}

func create(t testing.TB, dir, name string) *spool.Writer {
	t.Helper()
	w, err := spool.Create(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestCreate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "spool")
	w := create(t, dir, "a")
	if _, err := spool.Create(dir, "a"); err == nil {
		t.Error("two processes write into one file")
	}
	if err := w.AddSeeds([]track.Seed{seed(1), seed(2)}); err != nil {
		t.Fatal(err)
	}
	open := []spool.File{{Path: filepath.Join(dir, "a.open.jsonl"), Open: true}}
	if files, err := spool.Files(dir); err != nil || !slices.Equal(files, open) {
		t.Errorf("while it is written: %v, %v", files, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	closed := []spool.File{{Path: w.Path()}}
	if files, err := spool.Files(dir); err != nil || !slices.Equal(files, closed) {
		t.Errorf("closed: %v, %v", files, err)
	}
	if err := create(t, dir, "empty").Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(w.Path())
	if got := numbers(t, bytes.NewReader(text)); err != nil || !slices.Equal(got, []track.SeedNumber{1, 2}) {
		t.Errorf("%v are there, %v", got, err)
	}
	if moved, err := closed[0].Done(); err != nil || moved != filepath.Join(dir, "ingested", "a.jsonl") {
		t.Fatalf("moved to %s, %v", moved, err)
	}
	if files, err := spool.Files(dir); err != nil || len(files) != 0 {
		t.Errorf("left of an empty file and of one that is done with: %v, %v", files, err)
	}
	if done, err := os.ReadFile(filepath.Join(dir, "ingested", "a.jsonl")); err != nil || !bytes.Equal(done, text) {
		t.Errorf("what is done with is %q, %v", done, err)
	}
}

func TestNoFolder(t *testing.T) {
	if files, err := spool.Files(filepath.Join(t.TempDir(), "none")); err != nil || len(files) != 0 {
		t.Errorf("%v, %v", files, err)
	}
	if err := create(t, t.TempDir(), "a").Add([]byte("no end")); err == nil {
		t.Error("a line without an end was added")
	}
}

// Wherever a file was cut, its whole lines are read, and the next writer goes on behind them.
func TestCutFile(t *testing.T) {
	dir := t.TempDir()
	var whole []byte
	var ends []int // of each line
	for n := range track.SeedNumber(5) {
		s := seed(n)
		s.Message = strings.Repeat("x", int(n)*30_000) // longer than what is read at once
		var err error
		if whole, err = lines.AppendSeed(whole, s); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, len(whole))
	}
	property.Check(t, func(t *rapid.T) {
		cut := rapid.OneOf(rapid.IntRange(0, len(whole)), rapid.SampledFrom(ends)).Draw(t, "cut")
		path := filepath.Join(dir, "cut.jsonl")
		if err := os.WriteFile(path, whole[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		n, _ := slices.BinarySearch(ends, cut+1)
		want := []track.SeedNumber{0, 1, 2, 3, 4}[:n]
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		read, size, left, err := spool.Lines(file)
		if err != nil || size+left != int64(cut) {
			t.Fatalf("%d and %d of %d bytes, %v", size, left, cut, err)
		}
		var got []track.SeedNumber
		for record, err := range lines.Read("f", read) {
			if err != nil || record.Err != nil {
				t.Fatal(err, record.Err)
			}
			got = append(got, record.Seed.Number)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v are read of %d bytes, want %v", got, cut, want)
		}
		w, err := spool.Append(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.AddSeeds([]track.Seed{seed(9)}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		last, appendErr := lines.AppendSeed(nil, seed(9))
		if end := append([]int{0}, ends...)[n]; err != nil || appendErr != nil || !bytes.Equal(text, append(bytes.Clone(whole[:end]), last...)) {
			t.Fatalf("after a cut at %d and one seed more, the file has %d bytes, %v", cut, len(text), err)
		}
	})
}

func TestNetworkFileSystem(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "not", "there", "yet")} {
		if kind, err := spool.NetworkFileSystem(path); err != nil || kind != "" {
			t.Errorf("%s lies on %q, %v", path, kind, err)
		}
	}
	if _, err := spool.NetworkFileSystem(dir + "\x00"); err == nil {
		t.Error("no error of a path that cannot be")
	}
}

// A file that another process moved meanwhile is done, and one that cannot be moved is not.
func TestDoneTwice(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir, "a")
	if err := errors.Join(w.AddSeeds([]track.Seed{seed(1)}), w.Close()); err != nil {
		t.Fatal(err)
	}
	f := spool.File{Path: w.Path()}
	for range 2 {
		if _, err := f.Done(); err != nil {
			t.Error(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "ingested", "b.jsonl"), 0o755); err != nil {
		t.Fatal(err)
	}
	w = create(t, dir, "b")
	if err := errors.Join(w.AddSeeds([]track.Seed{seed(1)}), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := (spool.File{Path: w.Path()}).Done(); err == nil {
		t.Error("a file was moved over a folder")
	}
}

// Who takes a file that is being written for one that is done with loses nothing: what is written later is in another.
func TestMovedWhileOpen(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir, "a")
	var want []track.SeedNumber
	for n := range track.SeedNumber(6) {
		if err := w.AddSeeds([]track.Seed{{Scenario: "s", Number: n, Outcome: track.OutcomeError}}); err != nil {
			t.Fatal(err)
		}
		want = append(want, n)
		if n == 1 || n == 3 {
			files, err := spool.Files(dir)
			if err != nil || len(files) != 1 || !files[0].Open {
				t.Fatalf("%v, %v", files, err)
			}
			if _, err := files[0].Done(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got []track.SeedNumber
	for _, file := range []string{"ingested/a.jsonl", "ingested/a-2.jsonl", "a-3.jsonl"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, numbers(t, bytes.NewReader(text))...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v are there, want %v", got, want)
	}
}

func TestNotAFile(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errors.Join(r.Close(), w.Close()) }()
	if _, _, _, err := spool.Lines(r); !errors.Is(err, track.ErrInvalid) {
		t.Errorf("a pipe is read as if it had a size: %v", err)
	}
}

// TestCount counts whole lines of whole and open files; a folder that is not there holds nothing.
func TestCount(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	if files, err := spool.Files(dir); err != nil || len(files) != 0 {
		t.Fatal(files, err)
	}
	closed, err := spool.Create(dir, "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(closed.Add([]byte("{}\n{}\n")), closed.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.open.jsonl"), []byte("{}\n{\"half"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := spool.Files(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := spool.Count(append(files, spool.File{Path: filepath.Join(dir, "moved.jsonl")}))
	if want := (spool.Contents{Files: 2, Open: 1, Lines: 3, Bytes: 9}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}
