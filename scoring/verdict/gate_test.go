package verdict_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
)

func gate(t rapidTB, inputs ...verdict.GateInput) verdict.Gate {
	t.Helper()
	g, err := verdict.NewGate(inputs)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

type rapidTB interface {
	Helper()
	Fatal(args ...any)
}

// input judges an aggregate by rules.
func input(rules scoring.GateRules, s scoring.Stability) verdict.GateInput {
	return verdict.GateInput{Name: "s", Scenario: "s", Rules: rules, Stability: s}
}

// outcome is the one of a rule about seeds.
func outcome(t *testing.T, g verdict.Gate, rule string) verdict.Outcome {
	t.Helper()
	for _, o := range g.Scenarios[0].Outcomes {
		if o.Rule == rule && o.Metric == "" {
			return o
		}
	}
	t.Fatalf("no outcome of %s in %+v", rule, g.Scenarios[0].Outcomes)
	return verdict.Outcome{}
}

const (
	pass, warn, open, fail = scoring.VerdictPass, scoring.VerdictWarn, scoring.VerdictInconclusive, scoring.VerdictFail
)

func TestGateRules(t *testing.T) {
	rate := func(x float64) scoring.GateRules { return scoring.GateRules{MinPassRate: &x} }
	std := func(x float64) scoring.GateRules { return scoring.GateRules{MaxStd: &x} }
	score := func(x float64) scoring.GateRules { return scoring.GateRules{MinScore: &x} }
	twenty := around(0.8, 20)
	summary, err := stats.Summarize(twenty)
	fatal(t, err)
	meanLo, meanHi := summary.MeanAtLeast(0.95).Lo, summary.MeanAtMost(0.95).Hi
	sdLo, sdHi := summary.SDInterval(0.9).Lo, summary.SDAtMost(0.95).Hi
	for _, c := range []struct {
		name         string
		rule         string
		rules        scoring.GateRules
		in           scoring.Stability
		want         scoring.Verdict
		need         string
		unattainable string
	}{
		// 0.95⁵⁹ = 0.0485 and 0.95⁵⁸ = 0.0510.
		{"59 of 59", verdict.RuleMinPassRate, rate(0.95), stability(59, 59, around(0.8, 59)), pass, "", ""},
		{"58 of 58", verdict.RuleMinPassRate, rate(0.95), stability(58, 58, around(0.8, 58)), open, "59 seeds would show 95.0% if all pass: 1 more", "it needs 59 of 59"},
		{"92 of 93", verdict.RuleMinPassRate, rate(0.95), stability(92, 93, around(0.8, 93)), pass, "", ""},
		{"91 of 92", verdict.RuleMinPassRate, rate(0.95), stability(91, 92, around(0.8, 92)), open, "1 more if all of them pass", ""},
		{"58 of 59", verdict.RuleMinPassRate, rate(0.95), stability(58, 59, around(0.8, 59)), open, "34 more if all of them pass, which has a chance of 55.9% at this rate", ""},
		{"1 is out of reach", verdict.RuleMinPassRate, rate(1), stability(30, 30, around(0.8, 30)), open, "", "any number of seeds up to 100000"},
		// P(X ≤ 17) = 0.0755 and P(X ≤ 16) = 0.0159 of 20 at 0.95.
		{"17 of 20", verdict.RuleMinPassRate, rate(0.95), stability(17, 20, twenty), open, "a higher pass rate: at this rate no number of seeds shows 95.0%", "it needs 59 of 59"},
		{"16 of 20", verdict.RuleMinPassRate, rate(0.95), stability(16, 20, twenty), fail, "", ""},
		{"min score met", verdict.RuleMinScore, score(meanLo - 1e-9), stability(20, 20, twenty), pass, "", ""},
		{"min score not shown", verdict.RuleMinScore, score(meanLo + 1e-9), stability(20, 20, twenty), open, "about", ""},
		{"min score not refuted", verdict.RuleMinScore, score(meanHi - 1e-9), stability(20, 20, twenty), open, "", ""},
		{"min score refuted", verdict.RuleMinScore, score(meanHi + 1e-9), stability(20, 20, twenty), fail, "", ""},
		{"max std met", verdict.RuleMaxStd, std(sdHi + 1e-9), stability(20, 20, twenty), pass, "", ""},
		{"max std not shown", verdict.RuleMaxStd, std(sdHi - 1e-9), stability(20, 20, twenty), open, "about", ""},
		{"max std not refuted", verdict.RuleMaxStd, std(sdLo + 1e-9), stability(20, 20, twenty), open, "", ""},
		{"max std refuted", verdict.RuleMaxStd, std(sdLo - 1e-9), stability(20, 20, twenty), fail, "", ""},
		{"one score", verdict.RuleMaxStd, std(0.5), stability(1, 1, []float64{0.5}), open, "4 more scored seeds", "it needs 5"},
		{"one score", verdict.RuleMinScore, score(0.1), stability(1, 1, []float64{0.5}), open, "1 more scored seed", "it needs 2"},
		// Of 4 scores that are at least 0.97 the mean is at least 0.97 · 0.05^(1/4) = 0.4587.
		{"four scores", verdict.RuleMinScore, score(0.45), stability(4, 4, []float64{0.97, 0.98, 0.99, 0.98}), pass, "", ""},
		{"too few scores", verdict.RuleMinScore, score(0.46), stability(4, 4, []float64{0.97, 0.98, 0.99, 0.98}), open, "1 more scored seed", ""},
		{"too few to show as much", verdict.RuleMinScore, score(0.48), stability(4, 4, []float64{0.97, 0.98, 0.99, 0.98}), open, "1 more scored seed", "it needs 5"},
		// Twenty equal scores of 1: 0.05^(1/20) = 0.8609, the bound of 20 of 20 too.
		{"equal scores", verdict.RuleMinScore, score(0.86), stability(20, 20, slices.Repeat([]float64{1}, 20)), pass, "", ""},
		{"too few equal scores", verdict.RuleMinScore, score(0.87), stability(20, 20, slices.Repeat([]float64{1}, 20)), open, "2 more seeds of this score", ""},
		{"equal to the limit", verdict.RuleMinScore, score(0.8), stability(20, 20, slices.Repeat([]float64{0.8}, 20)), open, "seeds whose total scores vary", ""},
		// Two scores of 0.98 are no evidence against a mean of 0.99: half of each of two seeds may be 1.
		{"two equal scores below", verdict.RuleMinScore, score(0.99), stability(2, 2, []float64{0.98, 0.98}), open, "", ""},
		{"equal scores below", verdict.RuleMinScore, score(0.9), stability(20, 20, slices.Repeat([]float64{0.5}, 20)), fail, "", ""},
		{"no spread", verdict.RuleMaxStd, std(0.1), stability(20, 20, slices.Repeat([]float64{0.5}, 20)), open, "seeds whose total scores vary", ""},
		{"enough seeds", verdict.RuleMinSeeds, scoring.GateRules{MinSeeds: 20}, stability(20, 20, twenty), pass, "", ""},
		{"too few seeds", verdict.RuleMinSeeds, scoring.GateRules{MinSeeds: 21}, stability(20, 20, twenty), open, "1 more seed", "min_seeds 21 cannot be met with 20 seeds"},
		{"stable", verdict.RuleStable, scoring.GateRules{Stable: true}, stability(29, 29, around(0.8, 29)), pass, "", ""},
		{"stable in these", verdict.RuleStable, scoring.GateRules{Stable: true}, stability(28, 28, around(0.8, 28)), warn, "1 more", ""},
		{"unstable", verdict.RuleStable, scoring.GateRules{Stable: true}, stability(10, 20, twenty), fail, "", ""},
		{"4 seeds", verdict.RuleStable, scoring.GateRules{Stable: true}, stability(4, 4, around(0.8, 4)), open, "1 more scored seed", "it needs 5"},
		// Of 20 at 0.9, P(X ≤ 15) = 0.0432; doubled, because the sd could have been too large as well, it is above 0.05.
		{"15 of 20 of two tests", verdict.RuleStable, scoring.GateRules{Stable: true}, stability(15, 20, twenty), open, "", ""},
		{"14 of 20 of two tests", verdict.RuleStable, scoring.GateRules{Stable: true}, stability(14, 20, twenty), fail, "", ""},
	} {
		t.Run(c.rule+" "+c.name, func(t *testing.T) {
			g := gate(t, input(c.rules, c.in))
			o := outcome(t, g, c.rule)
			if o.Verdict != c.want || o.Message == "" {
				t.Errorf("%s, want %s: %+v", o.Verdict, c.want, o)
			}
			if !strings.Contains(o.Need, c.need) || c.want == pass && o.Need != "" {
				t.Errorf("need %q, want %q", o.Need, c.need)
			}
			if !strings.Contains(o.Unattainable, c.unattainable) || c.unattainable == "" && c.want != fail && o.Unattainable != "" {
				t.Errorf("unattainable %q, want %q", o.Unattainable, c.unattainable)
			}
			if o.Unattainable != "" && !slices.Contains(g.Unattainable(), "s: "+o.Unattainable) {
				t.Errorf("unattainable %q", g.Unattainable())
			}
			if g.Verdict != o.Verdict || g.Scenarios[0].Verdict != o.Verdict {
				t.Errorf("the gate is %s", g.Verdict)
			}
			if (o.P != nil) != (o.PCorrected != nil) || o.P != nil && *o.P != *o.PCorrected {
				t.Errorf("p %v, corrected for one test %v", o.P, o.PCorrected)
			}
		})
	}
}

// What leaves nothing to judge has a name, and no gate passes for it.
func TestGateNamesWhatIsMissing(t *testing.T) {
	rules := scoring.GateRules{MinScore: ptr(0.1), MaxStd: ptr(0.9)}
	good := stability(20, 20, around(0.8, 20))
	with := func(change func(s *scoring.Stability)) scoring.Stability {
		s := stability(20, 20, around(0.8, 20))
		change(&s)
		return s
	}
	metric := func(change func(m *scoring.MetricStability)) scoring.Stability {
		return with(func(s *scoring.Stability) { change(&s.Metrics[0]) })
	}
	for _, c := range []struct {
		name   string
		in     verdict.GateInput
		want   scoring.Verdict
		reason string // of the outcome of data
	}{
		{"nothing is wrong", input(rules, good), pass, ""},
		{"no seeds", verdict.GateInput{Rules: rules, Problem: verdict.ProblemNoSeeds}, open, "no_seeds"},
		{"no seeds, unnamed", input(rules, stability(0, 0, nil)), open, "no_seeds"},
		{"no seeds at any time", verdict.GateInput{Rules: scoring.GateRules{MinPassRate: ptr(0)}, Look: verdict.Look{Anytime: true}}, open, "no_seeds"},
		{"no spec", verdict.GateInput{Rules: rules, Problem: verdict.ProblemNoSpec, Stability: good}, open, "no_spec"},
		{"not scored", verdict.GateInput{Rules: rules, Problem: verdict.ProblemNotAssessed, Stability: good}, open, "not_assessed"},
		{"no rules", input(scoring.GateRules{Confidence: 0.9}, good), open, "no_rules"},
		{"no metrics", input(rules, with(func(s *scoring.Stability) { s.Metrics = nil })), open, "no_metrics"},
		{"every seed crashed", input(scoring.GateRules{MinSeeds: 1}, crashed(stability(0, 0, nil), 9)), open, "no_scores"},
		{"missing metric", input(rules, metric(func(m *scoring.MetricStability) { m.N, m.MeanValue, m.NNotFailed = 0, nil, 0 })), open, "never_recorded"},
		{"NaN everywhere", input(rules, metric(func(m *scoring.MetricStability) { m.NNaN, m.NNotFailed = 20, 0 })), fail, "non_finite"},
		{"NaN somewhere", input(rules, metric(func(m *scoring.MetricStability) { m.NNaN, m.NNotFailed = 1, 19 })), warn, "non_finite"},
		{"infinity", input(rules, metric(func(m *scoring.MetricStability) { m.NInfinite, m.NNotFailed = 1, 19 })), warn, "non_finite"},
		{"missing in one seed", input(rules, metric(func(m *scoring.MetricStability) { m.N, m.NNotFailed = 19, 19 })), warn, "missing_values"},
		{"fails in a quarter", input(rules, metric(func(m *scoring.MetricStability) { m.NNotFailed = 15 })), warn, "unstable"},
		{"fails in a fifth", input(rules, metric(func(m *scoring.MetricStability) { m.NNotFailed = 16 })), pass, ""},
		{"one seed crashed", input(rules, crashed(good, 1)), warn, "failed_seeds"},
		{"all the same", input(rules, func() scoring.Stability { s := stability(1, 1, level(0.8, 1)); s.NIdentical = 19; return s }()), open, "identical_seeds"},
		{"half the same", input(rules, with(func(s *scoring.Stability) { s.NIdentical = 20 })), pass, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gate(t, c.in)
			if g.Verdict != c.want || g.Failing != (c.want == open || c.want == fail) {
				t.Errorf("%s, failing %v, want %s: %+v", g.Verdict, g.Failing, c.want, g.Scenarios[0].Outcomes)
			}
			named := slices.ContainsFunc(g.Scenarios[0].Outcomes, func(o verdict.Outcome) bool {
				return o.Rule == verdict.RuleData && o.Reason == c.reason && o.Verdict == c.want && o.Message != ""
			})
			if !named {
				t.Errorf("%q is not named in %+v", c.reason, g.Scenarios[0].Outcomes)
			}
		})
	}
	if g := gate(t); g.Verdict != open || !g.Failing {
		t.Errorf("no scenarios: %s, failing %v", g.Verdict, g.Failing)
	}
}

