package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/evolution"
	"track/store"
)

// checkLook looks for changes, however often that is done: each is found once.
func checkLook(t *testing.T, f *store.Follower, what string, want ...store.Change) {
	t.Helper()
	for range 2 {
		got, isAll, err := f.Look(t.Context())
		if err != nil || isAll {
			t.Fatalf("%s: all %t, %v", what, isAll, err)
		}
		if diff := cmp.Diff(append([]store.Change{}, want...), append([]store.Change{}, got...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
		want = nil
	}
}

func testFollow(t *testing.T, st *store.Store) {
	add(t, st, track.Seed{Scenario: "before", Number: 1})
	l := evolve(t, st, "l", 1)
	open := addSweep(t, st, track.Sweep{Scenario: "s", EndedAt: time.Time{}})
	follower := st.Follower()
	if changes, isAll, err := follower.Look(t.Context()); len(changes) > 0 || isAll || err != nil {
		t.Fatalf("the first look: %v, all %t, %v", changes, isAll, err)
	}
	for isAll := true; isAll; { // while transactions of others run on a server that began before
		var err error
		if _, isAll, err = follower.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	checkLook(t, follower, "nothing")

	add(t, st, track.Seed{Scenario: "s", Number: 1}, track.Seed{Scenario: "s", Number: 2}, track.Seed{Scenario: "other", Number: 1})
	checkLook(t, follower, "seeds", store.Change{Kind: store.SeedsChanged, Scenario: "other", Number: 1}, store.Change{Kind: store.SeedsChanged, Scenario: "s", Number: 2})

	labelled(t, st, "pinned", "v1")
	update(t, st, func(tx *store.Tx) error {
		return tx.SetBaseline(store.Baseline{ULID: newID(), Scenario: "pinned", Reason: "none", SetAt: st.Now()})
	})
	checkLook(t, follower, "a pin", store.Change{Kind: store.BaselineChanged, Scenario: "pinned", Number: 1}, store.Change{Kind: store.SeedsChanged, Scenario: "pinned", Number: 1})

	appendEntry(t, st, l, evolution.Entry{Lineage: "l", Number: 1, Kind: evolution.KindCreation, HeadAfter: "v001", At: st.Now(), Body: []byte("{}"), Hash: "x"})
	checkLook(t, follower, "a ledger", store.Change{Kind: store.LedgerChanged, Lineage: "l", Number: 1})

	open.EndedAt, open.Ending = st.Now(), track.SweepFinished
	update(t, st, func(tx *store.Tx) error { return tx.EndSweep(open) })
	checkLook(t, follower, "the end of a sweep", store.Change{Kind: store.SweepChanged, Scenario: "s", Sweep: open.ID, Number: 1})
	begun := addSweep(t, st, track.Sweep{Scenario: "s", EndedAt: st.Now(), Ending: track.SweepFinished})
	checkLook(t, follower, "a sweep", store.Change{Kind: store.SweepChanged, Scenario: "s", Sweep: begun.ID, Number: 1})

	addExecutions(t, st, execution(st, store.ExecutionRecord{Execution: track.Execution{Lineage: "agent", Version: "v9"}}))
	checkLook(t, follower, "an execution", store.Change{Kind: store.ExecutionsChanged, Lineage: "agent", Number: 1}, store.Change{Kind: store.VersionsChanged, Lineage: "agent", Number: 1})
}
