package scoring

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestMeantAsPercent(t *testing.T) {
	rate := MeanTolerance{Target: 0.065, Tolerance: 0.02}
	for _, c := range []struct {
		target Target
		value  float64
		meant  float64 // 0 for a value that is no percentage
	}{
		{rate, 6.5, 0.065},
		{rate, 5, 0.05},
		{rate, 9, 0},     // 0.09 is a WARN
		{rate, 0.065, 0}, // on target
		{rate, 0.65, 0},  // ten times too much
		{rate, 65, 0},
		{rate, -6.5, 0},
		{rate, 0, 0},
		{rate, math.NaN(), 0},
		{rate, math.Inf(1), 0},
		{MeanTolerance{Target: 6.5, Tolerance: 0.5}, 0.065, 6.5},
		{MeanTolerance{Target: 6.5, Tolerance: 2}, 0.065, 0}, // a WARN as it is,
		{MeanTolerance{Target: -0.065, Tolerance: 0.02}, -6.5, -0.065},
		{MeanTolerance{Target: 0.01, Tolerance: 0.02}, 1, 0}, // 0 is on target
		{MeanTolerance{Target: 50, Tolerance: 45}, 0.5, 0},   // a WARN as it is
		{Range{5, 6}, 0.055, 5.5},
		{Range{1, 99}, 0.2, 0}, // 2 passes
		{Range{0.02, 0.1}, 5, 0.05},
		{Range{0, 0.1}, 5, 0},
		{PctWithin{0.9, 0.8}, 95, 0.95}, // which passes as it is
		{PctWithin{0.9, 0.8}, 0.95, 0},
		{PctWithin{0.9, 0.8}, 85, 0.85}, // which would pass as it is, and is a WARN
		{PctWithin{0.9, 0.8}, 101, 0},
		{Outlier{0.05, 1}, 3, 0.03},
		{Outlier{0.05, 1}, 0.03, 0},
		{Outlier{0.05, 1}, 0.5, 0}, // half of a percent, or half of all
		{Boolean{Threshold: 0.5}, 100, 0},
		{nil, 6.5, 0},
	} {
		meant, is := Metric{Name: "m", Target: c.target, Weight: 1}.MeantAsPercent(c.value)
		if is != (c.meant != 0) || is && math.Abs(meant-c.meant) > 1e-12 {
			t.Errorf("%v of %v: %v %v, want %v", c.value, c.target, meant, is, c.meant)
		}
	}
}

func TestCompute(t *testing.T) {
	spec := Spec{Scenario: "s", Metrics: []Metric{
		{Name: "given", Weight: 1, Target: Range{Max: 1}, Format: FormatDefault},
		{Name: "mean", Weight: 1, Target: Range{Max: 1}, Format: FormatDefault, From: &Reduction{Series: "u", Reduce: ReduceMean}},
	}}
	u := map[string][]float64{"u": {0.25, 0.75}}
	for _, c := range []struct {
		name    string
		given   map[string]float64
		series  map[string][]float64
		wins    bool
		want    *ComputedValue
		against []Contradiction
	}{
		{"from the series", nil, u, false, &ComputedValue{Metric: "mean", Value: 0.5}, nil},
		{"given and the same", map[string]float64{"mean": 0.5 * (1 + 1e-10)}, u, false, nil, nil},
		{"given and another", map[string]float64{"mean": 0.6}, u, false, nil,
			[]Contradiction{{Metric: "mean", Given: 0.6, Computed: 0.5}}},
		{"given wins", map[string]float64{"mean": 0.6}, u, true, nil, nil},
		{"given without series", map[string]float64{"mean": 0.6}, nil, false, nil, nil},
		{"neither", nil, nil, false, &ComputedValue{Metric: "mean", Value: math.NaN(), Reason: `no series "u"`}, nil},
		{"given, but the series has a NaN", map[string]float64{"mean": 0.6}, map[string][]float64{"u": {math.NaN()}}, false,
			nil, []Contradiction{{Metric: "mean", Given: 0.6, Computed: math.NaN()}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			find := func(name string) ([]float64, bool) { x, ok := c.series[name]; return x, ok }
			got, against := spec.Compute(c.given, find, c.wins)
			var want []ComputedValue
			if c.want != nil {
				want = append(want, *c.want)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.against, against, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("contradictions (-want +got):\n%s", diff)
			}
		})
	}
}

