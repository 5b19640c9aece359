package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"track/answer"
)

// addNamedToken returns a new token of a name.
func addNamedToken(t *testing.T, dir, db, name, scope string) string {
	t.Helper()
	var added answer.AddedToken
	if err := json.Unmarshal([]byte(mustTrack(t, dir, "token", "add", name, "--scope", scope, "--db", db, "--format", "json")), &added); err != nil {
		t.Fatal(err)
	}
	return string(added.Secret)
}

// pushUntilSent sends what waits until nothing does.
func (p *pushing) pushUntilSent(address string) {
	p.Helper()
	var out string
	for range 10 {
		if out, _ = p.track(address, "push"); strings.Contains(out, "nothing to send") {
			return
		}
	}
	p.Errorf("records wait still: %s", out)
}

// Answers are dropped, cut, delayed and doubled on their way: what was acknowledged is recorded once, and an answer
// that is not whole is an error.
func TestFaultsOnTheWay(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	proxy := newFaultProxy(t, p.address)
	want := 0
	for fault := dropped; fault <= doubled; fault++ {
		for range 2 {
			proxy.spoil(fault, carried, fault, fault)
			p.record(proxy.address, fmt.Sprint(want+1), fmt.Sprint(want+2))
			p.pushUntilSent(proxy.address)
			want += 2
			p.wantSeeds(fmt.Sprintf("%d,%d,%d", want, want, want))
		}
	}
	p.token = addNamedToken(t, p.dir, p.db, "reader", "read")
	listed := func() (string, int) {
		cmd := exec.Command("track", "seeds", "s", "--server", proxy.address, "--format", "csv")
		cmd.Dir, cmd.Env = p.dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(p.dir, "reader"), "TRACK_TOKEN="+p.token)
		out, _ := cmd.Output() // the exit code says it
		return string(out), cmd.ProcessState.ExitCode()
	}
	proxy.spoil()
	whole, code := listed()
	if code != exitOK || strings.Count(whole, "\n") != want+1 {
		t.Fatalf("exit code %d: %s", code, whole)
	}
	for fault := dropped; fault <= doubled; fault++ {
		proxy.spoil(fault)
		out, code := listed()
		// A client may take the second of two answers for that to its next request, and must say so.
		if code == exitOK && out != whole || code != exitOK && out != "" || code == exitOK && fault < delayed {
			t.Errorf("fault %d: exit code %d: %s", fault, code, out)
		}
	}
	before := filesIn(t, p.dir)
	for _, args := range [][]string{{"table", "s", "-o", "cut.csv"}, {"table", "s", "-o", "cut/"}, {"lines", "-o", "cut.jsonl"}, {"lines", "-o", "cut.jsonl.gz"}} {
		proxy.spoil(cutShort)
		cmd := exec.Command("track", slices.Concat([]string{"export"}, args, []string{"--server", proxy.address})...)
		cmd.Dir, cmd.Env = p.dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(p.dir, "reader"), "TRACK_TOKEN="+p.token)
		said, err := cmd.CombinedOutput()
		if err == nil || !slices.Equal(filesIn(t, p.dir), before) {
			t.Errorf("export %v, cut off: %v, %v, %s", args, err, filesIn(t, p.dir), said)
		}
	}
}

