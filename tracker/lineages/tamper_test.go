package lineages_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/store"
	"track/tracker/lineages"
)

// forger edits a database behind the back of track, and puts it back as it was.
type forger struct {
	t    testing.TB
	st   *store.Store
	conn *sql.Conn
	lax  bool // replays are not also strict, which takes twice as long
	n    int  // forgeries until now
}

// ledgerTables are all that a lineage consists of.
var ledgerTables = []string{"lineage", "version", "ledger", "mutation", "mutation_parent"}

// forgedLineage is a lineage with something of each kind, in a database that a forger has opened.
func forgedLineage(t testing.TB) (*loop, *forger) {
	t.Helper()
	testdb.OnlySQLite(t, "its database is a file")
	path := testdb.NewFile(t)
	st, err := store.Open(t.Context(), path, testdb.Clock)
	if err != nil {
		t.Fatal(err)
	}
	l := newLoop(t, st, func(s *evolution.Settings) {
		s.Loop.MinBetween, s.Loop.StableMean, s.Failures = 0, 101, evolution.FailuresExclude
	})
	if s := l.Next(); len(l.Entries()) != 2 {
		t.Fatalf("no consideration: %+v", s)
	}
	first := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{Note: "a note", CostUSD: pointer(0.5), Operator: "step_reorder"})
	l.Run("v001", 60, 61)
	l.Run("v002", 62, 63)
	l.Fail("v002", track.ExecutionTimeout, 1)
	if r := l.Decide(first.Key, answer.DecideQuestion{}); !r.Record.Decision.Accepted {
		t.Fatalf("%+v", r.Record.Decision)
	}
	l.Set(func(s *evolution.Settings) {
		s.Policy, s.Params = "greedy", []byte(`{"eps":0.5}`)
	})
	crossover := l.Propose(lineagetest.Text("German"), answer.ProposeQuestion{Parents: []string{"v002", "v001"}, ID: "crossing"})
	l.Run("v003", 50, 51)
	l.Decide(crossover.Key, answer.DecideQuestion{})
	l.Run("v003", 80)
	l.Run("v002", 61)
	l.Decide(crossover.Key, answer.DecideQuestion{})
	if r := l.Propose("x", answer.ProposeQuestion{}); len(r.Refusals) == 0 {
		t.Fatal("not refused")
	}
	if _, err := lineages.Withdraw(t.Context(), st, "l", l.Propose(lineagetest.Text("Dutch"), answer.ProposeQuestion{}).Key, "why not", testdb.Clock()); err != nil {
		t.Fatal(err)
	}
	l.Rollback(answer.RollbackQuestion{To: "v001", Reason: "by way of trial"})
	l.Decide(crossover.Key, answer.DecideQuestion{Policy: evolution.Greedy{Eps: 90}})
	if got, want := l.Kinds(), "creation consideration proposal decision settings proposal decision decision refusal proposal withdrawal rollback decision"; got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	l.CheckReplay()
	if err := st.Close(); err != nil { // so that all is in one file
		t.Fatal(err)
	}
	original, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(t.TempDir(), "original.db")
	if err := os.WriteFile(kept, original, 0o666); err != nil {
		t.Fatal(err)
	}
	l.Store = testdb.Open(t, path)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	f := &forger{t: t, st: l.Store}
	if f.conn, err = db.Conn(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = f.conn.Close()
		_ = db.Close()
	})
	f.exec("PRAGMA synchronous = OFF")
	f.exec("PRAGMA ignore_check_constraints = ON")
	f.exec("ATTACH ? AS original", kept)
	return l, f
}

