package integrity_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"track/answer"
	"track/internal/testdb"
	"track/store"
	"track/tracker/integrity"
	"track/tracker/lineages"
	"track/tracker/seeds"
)

// unseen are columns that may be changed without that anything finds it, and why. A column that is neither here nor
// found fails the test.
var unseen = []struct{ table, columns, reason string }{
	{"activation", "rubric", "the stored fitness counts as unknown, and is computed anew by the next change of the lineage"},
	{"actor", "name", "who recorded something is what the environment said; nothing follows from it"},
	{"annotation", "id ulid kind removed scenario_id subject note actor_id at", "notes and tags are words beside the records; no verdict follows from them"},
	{"baseline", "id ulid scenario_id configuration_id previous_id reason actor_id set_at", "an answer names the configuration that it compares with, and a seed cannot be put in its place"},
	{"damage", "digest", "an import that meets this damage again would report it again, and not count it"},
	{"epoch", "id name made_at", "another name lets clients send again what the database has"},
	{"hook_arrival", "name n last_at", "counts for `track hook status`, of which nothing follows"},
	{"hook_event", "id session agent name key at received_at lineage version execution settled_at body", "on its way: the execution that it becomes has a checksum, and the event is deleted"},
	{"look", "id ulid kind question evidence n plan anytime verdict actor_id looked_at", "the seeds have digests; how often somebody looked at them has none"},
	{"repetition", "id ulid seed_id sweep_id digest differences repeated_at", "the seed that was repeated has a digest; `track repeat` runs it again"},
	{"run", "seed_id attempt exit_code signal stderr_id cpu_us rss_bytes", "how a program ended; what it measured has a digest"},
	{"scenario", "created_at", "in no answer"},
	{"scenario_configuration", "id", "an order of lists"},
	{"seed", "actor_id", "who recorded something is what the environment said; nothing follows from it"},
	{"series_chunk", "position", "a gap before the first chunk: the order of chunks, and their numbers, are under the hash"},
	{"series_content", "pruned_at", "when numbers were deleted; their hash stays"},
	{"spec", "title actor_id created_at", "the document, with its title, has a hash; the rest is in no verdict"},
	{"sweep", "scenario_id shard n_shards environment_id changes_id libraries_id actor_id started_at ended_at ending code_changed withdrawn_at", "the plan and the seeds have digests; how the sweep went has none"},
	{"sweep_configuration", "position", "the order of the grid"},
	{"sweep_seeds", "first last", "the plan of the sweep has a digest; the seeds that it came to have none"},
	{"spool", "ulid through refused actor_id changed_at", "what a client has sent; the records have digests, and sending them again changes nothing"},
	{"token", "name hash scopes scenarios lineages actor_id created_at expires_at revoked_at used_at", "who may ask a server; whoever can write the file needs none"},
	{"token_quota", "max_records max_bytes", "how much somebody may record; whoever can write the file needs no token"},
	{"token_use", "day writer records bytes", "counts for the quota of a token; whoever can write the file needs no token"},
	{"tombstone", "id ulid digest identity reason at", "it keeps texts away that are no longer there to be compared"},
	{"withdrawal", "id ulid scenario_id reason actor_id at", "`track check` compares what is withdrawn with it, not its words"},
}

// reasonFor returns why a column may be changed unseen; empty if it may not.
func reasonFor(table, column string) string {
	for _, u := range unseen {
		if u.table == table && slices.Contains(strings.Fields(u.columns), column) {
			return u.reason
		}
	}
	return ""
}

// another are other values of columns of which the rule of their type would make an impossible one, or none that
// differs.
var another = map[string]string{
	"seed.outcome": "'timeout'", "execution.status": "'error'", "mutation.risk": "CASE risk WHEN 'LOW' THEN 'HIGH' ELSE 'LOW' END",
	"mutation.state": "CASE state WHEN 'rejected' THEN 'accepted' ELSE 'rejected' END", "withdrawal.kind": "'configuration'", "withdrawal.action": "'restored'",
	"look.kind": "'improvement'", "look.plan": "'[1]'", "annotation.kind": "'tag'", "sweep.ending": "'decided'", "lineage.subject": "'scenario:s'",
	"activation.rubric": "'rubric/9'", "ledger.kind": "'refusal'", "repetition.differences": `'["x"]'`,
	"execution.ulid": anotherULID, "seed.ulid": anotherULID, "sweep.ulid": anotherULID, "baseline.ulid": anotherULID, "annotation.ulid": anotherULID,
	"look.ulid": anotherULID, "repetition.ulid": anotherULID, "tombstone.ulid": anotherULID, "withdrawal.ulid": anotherULID,
}

