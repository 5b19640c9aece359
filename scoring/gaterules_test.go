package scoring_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/scoring"
)

func TestGateRulesProblems(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		name  string
		rules scoring.GateRules
		want  []string
	}{
		{"none", scoring.GateRules{}, nil},
		{"all", scoring.GateRules{
			MinPassRate: at(0.95), Stable: true, MaxStd: at(0.05), MinScore: at(0.8), NoDegradation: true, MinSeeds: 10,
			Confidence: 0.99, FailOn: []scoring.Verdict{scoring.VerdictWarn, scoring.VerdictInconclusive, scoring.VerdictFail},
		}, nil},
		{"at the lower bounds", scoring.GateRules{MinPassRate: at(0), MaxStd: at(0), MinScore: at(0), Confidence: 0.5}, nil},
		{"at the upper bounds", scoring.GateRules{MinPassRate: at(1), MaxStd: at(1), MinScore: at(1), Confidence: math.Nextafter(1, 0)}, nil},
		{"no verdict at all", scoring.GateRules{FailOn: []scoring.Verdict{}}, nil},

		{"a percentage", scoring.GateRules{MinPassRate: at(95)}, []string{"min_pass_rate: 95 is not between 0 and 1"}},
		{"below 0", scoring.GateRules{MaxStd: at(-0.1)}, []string{"max_std: -0.1 is not between 0 and 1"}},
		{"not a number", scoring.GateRules{MinScore: at(math.NaN())}, []string{"min_score: NaN is not between 0 and 1"}},
		{"infinite", scoring.GateRules{MinScore: at(math.Inf(1))}, []string{"min_score: +Inf is not between 0 and 1"}},
		{"negative count", scoring.GateRules{MinSeeds: -1}, []string{"min_seeds: -1 is negative"}},
		{"worse than a coin", scoring.GateRules{Confidence: 0.49}, []string{"confidence: 0.49 is not from 0.5 to below 1"}},
		{"certain", scoring.GateRules{Confidence: 1}, []string{"confidence: 1 is not from 0.5 to below 1"}},
		{"confidence in percent", scoring.GateRules{Confidence: 95}, []string{"confidence: 95 is not from 0.5 to below 1"}},
		{"negative confidence", scoring.GateRules{Confidence: -0.95}, []string{"confidence: -0.95 is not from 0.5 to below 1"}},
		{"confidence is not a number", scoring.GateRules{Confidence: math.NaN()}, []string{"confidence: NaN is not from 0.5 to below 1"}},
		{"pass, and a verdict in lower case", scoring.GateRules{FailOn: []scoring.Verdict{scoring.VerdictPass, scoring.VerdictWarn, "warn"}}, []string{
			`fail_on: unknown verdict "PASS": use warn, inconclusive or fail`,
			`fail_on: unknown verdict "warn": use warn, inconclusive or fail`,
		}},
		{"several, in order", scoring.GateRules{MinSeeds: -1, MinScore: at(2), MinPassRate: at(-1)}, []string{
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
	s := specOf(scoring.Range{Min: 0, Max: 1})
	s.Gate = &scoring.GateRules{MinSeeds: -1, Confidence: 2}
	checkProblems(t, s, []string{"/gate.min_seeds", "/gate.confidence"})
	s.Gate = &scoring.GateRules{}
	checkProblems(t, s, nil)
}

func TestGateRulesAny(t *testing.T) {
	zero := 0.0 // a rule that any seeds follow is in force nonetheless
	for _, c := range []struct {
		name  string
		rules scoring.GateRules
		want  bool
	}{
		{"none", scoring.GateRules{}, false},
		{"how to judge, but not what", scoring.GateRules{Confidence: 0.99, FailOn: []scoring.Verdict{scoring.VerdictWarn}}, false},
		{"min_pass_rate", scoring.GateRules{MinPassRate: &zero}, true},
		{"stable", scoring.GateRules{Stable: true}, true},
		{"max_std", scoring.GateRules{MaxStd: &zero}, true},
		{"min_score", scoring.GateRules{MinScore: &zero}, true},
		{"no_degradation", scoring.GateRules{NoDegradation: true}, true},
		{"min_seeds", scoring.GateRules{MinSeeds: 1}, true},
	} {
		if got := c.rules.Any(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
