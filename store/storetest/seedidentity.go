package storetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/store"
)

func testIdentity(t *testing.T, st *store.Store) {
	first := track.Seed{Scenario: "s", Number: 1, Values: map[string]float64{"m": 1}}
	firstID := add(t, st, first)[0]
	offer := func(seed track.Seed) (id int64, existing *store.Existing) {
		t.Helper()
		update(t, st, func(tx *store.Tx) (err error) {
			id, existing, err = tx.AddSeed(complete(st, seed))
			return err
		})
		return id, existing
	}
	if _, existing := offer(first); existing == nil || !existing.Same || existing.ID != firstID {
		t.Fatalf("the same again: %+v, want the first, %d", existing, firstID)
	}
	other := first
	other.Values = map[string]float64{"m": 2}
	if _, existing := offer(other); existing == nil || existing.Same || existing.ID != firstID {
		t.Fatalf("other values: %+v, want the first, %d, as different", existing, firstID)
	}
	if got := one(t, st, "s", 1).Values["m"]; got != 1 {
		t.Errorf("the value is %v after a refused seed, want 1", got)
	}
	for what, elsewhere := range map[string]track.Seed{
		"scenario":  {Scenario: "other", Number: 1, Values: other.Values},
		"number":    {Scenario: "s", Number: 2, Values: other.Values},
		"label":     {Scenario: "s", Number: 1, Values: other.Values, Configuration: track.Configuration{Label: "v2"}},
		"params":    {Scenario: "s", Number: 1, Values: other.Values, Configuration: track.Configuration{Params: `{"a":1}`}},
		"commit":    {Scenario: "s", Number: 1, Values: other.Values, Configuration: track.Configuration{Revision: track.Revision{Commit: "a"}}},
		"dirty":     {Scenario: "s", Number: 1, Values: other.Values, Configuration: track.Configuration{Revision: track.Revision{Commit: "a", Dirty: true}}},
		"diff hash": {Scenario: "s", Number: 1, Values: other.Values, Configuration: track.Configuration{Revision: track.Revision{Commit: "a", Dirty: true, DiffHash: "b"}}},
		"unknown":   {Scenario: "s", Number: 1, Values: other.Values, Configuration: track.Configuration{Revision: track.Revision{Commit: "a", Unknown: "b"}}},
		"unknown 2": {Scenario: "s", Number: 1, Values: other.Values, Configuration: track.Configuration{Revision: track.Revision{Commit: "a", Unknown: "c"}}},
	} {
		if _, existing := offer(elsewhere); existing != nil {
			t.Errorf("a seed with another %s has the place of the first", what)
		}
	}
	elsewhere := first
	elsewhere.Environment, elsewhere.Message = track.Environment{"host": "n2"}, "elsewhere"
	if _, existing := offer(elsewhere); existing == nil || !existing.Same {
		t.Errorf("on another machine: %+v, want the first", existing)
	}

	// Replaced, the first is kept, and its place is free for one seed.
	update(t, st, func(tx *store.Tx) error { return tx.Supersede(firstID) })
	if id, existing := offer(other); existing != nil || id == firstID {
		t.Fatalf("after the first was superseded: id %d, existing %+v", id, existing)
	}
	if _, existing := offer(first); existing == nil || existing.Same {
		t.Errorf("the superseded values again: %+v, want a difference from those in force", existing)
	}
	update(t, st, func(tx *store.Tx) error {
		_, values, err := tx.Measured(t.Context(), firstID)
		if err == nil && values["m"] != 1 {
			t.Errorf("superseded values %v, want m = 1", values)
		}
		return err
	})
	seeds, err := st.Seeds(t.Context(), store.SeedFilter{Scenario: "s"})
	if err != nil || len(seeds) != 9 { // one for each configuration of number 1, and number 2
		t.Errorf("%d seeds in force and error %v, want 9", len(seeds), err)
	}
}

