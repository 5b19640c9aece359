package scoring

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// vector is one line of testdata/scoring_vectors.jsonl.
type vector struct {
	ID, Fn         string
	Args, Expected json.RawMessage
}

// raises says that the origin raised an exception instead of returning a value.
func (v vector) raises() bool {
	var e struct{ Raises string }
	return json.Unmarshal(v.Expected, &e) == nil && e.Raises != ""
}

// functions lists every function of the file with its number of cases. The last three concern later work and have no
// check: tiered_stability (the calibration's sample standard deviation) and is_collapsed and adjust_burn_in (running
// a simulation).
var functions = map[string]struct {
	cases int
	check func(*testing.T, vector)
}{
	"fail_escalation_multiplier": {60, floatOf(func(a *arguments) float64 {
		return failEscalationMultiplier(a.take("weight"))
	})},
	"score_mean_tolerance": {60, floatOf(func(a *arguments) float64 {
		return scoreMeanTolerance(a.take("actual"), a.take("target"), a.take("tolerance"))
	})},
	"score_range": {62, floatOf(func(a *arguments) float64 {
		return scoreRange(a.take("actual"), a.take("min_val"), a.take("max_val"))
	})},
	"score_pct_within_target": {60, floatOf(func(a *arguments) float64 {
		return scorePctWithinTarget(a.take("actual_pct"), a.take("target_pct"), a.take("min_pct"))
	})},
	"score_outlier_penalty": {60, floatOf(func(a *arguments) float64 {
		return scoreOutlierPenalty(a.take("outlier_pct"), a.take("max_outlier_pct"),
			a.or("penalty_weight", DefaultPenaltyWeight))
	})},
	"score_improvement": {60, floatOf(func(a *arguments) float64 {
		return scoreImprovement(a.take("delta"))
	})},
	"compute_combined_score": {60, floatOf(func(a *arguments) float64 {
		return combinedScore(a.take("mean_score"), a.take("pass_rate"), a.take("std_score"))
	})},

	"check_mean_tolerance": {61, exact(func(a *arguments) Status {
		return checkMeanTolerance(a.take("actual"), a.take("target"), a.take("tolerance"),
			a.or("warn_multiplier", defaultWarnMultiplier), a.or("escalation", 1))
	})},
	"check_range": {61, exact(func(a *arguments) Status {
		return checkRange(a.take("actual"), a.take("min_val"), a.take("max_val"),
			a.or("warn_buffer", defaultWarnBuffer), a.or("escalation", 1))
	})},
	"check_pct_within_target": {60, exact(func(a *arguments) Status {
		return checkPctWithinTarget(a.take("actual_pct"), a.take("target_pct"), a.take("min_pct"), a.or("escalation", 1))
	})},
	"check_outlier_penalty": {60, exact(func(a *arguments) Status {
		return checkOutlierPenalty(a.take("outlier_pct"), a.take("max_outlier_pct"),
			a.or("severe_multiplier", defaultSevereMultiplier), a.or("escalation", 1))
	})},
	"check_improvement": {62, exact(func(a *arguments) Status {
		return CheckImprovement(a.take("delta"), a.take("weight"),
			a.or("max_degradation_base", defaultDegradationBase))
	})},
	"is_stable": {60, exact(func(a *arguments) bool {
		return isStable(a.take("pass_rate"), a.take("std_score"))
	})},
	"worst_status": {60, checkWorstStatus},

	"evaluate_metric":             {64, checkEvaluateMetric},
	"validate":                    {60, checkValidate},
	"stability_test":              {60, checkStabilityTest},
	"buffer_stock_stability_test": {60, checkBufferStockStabilityTest},

	"tiered_stability": {60, nil},
	"is_collapsed":     {60, nil},
	"adjust_burn_in":   {60, nil},
}

func readVectors(t *testing.T) []vector {
	t.Helper()
	return readLines[vector](t, "scoring_vectors.jsonl")
}

func TestVectors(t *testing.T) {
	for _, v := range readVectors(t) {
		if check := functions[v.Fn].check; check != nil {
			t.Run(v.ID, func(t *testing.T) { check(t, v) })
		}
	}
}

