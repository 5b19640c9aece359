//go:build postgres

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"track/internal/testpostgres"
)

// pgKilling kills commands that write to a server of PostgreSQL.
type pgKilling struct {
	t      *testing.T
	server string
	dir    string
	random *rand.Rand
	left   int // kills that are still to come
}

// TestKilledPostgres kills merges, loops, migrations and servers that record on PostgreSQL at drawn moments. Nothing
// that was acknowledged may be lost, and nothing may be doubled. make nightly kills each a hundred times.
func TestKilledPostgres(t *testing.T) {
	t.Parallel()
	kills, seed := 2, uint64(2026)
	if os.Getenv("TRACK_CLAIMS") != "" {
		kills, seed = 100, uint64(time.Now().UnixNano())
	}
	server := ownServer(t).URL
	for i, test := range []struct {
		name string
		run  func(*pgKilling)
	}{{"merge", (*pgKilling).merges}, {"evolve", (*pgKilling).loops}, {"migrate", (*pgKilling).migrations}, {"serve", (*pgKilling).servers}} {
		t.Run(test.name, func(t *testing.T) {
			t.Logf("seed %d", seed)
			test.run(&pgKilling{t, server, t.TempDir(), rand.New(rand.NewPCG(seed, uint64(i))), kills})
		})
	}
}

