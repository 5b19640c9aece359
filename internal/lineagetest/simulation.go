package lineagetest

import (
	"crypto/rand"
	"testing"

	"track"
	"track/evolution"
	"track/scoring"
	"track/store"
	"track/tracker/lineages"
	"track/tracker/seeds"
)

// Simulation begins the lineage theta of the parameters of scenario s, whose metrics a and b pass from 0 to 1.
func Simulation(t testing.TB, st *store.Store) *Loop {
	t.Helper()
	AddSpec(t, st, [2]float64{0, 1}, [2]float64{0, 1})
	settings := evolution.DefaultSettings()
	settings.Policy, settings.Params = "greedy", []byte(`{"eps":0}`)
	seed, root := uint64(7), `{"theta": 10}`
	o := lineages.NewOptions{Name: "theta", Seed: &seed, Subject: "scenario:s", Root: &root, Settings: settings}
	if _, _, err := lineages.New(t.Context(), st, o, rand.Reader); err != nil {
		t.Fatal(err)
	}
	return &Loop{T: t, Store: st, Name: "theta"}
}

// AddSpec adds a spec of scenario s with one RANGE metric for each pair of bounds, named a, b, and so on.
func AddSpec(t testing.TB, st *store.Store, bounds ...[2]float64) {
	t.Helper()
	s := scoring.Spec{Scenario: "s"}
	for i, b := range bounds {
		s.Metrics = append(s.Metrics, scoring.Metric{
			Name: string(rune('a' + i)), Weight: 1, Target: scoring.Range{Min: b[0], Max: b[1]}, Format: scoring.FormatDefault,
		})
	}
	if _, err := seeds.AddSpec(t.Context(), st, s, nil); err != nil {
		t.Fatal(err)
	}
}

// Simulate records seeds under parameters and a revision of the code. Values outside of 0 to 1 score less; nil is a
// collapse.
func (l *Loop) Simulate(params, commit string, values map[track.SeedNumber]map[string]float64) {
	l.T.Helper()
	p, err := track.NewParams([]byte(params))
	if err != nil {
		l.T.Fatal(err)
	}
	recorder := seeds.NewRecorder(l.Store, seeds.Options{}, rand.Reader)
	for number, v := range values {
		s := track.Seed{Scenario: "s", Number: number, Outcome: track.OutcomeOK, Values: v}
		s.Configuration.Params, s.Configuration.Revision = p, track.Revision{Commit: commit}
		if v == nil {
			s.Outcome = track.OutcomeCollapsed
		}
		if _, err := recorder.Record(l.T.Context(), s); err != nil {
			l.T.Fatalf("seed %s: %v", number, err)
		}
	}
}
