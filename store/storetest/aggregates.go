package storetest

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/scoring"
	"track/store"
)

// addSpec stores a spec of n metrics m0, m1, …; the content is of no interest here.
func addSpec(t testing.TB, st *store.Store, scenario string, n int) (stored store.Spec) {
	t.Helper()
	metrics := make([]store.SpecMetric, n)
	for i := range metrics {
		metrics[i] = store.SpecMetric{Name: fmt.Sprint("m", i), Type: "BOOLEAN", Weight: 1}
	}
	document := fmt.Sprintf(`{"scenario":%q,"n":%d}`, scenario, n)
	update(t, st, func(tx *store.Tx) (err error) {
		var added bool
		stored, added, err = tx.AddSpec(store.Spec{Scenario: scenario, Hash: document, Document: []byte(document)}, metrics)
		if err == nil && !added {
			t.Errorf("the spec %s was there already", document)
		}
		return err
	})
	return stored
}

// judge records a seed of metrics m0, m1, … and an assessment in which each has passed with the score 1; a metric of
// want without a value is missing.
func judge(t testing.TB, st *store.Store, spec store.Spec, number track.SeedNumber, values []float64, want int) {
	t.Helper()
	a := scoring.Assessment{Scored: len(values) == want, TotalScore: 1}
	named := map[string]float64{}
	for i := range want {
		r := scoring.Result{Name: fmt.Sprint("m", i), Status: scoring.Fail, Reason: scoring.ReasonMissing}
		if i < len(values) {
			r = scoring.Result{Name: r.Name, Value: values[i], Status: scoring.Pass, Score: 1}
			named[r.Name] = values[i]
			a.NPass++
		} else {
			a.NFail++
		}
		a.Results = append(a.Results, r)
	}
	id := add(t, st, track.Seed{Scenario: spec.Scenario, Number: number, Values: named})[0]
	update(t, st, func(tx *store.Tx) error { return tx.AddAssessment(id, spec.ID, a) })
}

func testSpecs(t *testing.T, st *store.Store) {
	ctx := t.Context()
	if _, err := st.Spec(ctx, "s", 0); !errors.Is(err, track.ErrNotFound) || len(track.Hints(err)) == 0 {
		t.Errorf("no spec: %v, want ErrNotFound with a hint", err)
	}
	first := addSpec(t, st, "s", 1)
	second := addSpec(t, st, "s", 2)
	addSpec(t, st, "other", 1)
	if first.Version != 1 || second.Version != 2 || !second.CreatedAt.Equal(st.Now()) && second.CreatedAt.After(st.Now()) {
		t.Errorf("versions %+v and %+v, want 1 and 2", first, second)
	}
	update(t, st, func(tx *store.Tx) error {
		again, added, err := tx.AddSpec(store.Spec{Scenario: "s", Hash: first.Hash, Document: first.Document, Title: "ignored"}, nil)
		if err == nil && (added || !cmp.Equal(again, first)) {
			t.Errorf("the same content again: %+v, %v, want %+v", again, added, first)
		}
		return err
	})
	for version, want := range map[int]store.Spec{0: second, 1: first, 2: second} {
		if got, err := st.Spec(ctx, "s", version); err != nil || !cmp.Equal(got, want) {
			t.Errorf("version %d: %+v and error %v, want %+v", version, got, err, want)
		}
	}
	for _, version := range []int{-1, 3} {
		if _, err := st.Spec(ctx, "s", version); !errors.Is(err, track.ErrNotFound) {
			t.Errorf("version %d: %v, want ErrNotFound", version, err)
		}
	}
	all, err := st.Specs(ctx)
	if err != nil || len(all) != 3 || all[0].Scenario != "other" || all[1].Version != 1 || all[2].Version != 2 {
		t.Errorf("all specs: %+v and error %v", all, err)
	}
}

func testResults(t *testing.T, st *store.Store) {
	spec := addSpec(t, st, "s", 130) // more than fit into one statement
	values := make([]float64, 129)
	judge(t, st, spec, 1, values, 130)
	d := one(t, st, "s", 1)
	results, err := st.Results(t.Context(), d.ID, spec.ID)
	if err != nil || len(results) != 130 {
		t.Fatalf("%d results and error %v, want 130", len(results), err)
	}
	if want := (scoring.Result{Name: "m7", Status: scoring.Pass, Score: 1}); results["m7"] != want {
		t.Errorf("m7: %+v, want %+v", results["m7"], want)
	}
	if r := results["m129"]; !r.Missing() || r.Status != scoring.Fail {
		t.Errorf("m129: %+v, want a missing one", r)
	}
	if d.TotalScore != nil || d.NPass != 129 || d.NFail != 1 || d.Status != scoring.Fail || !cmp.Equal(d.Assessed, []int{1}) {
		t.Errorf("a seed that lacks a metric: %+v", d)
	}
}

