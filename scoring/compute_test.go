package scoring

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

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
