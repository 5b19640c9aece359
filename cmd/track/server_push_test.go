package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"track/answer"
)

// startKilled starts a server at an address, and returns what kills it without warning.
func startKilled(t *testing.T, dir, db, address string) (at string, kill func()) {
	t.Helper()
	cmd, at := listen(t, dir, db, address)
	return at, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// Four processes record through a server that is killed again and again: whatever was acknowledged is recorded once.
func TestRecordingSurvivesTheServer(t *testing.T) {
	t.Parallel()
	const recorders, each, kills = 4, 6, 4
	dir := t.TempDir()
	db := filepath.Join(dir, "track.db")
	mustTrack(t, dir, "init", "--db", db)
	address, kill := startKilled(t, dir, db, "127.0.0.1:0")
	env := append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"), "TRACK_SERVER="+address)
	track := func(args ...string) (string, error) {
		cmd := exec.Command("track", args...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	var recording sync.WaitGroup
	for r := range recorders {
		recording.Go(func() {
			for i := range each {
				n := fmt.Sprint(r*each + i)
				if out, err := track("record", "execution", "--lineage", "l", "--version", "v1", "--task", "t", "--key", n); err != nil {
					t.Errorf("execution %s: %v: %s", n, err, out)
				}
				if out, err := track("record", "seed", "--scenario", "s", "--seed", n, "--outcome", "error", "--commit", "c"); err != nil {
					t.Errorf("seed %s: %v: %s", n, err, out)
				}
			}
		})
	}
	for range kills {
		kill()
		_, kill = startKilled(t, dir, db, strings.TrimPrefix(address, "http://"))
	}
	recording.Wait()
	if out, err := track("push"); err != nil {
		t.Errorf("push: %v: %s", err, out)
	}
	if out, err := track("push"); err != nil || !strings.Contains(out, "nothing to send") {
		t.Errorf("push again: %v: %s", err, out)
	}
	kill()
	const counts = `SELECT (SELECT count(*) FROM seed) AS seeds, (SELECT count(DISTINCT number) FROM seed) AS numbers, (SELECT count(*) FROM execution) AS executions`
	out := mustTrackWith(t, dir, db, "query", counts, "--format", "csv")
	if want := "24,24,24"; !strings.Contains(out, want) {
		t.Errorf("recorded %s, not %s", out, want)
	}
	if out, err := track("stability", "s"); err == nil || !strings.Contains(out, "cannot be asked") {
		t.Errorf("asking a server that is gone: %v: %s", err, out)
	}
}

// A sweep for a server keeps its seeds while the server is away, runs none that the server has, and gives its command
// no token.
func TestSweepForServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "track.db")
	mustTrack(t, dir, "init", "--db", db)
	address, kill := startKilled(t, dir, db, "127.0.0.1:0")
	settings := "XDG_CONFIG_HOME=" + filepath.Join(dir, "settings")
	var added answer.AddedToken
	if err := json.Unmarshal([]byte(mustTrack(t, dir, "token", "add", "ci", "--scope", "record,read", "--db", db, "--format", "json")), &added); err != nil {
		t.Fatal(err)
	}
	sweep := func(seeds string) string {
		t.Helper()
		cmd := exec.Command("track", "sweep", "--scenario", "s", "--commit", "c0ffee", "--seeds", seeds, "--", "sh", "-c", `test -z "$TRACK_TOKEN" && echo '{"a": 1}'`)
		cmd.Dir, cmd.Env = dir, append(environ(), settings, "TRACK_SERVER="+address, "TRACK_TOKEN="+string(added.Secret))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("seeds %s: %v: %s", seeds, err, out)
		}
		return string(out)
	}
	want := func(out string, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if !strings.Contains(out, text) {
				t.Errorf("%q is missing in: %s", text, out)
			}
		}
	}
	want(sweep("0..4"), "5 seeds ran, 0 failed, 0 recorded before", "sent to "+address)
	kill()
	want(sweep("5..9"), "5 seeds ran, 0 failed, 0 recorded before", "not sent yet", "track push")
	_, kill = startKilled(t, dir, db, strings.TrimPrefix(address, "http://"))
	want(sweep("0..12"), "3 seeds ran, 0 failed, 10 recorded before", "sent to "+address)
	kill()
	out := mustTrackWith(t, dir, db, "query", "SELECT count(*) AS n, count(DISTINCT number) AS numbers, min(outcome) AS least, max(outcome) AS most FROM seed", "--format", "csv")
	want(out, "13,13,ok,ok")
}