func testFailingSeeds(t *testing.T, st *store.Store) {
	spec := addSpec(t, st, "s", 3)
	judge(t, st, spec, 1, []float64{1, 2, 3}, 3) // passes
	judge(t, st, spec, 3, []float64{1, math.NaN()}, 3)
	add(t, st, track.Seed{Scenario: "s", Number: 2, Outcome: track.OutcomeError, Message: "why"})
	add(t, st, track.Seed{Scenario: "s", Number: 4, Values: map[string]float64{"m0": 1}}) // not judged
	configuration := configuration(t, st, "s")
	hash := track.Configuration{}.Hash()
	id := add(t, st, track.Seed{Scenario: "s", Number: 0, Values: map[string]float64{"m0": -5, "m1": 1, "m2": math.Inf(1)}})[0]
	update(t, st, func(tx *store.Tx) error {
		return tx.AddAssessment(id, spec.ID, scoring.Assessment{Scored: true, NPass: 1, NFail: 2, Results: []scoring.Result{
			{Name: "m0", Status: scoring.Fail}, {Name: "m1", Status: scoring.Pass}, {Name: "m2", Status: scoring.Fail},
		}})
	})
	got, err := st.FailingSeeds(t.Context(), store.Selection{Scenario: "s", Configurations: []int64{configuration}, SpecID: spec.ID})
	if err != nil {
		t.Fatal(err)
	}
	want := []track.FailingSeed{
		{Number: 0, Configuration: hash, Outcome: track.OutcomeOK, Metrics: []track.FailingMetric{
			{Name: "m0", Value: -5}, {Name: "m2", Value: math.Inf(1)},
		}},
		{Number: 2, Configuration: hash, Outcome: track.OutcomeError, Reason: "why"},
		{Number: 3, Configuration: hash, Outcome: track.OutcomeOK, Metrics: []track.FailingMetric{
			{Name: "m2", Value: math.NaN(), Missing: true},
		}},
		{Number: 4, Configuration: hash, Outcome: track.OutcomeOK},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("failing seeds (-want +got):\n%s", diff)
	}
}

