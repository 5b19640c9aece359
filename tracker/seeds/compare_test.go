package seeds_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/answer"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
	"track/tracker/seeds"
)

func TestSideBySide(t *testing.T) {
	testdb.OnlySQLite(t, "it compares the tables of the file")
	st := exampleStore(t)
	crashed := exampleSeeds(t, "buffer_stock")[0]
	crashed.Number, crashed.Outcome, crashed.Values = 20, track.OutcomeError, nil
	trackertest.Record(t, st, seeds.Options{}, crashed)
	_, s, err := seeds.LoadSpec(t.Context(), st.Reader, "growth_plus", 0)
	if err != nil {
		t.Fatal(err)
	}
	before := everything(t, st)
	selectors := []answer.Selector{selector(t, "growth_plus"), selector(t, "buffer_stock")}
	c, err := seeds.CompareSides(t.Context(), st.Reader, answer.CompareQuestion{Of: selectors})
	if err != nil {
		t.Fatal(err)
	}
	if c.Spec.Scenario != "growth_plus" || len(c.Sides) != 2 || c.Sides[1].Scenario != "buffer_stock" {
		t.Fatalf("under %s: %+v", c.Spec.Scenario, c.Sides)
	}
	for i, list := range [][]track.Seed{exampleSeeds(t, "growth_plus"), append(exampleSeeds(t, "buffer_stock"), crashed)} {
		want := scoring.Aggregate(s, assess(s, distinct(list)))
		if diff := cmp.Diff(want, c.Sides[i].Stability, asTotals, sameMoments, approx, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("side %d (-want +got):\n%s", i, diff)
		}
	}
	if c.NShared != 10 { // 0 to 9
		t.Errorf("%d shared seeds", c.NShared)
	}
	checkDifferences(t, st, c, selectors)
	if diff := cmp.Diff(before, everything(t, st)); diff != "" {
		t.Errorf("something was stored (-before +after):\n%s", diff)
	}
	totals, err := seeds.CompareSides(t.Context(), st.Reader, answer.CompareQuestion{Of: selectors, Totals: true})
	if err != nil || len(totals.Differences[0].Metrics) != 0 || totals.NMetrics != len(s.Metrics) || !totals.OfTotals {
		t.Errorf("totals: %d metrics of %d, error %v", len(totals.Differences[0].Metrics), totals.NMetrics, err)
	}
	if diff := cmp.Diff(c.Differences[0].Total, totals.Differences[0].Total, cmpopts.IgnoreUnexported(verdict.TotalDelta{})) + cmp.Diff(c.Differences[0].Failed, totals.Differences[0].Failed); diff != "" {
		t.Errorf("the totals alone differ from those with metrics (-with +alone):\n%s", diff)
	}
	for i := range c.Sides {
		if diff := cmp.Diff(c.Sides[i].Judgement, totals.Sides[i].Judgement, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("the judgement of side %d differs from that with metrics (-with +alone):\n%s", i, diff)
		}
	}
	some, err := seeds.CompareSides(t.Context(), st.Reader, answer.CompareQuestion{Of: selectors, Seeds: []track.SeedRange{{First: 8, Last: 20}}})
	if err != nil || some.Sides[0].NSeeds != 2 || some.Sides[1].NSeeds != 3 || some.NShared != 2 {
		t.Errorf("some: %d shared, error %v", some.NShared, err)
	}
	_, err = seeds.CompareSides(t.Context(), st.Reader, answer.CompareQuestion{Of: selectors, Seeds: []track.SeedRange{{First: 20, Last: 20}}}) // of one side alone
	trackertest.WantError(t, err, track.ErrNotFound)
	_, err = seeds.CompareSides(t.Context(), st.Reader, answer.CompareQuestion{Of: []answer.Selector{selectors[1], selector(t, "nobody")}})
	trackertest.WantError(t, err, track.ErrNotFound)
}