// A gate does not pass while records wait that the server lacks: here one that differs from what is recorded.
func TestGateWithUnsentRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "track.db")
	mustTrack(t, dir, "init", "--db", db)
	_, address := listen(t, dir, db, "127.0.0.1:0")
	run := func(args ...string) (out string, code int) {
		t.Helper()
		cmd := exec.Command("track", args...)
		cmd.Dir, cmd.Env = dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"), "TRACK_SERVER="+address)
		text, _ := cmd.CombinedOutput()
		return string(text), cmd.ProcessState.ExitCode()
	}
	record := func(value string) int {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "values.json"), []byte(`{"a": `+value+`}`), 0o600); err != nil {
			t.Fatal(err)
		}
		_, code := run("record", "seed", "--scenario", "s", "--seed", "1", "--commit", "c0ffee", "values.json")
		return code
	}
	gate := []string{"gate", "s", "--min-pass-rate", "0.01", "--min-seeds", "1"}
	const spec = "scenario: s\nmetrics:\n  - {name: a, type: RANGE, min: 0, max: 10}\n"
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(spec), 0o600); err != nil {
		t.Fatal(err)
	}
	mustTrack(t, dir, "spec", "add", "s.yaml", "--db", db)
	if code := record("1"); code != exitOK {
		t.Fatalf("recording: exit code %d", code)
	}
	if out, code := run(gate...); code != exitOK {
		t.Fatalf("before: exit code %d: %s", code, out)
	}
	if code := record("2"); code == exitOK {
		t.Fatal("another value of the same seed was recorded")
	}
	out, code := run(gate...)
	if code != exitInconclusive || !strings.Contains(out, "all_records") || !strings.Contains(out, "track push") {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// A name that was given to a server brings its address and its token, and not the one of another server.
func TestNamedServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "track.db")
	mustTrack(t, dir, "init", "--db", db)
	_, address := listen(t, dir, db, "127.0.0.1:0")
	newToken := func(name string, more ...string) string {
		var added answer.AddedToken
		args := append([]string{"token", "add", name, "--scope", "record,read", "--db", db, "--format", "json"}, more...)
		if err := json.Unmarshal([]byte(mustTrack(t, dir, args...)), &added); err != nil {
			t.Fatal(err)
		}
		return string(added.Secret)
	}
	token, other := newToken("ci", "--max-records-per-day", "2"), newToken("other")
	mustTrack(t, dir, "token", "revoke", "other", "--db", db)
	run := func(in string, args ...string) string {
		t.Helper()
		cmd := exec.Command("track", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(in)
		cmd.Env = append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "client"), "TRACK_TOKEN="+other)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(out), token) {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return string(out)
	}
	run(token+"\n", "remote", "add", "lab", address)
	if out := run("", "record", "seed", "--scenario", "s", "--seed", "1", "--outcome", "error", "--commit", "c", "--server", "lab"); !strings.Contains(out, "seed 1 of s") {
		t.Error(out)
	}
	run("", "push", "--server", "lab")
	if out := run("", "seeds", "--server", "lab", "--format", "csv"); !strings.Contains(out, "error") {
		t.Error(out)
	}
	// Once the quota of the day is used up, records wait here, and status says why.
	for _, seed := range []string{"2", "3"} {
		run("", "record", "seed", "--scenario", "s", "--seed", seed, "--outcome", "error", "--commit", "c", "--server", "lab")
	}
	cmd := exec.Command("track", "push", "--server", "lab")
	cmd.Dir, cmd.Env = dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "client"))
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != exitInternal || !strings.Contains(string(out), "the quota of the token ci is used up: it has recorded 2 of 2 records today") || time.Since(began) > 30*time.Second {
		t.Errorf("push: %v: %s", err, out)
	}
	cmd = exec.Command("track", "status")
	cmd.Dir, cmd.Env = dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "client"))
	if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), "quota of the token ci is used up") || !strings.HasPrefix(string(out), "1 line waits to be sent or recorded") {
		t.Errorf("status: %s", out)
	}
}
