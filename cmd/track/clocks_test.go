package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track/answer"
)

// clockSkew is the variable that says how far the clock of a track in tests is from that of the machine.
const clockSkew = "TRACK_TEST_CLOCK_SKEW"

// trackWithSkew is main of a machine whose clock is wrong.
func trackWithSkew(skew string) int {
	wrong, err := time.ParseDuration(skew)
	if err != nil {
		panic(err)
	}
	now := func() time.Time { return time.Now().Add(wrong) }
	return runAt(context.Background(), now, os.Args, os.Stdin, os.Stdout, os.Stderr, os.LookupEnv)
}

// skewed runs a command for the server on a machine whose clock is wrong, with a token; with that of who started the
// server if it is empty.
func (p *pushing) skewed(skew, token string, args ...string) (out string, code int) {
	p.Helper()
	settings := "settings"
	if token != "" {
		settings = "settings" + skew
	}
	cmd := exec.Command("track", args...)
	cmd.Dir, cmd.Env = p.dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(p.dir, settings), "TRACK_SERVER="+p.address, "TRACK_TOKEN="+token, clockSkew+"="+skew)
	text, _ := cmd.CombinedOutput() // the exit code says it
	return string(text), cmd.ProcessState.ExitCode()
}

// The clocks of clients are hours ahead and behind: when something was recorded, what is newest and when a token ends is
// said by the clock of the server.
func TestWrongClocksOfClients(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	began := time.Now().Add(-time.Second)
	for i, skew := range []string{"5h", "-5h", "5h", "-5h"} {
		if out, code := p.skewed(skew, p.token, "record", "seed", "--scenario", "s", "--seed", fmt.Sprint(i), "--outcome", "error", "--commit", fmt.Sprintf("c0ffee%d", i)); code != exitOK {
			t.Fatalf("exit code %d: %s", code, out)
		}
		if out, code := p.skewed(skew, p.token, "push"); code != exitOK {
			t.Fatalf("exit code %d: %s", code, out)
		}
	}
	p.wantSeeds("4,4,4")
	var order []string
	for line := range strings.Lines(mustTrackWith(t, p.dir, p.db, "seeds", "s", "--format", "csv")) {
		f := strings.Split(strings.TrimSpace(line), ",")
		order = append(order, f[1])
		if recorded, err := time.Parse(time.RFC3339Nano, f[len(f)-1]); len(order) > 1 && (err != nil || recorded.Before(began) || recorded.After(time.Now())) {
			t.Errorf("%s: recorded at another time than that of the server: %v", line, err)
		}
	}
	if diff := cmp.Diff([]string{"seed", "3", "2", "1", "0"}, order); diff != "" {
		t.Errorf("the newest first (-want +got):\n%s", diff)
	}
	var added answer.AddedToken
	out, code := p.skewed("5h", "", "token", "add", "late", "--scope", "read", "--expires", "1h", "--format", "json", "--quiet")
	if err := json.Unmarshal([]byte(out), &added); err != nil || code != exitOK {
		t.Fatalf("%v: exit code %d: %s", err, code, out)
	}
	for _, skew := range []string{"5h", "-5h"} {
		if out, code := p.skewed(skew, string(added.Secret), "seeds", "s"); code != exitOK {
			t.Errorf("a token that is valid for an hour, at %s: exit code %d: %s", skew, code, out)
		}
	}
	p.kill()
	_, p.address = listen(t, p.dir, p.db, "127.0.0.1:0", clockSkew+"=5h")
	if out, code := p.skewed("-5h", string(added.Secret), "seeds", "s"); code == exitOK || !strings.Contains(out, "has expired or was revoked") {
		t.Errorf("a token that has ended: exit code %d: %s", code, out)
	}
}

// The clock of the server is hours ahead, and then right again: nothing is lost, and nothing is sent twice.
func TestWrongClockOfServer(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	for i, skew := range []string{"5h", "0s", "-5h", "0s"} {
		p.kill()
		cmd, _ := listen(t, p.dir, p.db, strings.TrimPrefix(p.address, "http://"), clockSkew+"="+skew)
		p.kill = func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		p.record(p.address, fmt.Sprint(2*i), fmt.Sprint(2*i+1))
		p.pushUntilSent(p.address)
		p.wantSeeds(fmt.Sprintf("%d,%d,%d", 2*i+2, 2*i+2, 2*i+2))
	}
}