// What is said of a metric names the seeds it is said of, and everything that is wrong with them.
func TestGateSaysWhichSeedsHaveValues(t *testing.T) {
	rules := scoring.GateRules{MinScore: ptr(0.1), MaxStd: ptr(0.9)}
	for _, c := range []struct {
		name    string
		crashed int
		change  func(m *scoring.MetricStability)
		want    string
	}{
		{"all", 0, func(m *scoring.MetricStability) { m.NNotFailed = 15 }, "PASS or WARN in 100.0% of 20 seeds, score"}, // its PassRate stays
		{"some crashed", 5, func(m *scoring.MetricStability) { m.NNotFailed = 10 }, "PASS or WARN in 10 of the 20 seeds with a value (25 seeds in all), score"},
		{"none is finite, some are missing", 0, func(m *scoring.MetricStability) { m.N, m.NNaN, m.NNotFailed = 14, 14, 0 },
			"FAIL in all 14 seeds with a value; values: 0 finite, 14 NaN; 6 of 20 seeds that ran well have no value"},
		{"some are not finite, some are missing", 0, func(m *scoring.MetricStability) { m.N, m.NNaN, m.NInfinite, m.NNotFailed = 14, 4, 1, 13 },
			"6 of 20 seeds that ran well have no value and therefore no total score; values: 9 finite, 4 NaN, 1 infinite; a value that is not finite scores 0"},
	} {
		s := crashed(stability(20, 20, around(0.8, 20)), c.crashed)
		c.change(&s.Metrics[0])
		g := gate(t, input(rules, s))
		if !slices.ContainsFunc(g.Scenarios[0].Outcomes, func(o verdict.Outcome) bool { return o.Metric != "" && strings.HasPrefix(o.Message, c.want) }) {
			t.Errorf("%s: nothing says %q: %+v", c.name, c.want, g.Scenarios[0].Outcomes)
		}
	}
}

