package scoring

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSpecProblems: what cannot work is refused, with the metric's name and the field. Unknown fields and types are
// the business of whoever reads a file: a Spec cannot hold them.
func TestSpecProblems(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		change func(*Spec)
		want   []string // metric and field of each problem; the metric is empty where the spec itself is at fault
	}{
		{"nothing", func(*Spec) {}, nil},

		{"no scenario", func(s *Spec) { s.Scenario = " " }, []string{"/scenario"}},
		{"no metrics", func(s *Spec) { s.Metrics = nil }, []string{"/metrics"}},
		{"no name", func(s *Spec) { s.Metrics[1].Name = "\t" }, []string{"\t/name"}},
		{"duplicate name", func(s *Spec) { s.Metrics[1].Name = "first" }, []string{"first/name"}},
		{"names differ in case", func(s *Spec) { s.Metrics[1].Name = "First" }, nil},
		{"unknown format", func(s *Spec) { s.Metrics[1].Format = "percent" }, []string{"second/format"}},
		{"no format", func(s *Spec) { s.Metrics[1].Format = "" }, []string{"second/format"}},
		{"every format", func(s *Spec) {
			s.Metrics[0].Format, s.Metrics[1].Format = FormatPercent, FormatTrend
			s.Metrics = append(s.Metrics, Metric{Name: "third", Target: Boolean{}, Format: FormatInteger})
		}, nil},

		{"negative weight", func(s *Spec) { s.Metrics[1].Weight = -1 }, []string{"second/weight"}},
		{"NaN weight", func(s *Spec) { s.Metrics[1].Weight = math.NaN() }, []string{"second/weight"}},
		{"infinite weight", func(s *Spec) { s.Metrics[1].Weight = inf }, []string{"second/weight"}},
		{"zero weight beside another", func(s *Spec) { s.Metrics[1].Weight = 0 }, nil}, // counts in the statuses
		{"weights sum to 0", func(s *Spec) { s.Metrics[0].Weight, s.Metrics[1].Weight = 0, 0 }, []string{"/metrics"}},
		{"weights sum to infinity", func(s *Spec) {
			s.Metrics[0].Weight, s.Metrics[1].Weight = math.MaxFloat64, math.MaxFloat64
		}, []string{"/metrics"}},

		{"base 0", func(s *Spec) { s.Improvement = &Improvement{MaxDegradationBase: 0} }, nil}, // forgives nothing
		{"negative base", func(s *Spec) {
			s.Improvement = &Improvement{MaxDegradationBase: -0.1}
		}, []string{"/improvement.max_degradation_base"}},
		{"NaN base", func(s *Spec) {
			s.Improvement = &Improvement{MaxDegradationBase: math.NaN()}
		}, []string{"/improvement.max_degradation_base"}},
		{"infinite base", func(s *Spec) {
			s.Improvement = &Improvement{MaxDegradationBase: inf}
		}, []string{"/improvement.max_degradation_base"}},

		// An unknown type leaves no target behind, and whoever read it has reported it.
		{"no target", func(s *Spec) { s.Metrics[1].Target = nil }, nil},
		{"all at once, in the order of the spec", func(s *Spec) {
			s.Metrics[1] = Metric{Name: "first", Weight: -1, Target: Range{Min: 1, Max: 0}, Format: "?"}
			s.Scenario = ""
		}, []string{"/scenario", "first/name", "first/weight", "first/format", "first/min"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := Spec{Scenario: "s", Metrics: []Metric{
				{Name: "first", Weight: 1, Target: Range{Min: 0, Max: 1}, Format: FormatDefault},
				{Name: "second", Weight: 1, Target: Boolean{}, Format: FormatDefault},
			}}
			c.change(&spec)
			checkProblems(t, spec, c.want)
		})
	}
}

