//go:build postgres

package store_test

import (
	"context"
	"fmt"
	"testing"

	"track"
	"track/store"
)

// ownedBy are tables of what belongs to rows of another one: what they call that row, and the column that divides both.
var ownedBy = map[string]struct{ owner, reference, column string }{
	"packed_value": {"seed", "seed_id", "configuration_id"}, "assessment": {"seed", "seed_id", "configuration_id"},
	"packed_result": {"seed", "seed_id", "configuration_id"},
	"seed_series":   {"seed", "seed_id", "configuration_id"}, "run": {"seed", "seed_id", "configuration_id"},
	"repetition": {"seed", "seed_id", "configuration_id"}, "artifact": {"seed", "seed_id", "configuration_id"},
	"call": {"execution", "execution_id", "lineage_id"}, "truth": {"execution", "execution_id", "lineage_id"}, "request": {"execution", "execution_id", "lineage_id"},
	"execution_score": {"execution", "execution_id", "lineage_id"}, "score_document": {"execution", "execution_id", "lineage_id"},
	"component": {"execution", "execution_id", "lineage_id"}, "unindexed": {"execution", "execution_id", "lineage_id"},
	"text_index": {"execution", "execution_id", "lineage_id"}, "series_chunk": {"series_content", "content_id", "hash"},
}

// checkDistribution checks that everything lies where a cluster would put its owner, and adds the rows of each table.
func checkDistribution(t *testing.T, st *store.Store, rows map[string]int64) {
	t.Helper()
	for table, of := range ownedBy {
		query := fmt.Sprintf(`SELECT count(*), count(owner.id) FROM %[1]s AS part LEFT JOIN %[2]s AS owner ON owner.id = part.%[3]s AND owner.%[4]s = part.%[4]s`,
			table, of.owner, of.reference, of.column)
		_, err := st.Query(context.Background(), query, func(_ []string, row []any) error {
			if rows[table] += row[0].(int64); row[0] != row[1] {
				t.Errorf("%s: %d of %d rows lie with their %s", table, row[1], row[0], of.owner)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// The ids of seeds of two transactions that run at once differ, although no key makes them unique.
func TestSeedIDsOfTransactionsPostgres(t *testing.T) {
	path := postgres(t, startServer(t))
	bits := map[int64]bool{}
	add := func(tx *store.Tx, number track.SeedNumber) error {
		seed := track.Seed{ID: fmt.Sprint(number), Scenario: "s", Number: number, Outcome: track.OutcomeError, RecordedAt: clock(), Configuration: track.Configuration{Label: fmt.Sprint(number)}}
		id, _, err := tx.AddSeed(seed, seed.Digest())
		bits[id&4095] = true
		return err
	}
	first, second := openDatabase(t, path), openDatabase(t, path)
	if err := first.Update(t.Context(), func(tx *store.Tx) error { return add(tx, 1) }); err != nil { // makes what both share
		t.Fatal(err)
	}
	clear(bits)
	err := first.Update(t.Context(), func(tx *store.Tx) error {
		if err := add(tx, 2); err != nil {
			return err
		}
		if err := second.Update(t.Context(), func(tx *store.Tx) error { return add(tx, 3) }); err != nil {
			return err
		}
		return add(tx, 4)
	})
	if err != nil || len(bits) != 2 {
		t.Errorf("last bits of ids: %v, %v; want one for each transaction", bits, err)
	}
}
