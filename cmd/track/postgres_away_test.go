//go:build unix && postgres

package main

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"track/answer"
	"track/internal/testpostgres"
)

// ingestKept records what commands have kept in the spool of a database.
func ingestKept(t *testing.T, dir, db string) {
	t.Helper()
	cmd := exec.Command("track", "ingest", "--db", db)
	cmd.Env = append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"))
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
}

// A sweep survives a crash of its server. What the server lost, because it was not on its disk yet, is recorded again.
func TestSweepOverCrashPostgres(t *testing.T) {
	t.Parallel()
	const seeds = 30
	server := ownServer(t)
	db, dir := testpostgres.Schema(t, server.URL), t.TempDir()
	mustTrackWith(t, dir, db, "init")
	command, began, open := gated(t, dir)
	r := onServer[answer.SweepResult](t, dir, db, nil, append([]string{"sweep", "--commit", "c0ffee", "--scenario", "s", "--seeds", fmt.Sprint("0..", seeds-1), "--jobs", "2", "--"}, command...)...)
	for n := range seeds {
		if began(); n%10 == 5 {
			if err := server.Crash(); err != nil {
				t.Fatal(err)
			}
		}
		open(1)
	}
	a, code, text := r.ended(t)
	if code != exitOK || a.NRan != seeds || a.NConflicts > 0 {
		t.Errorf("exit code %d, %d ran, %d conflicts: %s", code, a.NRan, a.NConflicts, text)
	}
	ingestKept(t, dir, db)
	wantOnce(t, db, seeds)
}

// A batch from a pipe whose server goes away in the middle keeps all of its lines.
func TestBatchServerAwayPostgres(t *testing.T) {
	t.Parallel()
	const lines = 2000
	server := postgresServer(t)
	proxy := testpostgres.NewProxy(t, server, testpostgres.Faults{})
	direct, dir := testpostgres.Schema(t, server), t.TempDir()
	db := proxy.Through(t, direct)
	mustTrackWith(t, dir, db, "init")
	cmd := exec.Command("track", "record", "batch", "-", "--db", db)
	cmd.Dir, cmd.Env = dir, append(environ(), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings"))
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write := func(from, to int) {
		for n := from; n < to; n++ {
			line := `{"kind":"seed","scenario":"s","seed":"` + strconv.Itoa(n) + `","configuration":{"commit":"c0ffee"},"values":{"m":2}}` + "\n"
			if _, err := io.WriteString(in, line); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(0, lines/2)
	for len(seedsOf(t, direct)) == 0 {
	}
	proxy.SetAway(true)
	write(lines/2, lines)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(output.String(), "kept "+strconv.Itoa(lines)+" lines") {
		t.Errorf("%v: %s", err, &output)
	}
	proxy.SetAway(false)
	ingestKept(t, dir, db)
	wantOnce(t, direct, lines)
}