const anotherULID = "'01ARZ3NDEKTSV4RRFFQ69G5FAV'"

// Each column of each table is changed in one row, and what finds it is listed in docs/reference/integrity.md.
func TestColumns(t *testing.T) {
	testdb.OnlySQLite(t, "it changes the file")
	f := newColumnForger(t)
	if found := f.find(); found != (findings{}) {
		t.Fatalf("found before anything was done: %+v", found)
	}
	var text strings.Builder
	for _, table := range f.texts("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%' AND name NOT LIKE 'text_index%' ORDER BY name") {
		groups := map[findings][]string{}
		var order []findings
		for _, column := range f.texts("SELECT name FROM pragma_table_info(?)", table) {
			name := table + "." + column
			reason := reasonFor(table, column)
			found := f.forge(table, column)
			switch {
			case found == findings{} && reason == "":
				t.Errorf("%s can be changed unseen: let a checksum or the ledger cover it, or say here why not", name)
			case found != findings{} && reason != "":
				t.Errorf("%s is found, by %+v: it needs no reason", name, found)
			}
			found.reason = reason
			if groups[found] == nil {
				order = append(order, found)
			}
			groups[found] = append(groups[found], column)
		}
		for _, found := range order {
			fmt.Fprintf(&text, "| %s | %s | %s | %s | %s | %s |\n", table, strings.Join(groups[found], ", "), mark(found.strict), mark(found.check), mark(found.read), found.reason)
		}
	}
	comparePage(t, text.String())
}

func mark(found bool) string {
	if found {
		return "yes"
	}
	return ""
}

