package storetest

import (
	"slices"
	"testing"

	"track"
	"track/store"
)

// watched follows the executions of a database by marks.
type watched struct {
	*testing.T
	st   *store.Store
	mark store.ExecutionMark
	seen map[string]bool
}

// new returns the ids that were not seen before, in order. It reads pages of two.
func (w *watched) new() (ids []string) {
	w.Helper()
	for {
		list, mark, err := w.st.ExecutionsAfter(w.Context(), w.mark, 2)
		if err != nil {
			w.Fatal(err)
		}
		if len(list) > 2 {
			w.Fatalf("%d executions on a page of 2", len(list))
		}
		w.mark = mark
		for _, e := range list {
			if !w.seen[e.ID] {
				ids = append(ids, e.ID)
			}
			w.seen[e.ID] = true
		}
		if mark.Read == 0 {
			return ids
		}
	}
}

func testExecutionsAfter(t *testing.T, st *store.Store) {
	in := func(lineage string) store.ExecutionRecord {
		return store.ExecutionRecord{Execution: track.Execution{Lineage: lineage}}
	}
	before := addExecutions(t, st, in("l"), in("other"))
	open := in("l")
	open.Open = true
	before = append(before, addExecutions(t, st, open)...)
	mark, err := st.ExecutionsEnd(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for lineage, want := range map[string][]string{"": before, "l": {before[0], before[2]}, "other": before[1:2], "nosuch": nil} {
		got, err := st.KnownExecutions(t.Context(), mark, lineage)
		want = slices.Sorted(slices.Values(want))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("known of %q: %v, %v, want %v", lineage, got, err, want)
		}
	}
	w := watched{t, st, mark, map[string]bool{}}
	for _, id := range before { // on a server, those of the last second come again
		w.seen[id] = true
	}
	if got := w.new(); len(got) > 0 {
		t.Errorf("new are %v, and nothing was recorded", got)
	}
	for range 2 {
		want := addExecutions(t, st, in("l"), in("l"), in("other"), in("l"), in("l"))
		if got := w.new(); !slices.Equal(got, want) {
			t.Errorf("new are %v, want %v", got, want)
		}
		if got := w.new(); len(got) > 0 {
			t.Errorf("new are %v again", got)
		}
	}
	w.mark = store.ExecutionMark{Known: 1 << 62, Next: 1 << 62} // of a database that was restored from an older copy
	w.new()
	if want := addExecutions(t, st, in("l")); !slices.Equal(w.new(), want) {
		t.Error("nothing is new behind a mark that is too large")
	}
}
