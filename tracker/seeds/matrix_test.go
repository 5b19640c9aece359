package seeds_test

import (
	"errors"
	"slices"
	"testing"

	"track"
	"track/answer"
	"track/internal/sample"
	"track/internal/testdb"
	"track/store"
	"track/tracker/seeds"
)

// The matrix of a sweep has the configurations and the seeds that the sweep planned.
func TestMatrixOfSweep(t *testing.T) {
	t.Parallel()
	st, _ := sample.New(t)
	newest, err := st.NewestConfiguration(t.Context(), "growth_plus")
	if err != nil {
		t.Fatal(err)
	}
	s := track.Sweep{
		ID: "01JZZZZZZZZZZZZZZZZZZZZZZZ", Scenario: "growth_plus", Plan: "{}", StartedAt: testdb.Clock(),
		Planned: []track.PlannedSeeds{{Configuration: newest.Configuration, Seeds: track.SeedRanges{{First: 3, Last: 5}}}},
	}
	if err := st.Update(t.Context(), func(tx *store.Tx) error { _, err := tx.AddSweep(s); return err }); err != nil {
		t.Fatal(err)
	}
	show := func(scenario, id string) (a answer.Matrix, err error) {
		q := answer.MatrixQuestion{By: answer.ByConfiguration, Of: answer.Selector{Scenario: scenario}, Sweep: id, Order: answer.OrderDeclared, SeedOrder: answer.OrderNumber}
		err = st.Snapshot(t.Context(), func(r *store.Reader) (err error) { a, err = seeds.ShowMatrix(t.Context(), r, q); return err })
		return a, err
	}
	all, err := show("growth_plus", "")
	if err != nil || len(all.Items) < 2 || len(all.Seeds) <= 3 {
		t.Fatalf("%d configurations, %d seeds, error %v", len(all.Items), len(all.Seeds), err)
	}
	some, err := show("growth_plus", s.ID)
	if err != nil || len(some.Items) != 1 || some.Items[0].Configuration != newest.Hash || !slices.Equal(some.Seeds, []track.SeedNumber{3, 4, 5}) {
		t.Errorf("%+v, error %v", some, err)
	}
	if _, err := show("growth_plus", "NONE"); !errors.Is(err, track.ErrNotFound) {
		t.Errorf("a sweep that does not exist: %v", err)
	}
	if _, err := show("grid", s.ID); !errors.Is(err, track.ErrInvalid) {
		t.Errorf("a sweep of another scenario: %v", err)
	}
}
