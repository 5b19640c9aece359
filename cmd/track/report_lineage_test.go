package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/evolution"
	"track/importer/importertest"
	"track/store"
	"track/tracker/agents"
	"track/tracker/lineages"
)

// The reports of real runs, by the hash of each file: what they are made of stays out of the project. When one
// changes, look at it, and then change the hash.
func TestReportRealRuns(t *testing.T) {
	t.Parallel()
	runs := importertest.RealRuns(t)
	for _, tt := range []struct {
		format, path string
		hash         string
		wants        []string
	}{
		{"openevolve", "openevolve-metagpt-mast", mastReport, []string{
			"Failed, but called best by their source", "v012: timeout",
			"Path from the root to the active version v051: 3 versions", "| executions | 66, 20 failed |",
		}},
		{"shinka", "shinka-txn-gemini3pro-run5", txnReport, []string{"Path from the root to the active version", "99 mutations: 99 not decided"}},
	} {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			mustTrack(t, dir, "import", tt.format, filepath.Join(runs, tt.path), "--lineage", "l", "--seed", "1", "--at", "2026-01-02T03:04:05Z", "--db", "track.db")
			mustTrack(t, dir, "report", "lineage", "l", "-o", "report.md", "--db", "track.db")
			text, err := os.ReadFile(filepath.Join(dir, "report.md"))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.wants {
				if !strings.Contains(string(text), want) {
					t.Errorf("no %q in the report", want)
				}
			}
			if sum := sha256.Sum256(text); hex.EncodeToString(sum[:8]) != tt.hash {
				t.Errorf("the report is another: %s", hex.EncodeToString(sum[:8]))
			}
			mustTrack(t, dir, "report", "lineage", "l", "--check", "report.md", "--db", "track.db")
		})
	}
}

const (
	mastReport = "b59ab28e3466d28c"
	txnReport  = "fb72742f018e5c64"
)

// A lineage that is longer than its report shows has a report of a size that does not grow with it, and that counts
// what it leaves out.
func TestReportOfLongLineage(t *testing.T) {
	t.Parallel()
	const n = 440
	dir := t.TempDir()
	withStore(t, dir, func(st *store.Store) {
		settings, seed := evolution.DefaultSettings(), uint64(1)
		settings.Policy, settings.Params, settings.ScoreFrom = "greedy", []byte(`{"eps":0}`), track.RubricOwn
		content := func(i int) string {
			return strings.Repeat("Read the task twice.\n", 20) + fmt.Sprintf("Version %d.\n", i)
		}
		root := content(0)
		if _, _, err := lineages.New(t.Context(), st, lineages.NewOptions{Name: "l", Seed: &seed, Subject: lineages.SubjectAgent, Root: &root, Settings: settings}, rand.Reader); err != nil {
			t.Fatal(err)
		}
		recorder := agents.NewRecorder(st, agents.Options{}, rand.Reader)
		run := func(version string, i int) {
			var executions []track.Execution
			for k := range 2 {
				score := 20 + float64(i)/20 + float64(k)
				executions = append(executions, track.Execution{Lineage: "l", Version: version, Task: fmt.Sprint("t", k), Key: fmt.Sprint(i, "-", k), Score: &score})
			}
			if _, err := recorder.Record(t.Context(), executions, false); err != nil {
				t.Fatal(err)
			}
		}
		run("v001", 0)
		for i := 1; i <= n; i++ {
			id := fmt.Sprint("m-", i)
			p, err := lineages.Propose(t.Context(), st, "l", answer.ProposeQuestion{Child: new(content(i)), Operator: "rephrase", ID: id})
			if err != nil {
				t.Fatal(err)
			}
			run(p.Child, i)
			if d, err := lineages.Decide(t.Context(), st, "l", id, answer.DecideQuestion{}); err != nil || !d.Record.Decision.Accepted {
				t.Fatalf("mutation %d: %v", i, err)
			}
		}
	})
	for suffix, most := range map[string]int{".md": 100_000, ".html": 300_000} {
		file := filepath.Join(dir, "report"+suffix)
		mustTrack(t, dir, "report", "lineage", "l", "-o", file, "--db", "track.db")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > most || len(text) < 50_000 {
			t.Errorf("%s: %d bytes", suffix, len(text))
		}
		for _, want := range []string{
			"440/440 decisions verified", "440 mutations: 440 accepted", "250 more; 160 rows left out", "v440 → v441 by rephrase",
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no %q", suffix, want)
			}
		}
	}
}
