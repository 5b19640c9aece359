//go:build postgres

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"track/internal/testpostgres"
)

// pageOfRoles is the part of the page about PostgreSQL that says what to grant.
type pageOfRoles struct {
	beforeInit, existing, afterInit []string
	suffix                          string // of the names of the roles
}

// readPageOfRoles returns the statements of the page, for a schema and for roles of this test.
func readPageOfRoles(t *testing.T, schema string) (p pageOfRoles) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "how-to", "postgres.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Roles\n")
	section, _, _ = strings.Cut(section, "\n## ")
	section, afterInit, _ := strings.Cut(section, "After `track init`")
	beforeInit, existing, _ := strings.Cut(section, "For tables that already exist")
	p.suffix = "_" + schema
	own := strings.NewReplacer("growth", schema, "reader", "reader"+p.suffix, "recorder", "recorder"+p.suffix)
	statement := regexp.MustCompile(`(?m)^    (?:CREATE|GRANT|ALTER|REVOKE) .*;$`)
	read := func(text string, want int) []string {
		found := statement.FindAllString(own.Replace(text), -1)
		if len(found) != want {
			t.Fatalf("the page has %d statements, want %d: %s", len(found), want, text)
		}
		return found
	}
	p.beforeInit, p.existing, p.afterInit = read(beforeInit, 5), read(existing, 2), read(afterInit, 2)
	return p
}

// The statements of the page let a reader ask everything and write nothing, and let a recorder record but not drop.
func TestRolesPostgres(t *testing.T) {
	server := postgresServer(t)
	owner := testpostgres.Schema(t, server)
	_, schema, _ := strings.Cut(owner, "search_path=")
	schema, _, _ = strings.Cut(schema, "&")
	page := readPageOfRoles(t, schema)
	t.Cleanup(func() {
		for _, role := range []string{"reader", "recorder"} {
			if err := testpostgres.Exec(server, "DROP OWNED BY "+role+page.suffix+" CASCADE; DROP ROLE "+role+page.suffix); err != nil {
				t.Error(err)
			}
		}
	})
	execAll := func(statements []string) {
		t.Helper()
		for _, statement := range statements {
			if err := testpostgres.Exec(owner, statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"s.yaml": "scenario: s\nmetrics:\n- {name: a, type: RANGE, min: 0, max: 1}\n", "v.json": `{"a":0.25}`, "p.md": "A prompt.",
	})
	reader := testpostgres.With(t, owner, map[string]string{"user": "reader" + page.suffix})
	recorder := testpostgres.With(t, owner, map[string]string{"user": "recorder" + page.suffix})

	execAll(page.beforeInit)
	mustTrackWith(t, dir, owner, "init")
	execAll(page.afterInit)
	for i, args := range [][]string{
		{"spec", "add", "s.yaml"}, {"record", "seed", "--scenario", "s", "--seed", "1", "v.json"}, {"lineage", "new", "l", "--root", "p.md"},
		{"record", "execution", "--lineage", "l", "--key", "k", "--output", "v.json"}, {"note", "s", "A note."}, {"baseline", "set", "s", "--reason", "r"},
		{"sweep", "--scenario", "s", "--seeds", "0..5", "--", "sh", "-c", `echo '{"a":0.5}'`}, {"rescore", "s"}, {"search", "prompt"}, {"prune", "series", "--keep", "1"},
	} {
		if i < 6 {
			if _, errOut, code := trackWith(t, dir, reader, args...); code != exitInternal || !strings.Contains(errOut, "the user has no right to do that") {
				t.Errorf("track %s as reader: exit code %d: %s", strings.Join(args, " "), code, errOut)
			}
		}
		mustTrackWith(t, dir, recorder, args...)
	}
	execAll(page.existing)
	execAll(page.afterInit)
	for _, args := range [][]string{
		{"stability", "s"}, {"seeds"}, {"show", "seed", "s", "1"}, {"history", "s"}, {"history", "s", "--metric", "a"}, {"spec", "list"}, {"spec", "show", "s"}, {"sweep", "list"},
		{"executions"}, {"lineage", "list"}, {"lineage", "show", "l"}, {"search", "prompt"}, {"check"}, {"check"}, {"noise", "s"}, {"query", "SELECT * FROM v_seed"},
		{"report", "index", "-o", "index.html"}, {"export", "lines", "-o", "all.jsonl"}, {"replay"}, {"series", "list", "s", "1"}, {"hook", "status"},
	} {
		mustTrackWith(t, dir, reader, args...)
	}
	for _, statement := range []string{"DROP TABLE seed", "ALTER TABLE seed ADD COLUMN x int", "TRUNCATE seed", "CREATE TABLE x (id int)", "DELETE FROM goose_db_version"} {
		for _, role := range []string{reader, recorder} {
			if err := testpostgres.Exec(role, statement); err == nil || !strings.Contains(err.Error(), "42501") {
				t.Errorf("%s: %v, want that it is refused", statement, err)
			}
		}
	}
}
