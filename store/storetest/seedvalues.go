package storetest

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"track"
	"track/internal/property"
	"track/store"
)

// awkward are the numbers that storage likes to lose.
var awkward = []float64{
	math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64,
	0x1p-1022, 0x0.fffffffffffffp-1022, math.MaxFloat64, -math.MaxFloat64, 1, -1, 7, 1 << 53, 1<<53 + 2, -1 << 63, 1 << 63, 0.1,
}

// sameBits compares numbers by their bits; a NaN is any NaN.
var sameBits = cmp.Comparer(func(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
})

func testValues(t *testing.T, st *store.Store) {
	name := rapid.OneOf(rapid.StringMatching(`[a-z]{1,4}`), rapid.String()).Filter(func(s string) bool { return track.CheckName(s) == nil })
	number := rapid.OneOf(rapid.SampledFrom(awkward), rapid.Map(rapid.Uint64(), math.Float64frombits), rapid.Float64())
	// More than fit into one statement, so that the seams are met.
	valueMap := rapid.OneOf(rapid.MapOfN(name, number, 0, 8), rapid.MapOfN(name, number, 120, 300))
	seed := track.SeedNumber(0)
	property.Check(t, func(rt *rapid.T) {
		seed++
		values := valueMap.Draw(rt, "values")
		ids := add(t, st, track.Seed{Scenario: "s", Number: seed, Values: values})
		if diff := cmp.Diff(values, one(t, st, "s", seed).Values, sameBits, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("read (-want +got):\n%s", diff)
		}
		update(t, st, func(tx *store.Tx) error {
			got, err := tx.Values(t.Context(), ids[0])
			if diff := cmp.Diff(values, got, sameBits, cmpopts.EquateEmpty()); err == nil && diff != "" {
				rt.Fatalf("read in a transaction (-want +got):\n%s", diff)
			}
			return err
		})
	})
}

// testManyValues records more new metrics than one statement adds, of which some are known.
func testManyValues(t *testing.T, st *store.Store) {
	values := map[string]float64{}
	for i := range 2500 {
		values[fmt.Sprint("m", i)] = float64(i)
	}
	few := map[string]float64{"m7": 1, "m2000": 2, "a": 3, "z": 4}
	ids := add(t, st, track.Seed{Scenario: "s", Number: 1, Values: few}, track.Seed{Scenario: "s", Number: 2, Values: values}, track.Seed{Scenario: "s", Number: 3, Values: few})
	for i, want := range []map[string]float64{few, values, few} {
		got, err := st.Values(t.Context(), ids[i])
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("seed %d: error %v (-want +got):\n%s", i+1, err, diff)
		}
	}
	values["m\x1b"] = 0
	err := st.Update(t.Context(), func(tx *store.Tx) error {
		_, _, err := tx.AddSeed(complete(st, track.Seed{Scenario: "s", Number: 4, Values: values}))
		return err
	})
	if field := new(track.FieldError); !errors.As(err, &field) || field.Field != "metric" {
		t.Errorf("error %v, want one of the metric", err)
	}
}
