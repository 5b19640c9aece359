package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"track"
	"track/answer"
	"track/internal/spool"

	"github.com/oklog/ulid/v2"
)

// watching is a track push --watch that runs.
type watching struct {
	*testing.T
	cmd    *exec.Cmd
	stderr *bufio.Reader
	stdout strings.Builder
}

func watchPush(t *testing.T, dir string, env []string) *watching {
	t.Helper()
	w := &watching{T: t, cmd: exec.Command("track", "push", "--watch", "--every", "100ms", "--server", "lab")}
	w.cmd.Dir, w.cmd.Env, w.cmd.Stdout = dir, env, &w.stdout
	stderr, err := w.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.stderr = bufio.NewReader(stderr)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.cmd.Process.Kill() }) // it may have ended
	w.says("sending what is recorded for")
	return w
}

// says waits for a line of standard error with a text.
func (w *watching) says(text string) {
	w.Helper()
	for {
		line, err := w.stderr.ReadString('\n')
		if err != nil {
			w.Fatalf("%q was not said: %v", text, err)
		}
		if strings.Contains(line, text) {
			return
		}
	}
}

// ended waits for the end, and returns what was written and the exit code.
func (w *watching) ended() (stdout, stderr string, code int) {
	w.Helper()
	rest, err := io.ReadAll(w.stderr)
	if err != nil {
		w.Error(err)
	}
	_ = w.cmd.Wait() // the exit code says it
	return w.stdout.String(), string(rest), w.cmd.ProcessState.ExitCode()
}

// track push --watch sends the lines of a file that is still written, each of them once; it waits for a server that is
// away, ends when it is told to, and when its token is revoked.
func TestPushWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "track.db")
	mustTrack(t, dir, "init", "--db", db)
	address, kill := startKilled(t, dir, db, "127.0.0.1:0")
	var added answer.AddedToken
	if err := json.Unmarshal([]byte(mustTrack(t, dir, "token", "add", "ci", "--scope", "record", "--db", db, "--format", "json")), &added); err != nil {
		t.Fatal(err)
	}
	env := append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "client"))
	run := func(in string, args ...string) string {
		t.Helper()
		cmd := exec.Command("track", args...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(in)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return string(out)
	}
	run(string(added.Secret), "remote", "add", "lab", address)
	var status answer.Status
	if err := json.Unmarshal([]byte(run("", "status", "--format", "json")), &status); err != nil || len(status.Waiting) == 0 {
		t.Fatal(status, err)
	}
	folder := status.Waiting[0].Folder
	create := func(dir, name string) *spool.Writer {
		t.Helper()
		w, err := spool.Create(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	add := func(w *spool.Writer, n track.SeedNumber) {
		t.Helper()
		if err := w.AddSeeds([]track.Seed{{Scenario: "s", Number: n, Outcome: track.OutcomeError}}); err != nil {
			t.Fatal(err)
		}
	}

	w := watchPush(t, dir, env)
	a := create(folder, ulid.Make().String()+"-a")
	for n := range track.SeedNumber(3) {
		add(a, n)
		w.says("sent to " + address + ": 1 recorded, 0 duplicate")
	}
	kill()
	add(a, 3)
	w.says("not sent, and tried again: " + address + " cannot be asked")
	_, kill = startKilled(t, dir, db, strings.TrimPrefix(address, "http://"))
	w.says("1 recorded, 0 duplicate")
	w.says("answers again")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	b := create(filepath.Join(dir, "elsewhere"), ulid.Make().String()+"-b") // so that it comes as a whole
	add(b, 4)
	if err := errors.Join(b.Close(), os.Rename(b.Path(), filepath.Join(folder, filepath.Base(b.Path())))); err != nil {
		t.Fatal(err)
	}
	w.says("1 recorded, 0 duplicate")
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if out, text, code := w.ended(); code != exitOK || !strings.Contains(out, "5 recorded, 0 duplicate") {
		t.Errorf("exit code %d, %s%s", code, out, text)
	}
	if out := run("", "status"); !strings.Contains(out, "nothing waits") {
		t.Error(out)
	}

	mustTrack(t, dir, "token", "revoke", "ci", "--db", db)
	w = watchPush(t, dir, env)
	add(create(folder, "c"), 5)
	if out, text, code := w.ended(); code != exitInvalid || !strings.Contains(text, "the token is not valid") {
		t.Errorf("exit code %d, %s%s", code, out, text)
	}
	kill()
}