// Fifteen seeds of twenty survive: their spread does not speak for the others, and in the score the others are 0.
func TestGateDoesNotTakeSurvivorsForAll(t *testing.T) {
	rules := scoring.GateRules{MinScore: ptr(0.4), MaxStd: ptr(0.9)}
	for survivors, want := range map[int]scoring.Verdict{15: open, 16: pass} {
		g := gate(t, input(rules, crashed(stability(survivors, survivors, around(0.8, survivors)), 20-survivors)))
		if o := outcome(t, g, verdict.RuleMaxStd); o.Verdict != want || (o.Reason == verdict.WarnFailedSeeds) != (want == open) {
			t.Errorf("%d of 20: %+v", survivors, o)
		}
		if o := outcome(t, g, verdict.RuleMinScore); o.Verdict != map[bool]scoring.Verdict{true: warn, false: open}[survivors == 16] || !near(*o.Observed, 0.8*float64(survivors)/20, 0.01) {
			t.Errorf("%d of 20: %+v", survivors, o)
		}
	}
}

func TestGateFailOn(t *testing.T) {
	inputs := map[scoring.Verdict]scoring.Stability{
		pass: stability(35, 35, around(0.8, 35)), warn: stability(20, 20, around(0.8, 20)),
		open: stability(3, 3, around(0.8, 3)), fail: stability(5, 20, around(0.8, 20)),
	}
	for _, c := range []struct {
		failOn  []scoring.Verdict
		failing []scoring.Verdict
	}{
		{nil, []scoring.Verdict{open, fail}},
		{[]scoring.Verdict{fail}, []scoring.Verdict{fail}},
		{[]scoring.Verdict{open}, []scoring.Verdict{open, fail}},
		{[]scoring.Verdict{warn}, []scoring.Verdict{warn, open, fail}},
		{[]scoring.Verdict{warn, open, fail}, []scoring.Verdict{warn, open, fail}},
		{[]scoring.Verdict{}, []scoring.Verdict{fail}},
	} {
		for v, s := range inputs {
			g := gate(t, input(scoring.GateRules{Stable: true, FailOn: c.failOn}, s))
			if g.Verdict != v || g.Failing != slices.Contains(c.failing, v) || g.Scenarios[0].Failing != g.Failing {
				t.Errorf("fail on %v: %s, want %s, failing %v", c.failOn, g.Verdict, v, g.Failing)
			}
		}
	}
	// The worst scenario decides, and one that may fail keeps its leave.
	lenient := input(scoring.GateRules{Stable: true, FailOn: []scoring.Verdict{fail}}, inputs[open])
	if g := gate(t, lenient, input(scoring.GateRules{Stable: true}, inputs[pass])); g.Verdict != open || g.Failing {
		t.Errorf("%s, failing %v", g.Verdict, g.Failing)
	}
}