// TestVectorsComplete holds that no case of the file is dropped in silence, and that the tables of this test name
// real cases.
func TestVectorsComplete(t *testing.T) {
	vectors := readVectors(t)
	if len(vectors) != 1270 { // as the origin of the file states
		t.Errorf("%d cases, want 1270", len(vectors))
	}
	cases, ids := map[string]int{}, map[string]bool{}
	for _, v := range vectors {
		cases[v.Fn]++
		if ids[v.ID] {
			t.Errorf("%s occurs twice", v.ID)
		}
		ids[v.ID] = true
	}
	want := map[string]int{}
	for fn, f := range functions {
		want[fn] = f.cases
	}
	if diff := cmp.Diff(want, cases); diff != "" {
		t.Errorf("cases per function (-want +file):\n%s", diff)
	}
	named := slices.Concat(keys(ieeeInstead), keys(refused), keys(departures), keys(collapsedSeeds))
	for _, id := range named {
		if !ids[id] {
			t.Errorf("no case %s in the file", id)
		}
	}
}

func keys[V any](m map[string]V) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	return list
}

// arguments are the named numbers of a case. Each is taken once, so that done can tell that none was overlooked.
type arguments struct {
	t *testing.T
	m map[string]jsonNumber
}

func (a *arguments) take(name string) float64 {
	a.t.Helper()
	x, ok := a.m[name]
	if !ok {
		a.t.Fatalf("no argument %s", name)
	}
	delete(a.m, name)
	return float64(x)
}

func (a *arguments) or(name string, otherwise float64) float64 {
	if _, ok := a.m[name]; !ok {
		return otherwise
	}
	return a.take(name)
}

func (a *arguments) done() {
	a.t.Helper()
	if len(a.m) > 0 {
		a.t.Errorf("arguments not used: %v", a.m)
	}
}

// ieeeInstead holds what the formulas give, in IEEE arithmetic, where the origin raises an exception.
var ieeeInstead = map[string]float64{
	"score_mean_tolerance/h0016":  0,           // 0/0 is NaN, and max(0, NaN) is 0
	"score_mean_tolerance/h0017":  0,           // 0.1/0 is +Inf, and max(0, -Inf) is 0
	"score_mean_tolerance/h0018":  0,           // 0/0 again, all arguments 0
	"score_mean_tolerance/h0019":  0,           // 0/-0 is NaN as well
	"score_mean_tolerance/h0033":  0,           // NaN/0 is NaN
	"score_outlier_penalty/h0024": math.Inf(1), // penalty weight -20: exp(980) overflows
	"score_outlier_penalty/h0029": math.Inf(1), // maximum -0.001: exp(2002) overflows
}

func floatOf(f func(*arguments) float64) func(*testing.T, vector) {
	return func(t *testing.T, v vector) {
		a := &arguments{t, decode[map[string]jsonNumber](t, v.Args)}
		got := f(a)
		a.done()
		want, listed := ieeeInstead[v.ID]
		if listed != v.raises() {
			t.Fatalf("the origin raises an exception: %v, but it is listed as such: %v", v.raises(), listed)
		}
		if !listed {
			want = float64(decode[jsonNumber](t, v.Expected))
		}
		if !near(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func exact[T comparable](f func(*arguments) T) func(*testing.T, vector) {
	return func(t *testing.T, v vector) {
		a := &arguments{t, decode[map[string]jsonNumber](t, v.Args)}
		got := f(a)
		a.done()
		if want := decode[T](t, v.Expected); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func checkWorstStatus(t *testing.T, v vector) {
	args := decode[struct{ Statuses []Status }](t, v.Args)
	if got, want := WorstStatus(args.Statuses...), decode[Status](t, v.Expected); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// scoreImprovement is 1 for any gain and falls with the size of a loss to 0: max(0, min(1, 1+delta)).
func scoreImprovement(delta float64) float64 {
	return maxOf(0, minOf(1, 1+delta))
}
