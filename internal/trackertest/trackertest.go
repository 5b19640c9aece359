// Package trackertest records facts for the tests of those who read them, and says what is recorded.
package trackertest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/scoring"
	"track/store"
	"track/tracker/agents"
	"track/tracker/seeds"
)

// Ranges returns a spec of one RANGE metric for each pair of bounds, named a, b, c, …
func Ranges(scenario string, bounds ...[2]float64) scoring.Spec {
	s := scoring.Spec{Scenario: scenario}
	for i, b := range bounds {
		s.Metrics = append(s.Metrics, scoring.Metric{
			Name: string(rune('a' + i)), Weight: 1, Target: scoring.Range{Min: b[0], Max: b[1]}, Format: scoring.FormatDefault,
		})
	}
	return s
}

// AddSpec adds a version of a spec.
func AddSpec(t testing.TB, st *store.Store, s scoring.Spec) answer.SpecAdded {
	t.Helper()
	added, err := seeds.AddSpec(t.Context(), st, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

// Seed returns a seed that ran well.
func Seed(scenario string, number track.SeedNumber, values map[string]float64) track.Seed {
	return track.Seed{Scenario: scenario, Number: number, Outcome: track.OutcomeOK, Values: values}
}

// NewRecorder returns a recorder of seeds.
func NewRecorder(st *store.Store, options seeds.Options) *seeds.Recorder {
	return seeds.NewRecorder(st, options, rand.Reader)
}

// Record records a seed.
func Record(t testing.TB, st *store.Store, options seeds.Options, seed track.Seed) seeds.RecordResult {
	t.Helper()
	result, err := NewRecorder(st, options).Record(t.Context(), seed)
	if err != nil {
		t.Fatalf("seed %s: %v", seed.Number, err)
	}
	return result
}

// Lines returns a batch of seeds, one on a line.
func Lines(list ...track.Seed) iter.Seq2[lines.Record, error] {
	return func(yield func(lines.Record, error) bool) {
		for i, s := range list {
			if !yield(lines.Record{Line: i + 1, Seed: s}, nil) {
				return
			}
		}
	}
}

// Numbers returns the numbers of the recorded seeds of a scenario, in order.
func Numbers(t testing.TB, st *store.Store, scenario string) (numbers []track.SeedNumber) {
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

// Find returns a recorded seed.
func Find(t testing.TB, st *store.Store, scenario string, number track.SeedNumber) track.RecordedSeed {
	t.Helper()
	found, _, err := st.SeedByNumber(t.Context(), scenario, number, 0)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Task returns an execution of another source with calls and a final text, which earns a score.
func Task(key string, calls int) track.Execution {
	output, ok, fine := "The answer is 42, because six times seven is that.", 0, "fine"
	e := track.Execution{Key: key, Source: "codex", Lineage: "l", Version: "v1", Output: &output}
	for i := range calls {
		e.Calls = append(e.Calls, track.ToolCall{
			Key: fmt.Sprint("c", i), Tool: "Bash", Input: fmt.Sprint("ls ", i), Exit: &ok, Answered: true, Output: &fine,
		})
	}
	return e
}

// RecordExecution records an execution; open says that more of it will come.
func RecordExecution(t testing.TB, st *store.Store, e track.Execution, open bool) {
	t.Helper()
	if _, err := agents.NewRecorder(st, agents.Options{}, rand.Reader).Record(t.Context(), []track.Execution{e}, open); err != nil {
		t.Fatal(err)
	}
}

// WantError fails the test unless err wraps sentinel.
func WantError(t testing.TB, err, sentinel error) {
	t.Helper()
	if !errors.Is(err, sentinel) {
		t.Errorf("error %v, want %v", err, sentinel)
	}
}

// Near reports whether two numbers differ by at most 1e-12, absolute or relative, whichever is looser. NaN equals NaN.
func Near(a, b float64) bool {
	switch {
	case a == b, math.IsNaN(a) && math.IsNaN(b):
		return true
	case math.IsInf(a, 0), math.IsInf(b, 0):
		return false
	}
	return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a), math.Abs(b))
}
