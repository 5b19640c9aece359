package seeds_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/answer"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/spec"
	"track/store"
	"track/tracker/seeds"
)

func TestAddSpec(t *testing.T) {
	st := testdb.New(t)
	for n := range 450 { // more than one page of seeds that wait
		s := trackertest.Seed("s", track.SeedNumber(n), map[string]float64{"a": float64(n)})
		if n%10 == 0 {
			s.Outcome = track.OutcomeError
		}
		trackertest.Record(t, st, seeds.Options{}, s)
	}
	trackertest.Record(t, st, seeds.Options{}, trackertest.Seed("other", 1, map[string]float64{"a": 1}))
	one, two := trackertest.Ranges("s", [2]float64{0, 100}), trackertest.Ranges("s", [2]float64{0, 200})
	added := trackertest.AddSpec(t, st, one)
	if !added.Added || added.Version != 1 || added.Scored != 405 || added.Hash != spec.Hash(one) {
		t.Errorf("the first: %+v, want 405 seeds scored", added)
	}
	if stored, err := st.Spec(t.Context(), "s", 1); err != nil || string(stored.Document) != string(spec.Canonical(one)) {
		t.Errorf("stored: %s, %v", stored.Document, err)
	}
	if again := trackertest.AddSpec(t, st, one); again.Added || again.Version != 1 || again.Scored != 0 {
		t.Errorf("the first again: %+v", again)
	}
	added = trackertest.AddSpec(t, st, two)
	if !added.Added || added.Version != 2 || added.Scored != 0 {
		t.Errorf("the second: %+v, want no seed scored", added)
	}
	if again := trackertest.AddSpec(t, st, one); again.Added || again.Version != 1 {
		t.Errorf("back to the first: %+v; it has a version already", again)
	}
	for version, want := range map[int]scoring.Spec{0: two, 1: one, 2: two} {
		_, got, err := seeds.LoadSpec(t.Context(), st.Reader, "s", version)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("version %d: error %v (-want +got):\n%s", version, err, diff)
		}
	}
	stability, err := seeds.Stability(t.Context(), st.Reader, answer.Selector{Scenario: "s"}, seeds.StabilityOptions{SpecVersion: 1})
	if err != nil || stability.NSeeds != 450 || stability.NScored != 405 || stability.NPassed != 225 { // up to 250 it is no FAIL; without each tenth
		t.Errorf("%+v, error %v, want 225 of 450 to pass", stability.Stability, err)
	}
	n := 0
	st.Hear(func(string, []any) { n++ })
	rescored, err := seeds.Rescore(t.Context(), st, answer.RescoreQuestion{Scenario: "s", Spec: 2})
	if err != nil || rescored.NScored != 405 || n > 60 {
		t.Errorf("%d seeds scored again in %d statements, error %v; want 405 in fewer than there are seeds", rescored.NScored, n, err)
	}
}

