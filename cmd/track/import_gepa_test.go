package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"
)

const fixtureGEPA = "../../importer/gepa/testdata"

// versionMeans returns the mean over tasks of each version, by SQL.
func versionMeans(t *testing.T, dir string) map[string]float64 {
	t.Helper()
	var rows struct {
		Items []struct {
			Version string  `json:"version"`
			Mean    float64 `json:"mean"`
		} `json:"items"`
	}
	text := mustTrack(t, dir, "query", "--db", "track.db", "--format", "json", `
		SELECT version, avg(score) AS mean FROM (
		   SELECT version, task, avg(score) AS score FROM v_execution WHERE score IS NOT NULL GROUP BY version, task) GROUP BY version`)
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		t.Fatal(err, text)
	}
	means := map[string]float64{}
	for _, row := range rows.Items {
		means[row.Version] = row.Mean
	}
	return means
}

// A program has one score on each task: its fitness is the mean over all of them, not over the newest five.
func TestImportFitness(t *testing.T) {
	t.Parallel()
	fixture, err := filepath.Abs(fixtureGEPA)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mustTrack(t, dir, "import", "gepa", fixture, "--lineage", "l", "--db", "track.db")
	var list struct {
		Items []struct {
			Version string   `json:"version"`
			Fitness *float64 `json:"fitness"`
			Measure string   `json:"measure"`
			NTasks  int      `json:"n_tasks"`
		} `json:"items"`
	}
	if err := json.Unmarshal([]byte(mustTrack(t, dir, "version", "list", "l", "--db", "track.db", "--format", "json")), &list); err != nil {
		t.Fatal(err)
	}
	means := versionMeans(t, dir)
	means["v004"] = 0.5 // 1 on one task, and a failure on the other
	byTask := 0
	for _, v := range list.Items {
		mean, scored := means[v.Version]
		if scored != (v.Fitness != nil) || scored && math.Abs(mean-*v.Fitness) > 1e-12 {
			t.Errorf("%+v, want a fitness of %v", v, mean)
		}
		if v.Measure == "tasks" && v.NTasks == 2 {
			byTask++
		}
		delete(means, v.Version)
	}
	if len(means) > 0 || byTask != 4 {
		t.Errorf("%d versions by task; not listed: %v", byTask, means)
	}
}

// The active version of an imported run is the one with the best mean over tasks: the highest, or the lowest if less is
// better.
func TestImportBest(t *testing.T) {
	t.Parallel()
	fixture, err := filepath.Abs(fixtureGEPA)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		flags    []string
		isBetter func(a, b float64) bool
	}{
		"maximize": {nil, func(a, b float64) bool { return a > b }},
		"minimize": {[]string{"--minimize"}, func(a, b float64) bool { return a < b }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			mustTrack(t, dir, append([]string{"import", "gepa", fixture, "--lineage", "l", "--db", "track.db"}, tt.flags...)...)
			var l struct {
				Head string `json:"head"`
			}
			if err := json.Unmarshal([]byte(mustTrack(t, dir, "lineage", "show", "l", "--db", "track.db", "--format", "json")), &l); err != nil {
				t.Fatal(err)
			}
			means := versionMeans(t, dir)
			if len(means) < 3 {
				t.Fatalf("too few versions with a score: %v", means)
			}
			for version, mean := range means {
				if tt.isBetter(mean, means[l.Head]) {
					t.Errorf("%q is active with a mean of %v, but %s has %v", l.Head, means[l.Head], version, mean)
				}
			}
		})
	}
}