// try runs a command, and kills it at a moment that is drawn from a time, unless enough were killed. It reports whether
// the command ended before.
func (k *pgKilling) try(within time.Duration, args ...string) (ended bool) {
	k.t.Helper()
	var output bytes.Buffer
	cmd := exec.Command("track", args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = k.dir, append(environ(), "TRACK_LEASE=200ms"), &output, &output
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	moment := time.Duration(k.random.Int64N(int64(within)))
	if k.left == 0 {
		moment = time.Hour
	}
	killer := time.AfterFunc(moment, func() { _ = cmd.Process.Kill() }) // it may be gone
	_ = cmd.Wait()                                                      // the exit code is looked at
	killer.Stop()
	switch code := cmd.ProcessState.ExitCode(); {
	case code < 0:
		k.left--
	case code != exitOK:
		k.t.Fatalf("track %s: exit code %d: %s", strings.Join(args, " "), code, &output)
	default:
		return true
	}
	return false
}

// timed runs a command, and returns how long it takes.
func (k *pgKilling) timed(db string, args ...string) time.Duration {
	k.t.Helper()
	began := time.Now()
	mustTrackWith(k.t, k.dir, db, args...)
	return time.Since(began)
}

// records returns what is recorded in a database. Nothing may be there twice.
func (k *pgKilling) records(db string) []string {
	k.t.Helper()
	const all = "SELECT 'seed ' || number AS record FROM seed UNION ALL SELECT 'execution ' || key FROM execution"
	list := strings.Split(strings.TrimSpace(tables(k.t, k.dir, db, all)), "\n")[1:]
	slices.Sort(list)
	if once := slices.Compact(slices.Clone(list)); len(once) != len(list) {
		k.t.Fatalf("%d records, and %d different ones", len(list), len(once))
	}
	return list
}

// want fails unless exactly these records are there, and everything is sound.
func (k *pgKilling) want(db string, want []string) {
	k.t.Helper()
	if got := k.records(db); !slices.Equal(got, want) {
		k.t.Fatalf("%d records, want %d", len(got), len(want))
	}
	mustTrackWith(k.t, k.dir, db, "check")
}

func (k *pgKilling) merges() {
	k.dir = evolvable(k.t)
	var lines strings.Builder
	for i := range 300 {
		fmt.Fprintf(&lines, `{"kind":"seed","scenario":"s","seed":"%d","values":{"a":%d.5},"configuration":{"label":"c","commit":"c0ffee"}}`+"\n", i, i)
	}
	writeFiles(k.t, k.dir, map[string]string{"lines": lines.String()})
	mustTrackWith(k.t, k.dir, "track.db", "record", "batch", "lines")
	want := k.records("track.db")
	db := testpostgres.Schema(k.t, k.server)
	usual := k.timed(db, "init") + k.timed(db, "merge", "track.db")
	k.want(db, want)
	for k.left > 0 {
		db := testpostgres.Schema(k.t, k.server)
		mustTrackWith(k.t, k.dir, db, "init")
		for !k.try(usual, "merge", "track.db", "--db", db) {
			k.records(db)
		}
		k.want(db, want)
		mustTrackWith(k.t, k.dir, db, "replay", "--strict")
	}
}

func (k *pgKilling) loops() {
	k.dir = evolveFolder(k.t, ":")
	loop := []string{"evolve", "--lineage", "l", "--propose", "sh propose.sh", "--evaluate", "sh evaluate.sh", "--tasks", "tasks", "--max-mutations", "3"}
	usual := k.timed("track.db", loop...)
	evolved := func(db string) (text string) {
		mustTrackWith(k.t, k.dir, db, "replay", "--lineage", "l", "--strict")
		for _, query := range []string{
			"SELECT number, kind, mutation, attempt, head_after FROM v_ledger ORDER BY number", "SELECT number, state, delta, u, p, n_child, n_parent FROM v_decision ORDER BY number",
			"SELECT key, version, task, status, score FROM v_execution ORDER BY key",
		} {
			text += mustTrackWith(k.t, k.dir, db, "query", query, "--format", "csv", "--limit", "0")
		}
		return text
	}
	want := evolved("track.db")
	for k.left > 0 {
		db := testpostgres.Schema(k.t, k.server)
		mustTrackWith(k.t, k.dir, db, "init")
		mustTrackWith(k.t, k.dir, db, "lineage", "new", "l", "--root", "root.md", "--seed", "11", "--policy", "greedy")
		mustTrackWith(k.t, k.dir, db, "lineage", "set", "l", "max_per_day=100", "max_high_per_day=100")
		for !k.try(usual/2, append(slices.Clone(loop), "--db", db)...) {
		}
		if got := evolved(db); got != want {
			k.t.Fatalf("%s\nwant\n%s", got, want)
		}
	}
}

// migrations makes new databases, and the views of one that has records.
func (k *pgKilling) migrations() {
	usual := k.timed(testpostgres.Schema(k.t, k.server), "init")
	filled := testpostgres.Schema(k.t, k.server)
	mustTrackWith(k.t, k.dir, filled, "init")
	mustTrackWith(k.t, k.dir, filled, "record", "seed", "--scenario", "s", "--seed", "1", "--commit", "c0ffee", "--outcome", "error")
	want := k.records(filled)
	for k.left > 0 {
		db := testpostgres.Schema(k.t, k.server)
		k.migrate(usual, db, "init")
		mustTrackWith(k.t, k.dir, db, "init")
		mustTrackWith(k.t, k.dir, db, "record", "seed", "--scenario", "s", "--seed", "1", "--commit", "c0ffee", "--outcome", "error")
		k.want(db, want)
		if err := testpostgres.Exec(filled, "DROP VIEW v_ledger"); err != nil {
			k.t.Fatal(err)
		}
		k.migrate(usual, filled, "migrate")
		mustTrackWith(k.t, k.dir, filled, "migrate")
		k.want(filled, want)
	}
}

// migrate tries a command that migrates. A killed one holds its lock for 30 s, until long after the server has noticed:
// here its connections are ended instead.
func (k *pgKilling) migrate(within time.Duration, db, command string) {
	k.t.Helper()
	if k.try(within, command, "--db", db) {
		return
	}
	err := testpostgres.Exec(k.server, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'")
	if err != nil {
		k.t.Fatal(err)
	}
	err = testpostgres.Exec(db, "UPDATE goose_lock SET lease_expires_at = now()")
	if err != nil && !strings.Contains(err.Error(), "42P01") { // killed before there was one
		k.t.Fatal(err)
	}
}

// servers kills servers while four clients record. A client sends again what was not acknowledged.
func (k *pgKilling) servers() {
	const clients, life = 4, 400 * time.Millisecond
	db := testpostgres.Schema(k.t, k.server)
	mustTrackWith(k.t, k.dir, db, "init")
	token := addToken(k.t, k.dir, db, "record")
	var next [clients]int // number that was not acknowledged yet
	for ; k.left > 0; k.left-- {
		address, kill := startKilled(k.t, k.dir, db, "127.0.0.1:0")
		var running sync.WaitGroup
		for i := range clients {
			running.Go(func() {
				for send(address, token, i*1_000_000+next[i]) == nil {
					next[i]++
				}
			})
		}
		killer := time.AfterFunc(time.Duration(k.random.Int64N(int64(life))), kill)
		running.Wait()
		killer.Stop()
	}
	address, kill := startKilled(k.t, k.dir, db, "127.0.0.1:0")
	defer kill()
	var want []string
	for i, n := range next {
		if err := send(address, token, i*1_000_000+n); err != nil {
			k.t.Fatal(err)
		}
		for number := range n + 1 {
			want = append(want, fmt.Sprint("seed ", i*1_000_000+number), fmt.Sprint("execution ", i*1_000_000+number))
		}
	}
	slices.Sort(want)
	k.want(db, want)
	k.t.Logf("%d records", len(want))
}

// send records a seed and an execution with a number, and returns nil once they are acknowledged.
func send(address, token string, number int) error {
	lines := fmt.Sprintf(`{"kind":"seed","scenario":"s","seed":"%d","values":{"a":1},"configuration":{"label":"c","commit":"303e61f"}}
{"kind":"execution","lineage":"l","key":"%d","status":"ok","score":50}
`, number, number)
	request, err := http.NewRequest(http.MethodPost, address+"/api/v1/lines", strings.NewReader(lines))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	var body bytes.Buffer
	if _, err := body.ReadFrom(response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || strings.Contains(body.String(), `"error"`) {
		return fmt.Errorf("%s: %s", response.Status, &body)
	}
	return nil
}