func TestRescore(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}, [2]float64{0, 1}))
	number := track.SeedNumber(0)
	add := func(label string, values map[string]float64) {
		s := trackertest.Seed("s", number, values)
		s.Configuration.Label = label
		number++
		trackertest.Record(t, st, seeds.Options{}, s)
	}
	add("v1", map[string]float64{"a": 0.5, "b": 0.5, "c": 0.5}) // 0: passes under both
	add("v1", map[string]float64{"a": 1.2, "b": 0.5})           // 1: a warns, then passes; c is missing
	add("v2", map[string]float64{"a": 9, "b": 0.5, "c": 9})     // 2: a fails, then warns
	add("v2", map[string]float64{"a": math.NaN(), "c": 0.5})    // 3: fails under both
	trackertest.Record(t, st, seeds.Options{}, track.Seed{Scenario: "s", Number: 9, Outcome: track.OutcomeError})
	wider := trackertest.Ranges("s", [2]float64{0, 8}, [2]float64{0, 1}, [2]float64{0, 1})
	wider.Metrics = []scoring.Metric{wider.Metrics[0], wider.Metrics[2]} // b goes, c comes
	trackertest.AddSpec(t, st, wider)

	type counts struct{ Seeds, Scored, Before, Flips int }
	countsOf := func(a answer.Rescored) counts { return counts{a.NSeeds, a.NScored, a.NBefore, a.NFlips} }
	rescore := func(dryRun bool) (counts, []string) {
		t.Helper()
		a, err := seeds.Rescore(t.Context(), st, answer.RescoreQuestion{Scenario: "s", Spec: 2, DryRun: dryRun})
		if err != nil {
			t.Fatal(err)
		}
		var flips []string
		for _, f := range a.Items {
			flips = append(flips, fmt.Sprintf("%s@%s %s: %s under %d, now %s", f.Seed, f.Label, f.Metric, f.From, f.FromVersion, f.To))
		}
		return countsOf(a), flips
	}
	wantFlips := []string{"1@v1 a: WARN under 1, now PASS", "2@v2 a: FAIL under 1, now WARN"}
	stages := []struct {
		name   string
		dryRun bool
		want   counts
	}{
		{"dry run", true, counts{Seeds: 4, Scored: 4, Flips: 2}},
		{"dry run again", true, counts{Seeds: 4, Scored: 4, Flips: 2}},
		{"for good", false, counts{Seeds: 4, Scored: 4, Flips: 2}},
		{"again", false, counts{Seeds: 4, Before: 4}}, // flips are reported once
		{"dry run afterwards", true, counts{Seeds: 4, Before: 4, Flips: 2}},
	}
	const earlier = "SELECT id, metric, value, status, score, reason FROM v_result WHERE spec_version = 1 ORDER BY id, metric"
	before := testdb.Rows(t, st, earlier)
	for _, stage := range stages {
		total, flips := rescore(stage.dryRun)
		if diff := cmp.Diff(stage.want, total); diff != "" {
			t.Errorf("%s (-want +got):\n%s", stage.name, diff)
		}
		if diff := cmp.Diff(wantFlips[:stage.want.Flips], flips, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: flips (-want +got):\n%s", stage.name, diff)
		}
		want := int64(4)
		if stage.dryRun && stage.want.Scored > 0 {
			want = 0
		}
		if got := testdb.Rows(t, st, "SELECT count(*) FROM assessment JOIN spec ON spec.id = spec_id WHERE version = 2"); !cmp.Equal(got, [][]any{{want}}) {
			t.Errorf("%s: %v assessments under version 2, want %d", stage.name, got, want)
		}
	}
	if diff := cmp.Diff(before, testdb.Rows(t, st, earlier)); diff != "" {
		t.Errorf("the earlier results changed:\n%s", diff)
	}
	d := trackertest.Find(t, st, "s", 2)
	if !cmp.Equal(d.Assessed, []int{1, 2}) || d.SpecVersion != 2 {
		t.Errorf("seed 2 is assessed under %v, and shown under %d", d.Assessed, d.SpecVersion)
	}
	_, err := seeds.Rescore(t.Context(), st, answer.RescoreQuestion{Scenario: "s", Spec: 3})
	trackertest.WantError(t, err, track.ErrNotFound)
	_, err = seeds.Rescore(t.Context(), st, answer.RescoreQuestion{Scenario: "x"})
	trackertest.WantError(t, err, track.ErrNotFound)

	// The other way round, what would flip is said of the second.
	back, err := seeds.Rescore(t.Context(), st, answer.RescoreQuestion{Scenario: "s", Spec: 1, DryRun: true})
	if want := (counts{Seeds: 4, Before: 4, Flips: 2}); err != nil || countsOf(back) != want {
		t.Errorf("under version 1 again: %+v, error %v, want %+v", back, err, want)
	}
}

