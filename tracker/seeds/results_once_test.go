package seeds_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/store"
	"track/tracker/seeds"
)

// A snapshot that has read the scores of seeds does not read their results again for the totals of their metrics. If
// the seeds were not recorded in the order of their numbers it does: sums depend on the order.
func TestResultsAreReadOnce(t *testing.T) {
	t.Parallel()
	st := testdb.New(t)
	for scenario, numbers := range map[string][]track.SeedNumber{"ordered": {1, 2, 3, 4}, "mixed": {3, 1, 4, 2}} {
		declared := scoring.Spec{Scenario: scenario, Metrics: []scoring.Metric{{Name: "a", Weight: 1, Target: scoring.MeanTolerance{Target: 1, Tolerance: 0.7}}, {Name: "b", Weight: 2, Target: scoring.Range{Max: 0.5}}}}
		if _, err := seeds.AddSpec(t.Context(), st, declared, nil); err != nil {
			t.Fatal(err)
		}
		for _, n := range numbers {
			trackertest.Record(t, st, seeds.Options{}, trackertest.Seed(scenario, n, map[string]float64{"a": 1 + 0.1*float64(n), "b": 1 / float64(n)}))
		}
		newest, _, err := st.Configurations(t.Context(), scenario, 1)
		if err != nil {
			t.Fatal(err)
		}
		declaredAs, err := st.Spec(t.Context(), scenario, 0)
		if err != nil {
			t.Fatal(err)
		}
		sel := store.Selection{Scenario: scenario, Configurations: []int64{newest[0].ID}, SpecID: declaredAs.ID}
		alone, statements := totalsAfterScores(t, st, sel, false)
		after, fewer := totalsAfterScores(t, st, sel, true)
		if diff := cmp.Diff(alone, after); diff != "" || len(after) != 2 {
			t.Errorf("%s: (-alone +after the scores):\n%s", scenario, diff)
		}
		if isKept := fewer < statements; isKept != (scenario == "ordered") {
			t.Errorf("%s: %d statements, and %d after the scores", scenario, statements, fewer)
		}
	}
}

// totalsAfterScores returns the totals of a selection, and how many statements they took in a snapshot that has read
// its seeds, with the scores of metrics or without.
func totalsAfterScores(t *testing.T, st *store.Store, sel store.Selection, withMetrics bool) (totals []scoring.MetricTotals, statements int64) {
	t.Helper()
	err := st.Snapshot(t.Context(), func(r *store.Reader) error {
		if _, err := r.SeedScores(t.Context(), sel, withMetrics); err != nil {
			return err
		}
		before := r.Statements()
		var err error
		totals, err = r.MetricTotals(t.Context(), sel)
		statements = r.Statements() - before
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return totals, statements
}
