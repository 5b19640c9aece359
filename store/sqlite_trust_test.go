//go:build !race

package store_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track"
	"track/store"
)

// VACUUM writes the schema in another order.
func TestSchemaAfterVacuum(t *testing.T) {
	path := newDatabase(t)
	raw(t, path, "VACUUM")
	works(t, path)
}

func many(format string, n int) (statements []string) {
	for i := range n {
		statements = append(statements, fmt.Sprintf(format, i))
	}
	return append(append([]string{"BEGIN"}, statements...), "COMMIT")
}

// What a database may hold besides the tables of track.
func TestForeignObjects(t *testing.T) {
	path := newDatabase(t)
	raw(t, path, "CREATE TABLE notes (id INTEGER PRIMARY KEY, text, upper AS (upper(text)))", "CREATE INDEX notes_text ON notes (text)",
		"CREATE VIEW mine AS SELECT * FROM v_seed", `CREATE TABLE "seed 2" (x)`, "ANALYZE")
	works(t, path)
}

// A file that would do something else than it seems is refused by every door, and is as it was before.
func TestUntrustedFiles(t *testing.T) {
	endless := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS scenario FROM n"
	forge := "PRAGMA writable_schema = ON"
	for _, tt := range []struct {
		name       string
		statements []string
		want       string
	}{
		{"trigger", []string{"CREATE TRIGGER t AFTER INSERT ON seed BEGIN DELETE FROM spec; END"}, "it has the trigger t"},
		{"trigger on a foreign table", []string{"CREATE TABLE x (a)", "CREATE TRIGGER t AFTER INSERT ON x BEGIN DELETE FROM seed; END"}, "it has the trigger t"},
		{"trigger with the name of a table", []string{"CREATE TRIGGER seed AFTER INSERT ON seed BEGIN DELETE FROM spec; END"}, "it has the trigger seed"},
		{"trigger that calls itself a table", []string{
			"CREATE TRIGGER t AFTER INSERT ON seed BEGIN DELETE FROM spec; END", forge, "UPDATE sqlite_schema SET type = 'table' WHERE name = 't'",
		}, "malformed database schema (t)"},
		{"endless view", []string{"DROP VIEW v_seed", "CREATE VIEW v_seed AS " + endless}, "its view v_seed differs"},
		{"view in the place of a table", []string{"ALTER TABLE environment RENAME TO hidden", "CREATE VIEW environment AS " + endless}, "its table"},
		{"view in other letters", []string{"DROP VIEW v_seed", "CREATE VIEW V_Seed AS " + endless}, "its view V_Seed differs"},
		{"column", []string{"ALTER TABLE seed ADD COLUMN x TEXT AS (hex(zeroblob(100000000)))"}, "its table seed differs"},
		{"check that takes its time", []string{
			forge, "UPDATE sqlite_schema SET sql = replace(sql, 'n_pass      INTEGER NOT NULL', 'n_pass INTEGER NOT NULL CHECK (length(hex(zeroblob(400000000))))') WHERE name = 'assessment'",
		}, "its table assessment differs"},
		{"index on an expression", []string{"CREATE INDEX slow ON seed (hex(zeroblob(400000000)))"}, "the index slow on the table seed"},
		{"index that names another table", []string{
			"CREATE TABLE x (a)", "CREATE INDEX slow ON seed (message)", forge, "UPDATE sqlite_schema SET tbl_name = 'x' WHERE name = 'slow'",
		}, "malformed database schema (slow)"},
		{"long statement", []string{"CREATE VIEW long AS SELECT '" + strings.Repeat("x", 200_000) + "'"}, "has 200"},
		{"many tables", many("CREATE TABLE t%d (a)", 1200), "more than 1000"},
		{"lost table", []string{"DROP TABLE spool"}, "damaged database: its schema lacks spool"},
		{"lost index", []string{"DROP INDEX seed_newest"}, "lacks seed_newest"},
	} {
		for door, enter := range doors {
			if door == "Init" { // reads nothing of a database that exists
				continue
			}
			t.Run(tt.name+"/"+door, func(t *testing.T) {
				path := newDatabase(t)
				raw(t, path, append(tt.statements, "PRAGMA wal_checkpoint(TRUNCATE)")...)
				before := contents(t, path)
				err := enter(t.Context(), path)
				if !errors.Is(err, track.ErrDatabase) || !strings.Contains(err.Error(), tt.want) {
					t.Fatalf("got %v, want %q", err, tt.want)
				}
				if after := contents(t, path); before[filepath.Base(path)] != after[filepath.Base(path)] {
					t.Error("the file was changed")
				}
			})
		}
	}
}

// A file that calls itself unfinished, or of an earlier version, is not trusted either.
func TestUntrustedMigration(t *testing.T) {
	for _, version := range []string{"0", "3"} {
		for _, statement := range []string{
			"CREATE TRIGGER t AFTER INSERT ON goose_db_version BEGIN DELETE FROM seed; END",
			"ALTER TABLE seed ADD COLUMN x TEXT AS (hex(zeroblob(100000000)))",
			"ALTER TABLE goose_db_version ADD COLUMN x TEXT AS (hex(zeroblob(100000000)))",
			"CREATE INDEX slow ON seed (hex(zeroblob(400000000)))",
		} {
			path := newDatabase(t)
			raw(t, path, statement, "PRAGMA user_version = "+version)
			if _, err := store.Migrate(t.Context(), path, clock()); !errors.Is(err, track.ErrDatabase) {
				t.Errorf("version %s: %s: got %v, want it refused", version, statement, err)
			}
		}
	}
}

// A log beside the file belongs to it: what it changes is checked as well.
func TestUntrustedLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "track.db")
	crashedWith(t, newDatabase(t), path, "PRAGMA wal_autocheckpoint = 0", "CREATE TRIGGER t AFTER INSERT ON seed BEGIN DELETE FROM spec; END")
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
		t.Fatal("no log")
	}
	for door, enter := range doors {
		if err := enter(t.Context(), path); door != "Init" && (err == nil || !strings.Contains(err.Error(), "trigger t")) {
			t.Errorf("%s: got %v, want it refused", door, err)
		}
	}
}

// A rollback journal can name another file, which versions of SQLite before 3.53 delete after they have played it back.
func TestJournalDeletesNothing(t *testing.T) {
	path, victim := newDatabase(t), filepath.Join(t.TempDir(), "victim.txt")
	raw(t, path, "PRAGMA journal_mode = DELETE")
	write(t, victim, "precious")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	const magic, pageSize, sector = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 4096, 512 // https://www.sqlite.org/fileformat2.html#the_rollback_journal
	number := binary.BigEndian.AppendUint32
	journal := []byte(magic)
	for _, n := range []uint32{0, 1, uint32(info.Size() / pageSize), sector, pageSize} {
		journal = number(journal, n)
	}
	journal = append(journal, make([]byte, sector-len(journal))...)
	journal = append(number(journal, 1<<30/pageSize+1), victim...)
	sum := uint32(0)
	for _, c := range []byte(victim) {
		sum += uint32(c)
	}
	journal = append(number(number(journal, uint32(len(victim))), sum), magic...)
	for door, enter := range doors {
		write(t, path+"-journal", string(journal))
		if err := enter(t.Context(), path); err != nil {
			t.Errorf("%s: %v", door, err)
		}
		if _, err := os.Stat(victim); err != nil {
			t.Fatalf("%s: %v", door, err)
		}
	}
}
