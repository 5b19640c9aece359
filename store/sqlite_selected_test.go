package store

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
)

// fillSeeds stores seeds of three configurations, whose rows are not in the order of their numbers. Some failed, some
// were superseded, some were judged under another spec alone, and one in 16 has a message.
const fillSeeds = `
	INSERT INTO scenario (id, name, created_at) VALUES (1, 's', 0);
	WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 599)
	INSERT INTO seed (ulid, scenario_id, configuration_id, number, outcome, message, digest, environment_id, started_at, duration_us, recorded_at, checksum, superseded_at)
	SELECT printf('%026d', i), 1, 1 + i % 3, i * 7 % 600 - 4, CASE WHEN i % 5 = 0 THEN 'error' ELSE 'ok' END, CASE WHEN i % 16 = 0 THEN printf('%.*c', LENGTH, 'é') END,
	       unhex(printf('%064x', i)), 1 + i % 3, CASE WHEN i % 3 THEN i * 1000000007 END, i % 4, 1000 + i, 0, CASE WHEN i % 11 = 0 THEN 5 END FROM n;
	DELETE FROM seed WHERE id % 13 = 1;
	INSERT INTO assessment SELECT id, 1 + (id % 10 = 0), CASE WHEN id % 7 THEN id % 9 / 8.0 END, id % 60, id % 200, id % 3, 1700000000000000 + id, 0 FROM seed WHERE outcome = 'ok';
	INSERT INTO result SELECT seed_id, spec_id, 1, 0, 1 FROM assessment`

