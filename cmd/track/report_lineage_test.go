package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track/importer/importertest"
)

// The reports of real runs, by the hash of each file: what they are made of stays out of the project. When one changes, look at it, and then change the hash.
func TestReportRealRuns(t *testing.T) {
	t.Parallel()
	runs := importertest.RealRuns(t)
	for _, tt := range []struct {
		format, path string
		hash         string
		wants        []string
	}{
		{"openevolve", "openevolve-metagpt-mast", mastReport, []string{
			"Called best by their source, though they failed", "timeout; the source carries a score of 0.5 for it, which counts nowhere",
			"Identical content, different scores", "Parents that are missing", "Path to the best candidate", "66 executions, 20 failed",
		}},
		{"shinka", "shinka-txn-gemini3pro-run5", txnReport, []string{"Identical content, different scores", "4.44, 4.27", "Path to the best candidate", "99 mutations: 99 not decided"}},
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
	mastReport = "b46300580b4260f8"
	txnReport  = "0a3981e3499a3710"
)