// A value that cannot be computed is missing, with the reason, and leaves the seed without a score.
func TestAssessComputed(t *testing.T) {
	spec := Spec{Scenario: "s", Metrics: []Metric{
		{Name: "mean", Weight: 1, Target: Range{Max: 1}, Format: FormatDefault, From: &Reduction{Series: "u", Reduce: ReduceMean}},
	}}
	a := AssessComputed(spec, nil, []ComputedValue{{Metric: "mean", Value: math.NaN(), Reason: "no series"}})
	if r := a.Results[0]; r.Status != Fail || !r.Missing() || r.Reason != "missing: no series" || a.Scored {
		t.Errorf("got %+v, scored %v", r, a.Scored)
	}
	a = AssessComputed(spec, map[string]float64{"other": 9}, []ComputedValue{{Metric: "mean", Value: 0.5}})
	if r := a.Results[0]; r.Status != Pass || r.Value != 0.5 || !a.Scored {
		t.Errorf("got %+v, scored %v", r, a.Scored)
	}
}

func TestAssess(t *testing.T) {
	spec := Spec{Scenario: "s", Metrics: []Metric{
		{Name: "light", Weight: 1, Target: Range{Min: 0, Max: 1}, Format: FormatDefault},
		{Name: "heavy", Weight: 3, Target: MeanTolerance{Target: 1, Tolerance: 0.1}, Format: FormatDefault},
		{Name: "count only", Weight: 0, Target: Boolean{Threshold: 0}, Format: FormatDefault},
	}}
	pass := Result{Name: "light", Value: 0.5, Status: Pass, Score: 1} // the centre
	// 1.5 tolerances off: 1 - 1.5/2. Weight 3 halves the WARN limit of two tolerances, which leaves no room for WARN.
	fail := Result{Name: "heavy", Value: 1.15, Status: Fail, Score: 0.25}
	flag := Result{Name: "count only", Value: 1, Status: Pass, Score: 1}

	for _, c := range []struct {
		name   string
		values map[string]float64
		want   Assessment
		passed bool
	}{
		{
			"one fails", map[string]float64{"light": 0.5, "heavy": 1.15, "count only": 1},
			Assessment{
				Results:    []Result{pass, fail, flag},
				TotalScore: (1*1 + 3*0.25) / 4., // weight 0 adds nothing
				Scored:     true, NPass: 2, NFail: 1,
			},
			false,
		},
		{
			"unknown value ignored", map[string]float64{"light": 0.5, "heavy": 1, "count only": 1, "novel": math.NaN()},
			Assessment{
				Results: []Result{
					pass, {Name: "heavy", Value: 1, Status: Pass, Score: 1}, flag,
				},
				TotalScore: 1, Scored: true, NPass: 3,
			},
			true,
		},
		{
			"zero weight still fails", map[string]float64{"light": 0.5, "heavy": 1, "count only": 0},
			Assessment{
				Results: []Result{
					pass, {Name: "heavy", Value: 1, Status: Pass, Score: 1},
					{Name: "count only", Value: 0, Status: Fail}, // 0 > 0 is false
				},
				TotalScore: 1, Scored: true, NPass: 2, NFail: 1,
			},
			false,
		},
		{
			// The metric counts as failed, the others are judged all the same, and there is no total: not even one over the
			// rest.
			"missing", map[string]float64{"light": 0.5, "count only": 1},
			Assessment{
				Results: []Result{
					pass, {Name: "heavy", Status: Fail, Reason: ReasonMissing}, flag,
				},
				NPass: 2, NFail: 1,
			},
			false,
		},
		{
			"nothing measured", nil,
			Assessment{
				Results: []Result{
					{Name: "light", Status: Fail, Reason: ReasonMissing},
					{Name: "heavy", Status: Fail, Reason: ReasonMissing},
					{Name: "count only", Status: Fail, Reason: ReasonMissing},
				},
				NFail: 3,
			},
			false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Assess(spec, c.values)
			if diff := cmp.Diff(c.want, got, approx); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.Passed() != c.passed {
				t.Errorf("passed %v, want %v", got.Passed(), c.passed)
			}
			for _, r := range got.Results {
				if _, ok := c.values[r.Name]; r.Missing() == ok {
					t.Errorf("%s: missing %v", r.Name, r.Missing())
				}
			}
		})
	}
}

