//go:build !race

package verdict_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"track/scoring"
	"track/scoring/verdict"
)

// share is how often something holds in many comparisons of drawn sides, each with its own random numbers.
func share(t *testing.T, spec scoring.Spec, n int, draw func(rng *rand.Rand, i int) (candidate, baseline verdict.JudgedSeed), holds func(verdict.Improvement) bool) float64 {
	t.Helper()
	found := 0
	for k := range worldDraws {
		rng := rand.New(rand.NewPCG(uint64(k), uint64(n)))
		candidate, baseline := make([]verdict.JudgedSeed, n), make([]verdict.JudgedSeed, n)
		for i := range n {
			candidate[i], baseline[i] = draw(rng, i)
			candidate[i].Number, baseline[i].Number = uint64(i), uint64(i)
		}
		got, err := verdict.Compare(spec, candidate, baseline, options())
		fatal(t, err)
		if holds(got) {
			found++
		}
	}
	return float64(found) / worldDraws
}

// atMost is what a rate of 5 % shows in so many draws, but for one time in a thousand, and a point more.
func atMost() float64 { return 0.06 + 3.1*math.Sqrt(0.05*0.95/worldDraws) }

// sizes are the numbers of pairs that are tried: the second alone in a short test.
func sizes(all ...int) []int {
	if testing.Short() {
		return all[1:2]
	}
	return all
}

func scored(values ...float64) verdict.JudgedSeed {
	s := verdict.JudgedSeed{Passed: true, Values: values}
	for _, x := range values {
		s.Scores = append(s.Scores, max(0, min(1, 1-math.Abs(x)/4)))
		s.Total += s.Scores[len(s.Scores)-1] / float64(len(values))
	}
	return s
}

func metrics(n int) (spec scoring.Spec) {
	for i := range n {
		spec.Metrics = append(spec.Metrics, scoring.Metric{Name: fmt.Sprint("m", i), Weight: 1, Target: scoring.MeanTolerance{Target: 0, Tolerance: 2}})
	}
	return spec
}

// A candidate that gains a little in nine of ten seeds and loses everything in the tenth is worse. Few seeds do not
// show the tenth, so they must not pass.
func TestRareLossesDoNotPass(t *testing.T) {
	for _, n := range sizes(6, 10, 15, 20, 40) {
		rate := share(t, metrics(1), n, func(rng *rand.Rand, _ int) (candidate, baseline verdict.JudgedSeed) {
			x := 0.4 + 0.04*rng.NormFloat64()
			if candidate, baseline = scored(x-0.08), scored(x); rng.Float64() < 0.1 {
				candidate = scored(4)
			}
			return candidate, baseline
		}, func(i verdict.Improvement) bool { return i.Verdict == scoring.VerdictPass })
		if rate > atMost() {
			t.Errorf("%d pairs: %.3f pass", n, rate)
		}
	}
}

// Three planned looks at an unchanged model find a difference in at most 5 % of the plans, in the total score, in any
// of its metrics, and in any of their values.
func TestPlannedLooksAtNoChange(t *testing.T) {
	plan := []int{8, 20, 40}
	for name, noise := range map[string]func(*rand.Rand) float64{
		"normal":           (*rand.Rand).NormFloat64,
		"skewed and heavy": func(r *rand.Rand) float64 { return r.ExpFloat64() / max(0.05, r.Float64()) },
	} {
		found := map[string]float64{}
		for k := range worldDraws {
			rng := rand.New(rand.NewPCG(uint64(k), 3))
			seed := func(i int) verdict.JudgedSeed {
				values := make([]float64, worldMetrics)
				for m := range values {
					values[m] = noise(rng)
				}
				s := scored(values...)
				s.Number = uint64(i)
				return s
			}
			differs := map[string]bool{}
			var candidate, baseline []verdict.JudgedSeed
			for _, n := range plan {
				for len(candidate) < n {
					candidate, baseline = append(candidate, seed(len(candidate))), append(baseline, seed(len(baseline)))
				}
				o := options()
				o.Look.Plan = plan
				got, err := verdict.Compare(metrics(worldMetrics), candidate, baseline, o)
				fatal(t, err)
				differs["total"] = differs["total"] || got.Difference == verdict.Better || got.Difference == verdict.Worse
				differs["metrics"] = differs["metrics"] || got.NBetter+got.NWorse > 0
				differs["values"] = differs["values"] || got.MovedText() != ""
			}
			for of, yes := range differs {
				if yes {
					found[of] += 1.0 / worldDraws
				}
			}
		}
		for of, rate := range found {
			if rate > atMost() {
				t.Errorf("%s: %s differ in %.3f of the plans", name, of, rate)
			}
		}
	}
}