func testNonFinite(t *testing.T, st *store.Store) {
	nan, inf := math.NaN(), math.Inf(1)
	columns := map[string][]float64{ // the values of one metric over three seeds
		"plain":             {1, 2, 6},
		"a NaN first":       {nan, 1, 2},
		"a NaN last":        {1, 2, nan},
		"only NaN":          {nan, nan, nan},
		"an infinity first": {inf, 1, 2},
		"an infinity last":  {1, 2, inf},
		"both infinities":   {inf, 1, -inf},
		"only -infinity":    {-inf, -inf, -inf},
		"NaN and infinity":  {inf, nan, 1},
		"infinity and NaN":  {nan, 1, -inf},
		"zeros of two kind": {0, math.Copysign(0, -1), 0},
		"far from zero":     {1e9 + 1, 1e9 + 2, 1e9 + 3},
		"an outlier first":  {1e12, 1, 2},
		"subnormal":         {5e-324, 1e-323, 1.5e-323},
		"squares too large": {1e200, -1e200, 1e200},
		"squares all but":   {-6.5e153, 1, 2}, // the square of their sum is too large
		"close, far from 0": {1e9, 1e9 + 1e-6, 1e9 + 3e-6},
	}
	for name, column := range columns {
		spec := addSpec(t, st, name, 1)
		for i, x := range column {
			judge(t, st, spec, track.SeedNumber(i), []float64{x}, 1)
		}
		sel := store.Selection{Scenario: name, Configurations: []int64{configuration(t, st, name)}, SpecID: spec.ID}
		metrics, err := st.MetricTotals(t.Context(), sel)
		if err != nil {
			t.Fatal(err)
		}
		want := scoring.MetricTotals{NNotFailed: 3, Score: scoring.NewMoments([]float64{1, 1, 1})}
		var finite []float64
		for _, x := range column {
			switch {
			case math.IsNaN(x):
				want.NNaN++
			case math.IsInf(x, 0):
				want.NInfinite++
			default:
				finite = append(finite, x)
			}
		}
		want.Value = scoring.NewMoments(finite)
		if diff := cmp.Diff([]scoring.MetricTotals{want}, metrics, near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// near lets two numbers differ by 1e-12, absolute or relative, whichever is looser. NaN equals NaN.
var near = cmp.Comparer(func(a, b float64) bool {
	switch {
	case a == b, math.IsNaN(a) && math.IsNaN(b):
		return true
	case math.IsInf(a, 0), math.IsInf(b, 0):
		return false
	}
	return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a), math.Abs(b))
})

func testEmptyAggregate(t *testing.T, st *store.Store) {
	spec := addSpec(t, st, "s", 2)
	none := scoring.MetricTotals{Value: scoring.NewMoments(nil), Score: scoring.NewMoments(nil)}
	check := func(name string, sel store.Selection, want store.Totals) {
		t.Helper()
		totals, err := st.SeedTotals(t.Context(), sel)
		want.Score = scoring.NewMoments(nil)
		if diff := cmp.Diff(want, totals, cmpopts.EquateNaNs()); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
		metrics, err := st.MetricTotals(t.Context(), sel)
		if diff := cmp.Diff([]scoring.MetricTotals{none, none}, metrics, cmpopts.EquateNaNs()); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
	check("no seed", store.Selection{Scenario: "s", Configurations: []int64{1}, SpecID: spec.ID}, store.Totals{})
	check("no configuration", store.Selection{Scenario: "s", SpecID: spec.ID}, store.Totals{})
	add(t, st, track.Seed{Scenario: "s", Outcome: track.OutcomeError})
	sel := store.Selection{Scenario: "s", Configurations: []int64{configuration(t, st, "s")}, SpecID: spec.ID}
	check("a crashed seed", sel, store.Totals{SeedTotals: scoring.SeedTotals{NSeeds: 1}, NEnvironments: 1})
	add(t, st, track.Seed{Scenario: "s", Number: 1, Values: map[string]float64{"m0": 1}, Environment: track.Environment{"host": "n2"}})
	check("a seed that waits", sel, store.Totals{SeedTotals: scoring.SeedTotals{NSeeds: 2, NOK: 1}, NUnassessed: 1, NEnvironments: 2})
}

func testStoredSeeds(t *testing.T, st *store.Store) {
	first, second := addSpec(t, st, "s", 1), addSpec(t, st, "s", 2)
	addSpec(t, st, "other", 1)
	judge(t, st, first, 1, []float64{math.NaN()}, 1)
	judge(t, st, second, 2, []float64{5, 6}, 2)
	ids := add(t, st,
		track.Seed{Scenario: "s", Number: 3, Values: map[string]float64{"m0": 1}},
		track.Seed{Scenario: "s", Number: 4, Outcome: track.OutcomeError},
		track.Seed{Scenario: "other", Number: 5, Values: map[string]float64{"m0": 1}},
		track.Seed{Scenario: "s", Number: 6, Values: map[string]float64{"m0": 1}},
	)
	update(t, st, func(tx *store.Tx) error { return tx.Supersede(ids[3]) })
	type brief struct {
		Number  track.SeedNumber
		Version int
		Current bool
		Values  map[string]float64
	}
	var got []brief
	for after := int64(0); ; {
		page, err := st.StoredSeeds(t.Context(), "s", second.ID, after, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, s := range page {
			got = append(got, brief{s.Number, s.SpecVersion, s.Current, s.Values})
			if s.SpecVersion == 1 && !cmp.Equal(s.Previous, map[string]scoring.Status{"m0": scoring.Pass}) {
				t.Errorf("seed %s was judged %v", s.Number, s.Previous)
			}
			after = s.RowID
		}
	}
	want := []brief{
		{1, 1, false, map[string]float64{"m0": math.NaN()}}, {2, 0, true, map[string]float64{"m0": 5, "m1": 6}}, {3, 0, false, map[string]float64{"m0": 1}},
	}
	if diff := cmp.Diff(want, got, sameBits); diff != "" {
		t.Errorf("seeds to judge (-want +got):\n%s", diff)
	}
}

// An aggregate is made of several reads; what is recorded between them is in none of them.
func testSnapshot(t *testing.T, st *store.Store) {
	spec := addSpec(t, st, "s", 1)
	judge(t, st, spec, 1, []float64{1}, 1)
	sel := store.Selection{Scenario: "s", Configurations: []int64{configuration(t, st, "s")}, SpecID: spec.ID}
	counts := func(st *store.Reader, between func()) (seeds, results int) {
		t.Helper()
		totals, err := st.SeedTotals(t.Context(), sel)
		if err != nil {
			t.Fatal(err)
		}
		between()
		metrics, err := st.MetricTotals(t.Context(), sel)
		if err != nil {
			t.Fatal(err)
		}
		return totals.NSeeds, metrics[0].NNotFailed
	}
	err := st.Snapshot(t.Context(), func(snapshot *store.Reader) error {
		seeds, results := counts(snapshot, func() { judge(t, st, spec, 2, []float64{1}, 1) })
		if seeds != 1 || results != 1 {
			t.Errorf("%d seeds and results of %d, want 1 and 1", seeds, results)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seeds, results := counts(st.Reader, func() {}); seeds != 2 || results != 2 {
		t.Errorf("afterwards: %d seeds and results of %d, want 2 and 2", seeds, results)
	}
	stop := errors.New("enough")
	if err := st.Snapshot(t.Context(), func(*store.Reader) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the reader's error became %v", err)
	}
}