func TestHistory(t *testing.T) {
	st := testdb.New(t)
	_, err := seeds.ShowHistory(t.Context(), st.Reader, answer.HistoryQuestion{Scenario: "s", Limit: 10})
	trackertest.WantError(t, err, track.ErrNotFound)
	s := trackertest.Ranges("s", [2]float64{0, 1})
	trackertest.AddSpec(t, st, s)
	recorded := map[string][]track.Seed{}
	add := func(label string, number track.SeedNumber, a float64) {
		one := trackertest.Seed("s", number, map[string]float64{"a": a})
		one.Configuration.Label = label
		if math.IsNaN(a) {
			one.Outcome, one.Values = track.OutcomeCollapsed, nil
		}
		one.Environment = track.Environment{"host": fmt.Sprint(number)}
		trackertest.Record(t, st, seeds.Options{}, one)
		recorded[label] = append(recorded[label], one)
	}
	for i, label := range []string{"v1", "v2", "v3"} {
		for n := range track.SeedNumber(4) {
			add(label, n, float64(n)*0.2*float64(i+1))
		}
	}
	add("v1", 9, 0.5) // more of the oldest does not make it newer
	add("v2", 9, math.NaN())

	check := func(limit int, labels ...string) {
		t.Helper()
		h, err := seeds.ShowHistory(t.Context(), st.Reader, answer.HistoryQuestion{Scenario: "s", Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range h.Entries {
			got = append(got, e.Configuration.Label)
			want := scoring.Aggregate(s, assess(s, recorded[e.Configuration.Label]))
			want.Metrics = nil
			if diff := cmp.Diff(want, e.Stability, approx, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", e.Configuration.Label, diff)
			}
			if e.NEnvironments != len(recorded[e.Configuration.Label]) || e.NUnassessed != 0 {
				t.Errorf("%s: %d environments, %d unassessed", e.Configuration.Label, e.NEnvironments, e.NUnassessed)
			}
		}
		if diff := cmp.Diff(labels, got); diff != "" || h.NOlder != 3-len(labels) || h.Spec.Version != 1 {
			t.Errorf("%d older, version %d (-want +got):\n%s", h.NOlder, h.Spec.Version, diff)
		}
	}
	check(10, "v1", "v2", "v3") // the oldest first
	check(2, "v2", "v3")

	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 2}))
	add("v4", 0, 0.5)
	h, err := seeds.ShowHistory(t.Context(), st.Reader, answer.HistoryQuestion{Scenario: "s", Limit: 10})
	if err != nil || len(h.Entries) != 4 || h.Entries[0].NUnassessed != 5 || h.Entries[1].NUnassessed != 4 || h.Entries[3].NUnassessed != 0 {
		t.Errorf("under version 2: %+v, error %v", h.Entries, err)
	}
	// The view tells seeds that were never judged from failed ones.
	var viewed [][]any
	_, err = st.Query(t.Context(), "SELECT label, n_seeds, n_failed, n_unassessed, pass_rate, stable FROM v_stability WHERE spec_version = 2 AND label <> 'v3' ORDER BY label",
		func(_ []string, row []any) error {
			viewed = append(viewed, slices.Clone(row))
			return nil
		})
	want := [][]any{{"v1", int64(5), int64(0), int64(5), nil, int64(0)}, {"v2", int64(5), int64(1), int64(4), 0.0, int64(0)}, {"v4", int64(1), int64(0), int64(0), 1.0, int64(1)}}
	if diff := cmp.Diff(want, viewed); diff != "" || err != nil {
		t.Errorf("v_stability under version 2: %v (-want +got):\n%s", err, diff)
	}
	var none store.Spec
	if h, err = seeds.ShowHistory(t.Context(), st.Reader, answer.HistoryQuestion{Scenario: "s", Spec: 3, Limit: 10}); h.Spec.Hash != none.Hash {
		t.Errorf("version 3: %+v", h)
	}
	trackertest.WantError(t, err, track.ErrNotFound)
}