// pairsOf gives a candidate and a baseline with these differences of each metric, all of weight 1.
func pairsOf(base float64, differences ...[]float64) (scoring.Spec, []verdict.JudgedSeed, []verdict.JudgedSeed) {
	var spec scoring.Spec
	candidate, baseline := seedsOf(make([]float64, len(differences[0]))...), seedsOf(make([]float64, len(differences[0]))...)
	for i := range candidate {
		candidate[i].Scores, baseline[i].Scores = nil, nil
	}
	for k, d := range differences {
		spec.Metrics = append(spec.Metrics, scoring.Metric{Name: fmt.Sprintf("m%d", k), Weight: 1})
		for i := range d {
			candidate[i].Scores, baseline[i].Scores = append(candidate[i].Scores, base+d[i]), append(baseline[i].Scores, base)
			candidate[i].Total, baseline[i].Total = candidate[i].Total+(base+d[i])/float64(len(differences)), base
		}
	}
	return spec, candidate, baseline
}

// against is the input of a gate on no_degradation alone.
func against(t rapidTB, o verdict.Options, differences ...[]float64) verdict.GateInput {
	t.Helper()
	spec, candidate, baseline := pairsOf(0.9, differences...)
	i, err := verdict.Compare(spec, candidate, baseline, o)
	if err != nil {
		t.Fatal(err)
	}
	in := input(scoring.GateRules{NoDegradation: true}, stability(20, 20, around(0.8, 20)))
	in.Improvement, in.Look = &i, o.Look
	return in
}

