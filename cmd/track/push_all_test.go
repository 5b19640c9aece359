package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/answer"
)

// moving is a database on this machine, and a server that it is to move into.
type moving struct {
	*testing.T
	dir, from, to, address string
}

func newMoving(t *testing.T) *moving {
	t.Helper()
	m := &moving{T: t, dir: t.TempDir(), from: "from.db", to: "to.db"}
	mustTrack(t, m.dir, "init", "--db", m.from)
	mustTrack(t, m.dir, "init", "--db", m.to)
	_, m.address = listen(t, m.dir, m.to, "127.0.0.1:0")
	return m
}

// file writes a file of the test.
func (m *moving) file(name, text string) string {
	m.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o600); err != nil {
		m.Fatal(err)
	}
	return name
}

// record runs track on the database that moves.
func (m *moving) record(args ...string) string {
	m.Helper()
	cmd := exec.Command("track", args...)
	cmd.Dir, cmd.Env = m.dir, append(environ(), "TRACK_DB="+m.from)
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.Fatalf("%v: %v: %s", args, err, out)
	}
	return string(out)
}

func (m *moving) query(db, sql string) string {
	m.Helper()
	return tables(m.T, m.dir, db, sql)
}

// push moves the database.
func (m *moving) push() (a answer.Pushed) {
	m.Helper()
	cmd := exec.Command("track", "push", "--all", "--db", m.from, "--server", m.address, "--format", "json")
	cmd.Dir, cmd.Env = m.dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(m.dir, "settings"))
	out, err := cmd.Output()
	if err != nil {
		m.Fatalf("push: %v: %s", err, out)
	}
	if err := json.Unmarshal(out, &a); err != nil {
		m.Fatal(err)
	}
	return a
}

const movedLines = `
{"kind":"seed","scenario":"s","seed":"1","values":{"a":0.5,"b":"NaN"},"configuration":{"label":"x","params":{"theta":14}},"series":{"u":[0.1,0.2,"Infinity"]},"started_at":"2026-01-02T15:04:05Z","duration_s":1.5,"environment":{"host":"h"}}
{"kind":"seed","scenario":"s","seed":"18446744073709551615","values":{"a":0.25},"configuration":{"label":"x","params":{"theta":14}},"artifacts":[{"name":"run.log","text":"hello"},{"name":"bytes","base64":"AP8="},{"name":"big","left_out":"too large"}]}
{"kind":"seed","scenario":"s","seed":"3","configuration":{"label":"x","params":{"theta":14}},"outcome":"error","message":"crashed"}
{"kind":"seed","scenario":"s","seed":"4","values":{"a":1},"configuration":{"label":"x","params":{"theta":14}}}
{"kind":"seed","scenario":"s","seed":"5","values":{"a":1},"configuration":{"label":"x","params":{"theta":14}}}
{"kind":"execution","lineage":"l","version":"v1","key":"k1","task":"t","score":70,"output":"hello","truths":{"reward":1},"duration_s":3}
{"kind":"execution","lineage":"l","version":"v1","task":"t","output":"an answer without a key","calls":[{"tool":"Read","exit":0}]}
{"kind":"execution","lineage":"l","version":"v1","key":"k3","task":"t","calls":[{"tool":"Bash","input":{"command":"ls"},"exit":0}]}
`

