package storetest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"track"
	"track/store"
)

func testGoroutines(t *testing.T, st *store.Store) {
	const writers, each = 4, 10
	errs := make(chan error, 2*writers)
	for w := range writers {
		go func() {
			var err error
			for i := range each {
				err = errors.Join(err, st.Update(t.Context(), func(tx *store.Tx) error {
					_, _, err := tx.AddSeed(complete(st, track.Seed{Scenario: "s", Number: track.SeedNumber(w*each + i), Outcome: track.OutcomeError}))
					return err
				}))
			}
			errs <- err
		}()
		go func() {
			var err error
			for range each {
				_, readErr := st.Seeds(t.Context(), store.SeedFilter{})
				err = errors.Join(err, readErr)
			}
			errs <- err
		}()
	}
	for range 2 * writers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	seeds, err := st.Seeds(t.Context(), store.SeedFilter{Scenario: "s"})
	if err != nil || len(seeds) != writers*each {
		t.Errorf("%d seeds and error %v, want %d", len(seeds), err, writers*each)
	}
}

func testQuery(t *testing.T, st *store.Store) {
	add(t, st, track.Seed{Scenario: "s", Number: math.MaxUint64, Values: map[string]float64{"m": 1}})
	run := func(query string) (columns []string, rows [][]any, err error) {
		columns, err = st.QueryViews(t.Context(), query, func(_ []string, row []any) error {
			rows = append(rows, row)
			return nil
		})
		return columns, rows, err
	}
	for _, query := range []string{
		"SELECT scenario, seed FROM v_seed", "  select scenario, seed from v_seed ;  ", "-- why\nSELECT scenario, seed FROM v_seed; -- so",
		"/* a; b */ SELECT \"; s\".scenario, seed FROM v_seed AS \"; s\" WHERE scenario <> ';--'", "VALUES ('s', '18446744073709551615')",
		"WITH x AS (SELECT * FROM v_seed) SELECT scenario, seed FROM x", "(SELECT scenario, seed FROM v_seed)",
	} {
		columns, rows, err := run(query)
		if strings.HasPrefix(query, "(") && err != nil {
			continue // a dialect need not know this one
		}
		if err != nil || len(columns) != 2 || len(rows) != 1 || fmt.Sprint(rows[0]) != "[s 18446744073709551615]" {
			t.Errorf("%s: %v %v and error %v", query, columns, rows, err)
		}
	}
	for _, query := range []string{
		"", ";", "--", "DELETE FROM seed", "PRAGMA user_version = 9", "ATTACH 'x.db' AS x", "SELECT 1; DELETE FROM seed", "SELECT 1; SELECT 2",
		"WITH x AS (SELECT 1) DELETE FROM seed", "SELECT '", "/* SELECT 1", "SELECT nothing FROM nowhere", "EXPLAIN", "BEGIN", "VACUUM INTO 'x.db'",
	} {
		if _, _, err := run(query); !errors.Is(err, track.ErrInvalid) {
			t.Errorf("%q: %v, want ErrInvalid", query, err)
		}
	}
	if seeds, err := st.Seeds(t.Context(), store.SeedFilter{}); err != nil || len(seeds) != 1 {
		t.Errorf("%d seeds and error %v after the queries, want 1", len(seeds), err)
	}
	stop := errors.New("enough")
	if _, err := st.QueryViews(t.Context(), "SELECT 1", func([]string, []any) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("a visitor's error became %v", err)
	}
}
