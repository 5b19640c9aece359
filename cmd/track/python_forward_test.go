//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// forwarding is a Python program that records for a server, and is told what to do.
type forwarding struct {
	t      *testing.T
	in     io.WriteCloser
	out    *bufio.Reader
	errOut bytes.Buffer
	wait   func() error
}

func startForwarding(p *pushing, address string) *forwarding {
	p.Helper()
	cmd := pythonCommand(p.T, p.dir, "forward.py", "TRACK_SERVER="+address, "TRACK_TOKEN="+p.token)
	f := &forwarding{t: p.T, wait: cmd.Wait}
	cmd.Stderr = &f.errOut
	in, err := cmd.StdinPipe()
	if err != nil {
		p.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.Fatal(err)
	}
	f.in, f.out = in, bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	return f
}

// do has the program do something, and returns how long it took.
func (f *forwarding) do(format string, args ...any) time.Duration {
	f.t.Helper()
	if _, err := fmt.Fprintf(f.in, format+"\n", args...); err != nil {
		f.t.Fatal(err)
	}
	line, err := f.out.ReadString('\n')
	if err != nil {
		f.t.Fatalf("%v: %s", err, &f.errOut)
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
	if err != nil {
		f.t.Fatal(err)
	}
	return time.Duration(seconds * float64(time.Second))
}

// end ends the program, and returns what it says on standard error.
func (f *forwarding) end() string {
	f.t.Helper()
	_ = f.in.Close()
	if err := f.wait(); err != nil {
		f.t.Fatalf("%v: %s", err, &f.errOut)
	}
	return f.errOut.String()
}

// left returns the files in the spool of the server, without those that are kept.
func (p *pushing) left() []string {
	p.Helper()
	files, err := filepath.Glob(filepath.Join(p.dir, "settings", "track", "servers", "*", "spool", "*.*"))
	if err != nil {
		p.Fatal(err)
	}
	return files
}

// What Python records is sent while it goes on, from forked children too, and the file is put aside as track push does.
func TestPythonForwards(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	f := startForwarding(p, p.address)
	for n := range 20 {
		f.do("seed %d", n)
	}
	f.do("fork 20")
	f.do("sent")
	p.wantSeeds("21,21,21")
	// The file stays open, and the server has all of it: a gate lacks nothing.
	if out, _ := p.track(p.address, "gate", "s", "--stable"); strings.Contains(out, "not on the server") || !strings.Contains(out, "no_spec") {
		t.Error(out)
	}
	if status, _ := p.track("", "status"); !strings.Contains(status, "1 file is still open: the program that records into it may have sent its lines") {
		t.Error(status)
	}
	f.do("seed 21")
	f.do("close 30")
	f.do("seed 22")
	f.do("sent")
	if said := f.end(); said != "" {
		t.Error(said)
	}
	p.wantSeeds("23,23,23")
	if left := p.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	p.push(p.address, "nothing to send")
	if status, _ := p.track(p.address, "status", "--format", "json"); !strings.Contains(status, `"files_kept": 3`) || !strings.Contains(status, `"server_epoch": "`) {
		t.Error(status)
	}
}

// What the server cannot take waits for track push, which goes on where Python ended.
func TestPythonForwardsToServerThatGoes(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	f := startForwarding(p, p.address)
	f.do("seed 1")
	f.do("seed 2")
	f.do("sent")
	p.kill()
	p.wantSeeds("2,2,2")
	f.do("seed 3")
	f.do("seed 4")
	p.start()
	p.push(p.address, "2 recorded, 2 duplicate")
	f.do("seed 5")
	f.do("close 30")
	f.end()
	p.push(p.address, "nothing to send")
	p.kill()
	p.wantSeeds("5,5,5")
}

// A server that was restored from an older copy gets again what the program has sent from its file.
func TestPythonForwardsToRestoredServer(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	older := filepath.Join(p.dir, "older.db")
	mustTrack(t, p.dir, "backup", older, "--db", p.db)
	f := startForwarding(p, p.address)
	f.do("seed 1")
	f.do("close 30")
	f.do("seed 2")
	f.do("seed 3")
	f.do("sent")
	p.wantSeeds("3,3,3")
	p.kill()
	for _, end := range []string{"-wal", "-shm", ""} {
		if err := os.Remove(p.db + end); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if err := os.Rename(older, p.db); err != nil {
		t.Fatal(err)
	}
	p.start()
	f.do("seed 4")
	f.do("sent")
	p.wantSeeds("3,3,3") // 2, 3 and 4
	f.do("close 30")
	f.end()
	p.push(p.address, "1 recorded, 0 duplicate")
	p.wantSeeds("4,4,4")
}

// A token that is revoked ends the sending, and not the program; its records wait.
func TestPythonForwardsWithRevokedToken(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	f := startForwarding(p, p.address)
	f.do("seed 1")
	f.do("sent")
	mustTrack(t, p.dir, "token", "revoke", "ci", "--db", p.db)
	f.do("seed 2")
	f.do("close 30")
	f.do("seed 3")
	f.do("close 30")
	if said := f.end(); !strings.Contains(said, "track push says more") {
		t.Errorf("it says %q", said)
	}
	if status, _ := p.track("", "status"); !strings.Contains(status, p.address+", at ") || !strings.Contains(status, "refuses them: ") {
		t.Error(status)
	}
	p.push(p.address, "2 recorded, 1 duplicate") // with the token of who started the server
	p.wantSeeds("3,3,3")
}

// A record that differs from what the server has stays in the spool, and track push names it.
func TestPythonForwardsConflict(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	f := startForwarding(p, p.address)
	f.do("seed 1")
	f.do("close 30")
	f.end()
	p.wantSeeds("1,1,1")
	if err := os.WriteFile(filepath.Join(p.dir, "other.json"), []byte(`{"a": 7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p.track(p.address, "record", "seed", "--scenario", "s", "--seed", "2", "--label", "c", "other.json")
	p.track(p.address, "push") // what record did not send within its time
	f = startForwarding(p, p.address)
	f.do("seed 2")
	f.do("close 30")
	if said := f.end(); !strings.Contains(said, "does not take some of them") {
		t.Errorf("it says %q", said)
	}
	if out, code := p.track(p.address, "push"); code != exitConflict || !strings.Contains(out, "1 conflicting") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if out, _ := p.track(p.address, "gate", "s", "--stable"); !strings.Contains(out, "unsent_records: 1 record of s: on this machine, and not on the server") {
		t.Error(out)
	}
}

// A server that takes requests and never answers delays no record, and not the end of the program.
func TestPythonDoesNotWaitForServer(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	f := startForwarding(p, "http://"+silent.Addr().String())
	const most = 25 * time.Second // on a machine with much other work; the request itself takes 30 s
	for n := range 10 {
		if took := f.do("seed %d", n); took > most {
			t.Errorf("seed %d took %v", n, took)
		}
	}
	if took := f.do("close 0.05"); took > most {
		t.Errorf("to close took %v", took)
	}
	f.do("seed 10")
	began := time.Now()
	f.end()
	if took := time.Since(began); took > most {
		t.Errorf("the end of the program took %v", took)
	}
	if left := p.left(); len(left) != 2 {
		t.Errorf("%d files wait, want 2", len(left))
	}
}

// Python ends while the thread that sends waits for a server with TLS. It is out of OpenSSL by then: the end of the
// process takes OpenSSL apart, which crashed the program.
func TestPythonEndsWhileItSends(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	if out := runPython(t, t.TempDir(), "forward_end.py", "", "TRACK_SERVER=https://"+silent.Addr().String()); out != "out of OpenSSL\n" {
		t.Error(out)
	}
}

// If the server is away, Python says so once, at its end, with the reason. track status says it too, and for which
// server.
func TestPythonSaysThatServerIsAway(t *testing.T) {
	t.Parallel()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = gone.Close()
	p := &pushing{T: t, dir: t.TempDir(), address: "http://" + gone.Addr().String()}
	f := startForwarding(p, p.address)
	f.do("seed 1")
	f.do("close 0.5")
	f.do("seed 2")
	const reason = "cannot be asked: "
	if said := f.end(); strings.Count(said, "RuntimeWarning: ") != 1 || !strings.Contains(said, p.address+" "+reason) || !strings.Contains(said, "; send them with track push") {
		t.Errorf("it says %q", said)
	}
	if out, code := p.track("", "status"); code != exitFail || !strings.Contains(out, p.address+", at ") || !strings.Contains(out, reason) {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// A process dies at every line of the thread that sends: what was acknowledged is recorded, once.
func TestPythonForwardCrash(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	var acknowledged map[string]int
	out := runPython(t, p.dir, "forward_crash.py", "", "TRACK_SERVER="+p.address, "TRACK_TOKEN="+p.token)
	if err := json.Unmarshal([]byte(out), &acknowledged); err != nil {
		t.Fatal(err)
	}
	if len(acknowledged) < 60 {
		t.Errorf("only %d crashes", len(acknowledged))
	}
	if out, code := p.track(p.address, "push"); code != exitOK {
		t.Errorf("exit code %d: %s", code, out)
	}
	p.kill()
	// Written, and not acknowledged by the program, is recorded as well.
	const counts = "SELECT label, count(*) AS n, count(DISTINCT seed) AS numbers FROM v_seed GROUP BY label"
	recorded := map[string]int{}
	for _, row := range strings.Fields(mustTrackWith(t, p.dir, p.db, "query", counts, "--format", "csv"))[1:] {
		f := strings.Split(row, ",")
		if f[1] != f[2] {
			t.Errorf("%s is recorded %s times, with %s numbers", f[0], f[1], f[2])
		}
		recorded[f[0]], _ = strconv.Atoi(f[1])
	}
	for label, n := range acknowledged {
		if recorded[label] < n {
			t.Errorf("%s: %d seeds are recorded, and %d were acknowledged", label, recorded[label], n)
		}
	}
}