// An answer about other lines than those that were sent is no acknowledgement of these.
func TestPushWantsItsOwnAnswer(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"server_epoch":"E","through":1,"refused":0,"skipped":0,"recorded":1,"duplicates":0,"conflicts":0,"rejected":0,"errors":[]}`)
	}))
	t.Cleanup(other.Close)
	p.record(other.URL, "1", "2")
	status, _ := p.track(other.URL, "status")
	if !strings.Contains(status, "answers about lines up to 1 of the spool, and 2 were sent") {
		t.Error(status)
	}
	if left := p.left(); len(left) != 1 {
		t.Errorf("%d files are left, want 1", len(left))
	}
}

// A client that does not know the authority of a certificate says what to set.
func TestUnknownCertificate(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // the handshake fails
	server.StartTLS()
	t.Cleanup(server.Close)
	if _, errOut, code := askServer(t, t.TempDir(), server.URL, "seeds", "s"); code == exitOK || !strings.Contains(errOut, "SSL_CERT_FILE") {
		t.Errorf("exit code %d: %s", code, errOut)
	}
}

// The server and the client are killed at each step of a request: after that, what was in the spool is recorded once.
func TestKilledAtEachStep(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	proxy := newFaultProxy(t, p.address)
	want := 0
	for at := connected; at < allSteps; at++ {
		for _, who := range []string{"server", "client"} {
			cmd := exec.Command("track", "record", "batch", "batch.jsonl")
			cmd.Dir, cmd.Env = p.dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(p.dir, "settings"), "TRACK_SERVER="+proxy.address, "TRACK_TOKEN="+p.token)
			lines := fmt.Sprintf(`{"kind":"seed","scenario":"s","seed":"%d","values":{"a":1},"configuration":{"label":"c"}}`+"\n", want+1)
			lines += strings.Replace(lines, fmt.Sprintf(`"seed":"%d"`, want+1), fmt.Sprintf(`"seed":"%d"`, want+2), 1)
			if err := os.WriteFile(filepath.Join(p.dir, "batch.jsonl"), []byte(lines), 0o600); err != nil {
				t.Fatal(err)
			}
			killed := make(chan struct{})
			proxy.once(at, func() {
				defer close(killed)
				if who == "server" {
					p.kill()
				} else {
					_ = cmd.Process.Kill()
				}
			})
			out, err := cmd.CombinedOutput()
			select {
			case <-killed:
			default: // on a busy machine, record leaves the lines to the next push
				p.track(proxy.address, "push")
				<-killed
			}
			if who == "server" {
				if err != nil {
					t.Errorf("server killed at step %d: %v: %s", at, err, out)
				}
				p.start()
			}
			p.pushUntilSent(proxy.address)
			want += 2
			p.wantSeeds(fmt.Sprintf("%d,%d,%d", want, want, want))
		}
	}
}

// exchangeBytes sends a request as it is, closes the writing side, and returns all that the server says.
func exchangeBytes(t *testing.T, address, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(conn)
	if err != nil {
		t.Errorf("the server did not end: %v: %s", err, said)
	}
	return string(said)
}

// A client that closes its writing side ends its stream of events, and is answered or not; what it hears is true.
func TestHalfClosed(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	p.token = addNamedToken(t, p.dir, p.db, "both", "read,record")
	head := func(method, path string, length int) string {
		return fmt.Sprintf("%s /api/v1/%s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n", method, path, p.token, length)
	}
	exchangeBytes(t, p.address, head("GET", "events", 0))
	want := 0
	for i := range 5 {
		line := fmt.Sprintf(`{"kind":"seed","scenario":"s","seed":"%d","values":{"a":1},"configuration":{"label":"c"}}`+"\n", i)
		if said := exchangeBytes(t, p.address, head("POST", "lines", len(line))+line); strings.Contains(said, `"recorded":1`) {
			want++
		}
		if said := exchangeBytes(t, p.address, head("POST", "lines", len(line))+line[:len(line)-9]); strings.Contains(said, "200 OK") {
			t.Errorf("half of a line is acknowledged: %s", said)
		}
	}
	if counted := countRecorded(t, p.dir, p.db); counted[0] < want || counted[0] != counted[1] {
		t.Errorf("%d seeds of %d numbers, and %d were acknowledged", counted[0], counted[1], want)
	}
}

// Clients that do not read large answers keep nobody else from recording and asking.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	p := newPushing(t)
	first, second := addNamedToken(t, p.dir, p.db, "slow", "read"), addNamedToken(t, p.dir, p.db, "slower", "read")
	for _, token := range []string{first, first, second} { // as many queries as the server answers at once
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		const large = "sql=SELECT+hex(zeroblob(8000000))"
		if _, err := fmt.Fprintf(conn, "GET /api/v1/query?%s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n", large, token); err != nil {
			t.Fatal(err)
		}
		begin := make([]byte, 15)
		if _, err := io.ReadFull(conn, begin); err != nil || !bytes.Equal(begin, []byte("HTTP/1.1 200 OK")) {
			t.Fatalf("%v: %s", err, begin)
		}
	}
	p.record(p.address, "1", "2")
	p.pushUntilSent(p.address)
	if out, code := p.track(p.address, "seeds", "s"); code != exitOK {
		t.Errorf("exit code %d: %s", code, out)
	}
	p.wantSeeds("2,2,2")
}
