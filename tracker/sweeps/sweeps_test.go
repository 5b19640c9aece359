package sweeps_test

import (
	"crypto/rand"
	"math"
	"slices"
	"testing"

	"track"
	"track/scoring"
	"track/store"
	"track/tracker/seeds"
)

func record(t testing.TB, st *store.Store, options seeds.Options, seed track.Seed) seeds.RecordResult {
	t.Helper()
	result, err := seeds.NewRecorder(st, options, rand.Reader).Record(t.Context(), seed)
	if err != nil {
		t.Fatalf("seed %s: %v", seed.Number, err)
	}
	return result
}

func addSpec(t testing.TB, st *store.Store, s scoring.Spec) {
	t.Helper()
	if _, err := seeds.AddSpec(t.Context(), st, s); err != nil {
		t.Fatal(err)
	}
}

// ranges returns a spec of one RANGE metric for each pair of bounds, named a, b, c, …
func ranges(scenario string, bounds ...[2]float64) scoring.Spec {
	s := scoring.Spec{Scenario: scenario}
	for i, b := range bounds {
		s.Metrics = append(s.Metrics, scoring.Metric{
			Name: string(rune('a' + i)), Weight: 1, Target: scoring.Range{Min: b[0], Max: b[1]}, Format: scoring.FormatDefault,
		})
	}
	return s
}

// seed returns a successful seed.
func seed(scenario string, number track.SeedNumber, values map[string]float64) track.Seed {
	return track.Seed{Scenario: scenario, Number: number, Outcome: track.OutcomeOK, Values: values}
}

// stored returns the numbers of the recorded seeds of a scenario, in order.
func stored(t testing.TB, st *store.Store, scenario string) (numbers []track.SeedNumber) {
	t.Helper()
	list, err := st.Seeds(t.Context(), store.SeedFilter{Scenario: scenario})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		numbers = append(numbers, s.Number)
	}
	slices.Sort(numbers)
	return numbers
}

func detail(t testing.TB, st *store.Store, scenario string, number track.SeedNumber) track.RecordedSeed {
	t.Helper()
	d, _, err := st.SeedByNumber(t.Context(), scenario, number, 0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func rows(t testing.TB, st *store.Store, query string) (rows [][]any) {
	t.Helper()
	_, err := st.Query(t.Context(), query, func(_ []string, row []any) error {
		rows = append(rows, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// near lets two numbers differ by 1e-12, absolute or relative, whichever is looser. NaN equals NaN.
func near(a, b float64) bool {
	switch {
	case a == b, math.IsNaN(a) && math.IsNaN(b):
		return true
	case math.IsInf(a, 0), math.IsInf(b, 0):
		return false
	}
	return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a), math.Abs(b))
}