func (f *forger) exec(query string, args ...any) {
	f.t.Helper()
	result, err := f.conn.ExecContext(context.Background(), query, args...)
	if err != nil {
		f.t.Fatalf("%s %v: %v", query, args, err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 && (strings.HasPrefix(query, "UPDATE") || strings.HasPrefix(query, "DELETE FROM ledger WHERE")) {
		f.t.Fatalf("%s %v: %d rows, %v", query, args, n, err)
	}
}

// found replays after statements, and takes these back.
func (f *forger) found(lineage string, statements ...string) []evolution.Difference {
	f.t.Helper()
	for _, s := range statements {
		f.exec(s)
	}
	defer func() {
		f.t.Helper()
		f.exec("BEGIN")
		for _, table := range ledgerTables {
			f.exec("DELETE FROM main." + table)
			f.exec("INSERT INTO main." + table + " SELECT * FROM original." + table)
		}
		f.exec("COMMIT")
	}()
	r, err := lineages.Replay(f.t.Context(), f.st.Reader, lineage, answer.ReplayQuestion{})
	if err != nil {
		f.t.Errorf("%s: %v", strings.Join(statements, "; "), err)
	}
	if f.n++; !testing.Short() || f.n%8 == 0 { // which read the same ledger
		f.otherModes(lineage, strings.Join(statements, "; "), r)
	}
	if f.lax {
		return r.Differences
	}
	if strict, err := lineages.Replay(f.t.Context(), f.st.Reader, lineage, answer.ReplayQuestion{Strict: true}); err != nil || len(strict.Differences) < len(r.Differences) {
		f.t.Errorf("%s, strictly: %v, %v", strings.Join(statements, "; "), strict.Differences, err)
	}
	return r.Differences
}

// otherModes holds that a replay with a counterfactual, and one of each decision, find what the plain replay finds, and
// fail of nothing.
func (f *forger) otherModes(lineage, forgery string, plain lineages.ReplayReport) {
	f.t.Helper()
	r, err := lineages.Replay(f.t.Context(), f.st.Reader, lineage, answer.ReplayQuestion{Counterfactual: evolution.Greedy{}})
	if err != nil || !slices.Equal(r.Differences, plain.Differences) || len(r.Alternatives) != plain.Decisions {
		f.t.Errorf("%s, with a counterfactual: %v, %d of %d decisions, %v", forgery, r.Differences, len(r.Alternatives), plain.Decisions, err)
	}
	numbers := []string{"4", "7", "13"}
	if f.lax {
		numbers = numbers[1:2]
	}
	for _, number := range numbers {
		switch r, err := lineages.ReplayLineages(f.t.Context(), f.st.Reader, answer.ReplayQuestion{Lineage: lineage, Decision: number}); {
		case errors.Is(err, track.ErrNotFound) && len(plain.Differences) == 0: // of a sound ledger that ended earlier
		case err != nil:
			f.t.Errorf("%s, decision %s: %v", forgery, number, err)
		case !slices.Equal(r.Items[0].Differences, plain.Differences):
			f.t.Errorf("%s, decision %s: %v", forgery, number, r.Items[0].Differences)
		case (r.Decision.Decision == nil) != (r.Decision.Problem != ""):
			f.t.Errorf("%s, decision %s: decision %v, problem %s", forgery, number, r.Decision.Decision, r.Decision.Problem)
		}
	}
}

func (f *forger) column(query string, args ...any) (list []string) {
	f.t.Helper()
	rows, err := f.conn.QueryContext(context.Background(), query, args...)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			f.t.Fatal(err)
		}
		list = append(list, s)
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	return list
}

// namesEntry says whether an entry is named: by its number, or, where it is gone, by the entry after it or the end.
func namesEntry(list []evolution.Difference, number int) bool {
	return slices.ContainsFunc(list, func(d evolution.Difference) bool {
		return d.Number == number || d.Number == number+1 && (d.Field == "number" || d.Field == "prev") || d.Number == number-1 && d.Field == "end"
	})
}

func namesKind(list []evolution.Difference, kind evolution.Kind, mutation, field string) bool {
	return slices.ContainsFunc(list, func(d evolution.Difference) bool {
		return d.Kind == kind && d.Mutation == mutation && strings.HasPrefix(d.Field, field)
	})
}

// columns are all columns of the tables of a lineage, and another value of each. A new column belongs here.
var columns = map[string]map[string]string{
	"ledger": {
		"lineage_id": "lineage_id + 1000", "number": "number + 100", "kind": "CASE kind WHEN 'proposal' THEN 'refusal' ELSE 'proposal' END",
		"mutation": "'m-0123456789abcdef'", "attempt": "coalesce(attempt, 2) + 7", "at": "at + 1", "head_before": "'v009'",
		"head_after": "'v009'", "body": "json_set(body, '$.reason', 'another', '$.note', 'another', '$.override', json('true'), '$.executions', 99)",
		"prev": "hex(randomblob(32))", "hash": "lower(hex(randomblob(32)))",
	},
	"mutation": {
		"id": "id + 1000", "lineage_id": "lineage_id + 1000", "key": "key || 'x'", "number": "number + 100",
		"child_id": "(SELECT min(id) FROM version WHERE name <> '' AND id <> child_id)", "operator": "operator || 'x'",
		"risk": "CASE risk WHEN 'LOW' THEN 'HIGH' ELSE 'LOW' END", "note": "coalesce(note, '') || 'x'", "cost_usd": "coalesce(cost_usd, 0) + 0.25",
		"source": "coalesce(source, '') || 'x'", "state": "CASE state WHEN 'rejected' THEN 'accepted' ELSE 'rejected' END", "n_attempts": "n_attempts + 1",
		"delta": "coalesce(delta, 0) + 1", "proposed_at": "proposed_at + 1",
	},
	"mutation_parent": {
		"mutation_id": "mutation_id + 1000", "position": "position + 7", // of two parents the first: it is the second then
		"version_id": "(SELECT max(id) FROM version WHERE id <> version_id)",
	},
	"lineage": {
		"id": "id + 1000", "name": "'renamed'", "seed": "seed + 1", "subject": "'scenario:s'",
		"head_id": "(SELECT max(id) FROM version WHERE id <> head_id)", "n_entries": "n_entries + 1", "last_hash": "lower(hex(randomblob(32)))",
		"keep_text": "1 - keep_text", "trials_elsewhere": "trials_elsewhere + 1", "created_at": "created_at + 1", "checksum": "zeroblob(32)",
	},
	"version": {
		"id": "id + 1000", "lineage_id": "lineage_id + 1000", "name": "name || 'x'", "content": "coalesce(content, '') || 'x'",
		"content_digest": "randomblob(32)", "created_at": "created_at + 1", "parent_id": "(SELECT max(id) FROM version WHERE id <> coalesce(parent_id, 0))",
		"operator": "coalesce(operator, '') || 'x'", "status": "coalesce(status, '') || 'x'", "note": "coalesce(note, '') || 'x'",
		"source": "coalesce(source, '') || 'x'", "source_score": "coalesce(source_score, 0) + 0.25",
		"source_parent_score": "coalesce(source_parent_score, 0) + 0.25", "masking": "coalesce(masking, 0) + 1",
		"source_created_at": "coalesce(source_created_at, 0) + 1", "checksum": "zeroblob(32)",
	},
}

// where are the rows that are edited, and what names each.
var where = map[string]string{
	"ledger": "SELECT number FROM ledger ORDER BY number", "mutation": "SELECT key FROM mutation ORDER BY number", "mutation_parent": "SELECT DISTINCT mutation_id FROM mutation_parent ORDER BY 1",
	"lineage": "SELECT name FROM lineage", "version": "SELECT name FROM version ORDER BY id",
}

// Each column of each row of a lineage, edited in SQL, is found, and the row is named.
func TestTamperedColumns(t *testing.T) {
	l, f := forgedLineage(t)
	if list := f.found("l"); len(list) > 0 {
		t.Fatalf("before anything was done: %v", list)
	}
	for _, table := range ledgerTables {
		listed := columns[table]
		there := f.column("SELECT name FROM pragma_table_info(?)", table)
		for _, column := range there {
			forged, ok := listed[column]
			if !ok {
				t.Errorf("%s.%s is new: edit it here", table, column)
				continue
			}
			for _, row := range f.column(where[table]) {
				lineage := "l"
				condition := map[string]string{"ledger": "number = ", "mutation": "key = ", "mutation_parent": "position = 0 AND mutation_id = ", "lineage": "name = ", "version": "name = "}[table] + "'" + row + "'"
				if table == "mutation_parent" && column == "position" && len(f.column("SELECT position FROM mutation_parent WHERE mutation_id = ?", row)) < 2 {
					continue // a place among one
				}
				if table == "lineage" && column == "name" {
					lineage = "renamed"
				}
				list := f.found(lineage, fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s", table, column, forged, condition))
				var named bool
				switch table {
				case "ledger":
					n := slices.IndexFunc(l.Entries(), func(e evolution.Entry) bool { return fmt.Sprint(e.Number) == row }) + 1
					named = namesEntry(list, n) || column == "number" && namesEntry(list, n+100)
				case "mutation":
					named = namesKind(list, "mutation", row, "")
				case "mutation_parent":
					named = namesKind(list, "mutation", f.column("SELECT key FROM mutation WHERE id = ?", row)[0], "parents")
				case "lineage":
					named = namesKind(list, "lineage", "", "") || slices.ContainsFunc(list, func(d evolution.Difference) bool { return d.Field == "end" || d.Field == "hash" })
				case "version":
					named = namesKind(list, "version", "", row) || column == "id" && len(list) > 0 || // what refers to it is named
						slices.ContainsFunc(list, func(d evolution.Difference) bool { return strings.HasPrefix(d.Field, "version "+row+" of ") })
				}
				if !named {
					t.Errorf("%s.%s of %s: %v", table, column, row, list)
				}
			}
		}
		if len(there) != len(listed) {
			t.Errorf("%s has the columns %v", table, there)
		}
	}
	for name, statement := range map[string]string{
		"a seed taken away":       "UPDATE lineage SET seed = NULL",
		"a head taken away":       "UPDATE lineage SET head_id = NULL",
		"an end taken away":       "UPDATE lineage SET n_entries = 0, last_hash = ''",
		"a content taken away":    "UPDATE version SET content = NULL WHERE name = 'v002'",
		"and its digest":          "UPDATE version SET content = NULL, content_digest = NULL WHERE name = 'v002'",
		"both another":            "UPDATE version SET content = 'x', content_digest = unhex('2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881') WHERE name = 'v002'",
		"a parent taken away":     "DELETE FROM mutation_parent WHERE position = 1",
		"all parents taken away":  "DELETE FROM mutation_parent",
		"a mutation taken away":   "DELETE FROM mutation WHERE key = 'crossing'",
		"a version taken away":    "DELETE FROM version WHERE name = 'v003'",
		"all entries taken away":  "DELETE FROM ledger",
		"no parents in the entry": "UPDATE ledger SET body = json_set(body, '$.parents', json('[]')) WHERE kind = 'proposal'",
		"a mutation more":         "INSERT INTO mutation SELECT id + 1000, lineage_id, 'more', number + 100, child_id, operator, risk, note, cost_usd, source, state, n_attempts, delta, proposed_at FROM mutation WHERE key = 'crossing'",
	} {
		if list := f.found("l", statement); len(list) == 0 {
			t.Errorf("%s: nothing found", name)
		}
	}
}

// Each value of each body, edited in SQL, is found, and the entry is named; so is a body that cannot be read.
func TestTamperedBodies(t *testing.T) {
	_, f := forgedLineage(t)
	f.lax = true
	n := 0
	for _, number := range f.column("SELECT number FROM ledger") {
		for _, body := range []string{"'{'", "''", "json_set(body, '$.x', 1)", "body || body", "'null'", "'[]'", "'{}'", "'\"x\"'"} {
			list := f.found("l", "UPDATE ledger SET body = "+body+" WHERE number = "+number)
			if !slices.ContainsFunc(list, func(d evolution.Difference) bool { return fmt.Sprint(d.Number) == number }) {
				t.Errorf("entry %s: body %s: %v", number, body, list)
			}
		}
		for _, path := range f.column("SELECT fullkey FROM ledger, json_tree(body) WHERE ledger.number = ? AND json_tree.type NOT IN ('object', 'array')", number) {
			n++
			list := f.found("l", fmt.Sprintf(`UPDATE ledger SET body = json_set(body, %[1]s, CASE json_type(body, %[1]s)
				WHEN 'true' THEN json('false') WHEN 'false' THEN json('true') WHEN 'null' THEN 1 WHEN 'text' THEN body ->> %[1]s || '1' ELSE (body ->> %[1]s) + 0.01 END)
				WHERE number = %[2]s`, "'"+path+"'", number))
			if !slices.ContainsFunc(list, func(d evolution.Difference) bool { return fmt.Sprint(d.Number) == number && d.Field == "hash" }) {
				t.Errorf("entry %s: %s: %v", number, path, list)
			}
		}
	}
	if n < 300 {
		t.Errorf("only %d values", n)
	}
}

// What counts of a decision is named by its own name, not by the hash alone.
func TestTamperedDecision(t *testing.T) {
	_, f := forgedLineage(t)
	for path, c := range map[string]struct{ value, field string }{
		"$.decision.delta":             {"7", `decision\.delta`},
		"$.decision.label":             {"'significant_improvement'", `decision\.label`},
		"$.decision.accepted":          {"json('false')", `decision\.accepted`},
		"$.decision.noise.sd":          {"0.1", `decision\.noise\.sd`},
		"$.evidence.child[0].score":    {"99", `decision\.new_score`},
		"$.evidence.parent[1].score":   {"1", `decision\.old_score`},
		"$.evidence.since":             {"'2026-01-01T00:00:00Z'", `evidence\.since`},
		"$.draw.u":                     {"0.5", `draw\.u`},
		"$.draw.raw":                   {"'0123456789abcdef'", `draw\.raw`},
		"$.draw.seed":                  {"'43'", `draw\.seed`},
		"$.draw.lineage":               {"'other'", `draw\.lineage`},
		"$.draw.label":                 {"'mutate'", `draw\.label`},
		"$.draw.attempt":               {"1", `draw\.attempt`},
		"$.policy":                     {"'greedy'", `policy|params`},
		"$.params.significant":         {"1", `policy`},
		"$.settings":                   {"2", `settings`},
		"$.override":                   {"json('true')", `override`},
		"$.attempt":                    {"1", `attempt`},
		"$.mutation":                   {"'crossing'", `mutation`},
		"$.decision.used_child[0].key": {"'t9'", `decision\.used_child\[0\]\.key`},
	} {
		list := f.found("l", fmt.Sprintf("UPDATE ledger SET body = json_set(body, '%s', %s) WHERE number = 4", path, c.value))
		if !slices.ContainsFunc(list, func(d evolution.Difference) bool {
			return d.Number == 4 && regexp.MustCompile(c.field).MatchString(d.Field)
		}) {
			t.Errorf("%s: %v", path, list)
		}
	}
}

// Rows that are deleted, or invented. Where the last row goes together with the end that the lineage keeps, what is
// left is a sound ledger that ended earlier: only somebody who kept the end, as each command shows it, can tell.
func TestTamperedRows(t *testing.T) {
	l, f := forgedLineage(t)
	end := l.Entries()[12]
	for n := 1; n <= 13; n++ {
		if list := f.found("l", fmt.Sprintf("DELETE FROM ledger WHERE number = %d", n)); !namesEntry(list, n) {
			t.Errorf("without entry %d: %v", n, list)
		}
	}
	for name, statements := range map[string][]string{
		"a decision more": {"INSERT INTO ledger SELECT lineage_id, 14, kind, mutation, attempt + 1, at, head_after, head_after, body, hash, lower(hex(randomblob(32))) FROM ledger WHERE number = 13"},
		"and the end with it": {
			"INSERT INTO ledger SELECT lineage_id, 14, kind, mutation, attempt + 1, at, head_after, head_after, json_set(body, '$.attempt', attempt + 1), hash, lower(hex(randomblob(32))) FROM ledger WHERE number = 13",
			"UPDATE lineage SET n_entries = 14, last_hash = (SELECT hash FROM ledger WHERE number = 14)",
			"UPDATE mutation SET n_attempts = n_attempts + 1 WHERE key = 'crossing'",
		},
	} {
		if list := f.found("l", statements...); !slices.ContainsFunc(list, func(d evolution.Difference) bool { return d.Number == 14 }) {
			t.Errorf("%s: %v", name, list)
		}
	}
	cut := []string{
		"DELETE FROM ledger WHERE number = 13", "UPDATE lineage SET n_entries = 12, last_hash = (SELECT hash FROM ledger WHERE number = 12)",
		"UPDATE mutation SET n_attempts = 2, state = (SELECT body ->> '$.decision.state' || 'ed' FROM ledger WHERE number = 8), delta = (SELECT body ->> '$.decision.delta' FROM ledger WHERE number = 8) WHERE key = 'crossing'",
	}
	if list := f.found("l", cut...); len(list) > 0 {
		t.Errorf("a ledger that ended earlier: %v", list)
	}
	for _, s := range cut {
		f.exec(s)
	}
	if d, err := lineages.CheckEnd(t.Context(), l.Store.Reader, "l", evolution.Head{Number: 13, Hash: end.Hash}); err != nil || d == nil || d.Number != 13 {
		t.Errorf("the end that was kept: %v %v", d, err)
	}
}