// level gives n differences around a level, none of them equal.
func level(at float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = at + 0.01*float64(i-n/2)/float64(n)
	}
	return xs
}

func metricOutcome(t *testing.T, g verdict.Gate, rule, metric string) verdict.Outcome {
	t.Helper()
	for _, o := range g.Scenarios[0].Outcomes {
		if o.Rule == rule && o.Metric == metric {
			return o
		}
	}
	t.Fatalf("no outcome of %s for %s", rule, metric)
	return verdict.Outcome{}
}

// The threshold is 0.25: fewer than 11 pairs may not show one of the breaks that lose it, whatever they look like.
func TestGateNoDegradation(t *testing.T) {
	wide := []float64{-0.8, -0.7, 0, 0.05, -0.6, 0, 0, -0.1, 0, 0} // mean -0.215, interval down to -0.46
	noise := []float64{-0.05, 0.05, -0.02, 0.03, 0, 0.01, -0.04, 0.02, -0.01, 0.02, 0.01}
	for _, c := range []struct {
		name        string
		differences [][]float64
		want        []scoring.Verdict
	}{
		{"no difference", [][]float64{make([]float64, 10)}, []scoring.Verdict{open}}, // 1 - 0.05^(1/10) = 0.259 may be lost
		{"no difference in 11", [][]float64{make([]float64, 11)}, []scoring.Verdict{pass}},
		{"one win", [][]float64{{0.05, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}, []scoring.Verdict{pass}},
		{"better", [][]float64{level(0.05, 11)}, []scoring.Verdict{pass}},
		{"a small loss", [][]float64{level(-0.05, 11)}, []scoring.Verdict{warn}}, // shown, and within the threshold
		{"noise", [][]float64{noise}, []scoring.Verdict{pass}},
		{"noise of 10 pairs", [][]float64{noise[:10]}, []scoring.Verdict{open}},
		{"a large loss", [][]float64{level(-0.5, 10)}, []scoring.Verdict{fail}},
		{"at the threshold", [][]float64{level(-0.2501, 10)}, []scoring.Verdict{open}}, // beyond by the numbers, and a loss is certain
		{"it may be beyond", [][]float64{wide}, []scoring.Verdict{open}},
		{"the worst counts", [][]float64{level(0.05, 11), level(-0.5, 11), level(-0.05, 11)}, []scoring.Verdict{pass, fail, warn}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gate(t, against(t, options(), c.differences...))
			for k, want := range c.want {
				o := metricOutcome(t, g, verdict.RuleNoDegradation, fmt.Sprintf("m%d", k))
				if o.Verdict != want || *o.Limit != -0.25 || o.P == nil || o.N != len(c.differences[0]) {
					t.Errorf("m%d: %s, want %s: %+v", k, o.Verdict, want, o)
				}
			}
			if whole := outcome(t, g, verdict.RuleNoDegradation); whole.Verdict != scoring.WorstVerdict(c.want...) || g.Verdict != whole.Verdict {
				t.Errorf("%s, gate %s, want the worst of %v", whole.Verdict, g.Verdict, c.want)
			}
		})
	}
}

