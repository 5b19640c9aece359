package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterruptEndsStatements has real processes run statements that never end: an interrupt ends each, wherever SQLite
// is in it, with the documented exit code.
func TestInterruptEndsStatements(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustTrack(t, dir, "init")
	const endless = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT "
	for name, statement := range map[string]string{
		"no row":               endless + "count(*) FROM c",
		"no row that fits":     endless + "x FROM c WHERE x < 0",
		"a row and then none":  endless + "x FROM c WHERE x < 2",
		"rows without end":     endless + "x FROM c",
		"one long function":    "SELECT instr(hex(zeroblob(20000000)), hex(zeroblob(10000000)) || '1')",
		"a page and then none": endless + "x FROM c WHERE x < 20000",
	} {
		for _, format := range []string{"table", "json", "csv"} {
			t.Run(name+" as "+format, func(t *testing.T) {
				t.Parallel()
				interruptQuery(t, dir, statement, format)
			})
		}
	}
}

// interruptQuery interrupts a query once SQLite has been busy with it for a while.
func interruptQuery(t *testing.T, dir, statement, format string) {
	t.Helper()
	const patience = time.Minute
	var stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, "track", "query", statement, "--format", format)
	command.Dir, command.Stderr = dir, &stderr
	command.Env = environ()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	waitUntilBusy(ctx, t, command.Process.Pid)
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait()
	if code := command.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("%s: %v, want exit code %d: %s", statement, command.ProcessState, exitInterrupted, stderr.String())
	}
}

// waitUntilBusy waits until a process has computed for a fifth of a second, ten times what a start takes.
func waitUntilBusy(ctx context.Context, t *testing.T, pid int) {
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
		case <-ctx.Done():
			t.Fatalf("the process never was busy: %s", stat)
		}
	}
}
