package scoring

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
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

func TestGateRulesProblems(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		name  string
		rules GateRules
		want  []string
	}{
		{"none", GateRules{}, nil},
		{"all", GateRules{
			MinPassRate: at(0.95), Stable: true, MaxStd: at(0.05), MinScore: at(0.8), Bound: BoundDistributionFree, NoDegradation: true, MinSeeds: 10,
			Confidence: 0.99, FailOn: []Verdict{VerdictWarn, VerdictInconclusive, VerdictFail},
		}, nil},
		{"at the lower bounds", GateRules{MinPassRate: at(0), MaxStd: at(0), MinScore: at(0), Confidence: 0.5}, nil},
		{"at the upper bounds", GateRules{MinPassRate: at(1), MaxStd: at(1), MinScore: at(1), Confidence: math.Nextafter(1, 0)}, nil},
		{"no verdict at all", GateRules{FailOn: []Verdict{}}, nil},

		{"a percentage", GateRules{MinPassRate: at(95)}, []string{"min_pass_rate: 95 is not between 0 and 1"}},
		{"below 0", GateRules{MaxStd: at(-0.1)}, []string{"max_std: -0.1 is not between 0 and 1"}},
		{"not a number", GateRules{MinScore: at(math.NaN())}, []string{"min_score: NaN is not between 0 and 1"}},
		{"infinite", GateRules{MinScore: at(math.Inf(1))}, []string{"min_score: +Inf is not between 0 and 1"}},
		{"unknown bound", GateRules{Bound: "hoeffding"}, []string{`bound: unknown bound "hoeffding": use t or distribution-free`}},
		{"negative count", GateRules{MinSeeds: -1}, []string{"min_seeds: -1 is negative"}},
		{"worse than a coin", GateRules{Confidence: 0.49}, []string{"confidence: 0.49 is not from 0.5 to below 1"}},
		{"certain", GateRules{Confidence: 1}, []string{"confidence: 1 is not from 0.5 to below 1"}},
		{"confidence in percent", GateRules{Confidence: 95}, []string{"confidence: 95 is not from 0.5 to below 1"}},
		{"negative confidence", GateRules{Confidence: -0.95}, []string{"confidence: -0.95 is not from 0.5 to below 1"}},
		{"confidence is not a number", GateRules{Confidence: math.NaN()}, []string{"confidence: NaN is not from 0.5 to below 1"}},
		{"pass, and a verdict in lower case", GateRules{FailOn: []Verdict{VerdictPass, VerdictWarn, "warn"}}, []string{
			`fail_on: unknown verdict "PASS": use warn, inconclusive or fail`,
			`fail_on: unknown verdict "warn": use warn, inconclusive or fail`,
		}},
		{"several, in order", GateRules{MinSeeds: -1, MinScore: at(2), MinPassRate: at(-1)}, []string{
			"min_pass_rate: -1 is not between 0 and 1", "min_score: 2 is not between 0 and 1", "min_seeds: -1 is negative",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range c.rules.Problems() {
				got = append(got, p.Field+": "+p.Message)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSpecProblemsOfGate: a spec reports the problems of its gate under the path of the field.
func TestSpecProblemsOfGate(t *testing.T) {
	s := specOf(Range{Min: 0, Max: 1})
	s.Gate = &GateRules{MinSeeds: -1, Confidence: 2}
	checkProblems(t, s, []string{"/gate.min_seeds", "/gate.confidence"})
	s.Gate = &GateRules{}
	checkProblems(t, s, nil)
}

func TestGateRulesAny(t *testing.T) {
	zero := 0.0 // a rule that any seeds follow is in force nonetheless
	for _, c := range []struct {
		name  string
		rules GateRules
		want  bool
	}{
		{"none", GateRules{}, false},
		{"how to judge, but not what", GateRules{Confidence: 0.99, FailOn: []Verdict{VerdictWarn}}, false},
		{"min_pass_rate", GateRules{MinPassRate: &zero}, true},
		{"stable", GateRules{Stable: true}, true},
		{"max_std", GateRules{MaxStd: &zero}, true},
		{"min_score", GateRules{MinScore: &zero}, true},
		{"no_degradation", GateRules{NoDegradation: true}, true},
		{"min_seeds", GateRules{MinSeeds: 1}, true},
	} {
		if got := c.rules.Any(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestActiveRules(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	fail := []Verdict{VerdictFail}
	warn := []Verdict{VerdictWarn}
	all := GateRules{
		MinPassRate: number(0.9), Stable: true, MaxStd: number(0.1), MinScore: number(0.8), NoDegradation: true, MinSeeds: 20, Confidence: 0.99, FailOn: warn,
	}
	for _, tt := range []struct {
		name              string
		spec, given, want GateRules
	}{
		{"none", GateRules{}, GateRules{}, GateRules{Stable: true, Confidence: 0.95}},
		{"no rule, but how", GateRules{FailOn: fail}, GateRules{Confidence: 0.9}, GateRules{Stable: true, Confidence: 0.9, FailOn: fail}},
		{"of the spec", all, GateRules{}, all},
		{"given", GateRules{}, all, all},
		{"beside", GateRules{MinPassRate: number(0.5)}, GateRules{MinSeeds: 3}, GateRules{MinPassRate: number(0.5), MinSeeds: 3, Confidence: 0.95}},
		{"min_seeds does not judge", GateRules{}, GateRules{MinSeeds: 1}, GateRules{MinSeeds: 1, Stable: true, Confidence: 0.95}},
		{"both", all, GateRules{MinPassRate: number(0), MaxStd: number(0.2), MinScore: number(0), MinSeeds: 1, Confidence: 0.5, FailOn: fail}, GateRules{
			MinPassRate: number(0), Stable: true, MaxStd: number(0.2), MinScore: number(0), NoDegradation: true, MinSeeds: 1, Confidence: 0.5, FailOn: fail,
		}},
		{"nothing fails but FAIL", GateRules{Stable: true, FailOn: warn}, GateRules{FailOn: []Verdict{}}, GateRules{Stable: true, Confidence: 0.95, FailOn: []Verdict{}}},
	} {
		spec := Spec{}
		if tt.name != "none" {
			rules := tt.spec
			spec.Gate = &rules
		}
		if diff := cmp.Diff(tt.want, spec.ActiveRules(tt.given)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if spec.Gate != nil && !cmp.Equal(*spec.Gate, tt.spec) {
			t.Errorf("%s: the spec was changed", tt.name)
		}
	}
}

func TestTargetString(t *testing.T) {
	lower, upper := 1.0, 10.0
	for _, c := range []struct {
		target Target
		kind   Type
		want   string
	}{
		{MeanTolerance{Target: 0.065, Tolerance: 0.02}, "MEAN_TOLERANCE", "0.065 ± 0.02"},
		{MeanTolerance{Target: 3, Tolerance: 2, Min: &lower}, "MEAN_TOLERANCE", "3 ± 2, ≥ 1"},
		{MeanTolerance{Target: 3, Tolerance: 2, Max: &upper}, "MEAN_TOLERANCE", "3 ± 2, ≤ 10"},
		{MeanTolerance{Target: 3, Tolerance: 2, Min: &lower, Max: &upper}, "MEAN_TOLERANCE", "3 ± 2 in [1, 10]"},
		{Range{Min: 0.0012345, Max: 0.002}, "RANGE", "[0.0012345, 0.002]"}, // no digit is lost
		{PctWithin{Target: 0.95, Min: 0.875}, "PCT_WITHIN", "≥ 95% (min 87.5%)"},
		{Outlier{MaxOutlier: 0.07, PenaltyWeight: 2}, "OUTLIER", "≤ 7%"}, // 100*0.07 is 7.000000000000001
		{Boolean{Threshold: 1e-05}, "BOOLEAN", "> 1e-05"},
		{Boolean{Threshold: -0.5, Invert: true}, "BOOLEAN", "< -0.5"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := c.target.String(); got != c.want {
				t.Errorf("got %q", got)
			}
			if got := c.target.Type(); got != c.kind {
				t.Errorf("type %s, want %s", got, c.kind)
			}
		})
	}
}

func TestMetricDescription(t *testing.T) {
	m := Metric{Target: Boolean{Threshold: 1}}
	if got := m.Description(); got != "> 1" { // the target itself
		t.Errorf("without a description: %q", got)
	}
	m.TargetDesc = "prices above cost"
	if got := m.Description(); got != "prices above cost" {
		t.Errorf("with a description: %q", got)
	}
}

// TestHardBounds: bounds decide after the tolerance did, and belong to the inside.
func TestHardBounds(t *testing.T) {
	lower, upper := 0.5, 1.5
	for _, c := range []struct {
		name         string
		lower, upper *float64
		value        float64
		want         Status
	}{
		{"on the lower bound", &lower, nil, 0.5, Warn}, // five tolerances off, softened
		{"below it", &lower, nil, 0.49, Fail},
		{"far above, unbounded there", &lower, nil, 99, Warn},
		{"on the upper bound", nil, &upper, 1.5, Warn},
		{"above it", nil, &upper, 1.51, Fail},
		{"far below, unbounded there", nil, &upper, -99, Warn},
		{"no bounds", nil, nil, 1.5, Fail}, // nothing softens
		{"on target", &lower, &upper, 1, Pass},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := MeanTolerance{Target: 1, Tolerance: 0.1, Min: c.lower, Max: c.upper}
			if got := target.check(c.value, 1); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			// The score knows no bounds.
			if got, want := target.score(c.value), scoreMeanTolerance(c.value, 1, 0.1); got != want {
				t.Errorf("score %v, want %v", got, want)
			}
		})
	}
}

// TestOperationOrder: values lie exactly on limits so often that the last bit of a limit counts. The products are
// formed from the left, tolerance*multiplier*escalation, but for the buffer of RANGE, which is warnBuffer*escalation
// widths. The vectors cannot tell, as their multipliers are powers of two.
func TestOperationOrder(t *testing.T) {
	meanTolerance := func(actual, tolerance, multiplier, escalation float64) Status {
		return checkMeanTolerance(actual, 0, tolerance, multiplier, escalation)
	}
	rangeFromZero := func(actual, upper, buffer, escalation float64) Status {
		return checkRange(actual, 0, upper, buffer, escalation)
	}
	for _, c := range []struct {
		name                         string
		check                        func(actual, size, multiplier, escalation float64) Status
		size, multiplier, escalation float64
		limit                        float64 // the largest value that is WARN
	}{
		{"CheckMeanTolerance", meanTolerance, 0.3, 3.5, 1.5, 1.5750000000000002}, // 0.3*(3.5*1.5) is 1.575
		{"CheckMeanTolerance", meanTolerance, 0.3, 2.5, 0.7, 0.5249999999999999}, // 0.3*(2.5*0.7) is 0.525
		{"CheckOutlierPenalty", checkOutlierPenalty, 0.3, 3.5, 1.5, 1.5750000000000002},
		{"CheckOutlierPenalty", checkOutlierPenalty, 0.3, 2.5, 0.7, 0.5249999999999999},
		{"CheckRange", rangeFromZero, 0.9, 0.7, 1.3, 1.7189999999999999}, // 0.9 + 0.9*0.7*1.3 is 1.719
		{"CheckRange", rangeFromZero, 2.7, 0.7, 3, 8.37},                 // 2.7 + 2.7*0.7*3 is 8.370000000000001
	} {
		if got := c.check(c.limit, c.size, c.multiplier, c.escalation); got != Warn {
			t.Errorf("%s: %v is %s, want WARN", c.name, c.limit, got)
		}
		above := math.Nextafter(c.limit, math.Inf(1))
		if got := c.check(above, c.size, c.multiplier, c.escalation); got != Fail {
			t.Errorf("%s: %v is %s, want FAIL", c.name, above, got)
		}
	}
}

// TestCheckHardBounds calls it directly, as Assess lets no NaN through to it.
func TestCheckHardBounds(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name           string
		status, atUnit Status
		actual         float64
		want           Status
	}{
		{"NaN is outside", Fail, Fail, math.NaN(), Fail},
		{"NaN is outside, whatever its status", Pass, Pass, math.NaN(), Fail},
		{"softened", Fail, Fail, 5, Warn},
		{"failed by escalation alone", Fail, Warn, 5, Fail},
		{"warned by escalation alone", Warn, Fail, 5, Warn},
		{"passed", Pass, Pass, 5, Pass},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := checkHardBounds(c.status, c.atUnit, c.actual, 0, 10); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if got := checkHardBounds(c.status, c.atUnit, c.actual, -inf, inf); got != c.want { // no bounds set
				t.Errorf("unbounded: %s, want %s", got, c.want)
			}
		})
	}
}

// TestBands checks the statuses of a metric at all limits: at the ends of each band, at the next float64 beyond, and at
// any other value.
func TestBands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Metric{Name: "x", Weight: rapid.SampledFrom([]float64{0, 0.1, 0.5, 1, 1.5, 2, 2.25, 2.4, 3, 100}).Draw(t, "weight"), Target: drawTarget(t)}
		if len(m.Target.problems()) > 0 {
			t.Skip("not a valid target")
		}
		status := func(x float64) Status { return m.Target.check(x, failEscalationMultiplier(m.Weight)) }
		bands := m.Bands()
		if bands[0].Lo != nil || bands[len(bands)-1].Hi != nil {
			t.Fatalf("not all values have a band: %v", bands)
		}
		for i, b := range bands {
			if b.Lo != nil && status(*b.Lo) != b.Status || b.Hi != nil && status(*b.Hi) != b.Status {
				t.Fatalf("band %d of %v: its ends are not %s", i, m.Target, b.Status)
			}
			if i > 0 && (bands[i-1].Status == b.Status || math.Nextafter(*bands[i-1].Hi, math.Inf(1)) != *b.Lo) {
				t.Fatalf("band %d of %v does not follow the one before", i, m.Target)
			}
		}
		x := rapid.Float64Range(-10, 10).Draw(t, "x")
		for _, x := range []float64{x, x * 1e-6, x * 1e9, 0} {
			for _, b := range bands {
				if (b.Lo == nil || x >= *b.Lo) && (b.Hi == nil || x <= *b.Hi) && status(x) != b.Status {
					t.Fatalf("%v of %v, weight %v: %s, in the band of %s", x, m.Target, m.Weight, status(x), b.Status)
				}
			}
		}
	})
}

