package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"track/internal/outsidetest"
)

// The example in R of docs/how-to/python.md records what it says.
func TestRPage(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("Rscript")
	if err != nil {
		outsidetest.Missing(t, "there is no R")
	}
	page, err := os.ReadFile("../../docs/how-to/python.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "page.R")
	if err := os.WriteFile(path, []byte(outsidetest.Between(string(page), "```r\n", "```")), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, path)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	mustTrack(t, dir, "ingest")
	var series map[string][]float64
	if err := json.Unmarshal([]byte(mustTrack(t, dir, "series", "export", "growth", "7", "--to", "json")), &series); err != nil || len(series["unemployment"]) != 200 {
		t.Fatalf("%v; %d numbers in the series, want 200", err, len(series["unemployment"]))
	}
	var shown struct{ Values map[string]float64 }
	if err := json.Unmarshal([]byte(mustTrack(t, dir, "show", "seed", "growth", "7", "--format", "json")), &shown); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, u := range series["unemployment"] {
		sum += u
	}
	if mean := shown.Values["unemployment_rate_mean"]; math.Abs(mean-sum/200) > 1e-15 {
		t.Errorf("the value is %g, and the mean of the series %g", mean, sum/200)
	}
}
