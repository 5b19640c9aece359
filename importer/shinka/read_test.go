package shinka

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"track"
	"track/importer"
	"track/importer/importertest"
)

// read reads a run and holds it against what runs promise.
func read(t testing.TB, path string) importer.Run {
	t.Helper()
	run, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	importertest.CheckRun(t, run)
	return run
}

func TestRead(t *testing.T) {
	importertest.GoldenRun(t, read(t, "testdata"), "programs.golden")
	importertest.GoldenRun(t, read(t, "testdata/exported.jsonl"), "exported.golden")
}

func TestRefuses(t *testing.T) {
	empty := t.TempDir()
	database := filepath.Join(empty, "evolution_db.SQLite")
	if err := os.WriteFile(database, []byte("SQLite format 3\x00"), 0o666); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "programs.jsonl")
	if err := os.WriteFile(other, []byte(`{"id":"a","iteration_found":0,"metrics":{"combined_score":1},"code":"c"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, want, hint string
		is               error
	}{
		{"testdata/nosuch", "not found: stat testdata/nosuch: no such file or directory", "", track.ErrNotFound},
		{empty, "not found: stat " + filepath.Join(empty, "programs.jsonl") + ": no such file or directory", "name a programs.jsonl", track.ErrNotFound},
		{other, other + ":1: this is a program of OpenEvolve, not of Shinka", "import it in its own format: import openevolve", track.ErrInvalid},
		{"read_test.go", "read_test.go: holds no program of Shinka; the first part that was not used: read_test.go:1: not JSON: invalid character 'p' at start of value; the line was left out", "name a programs.jsonl", track.ErrInvalid},
		{database, database + ": is a database, which is not read: a run is read from one JSON object a line", "sqlite3 evolution_db.SQLite", track.ErrInvalid},
	} {
		_, err := Read(tt.path)
		if err == nil || err.Error() != tt.want || !errors.Is(err, tt.is) || !strings.HasPrefix(fmt.Sprint(track.Hints(err)), "["+tt.hint) {
			t.Errorf("%s: %v (%q), want %s (%s)", tt.path, err, track.Hints(err), tt.want, tt.hint)
		}
	}
}

func FuzzReadFile(f *testing.F) {
	for _, name := range []string{"programs.jsonl", "exported.jsonl"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			f.Add(line)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		read := func() (importer.Run, error) {
			return readFile("", fstest.MapFS{"f": {Data: text}}, "f")
		}
		once, err := read()
		if err != nil {
			return
		}
		importertest.CheckRun(t, once)
		if again, err := read(); err != nil || importertest.RenderRun(again) != importertest.RenderRun(once) {
			t.Fatalf("read twice, it is not the same: %v", err)
		}
	})
}
