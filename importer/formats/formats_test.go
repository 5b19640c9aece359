package formats_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/importer"
	"track/importer/formats"
	"track/importer/importertest"
)

// Each format that is listed has a reader, and its own fixture is read without being told what it is.
func TestReadPath(t *testing.T) {
	for format, path := range map[string]string{
		importer.ClaudeCode: "../claudecode/testdata/session.jsonl", importer.ClaudeHooks: "../claudehooks/testdata/hooks.jsonl",
		importer.Codex: "../codex/testdata/rollout.jsonl", importer.TauBench: "../taubench/testdata/episodes.json",
		importer.Inspect: "../inspect/testdata/log.eval", importer.SEPA: "../sepa/testdata", importer.JSONL: "../lines/testdata/batch.jsonl",
		importer.OTLP:      "../otlp/testdata/claude.jsonl",
		importer.Messages:  "../messages/testdata/records.jsonl",
		importer.OpenHands: "../openhands/testdata/output.jsonl",
		importer.ATIF:      "../atif/testdata/lines.jsonl", importer.SWEAgent: "../sweagent/testdata/org__repo-7.traj",
	} {
		guessed, err := importertest.Collect(t, formats.ReadPath("", path))
		named, err2 := importertest.Collect(t, formats.ReadPath(format, path))
		executions := importertest.Executions(guessed)
		if err != nil || err2 != nil || len(executions) == 0 || executions[0].Source != format || importertest.Render(guessed...) != importertest.Render(named...) {
			t.Errorf("%s: %d executions, %v, %v", format, len(executions), err, err2)
		}
	}
	if len(importer.Formats()) != 12 {
		t.Error("a format is not tested here")
	}
}