func TestGateNoDegradationUndecidable(t *testing.T) {
	in := input(scoring.GateRules{NoDegradation: true}, stability(20, 20, around(0.8, 20)))
	in.NoBaseline = "no baseline is set"
	if o := outcome(t, gate(t, in), verdict.RuleNoDegradation); o.Verdict != open || o.Reason != verdict.ReasonNoBaseline || o.Message != in.NoBaseline || o.Need == "" {
		t.Errorf("no baseline: %+v", o)
	}
	in.NoBaseline = verdict.ReasonSame
	if o := outcome(t, gate(t, in), verdict.RuleNoDegradation); o.Verdict != warn || o.Reason != verdict.ReasonSame {
		t.Errorf("the baseline itself: %+v", o)
	}
	if o := outcome(t, gate(t, against(t, options(), level(-0.5, 5))), verdict.RuleNoDegradation); o.Verdict != open || o.Reason != verdict.ReasonUndecidable || o.Unattainable == "" || o.Need != "1 more pair" {
		t.Errorf("5 pairs: %+v", o)
	}
	spec, candidate, baseline := pairsOf(0.9, level(-0.5, 10))
	i, err := verdict.Compare(spec, candidate[:7], baseline, options())
	fatal(t, err)
	in.Improvement = &i
	if o := outcome(t, gate(t, in), verdict.RuleNoDegradation); o.Verdict != open || !strings.Contains(o.Message, "70.0% of all seeds") {
		t.Errorf("7 of 10 matched: %+v", o)
	}
	// A threshold of 1 or more cannot be exceeded: nothing is tested.
	o := options()
	o.Base = 1
	g := gate(t, against(t, o, level(-0.8, 10)))
	if m := metricOutcome(t, g, verdict.RuleNoDegradation, "m0"); m.Verdict != warn || m.PTests != "no_loss" || g.NTests != 0 {
		t.Errorf("base 1: %+v, %d tests", m, g.NTests)
	}
}

