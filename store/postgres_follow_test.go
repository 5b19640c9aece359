//go:build postgres

package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/oklog/ulid/v2"

	"track"
	"track/store"
)

// A transaction that commits late has smaller ids than those that committed before it: its seeds are found all the
// same, and nothing is found twice.
func TestFollowLateCommitPostgres(t *testing.T) {
	// On a server of its own: while others write to the same one, everything may have changed.
	schema := postgres(t, startServer(t, "autovacuum=off"))
	late, st := openDatabase(t, schema), openDatabase(t, schema)
	follower := st.Follower()
	record := func(to *store.Store, scenario string, number track.SeedNumber, before func()) error {
		return to.Update(t.Context(), func(tx *store.Tx) error {
			seed := track.Seed{ID: ulid.Make().String(), Scenario: scenario, Number: number, Outcome: track.OutcomeOK, RecordedAt: to.Now()}
			_, _, err := tx.AddSeed(seed, seed.Digest())
			before()
			return err
		})
	}
	look := func(what string, want ...store.Change) {
		t.Helper()
		got, isAll, err := follower.Look(t.Context())
		if diff := cmp.Diff(want, append([]store.Change(nil), got...)); err != nil || isAll || diff != "" {
			t.Errorf("%s: all %t, %v (-want +got):\n%s", what, isAll, err, diff)
		}
	}
	for _, scenario := range []string{"s", "late"} { // what both refer to: a writer waits for another one that adds it
		if err := record(st, scenario, 1, func() {}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := follower.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	inserted, commit, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() { done <- record(late, "late", 2, func() { close(inserted); <-commit }) }()
	<-inserted
	for number := range track.SeedNumber(3) {
		if err := record(st, "s", number+2, func() {}); err != nil {
			t.Fatal(err)
		}
		look("a seed", store.Change{Kind: store.SeedsChanged, Scenario: "s", Number: 1})
	}
	close(commit)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	look("the late one", store.Change{Kind: store.SeedsChanged, Scenario: "late", Number: 1})
	look("nothing")
}