// A gain that no loss of unseen seeds can undo passes.
func TestLargeGainsPass(t *testing.T) {
	rate := share(t, metrics(1), 20, func(rng *rand.Rand, _ int) (candidate, baseline verdict.JudgedSeed) {
		return scored(0.2 * rng.NormFloat64()), scored(2 + 0.2*rng.NormFloat64())
	}, func(i verdict.Improvement) bool { return i.Verdict == scoring.VerdictPass })
	if rate < 0.95 {
		t.Errorf("%.3f pass", rate)
	}
}

// Values of two sides of one distribution move, by the test of all of them together, in at most 5 % of comparisons.
func TestValuesOfNoChange(t *testing.T) {
	for name, draw := range map[string]func(*rand.Rand) float64{
		"normal":       (*rand.Rand).NormFloat64,
		"heavy tails":  func(rng *rand.Rand) float64 { return rng.NormFloat64() / math.Sqrt(rng.ExpFloat64()) },
		"rare events":  func(rng *rand.Rand) float64 { return math.Floor(rng.Float64() + 0.1) },
		"exponential":  (*rand.Rand).ExpFloat64,
		"whole counts": func(rng *rand.Rand) float64 { return math.Floor(5 * rng.Float64()) },
	} {
		for _, n := range sizes(5, 10, 40) {
			rate := share(t, metrics(3), n, func(rng *rand.Rand, _ int) (candidate, baseline verdict.JudgedSeed) {
				return scored(draw(rng), draw(rng), draw(rng)), scored(draw(rng), draw(rng), draw(rng))
			}, func(i verdict.Improvement) bool { return i.MovedText() != "" })
			if rate > atMost() {
				t.Errorf("%s, %d pairs: %.3f move", name, n, rate)
			}
		}
	}
}

// A value that goes from one side of its target to the other is found, although its scores are the same, and nothing
// is called equivalent.
func TestValuesThatCrossTheTarget(t *testing.T) {
	o := options()
	o.Margin = 0.1
	rng := rand.New(rand.NewPCG(1, 1))
	candidate, baseline := make([]verdict.JudgedSeed, 40), make([]verdict.JudgedSeed, 40)
	for i := range candidate {
		candidate[i], baseline[i] = scored(1+0.05*rng.NormFloat64()), scored(-1+0.05*rng.NormFloat64())
		candidate[i].Number, baseline[i].Number = uint64(i), uint64(i)
	}
	got, err := verdict.Compare(metrics(1), candidate, baseline, o)
	fatal(t, err)
	v := got.Values[0]
	if got.Difference != verdict.Undecided || !v.Moved || v.Within || *v.Margin != 0.2 || !near(v.MeanDelta, 2, 0.1) || *v.Shift < 20 {
		t.Errorf("%s: %+v", got.Difference, v)
	}
	for i := range candidate {
		candidate[i] = scored(-1 + 0.05*rng.NormFloat64())
		candidate[i].Number = uint64(i)
	}
	got, err = verdict.Compare(metrics(1), candidate, baseline, o)
	fatal(t, err)
	if got.Difference != verdict.Equivalent || got.Values[0].Moved || !got.Values[0].Within {
		t.Errorf("the same side: %s, %+v", got.Difference, got.Values[0])
	}
}

