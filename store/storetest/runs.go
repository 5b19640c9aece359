package storetest

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/scoring"
	"track/store"
)

func testSeedStatuses(t *testing.T, st *store.Store) {
	spec := addSpec(t, st, "s", 3)
	judge(t, st, spec, 5, []float64{1, math.NaN()}, 3)
	ids := add(t, st,
		track.Seed{Scenario: "s", Number: 0, Values: map[string]float64{"m0": -5, "m1": 1, "m2": 1}},
		track.Seed{Scenario: "s", Number: 2, Outcome: track.OutcomeError}, track.Seed{Scenario: "s", Number: 3}) // not judged
	update(t, st, func(tx *store.Tx) error {
		return tx.AddAssessment(ids[0], spec.ID, scoring.Assessment{Scored: true, NPass: 1, NWarn: 1, NFail: 1, Results: []scoring.Result{
			{Name: "m0", Status: scoring.Fail}, {Name: "m1", Status: scoring.Pass, Score: 1}, {Name: "m2", Status: scoring.Warn},
		}})
	})
	sel := store.Selection{Scenario: "s", Configurations: []int64{configuration(t, st, "s")}, SpecID: spec.ID}
	rows, err := st.SeedScores(t.Context(), sel, true)
	if err != nil {
		t.Fatal(err)
	}
	got := map[track.SeedNumber][]scoring.Status{}
	for _, row := range rows {
		for _, status := range row.Statuses {
			got[row.Number] = append(got[row.Number], status.Status())
		}
	}
	want := map[track.SeedNumber][]scoring.Status{5: {scoring.Pass, scoring.Pass, ""}, 0: {scoring.Fail, scoring.Pass, scoring.Warn}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("statuses of seeds (-want +got):\n%s", diff)
	}
}

func testRuns(t *testing.T, st *store.Store) {
	base, second, hour := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC), time.Second, time.Hour
	here, there := track.Environment{"host": "here"}, track.Environment{"host": "there"}
	add(t, st,
		track.Seed{Scenario: "s", Number: 0, StartedAt: base.Add(hour), Duration: &hour, Environment: there},
		track.Seed{Scenario: "s", Number: 1, StartedAt: base, Duration: &second, Environment: here},
		track.Seed{Scenario: "s", Number: 2, Environment: here}, track.Seed{Scenario: "s", Number: 3})
	sel := store.Selection{Scenario: "s", Configurations: []int64{configuration(t, st, "s")}}
	want := track.Runs{
		First: base, Last: base.Add(hour), NStarted: 2, Duration: hour + second, NTimed: 2,
		Environments: []track.EnvironmentUse{{Environment: here, NSeeds: 2}, {Environment: there, NSeeds: 1}, {NSeeds: 1}},
	}
	for name, want := range map[string]track.Runs{
		"all": want, "none": {},
		"one that tells nothing": {Environments: []track.EnvironmentUse{{NSeeds: 1}}},
	} {
		sel.Seeds = map[string][]track.SeedRange{"none": {{First: 9, Last: 9}}, "one that tells nothing": {{First: 3, Last: 3}}}[name]
		got, err := st.Runs(t.Context(), sel)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
