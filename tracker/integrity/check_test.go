package integrity_test

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/tracker/agents"
	"track/tracker/integrity"
	"track/tracker/seeds"
)

// newDatabase records judged and failed seeds, with series and computed values, and executions with texts.
func newDatabase(t *testing.T) string {
	t.Helper()
	st := testdb.New(t)
	spec := trackertest.Ranges("s", [2]float64{0, 1}, [2]float64{0, 10})
	spec.Metrics = append(spec.Metrics, scoring.Metric{
		Name: "z", Weight: 2, Target: scoring.Range{Max: 10}, Format: scoring.FormatDefault, From: &scoring.Reduction{Series: "gdp", Reduce: scoring.ReduceMean},
	})
	trackertest.AddSpec(t, st, spec)
	for i := range 40 {
		seed := trackertest.Seed("s", track.SeedNumber(i), map[string]float64{"b": float64(i) / 7, "a": 0.25, "unknown": -1})
		seed.Series = []track.Series{{Name: "gdp", Values: []float64{1, 2, float64(i % 3)}}}
		if i == 5 {
			seed.Outcome, seed.Message = track.OutcomeError, "it crashed"
			seed.Artifacts = []track.Artifact{{Name: "big.log", LeftOut: "too large"}, {Name: "run.log", Content: "it crashed"}}
		}
		trackertest.Record(t, st, seeds.Options{}, seed)
	}
	for i := range 3 {
		if _, err := agents.NewRecorder(st, agents.Options{KeepText: true}, rand.Reader).Record(t.Context(), []track.Execution{trackertest.Task(fmt.Sprint("t", i), 2)}, false); err != nil {
			t.Fatal(err)
		}
	}
	return st.Path()
}