// Values that are not compared keep the rule from passing, and scores from being called equivalent without a word.
func TestValuesThatAreNotCompared(t *testing.T) {
	candidate, baseline := make([]verdict.JudgedSeed, 20), make([]verdict.JudgedSeed, 20)
	for i := range candidate {
		candidate[i], baseline[i] = scored(0.01*float64(i%5)), scored(0.01*float64((i+1)%5))
		candidate[i].Number, baseline[i].Number = uint64(i), uint64(i)
		candidate[i].Values, baseline[i].Values = []float64{math.Copysign(1.5e308, float64(i%2)-0.5)}, []float64{math.Copysign(1.5e308, 0.5-float64(i%2))}
	}
	o := options()
	o.Margin = 0.1
	got, err := verdict.Compare(metrics(1), candidate, baseline, o)
	fatal(t, err)
	if len(got.Values) != 0 || !hasCode(got.Warnings, "values_not_compared") || got.Difference != verdict.Equivalent || len(got.Reasons) != 3 {
		t.Errorf("%s, %v: %v", got.Difference, got.Reasons, got.Warnings)
	}
	in := input(scoring.GateRules{Values: scoring.ValuesUnchanged}, stability(20, 20, around(0.8, 20)))
	in.Improvement = &got
	g := gate(t, in)
	if g.Verdict != open {
		t.Errorf("the gate is %s: %+v", g.Verdict, g.Scenarios[0].Outcomes)
	}
}

// A gate fails on values that moved beyond their margin, passes those that are shown to lie within it, and says which
// margin is missing. Without the rule, values that moved are a warning.
func TestGateOnValues(t *testing.T) {
	sides := func(shift float64) (candidate, baseline []verdict.JudgedSeed) {
		rng := rand.New(rand.NewPCG(4, 4))
		for i := range 30 {
			c, b := scored(1+shift+0.02*rng.NormFloat64()), scored(1+0.02*rng.NormFloat64())
			c.Number, b.Number = uint64(i), uint64(i)
			candidate, baseline = append(candidate, c), append(baseline, b)
		}
		return candidate, baseline
	}
	margin := 0.1
	for _, c := range []struct {
		name   string
		shift  float64
		margin *float64
		rule   scoring.ValuesRule
		want   scoring.Verdict
		warns  bool
	}{
		{"crossed the target", -2, &margin, scoring.ValuesUnchanged, fail, false},
		{"within the margin", 0, &margin, scoring.ValuesUnchanged, pass, false},
		{"at the margin", 0.1, &margin, scoring.ValuesUnchanged, open, false},
		{"unmoved, without a margin", 0, nil, scoring.ValuesUnchanged, open, false},
		{"moved, without a margin", 0.1, nil, scoring.ValuesUnchanged, fail, false},
		{"reported", -2, &margin, scoring.ValuesReported, pass, true},
		{"nothing to report", 0, &margin, scoring.ValuesReported, pass, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := metrics(1)
			spec.Metrics[0].Margin = c.margin
			candidate, baseline := sides(c.shift)
			i, err := verdict.Compare(spec, candidate, baseline, options())
			fatal(t, err)
			in := input(scoring.GateRules{MinSeeds: 5, MinScore: ptr(0.1), Values: c.rule}, stability(30, 30, around(0.8, 30)))
			in.Improvement = &i
			g := gate(t, in)
			if g.Verdict != c.want || hasCode(g.Scenarios[0].Warnings, "values_moved") != c.warns {
				t.Errorf("%s, want %s; %+v, warnings %v", g.Verdict, c.want, g.Scenarios[0].Outcomes, g.Scenarios[0].Warnings)
			}
		})
	}
	in := input(scoring.GateRules{Values: scoring.ValuesUnchanged}, stability(30, 30, around(0.8, 30)))
	in.NoBaseline = verdict.ReasonSame
	if g := gate(t, in); g.Verdict != warn {
		t.Errorf("the baseline itself: %s", g.Verdict)
	}
}
