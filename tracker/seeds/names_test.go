package seeds_test

import (
	"sync"
	"testing"

	"track"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/tracker/names"
	"track/tracker/seeds"
)

// Of two processes that record names like each other at once, the second one finds the name of the first.
func TestNearNamesAtOnce(t *testing.T) {
	path := testdb.New(t).Path()
	results := make([]seeds.RecordResult, 2)
	var all sync.WaitGroup
	for i, scenario := range []string{"savings_rate", "saving_rate"} {
		recorder := trackertest.NewRecorder(testdb.Open(t, path), seeds.Options{Names: names.New(names.Refuse)})
		all.Go(func() {
			var err error
			if results[i], err = recorder.Record(t.Context(), trackertest.Seed(scenario, 1, map[string]float64{"a": 1})); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	n := map[track.Disposition]int{}
	for _, r := range results {
		n[r.Disposition]++
	}
	if n[track.Recorded] != 1 || n[track.Misnamed] != 1 {
		t.Errorf("%v: want one recorded and one refused", n)
	}
}

// A metric is known once it was recorded, by whichever seed.
func TestMetricsRecordedBefore(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	record := func(policy names.Policy, number track.SeedNumber, values map[string]float64) track.Disposition {
		recorder := trackertest.NewRecorder(st, seeds.Options{Names: names.New(policy)})
		r, err := recorder.Record(t.Context(), trackertest.Seed("free", number, values))
		if err != nil {
			t.Fatal(err)
		}
		return r.Disposition
	}
	wealth := map[string]float64{"wealth": 1}
	for number, step := range []struct {
		policy names.Policy
		values map[string]float64
		want   track.Disposition
	}{
		{names.Refuse, wealth, track.Recorded},
		{names.Refuse, map[string]float64{"wealht": 1}, track.Misnamed},
		{names.Refuse, map[string]float64{"wealht": 1, "wealth": 1}, track.Recorded}, // beside the other
		{names.Refuse, map[string]float64{"wealht": 1}, track.Recorded},
		{names.Refuse, map[string]float64{"waelth": 1}, track.Misnamed},
		{names.Warn, map[string]float64{"waelth": 1}, track.Recorded},
		{names.Refuse, map[string]float64{"waelth": 1}, track.Recorded},
		{names.Accept, map[string]float64{"wealths": 1}, track.Recorded},
		{names.Refuse, map[string]float64{"output2": 1}, track.Recorded},
		{names.Refuse, map[string]float64{"output3": 1}, track.Recorded},
	} {
		if got := record(step.policy, track.SeedNumber(number), step.values); got != step.want {
			t.Errorf("seed %d %v: %s, want %s", number, step.values, got, step.want)
		}
	}
}
