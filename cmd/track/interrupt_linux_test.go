package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"track/store"
)

// TestInterruptEndsStatements has real processes run statements that never end: an interrupt ends each, wherever SQLite
// is in it, with the documented exit code.
func TestInterruptEndsStatements(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustTrack(t, dir, "init")
	const endless = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT "
	for _, tt := range []struct{ name, statement, format string }{
		{"no row", endless + "count(*) FROM c", "json"},
		{"no row that fits", endless + "x FROM c WHERE x < 0", "csv"},
		{"a row and then none", endless + "x FROM c WHERE x < 2", "table"},
		{"rows without end as JSON", endless + "x FROM c", "json"},
		{"rows without end as CSV", endless + "x FROM c", "csv"},
		{"one long function", "SELECT instr(hex(zeroblob(8000000)), hex(zeroblob(4000000)) || '1')", "table"},
		{"a page and then none", endless + "x FROM c WHERE x < 20000", "table"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			interruptQuery(t, dir, tt.statement, tt.format)
		})
	}
}

// interruptQuery interrupts a query once SQLite has been busy with it for a while.
func interruptQuery(t *testing.T, dir, statement, format string) {
	t.Helper()
	interrupt(t, dir, waitUntilBusy, "query", statement, "--limit", "0", "--format", format)
}

// interrupt starts a command, and interrupts it once it is known to be in the middle of something.
func interrupt(t *testing.T, dir string, await func(*testing.T, int), args ...string) {
	t.Helper()
	var stderr bytes.Buffer
	command := exec.CommandContext(t.Context(), "track", args...)
	command.Dir, command.Stderr = dir, &stderr
	command.Env = environ()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, command.Process.Pid)
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait()
	if code := command.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("track %s: %v, want exit code %d: %s", strings.Join(args, " "), command.ProcessState, exitInterrupted, stderr.String())
	}
}

// TestInterruptTwice ends a command that waits for whoever writes into a pipe: nothing but a second signal ends it. A
// shell makes commands in the background ignore SIGINT, so the signal is SIGTERM.
func TestInterruptTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "spec.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "track", "spec", "add", pipe)
	command.Dir, command.Env = dir, environ()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	for {
		select {
		case err := <-ended:
			if status := command.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGTERM {
				t.Errorf("it ended with %v", err)
			}
			return
		case <-again.C:
			_ = command.Process.Signal(syscall.SIGTERM) // it may have ended
		}
	}
}

// TestInterruptEndsWaits interrupts processes that wait for their turn to write: they end, and nothing is recorded.
func TestInterruptEndsWaits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "v.json"), `{"a":1}`)
	writeText(t, filepath.Join(dir, "s.jsonl"), `{"kind":"seed","scenario":"s","seed":"1","values":{"a":1}}`+"\n")
	mustTrack(t, dir, "record", "batch", "s.jsonl", "--db", "other.db")
	mustTrack(t, dir, "record", "seed", "--scenario", "s", "--seed", "0", "v.json")
	before := mustTrack(t, dir, "seeds", "--format", "json")
	path := filepath.Join(dir, store.DefaultDir, store.DefaultFile)
	withStore(t, filepath.Dir(path), func(st *store.Store) {
		err := st.Update(t.Context(), func(*store.Tx) error {
			for _, args := range [][]string{
				{"record", "seed", "--scenario", "s", "--seed", "2", "v.json"}, {"record", "batch", "s.jsonl"}, {"merge", "other.db"},
				{"baseline", "set", "s", "--reason", "none"},
			} {
				interrupt(t, dir, waitUntilQueued, args...)
			}
			// Another program that writes knows nothing of the lock file.
			if err := os.Remove(path + ".lock"); err != nil {
				return err
			}
			interrupt(t, dir, waitUntilLocked, "record", "seed", "--scenario", "s", "--seed", "2", "v.json")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	if after := mustTrack(t, dir, "seeds", "--format", "json"); after != before {
		t.Errorf("an interrupted command has recorded something:\n%s\n%s", before, after)
	}
}

// TestInterruptEndsReports interrupts a process that writes many reports: none of them is put in place.
func TestInterruptEndsReports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var lines strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&lines, `{"kind":"seed","scenario":"s","seed":"%d","configuration":{"commit":"%07x"},"values":{"a":%d,"b":1}}`+"\n", i%20, 0xabcd000+i/20, i%7)
	}
	writeText(t, filepath.Join(dir, "s.jsonl"), lines.String())
	writeText(t, filepath.Join(dir, "s.yaml"), "scenario: s\nmetrics:\n  - {name: a, type: RANGE, min: 0, max: 5}\n  - {name: b, type: RANGE, min: 0, max: 5}\n")
	mustTrack(t, dir, "spec", "add", "s.yaml")
	mustTrack(t, dir, "record", "batch", "s.jsonl")
	interrupt(t, dir, waitUntilBusy, "report", "index", "-o", "reports/index.md", "--limit", "100")
	if files, err := filepath.Glob(filepath.Join(dir, "reports", "*.md")); err != nil || len(files) > 0 {
		t.Errorf("reports are in place: %v, error %v", files, err)
	}
}

// waitUntilQueued waits until a process waits for a lock file that another holds.
func waitUntilQueued(t *testing.T, pid int) {
	t.Helper()
	waitForFlock(t, pid, true)
}

// waitUntilLocked waits until a process holds a lock file.
func waitUntilLocked(t *testing.T, pid int) {
	t.Helper()
	waitForFlock(t, pid, false)
}

func waitForFlock(t *testing.T, pid int, queued bool) {
	t.Helper()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		locks, err := os.ReadFile("/proc/locks")
		if err != nil {
			t.Skipf("the kernel does not list locks: %v", err)
		}
		for line := range strings.Lines(string(locks)) {
			isQueued := strings.Contains(line, "->")
			if strings.Contains(line, "FLOCK") && isQueued == queued && slices.Contains(strings.Fields(line), strconv.Itoa(pid)) {
				return
			}
		}
		select {
		case <-again.C:
		case <-t.Context().Done():
			t.Fatalf("the process never came to a lock:\n%s", locks)
		}
	}
}

// waitUntilBusy waits until a process has computed for a fifth of a second, ten times what a start takes.
func waitUntilBusy(t *testing.T, pid int) {
	t.Helper()
	const user, busy = 13, 20 // field of /proc/PID/stat, hundredths of a second
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Fields(string(stat))[2] == "Z" {
			t.Fatal("the process ended by itself")
		}
		if ticks, err := strconv.Atoi(strings.Fields(string(stat))[user]); err == nil && ticks >= busy {
			return
		}
		select {
		case <-again.C:
		case <-t.Context().Done():
			t.Fatalf("the process never was busy: %s", stat)
		}
	}
}
