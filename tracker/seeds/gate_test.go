package seeds_test

import (
	"crypto/rand"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
	"track/tracker/seeds"
)

func number(x float64) *float64 { return &x }

func gate(t testing.TB, st *store.Store, q answer.GateQuestion, names ...string) (seeds.Gated, error) {
	t.Helper()
	for _, name := range names {
		q.Of = append(q.Of, selector(t, name))
	}
	return seeds.Gate(t.Context(), st.Reader, q, 0)
}

// reasons are the verdicts and reasons of the outcomes about seeds, as "rule: VERDICT reason".
func reasons(s verdict.ScenarioOutcome) (list []string) {
	for _, o := range s.Outcomes {
		if o.Metric == "" {
			list = append(list, strings.TrimSpace(o.Rule+": "+string(o.Verdict)+" "+o.Reason))
		}
	}
	return list
}

func TestGateInputs(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("empty", [2]float64{0, 1}))
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	recordLabelled(t, st, "s", "v1", 0.5, 0.6, 0.7)
	recordLabelled(t, st, "s", "v2", 0.5, 0.6, math.NaN())
	recordLabelled(t, st, "no spec", "v1", 0.5)
	trackertest.AddSpec(t, st, trackertest.Ranges("waits", [2]float64{0, 1}))
	recordLabelled(t, st, "waits", "v1", 0.5, 0.6)
	trackertest.AddSpec(t, st, trackertest.Ranges("waits", [2]float64{0, 2}))
	for _, params := range []track.Params{`{"k":1}`, `{"k":2}`} {
		one := trackertest.Seed("s", 1, map[string]float64{"a": 0.5})
		one.Configuration = track.Configuration{Label: "twice", Params: params}
		trackertest.Record(t, st, seeds.Options{}, one)
	}
	recordLabelled(t, st, "s", "v3", 0.5, 0.6, 0.7, 0.8)

	rules := scoring.GateRules{MinSeeds: 3}
	degradation := scoring.GateRules{NoDegradation: true}
	v1 := selector(t, "s@v1")
	for _, tt := range []struct {
		name    string
		sel     string
		options answer.GateQuestion
		want    []string
		looks   int
	}{
		{"no seeds", "empty", answer.GateQuestion{Rules: rules}, []string{"data: INCONCLUSIVE no_seeds"}, 0},
		{"none in the range", "s@v3", answer.GateQuestion{Rules: rules, Judging: answer.Judging{Seeds: []track.SeedRange{{First: 90, Last: 99}}}}, []string{"data: INCONCLUSIVE no_seeds"}, 0},
		{"no spec", "no spec", answer.GateQuestion{Rules: rules}, []string{"data: INCONCLUSIVE no_spec"}, 0},
		{"not assessed", "waits", answer.GateQuestion{Rules: rules}, []string{"data: INCONCLUSIVE not_assessed"}, 0},
		{"enough", "s@v1", answer.GateQuestion{Rules: rules}, []string{"min_seeds: PASS", "stable: INCONCLUSIVE"}, 1},
		{"the newest", "s@latest", answer.GateQuestion{Rules: scoring.GateRules{MinSeeds: 4}}, []string{"min_seeds: PASS", "stable: INCONCLUSIVE"}, 1},
		{"a crash counts", "s@v2", answer.GateQuestion{Rules: rules}, []string{"data: WARN failed_seeds", "min_seeds: PASS", "stable: INCONCLUSIVE"}, 1},
		{"too few", "s@v1", answer.GateQuestion{Rules: rules, Judging: answer.Judging{Seeds: []track.SeedRange{{Last: 1}}}}, []string{"min_seeds: INCONCLUSIVE too_few_seeds", "stable: INCONCLUSIVE"}, 1},
		{"no baseline", "s@v1", answer.GateQuestion{Rules: degradation}, []string{"no_degradation: INCONCLUSIVE no_baseline"}, 1},
		{"candidate is baseline", "s@v1", answer.GateQuestion{Rules: degradation, Baseline: &v1}, []string{"no_degradation: WARN candidate_is_baseline"}, 1},
		{"a baseline", "s@v3", answer.GateQuestion{Rules: degradation, Baseline: &v1}, []string{"no_degradation: INCONCLUSIVE undecidable"}, 2},
	} {
		r, err := gate(t, st, tt.options, tt.sel)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, reasons(r.Scenarios[0])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if s := r.Scenarios[0]; s.Name != tt.sel || r.Verdict != s.Verdict || len(r.Looks) != tt.looks {
			t.Errorf("%s: %s is %s and the gate %s, with %d looks, want %d", tt.name, s.Name, s.Verdict, r.Verdict, len(r.Looks), tt.looks)
		}
	}
	nobody := selector(t, "nobody")
	for _, tt := range []struct {
		sel      string
		options  answer.GateQuestion
		sentinel error
	}{
		{"nobody", answer.GateQuestion{Rules: rules}, track.ErrNotFound},
		{"no spec@v9", answer.GateQuestion{Rules: rules}, track.ErrNotFound},
		{"s@v9", answer.GateQuestion{Rules: rules}, track.ErrNotFound},
		{"s@twice", answer.GateQuestion{Rules: rules}, track.ErrAmbiguous},
		{"s", answer.GateQuestion{Rules: degradation, Baseline: &nobody}, track.ErrNotFound},
		{"s", answer.GateQuestion{Rules: rules, Judging: answer.Judging{Plan: []int{9, 3}}}, track.ErrInvalid},
	} {
		_, err := gate(t, st, tt.options, "s@v1", tt.sel)
		trackertest.WantError(t, err, tt.sentinel)
	}
	if n := testdb.Rows(t, st, "SELECT count(*) FROM look")[0][0].(int64); n != 0 {
		t.Errorf("%d looks were recorded by judging alone", n)
	}
}

