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
	"track/scoring"
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
			_, got, err := tx.Measured(t.Context(), ids[0])
			if diff := cmp.Diff(values, got, sameBits, cmpopts.EquateEmpty()); err == nil && diff != "" {
				rt.Fatalf("read in a transaction (-want +got):\n%s", diff)
			}
			return err
		})
	})
}

// testManySeeds records and judges more seeds in one transaction than a server takes one by one. Some measure what the
// seed before measured, others do not.
func testManySeeds(t *testing.T, st *store.Store) {
	spec := addSpec(t, st, "s", 3)
	list, judged := make([]track.Seed, 60), make([]scoring.Assessment, 60)
	for i := range list {
		values := map[string]float64{}
		for k := range 2 + i%5/3 {
			values[fmt.Sprint("m", (k+i/20)%3)] = awkward[(3*i+k)%len(awkward)]
		}
		list[i] = track.Seed{Scenario: "s", Number: track.SeedNumber(i), Values: values}
		judged[i] = scoring.Assessment{Scored: true, TotalScore: float64(i) / 64}
		for k := range 3 {
			r := scoring.Result{Name: fmt.Sprint("m", (k+i/30)%3), Status: []scoring.Status{scoring.Pass, scoring.Warn}[(i+k)%2], Score: float64(i) / 64}
			if (i+k)%7 == 0 {
				judged[i].Scored = false
				r = scoring.Result{Name: r.Name, Status: scoring.Fail, Reason: scoring.ReasonMissing}
			}
			judged[i].Results = append(judged[i].Results, r)
			switch r.Status {
			case scoring.Pass:
				judged[i].NPass++
			case scoring.Warn:
				judged[i].NWarn++
			default:
				judged[i].NFail++
			}
		}
	}
	ids := make([]int64, len(list))
	update(t, st, func(tx *store.Tx) error {
		var err error
		for i := 0; i < len(list) && err == nil; i++ {
			seed, digest := complete(st, list[i])
			list[i].ID = seed.ID
			if ids[i], _, err = tx.AddSeed(seed, digest); err == nil {
				err = tx.AddAssessment(ids[i], spec.ID, judged[i])
			}
		}
		return err
	})
	for i, seed := range list {
		_, values, valuesErr := st.Measured(t.Context(), ids[i])
		got, err := st.Results(t.Context(), seed.ID, spec.ID)
		if err := errors.Join(valuesErr, err); err != nil {
			t.Fatal(err)
		}
		want := map[string]scoring.Result{}
		for _, r := range judged[i].Results {
			want[r.Name] = r
		}
		isStored := cmpopts.IgnoreFields(scoring.Result{}, "Value", "Reason") // which follow from values and scores
		if diff := cmp.Diff(seed.Values, values, sameBits) + cmp.Diff(want, got, isStored); diff != "" {
			t.Errorf("seed %d (-want +got):\n%s", i, diff)
		}
	}
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
		_, got, err := st.Measured(t.Context(), ids[i])
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