// The losses of two metrics and two rules about seeds, corrected by hand. The three families have p = 1/2048
// (no_degradation, whose other metric has a joint p of its own), 0.0159 and 0.0755, times 3, and then times 3 and 2,
// because the first family is not used up.
func TestGateHolmOverFamilies(t *testing.T) {
	in := against(t, options(), level(-0.5, 11), level(-0.2, 11))
	in.Rules.MinPassRate, in.Rules.MinScore = ptr(0.95), ptr(0.81)
	in.Stability = stability(16, 20, around(0.8, 20))
	g := gate(t, in)
	if g.NTests != 3 {
		t.Fatalf("%d tests", g.NTests)
	}
	rate, score := outcome(t, g, verdict.RuleMinPassRate), outcome(t, g, verdict.RuleMinScore)
	m0, m1 := metricOutcome(t, g, verdict.RuleNoDegradation, "m0"), metricOutcome(t, g, verdict.RuleNoDegradation, "m1")
	if *m0.P != 1./2048 || !near(*rate.P, 0.01590, 1e-5) || !(*score.P > *m0.P) {
		t.Fatalf("p of m0 %v, of the pass rate %v, of the score %v", *m0.P, *rate.P, *score.P)
	}
	first, second := rate, score
	if *score.P < *rate.P {
		first, second = score, rate
	}
	for name, c := range map[string]struct{ got, want float64 }{
		"m0":     {*m0.PCorrected, 3. / 2048},
		"first":  {*first.PCorrected, 3 * *first.P},
		"second": {*second.PCorrected, max(3**first.P, 2**second.P)},
	} {
		if !near(c.got, c.want, 1e-12) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if m0.Verdict != fail || m0.PTests != "rule_holds" || m1.Verdict != warn || m1.PTests != "no_loss" || *m1.P != 1./2048 {
		t.Errorf("m0 %+v, m1 %+v", m0, m1)
	}
	// 0.0159 alone fails, and twice as much, for two scenarios of the same kind, does; four times as much does not.
	one := input(scoring.GateRules{MinPassRate: ptr(0.95)}, stability(16, 20, around(0.8, 20)))
	for n, want := range map[int]scoring.Verdict{1: fail, 3: fail, 4: open} {
		g := gate(t, slices.Repeat([]verdict.GateInput{one}, n)...)
		if o := outcome(t, g, verdict.RuleMinPassRate); o.Verdict != want || !near(*o.PCorrected, float64(n)*0.01590, 1e-4) || g.NTests != n {
			t.Errorf("%d scenarios: %s, p %v, want %s", n, o.Verdict, *o.PCorrected, want)
		}
	}
}

// Holm stops at the first p that is not rejected: of 15 of 20 at 0.9 and at 0.898, p = 0.0432 and 0.0462, the second
// one does not fail because it is below 0.05 itself.
func TestGateHolmStops(t *testing.T) {
	s := stability(15, 20, around(0.8, 20))
	g := gate(t, input(scoring.GateRules{MinPassRate: ptr(0.9)}, s), input(scoring.GateRules{MinPassRate: ptr(0.898)}, s))
	for _, scenario := range g.Scenarios {
		o := scenario.Outcomes[0]
		if o.Verdict != open || !(*o.P > 0.025 && *o.P < 0.05) || !near(*o.PCorrected, 2*0.0432, 1e-3) {
			t.Errorf("p %v, corrected %v: %s", *o.P, *o.PCorrected, o.Verdict)
		}
	}
}

// Of two families with the same p the one of a single test comes first, wherever its scenario stands.
func TestGateHolmTies(t *testing.T) {
	one, two := against(t, options(), level(-0.5, 10)), against(t, options(), level(-0.5, 10), level(-0.252, 10))
	for _, inputs := range [][]verdict.GateInput{{one, two}, {two, one}} {
		g := gate(t, inputs...)
		for _, s := range g.Scenarios {
			for _, o := range s.Outcomes {
				if o.P == nil {
					continue
				}
				want := 2. / 1024
				if o.Metric == "m1" {
					want = max(want, *o.P)
				} else if *o.P != 1./1024 {
					t.Fatalf("p %v of %s %s", *o.P, o.Rule, o.Metric)
				}
				if !near(*o.PCorrected, want, 1e-15) {
					t.Errorf("%s %s: p %v, corrected %v, want %v", o.Rule, o.Metric, *o.P, *o.PCorrected, want)
				}
			}
		}
	}
}

// Evidence of an early loss does not go away, but a mean that is within the threshold now breaks no rule.
func TestGateAnytimeAfterAnEarlyLoss(t *testing.T) {
	d := append(level(-0.6, 12), level(0.08, 28)...) // mean -0.124
	g := gate(t, against(t, verdict.Options{Confidence: 0.95, Base: 0.25, Look: verdict.Look{Anytime: true}}, d))
	if o := metricOutcome(t, g, verdict.RuleNoDegradation, "m0"); *o.PCorrected > 0.05 || o.Verdict != open {
		t.Errorf("%s, p %v", o.Verdict, *o.PCorrected)
	}
}

func TestGatePlan(t *testing.T) {
	in := input(scoring.GateRules{MinPassRate: ptr(0.95), MinSeeds: 10}, stability(16, 20, around(0.8, 20)))
	in.Look.Plan = []int{10, 20}
	// p = 0.0159 is below the level of each of two looks, 0.0293, and above that of each of six, 0.0142.
	if g := gate(t, in); g.Verdict != fail || outcome(t, g, verdict.RuleMinPassRate).Interval.Confidence != 1-stats.PocockAlpha(0.05, in.Look.Plan) {
		t.Errorf("one of two looks: %s", g.Verdict)
	}
	in.Look.Plan = []int{10, 20, 30, 40, 50, 60}
	if g := gate(t, in); g.Verdict != open || outcome(t, g, verdict.RuleMinPassRate).Interval.Confidence != 1-stats.PocockAlpha(0.05, in.Look.Plan) {
		t.Errorf("one of six looks: %s", g.Verdict)
	}
	in.Look.Plan = []int{10, 30}
	g := gate(t, in)
	if o := outcome(t, g, verdict.RuleMinPassRate); o.Verdict != open || o.Reason != "off_plan" || o.P != nil || o.Need != "10 more seeds, for the planned look at 30" {
		t.Errorf("off the plan: %+v", o)
	}
	if o := outcome(t, g, verdict.RuleMinSeeds); o.Verdict != pass {
		t.Errorf("min_seeds needs no plan: %+v", o)
	}
	in.Look = verdict.Look{Number: 2}
	if g := gate(t, in); !hasCode(g.Scenarios[0].Warnings, verdict.WarnLooks) {
		t.Errorf("warnings %v", g.Scenarios[0].Warnings)
	}
}

// seedsWith gives seeds of which the first fail, with total scores of 0.8 and 0.9 in turn.
func seedsWith(failed, n int) []verdict.JudgedSeed {
	list := make([]verdict.JudgedSeed, n)
	for i := range list {
		list[i] = verdict.JudgedSeed{Number: uint64(i), Passed: i >= failed, Total: 0.8 + 0.1*float64(i%2)}
	}
	return list
}

func totalsOf(seeds []verdict.JudgedSeed) []float64 {
	var xs []float64
	for _, seed := range seeds {
		xs = append(xs, seed.Total)
	}
	return xs
}

// Scores of .87 ± .02 show .8 without any assumption from about 41 seeds on; with less it is undecided.
func TestGateDistributionFree(t *testing.T) {
	for _, c := range []struct {
		n     int
		limit float64
		bound scoring.Bound
		want  scoring.Verdict
		need  string
	}{
		{10, 0.8, scoring.BoundT, pass, ""}, {10, 0.8, scoring.BoundDistributionFree, open, "about 31 more seeds like these"},
		{50, 0.8, scoring.BoundDistributionFree, pass, ""}, {50, 0.88, scoring.BoundDistributionFree, open, ""}, {50, 0.99, scoring.BoundDistributionFree, fail, ""},
	} {
		seeds := seedsOf(around(0.87, c.n)...)
		in := input(scoring.GateRules{MinScore: &c.limit, Bound: c.bound}, stability(c.n, c.n, totalsOf(seeds)))
		in.Seeds = seeds
		if o := outcome(t, gate(t, in), verdict.RuleMinScore); o.Verdict != c.want || o.Need != c.need || (o.Interval.Method == stats.MethodMixture) != (c.bound == scoring.BoundDistributionFree) {
			t.Errorf("%d seeds, %v %s: %+v", c.n, c.limit, c.bound.Name(), o)
		}
	}
}

func TestGateAnytime(t *testing.T) {
	judge := func(failed, n int, rules scoring.GateRules) verdict.Gate {
		seeds := seedsWith(failed, n)
		in := input(rules, stability(n-failed, n, totalsOf(seeds)))
		in.Seeds, in.Look.Anytime = seeds, true
		return gate(t, in)
	}
	for _, c := range []struct {
		failed, n int
		limit     float64
		want      scoring.Verdict
	}{{0, 100, 0.9, pass}, {0, 20, 0.9, open}, {60, 100, 0.9, fail}, {3, 10, 0.9, open}} {
		g := judge(c.failed, c.n, scoring.GateRules{MinPassRate: &c.limit})
		o := outcome(t, g, verdict.RuleMinPassRate)
		if o.Verdict != c.want || o.Interval.Method != stats.MethodMixture || o.P != nil || g.NTests != 1 {
			t.Errorf("%d of %d failed: %+v, %d tests", c.failed, c.n, o, g.NTests)
		}
	}
	for limit, want := range map[float64]scoring.Verdict{0.7: pass, 0.85: open, 0.99: fail} {
		if o := outcome(t, judge(0, 200, scoring.GateRules{MinScore: &limit}), verdict.RuleMinScore); o.Verdict != want {
			t.Errorf("mean 0.85 of 200, at least %v: %+v", limit, o)
		}
	}
	// The interval is that of the bound that decides: from below for PASS, from above for FAIL.
	for limit, want := range map[float64]stats.Interval{0.7: {Lo: 0.7, Hi: 1}, 0.99: {Lo: 0, Hi: 0.99}} {
		if i := outcome(t, judge(0, 200, scoring.GateRules{MinScore: &limit}), verdict.RuleMinScore).Interval; i.Lo < want.Lo || i.Hi > want.Hi || i.Lo > 0 && i.Hi < 1 {
			t.Errorf("at least %v: %+v", limit, i)
		}
	}
	for _, c := range []struct {
		failed, n int
		limit     float64 // of the sd
		want      map[string]scoring.Verdict
	}{
		{0, 100, 0.2, map[string]scoring.Verdict{verdict.RuleStable: open, verdict.RuleMaxStd: pass}}, // 0.15 needs more than 80 pairs of seeds
		{0, 200, 0.2, map[string]scoring.Verdict{verdict.RuleStable: pass, verdict.RuleMaxStd: pass}},
		{60, 200, 0.001, map[string]scoring.Verdict{verdict.RuleStable: fail, verdict.RuleMaxStd: fail}},
	} {
		g := judge(c.failed, c.n, scoring.GateRules{Stable: true, MaxStd: &c.limit})
		for rule, want := range c.want {
			if o := outcome(t, g, rule); o.Verdict != want || o.P != nil || o.Assumption != verdict.AssumesNothing || g.NTests != 2 {
				t.Errorf("%d of %d failed: %+v", c.failed, c.n, o)
			}
		}
	}
	limit := 0.01
	wild := seedsOf(slices.Repeat([]float64{0.2, 0.9}, 60)...)
	in := input(scoring.GateRules{MaxStd: &limit}, stability(120, 120, totalsOf(wild)))
	in.Seeds, in.Look.Anytime = wild, true
	if o := outcome(t, gate(t, in), verdict.RuleMaxStd); o.Verdict != fail || !(o.Interval.Lo > limit) {
		t.Errorf("sd 0.35 against 0.01: %+v", o)
	}
	// A sequence that cannot be corrected by Holm takes its share all the same.
	in = against(t, verdict.Options{Confidence: 0.95, Base: 0.25, Look: verdict.Look{Anytime: true}}, level(-0.5, 10))
	in.Seeds = seedsWith(0, 20)
	alone := metricOutcome(t, gate(t, in), verdict.RuleNoDegradation, "m0")
	in.Rules.MinPassRate = ptr(0.5)
	g := gate(t, in)
	if with := metricOutcome(t, g, verdict.RuleNoDegradation, "m0"); g.NTests != 2 || !near(*with.PCorrected, 2**alone.PCorrected, 1e-15) {
		t.Errorf("%d tests, p %v alone, %v with a sequence", g.NTests, *alone.PCorrected, *with.PCorrected)
	}
}
