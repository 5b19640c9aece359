package storetest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/scoring"
	"track/store"
)

// query returns the rows of a reading statement.
func query(t testing.TB, st *store.Store, text string) (rows [][]any) {
	t.Helper()
	_, err := st.Query(t.Context(), text, func(_ []string, row []any) error {
		rows = append(rows, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// labelled records a failed seed under a label and returns the configuration.
func labelled(t testing.TB, st *store.Store, scenario, label string) *store.Configuration {
	t.Helper()
	add(t, st, track.Seed{Scenario: scenario, Outcome: track.OutcomeError, Configuration: track.Configuration{
		Label: label, Params: `{"theta":14}`, Revision: track.Revision{Commit: "303e61f", Dirty: true, DiffHash: "ab12"},
	}})
	c, err := st.NewestConfiguration(t.Context(), scenario)
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

func testBaselines(t *testing.T, st *store.Store) {
	ctx := t.Context()
	one, two, other := labelled(t, st, "s", "v1"), labelled(t, st, "s", "v2"), labelled(t, st, "other", "v1")
	if one.ID != other.ID {
		t.Fatalf("one configuration of two scenarios has the ids %d and %d", one.ID, other.ID)
	}
	labelled(t, st, "never pinned", "v1")
	for _, scenario := range []string{"s", "nobody"} {
		if pin, err := st.Baseline(ctx, scenario); pin != nil || err != nil {
			t.Errorf("%s before any pin: %+v, error %v", scenario, pin, err)
		}
	}
	base := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	steps := []store.Baseline{
		{Scenario: "s", Configuration: one, Reason: "first", Actor: "ann"},
		{Scenario: "other", Configuration: other, Reason: "its own", Actor: "bob"},
		{Scenario: "s", Configuration: two, Replaced: one.Hash, Reason: "better", Actor: "caf\u00e9"},
		{Scenario: "s", Replaced: two.Hash, Reason: "away with it"},
		{Scenario: "s", Configuration: one, Reason: "back"}, // in the place of nothing
	}
	previous := map[string]string{} // the last pin of each scenario
	for i := range steps {
		step := &steps[i]
		step.ULID, step.SetAt = newID(), base.Add(time.Duration(i)*time.Hour)
		update(t, st, func(tx *store.Tx) error { return tx.SetBaseline(*step) })
		step.Previous, previous[step.Scenario] = previous[step.Scenario], step.ULID
		got, err := st.Baseline(ctx, step.Scenario)
		var want *store.Baseline
		if step.Configuration != nil {
			want = step
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("after %q: error %v (-want +got):\n%s", step.Reason, err, diff)
		}
		update(t, st, func(tx *store.Tx) error {
			inside, err := tx.Baseline(ctx, step.Scenario)
			if diff := cmp.Diff(got, inside); err == nil && diff != "" {
				t.Errorf("in a transaction after %q (-outside +inside):\n%s", step.Reason, diff)
			}
			return err
		})
	}
	for scenario, want := range map[string][]store.Baseline{
		"":             {steps[1], steps[4]}, // those that hold, by scenario
		"s":            {steps[4], steps[3], steps[2], steps[0]},
		"never pinned": {},
	} {
		if got, err := st.Baselines(ctx, scenario); !cmp.Equal(want, got) || err != nil {
			t.Errorf("of %q: error %v (-want +got):\n%s", scenario, err, cmp.Diff(want, got))
		}
	}
	update(t, st, func(tx *store.Tx) error {
		return tx.SetBaseline(store.Baseline{ULID: newID(), Scenario: "s", Reason: "gone", SetAt: base})
	})
	if got, err := st.Baselines(ctx, ""); err != nil || len(got) != 1 || got[0].Scenario != "other" {
		t.Errorf("without that of s: %+v, error %v", got, err)
	}
}

// Pins of one scenario form a chain without a fork, whoever sets them at once.
func testBaselineChain(t *testing.T, st *store.Store) {
	const writers, each = 16, 5
	var configurations []*store.Configuration
	for i := range writers {
		configurations = append(configurations, labelled(t, st, "s", fmt.Sprint("v", i)))
	}
	labelled(t, st, "other", "v0")
	var all sync.WaitGroup
	for _, c := range configurations {
		all.Go(func() {
			for i := range each {
				err := st.Update(t.Context(), func(tx *store.Tx) error {
					return errors.Join(
						tx.SetBaseline(store.Baseline{ULID: newID(), Scenario: "s", Configuration: c, Reason: fmt.Sprint(i), SetAt: st.Now()}),
						tx.SetBaseline(store.Baseline{ULID: newID(), Scenario: "other", Configuration: configurations[0], SetAt: st.Now()}))
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, scenario := range []string{"s", "other"} {
		chain := query(t, st, `SELECT count(*), count(previous_id), count(DISTINCT previous_id),
		       count(CASE WHEN previous_id = (SELECT max(id) FROM baseline AS b WHERE b.id < baseline.id AND b.scenario_id = baseline.scenario_id) THEN 1 END)
		  FROM baseline JOIN scenario ON scenario.id = scenario_id WHERE name = '`+scenario+`'`)
		const n = int64(writers * each)
		if diff := cmp.Diff([][]any{{n, n - 1, n - 1, n - 1}}, chain); diff != "" {
			t.Errorf("%s: rows, links, different links, links to the one before (-want +got):\n%s", scenario, diff)
		}
	}
}

func testLooks(t *testing.T, st *store.Store) {
	ctx := t.Context()
	sum := func(text string) [sha256.Size]byte { return sha256.Sum256([]byte(text)) }
	if looks, err := st.Looks(ctx, sum("never asked")); err != nil || len(looks) > 0 {
		t.Errorf("%+v and error %v, want none", looks, err)
	}
	base := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	list := []store.Look{
		{Kind: store.LookGate, Question: sum("q"), Evidence: sum("z"), N: 10, Plan: []int{10, 20}, Verdict: scoring.VerdictInconclusive, LookedAt: base},
		{Kind: store.LookGate, Question: sum("q"), Evidence: sum("a"), N: 20, Anytime: true, Verdict: scoring.VerdictPass, LookedAt: base},
		{Kind: store.LookImprovement, Question: sum("other"), Evidence: sum("z"), Verdict: scoring.VerdictFail, LookedAt: base.Add(time.Hour)},
	}
	for i := range list {
		list[i].ULID = newID()
		update(t, st, func(tx *store.Tx) error { _, err := tx.AddLook(list[i]); return err })
	}
	again := list[0]
	again.ULID, again.Plan, again.Verdict, again.N = newID(), []int{10, 20}, scoring.VerdictPass, 99
	update(t, st, func(tx *store.Tx) error { _, err := tx.AddLook(again); return err }) // the first stands
	for question, want := range map[string][]store.Look{"q": list[:2], "other": list[2:]} {
		got, err := st.Looks(ctx, sum(question))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", question, err, diff)
		}
	}
	unknown := list[0]
	unknown.ULID, unknown.Evidence, unknown.Kind = newID(), sum("new"), "guess"
	if err := st.Update(ctx, func(tx *store.Tx) error { _, err := tx.AddLook(unknown); return err }); err == nil {
		t.Error("a look of a kind that nobody knows was recorded")
	}

	// The same evidence at once is one look.
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for k := range 4 {
				look := store.Look{ULID: newID(), Kind: store.LookGate, Question: sum("busy"), Evidence: sum(fmt.Sprint(k)), N: k, LookedAt: base}
				if err := st.Update(ctx, func(tx *store.Tx) error { _, err := tx.AddLook(look); return err }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if looks, err := st.Looks(ctx, sum("busy")); err != nil || len(looks) != 4 {
		t.Errorf("%d looks and error %v, want 4", len(looks), err)
	}
}

func testSeedScores(t *testing.T, st *store.Store) {
	spec := addSpec(t, st, "s", 3)
	judge(t, st, spec, math.MaxUint64, []float64{1, 2, 3}, 3) // recorded first, whatever its number
	judge(t, st, spec, 5, []float64{1, math.NaN()}, 3)
	ids := add(t, st,
		track.Seed{Scenario: "s", Number: 2, Outcome: track.OutcomeError, Message: "why", Values: map[string]float64{"m0": 1}},
		track.Seed{Scenario: "s", Number: 1, Values: map[string]float64{"m0": 1}}, // waits
		track.Seed{Scenario: "s", Number: 9, Values: map[string]float64{"m0": 1}},
	)
	update(t, st, func(tx *store.Tx) error { return tx.Supersede(ids[2]) })
	judge(t, st, spec, 0, []float64{7, 8, 9}, 3)
	sel := store.Selection{Scenario: "s", Configurations: []int64{configuration(t, st, "s")}, SpecID: spec.ID}
	add(t, st, track.Seed{Scenario: "s", Number: 2, Outcome: track.OutcomeError, Configuration: track.Configuration{Label: "other"}})
	nan := math.NaN()
	want := []store.Seed{
		{Number: math.MaxUint64, Outcome: track.OutcomeOK, Assessed: true, TotalScore: 1, Scores: []float64{1, 1, 1}},
		{Number: 5, Outcome: track.OutcomeOK, Assessed: true, TotalScore: nan, NFail: 1, Scores: []float64{1, 1, nan}},
		{Number: 2, Outcome: track.OutcomeError, Message: "why", TotalScore: nan},
		{Number: 1, Outcome: track.OutcomeOK, TotalScore: nan},
		{Number: 0, Outcome: track.OutcomeOK, Assessed: true, TotalScore: 1, Scores: []float64{1, 1, 1}},
	}
	check := func(name string, sel store.Selection, withMetrics bool, want ...store.Seed) {
		t.Helper()
		got, err := st.SeedScores(t.Context(), sel, withMetrics)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range got {
			if len(s.ULID) != 26 || s.ID == 0 || s.Digest == [32]byte{} || !slices.Contains(sel.Configurations, s.Configuration) {
				t.Errorf("%s: seed %s has the id %d, the ULID %q, the digest %x and the configuration %d", name, s.Number, s.ID, s.ULID, s.Digest, s.Configuration)
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(store.Seed{}, "ID", "ULID", "Digest", "Configuration", "RecordedAt", "Statuses"), cmpopts.IgnoreUnexported(store.Seed{}), cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	check("all", sel, true, want...)
	bare := make([]store.Seed, len(want))
	for i, s := range want {
		s.Scores = nil
		bare[i] = s
	}
	check("without metrics", sel, false, bare...)
	some := sel
	some.Seeds = []track.SeedRange{{First: 0, Last: 2}, {First: 1 << 63, Last: math.MaxUint64}}
	check("some", some, true, want[0], want[2], want[3], want[4])
	waiting := addSpec(t, st, "s", 2)
	some = sel
	some.SpecID = waiting.ID
	got, err := st.SeedScores(t.Context(), some, true)
	if err != nil || len(got) != 5 || got[0].Assessed || got[0].Scores != nil {
		t.Errorf("under a spec that judged none: %+v, error %v", got, err)
	}

	values, err := st.MeasuredValues(t.Context(), some)
	if err != nil {
		t.Fatal(err)
	}
	byNumber := map[track.SeedNumber]map[string]float64{}
	for _, s := range got {
		if v, ok := values[s.ID]; ok {
			byNumber[s.Number] = v
		}
	}
	wantValues := map[track.SeedNumber]map[string]float64{ // m2 is none of the second spec's, and seed 2 has failed
		math.MaxUint64: {"m0": 1, "m1": 2}, 5: {"m0": 1, "m1": nan}, 1: {"m0": 1}, 0: {"m0": 7, "m1": 8},
	}
	if diff := cmp.Diff(wantValues, byNumber, cmpopts.EquateNaNs()); diff != "" || len(values) != len(wantValues) {
		t.Errorf("%d measured (-want +got):\n%s", len(values), diff)
	}
}

// What was computed under the spec is measured too, unless there was a reason against it.
func testMeasuredComputed(t *testing.T, st *store.Store) {
	spec, other := addSpec(t, st, "s", 3), addSpec(t, st, "s", 2)
	id := add(t, st, track.Seed{Scenario: "s", Number: 1, Values: map[string]float64{"m0": 1}})[0]
	update(t, st, func(tx *store.Tx) error {
		results := []scoring.Result{{Name: "m0", Score: 1}, {Name: "m1", Score: 1}, {Name: "m2", Score: 1}}
		return errors.Join(
			tx.AddAssessment(id, spec.ID, scoring.Assessment{Results: results}, scoring.ComputedValue{Metric: "m1", Value: math.NaN()}, scoring.ComputedValue{Metric: "m2", Reason: "no series"}),
			tx.AddAssessment(id, other.ID, scoring.Assessment{Results: results[:2]}, scoring.ComputedValue{Metric: "m1", Value: 5}))
	})
	for specID, want := range map[int64]map[string]float64{spec.ID: {"m0": 1, "m1": math.NaN()}, other.ID: {"m0": 1, "m1": 5}} {
		got, err := st.MeasuredValues(t.Context(), store.Selection{Scenario: "s", Configurations: []int64{configuration(t, st, "s")}, SpecID: specID})
		if diff := cmp.Diff(map[int64]map[string]float64{id: want}, got, cmpopts.EquateNaNs()); diff != "" || err != nil {
			t.Errorf("under spec %d: error %v (-want +got):\n%s", specID, err, diff)
		}
	}
}

// One metric alone has the totals that it has among all.
func testOneMetric(t *testing.T, st *store.Store) {
	var spec store.Spec
	update(t, st, func(tx *store.Tx) (err error) {
		spec, _, err = tx.AddSpec(store.Spec{Scenario: "s", Hash: "h", Document: []byte("{}")}, []store.SpecMetric{
			{Name: "m0", Weight: 1}, {Name: "m1", Weight: 1}, {Name: "m2", Weight: 1, Computed: true}, {Name: "m3", Weight: 1, Computed: true},
		})
		return err
	})
	judge(t, st, spec, 1, []float64{1, 2, 3, 4}, 4)
	judge(t, st, spec, 2, []float64{5, math.Inf(1), 7}, 4)
	judge(t, st, spec, 1<<63, []float64{9, 10}, 4)
	id := add(t, st, track.Seed{Scenario: "s", Number: 3, Values: map[string]float64{"m0": 1}})[0]
	update(t, st, func(tx *store.Tx) error {
		return tx.AddAssessment(id, spec.ID, scoring.Assessment{NFail: 3, Results: []scoring.Result{{Name: "m0", Score: 0.25}, {Name: "m2", Score: 1}, {Name: "m3", Score: 0.5}}},
			scoring.ComputedValue{Metric: "m2", Value: 12}, scoring.ComputedValue{Metric: "m3", Value: 11})
	})
	for _, ranges := range [][]track.SeedRange{nil, {{First: 1, Last: 2}}, {{First: 2, Last: 2}, {First: 5, Last: math.MaxUint64}}} {
		sel := store.Selection{Scenario: "s", Configurations: []int64{configuration(t, st, "s")}, SpecID: spec.ID, Seeds: ranges}
		all, err := st.MetricTotals(t.Context(), sel)
		if err != nil {
			t.Fatal(err)
		}
		if ranges == nil && (all[0].Value.N != 4 || all[3].Value.N != 2) {
			t.Fatalf("%+v, want 4 values of m0 and 2 of m3", all)
		}
		for i, want := range all {
			got, err := st.OneMetricTotals(t.Context(), sel, fmt.Sprint("m", i))
			if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" || err != nil {
				t.Errorf("m%d of %v: error %v (-all +one):\n%s", i, ranges, err, diff)
			}
		}
	}
	_, err := st.OneMetricTotals(t.Context(), store.Selection{Scenario: "s", SpecID: spec.ID}, "m9")
	if !errors.Is(err, track.ErrNotFound) {
		t.Errorf("a metric that nobody knows: %v, want ErrNotFound", err)
	}
}

// What seeds measured tells copies from seeds of their own; how they are scored does not.
func testSeedTotals(t *testing.T, st *store.Store) {
	spec := addSpec(t, st, "s", 1)
	for i, x := range []float64{1, 2.5, 2.5, 2.5, math.NaN(), 7, 7} {
		judge(t, st, spec, track.SeedNumber(i), []float64{x}, 1) // each scores 1
	}
	judge(t, st, spec, 77, nil, 1) // without its metric
	add(t, st, track.Seed{Scenario: "s", Number: 8, Outcome: track.OutcomeError}, track.Seed{Scenario: "s", Number: 9, Outcome: track.OutcomeError})
	first := configuration(t, st, "s")
	totals := func(configurations ...int64) scoring.SeedTotals {
		t.Helper()
		got, err := st.SeedTotals(t.Context(), store.Selection{Scenario: "s", Configurations: configurations, SpecID: spec.ID})
		if err != nil {
			t.Fatal(err)
		}
		got.Score, got.Shape = scoring.Moments{}, scoring.Shape{}
		return got.SeedTotals
	}
	// 2.5 has two copies. Whole numbers may well be equal, and failed seeds are no copies of each other.
	want := scoring.SeedTotals{NSeeds: 8, NPassed: 5, NOK: 6, NSaturated: 5, NIdentical: 2}
	if diff := cmp.Diff(want, totals(first)); diff != "" {
		t.Errorf("one configuration (-want +got):\n%s", diff)
	}
	add(t, st, track.Seed{Scenario: "s", Values: map[string]float64{"m0": 1}, Configuration: track.Configuration{Label: "v2"}})
	want = scoring.SeedTotals{NSeeds: 9, NPassed: 5, NOK: 7, NSaturated: 5, NIdentical: 2} // one seed may measure the same under both
	if diff := cmp.Diff(want, totals(first, configuration(t, st, "s"))); diff != "" {
		t.Errorf("two configurations (-want +got):\n%s", diff)
	}
}
