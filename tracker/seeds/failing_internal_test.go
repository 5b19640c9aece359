package seeds

import (
	"math"
	"slices"
	"testing"

	"track"
	"track/scoring"
)

// Crashes come first, then seeds that were not judged, then those that are farthest outside of a target. Seeds that are
// alike keep the order of their numbers.
func TestWorstSeedFirst(t *testing.T) {
	spec := scoring.Spec{Metrics: []scoring.Metric{
		{Name: "share", Weight: 1.5, Target: scoring.PctWithin{Target: 0.8, Min: 0.6}},             // accepts 0.4 and more
		{Name: "rate", Weight: 1.5, Target: scoring.MeanTolerance{Target: 0.065, Tolerance: 0.02}}, // accepts -0.015 to 0.145
	}}
	failed := func(n track.SeedNumber, metrics ...track.FailingMetric) track.FailingSeed {
		return track.FailingSeed{Number: n, Outcome: track.OutcomeOK, Metrics: metrics}
	}
	stored := []track.FailingSeed{
		failed(1, track.FailingMetric{Name: "share", Value: 0.3}),                                                   // by 0.25
		failed(2, track.FailingMetric{Name: "share", Value: 0.36}, track.FailingMetric{Name: "rate", Value: 0.305}), // by 0.1 and by 1
		failed(3, track.FailingMetric{Name: "share", Value: 0.3}),
		failed(4, track.FailingMetric{Name: "share", Value: math.NaN()}),
		failed(5),
		{Number: 6, Outcome: track.OutcomeTimeout},
		failed(7, track.FailingMetric{Name: "rate", Missing: true}),
		failed(9, track.FailingMetric{Name: "share", Value: 0.3}, track.FailingMetric{Name: "rate", Value: 0.153}), // by 0.25 and by 0.05
		{Number: 8, Outcome: track.OutcomeError, Reason: "why"},
	}
	var got []track.SeedNumber
	list := explainFailing(stored, spec, false)
	for _, f := range list {
		got = append(got, f.Number)
	}
	if want := []track.SeedNumber{6, 8, 5, 4, 7, 2, 9, 1, 3}; !slices.Equal(got, want) {
		t.Errorf("the order is %v, want %v", got, want)
	}
	if worst := list[5].Metrics; worst[0].Name != "rate" || math.Abs(*worst[0].Outside-1) > 1e-9 || math.Abs(*worst[1].Outside-0.1) > 1e-9 {
		t.Errorf("the metrics of seed 2: %+v", worst)
	}
}
