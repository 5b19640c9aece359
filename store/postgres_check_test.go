//go:build !race && postgres

package store_test

import (
	"slices"
	"strings"
	"testing"

	"track"
	"track/internal/testpostgres"
	"track/store"
)

// Rows of a server that refer to nothing are found: no foreign key keeps them away.
func TestReferencesPostgres(t *testing.T) {
	path := postgres(t, startServer(t))
	st := openDatabase(t, path)
	err := st.Update(t.Context(), func(tx *store.Tx) error {
		for i := range 5 {
			seed := track.Seed{ID: string(rune('A' + i)), Scenario: "s", Number: track.SeedNumber(i), Outcome: track.OutcomeError, RecordedAt: clock()}
			if _, _, err := tx.AddSeed(seed, seed.Digest()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	note := func(d store.Damage) { found = append(found, d.Table+" "+d.Problem+": "+d.Record) }
	isMissing := func(problem string) bool { return strings.Contains(problem, "does not exist") }
	if err := st.CheckRows(t.Context(), note); err != nil || slices.ContainsFunc(found, isMissing) {
		t.Fatalf("before anything is broken: %q, %v", found, err)
	}
	const breakAll = `
		UPDATE seed SET scenario_id = 99 WHERE ulid = 'A'; UPDATE seed SET configuration_id = 99 WHERE ulid = 'B';
		UPDATE seed SET environment_id = 99 WHERE ulid = 'C';
		INSERT INTO assessment SELECT id, 99, NULL, 0, 0, 0, 0, '[]', '' FROM seed WHERE ulid = 'E'`
	if err := testpostgres.Exec(path, breakAll); err != nil {
		t.Fatal(err)
	}
	if err := st.CheckRows(t.Context(), note); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"seed its scenario does not exist: row 99 of scenario", "seed its configuration does not exist: row 99 of configuration",
		"seed its environment does not exist: row 99 of environment", "assessment its spec does not exist: row 99 of spec",
	} {
		if !slices.Contains(found, want) {
			t.Errorf("not found: %s, but %q", want, found)
		}
	}
}
