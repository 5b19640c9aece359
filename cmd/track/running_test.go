//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os/exec"
	"testing"

	"track/answer"
)

// running is a command that runs, and answers with an A at its end. Its standard error comes line by line.
type running[A any] struct {
	*exec.Cmd
	stdout bytes.Buffer
	stderr *bufio.Reader
}

// startTrack starts track in a folder, with further variables of its environment.
func startTrack[A any](t *testing.T, dir string, variables []string, args ...string) *running[A] {
	t.Helper()
	r := &running[A]{Cmd: exec.Command("track", append([]string{args[0], "--db", "track.db", "--format", "json"}, args[1:]...)...)}
	r.Dir, r.Env, r.Stdout = dir, append(environ(), variables...), &r.stdout
	stderr, err := r.StderrPipe()
	if err := errors.Join(err, r.Start()); err != nil {
		t.Fatal(err)
	}
	r.stderr = bufio.NewReader(stderr)
	t.Cleanup(func() { _ = r.Process.Kill() }) // it may be gone
	return r
}

// ended waits for the end of a command and returns what it said.
func (r *running[A]) ended(t *testing.T) (a A, code int, rest string) {
	t.Helper()
	text, err := io.ReadAll(r.stderr)
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Wait() // the exit code is looked at
	if r.stdout.Len() > 0 {
		if err := answer.Decode(&r.stdout, &a); err != nil {
			t.Errorf("%v: %s", err, &r.stdout)
		}
	}
	return a, r.ProcessState.ExitCode(), string(text)
}
