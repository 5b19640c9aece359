package seeds_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/answer"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
	"track/tracker/seeds"
)

// exampleStore has the seeds of two scenarios of examples/bam, and their specs.
func exampleStore(t testing.TB) *store.Store {
	t.Helper()
	st := testdb.New(t)
	for _, scenario := range []string{"growth_plus", "buffer_stock"} {
		addExampleSpec(t, st, scenario)
		for _, s := range exampleSeeds(t, scenario) {
			trackertest.Record(t, st, seeds.Options{}, s)
		}
	}
	return st
}

// purely judges seeds in memory.
func purely(s scoring.Spec, list []track.Seed) []verdict.JudgedSeed {
	judged := make([]verdict.JudgedSeed, len(list))
	for i, seed := range list {
		judged[i] = verdict.JudgedSeed{Number: uint64(seed.Number), Failed: string(seed.Outcome)}
		if seed.Outcome != track.OutcomeOK {
			continue
		}
		a := scoring.Assess(s, seed.Values)
		judged[i].Failed, judged[i].Passed, judged[i].Total = "", a.Passed(), a.TotalScore
		for _, r := range a.Results {
			judged[i].Scores, judged[i].Values = append(judged[i].Scores, r.Score), append(judged[i].Values, seed.Values[r.Name])
		}
	}
	return judged
}

var sameImprovement = cmp.Options{cmpopts.EquateEmpty(), cmp.Comparer(func(a, b float64) bool { return a != a && b != b || trackertest.Near(a, b) }), cmp.FilterPath(func(p cmp.Path) bool {
	_, unexported := p.Last().(cmp.StructField)
	return unexported && strings.ToLower(p.Last().String()[1:2]) == p.Last().String()[1:2]
}, cmp.Ignore())}

// everything counts the rows of all tables.
func everything(t testing.TB, st *store.Store) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	for _, row := range testdb.Rows(t, st, "SELECT name FROM sqlite_schema WHERE type = 'table'") {
		name := row[0].(string)
		counts[name] = testdb.Rows(t, st, "SELECT count(*) FROM \""+name+"\"")[0][0].(int64)
	}
	return counts
}