func TestTargetProblems(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	huge := math.MaxFloat64
	for _, c := range []struct {
		name   string
		target Target
		want   []string // fields
	}{
		{"tolerance 0", MeanTolerance{Target: 1, Tolerance: 0}, []string{"tolerance"}},
		{"tolerance -0", MeanTolerance{Target: 1, Tolerance: math.Copysign(0, -1)}, []string{"tolerance"}},
		{"tolerance negative", MeanTolerance{Target: 1, Tolerance: -0.1}, []string{"tolerance"}},
		{"tolerance tiny", MeanTolerance{Target: 1, Tolerance: math.SmallestNonzeroFloat64}, nil},
		{"hard min > max", MeanTolerance{Target: 1, Tolerance: 1, Min: at(2), Max: at(1)}, []string{"min"}},
		{"hard min = max", MeanTolerance{Target: 1, Tolerance: 1, Min: at(1), Max: at(1)}, nil},
		{"target outside the hard bounds", MeanTolerance{Target: 1, Tolerance: 1, Min: at(5)}, nil}, // odd, but it works
		{"range min > max", Range{Min: 1, Max: 0.5}, []string{"min"}},
		{"range of width 0", Range{Min: 1, Max: 1}, nil}, // scores 1 on the value
		{"range of infinite width", Range{Min: -huge, Max: huge}, []string{"max"}},
		{"pct min > target", PctWithin{Target: 0.5, Min: 0.6}, []string{"min"}},
		{"pct min = target", PctWithin{Target: 0.5, Min: 0.5}, nil},
		{"pct of infinite width", PctWithin{Target: huge, Min: -huge}, []string{"target"}},
		{"max_outlier negative", Outlier{MaxOutlier: -0.01, PenaltyWeight: 2}, []string{"max_outlier"}},
		{"max_outlier 0", Outlier{MaxOutlier: 0, PenaltyWeight: 2}, nil}, // any outlier fails
		{"penalty negative", Outlier{MaxOutlier: 0.1, PenaltyWeight: -1}, []string{"penalty_weight"}},
		{"penalty 0", Outlier{MaxOutlier: 0.1, PenaltyWeight: 0}, nil},
	} {
		t.Run(c.name, func(t *testing.T) { checkTargetProblems(t, c.target, c.want) })
	}

	// No field of any type takes a number that is not finite.
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, c := range []struct {
			field  string
			target Target
		}{
			{"target", MeanTolerance{Target: x, Tolerance: 1}},
			{"tolerance", MeanTolerance{Target: 1, Tolerance: x}},
			{"min", MeanTolerance{Target: 1, Tolerance: 1, Min: &x}},
			{"max", MeanTolerance{Target: 1, Tolerance: 1, Max: &x}},
			{"min", Range{Min: x, Max: 1}},
			{"max", Range{Min: 0, Max: x}},
			{"target", PctWithin{Target: x, Min: 0}},
			{"min", PctWithin{Target: 1, Min: x}},
			{"max_outlier", Outlier{MaxOutlier: x, PenaltyWeight: 2}},
			{"penalty_weight", Outlier{MaxOutlier: 0.1, PenaltyWeight: x}},
			{"threshold", Boolean{Threshold: x}},
		} {
			name := strings.Join([]string{string(c.target.Type()), c.field, c.target.String()}, " ")
			t.Run(name, func(t *testing.T) {
				problems := specOf(c.target).Problems()
				for _, p := range problems {
					if p.Name == "m" && p.Field == c.field && strings.Contains(p.Message, "not a finite number") {
						return
					}
				}
				t.Errorf("problems %v, want one with field %s", problems, c.field)
			})
		}
	}
}

func TestProblemError(t *testing.T) {
	for _, c := range []struct {
		problem Problem
		want    string
	}{
		{problem(-1, "", "scenario", "missing"), "scenario: missing"},
		{problem(1, "rate", "weight", "-1 is negative"), "metric rate: weight: -1 is negative"},
		{problem(1, "", "name", "missing"), "metric #2: name: missing"}, // people count from 1
	} {
		if got := c.problem.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestProblemMessages: a message says what was found and what would do.
func TestProblemMessages(t *testing.T) {
	spec := Spec{Scenario: "s", Metrics: []Metric{
		{Name: "a", Weight: -1, Target: Range{Min: 2, Max: 1}, Format: "percent"},
		{Name: "a", Weight: 1, Target: MeanTolerance{Tolerance: 0}, Format: FormatDefault},
	}}
	want := []string{
		`metric a: weight: -1 is negative`,
		`metric a: format: unknown format "percent": use DEFAULT, PERCENT, TREND or INTEGER`,
		`metric a: min: 2 is above max 1`,
		`metric a: name: duplicate of metric #1`,
		`metric a: tolerance: 0 must be greater than 0`,
	}
	var got []string
	for _, p := range spec.Problems() {
		got = append(got, p.Error())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func problem(metric int, name, field, message string) Problem {
	return Problem{Metric: metric, Name: name, FieldProblem: FieldProblem{Field: field, Message: message}}
}

// specOf returns a spec with one metric, "m".
func specOf(target Target) Spec {
	return Spec{Scenario: "s", Metrics: []Metric{
		{Name: "m", Weight: 1, Target: target, Format: FormatDefault},
	}}
}

func checkTargetProblems(t *testing.T, target Target, fields []string) {
	t.Helper()
	var want []string
	for _, f := range fields {
		want = append(want, "m/"+f)
	}
	checkProblems(t, specOf(target), want)
}

// checkProblems compares the problems of a spec, each written as metric/field.
func checkProblems(t *testing.T, spec Spec, want []string) {
	t.Helper()
	var got []string
	for _, p := range spec.Problems() {
		got = append(got, p.Name+"/"+p.Field)
		if p.Message == "" {
			t.Errorf("%s/%s: no message", p.Name, p.Field)
		}
		switch {
		case p.Metric < 0 && p.Name != "", p.Metric >= 0 && spec.Metrics[p.Metric].Name != p.Name:
			t.Errorf("index %d does not go with name %q", p.Metric, p.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