func drawTarget(t *rapid.T) Target {
	number := func(name string) float64 {
		return rapid.OneOf(rapid.Float64Range(-2, 2), rapid.SampledFrom([]float64{0, 0.065, 0.02, 1, 0.9, 0.8, 1e-9, 1e6, -1})).Draw(t, name)
	}
	bound := func(name string) *float64 {
		if rapid.Bool().Draw(t, "has "+name) {
			return nil
		}
		x := number(name)
		return &x
	}
	switch rapid.IntRange(0, 4).Draw(t, "type") {
	case 0:
		return MeanTolerance{number("target"), number("tolerance"), bound("min"), bound("max")}
	case 1:
		return Range{number("min"), number("max")}
	case 2:
		return PctWithin{number("target"), number("min")}
	case 3:
		return Outlier{number("max_outlier"), 2}
	}
	return Boolean{number("threshold"), rapid.Bool().Draw(t, "invert")}
}

// TestBandsOfExamples checks limits that are computed by hand from the formulas in docs/reference/spec.md.
func TestBandsOfExamples(t *testing.T) {
	lo, hi := 0.0, 0.15
	for _, test := range []struct {
		metric     Metric
		pass, warn string
		fail       string
	}{
		{Metric{Weight: 1.5, Target: MeanTolerance{Target: 0.065, Tolerance: 0.02}}, "0.045 to 0.085", "-0.015 to 0.045 or 0.085 to 0.145", "below -0.015 or above 0.145"},              // e = 2
		{Metric{Weight: 3, Target: MeanTolerance{0.065, 0.02, &lo, &hi}}, "0.045 to 0.085", "0 to 0.025 or 0.105 to 0.15", "below 0 or 0.025 to 0.045 or 0.085 to 0.105 or above 0.15"}, // e = 0.5
		{Metric{Weight: 1.5, Target: Range{0, 1}}, "0 to 1", "-1 to 0 or 1 to 2", "below -1 or above 2"},
		{Metric{Weight: 1.5, Target: PctWithin{0.8, 0.6}, Format: FormatPercent}, "from 80%", "40% to 80%", "below 40%"},
		{Metric{Weight: 1.5, Target: Outlier{MaxOutlier: 0.05}}, "up to 0.05", "0.05 to 0.2", "above 0.2"},
		{Metric{Target: Boolean{Threshold: 0.2, Invert: true}}, "below 0.2", "", "from 0.2"},
		{Metric{Target: Boolean{Threshold: 0.2}}, "above 0.2", "", "up to 0.2"},
		{Metric{Weight: 1, Target: Range{3, 3}}, "exactly 3", "", "below 3 or above 3"},
	} {
		for status, want := range map[Status]string{Pass: test.pass, Warn: test.warn, Fail: test.fail} {
			if got := test.metric.BandText(status); got != want {
				t.Errorf("%v, weight %v: %s is %q, want %q", test.metric.Target, test.metric.Weight, status, got, want)
			}
		}
	}
}

