//go:build unix && postgres

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"track/internal/testpostgres"
)

// stepwise is a database on a server and a file with the same records. A command on the server is killed before it
// commits.
type stepwise struct {
	dir, file, direct, through string
	commits                    int // of commands through the proxy
	command                    *exec.Cmd
}

// newStepwise records lines on both. The command of [stepwise.killed] is killed at its first COMMIT.
func newStepwise(t *testing.T, lines string) *stepwise {
	t.Helper()
	s := &stepwise{dir: t.TempDir()}
	s.file = filepath.Join(s.dir, "file.db")
	server := postgresServer(t)
	s.direct = testpostgres.Schema(t, server)
	proxy := testpostgres.NewProxy(t, server, testpostgres.Faults{Commit: func() testpostgres.Fault {
		if s.commits++; s.commits == 1 {
			_ = s.command.Process.Kill()
			return testpostgres.LostBefore
		}
		return testpostgres.None
	}})
	s.through = proxy.Through(t, s.direct)
	writeFiles(t, s.dir, map[string]string{"lines.jsonl": lines})
	for _, db := range []string{s.file, s.direct} {
		mustTrackWith(t, s.dir, db, "init")
		mustTrackWith(t, s.dir, db, "record", "batch", "lines.jsonl")
	}
	return s
}

// killed runs a command on the server that is killed before it ends.
func (s *stepwise) killed(t *testing.T, args ...string) {
	t.Helper()
	s.command = exec.Command("track", append(args, "--db", s.through)...)
	s.command.Dir, s.command.Env = s.dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(s.dir, "settings"))
	if output, err := s.command.CombinedOutput(); err == nil {
		t.Fatalf("%v: it was not killed: %s", args, output)
	}
}

func (s *stepwise) query(t *testing.T, db, query string) string {
	t.Helper()
	return tables(t, s.dir, db, query)
}

// wantNone checks that no row of a table was changed.
func (s *stepwise) wantNone(t *testing.T, changed, table string) {
	t.Helper()
	if got := s.query(t, s.direct, "SELECT count(*) AS n FROM "+table+" WHERE "+changed); got != "n\n0\n" {
		t.Errorf("%s after the kill: %q", table, got)
	}
}

// A pruning on a server that is killed has pruned nothing, and frees the same as on a file when it is run again.
func TestKilledPrunePostgres(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for seed := range 1300 {
		fmt.Fprintf(&lines, `{"kind":"seed","scenario":"s","seed":"%d","configuration":{"commit":"c0ffee"},"values":{"m":2},"series":{"w":[%d,2,3]}}`+"\n", seed, seed)
	}
	s := newStepwise(t, lines.String())
	prune := []string{"prune", "series", "--keep", "10"}
	s.killed(t, prune...)
	s.wantNone(t, "pruned_at IS NOT NULL", "series_content")
	for _, db := range []string{s.file, s.direct} {
		mustTrackWith(t, s.dir, db, prune...)
	}
	const left = "SELECT (SELECT count(*) FROM series_chunk) AS chunks, (SELECT count(*) FROM series_content WHERE pruned_at IS NULL) AS contents"
	if got, want := s.query(t, s.direct, left), s.query(t, s.file, left); got != want || want != "chunks,contents\n10,10\n" {
		t.Errorf("left on the server: %q, in the file: %q", got, want)
	}
	// What is pinned is kept, unless that is left out.
	for _, db := range []string{s.file, s.direct} {
		mustTrackWith(t, s.dir, db, "baseline", "set", "s", "--reason", "a good one")
		mustTrackWith(t, s.dir, db, "prune", "--older-than", "1us")
		if got := s.query(t, db, left); got != "chunks,contents\n10,10\n" {
			t.Errorf("a pinned baseline has %q", got)
		}
		mustTrackWith(t, s.dir, db, "prune", "--older-than", "1us", "--keep", "none")
		if got := s.query(t, db, left); got != "chunks,contents\n0,0\n" {
			t.Errorf("nothing to keep leaves %q", got)
		}
	}
	mustTrackWith(t, s.dir, s.direct, "check")
}

// A forgetting on a server that is killed has forgotten nothing, and does the same as on a file when it is run again.
func TestKilledForgetPostgres(t *testing.T) {
	t.Parallel()
	const executions = 12
	var lines strings.Builder
	for n := range executions {
		calls := strings.TrimSuffix(strings.Repeat(`{"tool":"Bash","input":"ls","output":"a","exit":0},`, 100), ",")
		fmt.Fprintf(&lines, `{"kind":"execution","lineage":"l","version":"v","key":"k%d","task":"t","output":"secret %d","calls":[%s]}`+"\n", n, n, calls)
	}
	s := newStepwise(t, lines.String())
	forget := func(db string) []string {
		ids := strings.Fields(s.query(t, db, "SELECT ulid FROM execution ORDER BY key"))[1:]
		return append([]string{"forget", "execution"}, ids...)
	}
	s.killed(t, forget(s.direct)...)
	s.wantNone(t, "forgotten_at IS NOT NULL", "execution")
	for _, db := range []string{s.file, s.direct} {
		mustTrackWith(t, s.dir, db, forget(db)...)
	}
	const left = "SELECT count(*) AS calls, (SELECT count(forgotten_at) FROM execution) AS forgotten FROM call"
	if got, want := s.query(t, s.direct, left), s.query(t, s.file, left); got != want || want != "calls,forgotten\n1200,12\n" {
		t.Errorf("left on the server: %q, in the file: %q", got, want)
	}
	mustTrackWith(t, s.dir, s.direct, "check")
}