// A database moves into a server: what counts in it counts there, what lines do not carry is named and counted, and
// neither moving it again nor merging it afterwards doubles anything.
func TestPushAll(t *testing.T) {
	t.Parallel()
	m := newMoving(t)
	m.record("spec", "add", m.file("s.yaml", "scenario: s\nmetrics:\n  - {name: a, type: RANGE, min: 0, max: 10}\n"))
	mustTrack(t, m.dir, "spec", "add", "s.yaml", "--db", m.to)
	m.record("record", "batch", m.file("lines.jsonl", movedLines))
	m.record("record", "batch", "--replace", m.file("again.jsonl", `{"kind":"seed","scenario":"s","seed":"4","values":{"a":2},"configuration":{"label":"x","params":{"theta":14}}}`))
	m.record("withdraw", "seed", "s", "5", "--reason", "wrong input")
	m.record("record", "execution", "--lineage", "l", "--version", "v1", "--task", "t", "--key", "by-command")
	m.record("sweep", "--scenario", "s", "--seeds", "10..11", "--label", "swept", "--commit", "c0ffee", "--", "echo", `{"a": {seed}}`)
	m.record("note", "add", "s@x", "the run of the paper")
	m.record("tag", "add", "s@x", "released")
	m.record("tag", "remove", "s@x", "released")
	m.record("baseline", "set", "s@x", "--reason", "first")
	m.record("lineage", "new", "sepa", "--root", m.file("prompt.md", "Be brief."), "--seed", "42")

	a := m.push()
	left := map[string]int{}
	for _, k := range a.NotSent {
		left[k.Kind] += k.N
		if k.Reason == "" {
			t.Errorf("%s: no reason", k.Kind)
		}
	}
	if diff := cmp.Diff(map[string]int{"seed": 2, "withdrawal": 1, "execution": 2, "spec": 1, "baseline": 1, "version": 1, "lineage": 1}, left); diff != "" {
		t.Errorf("not sent (-want +got):\n%s", diff)
	}
	if a.Recorded != 12 || a.Duplicates != 0 || len(a.Errors) != 0 {
		t.Errorf("%+v", a.RecordedLines)
	}
	for _, sql := range []string{
		`SELECT number, outcome, message, started_at, duration_us, hex(digest) FROM seed WHERE superseded_at IS NULL AND withdrawn_at IS NULL ORDER BY number`,
		`SELECT key, hex(digest) FROM execution WHERE source = 'jsonl' AND key <> 'k3' ORDER BY key`,
		`SELECT ulid, scenario_id, plan, ending FROM sweep ORDER BY ulid`,
		`SELECT ulid, kind, removed, subject FROM annotation ORDER BY ulid`,
	} {
		if diff := cmp.Diff(m.query(m.from, sql), m.query(m.to, sql)); diff != "" {
			t.Errorf("%s (-here +there):\n%s", sql, diff)
		}
	}
	if again := m.push(); again.Recorded != 0 || again.Duplicates != a.Recorded || again.Conflicts+again.Rejected != 0 {
		t.Errorf("again: %+v", again.RecordedLines)
	}
	mustTrack(t, m.dir, "merge", m.from, "--db", m.to)
	const counts = `SELECT (SELECT count(*) FROM seed WHERE superseded_at IS NULL) AS seeds, (SELECT count(*) FROM execution) AS executions, (SELECT count(*) FROM sweep) AS sweeps, (SELECT count(*) FROM annotation) AS annotations`
	if diff := cmp.Diff(m.query(m.from, counts), m.query(m.to, counts)); diff != "" {
		t.Errorf("after a merge (-here +there):\n%s", diff)
	}
}

// A client that is killed after the server has recorded and before it has answered goes on there when it runs again:
// everything is there once. What is recorded or withdrawn meanwhile is not lost.
func TestPushAllKilled(t *testing.T) {
	t.Parallel()
	const n = 3500 // about seven requests
	m := newMoving(t)
	m.file("seeds.jsonl", string(seedLines(0, n)))
	m.record("record", "batch", "seeds.jsonl")
	var added answer.AddedToken
	if err := json.Unmarshal([]byte(mustTrack(t, m.dir, "token", "add", "ci", "--scope", "record", "--db", m.to, "--format", "json")), &added); err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(m.address)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("track", "push", "--all", "--db", m.from)
	var requests atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(to)
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answered := httptest.NewRecorder()
		proxy.ServeHTTP(answered, r)
		if r.Method == http.MethodPost {
			requests.Add(1)
		}
		if requests.Load() == 2 { // it is recorded, and nobody hears of it
			_ = cmd.Process.Kill()
			return
		}
		w.WriteHeader(answered.Code)
		_, _ = answered.Body.WriteTo(w)
	}))
	defer between.Close()
	env := append(environ(), "XDG_CONFIG_HOME="+filepath.Join(m.dir, "client"), "TRACK_SERVER="+between.URL, "TRACK_TOKEN="+string(added.Secret))
	cmd.Dir, cmd.Env = m.dir, env
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("it was not killed: %s", out)
	}
	const count = "SELECT count(*) AS n, count(DISTINCT number) AS numbers FROM seed"
	var there, numbers int
	if _, err := fmt.Sscanf(strings.TrimSpace(strings.TrimPrefix(m.query(m.to, count), "n,numbers\n")), "%d,%d", &there, &numbers); err != nil || there == 0 || there == n || there != numbers {
		t.Fatalf("after two requests: %d, %d, %v", there, numbers, err)
	}
	again := func(args ...string) string {
		t.Helper()
		requests.Store(3)
		again := exec.Command("track", args...)
		again.Dir, again.Env = m.dir, env
		out, err := again.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return string(out)
	}
	if out := again("push"); !strings.Contains(out, fmt.Sprintf("%d recorded", n-there)) {
		t.Error(out)
	}
	m.record("withdraw", "seed", "s", "7", "--reason", "wrong input")
	m.record("record", "batch", m.file("more.jsonl", string(seedLines(n, n+1))))
	if out := again("push", "--all", "--db", m.from); !strings.Contains(out, "1 recorded, 3499 duplicate") {
		t.Error(out)
	}
	if got := m.query(m.to, count); !strings.Contains(got, "3501,3501") {
		t.Errorf("at the end: %s", got)
	}
}
