package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/internal/outsidetest"
)

// recordTable records the seeds of a scenario g in a new folder: of two configurations, with series, and one that
// failed.
func recordTable(t *testing.T, nSeeds, nMetrics int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	mustTrack(t, dir, "init")
	var lines strings.Builder
	for c, label := range []string{"theta-8", "theta-9.5"} {
		for i := range nSeeds {
			number := uint64(i)
			if i == 2 {
				number = 1<<64 - 1
			}
			special := []string{"NaN", "Infinity", "-Infinity"}[i%3]
			fmt.Fprintf(&lines, `{"kind":"seed","scenario":"g","seed":"%d","values":{"m00":%d.25,"m01":"%s"`, number, c, special)
			for m := 2; m < nMetrics; m++ {
				fmt.Fprintf(&lines, `,"m%02d":%d`, m, i*m)
			}
			fmt.Fprintf(&lines, `},"series":{"u":[0.5,"NaN",%d]},"configuration":{"label":"%s","commit":"303e61f","params":{"theta":%s,"mode":"a, \"b\""}}}`+"\n", i, label, label[6:])
		}
	}
	fmt.Fprintln(&lines, `{"kind":"seed","scenario":"g","seed":"99999","outcome":"timeout","configuration":{"label":"theta-8","commit":"303e61f","params":{"theta":8,"mode":"a, \"b\""}}}`)
	if err := os.WriteFile(filepath.Join(dir, "batch.jsonl"), []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	mustTrack(t, dir, "record", "batch", "batch.jsonl", "--quiet")
	return dir
}

// DuckDB finds in each kind of file what was recorded, with its types.
func TestExportTableInDuckDB(t *testing.T) {
	t.Parallel()
	dir := recordTable(t, 3, 2)
	for _, args := range [][]string{{"-o", "g.parquet"}, {"-o", "g.csv"}, {"-o", "parts/"}, {"-o", "csv", "--partition", "--to", "csv"}} {
		mustTrack(t, dir, append([]string{"export", "table", "g"}, args...)...)
	}
	mustTrack(t, dir, "export", "table", "g", "--series", "-o", "s.parquet")
	mustTrack(t, dir, "export", "table", "g", "--wide", "-o", "w.parquet")
	const wide = `SELECT count(*) AS n, count("value.m00") AS n_values, count(*) FILTER (outcome = 'timeout') AS n_failed, any_value(typeof("value.m01")) AS kind FROM 'w.parquet'`
	if diff := cmp.Diff([]map[string]any{{"n": "7", "n_values": "6", "n_failed": "1", "kind": "DOUBLE"}}, outsidetest.QueryDuckDB(t, dir, wide)); diff != "" {
		t.Error(diff)
	}
	const summary = `SELECT count(*) AS n, count(value) AS n_values, count(DISTINCT configuration) AS n_configurations, max(seed)::VARCHAR AS seed,
		count(*) FILTER (isnan(value)) AS n_nan, sum(value) FILTER (isfinite(value)) AS total, max(value) AS most, min(value) AS least,
		count(*) FILTER (outcome = 'timeout' AND metric IS NULL) AS n_failed, sum("param.theta") AS theta, any_value("param.mode") AS mode FROM `
	want := []map[string]any{{"n": "13", "n_values": "12", "n_configurations": "2", "seed": "18446744073709551615", "n_nan": "2", "total": 4.5,
		"most": "NaN", "least": "-Infinity", "n_failed": "1", "theta": 113.0, "mode": `a, "b"`}}
	for _, source := range []string{
		"'g.parquet'", "read_csv('g.csv', types = {'seed': 'UBIGINT'})", "read_parquet('parts/*/*.parquet', hive_partitioning = true)", "read_csv('csv/*/*.csv', hive_partitioning = true, types = {'seed': 'UBIGINT'})",
	} {
		if diff := cmp.Diff(want, outsidetest.QueryDuckDB(t, dir, summary+source)); diff != "" {
			t.Errorf("%s: %s", source, diff)
		}
	}
	types := map[string]string{}
	for _, row := range outsidetest.QueryDuckDB(t, dir, "DESCRIBE FROM 'g.parquet'") {
		types[row["column_name"].(string)] = row["column_type"].(string)
	}
	for column, kind := range map[string]string{"seed": "UBIGINT", "value": "DOUBLE", "dirty": "BOOLEAN", "recorded_at": "TIMESTAMP WITH TIME ZONE", "param.theta": "DOUBLE", "label": "VARCHAR"} {
		if types[column] != kind {
			t.Errorf("%s has the type %q, want %q", column, types[column], kind)
		}
	}
	const pruned = `SELECT seed::VARCHAR AS seed, metric, value FROM 'g.parquet' WHERE seed = 18446744073709551615 AND label = 'theta-8' AND value < 1`
	if diff := cmp.Diff([]map[string]any{
		{"seed": "18446744073709551615", "metric": "m00", "value": 0.25}, {"seed": "18446744073709551615", "metric": "m01", "value": "-Infinity"},
	}, outsidetest.QueryDuckDB(t, dir, pruned)); diff != "" {
		t.Error(diff)
	}
	const series = `SELECT series, t, value FROM 's.parquet' WHERE seed = 1 AND label = 'theta-8' ORDER BY t`
	if diff := cmp.Diff([]map[string]any{
		{"series": "u", "t": "0", "value": 0.5}, {"series": "u", "t": "1", "value": "NaN"}, {"series": "u", "t": "2", "value": 1.0},
	}, outsidetest.QueryDuckDB(t, dir, series)); diff != "" {
		t.Error(diff)
	}
}

// An interrupt leaves nothing, and the file that was there as it was.
func TestExportTableInterrupted(t *testing.T) {
	t.Parallel()
	dir := recordTable(t, 4000, 60)
	kept := filepath.Join(dir, "kept.csv")
	if err := os.WriteFile(kept, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := filesIn(t, dir)
	for _, output := range []string{"new.csv", "new.parquet", "folder/", "kept.csv"} {
		var stderr bytes.Buffer
		command := exec.CommandContext(t.Context(), "track", "export", "table", "g", "-o", output, "--force")
		command.Dir, command.Env, command.Stderr = dir, environ(), &stderr
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		for t.Context().Err() == nil && len(filesIn(t, dir)) == len(before) {
			runtime.Gosched() // until the file has begun
		}
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
		if code := command.ProcessState.ExitCode(); code != exitInterrupted {
			t.Errorf("%s: exit code %d, want %d: %s", output, code, exitInterrupted, stderr.String())
		}
		if diff := cmp.Diff(before, filesIn(t, dir)); diff != "" {
			t.Errorf("%s: %s", output, diff)
		}
	}
	if text, err := os.ReadFile(kept); err != nil || string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
}

func filesIn(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list
}