// checkDifferences checks that the sides differ by what an improvement finds, and that the seed of one side alone is
// named.
func checkDifferences(t *testing.T, st *store.Store, c answer.Comparison, selectors []answer.Selector) {
	t.Helper()
	want, err := seeds.Compare(t.Context(), st.Reader, answer.PairedQuestion{Candidate: selectors[1], Baseline: &selectors[0]}, "")
	if err != nil {
		t.Fatal(err)
	}
	d := c.Differences[0]
	if diff := cmp.Diff(want.Metrics, d.Metrics, cmpopts.IgnoreUnexported(verdict.MetricDelta{}), cmpopts.IgnoreFields(verdict.MetricDelta{}, "Threshold", "Status"), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("the metrics differ otherwise than in an improvement:\n%s", diff)
	}
	if len(c.Differences) != 1 || d.NPairs != 10 || !slices.Equal(d.Unmatched.Candidate, []uint64{20}) || len(d.Unmatched.Baseline) > 0 {
		t.Errorf("%d pairs, unmatched %v", d.NPairs, d.Unmatched)
	}
	var text strings.Builder
	for _, note := range c.Tables()[1].Notes {
		text.WriteString(note.Text + "\n")
	}
	if !strings.Contains(text.String(), "1 seed only in B, in no pair: 20\n") {
		t.Errorf("the seed of one side is not named:\n%s", text.String())
	}
}

// Copies of a seed are counted whether it was judged before or is judged now.
func TestSideBySideCountsCopies(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	recordLabelled(t, st, "s", "v1", math.NaN(), math.NaN())
	for i, a := range []float64{0.5, 0.5, 0.6} {
		s := trackertest.Seed("s", track.SeedNumber(i+2), map[string]float64{"a": a})
		s.Configuration.Label = "v1"
		trackertest.Record(t, st, seeds.Options{}, s)
	}
	for version := 1; version <= 2; version++ {
		c, err := seeds.CompareSides(t.Context(), st.Reader, answer.CompareQuestion{Of: []answer.Selector{selector(t, "s")}})
		if err != nil || c.Spec.Version != version || c.Sides[0].NIdentical != 1 || c.Sides[0].NOK != 2 || c.Sides[0].NSeeds != 4 {
			t.Errorf("version %d: %+v, error %v", version, c.Sides, err)
		}
		trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 2}))
	}
}

// A metric in a history is the one of the stability.
func TestHistoryOfMetric(t *testing.T) {
	st := exampleStore(t)
	for _, file := range []string{"growth_plus__theta_14", "growth_plus__small_economy"} {
		for _, s := range exampleSeeds(t, file) {
			trackertest.Record(t, st, seeds.Options{}, s)
		}
	}
	_, s, err := seeds.LoadSpec(t.Context(), st.Reader, "growth_plus", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range s.Metrics {
		h, err := seeds.ShowHistory(t.Context(), st.Reader, answer.HistoryQuestion{Scenario: "growth_plus", Limit: 10, Metric: m.Name})
		if err != nil {
			t.Fatal(err)
		}
		if h.Metric == nil || h.Metric.Name != m.Name || len(h.Entries) != 3 {
			t.Fatalf("%s: %+v with %d entries", m.Name, h.Metric, len(h.Entries))
		}
		for _, e := range h.Entries {
			all := stabilityOf(t, st, "growth_plus@"+e.Configuration.Hash)
			for _, want := range all.Metrics {
				if want.Name == m.Name {
					if diff := cmp.Diff(want, e.Metric.MetricStability, asTotals, cmpopts.EquateNaNs()); diff != "" {
						t.Errorf("%s of %s (-stability +history):\n%s", m.Name, e.Configuration.Label, diff)
					}
				}
			}
		}
	}
	_, err = seeds.ShowHistory(t.Context(), st.Reader, answer.HistoryQuestion{Scenario: "growth_plus", Limit: 10, Metric: "nothing"})
	trackertest.WantError(t, err, track.ErrNotFound)
	h, err := seeds.ShowHistory(t.Context(), st.Reader, answer.HistoryQuestion{Scenario: "growth_plus", Limit: 10})
	if err != nil || h.Metric != nil || h.Entries[0].Metric != nil {
		t.Errorf("without a metric: %+v, error %v", h.Metric, err)
	}
}
