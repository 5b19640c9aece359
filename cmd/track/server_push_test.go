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
	out := tables(t, dir, db, counts)
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
	out := tables(t, dir, db, "SELECT count(*) AS n, count(DISTINCT number) AS numbers, min(outcome) AS least, max(outcome) AS most FROM seed")
	want(out, "13,13,ok,ok")
}

// What a server refuses, here a seed with other values, is kept apart. It holds up no other record and no other gate
// than that of its scenario, and can be sent again or deleted.
func TestRefusedRecords(t *testing.T) {
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
	send := func(scenario string) (out string, code int) {
		t.Helper()
		out, code = run("record", "seed", "--scenario", scenario, "--seed", "1", "--commit", "c0ffee", "values.json")
		if strings.HasPrefix(out, "kept seed") { // the machine is busy, and sending would take more than a moment
			out, code = run("push")
		}
		return out, code
	}
	record := func(scenario, value string) int {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "values.json"), []byte(`{"a": `+value+`}`), 0o600); err != nil {
			t.Fatal(err)
		}
		_, code := send(scenario)
		return code
	}
	gate := func(scenario string, want int) {
		t.Helper()
		out, code := run("gate", scenario, "--min-pass-rate", "0.01", "--min-seeds", "1")
		if code != want || strings.Contains(out, "all_records") != (want == exitInconclusive) {
			t.Errorf("gate of %s: exit code %d, not %d: %s", scenario, code, want, out)
		}
	}
	for _, scenario := range []string{"s", "other"} {
		writeText(t, filepath.Join(dir, "spec.yaml"), "scenario: "+scenario+"\nmetrics:\n  - {name: a, type: RANGE, min: 0, max: 10}\n")
		mustTrack(t, dir, "spec", "add", "spec.yaml", "--db", db)
		if code := record(scenario, "1"); code != exitOK {
			t.Fatalf("recording: exit code %d", code)
		}
		gate(scenario, exitOK)
	}
	if code := record("s", "2"); code != exitConflict {
		t.Fatalf("another value of the same seed: exit code %d", code)
	}
	gate("s", exitInconclusive)
	gate("other", exitOK)
	if out, code := send("othre"); code != exitOK || !strings.Contains(out, "scenario othre is not known; did you mean other?") {
		t.Errorf("a name like a known one: exit code %d: %s", code, out)
	}
	if code := record("other", "1"); code != exitOK { // a duplicate
		t.Errorf("the next record: exit code %d", code)
	}
	if out, code := run("status"); code != exitFail || !strings.HasPrefix(out, "nothing waits to be sent or recorded; 1 line was refused\n") || !strings.Contains(out, "refused 1 line, kept in ") {
		t.Errorf("status: exit code %d: %s", code, out)
	}
	if out, code := run("push"); code != exitOK || !strings.Contains(out, "nothing to send") {
		t.Errorf("push: exit code %d: %s", code, out)
	}
	if out, code := run("push", "--retry"); code != exitConflict || !strings.Contains(out, "recorded 1, now 2") {
		t.Errorf("push --retry: exit code %d: %s", code, out)
	}
	refused, err := filepath.Glob(filepath.Join(dir, "settings", "track", "servers", "*", "refused", "*"))
	if err != nil || len(refused) != 2 || !strings.HasSuffix(refused[1], ".txt") {
		t.Fatalf("refused: %v, %v", refused, err)
	}
	line, reason := readText(t, refused[0]), readText(t, refused[1])
	if !strings.Contains(reason, "line 1: values: seed 1 of s is recorded with other values") {
		t.Error(reason)
	}
	writeText(t, refused[0], strings.Replace(line, `"seed":"1"`, `"seed":"2"`, 1))
	if out, code := run("push", "--retry"); code != exitOK || !strings.Contains(out, "1 recorded") {
		t.Errorf("push --retry of what was corrected: exit code %d: %s", code, out)
	}
	gate("s", exitOK)

	// In a file that its process still writes, such a line stays, and each sending tells of it.
	open := filepath.Join(filepath.Dir(filepath.Dir(refused[0])), "spool", strings.TrimSuffix(filepath.Base(refused[0]), ".jsonl")+"-2.open.jsonl")
	writeText(t, open, line)
	out, code := send("other")
	if isPushed := strings.HasPrefix(out, "sent to "); code != exitConflict || !strings.Contains(out, "recorded 1, now 2") || !isPushed && !strings.Contains(out, "refused 1 line of a file that its process has not closed") {
		t.Errorf("beside a file that is written: exit code %d: %s", code, out)
	}
	if left := readText(t, open); left != line {
		t.Errorf("the file that is written has %q", left)
	}
}

// A name that was given to a server brings its address and its token, and not the one of another server.
func TestNamedServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "track.db")
	mustTrack(t, dir, "init", "--db", db)
	_, address := listen(t, dir, db, "127.0.0.1:0")
	newToken := func(name string) string {
		var added answer.AddedToken
		if err := json.Unmarshal([]byte(mustTrack(t, dir, "token", "add", name, "--scope", "record,read", "--db", db, "--format", "json")), &added); err != nil {
			t.Fatal(err)
		}
		return string(added.Secret)
	}
	token, other := newToken("ci"), newToken("other")
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
	run("", "record", "seed", "--scenario", "s", "--seed", "2", "--outcome", "error", "--commit", "c", "--server", "lab")
	mustTrack(t, dir, "token", "revoke", "ci", "--db", db)
	cmd := exec.Command("track", "push", "--server", "lab")
	cmd.Dir, cmd.Env = dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "client"))
	if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), "invalid input: "+address+": ") || !strings.Contains(string(out), "hint: the name lab brings its own token: track remote remove lab,") {
		t.Errorf("push with a revoked token: %s", out)
	}
	// A token that is refused is refused again.
	writeText(t, filepath.Join(dir, "more.jsonl"), string(seedLines(0, 5)))
	mustTrack(t, dir, "init", "--db", "from.db")
	mustTrack(t, dir, "record", "batch", "more.jsonl", "--db", "from.db")
	cmd = exec.Command("track", "push", "--all", "--db", "from.db", "--server", address)
	cmd.Dir, cmd.Env = dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "client"), "TRACK_TOKEN="+other)
	if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), "0 recorded, 0 duplicate") || !strings.Contains(string(out), "hint: set TRACK_TOKEN to a token of that server") {
		t.Errorf("push --all: %s", out)
	}
}
