package openevolve

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
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

func TestReadLines(t *testing.T) {
	importertest.GoldenRun(t, read(t, "testdata/programs.jsonl"), "programs.golden")
}

func TestReadCheckpoints(t *testing.T) {
	importertest.GoldenRun(t, read(t, "testdata/run/checkpoints"), "checkpoints.golden")
	importertest.GoldenRun(t, read(t, "testdata/run/checkpoints/checkpoint_10"), "checkpoint_10.golden")
}

func TestRefuses(t *testing.T) {
	empty := t.TempDir()
	database := filepath.Join(empty, "evolution_db.sqlite")
	if err := os.WriteFile(database, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "programs.jsonl")
	if err := os.WriteFile(other, []byte(`{"generation":0,"parent_candidates":[],"correct":true,"combined_score_rounded":1,"code":"c"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, want, hint string
		is               error
	}{
		{"testdata/nosuch", "not found: stat testdata/nosuch: no such file or directory", "", track.ErrNotFound},
		{other, other + ":1: this is a program of Shinka, not of OpenEvolve", "import it in its own format: import shinka", track.ErrInvalid},
		{"read_test.go", "read_test.go: holds no program of OpenEvolve; the first part that was not used: read_test.go:1: not JSON: invalid character 'p' at start of value; the line was left out", "name a programs.jsonl", track.ErrInvalid},
		{empty, empty + ": holds no program of OpenEvolve", "name a programs.jsonl", track.ErrInvalid},
		{database, database + ": is a database, which is not read: a run is read from one JSON object a line", "sqlite3 evolution_db.sqlite", track.ErrInvalid},
	} {
		_, err := Read(tt.path)
		if err == nil || err.Error() != tt.want || !errors.Is(err, tt.is) || !strings.HasPrefix(fmt.Sprint(track.Hints(err)), "["+tt.hint) {
			t.Errorf("%s: %v (%q), want %s (%s)", tt.path, err, track.Hints(err), tt.want, tt.hint)
		}
	}
}

// The order of lines is nobody's meaning: parents may stand behind their children.
func TestOrderOfLines(t *testing.T) {
	text, err := os.ReadFile("testdata/programs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	var reversed []byte
	for i := range lines {
		reversed = append(reversed, lines[len(lines)-1-i]...)
	}
	programs := func(text []byte) string {
		run, err := readFile("", fstest.MapFS{"f": {Data: text}}, "f")
		if err != nil {
			t.Fatal(err)
		}
		for i := range run.Programs {
			run.Programs[i].Line = 0
		}
		run.Skips = nil
		return importertest.RenderRun(run)
	}
	if a, b := programs(text), programs(reversed); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}

// Of a file that is cut off, the whole lines before the cut are there.
func TestCutOff(t *testing.T) {
	text, err := os.ReadFile("testdata/programs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []int{300, 700, 1500, len(text) - 2} {
		whole := bytes.LastIndexByte(text[:end], '\n') + 1
		want, _ := readFile("", fstest.MapFS{"f": {Data: text[:whole]}}, "f")
		got, err := readFile("", fstest.MapFS{"f": {Data: text[:end]}}, "f")
		if err != nil || len(got.Programs) != len(want.Programs) || len(got.Skips) != len(want.Skips)+1 {
			t.Errorf("cut at %d: %d programs of %d, %d skips of %d, %v", end, len(got.Programs), len(want.Programs), len(got.Skips), len(want.Skips)+1, err)
		}
	}
}

func TestScoreBounds(t *testing.T) {
	for metrics, want := range map[string]string{
		`{"combined_score":1e308}`:                   `score 1e+308 failed "" ""`,
		`{"combined_score":1e309}`:                   `failed "invalid" "combined_score 1e309 is beyond what a number can be"`,
		`{"combined_score":"0.5"}`:                   `failed "invalid" "combined_score must be a number, not a string"`,
		`{"combined_score":[0.5,1]}`:                 `failed "invalid" "combined_score must be a number, not an array"`,
		`{"combined_score":null}`:                    `failed "invalid" "no combined_score, nor a number to take in its place"`,
		`{"a":1e308,"b":1e308}`:                      `failed "invalid" "no combined_score, nor a number to take in its place" a=1e+308 b=1e+308`,
		`{}`:                                         `failed "invalid" "no combined_score, nor a number to take in its place"`,
		`{"combined_score":0.5,"timeout":"late"}`:    `failed "timeout" partial 0.5 ""`,
		`{"combined_score":0.5,"timeout":0}`:         `score 0.5 failed "" "" timeout=0`,
		`{"combined_score":0.5,"timeout":60}`:        `score 0.5 failed "" "" timeout=60`,
		`{"combined_score":0.5,"error":""}`:          `score 0.5 failed "" ""`,
		`{"combined_score":0.5,"error":{"a":1}}`:     `failed "error" partial 0.5 ""`,
		`{"combined_score":0.5,"error":true}`:        `failed "error" partial 0.5 "" error=1`,
		`{"error":0.25,"other":1}`:                   `failed "error" "" error=0.25 other=1`,
		`{"combined_score":0.5,"stage3_passed":0}`:   `failed "error" partial 0.5 "stage3_passed is 0" stage3_passed=0`,
		`{"combined_score":0.5,"stages_passed":0}`:   `score 0.5 failed "" "" stages_passed=0`,
		`{"combined_score":0,"runs_successfully":0}`: `failed "error" partial 0 "runs_successfully is 0" runs_successfully=0`,
		`{"combined_score":0.5,"error":"\ud800"}`:    `failed "error" partial 0.5 ""`,
	} {
		run, err := readFile("", fstest.MapFS{"f": {Data: []byte(`{"id":"a","code":"c","metrics":` + metrics + `}`)}}, "f")
		if err != nil {
			t.Fatal(err)
		}
		importertest.CheckRun(t, run)
		if got := strings.TrimSpace(strings.Split(importertest.RenderRun(run), "\n")[2]); got != want {
			t.Errorf("%s: %s, want %s", metrics, got, want)
		}
	}
}

// The best of a run is what the metadata of its last checkpoint says; the file beside it is asked where the metadata
// says nothing.
func TestBest(t *testing.T) {
	program := func(id string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"id":"` + id + `","code":"c","metrics":{"combined_score":1}}`)}
	}
	files := fstest.MapFS{
		"checkpoint_9/programs/a.json": program("a"), "checkpoint_9/metadata.json": {Data: []byte(`{"best_program_id":"a"}`)},
		"checkpoint_10/programs/b.json": program("b"), "checkpoint_10/best_program_info.json": {Data: []byte(`{"id":"a"}`)},
	}
	for metadata, want := range map[string]string{`{"best_program_id":"b"}`: "b", `{"best_program_id":null}`: "a", `{}`: "a", `[]`: "a", ``: "a"} {
		files["checkpoint_10/metadata.json"] = &fstest.MapFile{Data: []byte(metadata)}
		run, err := readDir("", files)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range run.Programs {
			if p.Best != (p.ID == want) {
				t.Errorf("%s: %s is the best: %v", metadata, p.ID, p.Best)
			}
		}
	}
}

