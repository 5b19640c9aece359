package store_test

import (
	"testing"

	"track"
	"track/store"
)

// An execution that was recorded before requests were keeps its checksum, and takes no room for them.
func TestMigrateToRequests(t *testing.T) {
	path := newDatabase(t)
	st, err := store.Open(t.Context(), path, clock)
	if err != nil {
		t.Fatal(err)
	}
	ids := addTexts(t, st, 3)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	down(t, path, 13)
	before := dump(t, path)
	if _, err := store.Migrate(t.Context(), path, clock()); err != nil {
		t.Fatal(err)
	}
	st = openDatabase(t, path)
	for _, id := range ids {
		e, err := st.Execution(t.Context(), id) // which compares the checksum
		if err != nil || len(e.Requests) > 0 {
			t.Errorf("%d requests, %v", len(e.Requests), err)
		}
		for _, c := range e.Calls {
			if c.Request != 0 {
				t.Errorf("a call of request %d", c.Request)
			}
		}
	}
	if after := dump(t, path); len(after["call"]) != len(before["call"]) || len(after["call"]) == 0 {
		t.Errorf("%d calls, and %d before", len(after["call"]), len(before["call"]))
	}
	twice := track.ModelRequest{Model: "m", Tokens: &track.Tokens{Input: new(int64)}}
	e := store.ExecutionRecord{Execution: track.Execution{ID: ids[0][:25] + "9", Lineage: "l", Key: "new", Status: track.ExecutionOK, Requests: []track.ModelRequest{twice, twice}}, RecordedAt: st.Now()}
	err = st.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.AddExecution(e)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := st.Execution(t.Context(), e.ID); err != nil || len(got.Requests) != 2 {
		t.Errorf("%d requests, %v", len(got.Requests), err)
	}
}