func testRollback(t *testing.T, st *store.Store) {
	failure := errors.New("changed my mind")
	seed := track.Seed{
		Scenario: "s", Number: 1, Values: map[string]float64{"m": 1}, Environment: track.Environment{"host": "n1"},
		Configuration: track.Configuration{Label: "v1"},
	}
	err := st.Update(t.Context(), func(tx *store.Tx) error {
		if _, _, err := tx.AddSeed(complete(st, seed)); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Fatalf("error %v, want %v", err, failure)
	}
	if names, err := st.Scenarios(t.Context()); err != nil || len(names) > 0 {
		t.Fatalf("scenarios %v and error %v, want none", names, err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		_ = st.Update(t.Context(), func(tx *store.Tx) error {
			_, _, _ = tx.AddSeed(complete(st, seed))
			panic("at the disco")
		})
	}()
	// What the transactions knew of ids went with them.
	add(t, st, seed)
	if got := one(t, st, "s", 1); got.Values["m"] != 1 || got.Configuration.Label != "v1" || got.Environment["host"] != "n1" {
		t.Errorf("after the rollbacks: %+v", got)
	}
}

func testConfigurations(t *testing.T, st *store.Store) {
	ctx := t.Context()
	_, err := st.NewestConfiguration(ctx, "s")
	if !errors.Is(err, track.ErrNotFound) {
		t.Errorf("no scenario: %v, want ErrNotFound", err)
	}
	seed := func(scenario string, number track.SeedNumber, c track.Configuration) track.Seed {
		return track.Seed{Scenario: scenario, Number: number, Configuration: c, Outcome: track.OutcomeError}
	}
	one := track.Configuration{Label: "v1", Params: `{"a":1}`}
	two := track.Configuration{Label: "v1", Params: `{"a":2}`}
	three := track.Configuration{Label: "v2", Revision: track.Revision{Commit: "c0ffee"}}
	foreign := track.Configuration{Label: "elsewhere"}
	add(t, st, seed("s", 1, one), seed("s", 1, two), seed("other", 1, foreign), seed("s", 1, three), seed("s", 2, one))

	newest, err := st.NewestConfiguration(ctx, "s")
	if err != nil || newest.Configuration != one {
		t.Errorf("most recent: %+v and error %v, want %+v", newest.Configuration, err, one)
	}
	list, total, err := st.Configurations(ctx, "s", 2)
	if err != nil || total != 3 || len(list) != 2 || list[0].Configuration != three || list[1].Configuration != two {
		t.Errorf("configurations %+v of %d and error %v, want the two newest of 3", list, total, err)
	}
	label := func(text string) *string { return &text }
	for name, tt := range map[string]struct {
		candidates store.Candidates
		want       []track.Configuration
	}{
		"all":            {store.Candidates{}, []track.Configuration{three, two, one}},
		"a label":        {store.Candidates{Label: label("v1")}, []track.Configuration{two, one}},
		"another label":  {store.Candidates{Label: label("v2")}, []track.Configuration{three}},
		"no label":       {store.Candidates{Label: label("")}, nil},
		"a hash":         {store.Candidates{Hash: three.Hash()}, []track.Configuration{three}},
		"its beginning":  {store.Candidates{Hash: one.Hash()[:4]}, []track.Configuration{one}},
		"large letters":  {store.Candidates{Hash: strings.ToUpper(one.Hash()[:10])}, nil},
		"a commit":       {store.Candidates{Commit: "c0ff"}, []track.Configuration{three}},
		"parameters":     {store.Candidates{Params: []string{`{"a":1}`, `{"a":3}`}}, []track.Configuration{one}},
		"of another":     {store.Candidates{Label: label("elsewhere")}, nil},
		"of another too": {store.Candidates{Hash: foreign.Hash()}, nil},
	} {
		tt.candidates.Scenario = "s"
		list, err := st.ListCandidates(ctx, tt.candidates, false, 10)
		if err != nil {
			t.Fatal(err)
		}
		var got []track.Configuration
		for _, c := range list {
			got = append(got, c.Configuration.Configuration)
			if c.Hash != c.Configuration.Configuration.Hash() {
				t.Errorf("%s: hash %s, want %s", name, c.Hash, c.Configuration.Configuration.Hash())
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