func TestReadGzip(t *testing.T) {
	text, err := os.ReadFile("../codex/testdata/rollout.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "r.jsonl.gz")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := gzip.NewWriter(file)
	if _, err := w.Write(text); err != nil || w.Close() != nil || file.Close() != nil {
		t.Fatal(err)
	}
	if items, err := importertest.Collect(t, formats.ReadPath("", path)); err != nil || len(items) != 6 {
		t.Errorf("%d items, %v", len(items), err)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct{ format, text, want, hint string }{
		{"", "hello\n", "f: does not look like any log that track reads", "formats: claude-code, claude-hooks, codex, tau-bench, inspect, sepa, jsonl, atif, swe-agent, openhands, otlp, messages"},
		{"csv", "hello\n", `f: track reads no format "csv"`, "formats: claude-code, claude-hooks, codex, tau-bench, inspect, sepa, jsonl, atif, swe-agent, openhands, otlp, messages"},
		{"codex", `{"hook_event_name":"Stop","session_id":"s"}`, "f: this is a log of Claude Code hooks, not a Codex rollout", "import it in its own format: import claude-hooks"},
		{"inspect", `[{"task_id":1,"traj":[]}]`, "f: this is a file of tau-bench results, not an Inspect log", "import it in its own format: import tau-bench"},
	} {
		_, err := importertest.Collect(t, formats.Read(tt.format, "f", strings.NewReader(tt.text)))
		if err == nil || err.Error() != tt.want || !errors.Is(err, track.ErrInvalid) || fmt.Sprint(track.Hints(err)) != "["+tt.hint+"]" {
			t.Errorf("got %v, hints %q", err, track.Hints(err))
		}
	}
	if _, err := importertest.Collect(t, formats.ReadPath("", "missing")); !errors.Is(err, track.ErrNotFound) {
		t.Errorf("a missing file: %v", err)
	}
	if items, err := importertest.Collect(t, formats.Read("", "f", strings.NewReader(""))); len(items) != 0 || err != nil {
		t.Errorf("nothing: %v, %v", items, err)
	}
}

// logs makes a folder of logs and other things.
func logs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, from := range map[string]string{
		"b/session.jsonl": "../claudecode/testdata/session.jsonl", "a/rollout.jsonl": "../codex/testdata/rollout.jsonl", "log.eval": "../inspect/testdata/log.eval",
	} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, filepath.FromSlash(name)), string(text))
	}
	if err := os.CopyFS(filepath.Join(dir, "agent", "memory"), os.DirFS("../sepa/testdata/memory")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"notes.md": "# notes\n", "empty.jsonl": "", "odd.jsonl": "{}\n", "broken.gz": "\x1f\x8bnot gzip", ".git/x.jsonl": `{"sessionId":"s","uuid":"u"}`,
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "loop")); err != nil {
		t.Logf("no link: %v", err)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	dir := logs(t)
	for _, tt := range []struct {
		format, paths  string
		sources, other []string
	}{
		{"", ".", []string{"a/rollout.jsonl codex", "agent/memory sepa", "b/session.jsonl claude-code", "log.eval inspect"}, []string{"broken.gz", "notes.md", "odd.jsonl"}},
		{"codex", ".", []string{"a/rollout.jsonl codex"}, []string{"odd.jsonl"}},
		{"sepa", ".", []string{"agent/memory sepa"}, []string{"odd.jsonl"}},
		{"sepa", "agent/memory", []string{"agent/memory sepa"}, nil},
		{"jsonl", ".", nil, []string{"odd.jsonl"}},
		{"claude-code", "b/session.jsonl b ./b", []string{"b/session.jsonl claude-code"}, nil}, // once
		{"", "?/*.jsonl", []string{"a/rollout.jsonl codex", "b/session.jsonl claude-code"}, nil},
		{"codex", "?/*.jsonl", []string{"a/rollout.jsonl codex"}, []string{"b/session.jsonl: this is a Claude Code transcript, not a Codex rollout"}},
		{"codex", "odd.jsonl", []string{"odd.jsonl codex"}, nil}, // it is not clearly of another format
		{"openhands", "odd.jsonl", nil, []string{"odd.jsonl: this is not a history of OpenHands: line 1: a record without history"}},
		{"codex", "empty.jsonl", []string{"empty.jsonl codex"}, nil},
		{"", "odd.jsonl", nil, []string{"odd.jsonl: does not look like any log that track reads"}},
	} {
		var paths []string
		for _, path := range strings.Fields(tt.paths) {
			paths = append(paths, filepath.Join(dir, filepath.FromSlash(path)))
		}
		sources, passed, err := formats.Find(tt.format, paths)
		if err != nil {
			t.Errorf("%s %s: %v", tt.format, tt.paths, err)
		}
		var got, other []string
		short := func(path string) string {
			return filepath.ToSlash(strings.ReplaceAll(path, dir+string(filepath.Separator), ""))
		}
		for _, s := range sources {
			got = append(got, short(s.Path)+" "+s.Format)
			for item, err := range s.Read(func(int) {}) {
				if err != nil {
					t.Errorf("%s: %v", s.Path, err)
				}
				if item.File == "" {
					t.Errorf("%s: an item of no file", s.Path)
				}
			}
		}
		for _, p := range passed {
			if text := short(p.Path); p.Named {
				other = append(other, short(p.Err.Error()))
			} else {
				other = append(other, text)
			}
		}
		slices.Sort(other)
		if diff := cmp.Diff(tt.sources, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.format, tt.paths, diff)
		}
		if diff := cmp.Diff(tt.other, other); diff != "" {
			t.Errorf("%s %s, others (-want +got):\n%s", tt.format, tt.paths, diff)
		}
	}
}

func TestFindNothing(t *testing.T) {
	dir := logs(t)
	for _, path := range []string{"nosuch", "nosuch*.jsonl"} {
		if _, _, err := formats.Find("", []string{filepath.Join(dir, path)}); !errors.Is(err, track.ErrNotFound) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, _, err := formats.Find("", []string{filepath.Join(dir, "a[")}); !errors.Is(err, track.ErrInvalid) {
		t.Errorf("a pattern that is none: %v", err)
	}
	if _, _, err := formats.Find(importer.SEPA, []string{filepath.Join(dir, "b")}); err == nil || !strings.Contains(err.Error(), "no folder of SEPA") {
		t.Errorf("a folder without a SEPA: %v", err)
	}
}

// All of the real logs are found, each in its format.
func TestFindReal(t *testing.T) {
	sources, passed, err := formats.Find("", []string{importertest.RealFolder(t)})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, s := range sources {
		got[s.Format] += s.Files
	}
	want := map[string]int{importer.ClaudeCode: 11, importer.ClaudeHooks: 1, importer.Codex: 5, importer.TauBench: 1, importer.Inspect: 5, importer.SEPA: 7, importer.ATIF: 4, importer.SWEAgent: 4, importer.OpenHands: 2, importer.OTLP: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(passed) != 1 {
		t.Errorf("%d others", len(passed))
	}
}
