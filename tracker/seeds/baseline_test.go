package seeds_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/store"
	"track/tracker/seeds"
)

// selector reads SCENARIO[@CONFIGURATION].
func selector(t testing.TB, text string) answer.Selector {
	t.Helper()
	sel, err := answer.ParseSelector(text)
	if err != nil {
		t.Fatal(err)
	}
	return sel
}

func pin(t testing.TB, st *store.Store, text string) (answer.Baseline, bool) {
	t.Helper()
	b, err := seeds.SetBaseline(t.Context(), st, answer.SetBaselineQuestion{Of: selector(t, text), Change: answer.Change{Reason: "because", Actor: "ann"}})
	if err != nil {
		t.Fatal(err)
	}
	return b.Baseline, b.Changed
}

func unpin(t testing.TB, st *store.Store, scenario string) (answer.BaselineChange, error) {
	t.Helper()
	return seeds.UnsetBaseline(t.Context(), st, answer.UnsetBaselineQuestion{Scenario: scenario, Change: answer.Change{Reason: "r", Actor: "ann"}})
}

// recordLabelled records seeds 0, 1, … of a scenario under a label, each with one of the values of metric a; NaN makes
// a crash.
func recordLabelled(t testing.TB, st *store.Store, scenario, label string, values ...float64) {
	t.Helper()
	for i, a := range values {
		s := trackertest.Seed(scenario, track.SeedNumber(i), map[string]float64{"a": a, "own": float64(i) + 0.5}) // no seed repeats another
		if a != a {
			s.Outcome, s.Values, s.Message = track.OutcomeError, nil, "no memory"
		}
		s.Configuration.Label = label
		trackertest.Record(t, st, seeds.Options{}, s)
	}
}

func TestPinBaseline(t *testing.T) {
	st := testdb.New(t)
	ctx := t.Context()
	recordLabelled(t, st, "s", "v1", 1)
	recordLabelled(t, st, "s", "v2", 1)
	for _, params := range []track.Params{`{"k":1}`, `{"k":2}`} {
		s := trackertest.Seed("s", 1, map[string]float64{"a": 1})
		s.Configuration = track.Configuration{Label: "twice", Params: params}
		trackertest.Record(t, st, seeds.Options{}, s)
	}
	recordLabelled(t, st, "other", "v1", 1)
	count := func() int64 { return testdb.Rows(t, st, "SELECT count(*) FROM baseline")[0][0].(int64) }
	refused := func(text, reason string, sentinel error) {
		t.Helper()
		before := count()
		b, err := seeds.SetBaseline(ctx, st, answer.SetBaselineQuestion{Of: selector(t, text), Change: answer.Change{Reason: reason, Actor: "ann"}})
		trackertest.WantError(t, err, sentinel)
		if b.Changed || count() != before {
			t.Errorf("%s with reason %q: changed %v, %d pins, were %d", text, reason, b.Changed, count(), before)
		}
	}
	refused("nobody", "r", track.ErrNotFound)
	refused("s@v9", "r", track.ErrNotFound)
	refused("s@twice", "r", track.ErrAmbiguous)
	refused("s@v1", " \t", track.ErrInvalid)
	_, err := unpin(t, st, "s")
	trackertest.WantError(t, err, track.ErrNotFound)
	if len(track.Hints(err)) == 0 {
		t.Error("unset without a pin gives no hint")
	}

	first, changed := pin(t, st, "s@v1")
	if !changed || first.Configuration.Label != "v1" || first.Replaced != "" || first.Reason != "because" || first.Actor != "ann" || !first.SetAt.Equal(testdb.Clock().UTC()) {
		t.Errorf("the first pin: %+v, changed %v", first, changed)
	}
	if again, changed := pin(t, st, "s@v1"); changed || !cmp.Equal(again, first) || count() != 1 {
		t.Errorf("the same again: changed %v, %d pins (-first +again):\n%s", changed, count(), cmp.Diff(first, again))
	}
	if second, changed := pin(t, st, "s@v2"); !changed || second.Replaced != first.Configuration.Hash {
		t.Errorf("another: %+v, changed %v, want it to replace %s", second, changed, first.Configuration.Hash)
	}
	if stored, err := st.Baseline(ctx, "s"); err != nil || stored.Configuration.Label != "v2" || stored.Replaced != first.Configuration.Hash {
		t.Errorf("stored: %+v, error %v", stored, err)
	}
	if b, _ := pin(t, st, "other"); b.Configuration.Label != "v1" { // a scenario alone names its newest
		t.Errorf("other: %+v", b)
	}
	gone, err := unpin(t, st, "s")
	if err != nil || gone.Configuration != nil || gone.Replaced == "" {
		t.Errorf("unset: %+v, error %v", gone, err)
	}
	if now, err := st.Baseline(ctx, "s"); now != nil || err != nil {
		t.Errorf("after unset: %+v, error %v", now, err)
	}
	_, err = unpin(t, st, "s")
	trackertest.WantError(t, err, track.ErrNotFound)
	if b, changed := pin(t, st, "s@v2"); !changed || b.Replaced != "" {
		t.Errorf("after unset: %+v, changed %v, want it to replace nothing", b, changed)
	}
	if count() != 5 {
		t.Errorf("%d rows, want 5", count())
	}
}

