package store

import "testing"

// A report asks for the same aggregate several times.
func TestSnapshotAggregatesOnce(t *testing.T) {
	st := planStore(t)
	sel := Selection{Scenario: "s", Configurations: []int64{1}, SpecID: 1}
	statements := func(r *Reader, sel Selection) int64 {
		before := st.Statements()
		if _, err := r.MetricTotals(t.Context(), sel); err != nil {
			t.Fatal(err)
		}
		return st.Statements() - before
	}
	err := st.Snapshot(t.Context(), func(r *Reader) error {
		if first, again := statements(r, sel), statements(r, sel); first == 0 || again != 0 {
			t.Errorf("%d statements, then %d, want some and none", first, again)
		}
		sel.SpecID = 2
		if statements(r, sel) == 0 {
			t.Error("another selection was not read")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if statements(st.Reader, sel) == 0 {
			t.Error("outside of a snapshot nothing may be remembered")
		}
	}
}
