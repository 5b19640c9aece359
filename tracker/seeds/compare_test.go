package seeds_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/answer"
	"track/scoring"
	"track/tracker/seeds"
)

func TestSideBySide(t *testing.T) {
	st := exampleStore(t)
	crashed := exampleSeeds(t, "buffer_stock")[0]
	crashed.Number, crashed.Outcome, crashed.Values = 20, track.OutcomeError, nil
	record(t, st, seeds.Options{}, crashed)
	_, s, err := seeds.LoadSpec(t.Context(), st.Reader, "growth_plus", 0)
	if err != nil {
		t.Fatal(err)
	}
	before := everything(t, st)
	selectors := []answer.Selector{selector(t, "growth_plus"), selector(t, "buffer_stock")}
	c, err := seeds.SideBySide(t.Context(), st.Reader, selectors, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Stored.Scenario != "growth_plus" || len(c.Sides) != 2 || c.Sides[1].Scenario != "buffer_stock" {
		t.Fatalf("under %s: %+v", c.Stored.Scenario, c.Sides)
	}
	for i, list := range [][]track.Seed{exampleSeeds(t, "growth_plus"), append(exampleSeeds(t, "buffer_stock"), crashed)} {
		want := scoring.Aggregate(s, assess(s, list))
		want.NIdentical = identical(list)
		if diff := cmp.Diff(want, c.Sides[i].Stability, asTotals, sameMoments, approx, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("side %d (-want +got):\n%s", i, diff)
		}
	}
	if diff := cmp.Diff([]track.SeedNumber{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, c.Shared); diff != "" {
		t.Errorf("shared (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, everything(t, st)); diff != "" {
		t.Errorf("something was stored (-before +after):\n%s", diff)
	}
	some, err := seeds.SideBySide(t.Context(), st.Reader, selectors, []track.SeedRange{{First: 8, Last: 20}})
	if err != nil || some.Sides[0].NSeeds != 2 || some.Sides[1].NSeeds != 3 || !cmp.Equal(some.Shared, []track.SeedNumber{8, 9}) {
		t.Errorf("some: %+v, error %v", some.Shared, err)
	}
	_, err = seeds.SideBySide(t.Context(), st.Reader, selectors, []track.SeedRange{{First: 20, Last: 20}}) // of one side alone
	wantError(t, err, track.ErrNotFound)
	_, err = seeds.SideBySide(t.Context(), st.Reader, []answer.Selector{selectors[1], selector(t, "nobody")}, nil)
	wantError(t, err, track.ErrNotFound)
}

// Copies of a seed are counted whether it was judged before or is judged now.
func TestSideBySideCountsCopies(t *testing.T) {
	st := newStore(t)
	addSpec(t, st, ranges("s", [2]float64{0, 1}))
	recordLabelled(t, st, "s", "v1", 0.5, 0.5, 0.6, math.NaN(), math.NaN())
	for version := 1; version <= 2; version++ {
		c, err := seeds.SideBySide(t.Context(), st.Reader, []answer.Selector{selector(t, "s")}, nil)
		if err != nil || c.Stored.Version != version || c.Sides[0].NIdentical != 1 || c.Sides[0].NOK != 3 || c.Sides[0].NSeeds != 5 {
			t.Errorf("version %d: %+v, error %v", version, c.Sides, err)
		}
		addSpec(t, st, ranges("s", [2]float64{0, 2}))
	}
}

// A metric in a history is the one of the stability.
func TestHistoryOfMetric(t *testing.T) {
	st := exampleStore(t)
	for _, file := range []string{"growth_plus__theta_14", "growth_plus__small_economy"} {
		for _, s := range exampleSeeds(t, file) {
			record(t, st, seeds.Options{}, s)
		}
	}
	_, s, err := seeds.LoadSpec(t.Context(), st.Reader, "growth_plus", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range s.Metrics {
		h, err := seeds.LoadHistory(t.Context(), st.Reader, "growth_plus", seeds.HistoryOptions{Limit: 10, Metric: m.Name})
		if err != nil {
			t.Fatal(err)
		}
		if h.Metric == nil || h.Metric.Name != m.Name || len(h.Entries) != 3 {
			t.Fatalf("%s: %+v with %d entries", m.Name, h.Metric, len(h.Entries))
		}
		for _, e := range h.Entries {
			all := stabilityOf(t, st, "growth_plus@"+e.Hash)
			for _, want := range all.Metrics {
				if want.Name == m.Name {
					if diff := cmp.Diff(&want, e.Metric, asTotals, cmpopts.EquateNaNs()); diff != "" {
						t.Errorf("%s of %s (-stability +history):\n%s", m.Name, e.Label, diff)
					}
				}
			}
		}
	}
	_, err = seeds.LoadHistory(t.Context(), st.Reader, "growth_plus", seeds.HistoryOptions{Limit: 10, Metric: "nothing"})
	wantError(t, err, track.ErrNotFound)
	h, err := seeds.LoadHistory(t.Context(), st.Reader, "growth_plus", seeds.HistoryOptions{Limit: 10})
	if err != nil || h.Metric != nil || h.Entries[0].Metric != nil {
		t.Errorf("without a metric: %+v, error %v", h.Metric, err)
	}
}