// Each writer has its own connection, as processes have.
func TestPinsAtOnce(t *testing.T) {
	const writers, each = 16, 4
	testdb.OnlySQLite(t, "its database is a file")
	path := testdb.NewFile(t)
	open := func() *store.Store {
		st, err := store.Open(t.Context(), path, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		return st
	}
	st := open()
	for i := range writers {
		recordLabelled(t, st, "s", fmt.Sprint("v", i), 1)
	}
	replaced := make([]string, writers*each) // what each pin said that it replaced; hash of its own configuration behind it
	var all sync.WaitGroup
	for w := range writers {
		st := open()
		sel := selector(t, fmt.Sprint("s@v", w))
		all.Go(func() {
			for i := range each {
				b, err := seeds.SetBaseline(t.Context(), st, answer.SetBaselineQuestion{Of: sel, Change: answer.Change{Reason: "r", Actor: "a"}})
				if err != nil {
					t.Error(err)
					return
				}
				if b.Changed {
					replaced[w*each+i] = b.Replaced + ">" + b.Configuration.Hash
				}
			}
		})
	}
	all.Wait()
	want := map[string]int{}
	n := 0
	for _, r := range replaced {
		if r != "" {
			want[r]++
			n++
		}
	}
	list, err := st.Baselines(t.Context(), "s")
	if err != nil || len(list) != n || n < writers {
		t.Fatalf("%d pins stored and error %v; %d said that they changed something", len(list), err, n)
	}
	for i, b := range list { // the newest first
		want[b.Replaced+">"+b.Configuration.Hash]--
		previous := ""
		if i+1 < len(list) {
			previous = list[i+1].Configuration.Hash
			if b.SetAt.Before(list[i+1].SetAt) {
				t.Errorf("a pin of %v comes after one of %v", b.SetAt, list[i+1].SetAt)
			}
		}
		if b.Replaced != previous || previous == b.Configuration.Hash {
			t.Errorf("pin %d replaces %q with %q, and before it stood %q", i, b.Replaced, b.Configuration.Hash, previous)
		}
	}
	for change, left := range want {
		if left != 0 {
			t.Errorf("%s: told %d times more than stored", change, left)
		}
	}
	chain := testdb.Rows(t, st, "SELECT count(*) - count(previous_id), count(previous_id) - count(DISTINCT previous_id) FROM baseline")
	if diff := cmp.Diff([][]any{{int64(1), int64(0)}}, chain); diff != "" {
		t.Errorf("beginnings and forks of the chain (-want +got):\n%s", diff)
	}
}

func TestBaselineOrder(t *testing.T) {
	st := testdb.New(t)
	named := trackertest.Ranges("s", [2]float64{0, 1})
	named.Improvement = &scoring.Improvement{Baseline: "from spec", MaxDegradationBase: 0.25}
	plain := trackertest.Ranges("plain", [2]float64{0, 1})
	for _, s := range []scoring.Spec{named, plain, trackertest.Ranges("from spec", [2]float64{0, 1}), trackertest.Ranges("given", [2]float64{0, 1})} {
		trackertest.AddSpec(t, st, s)
	}
	for _, scenario := range []string{"s", "plain", "from spec", "given"} {
		for _, label := range []string{"v1", "v2", "v3"} {
			recordLabelled(t, st, scenario, label, 0.1, 0.2, 0.3)
		}
	}
	compare := func(candidate, baseline string) (string, error) {
		t.Helper()
		q := answer.PairedQuestion{Candidate: selector(t, candidate)}
		if baseline != "" {
			sel := selector(t, baseline)
			q.Baseline = &sel
		}
		r, err := seeds.Compare(t.Context(), st.Reader, q, "")
		if err != nil {
			return "", err
		}
		if r.Spec.Scenario != r.Baseline.Scenario || r.NPairs != 3 {
			t.Errorf("%s against %s: %d pairs under a spec of %s", candidate, baseline, r.NPairs, r.Spec.Scenario)
		}
		return fmt.Sprintf("%s %s@%s", r.BaselineSource, r.Baseline.Scenario, r.Baseline.Configuration.Label), nil
	}
	is := func(candidate, baseline, want string) {
		t.Helper()
		if got, err := compare(candidate, baseline); got != want || err != nil {
			t.Errorf("%s against %q: %q and error %v, want %q", candidate, baseline, got, err, want)
		}
	}
	fails := func(candidate, baseline string, sentinel error, hint string) {
		t.Helper()
		_, err := compare(candidate, baseline)
		trackertest.WantError(t, err, sentinel)
		if hints := fmt.Sprint(track.Hints(err)); !strings.Contains(hints, hint) {
			t.Errorf("%s against %q: hints %q do not say %q", candidate, baseline, hints, hint)
		}
	}
	fails("plain", "", track.ErrNotFound, "baseline set plain@CONFIGURATION")
	fails("plain", "plain", seeds.ErrSameConfiguration, "history plain")
	fails("plain@v2", "plain@v2", track.ErrInvalid, "history plain")
	fails("plain", "plain@v9", track.ErrNotFound, "history plain")
	fails("plain", "nobody", track.ErrNotFound, "the scenarios are")
	fails("nobody", "plain", track.ErrNotFound, "the scenarios are")
	is("plain", "plain@v1", "given plain@v1")
	is("plain", "given", "given given@v3") // the newest
	is("s", "", "spec from spec@v3")
	is("s", "s@v1", "given s@v1") // before the spec

	for _, text := range []string{"plain@v1", "s@v2", "from spec@v2", "given@v1"} {
		pin(t, st, text)
	}
	is("plain", "", "pinned plain@v1")
	is("plain", "given", "given given@v1") // its pin
	is("s", "", "spec from spec@v2")       // the spec comes before the pin of s
	is("s@v1", "s", "given s@v2")
	fails("plain@v1", "", seeds.ErrSameConfiguration, "history plain")

	self := plain // a spec that names its own scenario means its pin
	self.Improvement = &scoring.Improvement{Baseline: "plain", MaxDegradationBase: 0.25}
	trackertest.AddSpec(t, st, self)
	is("plain", "", "pinned plain@v1")
}
