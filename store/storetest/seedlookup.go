package storetest

import (
	"encoding/hex"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/store"
)

// testLookedUp adds seeds that are known and new, in a transaction that is rolled back and in one that is not.
func testLookedUp(t *testing.T, st *store.Store) {
	seed := func(scenario, label string, number track.SeedNumber, value float64) track.Seed {
		return track.Seed{Scenario: scenario, Number: number, Configuration: track.Configuration{Label: label}, Values: map[string]float64{"m": value}}
	}
	known := add(t, st, seed("s", "a", 1, 1), seed("s", "a", 2, 2))
	list := []track.Seed{
		seed("s", "a", 1, 1), seed("s", "a", 2, 3), seed("s", "a", 3, 4), seed("s", "b", 1, 5), seed("new", "a", 1, 6), seed("new", "a", 1, 6), seed("new", "a", 1, 7),
		seed("s", "a", 1<<64-1, 8), seed("s", "a", 2, 9), seed("s", "a", 2, 9),
	}
	const superseding = 8
	want := []string{"same", "different", "added", "added", "added", "same", "different", "added", "added", "same"}
	ids := make([]int64, len(list))
	addAll := func(tx *store.Tx) error {
		var got []string
		for i, one := range list {
			if i == superseding {
				if err := tx.Supersede(known[1]); err != nil {
					return err
				}
			}
			id, existing, err := tx.AddSeed(complete(st, one))
			switch {
			case err != nil:
				return err
			case existing == nil:
				got = append(got, "added")
			case existing.Same:
				id, got = existing.ID, append(got, "same")
			default:
				id, got = existing.ID, append(got, "different")
			}
			ids[i] = id
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		return nil
	}
	failure := errors.New("changed my mind")
	err := st.Update(t.Context(), func(tx *store.Tx) error { return errors.Join(addAll(tx), failure) })
	if err == nil || err.Error() != failure.Error() {
		t.Fatalf("error %v, want %v", err, failure)
	}
	update(t, st, addAll)
	if diff := cmp.Diff([]int64{known[0], known[1], ids[4], ids[4], ids[8]}, []int64{ids[0], ids[1], ids[5], ids[6], ids[9]}); diff != "" {
		t.Errorf("ids of existing seeds: -want +got\n%s", diff)
	}
	for i, value := range map[int]float64{0: 1, 1: 2, 2: 4, 3: 5, 4: 6, 7: 8, 8: 9} {
		if _, values, err := st.Measured(t.Context(), ids[i]); err != nil || values["m"] != value {
			t.Errorf("seed %d: values %v and error %v, want m = %v", i, values, err, value)
		}
	}
	if seeds, err := st.Seeds(t.Context(), store.SeedFilter{}); err != nil || len(seeds) != 6 {
		t.Errorf("%d seeds count, error %v; want 6", len(seeds), err)
	}
}

// testLookedUpWithdrawn withdraws a seed in the transaction that records it again.
func testLookedUpWithdrawn(t *testing.T, st *store.Store) {
	list := []track.Seed{
		{Scenario: "s", Number: 1, Values: map[string]float64{"m": 1}}, {Scenario: "s", Number: 1, Values: map[string]float64{"m": 2}}, {Scenario: "s", Number: 2},
	}
	add(t, st, list[0])
	_, digest := complete(st, list[0])
	update(t, st, func(tx *store.Tx) error {
		_, err := tx.AddWithdrawals([]track.Withdrawal{{
			ID: newID(), Kind: track.WithdrawnSeed, Action: track.ActionWithdrawn, Scenario: "s", Configuration: track.Configuration{}.Hash(), Seed: &list[0].Number,
			Digest: hex.EncodeToString(digest[:]), Reason: "wrong", At: st.Now(),
		}})
		if err != nil {
			return err
		}
		if _, existing, err := tx.AddSeed(complete(st, list[0])); err != nil || existing == nil || existing.Withdrawn == nil {
			t.Errorf("the measurement that was withdrawn: %+v, %v", existing, err)
		}
		if _, existing, err := tx.AddSeed(complete(st, list[1])); err != nil || existing != nil {
			t.Errorf("another measurement in its place: %+v, %v; want it added", existing, err)
		}
		return nil
	})
}

// testSpecOfNewMetrics adds a spec in the transaction in which a seed brings its metrics.
func testSpecOfNewMetrics(t *testing.T, st *store.Store) {
	update(t, st, func(tx *store.Tx) error {
		if _, _, err := tx.AddSeed(complete(st, track.Seed{Scenario: "s", Number: 1, Values: map[string]float64{"a": 1, "b": 2}})); err != nil {
			return err
		}
		_, _, err := tx.AddSpec(store.Spec{Scenario: "s", Hash: "h", Document: []byte("{}")}, []store.SpecMetric{{Name: "a", Type: "RANGE", Weight: 1}})
		return err
	})
}
