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

// An execution of a transaction that commits late is behind the mark of somebody who has read later ones.
func TestWatchLateCommitPostgres(t *testing.T) {
	schema := postgres(t, startServer(t))
	late, st := openDatabase(t, schema), openDatabase(t, schema)
	record := func(to *store.Store, lineage, key string, before func()) error {
		return to.Update(t.Context(), func(tx *store.Tx) error {
			e := store.ExecutionRecord{Execution: track.Execution{Lineage: lineage, Key: key, Status: track.ExecutionOK}, RecordedAt: to.Now()}
			e.ID = ulid.Make().String()
			_, err := tx.AddExecution(e)
			before()
			return err
		})
	}
	for _, lineage := range []string{"l", "late"} { // what both refer to: a writer waits for another one that adds it
		if err := record(st, lineage, "first", func() {}); err != nil {
			t.Fatal(err)
		}
	}
	mark, err := st.ExecutionsEnd(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{"l first": true, "late first": true}
	look := func(want string) {
		t.Helper()
		var list []track.RecordedExecution
		if list, mark, err = st.ExecutionsAfter(t.Context(), mark, 1000); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, e := range list {
			if name := e.Lineage + " " + e.Key; !seen[name] {
				got += name
				seen[name] = true
			}
		}
		if got != want {
			t.Errorf("new is %q, want %q", got, want)
		}
	}
	inserted, commit, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() { done <- record(late, "late", "second", func() { close(inserted); <-commit }) }()
	<-inserted
	for _, key := range []string{"2", "3"} {
		if err := record(st, "l", key, func() {}); err != nil {
			t.Fatal(err)
		}
		look("l " + key)
	}
	close(commit)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	look("late second")
	look("")
}
