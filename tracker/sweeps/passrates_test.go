package sweeps_test

import (
	"testing"

	"track"
	"track/scoring"
	"track/tracker/seeds"
	"track/tracker/sweeps"
)

// The progress of a sweep shows the interval that stability will show: 4 of 4 are at least 0.05^(1/4) = 47.3 %.
func TestPassRatesText(t *testing.T) {
	var rates sweeps.PassRates
	for n := range track.SeedNumber(4) {
		rates.Add(sweeps.SweptSeed{
			Seed: track.Seed{Number: n, Outcome: track.OutcomeOK}, Result: seeds.RecordResult{Assessment: &scoring.Assessment{Scored: true}},
		})
	}
	if got, want := rates.Text(false), "pass rate 100.0% (95% Clopper–Pearson 47.3% to 100.0%)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