func TestGateOfSeveralScenarios(t *testing.T) {
	st := exampleStore(t)
	rules := scoring.GateRules{MinPassRate: number(0.5), MinScore: number(0.8), NoDegradation: true}
	r, err := gate(t, st, answer.GateQuestion{Rules: rules}, "buffer_stock", "growth_plus")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{
		{"min_pass_rate: PASS", "min_score: PASS", "no_degradation: PASS"},
		{"min_pass_rate: PASS", "min_score: PASS", "no_degradation: INCONCLUSIVE no_baseline"}, // growth_plus names none
	} {
		s := r.Scenarios[i]
		got := reasons(s)
		if i == 0 { // how sure one can be of 66 metrics is not of interest here
			got[2], want[2] = "", ""
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.Name, diff)
		}
	}
	if i := r.Scenarios[0].Improvement; i == nil || i.NPass != 39 || i.NWarn != 27 || i.NPairs != 10 {
		t.Errorf("the comparison of the gate: %+v", i)
	}
	if r.Scenarios[1].Improvement != nil || r.Verdict != scoring.VerdictInconclusive || len(r.Looks) != 3 {
		t.Errorf("%s with %d looks", r.Verdict, len(r.Looks))
	}
	// The seeds come to the rules in the order in which they were recorded, with what became of each.
	crashed := exampleSeeds(t, "growth_plus")[0]
	crashed.Number, crashed.Outcome, crashed.Values = 99, track.OutcomeCollapsed, nil
	trackertest.Record(t, st, seeds.Options{}, crashed)
	anytime, err := gate(t, st, answer.GateQuestion{Rules: scoring.GateRules{MinPassRate: number(0.5)}, Judging: answer.Judging{Anytime: true}}, "growth_plus")
	if err != nil {
		t.Fatal(err)
	}
	// The betting sequence over ten passes and a crash: 1 of 11 lost.
	if o := passRateOf(t, anytime); o.N != 11 || *o.Observed != 10./11 || !anytime.Looks[0].Anytime {
		t.Errorf("at any time: %+v", o)
	}
}

// passRateOf is the outcome of the rule min_pass_rate of the first scenario.
func passRateOf(t *testing.T, r seeds.Gated) verdict.Outcome {
	t.Helper()
	for _, o := range r.Scenarios[0].Outcomes {
		if o.Rule == verdict.RuleMinPassRate {
			return o
		}
	}
	t.Fatal("no outcome of min_pass_rate")
	return verdict.Outcome{}
}

// One failing seed among passing ones lowers the bound that holds at any time.
func TestGateAnytimeCountsPasses(t *testing.T) {
	bound := func(values ...float64) float64 {
		st := testdb.New(t)
		trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
		recordLabelled(t, st, "s", "v1", values...)
		r, err := gate(t, st, answer.GateQuestion{Rules: scoring.GateRules{MinPassRate: number(0.5)}, Judging: answer.Judging{Anytime: true}}, "s")
		if err != nil {
			t.Fatal(err)
		}
		return passRateOf(t, r).Interval.Lo
	}
	passing, failing, crashed := bound(0.5, 0.5, 0.5, 0.5, 0.6), bound(0.5, 0.5, 9, 0.5, 0.6), bound(0.5, 0.5, math.NaN(), 0.5, 0.6)
	if !(failing < passing) || failing != crashed {
		t.Errorf("at least %v with a failing seed, %v with a crash, %v without", failing, crashed, passing)
	}
}

// A gate is a look at its seeds, and at its comparison: the plan of both is kept.
func TestGateLooks(t *testing.T) {
	st := lookStore(t, 6)
	v1 := selector(t, "s@v1")
	options := answer.GateQuestion{Rules: scoring.GateRules{MinPassRate: number(0.2), NoDegradation: true}, Baseline: &v1}
	judge := func(plan ...int) seeds.Gated {
		t.Helper()
		options.Plan = plan
		r, err := gate(t, st, options, "s@v2")
		if err == nil {
			err = seeds.RecordLooks(t.Context(), st, r.Looks, rand.Reader)
		}
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := judge(6, 8)
	if len(first.Looks) != 2 || first.Looks[0].Kind != store.LookGate || first.Looks[1].Kind != store.LookImprovement || first.Looks[0].N != 6 || first.Looks[1].N != 6 {
		t.Fatalf("looks: %+v", first.Looks)
	}
	if first.Looks[0].Verdict != first.Scenarios[0].Verdict || first.Looks[1].Verdict != first.Scenarios[0].Improvement.Verdict {
		t.Errorf("verdicts of the looks: %+v", first.Looks)
	}
	moreSeeds(t, st, 6, 2)
	second := judge()
	if i := second.Scenarios[0].Improvement; !slices.Equal(i.Options.Look.Plan, []int{6, 8}) || i.Options.Look.Number != 2 {
		t.Errorf("the comparison of the second gate: %+v", i.Options.Look)
	}
	if !slices.Equal(second.Looks[0].Plan, []int{6, 8}) {
		t.Errorf("the second gate: %+v", second.Looks[0])
	}
	options.Plan = []int{6, 9}
	_, err := gate(t, st, options, "s@v2")
	trackertest.WantError(t, err, track.ErrConflict)
	if n := testdb.Rows(t, st, "SELECT count(*) FROM look")[0][0].(int64); n != 4 {
		t.Errorf("%d looks, want 4", n)
	}
}
