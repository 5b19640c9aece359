package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// startServer starts a server on a database, and returns its address. Stop ends it, and returns its exit code.
func startServer(t *testing.T, dir, db string, args ...string) (address string, stop func() int) {
	t.Helper()
	cmd := exec.Command("track", slices.Concat([]string{"serve", "--addr", "127.0.0.1:0", "--db", db}, args)...)
	cmd.Dir, cmd.Env = dir, environ()
	errOut, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(errOut)
	for address == "" {
		line, err := reader.ReadString('\n')
		if err != nil {
			t.Fatalf("the server ended: %q, %v", line, err)
		}
		address = regexp.MustCompile(`https?://[0-9.:]+`).FindString(line)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, reader) // its log
	}()
	stopped := false
	stop = func() int {
		stopped = true
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		<-drained
		_ = cmd.Wait() // the exit code is looked at
		return cmd.ProcessState.ExitCode()
	}
	t.Cleanup(func() {
		if !stopped {
			stop()
		}
	})
	return address, stop
}

// refusal returns what is said of a command that a server cannot be asked for; empty for one that it can.
func refusal(args []string) string {
	switch {
	case slices.Contains([]string{"check", "report", "export"}, args[0]):
		return "works on a database"
	case slices.Contains(args, "--at"): // the times are the server's
		return "a server does not take it"
	}
	return ""
}

// Every command that reads prints the same through a server as on the database, with the same exit code.
func TestSameAnswersFromServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "recorded.db")
	recordExamples(t, dir, db, market(t))
	address, stop := startServer(t, dir, db)
	readings := expandReadings(t, dir, db)
	answered := 0
	for _, args := range readings {
		want, wantErr, wantCode := trackWith(t, dir, db, args...)
		out, errOut, code := runTrack(t, dir, append(slices.Clone(args), "--server", address)...)
		if wantCode == exitUsage {
			continue // unknown commands
		}
		if refused := refusal(args); refused != "" {
			if code != exitUsage || !strings.Contains(errOut, refused) || out != "" {
				t.Errorf("track %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errOut)
			}
			continue
		}
		if code != wantCode || out != want || errOut != wantErr {
			t.Errorf("track %s: exit code %d, not %d\n%s%s\nnot\n%s%s", strings.Join(args, " "), code, wantCode, out, errOut, want, wantErr)
		}
		answered++
	}
	if answered < 60 {
		t.Errorf("%d commands were answered", answered)
	}
	if code := stop(); code != exitInterrupted && code != exitOK {
		t.Errorf("the server ended with %d", code)
	}
}