// The seeds of buffer_stock are judged under the spec of growth_plus, in memory, and compared with its own.
func TestImprovementOfRealData(t *testing.T) {
	testdb.OnlySQLite(t, "it compares the tables of the file")
	st := exampleStore(t)
	_, s, err := seeds.LoadSpec(t.Context(), st.Reader, "growth_plus", 0)
	if err != nil {
		t.Fatal(err)
	}
	candidate, baseline := purely(s, exampleSeeds(t, "buffer_stock")), purely(s, exampleSeeds(t, "growth_plus"))
	before := everything(t, st)
	tenth := 0.1
	for _, tt := range []struct {
		name     string
		base     *float64
		statuses [3]int // of bam-engine's own comparison at 0.25
	}{
		{"the base of the spec", nil, [3]int{39, 27, 0}},
		{"base 0.1", &tenth, [3]int{39, 25, 2}},
	} {
		got, err := seeds.Compare(t.Context(), st.Reader, answer.PairedQuestion{Candidate: answer.Selector{Scenario: "buffer_stock"}, Base: tt.base}, "")
		if err != nil {
			t.Fatal(err)
		}
		base := 0.25
		if tt.base != nil {
			base = *tt.base
		}
		want, err := verdict.Compare(s, candidate, baseline, verdict.Options{Confidence: 0.95, Base: base, Look: verdict.Look{Number: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Improvement.Improvement, sameImprovement); diff != "" {
			t.Errorf("%s (-pure +stored):\n%s", tt.name, diff)
		}
		if counts := [3]int{got.NPass, got.NWarn, got.NFail}; counts != tt.statuses || len(got.Degraded) != tt.statuses[2] || got.NPairs != 10 {
			t.Errorf("%s: %v with %d pairs, degraded %v, want %v with 10", tt.name, counts, got.NPairs, got.Degraded, tt.statuses)
		}
		if got.BaselineSource != answer.BaselineSpec || got.Baseline.Scenario != "growth_plus" || got.Spec.Scenario != "growth_plus" || len(got.Metrics) != 66 {
			t.Errorf("%s: against %s of %s under %s", tt.name, got.BaselineSource, got.Baseline.Scenario, got.Spec.Scenario)
		}
	}
	if diff := cmp.Diff(before, everything(t, st)); diff != "" {
		t.Errorf("a comparison stored something (-before +after):\n%s", diff)
	}
}

// The largest degradation is the one that the spec of the candidate names, whoever's spec scores it.
func TestDegradationBase(t *testing.T) {
	st := testdb.New(t)
	own, theirs := trackertest.Ranges("own", [2]float64{0, 1}), trackertest.Ranges("theirs", [2]float64{0, 1})
	own.Improvement = &scoring.Improvement{Baseline: "theirs", MaxDegradationBase: 0.1}
	theirs.Improvement = &scoring.Improvement{MaxDegradationBase: 0.7}
	trackertest.AddSpec(t, st, own)
	trackertest.AddSpec(t, st, theirs)
	for _, scenario := range []string{"own", "theirs", "no spec"} {
		recordLabelled(t, st, scenario, "v1", 1, 1)
		recordLabelled(t, st, scenario, "v2", 1, 1)
	}
	given := 0.3
	for _, tt := range []struct {
		candidate, baseline string
		base                *float64
		want                float64
	}{
		{"own", "theirs", nil, 0.1},
		{"own", "theirs", &given, 0.3},
		{"theirs", "own", nil, 0.7},
		{"theirs@v1", "theirs@v2", nil, 0.7},
		{"no spec", "theirs", nil, scoring.DefaultMeanDegradationBase},
	} {
		sel := selector(t, tt.baseline)
		r, err := seeds.Compare(t.Context(), st.Reader, answer.PairedQuestion{Candidate: selector(t, tt.candidate), Baseline: &sel, Base: tt.base}, "")
		if err != nil || r.Options.Base != tt.want {
			t.Errorf("%s against %s: base %v and error %v, want %v", tt.candidate, tt.baseline, r.Options.Base, err, tt.want)
		}
	}
}

// compareLabels compares v2 of a scenario with v1.
func compareLabels(t testing.TB, st *store.Store, q answer.PairedQuestion) seeds.Compared {
	t.Helper()
	baseline := selector(t, "s@v1")
	q.Candidate, q.Baseline = selector(t, "s@v2"), &baseline
	r, err := seeds.Compare(t.Context(), st.Reader, q, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Seeds that were judged under the first version alone count under each, as if they had been judged under it.
func TestImprovementUnderOlderSpec(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	recordLabelled(t, st, "s", "v1", 1.2, 1.4, 1.6, 1.8)
	recordLabelled(t, st, "s", "v2", 1.1, 1.2)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1.5}))
	recordLabelled(t, st, "s", "v2", 1.1, 1.2, 1.3, 1.9) // the last two are new, and judged under the second
	older := compareLabels(t, st, answer.PairedQuestion{Spec: 1})
	newest := compareLabels(t, st, answer.PairedQuestion{})
	if older.Spec.Version != 1 || newest.Spec.Version != 2 || older.NPairs != 4 || newest.NPairs != 4 || newest.Total.MeanDelta == older.Total.MeanDelta {
		t.Fatalf("versions %d and %d, %d and %d pairs", older.Spec.Version, newest.Spec.Version, older.NPairs, newest.NPairs)
	}
	for version, got := range map[int]seeds.Compared{1: older, 2: newest} {
		if _, err := seeds.Rescore(t.Context(), st, answer.RescoreQuestion{Scenario: "s", Spec: version}); err != nil {
			t.Fatal(err)
		}
		rescored := compareLabels(t, st, answer.PairedQuestion{Spec: version})
		if diff := cmp.Diff(rescored.Improvement.Improvement, got.Improvement.Improvement, sameImprovement); diff != "" {
			t.Errorf("version %d (-rescored +in memory):\n%s", version, diff)
		}
	}
}

// A seed that failed scores 0 on its side and says why, judged now or before.
func TestImprovementOfFailedSeeds(t *testing.T) {
	st := testdb.New(t)
	first := trackertest.Ranges("s", [2]float64{0, 1}, [2]float64{0, 1}, [2]float64{0, 1}, [2]float64{0, 1}, [2]float64{0, 1})
	trackertest.AddSpec(t, st, first)
	full := map[string]float64{"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.5, "e": 0.5} // the middle of a range scores 1
	for n := range track.SeedNumber(8) {
		for _, label := range []string{"v1", "v2"} {
			s := trackertest.Seed("s", n, maps.Clone(full))
			s.Values["own"] = float64(n) + 0.5
			s.Configuration.Label = label
			switch {
			case label == "v2" && n == 1:
				s.Outcome, s.Values, s.Message = track.OutcomeTimeout, nil, "too slow"
			case label == "v2" && n == 2:
				s.Outcome, s.Values = track.OutcomeCollapsed, map[string]float64{"a": 1}
			case label == "v2" && n == 3:
				delete(s.Values, "d")
			case label == "v1" && n == 4:
				s.Values = map[string]float64{"z": 1}
			}
			trackertest.Record(t, st, seeds.Options{}, s)
		}
	}
	check := func(name string) {
		t.Helper()
		r := compareLabels(t, st, answer.PairedQuestion{})
		if diff := cmp.Diff([]verdict.FailedSeed{{Number: 1, Reason: "timeout: too slow"}, {Number: 2, Reason: "collapsed"}, {Number: 3, Reason: "missing d"}}, r.Failed.Candidate); diff != "" {
			t.Errorf("%s: of the candidate (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]verdict.FailedSeed{{Number: 4, Reason: "missing a, b, c and 2 more"}}, r.Failed.Baseline); diff != "" {
			t.Errorf("%s: of the baseline (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]float64{0, -1, -1, -1, 1, 0, 0, 0}, r.Differences, approx); diff != "" {
			t.Errorf("%s: differences (-want +got):\n%s", name, diff)
		}
		// Seed 3 has a; the crashed ones have not, whatever they measured. Seed 4 has it on one side.
		if a, d := r.Metrics[0], r.Metrics[3]; !trackertest.Near(a.Candidate, 6./8) || !trackertest.Near(a.Baseline, 7./8) || !trackertest.Near(d.Candidate, 5./8) {
			t.Errorf("%s: a %v against %v, d %v, want 6/8, 7/8 and 5/8", name, a.Candidate, a.Baseline, d.Candidate)
		}
	}
	check("judged when recorded")
	second := first
	second.Metrics = slices.Clone(first.Metrics)
	second.Metrics[0].Weight = 2
	trackertest.AddSpec(t, st, second)
	check("judged in memory")
}

// The values of metrics that a spec computes come from the series, or from what was computed before they were pruned.
func TestImprovementOfComputedValues(t *testing.T) {
	st := testdb.New(t)
	s := trackertest.Ranges("s", [2]float64{0, 1}, [2]float64{0, 1})
	s.Metrics[1].From = &scoring.Reduction{Series: "u", Reduce: scoring.ReduceMean}
	other := s
	other.Scenario = "other"
	trackertest.AddSpec(t, st, s)
	trackertest.AddSpec(t, st, other)
	add := func(scenario, label string, number track.SeedNumber, level float64, given map[string]float64) {
		one := trackertest.Seed(scenario, number, given)
		one.Configuration.Label = label
		one.Series = []track.Series{{Name: "u", Values: []float64{level, level + 0.2}}}
		trackertest.Record(t, st, seeds.Options{ValuesWin: true}, one)
	}
	for n := range track.SeedNumber(3) {
		add("s", "v1", n, 1.1+float64(n)/10, map[string]float64{"a": 1})
		add("s", "v2", n, 0.4, map[string]float64{"a": 1})
	}
	add("other", "v1", 0, 1.1, map[string]float64{"a": 1, "b": 0.5}) // a given value stands
	add("other", "v1", 1, 1.2, map[string]float64{"a": 1})
	add("other", "v1", 2, 1.3, map[string]float64{"a": 1})

	// u is [x, x+0.2], so its mean x+0.1; v2 lies in the middle of the range, v1 above it by 0.2, 0.3 and 0.4.
	score := func(b float64) float64 { return scoring.Assess(s, map[string]float64{"a": 1, "b": b}).Results[1].Score }
	want := (3 - score(1.2) - score(1.3) - score(1.4)) / 3
	got := compareLabels(t, st, answer.PairedQuestion{})
	if m := got.Metrics[1]; !trackertest.Near(m.MeanDelta, want) || len(got.Failed.Baseline) > 0 {
		t.Errorf("b differs by %v, want %v; failed: %v", m.MeanDelta, want, got.Failed.Baseline)
	}
	sel := selector(t, "s@v1")
	across, err := seeds.Compare(t.Context(), st.Reader, answer.PairedQuestion{Candidate: selector(t, "other"), Baseline: &sel}, "")
	if err != nil || !trackertest.Near(across.Metrics[1].MeanDelta, (1-score(1.2))/3) || len(across.Failed.Candidate) > 0 {
		t.Errorf("of another scenario: %+v, error %v; want the given value of seed 0, and the series of the others", across.Metrics, err)
	}

	// A new seed waits for the second version; those before were judged under it, and their series are gone.
	if _, err := st.PruneSeries(t.Context(), store.PruneRule{Before: testdb.Clock().Add(time.Hour)}, false); err != nil {
		t.Fatal(err)
	}
	if r := compareLabels(t, st, answer.PairedQuestion{}); !trackertest.Near(r.Metrics[1].MeanDelta, want) {
		t.Errorf("pruned: b differs by %v, want %v", r.Metrics[1].MeanDelta, want)
	}
	wider := s
	wider.Metrics = slices.Clone(s.Metrics)
	wider.Metrics[0].Weight = 3
	trackertest.AddSpec(t, st, wider)
	add("s", "v1", 3, 1.15, map[string]float64{"a": 1}) // judged under the second version alone
	r := compareLabels(t, st, answer.PairedQuestion{Spec: 1})
	if !trackertest.Near(r.Metrics[1].MeanDelta, want) || r.NPairs != 3 || len(r.Failed.Baseline) > 0 {
		t.Errorf("pruned, with one that waits: b differs by %v, want %v; failed: %v", r.Metrics[1].MeanDelta, want, r.Failed.Baseline)
	}
	if _, err := st.PruneSeries(t.Context(), store.PruneRule{Before: testdb.Clock().Add(time.Hour)}, false); err != nil {
		t.Fatal(err)
	}
	c, err := seeds.CompareSides(t.Context(), st.Reader, answer.CompareQuestion{Of: []answer.Selector{selector(t, "s@v2"), sel}})
	if err != nil || c.Sides[1].NScored != 1 || c.Sides[1].NFailed != 3 { // of the others nothing was computed under version 2 in time
		t.Errorf("under version 2: %+v, error %v", c.Sides, err)
	}
}

func TestImprovementOfSomeSeeds(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	numbers := []track.SeedNumber{0, 7, math.MaxInt64, 1 << 63, math.MaxUint64 - 1, math.MaxUint64}
	for i, n := range numbers {
		for _, label := range []string{"v1", "v2"} {
			s := trackertest.Seed("s", n, map[string]float64{"a": 1 + float64(i)/10})
			s.Configuration.Label = label
			trackertest.Record(t, st, seeds.Options{}, s)
		}
	}
	for text, want := range map[string][]uint64{
		"":                    {0, 7, math.MaxInt64, 1 << 63, math.MaxUint64 - 1, math.MaxUint64},
		"0..7":                {0, 7},
		"9223372036854775808": {1 << 63},
		"9223372036854775807..18446744073709551614": {math.MaxInt64, 1 << 63, math.MaxUint64 - 1},
		"7,18446744073709551615":                    {7, math.MaxUint64},
		"100..200":                                  nil,
	} {
		var list []track.SeedRange
		if text != "" {
			var err error
			if list, err = track.ParseSeedRanges(text); err != nil {
				t.Fatal(err)
			}
		}
		r := compareLabels(t, st, answer.PairedQuestion{Judging: answer.Judging{Seeds: list}})
		if diff := cmp.Diff(want, []uint64(r.Pairs)); diff != "" || r.NCandidate != len(want) || r.NBaseline != len(want) {
			t.Errorf("seeds %q: of %d and %d (-want +got):\n%s", text, r.NCandidate, r.NBaseline, diff)
		}
		if len(want) == 0 && r.Verdict != scoring.VerdictInconclusive {
			t.Errorf("no pair: %s", r.Verdict)
		}
	}
}

// What another process records meanwhile is in both sides or in none.
func TestCompareWhileRecording(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	r := trackertest.NewRecorder(st, seeds.Options{})
	add := func(number track.SeedNumber) error {
		var pair []seeds.Prepared
		for i, label := range []string{"v1", "v2"} {
			s := trackertest.Seed("s", number, map[string]float64{"a": 1 + float64(i)/4, "own": float64(number) + 0.5})
			s.Configuration.Label = label
			prepared, err := seeds.Prepare(s, st.Texts())
			if err != nil {
				return err
			}
			pair = append(pair, prepared)
		}
		return st.Update(t.Context(), func(tx *store.Tx) error {
			r.Begin()
			for _, s := range pair {
				if _, err := r.RecordIn(t.Context(), tx, s); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := add(0); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for n := track.SeedNumber(1); ; n++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := add(n); err != nil {
				done <- err
				return
			}
		}
	}()
	least, grew := 0, 0
	for grew < 20 && len(done) == 0 {
		r := compareLabels(t, st, answer.PairedQuestion{})
		if r.NCandidate != r.NBaseline || r.NPairs != r.NCandidate || len(r.Failed.Candidate)+len(r.Failed.Baseline) > 0 || r.NPairs < least {
			t.Errorf("%d pairs of %d and %d seeds after %d, failed %v and %v", r.NPairs, r.NCandidate, r.NBaseline, least, r.Failed.Candidate, r.Failed.Baseline)
			break
		}
		if r.NPairs > least {
			grew++
		}
		least = r.NPairs
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
