package sepa_test

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"track/importer"
	"track/importer/importertest"
	"track/importer/sepa"
)

// A folder is read as it is, and through the folder above it.
func TestReadDir(t *testing.T) {
	items, err := importertest.Collect(t, sepa.ReadDir("memory", os.DirFS("testdata/memory")))
	if err != nil {
		t.Fatal(err)
	}
	importertest.Golden(t, items, "memory.golden")
	above, err := importertest.Collect(t, sepa.ReadDir("", os.DirFS("testdata")))
	if err != nil || importertest.Render(above...) != importertest.Render(items...) {
		t.Errorf("from above: %v\n%s", err, importertest.Render(above...))
	}
}

func TestReadDirRefuses(t *testing.T) {
	_, err := importertest.Collect(t, sepa.ReadDir("x", fstest.MapFS{"README.md": {}}))
	if err == nil || !strings.HasPrefix(err.Error(), "x: no folder of SEPA") {
		t.Errorf("got %v", err)
	}
	_, err = importertest.Collect(t, sepa.ReadDir("x", fstest.MapFS{"memory/memory/memory/a": {}}))
	if err == nil {
		t.Error("memories in memories were taken")
	}
}

// One damaged file does not keep the others from being read.
func TestReadDirDamaged(t *testing.T) {
	files := fstest.MapFS{
		"scores.yaml":        {Data: importertest.Fixture(t, "broken-scores.yaml")},
		"context.md":         {Data: []byte("nothing\n")},
		"evolution-log.md":   {Data: []byte("\xff\xfe## Evolution - soon\n- To: v002\n## Rollback\n- to: v001 (score: x)\n")},
		"executions.jsonl":   {Mode: fs.ModeDir},
		"executions-2.jsonl": {Data: []byte(`{"ts":"2026-03-01T10:00:00Z","tool":"Bash","exit":"0","success":"true","version":"v001","session":"s"}`)},
		"versions":           {Data: []byte("a file, not a folder")},
	}
	items, err := importertest.Collect(t, sepa.ReadDir("d", files))
	if err != nil {
		t.Fatal(err)
	}
	importertest.Golden(t, items, "damaged.golden")
}

// The README beside the real logs counts 55 prompts, 222 pre and 242 post that are whole, and 44 resyncs. Three more
// objects are whole but hold nothing but a session or a time: they are skipped too, which makes 47.
func TestReadReal(t *testing.T) {
	file := importertest.Real(t, "sepa/observations-first-5750-lines.jsonl")
	items, err := importertest.Collect(t, sepa.Read("f", file))
	if err != nil {
		t.Fatal(err)
	}
	calls, answered, exits, inputs := 0, 0, 0, 0
	for _, e := range importertest.Executions(items) {
		for _, c := range e.Calls {
			calls++
			if c.Answered {
				answered++
			}
			if c.Exit != nil {
				exits++
			}
			if c.Input != "" {
				inputs++
			}
		}
	}
	// Each pre is a call with an input; each post answers one, or is one whose pre was damaged. Every exit in this file
	// is the hook's default, not a status.
	if inputs != 222 || answered != 242 || exits != 0 || len(importertest.Skips(items)) != 47 {
		t.Errorf("%d calls, %d with an input, %d answered, %d exits, %d skips", calls, inputs, answered, exits, len(importertest.Skips(items)))
	}
	for _, skip := range importertest.Skips(items) {
		if skip.Line < 180 || skip.Line > 5750 {
			t.Errorf("%s", skip)
		}
	}
}

func TestReadRealFolder(t *testing.T) {
	folder := importertest.RealFolder(t) + "/sepa"
	items, err := importertest.Collect(t, sepa.ReadDir(folder, os.DirFS(folder)))
	if err != nil {
		t.Fatal(err)
	}
	versions, events := map[string]*importer.Version{}, []importer.EventKind{}
	for _, item := range items {
		if item.Version != nil {
			versions[item.Version.Name] = item.Version
		}
		if item.Event != nil {
			events = append(events, item.Event.Kind)
		}
	}
	v1, v2 := versions["v001"], versions["v002"] // which stands under strategy_performance
	if len(versions) != 2 || v1 == nil || v2 == nil || v2.Parent != "v001" || v2.Operator != "example_inject" || *v2.ParentScore != 86.5 || v2.Score != nil ||
		len(*v1.Content) != 1505 || len(*v2.Content) != 1572 {
		t.Errorf("versions %+v, %+v", v1, v2)
	}
	if len(events) != 2 || events[0] != importer.EventEvolution || events[1] != importer.EventCurrent {
		t.Errorf("events %v", events)
	}
}

func TestDamage(t *testing.T) {
	importertest.Damage(t, sepa.Read, importertest.Fixture(t, "memory/executions.jsonl"), false)
}

func FuzzRead(f *testing.F) {
	importertest.Fuzz(f, sepa.Read, importertest.Fixture(f, "memory/executions.jsonl"), importertest.Fixture(f, "memory/observations.jsonl"))
}

func FuzzReadDir(f *testing.F) {
	f.Add(importertest.Fixture(f, "memory/scores.yaml"), importertest.Fixture(f, "memory/evolution-log.md"), importertest.Fixture(f, "memory/context.md"))
	f.Add(importertest.Fixture(f, "broken-scores.yaml"), []byte("## Rollback"), []byte("current_version: \xff"))
	f.Fuzz(func(t *testing.T, scores, log, context []byte) {
		files := fstest.MapFS{"scores.yaml": {Data: scores}, "evolution-log.md": {Data: log}, "context.md": {Data: context}}
		if _, err := importertest.Collect(t, sepa.ReadDir("d", files)); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	importertest.Benchmark(b, sepa.Read, bytes.Repeat(importertest.Fixture(b, "memory/observations.jsonl"), 200))
}
