package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// loopCommand runs examples/evolve/loop.sh with a database. Reports name the folder as the script was called.
func loopCommand(database string) *exec.Cmd {
	loop := exec.Command("sh", "../../examples/evolve/loop.sh", "1")
	loop.Env = append(environ(), "TRACK_DB="+database)
	return loop
}

// loopResult is what examples/evolve/loop.sh printed, and the file of the database that it left.
type loopResult struct {
	printed  string
	database []byte
}

// runLoop runs the loop once, for all tests.
var runLoop = sync.OnceValues(func() (result loopResult, err error) {
	dir, err := os.MkdirTemp("", "track-loop-")
	if err != nil {
		return loopResult{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	loop := loopCommand(filepath.Join(dir, "track.db"))
	var out, problems bytes.Buffer
	loop.Stdout, loop.Stderr = &out, &problems
	if err := loop.Run(); err != nil {
		return loopResult{}, fmt.Errorf("loop.sh: %w\n%s\n%s", err, &out, &problems)
	}
	database, err := os.ReadFile(filepath.Join(dir, "track.db"))
	return loopResult{out.String(), database}, err
})

// evolveLoop writes the database of the loop into a file, and returns what the loop printed.
func evolveLoop(t *testing.T, database string) (printed string) {
	t.Helper()
	e, err := runLoop()
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, database, string(e.database))
	return e.printed
}

// ask returns what track answers from a database.
func askTrack(t *testing.T, database string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "track", args...)
	command.Env = append(os.Environ(), "TRACK_DB="+database)
	out, err := command.Output()
	if err != nil {
		t.Fatalf("track %v: %v", args, err)
	}
	return string(out)
}

// TestEvolveLoop runs the loop of docs/tutorials/evolve-an-agent.md: everything that can happen to a lineage happens
// in it, it replays, and the same seed gives the same ledger, byte for byte: its hashes, its draws and its report are
// those in testdata.
func TestEvolveLoop(t *testing.T) {
	t.Parallel()
	database := filepath.Join(t.TempDir(), "track.db")
	printed := evolveLoop(t, database)
	for _, c := range []struct{ what, sql string }{
		{"60 executions of the loop", "SELECT count(*) = 60 FROM v_execution WHERE source IS NULL"},
		{"a mutation accepted", "SELECT count(*) > 0 FROM v_decision WHERE state = 'accept' AND head_after <> head_before"},
		{"a mutation rejected", "SELECT count(*) > 0 FROM v_decision WHERE state = 'reject' AND head_after = head_before"},
		{"a draw that decided", "SELECT count(*) > 0 FROM v_decision WHERE p > 0 AND p < 1"},
		{"a child refused", "SELECT count(*) > 0 FROM v_ledger WHERE kind = 'refusal'"},
		{"a rollback by a trigger", "SELECT count(*) > 0 FROM v_ledger WHERE kind = 'rollback' AND body ->> '$.trigger' <> 'by_hand' AND head_after <> head_before"},
		{"a mutation accepted after the last rollback", `SELECT count(*) > 0 FROM v_decision WHERE state = 'accept' AND number > (
			SELECT max(number) FROM v_ledger WHERE kind = 'rollback')`},
		{"a consideration that drew to wait", "SELECT count(*) > 0 FROM v_ledger WHERE kind = 'consideration' AND body ->> '$.permission.hold' = 'rate'"},
	} {
		if got := askTrack(t, database, "query", c.sql, "--format", "csv"); !strings.HasSuffix(got, "\n1\n") {
			t.Errorf("the loop does not hold %s", c.what)
		}
	}
	for _, want := range []string{"wait v003: 0 of 5 executions since the rollback", "7/7 decisions verified"} {
		if !strings.Contains(printed, want) {
			t.Errorf("the loop does not print %q:\n%s", want, printed)
		}
	}
	golden(t, "report/lineage_sepa.md", askTrack(t, database, "report", "lineage", "sepa"))
	golden(t, "evolve/ledger.csv", askTrack(t, database, "query", "SELECT number, kind, mutation, hash FROM v_ledger ORDER BY number", "--format", "csv"))
	golden(t, "evolve/draws.csv", askTrack(t, database, "draws", "sepa", "--format", "csv"))
}

// TestDrawByHand holds examples/evolve/draw.sh against the vectors of the algorithm, and against the draws of a
// lineage.
func TestDrawByHand(t *testing.T) {
	t.Parallel()
	draw := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), "sh", append([]string{"../../examples/evolve/draw.sh"}, args...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		raw, _, _ := strings.Cut(string(out), " ")
		return raw
	}
	for _, vector := range [][]string{{"ae08d83393bfd301", "42", "main", "m-0001", "0", "explore"}, {"051310155fe97be4", "0", "", "", "0", ""}} {
		if got := draw(vector[1:]...); got != vector[0] {
			t.Errorf("draw.sh %q prints %s, want %s", vector[1:], got, vector[0])
		}
	}
	dir := t.TempDir()
	prompt := filepath.Join(dir, "prompt.md")
	if err := os.WriteFile(prompt, []byte("Be brief.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	mustTrack(t, dir, "lineage", "new", "long name/ü", "--root", prompt, "--seed", "9007199254740993")
	mustTrack(t, dir, "record", "execution", "--lineage", "long name/ü", "--version", "v001", "--score", "50")
	mustTrack(t, dir, "mutation", "next", "long name/ü")
	rows, err := csv.NewReader(strings.NewReader(askTrack(t, filepath.Join(dir, ".track", "track.db"), "draws", "--format", "csv"))).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d rows of draws, %v", len(rows), err)
	}
	for _, row := range rows[1:] { // #, for, label, attempt, seed, raw
		if got := draw(row[4], "long name/ü", row[1], row[3], row[2]); got != row[5] {
			t.Errorf("draw.sh for %v prints %s", row, got)
		}
	}
}
