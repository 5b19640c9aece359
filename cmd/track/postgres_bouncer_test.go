//go:build postgres

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track/internal/outsidetest"
	"track/internal/testpostgres"
)

// bouncedSchema returns the role and the URL of a schema that is the role's own, as its search path says.
func bouncedSchema(t *testing.T) (server, role string) {
	t.Helper()
	server = postgresServer(t)
	role = testpostgres.Role(t, server, "")
	testpostgres.LetQuery(t, server, role)
	if err := testpostgres.Exec(server, strings.ReplaceAll("CREATE SCHEMA own_NAME AUTHORIZATION NAME; ALTER ROLE NAME SET search_path = own_NAME", "NAME", role)); err != nil {
		t.Fatal(err)
	}
	return server, role
}

func bouncerProgram(t *testing.T) string {
	t.Helper()
	program, err := testpostgres.BouncerProgram()
	if err != nil {
		outsidetest.Missing(t, "%v", err)
	}
	return program
}

// Everything works behind PgBouncer in transaction mode, over one connection to the server: what a command keeps on a
// connection between its transactions would be lost, and one that needed two at once would wait for itself until
// PgBouncer ends its wait.
func TestPostgresBouncer(t *testing.T) {
	program := bouncerProgram(t)
	server, role := bouncedSchema(t)
	db := testpostgres.Bouncer(t, program, server, role, 1, "query_wait_timeout = 10") + "&default_query_exec_mode=exec"
	dir := t.TempDir()
	must := func(args ...string) string {
		t.Helper()
		return mustTrackWith(t, dir, db, args...)
	}
	writeFiles(t, dir, map[string]string{
		"s.yaml":     "scenario: s\nmetrics:\n- {name: a, type: RANGE, min: 0, max: 1}\n",
		"v.json":     `{"a":0.25}`,
		"seeds.json": strings.Repeat(`{"kind":"seed","scenario":"s","seed":"100","values":{"a":0.5}}`+"\n", 2),
	})
	must("init")
	must("spec", "add", "s.yaml")
	must("record", "seed", "--scenario", "s", "--seed", "7", "v.json")
	must("record", "batch", "seeds.json")
	sweep := []string{"sweep", "--scenario", "s", "--seeds", "0..19", "-j", "4", "--", "sh", "-c", `echo "{\"a\":0.5,\"own\":$TRACK_SEED.5}"`}
	if out := must(sweep...); !strings.Contains(out, "19 seeds ran, 0 failed, 1 recorded before") {
		t.Errorf("the sweep: %s", out)
	}
	if out := must(sweep...); !strings.Contains(out, "0 seeds ran") {
		t.Errorf("the sweep again: %s", out)
	}
	must("record", "execution", "--lineage", "l", "--key", "k", "--output", "v.json")
	if out := must("search", "a"); !strings.Contains(out, "k") {
		t.Errorf("search: %s", out)
	}
	if out := must("stability", "s", "--format", "csv"); !strings.Contains(out, "\n,a,RANGE,1,21,") {
		t.Errorf("stability: %s", out)
	}
	if out := must("query", "SELECT generate_series(1, 1000000000000) AS n", "--limit", "3", "--format", "csv"); out != "n\n1\n2\n3\n" {
		t.Errorf("query: %q", out)
	}
	for _, args := range [][]string{{"seeds"}, {"history", "s"}, {"check"}, {"report", "index", "-o", "index.md"}, {"rescore", "s"}, {"migrate"},
		{"lineage", "new", "tuned", "--root", "v.json"}, {"evolve", "--lineage", "tuned", "--propose", "echo p", "--evaluate", "echo 5", "--max-trials", "4"},
		{"report", "lineage", "tuned", "-o", "lineage.md"}, {"replay", "--lineage", "tuned", "--strict"}, {"mutation", "next", "--lineage", "tuned"},
		{"export", "lines", "-o", "all.jsonl"}, {"merge", "all.jsonl"}, {"export", "table", "s", "-o", "s.csv"},
		{"prune", "series", "--keep", "1"}, {"withdraw", "seed", "s", "7", "--reason", "tried"}, {"restore", "seed", "s", "7", "--reason", "tried"},
		{"sweep", "--scenario", "s", "--label", "judged", "--seeds", "0..19", "--until", "pass_width<0.2", "--repeat-check", "0.2", "--", "sh", "-c", `echo '{"a":0.5}'`, "{{seed}}"},
		{"status"}} {
		must(args...)
	}
	if _, errOut, code := trackWith(t, dir, db, "query", "SELECT 1 AS a; COMMIT; CREATE TABLE made (x int); SELECT 1"); code != exitInvalid || !strings.Contains(errOut, "one statement at a time") {
		t.Errorf("two statements: exit code %d, %s", code, errOut)
	}
}

// Without the setting that PgBouncer needs, an error names it. A schema in the URL is refused, or is the one that is
// used.
func TestPostgresBouncerNeedsSettings(t *testing.T) {
	program := bouncerProgram(t)
	server, role := bouncedSchema(t)
	through := testpostgres.Bouncer(t, program, server, role, 1)
	dir := t.TempDir()
	mustTrackWith(t, dir, through+"&default_query_exec_mode=exec", "init")
	refused := func(db, reason, hint string) {
		t.Helper()
		for _, args := range [][]string{{"seeds"}, {"record", "batch", "none.jsonl"}} {
			_, errOut, code := trackWith(t, dir, db, args...)
			if code == exitOK || !strings.Contains(errOut, reason) || !strings.Contains(errOut, hint) {
				t.Errorf("%s: exit code %d, %s, want %q with the hint %q", args[0], code, errOut, reason, hint)
			}
		}
	}
	writeFiles(t, dir, map[string]string{"none.jsonl": ""})
	for range 2 { // of which one may prepare what nobody has prepared yet
		_, _, _ = trackWith(t, dir, through, "seeds")
	}
	refused(through, "has lost a prepared statement", "default_query_exec_mode=exec")
	refused(through+"&search_path=elsewhere", "unsupported startup parameter: search_path", "ALTER ROLE NAME SET search_path")

	ignoring := testpostgres.Bouncer(t, program, server, role, 1, "ignore_startup_parameters = search_path") + "&default_query_exec_mode=exec"
	refused(ignoring+"&search_path=elsewhere", "its search path is own_"+role+", and not elsewhere", "ALTER ROLE NAME SET search_path")
	mustTrackWith(t, dir, ignoring+"&search_path=own_"+role, "seeds")
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