// filledSeeds returns a database with seeds, some of them with messages of a length.
func filledSeeds(t *testing.T, length int) (*Store, *sql.DB) {
	t.Helper()
	st := planStore(t)
	db, err := sql.Open(driverName, st.Path()) // nothing checks what its rows refer to
	if err == nil {
		t.Cleanup(func() { _ = db.Close() })
		_, err = db.Exec(strings.ReplaceAll(fillSeeds, "LENGTH", fmt.Sprint(length)))
	}
	if err != nil {
		t.Fatal(err)
	}
	seal := func(query, update string) {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		err = st.stream(t.Context(), query, nil, func(row []driver.Value) {
			if _, err := tx.Exec(update, checksumOf(row[1:len(row)-1]), row[0]); err != nil {
				t.Fatal(err)
			}
		})
		if err == nil {
			err = tx.Commit()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	seal(`SELECT seed.id, `+seedChecked+` FROM seed`, `UPDATE seed SET checksum = $1 WHERE id = $2`)
	seal(`SELECT assessment.seed_id, `+assessmentChecked+` FROM assessment`, `UPDATE assessment SET checksum = $1 WHERE seed_id = $2`)
	return st, db
}

// selectedBoth returns what the pages of the file say of a selection, and what a query says.
func selectedBoth(t *testing.T, st *Store, sel Selection) (pages, query []selectedSeed, pagesDamage, queryDamage string) {
	t.Helper()
	err := st.Snapshot(t.Context(), func(r *Reader) (err error) {
		if query, queryDamage, err = r.querySelected(t.Context(), sel); err == nil {
			pages, pagesDamage, err = r.pool.engine.scanSelected(t.Context(), r, sel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages, query, pagesDamage, queryDamage
}

var sameSeeds = cmp.Options{cmp.AllowUnexported(selectedSeed{}), cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })}

// Pages give the seeds that a query gives, in its order.
func TestSelectedSeedsFromPages(t *testing.T) {
	for _, length := range []int{3, 3000} { // the longer one does not fit on a page
		st, _ := filledSeeds(t, length)
		for name, sel := range map[string]Selection{
			"one":       {Scenario: "s", Configurations: []int64{2}, SpecID: 1},
			"all":       {Scenario: "s", Configurations: []int64{3, 1, 2, 3}, SpecID: 1},
			"few":       {Scenario: "s", Configurations: []int64{1, 3}, SpecID: 2, Seeds: []track.SeedRange{{First: 3, Last: 90}, {First: math.MaxUint64 - 2, Last: math.MaxUint64}}},
			"none":      {Scenario: "s", Configurations: []int64{4}, SpecID: 1},
			"unknown":   {Scenario: "t", Configurations: []int64{1}, SpecID: 1},
			"no choice": {Scenario: "s", SpecID: 1},
		} {
			pages, query, pagesDamage, queryDamage := selectedBoth(t, st, sel)
			if diff := cmp.Diff(query, pages, sameSeeds); diff != "" || pagesDamage != queryDamage {
				t.Errorf("%s, messages of %d: %q and %q (-query +pages):\n%s", name, length, queryDamage, pagesDamage, diff)
			}
			if name == "all" && len(pages) < 480 {
				t.Errorf("%d seeds", len(pages))
			}
		}
	}
}

// What is wrong with a row is said in the same words, of the first seed of the selection.
func TestDamageOfSelectedSeeds(t *testing.T) {
	for _, statement := range []string{
		`UPDATE seed SET recorded_at = recorded_at + 1 WHERE id IN (300, 303, 306)`, `UPDATE seed SET message = NULL WHERE message IS NOT NULL`, `UPDATE seed SET checksum = 1`,
		`UPDATE assessment SET total_score = 1e9 WHERE seed_id > 200`, `UPDATE assessment SET total_score = NULL WHERE seed_id = 304`, `UPDATE assessment SET n_fail = 7 WHERE seed_id IN (302, 303, 304)`,
		`DELETE FROM assessment WHERE seed_id IN (202, 203, 204)`,
	} {
		st, db := filledSeeds(t, 3)
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
		_, _, pages, query := selectedBoth(t, st, Selection{Scenario: "s", Configurations: []int64{1, 2, 3}, SpecID: 1})
		if pages != query || pages == "" {
			t.Errorf("%s: pages say %q, a query says %q", statement, pages, query)
		}
	}
}

// Parts have all rows, and an id that an index lists twice is in one of them: each part would find its row otherwise.
func TestPartsOfSelectedSeeds(t *testing.T) {
	for _, ids := range [][]int64{nil, {4}, {1, 2, 2, 2, 3, 5}, {7, 7, 7}, {1, 2, 3, 4, 5, 6, 7, 8}} {
		for n := 1; n < 6; n++ {
			var all []int64
			for _, part := range newSelectedRows(ids).parts(n) {
				if len(all) > 0 && len(part.ids) > 0 && all[len(all)-1] == part.ids[0] {
					t.Errorf("%v in %d parts: %d is in two", ids, n, part.ids[0])
				}
				all = append(all, part.ids...)
			}
			if !slices.Equal(all, ids) {
				t.Errorf("%v in %d parts: %v", ids, n, all)
			}
		}
	}
}

// Code that reads pages counts on the order of columns.
func TestColumnsOfSeeds(t *testing.T) {
	var names []string
	if err := planStore(t).read().SelectContext(t.Context(), &names, `SELECT name FROM pragma_table_info('seed')`); err != nil {
		t.Fatal(err)
	}
	want := []string{
		0: "id", columnULID: "ulid", columnScenario: "scenario_id", columnConfiguration: "configuration_id", columnNumber: "number", columnOutcome: "outcome", columnMessage: "message", columnDigest: "digest",
		columnEnvironment: "environment_id", columnActor: "actor_id", columnStartedAt: "started_at", columnDuration: "duration_us", columnRecordedAt: "recorded_at", columnChecksum: "checksum",
	}
	if !slices.Equal(names[:columnsOfSeed], want) {
		t.Errorf("the columns are %v", names)
	}
}

// A snapshot prepares a statement when it is asked again, and answers as before.
func TestSnapshotKeepsStatements(t *testing.T) {
	st, _ := filledSeeds(t, 3)
	err := st.Snapshot(t.Context(), func(r *Reader) error {
		for i := range 3 {
			var n []int
			if err := r.read().SelectContext(t.Context(), &n, findScenario, "s"); err != nil || !slices.Equal(n, []int{1}) {
				t.Errorf("time %d: %v, error %v", i+1, n, err)
			}
			if kept := r.stmts.prepared[findScenario] != nil; kept != (i > 0) {
				t.Errorf("time %d: prepared is %v", i+1, kept)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The totals of several configurations that are read at once are those of each alone.
func TestTotalsByConfiguration(t *testing.T) {
	st, _ := filledSeeds(t, 3)
	sel := Selection{Scenario: "s", Configurations: []int64{3, 1, 9, 2}, SpecID: 1, Seeds: []track.SeedRange{{First: 0, Last: 595}}}
	list, err := st.TotalsByConfiguration(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	var want []Totals
	for _, c := range sel.Configurations {
		one := sel
		one.Configurations = []int64{c}
		totals, err := st.SeedTotals(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, totals)
	}
	if diff := cmp.Diff(want, list, cmpopts.EquateNaNs()); diff != "" || list[0].NSeeds == 0 || list[2].NSeeds != 0 {
		t.Errorf("%+v (-each alone +at once):\n%s", list, diff)
	}
}

// A transaction reads on all processors too, with statements that are for one goroutine, and sees what it wrote.
func TestTransactionReadsSelectedSeeds(t *testing.T) {
	st, _ := filledSeeds(t, 3)
	sel := Selection{Scenario: "s", Configurations: []int64{1, 2, 3}, SpecID: 1, Seeds: []track.SeedRange{{First: 0, Last: 595}}}
	want, err := st.SeedTotals(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(t.Context(), func(tx *Tx) error {
		got, err := tx.SeedTotals(t.Context(), sel)
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" || got.NSeeds < 2*smallestPart {
			t.Errorf("%d seeds (-outside +inside):\n%s", got.NSeeds, diff)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