func FuzzReadFile(f *testing.F) {
	for _, name := range []string{"programs.jsonl", "run/checkpoints/checkpoint_2/programs/a.json"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			f.Add(line, []byte(`[{"last_iteration":1,"best_program_id":"a"}]`))
		}
		f.Add(text, []byte(nil))
	}
	f.Fuzz(func(t *testing.T, lines, list []byte) {
		files := fstest.MapFS{"f": {Data: lines}, "checkpoints.json": {Data: list}}
		fuzzed(t, func() (importer.Run, error) {
			return readFile("", files, "f")
		})
	})
}

func FuzzReadDir(f *testing.F) {
	add := func(folder string) {
		var texts [3][]byte
		for i, name := range []string{"metadata.json", "programs/b.json", "programs/c.json"} {
			texts[i], _ = os.ReadFile(filepath.Join(folder, name))
		}
		f.Add(texts[0], texts[1], texts[2])
	}
	add("testdata/run/checkpoints/checkpoint_9")
	add("testdata/run/checkpoints/checkpoint_10")
	f.Fuzz(func(t *testing.T, metadata, one, two []byte) {
		files := fstest.MapFS{
			"checkpoint_1/metadata.json": {Data: metadata}, "checkpoint_1/programs/1.json": {Data: one}, "checkpoint_1/programs/2.json": {Data: two},
			"checkpoint_02/programs/1.json": {Data: two}, "checkpoint_02/best_program_info.json": {Data: one}, "checkpoint_3": {Mode: fs.ModeSymlink},
		}
		fuzzed(t, func() (importer.Run, error) {
			return readDir("d", files)
		})
	})
}

// fuzzed reads a run twice.
func fuzzed(t *testing.T, read func() (importer.Run, error)) {
	t.Helper()
	once, err := read()
	if err != nil {
		return
	}
	importertest.CheckRun(t, once)
	if again, err := read(); err != nil || importertest.RenderRun(again) != importertest.RenderRun(once) {
		t.Fatalf("read twice, it is not the same: %v", err)
	}
}
