package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"track/answer"
)

// shardOf records seeds into a database of its own.
func shardOf(t *testing.T, dir, name string, from, to int) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), seedLines(from, to), 0o666); err != nil {
		t.Fatal(err)
	}
	mustTrack(t, dir, "record", "batch", "--db", name, name+".jsonl")
}

// mergedSeeds merges and returns what became of the seeds of the only file.
func mergedSeeds(t *testing.T, dir string, args ...string) answer.Count {
	t.Helper()
	stdout, stderr, code := runTrack(t, dir, append([]string{"merge", "--format", "json"}, args...)...)
	var d struct{ Files []answer.MergedFile }
	if err := json.Unmarshal([]byte(stdout), &d); err != nil || code != exitOK || len(d.Files) != 1 {
		t.Fatalf("exit code %d, %v, %s", code, err, stderr)
	}
	return d.Files[0].Seeds
}

// A merge that is killed leaves a sound database with whole seeds, and the same merge again brings in the rest, in
// the same order of configurations.
func TestKilledMerge(t *testing.T) {
	t.Parallel()
	const seeds = 10_000
	dir := t.TempDir()
	shardOf(t, dir, "shard.db", 0, seeds)
	mustTrack(t, dir, "init", "--db", "track.db")
	db, err := sql.Open("sqlite", filepath.Join(dir, "track.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	merge := exec.Command("track", "merge", "--db", "track.db", "shard.db")
	merge.Dir = dir
	if err := merge.Start(); err != nil {
		t.Fatal(err)
	}
	count := func(query string) (n int) {
		if err := db.QueryRow(query).Scan(&n); err != nil {
			t.Error(err)
		}
		return n
	}
	for count("SELECT count(*) FROM seed") == 0 && !t.Failed() {
	}
	if err := merge.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = merge.Wait() // it was killed
	before := count("SELECT count(*) FROM seed")
	if n := count("SELECT count(*) FROM seed, json_each(numbers)"); n != 2*before {
		t.Errorf("%d values of %d seeds", n, before)
	}
	if sound := integrityOf(t, filepath.Join(dir, "track.db")); sound != "ok" {
		t.Errorf("integrity check: %s", sound)
	}
	if n := mergedSeeds(t, dir, "--db", "track.db", "shard.db"); n != (answer.Count{Recorded: seeds - before, Known: before}) {
		t.Errorf("after %d of %d seeds: %+v", before, seeds, n)
	}
	if n := count("SELECT count(*) FROM scenario_configuration"); n != 1 {
		t.Errorf("%d configurations", n)
	}
}

// Merges at once, with others that record here and there: nothing is lost, nothing is there twice, and nobody is
// refused.
func TestMergesAtOnce(t *testing.T) {
	t.Parallel()
	const each = 3000
	dir := t.TempDir()
	for i := range 3 { // they overlap by half
		shardOf(t, dir, fmt.Sprintf("%d.db", i), i*each/2, i*each/2+each)
	}
	var all sync.WaitGroup
	start := make(chan struct{})
	run := func(args ...string) {
		all.Go(func() {
			<-start
			if _, stderr, code := runTrack(t, dir, args...); code != exitOK {
				t.Errorf("%v: exit code %d, %s", args, code, stderr)
			}
		})
	}
	for i := range 3 {
		run("merge", "--db", "track.db", fmt.Sprintf("%d.db", i), fmt.Sprintf("%d.db", (i+1)%3))
		for k := range 5 {
			number := fmt.Sprint(1_000_000 + 10*i + k)
			run("record", "seed", "--db", "track.db", "--scenario", "s", "--seed", number, "--commit", "x", "--outcome", "error")
			run("record", "seed", "--db", fmt.Sprintf("%d.db", i), "--scenario", "s", "--seed", "9"+number, "--commit", "x", "--outcome", "error")
		}
	}
	close(start)
	all.Wait()
	for i := range 3 { // what was recorded there meanwhile
		if n := mergedSeeds(t, dir, "--db", "track.db", fmt.Sprintf("%d.db", i)); n.Conflicts != 0 || n.Recorded+n.Known != each+5 {
			t.Errorf("%d: %+v", i, n)
		}
	}
	if n, want := countSeeds(t, dir, "track.db"), 2*each+30; n != want {
		t.Errorf("%d seeds, want %d", n, want)
	}
	if sound := integrityOf(t, filepath.Join(dir, "track.db")); sound != "ok" {
		t.Errorf("integrity check: %s", sound)
	}
}
