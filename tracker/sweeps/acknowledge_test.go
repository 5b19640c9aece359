package sweeps_test

import (
	"crypto/rand"
	"errors"
	"testing"

	"track"
	"track/internal/testdb"
	"track/tracker/sweeps"
)

// A seed is acknowledged once everything that was recorded before is on the disk, and not at all if that fails.
func TestAcknowledgedAfterSync(t *testing.T) {
	full := errors.New("the disk is gone")
	for name, problem := range map[string]error{"on the disk": nil, "a broken disk": full} {
		st := testdb.New(t)
		m := newSimulator(noisy)
		recorded, safe, told := map[track.SeedNumber]bool{}, map[track.SeedNumber]bool{}, 0
		observer := sweeps.Observer{Finished: func(swept sweeps.SweptSeed, _ sweeps.Progress) {
			if told++; !safe[swept.Seed.Number] {
				t.Errorf("%s: seed %s is acknowledged before it is on the disk", name, swept.Seed.Number)
			}
		}}
		s := sweeps.NewSweeper(st, rand.Reader, m.run, sweeps.Options{Plan: sweepPlan(t, 200), Jobs: 3}, observer)
		s.Observed(func(list []track.Seed) {
			for _, seed := range list {
				recorded[seed.Number] = true
			}
		}, func() error {
			for number := range recorded {
				safe[number] = true
			}
			return problem
		})
		a, err := s.Sweep(t.Context(), make(chan struct{}))
		want := 200
		if problem != nil {
			want = 0
		}
		if !errors.Is(err, problem) || told != want || problem == nil && a.NRan != want {
			t.Errorf("%s: %d seeds acknowledged, %d ran, %v", name, told, a.NRan, err)
		}
	}
}