// comparePage compares the table of the page with what was found.
func comparePage(t *testing.T, table string) {
	t.Helper()
	const page, header = "../../docs/reference/integrity.md", "|---|---|---|---|---|---|\n"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(data), header)
	if want := before + header + table; !ok || want != string(data) {
		if os.Getenv("UPDATE_GOLDEN") == "" {
			t.Fatalf("%s differs: run this test with UPDATE_GOLDEN=1", page)
		}
		if err := os.WriteFile(page, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// findings are what finds that a column was changed, or why nothing does.
type findings struct {
	strict, check, read bool
	reason              string
}

// columnForger changes columns of a database in SQL, and puts them back.
type columnForger struct {
	t          *testing.T
	st         *store.Store
	conn       *sql.Conn
	executions []string // their ULIDs
}

func newColumnForger(t *testing.T) *columnForger {
	path := everything(t)
	execute(t, path, "PRAGMA wal_checkpoint(TRUNCATE)")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	original := filepath.Join(t.TempDir(), "original.db")
	if err := os.WriteFile(original, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	f := &columnForger{t: t, st: testdb.Open(t, path)}
	if f.conn, err = db.Conn(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(f.conn.Close(), db.Close()) })
	for _, statement := range []string{"PRAGMA synchronous = OFF", "PRAGMA ignore_check_constraints = ON", "ATTACH '" + original + "' AS original"} {
		if _, err := f.conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	f.executions = f.texts("SELECT ulid FROM execution")
	return f
}

func (f *columnForger) texts(query string, args ...any) (list []string) {
	f.t.Helper()
	rows, err := f.conn.QueryContext(f.t.Context(), query, args...)
	if err != nil {
		f.t.Fatalf("%s: %v", query, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			f.t.Fatal(err)
		}
		list = append(list, text)
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	return list
}

// forge changes a column of one row, and returns what finds it.
func (f *columnForger) forge(table, column string) findings {
	f.t.Helper()
	key := strings.Join(f.texts("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", table), ", ")
	if key == "" {
		key = "rowid"
	}
	where := fmt.Sprintf(" WHERE (%[1]s) IN (SELECT %[1]s FROM %[2]s ORDER BY %[3]s IS NULL, %[1]s LIMIT 1)", key, table, column)
	if len(f.texts("SELECT 'a row' FROM "+table+where)) == 0 {
		f.t.Fatalf("no row of %s is recorded: add one in everything", table)
	}
	defer f.restore(table)
	var problem error
	for _, value := range f.values(table, column) {
		statement := fmt.Sprintf("UPDATE %s SET %s = %s%s", table, column, value, where)
		var result sql.Result
		if result, problem = f.conn.ExecContext(f.t.Context(), statement); problem != nil {
			continue // an index does not let it be
		}
		if n, err := result.RowsAffected(); err != nil || n != 1 {
			f.t.Fatalf("%s: %d rows, %v", statement, n, err)
		}
		if changed := f.texts(fmt.Sprintf("SELECT 'changed' FROM (SELECT * FROM %[1]s EXCEPT SELECT * FROM original.%[1]s)", table)); len(changed) == 0 {
			f.t.Fatalf("%s changes nothing", statement)
		}
		return f.find()
	}
	f.t.Fatalf("%s.%s: %v", table, column, problem)
	return findings{}
}

func (f *columnForger) restore(table string) {
	f.t.Helper()
	for _, statement := range []string{"BEGIN", "DELETE FROM main." + table, "INSERT INTO main." + table + " SELECT * FROM original." + table, "COMMIT"} {
		if _, err := f.conn.ExecContext(f.t.Context(), statement); err != nil {
			f.t.Fatalf("%s: %v", statement, err)
		}
	}
}

// values returns expressions of other values of a column: the first that the indexes allow is taken.
func (f *columnForger) values(table, column string) []string {
	if value, ok := another[table+"."+column]; ok {
		return []string{value}
	}
	kind := f.texts("SELECT type FROM pragma_table_info(?) WHERE name = ?", table, column)[0]
	target := f.texts(`SELECT "table" FROM pragma_foreign_key_list(?) WHERE "from" = ?`, table, column)
	if name, isID := strings.CutSuffix(column, "_id"); len(target) == 0 && isID && kind == "INTEGER" {
		target = []string{name}
	}
	if len(target) > 0 { // another row that is there
		return []string{fmt.Sprintf("(SELECT id FROM %s WHERE id <> coalesce(%s, 0) LIMIT 1)", target[0], column), column + " + 1000"}
	}
	switch {
	case len(f.texts(fmt.Sprintf("SELECT 'a number' FROM (SELECT min(%[2]s) AS lo, max(%[2]s) AS hi FROM %[1]s) WHERE lo >= 0 AND hi <= 1 AND typeof(hi) = 'integer'", table, column))) > 0:
		return []string{"1 - " + column, column + " + 1000"}
	case kind == "TEXT":
		return []string{fmt.Sprintf("coalesce(%s, '') || 'x'", column)}
	case kind == "BLOB":
		return []string{fmt.Sprintf("randomblob(coalesce(length(%s), 32))", column)}
	case column == "id":
		return []string{"id + 1000"}
	}
	return []string{fmt.Sprintf("coalesce(%s, 0) + 1", column), column + " + 1000"}
}

// find returns what finds damage.
func (f *columnForger) find() (found findings) {
	f.t.Helper()
	ctx := context.WithoutCancel(f.t.Context())
	a, err := integrity.Check(ctx, f.st, integrity.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	found.check = !a.Sound
	names, err := f.st.EvolvingNames(ctx)
	if err != nil {
		f.t.Fatal(err)
	}
	if len(names) != 1 {
		found.strict = true
	}
	for _, name := range names {
		report, err := lineages.Replay(ctx, f.st.Reader, name, lineages.ReplayOptions{Strict: true})
		found.strict = found.strict || err != nil || len(report.Differences) > 0
	}
	_, err = lineages.ShowLineage(ctx, f.st.Reader, answer.LineageQuestion{Lineage: "l"})
	found.read = err != nil
	_, err = lineages.ListVersions(ctx, f.st.Reader, answer.OptionalLineageQuestion{Lineage: "l"})
	found.read = found.read || err != nil
	_, err = seeds.JudgeStability(ctx, f.st.Reader, answer.StabilityQuestion{Of: answer.Selector{Scenario: "s"}})
	found.read = found.read || err != nil
	_, err = f.st.Seeds(ctx, store.SeedFilter{Scenario: "s"})
	found.read = found.read || err != nil
	for _, ulid := range f.executions {
		_, err := f.st.Execution(ctx, ulid)
		found.read = found.read || err != nil
	}
	return found
}