// TestAssessCrashedSeed: an assessment without results passed nothing, although nothing in it failed.
func TestAssessCrashedSeed(t *testing.T) {
	if (Assessment{}).Passed() {
		t.Error("a seed that was not scored passed")
	}
}

// TestAssessNonFinite holds the rule for every type: FAIL with score 0, and the value as it came.
func TestAssessNonFinite(t *testing.T) {
	lower, upper := 0.0, 10.0
	for _, target := range []Target{
		MeanTolerance{Target: 1, Tolerance: 0.5},
		MeanTolerance{Target: 1, Tolerance: 0.5, Min: &lower, Max: &upper},
		Range{Min: 0, Max: 1},
		PctWithin{Target: 0.9, Min: 0.5},            // +Inf is above any target
		Outlier{MaxOutlier: 0.02, PenaltyWeight: 2}, // -Inf is below any maximum
		Boolean{Threshold: 0},
		Boolean{Threshold: 0, Invert: true},
	} {
		for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			got := Assess(specOf(target), map[string]float64{"m": value})
			want := Assessment{
				Results: []Result{{Name: "m", Value: value, Status: Fail, Reason: ReasonNonFinite}},
				Scored:  true, NFail: 1,
			}
			if diff := cmp.Diff(want, got, approx); diff != "" {
				t.Errorf("%s %v, value %v (-want +got):\n%s", target.Type(), target, value, diff)
			}
		}
	}
}

// TestAssessNoScore: ranges at the limits of float64, without problems, whose formula gives no finite score.
func TestAssessNoScore(t *testing.T) {
	const tiny = math.SmallestNonzeroFloat64
	for _, c := range []struct {
		name   string
		target Range
		value  float64
	}{
		{"half-width 0, at the centre", Range{Min: 0, Max: tiny}, 0},           // 0/0: the centre rounds to 0
		{"half-width 0, off the centre", Range{Min: 0, Max: tiny}, tiny},       // tiny/0
		{"centre +Inf", Range{Min: 1.5e308, Max: math.MaxFloat64}, 1.6e308},    // min + max overflows
		{"centre -Inf", Range{Min: -math.MaxFloat64, Max: -1.5e308}, -1.6e308}, // likewise
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := Spec{Scenario: "s", Metrics: []Metric{
				{Name: "m", Weight: 1, Target: c.target, Format: FormatDefault},
				{Name: "n", Weight: 1, Target: Boolean{}, Format: FormatDefault},
			}}
			if problems := spec.Problems(); len(problems) > 0 {
				t.Fatal(problems)
			}
			got := Assess(spec, map[string]float64{"m": c.value, "n": 1})
			want := Assessment{
				Results: []Result{
					{Name: "m", Value: c.value, Status: Fail, Reason: reasonNoScore},
					{Name: "n", Value: 1, Status: Pass, Score: 1},
				},
				TotalScore: 0.5, Scored: true, NPass: 1, NFail: 1,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
