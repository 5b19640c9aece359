package store_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/migrations"
	"track/store"
)

// needle is in every text of addTexts.
const needle = "NEEDLE "

// addTexts records executions with texts of many sizes, so that SQLite moves them from page to page.
func addTexts(t testing.TB, st *store.Store, n int) (ids []string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	text := func() *track.RecordedText {
		s := strings.Repeat(needle, 1+random.IntN(60))
		if random.IntN(4) == 0 {
			s = strings.Repeat(s, 30)
		}
		return &track.RecordedText{Digest: sha256.Sum256([]byte(s)), Bytes: len(s), Text: &s}
	}
	for i := range n {
		id := fmt.Sprintf("%026d", i)
		ids = append(ids, id)
		e := store.ExecutionRecord{Execution: track.Execution{ID: id, Lineage: "l", Key: fmt.Sprint(random.Uint64()), Status: track.ExecutionOK, Message: needle}, RecordedAt: st.Now()}
		e.Output = text()
		for range random.IntN(20) {
			e.Calls = append(e.Calls, track.ToolCall{Tool: "Bash", Answered: true, Error: needle})
			e.Inputs, e.Outputs = append(e.Inputs, *text()), append(e.Outputs, text())
		}
		e.Scores = append(e.Scores, track.RecordedScore{Rubric: "rubric/2", Detail: []byte(*text().Text), ScoredAt: st.Now()})
		err := st.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.AddExecution(e)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

// found counts the needles in the files of a database.
func found(t testing.TB, path string) (n int) {
	t.Helper()
	for _, suffix := range []string{"", "-wal", "-journal"} {
		data, err := os.ReadFile(path + suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		n += bytes.Count(data, []byte(needle))
	}
	return n
}

// Forgetting leaves no copy in the files, though SQLite moves what it stores about; what stays tells when it was first
// forgotten.
func TestForgetBytes(t *testing.T) {
	path := newDatabase(t)
	now := clock()
	st, err := store.Open(t.Context(), path, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	ids := addTexts(t, st, 200)
	if n := found(t, path); n < 10_000 {
		t.Fatalf("%d copies before, so that nothing is tested", n)
	}
	if err := st.Forget(t.Context(), ids...); err != nil {
		t.Fatal(err)
	}
	if n := found(t, path); n != 0 {
		t.Errorf("%d copies are left while the database is open", n)
	}
	now = now.Add(time.Hour)
	if err := st.Forget(t.Context(), ids[0]); err != nil {
		t.Fatal(err)
	}
	d, err := st.Execution(t.Context(), ids[0])
	if err != nil || !d.ForgottenAt.Equal(clock().Truncate(time.Microsecond)) {
		t.Errorf("forgotten at %v, error %v, want the first time", d.ForgottenAt, err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if n := found(t, path); n != 0 {
		t.Errorf("%d copies are left after the database was closed", n)
	}
}

// A reader in the middle of something holds the old pages; whoever forgets is told.
func TestForgetWhileRead(t *testing.T) {
	t.Parallel() // it waits for the reader as long as a lock is waited for
	path := newDatabase(t)
	st := openDatabase(t, path)
	ids := addTexts(t, st, 3)
	err := st.Snapshot(t.Context(), func(snapshot *store.Reader) error {
		if _, err := snapshot.Lineages(t.Context()); err != nil {
			return err
		}
		if err := st.Forget(t.Context(), ids...); !errors.Is(err, track.ErrDatabase) || len(track.Hints(err)) == 0 {
			t.Errorf("%v, want ErrDatabase and what to do", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Forget(t.Context(), ids...); err != nil {
		t.Fatal(err)
	}
	if n := found(t, path); n != 0 {
		t.Errorf("%d copies are left", n)
	}
}

// The migration to executions leaves the seeds, results and series as they are.
func TestMigrateToExecutions(t *testing.T) {
	path := newDatabase(t)
	st, err := store.Open(t.Context(), path, clock)
	if err != nil {
		t.Fatal(err)
	}
	ok := track.Seed{Scenario: "s", Number: 2, Outcome: track.OutcomeOK, Values: map[string]float64{"m": 0.5}}
	if err := errors.Join(record(t, st, failed(1), ok), st.Close()); err != nil {
		t.Fatal(err)
	}
	down(t, path, 5)
	if tables := scan[int](t, path, "SELECT count(*) FROM sqlite_schema WHERE name IN ('execution', 'call', 'lineage')"); tables != 0 {
		t.Fatalf("%d tables of executions in schema 5", tables)
	}
	before := dump(t, path)
	if len(before) < 8 {
		t.Fatalf("tables %v", before)
	}
	if _, err := store.Open(t.Context(), path, clock); !errors.Is(err, track.ErrDatabase) || !strings.Contains(fmt.Sprint(track.Hints(err)), "migrate db=") {
		t.Errorf("schema 5: %v, want a hint to migrate", err)
	}
	backup, err := store.Migrate(t.Context(), path, clock())
	if err != nil || filepath.Dir(backup) != filepath.Dir(path) {
		t.Fatalf("backup %q, error %v", backup, err)
	}
	after := dump(t, path)
	for table, rows := range before {
		if diff := cmp.Diff(rows, after[table]); diff != "" {
			t.Errorf("%s (-before +after):\n%s", table, diff)
		}
	}
	if diff := cmp.Diff(before, dump(t, backup)); diff != "" {
		t.Errorf("the backup (-before +after):\n%s", diff)
	}
	st = openDatabase(t, path)
	addTexts(t, st, 1)
	if list, err := st.Executions(t.Context(), store.ExecutionFilter{}); err != nil || len(list) != 1 {
		t.Errorf("%d executions and error %v, want 1", len(list), err)
	}
}

// down takes the migrations back until the schema has a version.
func down(t testing.TB, path string, version int) {
	t.Helper()
	files, err := migrations.SQLite()
	if err != nil {
		t.Fatal(err)
	}
	for n := migrations.Latest; n > version; n-- {
		names, err := fs.Glob(files, fmt.Sprintf("%05d_*", n))
		if err != nil || len(names) != 1 {
			t.Fatalf("migration %d: %v, %v", n, names, err)
		}
		text, err := fs.ReadFile(files, names[0])
		if err != nil {
			t.Fatal(err)
		}
		_, undo, _ := strings.Cut(string(text), "-- +goose Down")
		raw(t, path, undo, fmt.Sprintf("DELETE FROM goose_db_version WHERE version_id = %d", n), fmt.Sprintf("PRAGMA user_version = %d", n-1))
	}
}

// dump returns every row of every table but that of goose.
func dump(t testing.TB, path string) map[string][]string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	tables := column(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite%'")
	rows := map[string][]string{}
	for _, table := range tables {
		columns := column(t, db, fmt.Sprintf("SELECT 'quote(' || name || ')' FROM pragma_table_info('%s')", table))
		rows[table] = column(t, db, fmt.Sprintf("SELECT %s FROM %s", strings.Join(columns, " || ',' || "), table))
	}
	return rows
}

func column(t testing.TB, db *sql.DB, query string) (list []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}