func execute(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=ignore_check_constraints(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func check(t *testing.T, path string) answer.DatabaseCheck {
	t.Helper()
	a, err := integrity.CheckFile(t.Context(), path, testdb.Clock, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestSound(t *testing.T) {
	testdb.OnlySQLite(t, "it changes the file")
	path := newDatabase(t)
	execute(t, path, "CREATE TABLE notes (x CHECK (length(hex(zeroblob(400000000))) > 0))", "CREATE VIEW mine AS SELECT * FROM v_seed",
		"CREATE INDEX slow ON notes (hex(zeroblob(x)))", "PRAGMA ignore_check_constraints = ON", "INSERT INTO notes VALUES (1)")
	a := check(t, path)
	if !a.Sound || a.Seeds != 40 || a.Values != 120 || a.Assessments != 39 || a.Results != 117 || a.Hashed < 5 || answer.ConclusionOf(a) != answer.Done {
		t.Errorf("%+v", a)
	}
	if want := []string{"table notes", "view mine", "index slow"}; !slices.Equal(a.Foreign, want) || len(a.NotChecked) != 1 {
		t.Errorf("foreign %v, want %v; not checked %v", a.Foreign, want, a.NotChecked)
	}
}

// What stands in an index alone, or in a table alone, is found.
func TestDamagedIndexes(t *testing.T) {
	testdb.OnlySQLite(t, "it changes the file")
	path := newDatabase(t)
	ulid := testdb.Rows(t, testdb.Open(t, path), "SELECT ulid FROM seed WHERE number = 7")[0][0].(string)
	execute(t, path, "PRAGMA wal_checkpoint(TRUNCATE)")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n, found := 0, 0
	for at := 0; ; n++ {
		next := bytes.Index(data[at:], []byte(ulid))
		if next < 0 {
			break
		}
		at += next + len(ulid)
		damaged := bytes.Clone(data)
		damaged[at-1] ^= 1
		copied := filepath.Join(t.TempDir(), "track.db")
		if err := os.WriteFile(copied, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if a := check(t, copied); !a.Sound {
			found++
		}
	}
	if found != 2 { // it may also stand where pages are free
		t.Errorf("damage is found in %d of %d copies of a ULID, want those in a table and in an index", found, n)
	}
}

func TestDamage(t *testing.T) {
	testdb.OnlySQLite(t, "it changes the file")
	sound := newDatabase(t)
	execute(t, sound, "PRAGMA wal_checkpoint(TRUNCATE)")
	data, err := os.ReadFile(sound)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		statement, table, problem string
		n                         int
		record                    string
	}{
		{`UPDATE seed SET numbers = json_set(numbers, '$.a', -7.5)`, "seed", "differ from its digest", 40, "seed 0 of s"},
		{`UPDATE seed SET numbers = json_set(numbers, '$.a', NULL) WHERE id = 3`, "seed", "differ from its digest", 1, "seed 2 of s"},
		{"UPDATE seed SET outcome = 'timeout' WHERE number = 5", "seed", "differ from its digest", 1, "seed 5 of s"},
		{"UPDATE seed SET numbers = '{}' WHERE id = 1", "seed", "differ from its digest", 1, "seed 0 of s"},
		{`UPDATE seed SET numbers = '{"a":' WHERE id = 7`, "seed", "cannot be decoded", 1, "seed 6 of s"},
		{`UPDATE seed SET digest = NULL WHERE id = 4; UPDATE seed SET numbers = '{"a":7}' WHERE id = 4`, "seed", "are not all there", 1, "seed 3 of s"},
		{"UPDATE seed SET digest = x'' WHERE id = 4", "seed", "are not all there", 1, "seed 3 of s"},
		{"UPDATE seed SET outcome = NULL, digest = NULL WHERE id = 4", "seed", "are not all there", 1, "seed 3 of s"},
		{"DELETE FROM seed_series WHERE seed_id = 9", "seed", "differ from its digest", 1, "seed 8 of s"},
		{"UPDATE series_content SET hash = zeroblob(32) WHERE id = 1", "series_content", "differ from its hash", 1, "of 3 numbers"},
		{"UPDATE series_chunk SET data = zeroblob(9) WHERE content_id = 1", "series_content", "differ from its hash", 1, "of 3 numbers"},
		{"DELETE FROM series_chunk WHERE content_id = 1", "series_content", "differ from its hash", 1, "of 3 numbers"},
		{"DELETE FROM artifact WHERE name = 'run.log'", "seed", "differ from its digest", 1, "seed 5 of s"},
		{"UPDATE artifact SET name = 'run.lag' WHERE name = 'run.log'", "seed", "differ from its digest", 1, "seed 5 of s"},
		{"UPDATE artifact SET left_out = 'too small' WHERE name = 'big.log'", "seed", "differ from its digest", 1, "seed 5 of s"},
		{"UPDATE artifact_content SET data = x'00'", "artifact_content", "its bytes differ from its hash", 1, "content"},
		{"UPDATE artifact_content SET n_bytes = 3", "artifact_content", "its bytes differ from its hash", 1, "content"},
		{"UPDATE artifact_content SET data = NULL", "artifact_content", "its bytes are missing", 1, "content"},
		{"DELETE FROM artifact_content", "artifact", "does not exist", 1, ""},
		{`UPDATE assessment SET results = json_set(results, '$[0][0]', 1) WHERE seed_id = 2`, "assessment", "differ from its checksum", 1, "seed 1 of s"},
		{`UPDATE assessment SET results = json_set(results, '$[0][1]', json_extract(results, '$[0][1]') / 2.0) WHERE seed_id = 2`, "assessment", "differ from its checksum", 1, "seed 1 of s"},
		{`UPDATE assessment SET results = '[]' WHERE seed_id = 2`, "assessment", "differ from its checksum", 1, "seed 1 of s"},
		{"UPDATE assessment SET total_score = 0.125 WHERE seed_id = 40", "assessment", "differ from its checksum", 1, "seed 39 of s"},
		{"UPDATE assessment SET assessed_at = 1 WHERE seed_id = 40", "assessment", "differ from its checksum", 1, "seed 39 of s"},
		{"UPDATE spec SET document = replace(document, '10', '11')", "spec", "differs from its hash", 1, "spec s version 1"},
		{"UPDATE spec SET version = 2", "spec", "a version is missing", 1, "spec s version 2"},
		{"UPDATE spec_metric SET weight = 3 WHERE position = 0", "spec_metric", "its metrics differ", 1, "spec s version 1"},
		{"UPDATE configuration SET label = 'other'", "configuration", "differs from its hash", 1, "configuration "},
		{"UPDATE configuration SET params = '{'", "configuration", "are no JSON object", 1, "configuration "},
		{"UPDATE configuration SET params = '{}x'", "configuration", "are no JSON object", 1, "configuration "},
		{"INSERT INTO sweep SELECT 1, 'A', 1, '{', x'00', 0, 1, 1, NULL, NULL, 1, NULL, NULL, 0, NULL", "sweep", "its plan differs", 1, "sweep A"},
		{"INSERT INTO sweep SELECT 1, 'B', 1, '{}', zeroblob(32), 0, 1, 1, NULL, NULL, 1, NULL, NULL, 0, NULL", "sweep", "its plan differs", 1, "sweep B"},
		{"INSERT INTO look SELECT 1, 'L', 'gate', zeroblob(32), zeroblob(32), 40, '[', 0, 'PASS', 1", "look", "its plan cannot be read", 1, "look L"},
		{"UPDATE environment SET document = '{\"os\":\"none\"}'", "environment", "differs from its hash", 1, "environment "},
		{"UPDATE seed SET ulid = 'A' WHERE id = 4", "seed", "differs from its checksum", 1, "seed 3 of s"},
		{"UPDATE seed SET recorded_at = recorded_at + 1 WHERE id = 4", "seed", "differs from its checksum", 1, "seed 3 of s"},
		{"UPDATE seed SET superseded_at = 1 WHERE id = 4", "seed", "it was superseded, and nothing has its place", 1, "seed "},
		{"DELETE FROM scenario_configuration", "scenario_configuration", "is missing", 1, "of s"},
		{"UPDATE seed SET environment_id = 99 WHERE id = 4", "seed", "its environment does not exist", 1, "row 4"},
		{"UPDATE execution SET output = 'another' WHERE id = 1", "execution", "its output differs", 1, "execution "},
		{"UPDATE call SET input = 'rm -rf' WHERE execution_id = 2 AND position = 0", "call", "its input differs", 1, "call 1 of execution"},
		{"UPDATE seed SET message = 'all is well' WHERE number = 5", "seed", "differs from its checksum", 1, "seed 5 of s"},
		{"UPDATE execution SET status = 'error' WHERE id = 2", "execution", "differ from its checksum", 1, "execution "},
		{"UPDATE call SET exit = 7 WHERE execution_id = 2", "execution", "differ from its checksum", 1, "execution "},
		{"UPDATE call SET request = 1 WHERE execution_id = 2", "execution", "differ from its checksum", 1, "execution "},
		{"INSERT INTO request (execution_id, number) VALUES (2, 1)", "execution", "differ from its checksum", 1, "execution "},
		{"UPDATE execution SET truths = '{\"reward\":1}' WHERE id = 2", "execution", "differ from its checksum", 1, "execution "},
		{"UPDATE execution_score SET score = 3", "execution", "differ from its checksum", 3, "execution "},
		{"DELETE FROM execution_score WHERE execution_id = 2", "execution", "differ from its checksum", 1, "execution "},
		{"UPDATE execution_score SET components = '{}' WHERE execution_id = 2", "execution", "differ from its checksum", 1, "execution "},
		{"UPDATE execution_score SET document = x'7b7d' WHERE execution_id = 2", "execution", "differ from its checksum", 1, "execution "},
		{"DELETE FROM call WHERE execution_id = 2 AND position = 0", "execution", "differ from its checksum", 1, "execution "},
		{"UPDATE version SET note = 'x'", "version", "differs from its checksum", 1, "version "},
		{"UPDATE lineage SET keep_text = 1 - keep_text", "lineage", "differs from its checksum", 1, "lineage l"},
		{"UPDATE call SET execution_id = 99 WHERE execution_id = 2", "call", "its execution does not exist", 2, "row 99"},
		{"DROP TABLE spool", "", "it cannot be opened", 1, "its schema lacks spool"},
	} {
		t.Run(tt.statement, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "track.db")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			execute(t, path, tt.statement)
			a := check(t, path)
			i := slices.IndexFunc(a.Damage, func(d answer.DamagedRecords) bool {
				return d.Table == tt.table && strings.Contains(d.Problem, tt.problem)
			})
			if i < 0 {
				t.Fatalf("not found in %+v", a.Damage)
			}
			if d := a.Damage[i]; d.N != tt.n || !strings.Contains(d.Records[0], tt.record) || d.Rescue == "" {
				t.Errorf("got %+v, want %d like %q", d, tt.n, tt.record)
			}
			if a.Sound || answer.ConclusionOf(a) != answer.FoundDamage || a.Err() == nil {
				t.Errorf("%+v is called sound", a)
			}
		})
	}
}

// What cannot be read of a large table does not keep the rest from being checked.
func TestDamagedPages(t *testing.T) {
	testdb.OnlySQLite(t, "it changes pages of the file")
	for _, table := range []string{"seed", "assessment"} {
		path := newDatabase(t)
		execute(t, path, "PRAGMA wal_checkpoint(TRUNCATE)")
		root := testdb.Rows(t, testdb.Open(t, path), "SELECT rootpage FROM sqlite_schema WHERE name = '"+table+"'")[0][0].(int64)
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		const pageSize = 4096
		_, err = file.WriteAt([]byte("damaged"), (root-1)*pageSize)
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		a := check(t, path)
		if !slices.ContainsFunc(a.Damage, func(d answer.DamagedRecords) bool {
			return d.Table == table && d.Problem == "part of it cannot be read"
		}) {
			t.Errorf("%s: %+v", table, a.Damage)
		}
		if a.Hashed < 5 || table == "assessment" && a.Seeds != 40 {
			t.Errorf("%s: the rest was not read: %+v", table, a)
		}
	}
}

// What is read finds the damage as well.
func TestDamagedParams(t *testing.T) {
	testdb.OnlySQLite(t, "a server refuses what is not JSON")
	path := newDatabase(t)
	execute(t, path, "UPDATE configuration SET params = '{'")
	_, err := testdb.Open(t, path).NewestConfiguration(t.Context(), "s")
	if !errors.Is(err, track.ErrDamaged) {
		t.Errorf("error %v, want damage", err)
	}
}
