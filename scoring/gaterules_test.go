package scoring

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