// The expected shares are computed by hand from the bands of the examples in TestBandsOfExamples.
func TestOutside(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tolerance := Metric{Weight: 1.5, Target: MeanTolerance{Target: 0.065, Tolerance: 0.02}} // accepted: -0.015 to 0.145
	share := Metric{Weight: 1.5, Target: PctWithin{0.8, 0.6}}                               // from 0.4
	below := Metric{Target: Boolean{Threshold: 0.2, Invert: true}}
	for _, c := range []struct {
		name   string
		metric Metric
		value  float64
		want   float64
	}{
		{"in its target", tolerance, 0.065, 0},
		{"WARN", tolerance, 0.1, 0},
		{"half of the range above", tolerance, 0.225, 0.5},
		{"a whole range below", tolerance, -0.175, 1},
		{"half of the limit", share, 0.2, 0.5},
		{"twice the limit", below, 0.4, 1},
		{"above 0", Metric{Target: Boolean{Threshold: 0}}, -2, 2}, // the limit is the smallest number above 0
		{"one value is accepted", Metric{Weight: 1, Target: Range{3, 3}}, 6, 1},
		{"NaN", tolerance, nan, inf},
		{"infinite", below, -inf, inf}, // accepted by its bands, but never by a metric
		{"no target", Metric{}, 1, inf},
	} {
		if got := Outside(c.metric.Bands(), c.value); !(math.Abs(got-c.want) < 1e-9) && got != c.want {
			t.Errorf("%s: %v of %v is outside by %v, want %v", c.name, c.value, c.metric.Target, got, c.want)
		}
	}
}
