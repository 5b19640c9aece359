package dgm

import (
	"path/filepath"
	"testing"

	"track/importer/importertest"
)

func TestRead(t *testing.T) {
	run, err := Read("testdata/run")
	if err != nil {
		t.Fatal(err)
	}
	importertest.CheckRun(t, run)
	importertest.GoldenRun(t, run, "run.golden")
	if _, err := Read(t.TempDir()); err == nil {
		t.Error("an empty folder was read")
	}
}

// The initial agent of the public repository resolves 12 of 60 tasks, of which its lists name 58.
func TestReal(t *testing.T) {
	run, err := Read(filepath.Join(importertest.RealRuns(t), "raw-dgm", "initial_metadata.json"))
	if err != nil {
		t.Fatal(err)
	}
	importertest.CheckRun(t, run)
	resolved := 0.0
	for _, trial := range run.Programs[0].Trials {
		resolved += *trial.Score
	}
	if p := run.Programs[0]; p.ID != "initial" || *p.Score != 0.2 || resolved != 12 || len(p.Trials) != 60 {
		t.Errorf("%s: score %v, %v of %d tasks", p.ID, *p.Score, resolved, len(p.Trials))
	}
}
