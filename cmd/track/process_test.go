package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"track/answer"
)

// TestManyProcessesRecord has many processes record into a database that does not exist yet: none is lost, none
// refused.
func TestManyProcessesRecord(t *testing.T) {
	t.Parallel()
	const processes, each = 8, 4
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

// TestManyBatchesOfTheSame has processes record one file at once: each seed is recorded by one of them and a
// duplicate to the others.
func TestManyBatchesOfTheSame(t *testing.T) {
	t.Parallel()
	const processes, lines = 6, 700
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "seeds.jsonl"), seedLines(0, lines), 0o666); err != nil {
		t.Fatal(err)
	}
	summaries := make([]answer.RecordedLines, processes)
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

// runningBatch is a batch that has recorded some of its seeds and waits for more.
type runningBatch struct {
	*exec.Cmd
	dir      string
	stderr   bytes.Buffer
	recorded int // when somebody last looked
}

const batchLines = 2000

// startBatch starts a batch in a new folder and waits until it has recorded something.
func startBatch(t *testing.T) *runningBatch {
	t.Helper()
	b := &runningBatch{Cmd: exec.Command("track", "record", "batch", "--db", "track.db", "-"), dir: t.TempDir()}
	mustTrack(t, b.dir, "init", "--db", "track.db")
	if err := os.WriteFile(filepath.Join(b.dir, "seeds.jsonl"), seedLines(0, batchLines), 0o666); err != nil {
		t.Fatal(err)
	}
	b.Dir, b.Stderr = b.dir, &b.stderr
	input, err := b.StdinPipe() // stays open: the batch does not end by itself
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := input.Write(seedLines(0, batchLines)); err != nil {
		t.Fatal(err)
	}
	for b.recorded == 0 && t.Context().Err() == nil {
		b.recorded = countSeeds(t, b.dir, "track.db")
	}
	return b
}

// check looks at what the batch left: a sound database with all that was recorded, in which the same batch again
// records the rest.
func (b *runningBatch) check(t *testing.T) {
	t.Helper()
	after := countSeeds(t, b.dir, "track.db")
	if after < b.recorded {
		t.Errorf("%d seeds were recorded, %d survived", b.recorded, after)
	}
	if sound := integrityOf(t, filepath.Join(b.dir, "track.db")); sound != "ok" {
		t.Errorf("integrity check: %s", sound)
	}
	var again answer.RecordedLines
	if err := json.Unmarshal([]byte(mustTrack(t, b.dir, "record", "batch", "--db", "track.db", "seeds.jsonl", "--format", "json")), &again); err != nil {
		t.Fatal(err)
	}
	if again.Duplicates != after || again.Recorded != batchLines-after {
		t.Errorf("after %d of %d seeds: %+v", after, batchLines, again)
	}
}

func TestKilledBatch(t *testing.T) {
	t.Parallel()
	batch := startBatch(t)
	if err := batch.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = batch.Wait() // it was killed
	batch.check(t)
}

func TestInterruptedBatch(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	batch := startBatch(t)
	if err := batch.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = batch.Wait() // the exit code is looked at
	if code := batch.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(batch.stderr.String(), "hint: run the same command again") {
		t.Errorf("exit code %d, want %d:\n%s", code, exitInterrupted, &batch.stderr)
	}
	batch.check(t)
}

// Who is asked to stop does not wait for the end of an input at which nobody types.
func TestInterruptedInput(t *testing.T) {
	t.Parallel()
	never, _ := io.Pipe()
	for _, command := range []string{"record seed --scenario s --seed 1 -", "record batch -", "record execution --lineage l --output -", "query -", "import jsonl -", "spec add -"} {
		ctx, cancel := context.WithCancel(t.Context())
		in := reading{never, cancel}
		var out, errOut bytes.Buffer
		args := append([]string{"track", "--db", filepath.Join(t.TempDir(), "track.db")}, strings.Fields(command)...)
		mustTrack(t, ".", "init", "--db", args[2])
		if code := run(ctx, args, in, &out, &errOut, os.LookupEnv); code != exitInterrupted || out.Len() > 0 {
			t.Errorf("track %s: exit code %d, want %d\n%s%s", command, code, exitInterrupted, &out, &errOut)
		}
	}
}

// reading is an input that says when somebody waits for it.
type reading struct {
	io.Reader
	waits func()
}

func (r reading) Read(p []byte) (int, error) {
	r.waits()
	return r.Reader.Read(p)
}

// What is read before an interruption arrives whole, and in order.
func TestInterruptible(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	text := strings.Repeat("0123456789", 1000)
	in := newInterruptible(ctx, iotest.OneByteReader(strings.NewReader(text)))
	if got, err := io.ReadAll(in); string(got) != text || err != nil {
		t.Errorf("%d of %d bytes, error %v", len(got), len(text), err)
	}
	cancel()
	if n, err := in.Read(make([]byte, 1)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d bytes and error %v after the interruption", n, err)
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

func integrityOf(t *testing.T, path string) (result string) {
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
