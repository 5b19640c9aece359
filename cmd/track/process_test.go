package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestManyProcessesRecord has many processes record into a database that does not exist yet: none is lost, none refused.
func TestManyProcessesRecord(t *testing.T) {
	t.Parallel()
	const processes, each = 32, 4
	dir := t.TempDir()
	start := make(chan struct{})
	var all sync.WaitGroup
	for process := range processes {
		all.Go(func() {
			<-start
			for i := range each {
				seed := strconv.Itoa(process*each + i)
				args := []string{"record", "seed", "--db", "new/track.db", "--scenario", "s", "--seed", seed, "--commit", "x", "--outcome", "error"}
				if stdout, stderr, code := runTrack(t, dir, args...); code != exitOK || !strings.Contains(stdout, "recorded seed "+seed) {
					t.Errorf("seed %s: exit code %d, %s%s", seed, code, stdout, stderr)
				}
			}
		})
	}
	close(start)
	all.Wait()
	if n := countSeeds(t, dir, "new/track.db"); n != processes*each {
		t.Errorf("%d seeds are recorded, want %d", n, processes*each)
	}
}

// TestManyBatchesOfTheSame has processes record one file at once: each seed is recorded by one of them and a duplicate to the
// others.
func TestManyBatchesOfTheSame(t *testing.T) {
	t.Parallel()
	const processes, lines = 6, 700
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "seeds.jsonl"), seedLines(0, lines), 0o666); err != nil {
		t.Fatal(err)
	}
	summaries := make([]batchDocument, processes)
	var all sync.WaitGroup
	for i := range summaries {
		all.Go(func() {
			stdout, stderr, code := runTrack(t, dir, "record", "batch", "--db", "track.db", "seeds.jsonl", "--format", "json")
			if err := json.Unmarshal([]byte(stdout), &summaries[i]); err != nil || code != exitOK {
				t.Errorf("exit code %d, %v, %s", code, err, stderr)
			}
		})
	}
	all.Wait()
	recorded := 0
	for _, s := range summaries {
		recorded += s.Recorded
		if s.Recorded+s.Duplicates != lines {
			t.Errorf("%d recorded and %d duplicates, want %d in total", s.Recorded, s.Duplicates, lines)
		}
	}
	if n := countSeeds(t, dir, "track.db"); recorded != lines || n != lines {
		t.Errorf("%d seeds are reported and %d found, want %d", recorded, n, lines)
	}
}

// TestKilledBatch kills a batch as soon as it has recorded something: the database is sound, and the same batch again records
// what is missing.
func TestKilledBatch(t *testing.T) {
	t.Parallel()
	const lines = 2000
	dir := t.TempDir()
	mustTrack(t, dir, "init", "--db", "track.db")
	batch := exec.Command("track", "record", "batch", "--db", "track.db", "-")
	batch.Dir = dir
	input, err := batch.StdinPipe() // stays open: without the kill the batch would wait for more
	if err != nil {
		t.Fatal(err)
	}
	if err := batch.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := input.Write(seedLines(0, lines)); err != nil {
		t.Fatal(err)
	}
	before := 0
	for before == 0 && t.Context().Err() == nil {
		before = countSeeds(t, dir, "track.db")
	}
	if err := batch.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = batch.Wait() // it was killed

	after := countSeeds(t, dir, "track.db")
	if after < before {
		t.Errorf("%d seeds were recorded, %d survived", before, after)
	}
	if sound := integrity(t, filepath.Join(dir, "track.db")); sound != "ok" {
		t.Errorf("integrity check: %s", sound)
	}
	if err := os.WriteFile(filepath.Join(dir, "seeds.jsonl"), seedLines(0, lines), 0o666); err != nil {
		t.Fatal(err)
	}
	var again batchDocument
	if err := json.Unmarshal([]byte(mustTrack(t, dir, "record", "batch", "--db", "track.db", "seeds.jsonl", "--format", "json")), &again); err != nil {
		t.Fatal(err)
	}
	if again.Duplicates != after || again.Recorded != lines-after {
		t.Errorf("after %d of %d seeds: %+v", after, lines, again)
	}
}

func seedLines(from, to int) []byte {
	var b bytes.Buffer
	for seed := from; seed < to; seed++ {
		fmt.Fprintf(&b, `{"kind":"seed","scenario":"s","seed":"%d","values":{"a":0.5,"b":%d}}`+"\n", seed, seed)
	}
	return b.Bytes()
}

func countSeeds(t *testing.T, dir, db string) int {
	t.Helper()
	stdout := mustTrack(t, dir, "query", "--db", db, "--format", "csv", "SELECT count(*) FROM v_seed")
	_, count, _ := strings.Cut(strings.TrimSpace(stdout), "\n")
	n, err := strconv.Atoi(count)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func integrity(t *testing.T, path string) (result string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&result); err != nil {
		t.Fatal(err)
	}
	return result
}
