package tracker_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
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

func newRecorder(st *store.Store, options seeds.Options) *seeds.Recorder {
	return seeds.NewRecorder(st, options, rand.Reader)
}

func record(t testing.TB, st *store.Store, options seeds.Options, seed track.Seed) seeds.RecordResult {
	t.Helper()
	result, err := newRecorder(st, options).Record(t.Context(), seed)
	if err != nil {
		t.Fatalf("seed %s: %v", seed.Number, err)
	}
	return result
}

func addSpec(t testing.TB, st *store.Store, s scoring.Spec) answer.SpecAdded {
	t.Helper()
	added, err := seeds.AddSpec(t.Context(), st, s)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

// ranges is a spec of one RANGE metric for each pair of bounds, named a, b, c, …
func ranges(scenario string, bounds ...[2]float64) scoring.Spec {
	s := scoring.Spec{Scenario: scenario}
	for i, b := range bounds {
		s.Metrics = append(s.Metrics, scoring.Metric{
			Name: string(rune('a' + i)), Weight: 1, Target: scoring.Range{Min: b[0], Max: b[1]}, Format: scoring.FormatDefault,
		})
	}
	return s
}

// seed is one that ran well.
func seed(scenario string, number track.SeedNumber, values map[string]float64) track.Seed {
	return track.Seed{Scenario: scenario, Number: number, Outcome: track.OutcomeOK, Values: values}
}

// entries makes a batch of seeds, one on a line.
func entries(list ...track.Seed) iter.Seq2[lines.Record, error] {
	return func(yield func(lines.Record, error) bool) {
		for i, s := range list {
			if !yield(lines.Record{Line: i + 1, Seed: s}, nil) {
				return
			}
		}
	}
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

func wantError(t testing.TB, err, sentinel error) {
	t.Helper()
	if !errors.Is(err, sentinel) {
		t.Errorf("error %v, want %v", err, sentinel)
	}
}

func pointer[T any](x T) *T { return &x }

// task is an execution with calls and a final text, which earns a score.
func task(key string, calls int) track.Execution {
	e := track.Execution{Key: key, Source: "codex", Lineage: "l", Version: "v1", Output: pointer("The answer is 42, because six times seven is that.")}
	for i := range calls {
		e.Calls = append(e.Calls, track.ToolCall{Key: fmt.Sprint("c", i), Tool: "Bash", Input: fmt.Sprint("ls ", i), Exit: pointer(0), Answered: true, Output: pointer("fine")})
	}
	return e
}

func recordExecution(t testing.TB, st *store.Store, e track.Execution, open bool) {
	t.Helper()
	if _, err := agents.NewRecorder(st, agents.Options{}, rand.Reader).Record(t.Context(), []track.Execution{e}, open); err != nil {
		t.Fatal(err)
	}
}

func detail(t testing.TB, st *store.Store, scenario string, number track.SeedNumber) track.RecordedSeed {
	t.Helper()
	d, _, err := st.SeedByNumber(t.Context(), scenario, number, 0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
