package verdict_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
)

func noise(t *testing.T, spec scoring.Spec, seeds []verdict.JudgedSeed, o verdict.NoiseOptions) verdict.Noise {
	t.Helper()
	n, err := verdict.NewNoise(spec, seeds, o)
	fatal(t, err)
	return n
}

var equateNaNs = cmpopts.EquateNaNs()

func TestNoiseIsDeterministic(t *testing.T) {
	o := verdict.NoiseOptions{Rules: scoring.GateRules{Stable: true}, Comparison: options(), Resamples: 50, Seed: 3, Sizes: []int{5, 10}}
	seeds := seedsOf(around(0.5, 12)...)
	a := noise(t, oneMetric, seeds, o)
	if diff := cmp.Diff(a, noise(t, oneMetric, seeds, o), equateNaNs); diff != "" {
		t.Error(diff)
	}
	if len(a.At) != 3 || a.At[a.Current].N != 12 || a.NSeeds != 12 {
		t.Fatalf("%+v", a)
	}
	o.Sizes = []int{20, 10, 5, 7} // other sizes change nothing
	b := noise(t, oneMetric, seeds, o)
	for _, at := range a.At {
		found := false
		for _, other := range b.At {
			if other.N == at.N {
				found = true
				if diff := cmp.Diff(at, other, equateNaNs); diff != "" {
					t.Errorf("n = %d: %s", at.N, diff)
				}
			}
		}
		if !found {
			t.Errorf("n = %d is gone", at.N)
		}
	}
	o.Seed = 4
	if cmp.Equal(b.At, noise(t, oneMetric, seeds, o).At, equateNaNs) {
		t.Error("another seed draws the same")
	}
	o.Sizes = nil
	if n := noise(t, oneMetric, seeds, o); len(n.At) != 9 || n.At[0].N != 3 || n.At[8].N != 200 {
		t.Errorf("default sizes %+v", n.At)
	}
}

// Of 2,000 seeds half fail: so many say nearly what the population is. The gate asks for one passing seed in samples of
// one: P(X = 1) of one is all there is. The bound of 1 of 1 is 0.05, so that min_pass_rate 0.05 is PASS where the seed
// passes; 0 of 1 is not refuted at 0.05 (p = 0.95): INCONCLUSIVE. Two samples differ in half of the cases. With two
// seeds, 0.2236 = √0.05 is the bound of 2 of 2, and a PASS has probability 1/4: 3/8 differ.
func TestNoiseOfAKnownGate(t *testing.T) {
	seeds := seedsWith(1000, 2000)
	for i := range seeds {
		seeds[i].Scores = []float64{0.5}
	}
	for n, c := range map[int]struct{ limit, pass, flips float64 }{1: {0.0499, 0.5, 0.5}, 2: {0.2235, 0.25, 0.375}} {
		o := verdict.NoiseOptions{
			Rules: scoring.GateRules{MinPassRate: &c.limit, NoDegradation: true}, Comparison: options(), Resamples: 4000, Seed: 1, Sizes: []int{n},
		}
		at := noise(t, oneMetric, seeds, o).At[0]
		if at.N != n || at.GateFlips.N != 4000 {
			t.Fatalf("%+v", at)
		}
		// 4 standard deviations are at most 0.032.
		if !near(at.GateFlips.Rate, c.flips, 0.032) || !at.GateFlips.Interval.Contains(c.flips) || !near(float64(at.GateVerdicts[pass])/8000, c.pass, 0.023) || at.GateVerdicts[pass]+at.GateVerdicts[open] != 8000 {
			t.Errorf("n = %d: flips %v, %v", n, at.GateFlips.Rate, at.GateVerdicts)
		}
	}
}

// alternating gives 2,000 seeds of two scores: so many say nearly what the population is.
func alternating(a, b float64) []verdict.JudgedSeed {
	scores := make([]float64, 2000)
	for i := range scores {
		if scores[i] = a; i%2 == 0 {
			scores[i] = b
		}
	}
	return seedsOf(scores...)
}

// Half of the seeds score 0, half 1, and a metric may lose 0.25. In samples of two the means are 0, ½, 1 with
// probabilities ¼, ½, ¼; the first loses ½ or more with probability ¼·½ + ½·¼ + ¼·¼ = 5/16, on average ½·¼ + 1/16 =
// 3/16, and differs by 2·3/16.
func TestNoiseOfAKnownComparison(t *testing.T) {
	o := verdict.NoiseOptions{Comparison: options(), Resamples: 4000, Seed: 1, Sizes: []int{2, 20, 200}}
	n := noise(t, oneMetric, alternating(0, 1), o)
	at := n.At[0]
	if !near(at.FalseDegraded.Rate, 5./16, 0.03) || !near(at.LargestMetricDelta, 3./16, 0.02) || !near(at.MeanAbsDifference, 3./8, 0.03) {
		t.Errorf("%+v", at)
	}
	if !at.FalseDegraded.Interval.Contains(5. / 16) {
		t.Errorf("%+v does not contain 5/16", at.FalseDegraded)
	}
	if at.FalseDecision.Rate != 0 { // fewer than 6 pairs decide nothing
		t.Errorf("decisions from 2 pairs: %+v", at.FalseDecision)
	}
	// The t interval of the mean difference misses 0 in about 5 % of the cases, and the exact test confirms about half.
	if rate := n.At[1].FalseDecision.Rate; rate < 0.01 || rate > 0.04 {
		t.Errorf("n = 20: %+v", n.At[1].FalseDecision)
	}
	// At n = 200 the sd of the mean difference is 0.05: five times less than the threshold.
	if last := n.At[2]; last.FalseDegraded.Rate > 0.001 || *n.SteadyCheck != 200 {
		t.Errorf("n = 200: %+v, steady from %d", last.FalseDegraded, *n.SteadyCheck)
	}
	if n.HasGate() || n.SteadyGate != nil || len(at.GateVerdicts) != 0 {
		t.Errorf("there is no gate: steady from %v, %v", n.SteadyGate, at.GateVerdicts)
	}
}

// At base 0 any loss is one. Five draws of two equally likely scores have the same mean in 252 of 1024 cases, in
// whatever order they came, and half of the others lose. (Their sums differ by rounding in 100 of the 252.)
func TestNoiseIgnoresRounding(t *testing.T) {
	o := verdict.NoiseOptions{Comparison: options(), Resamples: 4000, Seed: 1, Sizes: []int{5}}
	o.Comparison.Base = 0
	at := noise(t, oneMetric, alternating(0.3, 0.77), o).At[0]
	if at.N != 5 || !near(at.FalseDegraded.Rate, 386./1024, 0.03) {
		t.Errorf("n = %d: %+v", at.N, at.FalseDegraded)
	}
}

// Of seeds that pass in 95 % of the cases, ten pass all in 60 %: such a pilot does not know that the gate flips in 48 %
// of the cases, but it must not say that it never does. Over the pilots the interval covers the truth.
func TestNoiseOfAPassingPilot(t *testing.T) {
	limit := 0.7
	pass := math.Pow(0.95, 10) // all of ten, which 0.7 asks for: 0.05^(1/10) = 0.74, and 9 of 10 show 0.61
	truth := 2 * pass * (1 - pass)
	covered, pilots := 0, 0
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		seeds := seedsOf(around(0.85, 10)...)
		for i := range seeds {
			seeds[i].Passed = r.Float64() < 0.95
		}
		o := verdict.NoiseOptions{Rules: scoring.GateRules{MinPassRate: &limit}, Comparison: options(), Resamples: 200, Seed: r.Uint64(), Sizes: []int{10}}
		at := noise(t, oneMetric, seeds, o)
		flips := at.At[0].GateFlips
		pilots++
		covered += count(flips.Interval.Contains(truth))
		if flips.Rate < 0.05 || at.SteadyGate != nil {
			t.Errorf("the gate flips in %v, steady from %v", flips, at.SteadyGate)
		}
	}
	// 90 % of 60 are 54; 4 standard errors are 9.
	if covered < 45 {
		t.Errorf("%d of %d intervals cover %v", covered, pilots, truth)
	}
}

// 100 passing seeds leave 3.6 % of failing ones possible. A gate on 20 seeds that stands two of them then flips in
// 6.7 % of the cases, and the interval must hold that.
func TestNoiseHoldsTheEndsOfThePassRate(t *testing.T) {
	o := verdict.NoiseOptions{Rules: scoring.GateRules{MinPassRate: ptr(0.7)}, Comparison: options(), Resamples: 1000, Seed: 5, Sizes: []int{20}}
	n := noise(t, oneMetric, seedsOf(around(0.85, 100)...), o)
	// The rate at the end is that of 200 pairs: 0.067 with a standard error of 0.017.
	if flips := n.At[0].GateFlips; flips.Interval.Lo != 0 || flips.Interval.Hi < 0.03 || flips.Interval.Hi > 0.15 || n.SteadyGate != nil && *n.SteadyGate == 20 && flips.Interval.Hi > 0.05 {
		t.Errorf("%+v, steady from %v", flips, n.SteadyGate)
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Seeds that crashed are drawn as well, and score 0.
func TestNoiseDrawsFailedSeeds(t *testing.T) {
	scores := make([]float64, 20)
	for i := range scores {
		if scores[i] = 1; i%2 == 0 {
			scores[i] = math.NaN()
		}
	}
	o := verdict.NoiseOptions{Rules: scoring.GateRules{MinScore: ptr(0.1)}, Comparison: options(), Resamples: 500, Seed: 1, Sizes: []int{2, 20}}
	n := noise(t, oneMetric, seedsOf(scores...), o)
	if at := n.At[0]; !near(at.FalseDegraded.Rate, 5./16, 0.09) {
		t.Errorf("%+v", at.FalseDegraded)
	}
	if at := n.At[1]; at.GateVerdicts[pass] > 2 || at.GateVerdicts[warn] < 900 { // half of a sample scores 0
		t.Errorf("%v", at.GateVerdicts)
	}
}

func TestNoiseOfFewSeeds(t *testing.T) {
	o := verdict.NoiseOptions{Comparison: options(), Resamples: 10}
	if _, err := verdict.NewNoise(oneMetric, seedsOf(0.5), o); !errors.Is(err, stats.ErrTooFew) {
		t.Errorf("one seed: %v", err)
	}
	o.Sizes = []int{0}
	if _, err := verdict.NewNoise(oneMetric, seedsOf(0.5, 0.6), o); !errors.Is(err, stats.ErrTooFew) {
		t.Errorf("samples of none: %v", err)
	}
	o.Sizes = []int{5}
	for seeds, warned := range map[int]bool{9: true, 10: false} {
		if n := noise(t, oneMetric, seedsOf(around(0.5, seeds)...), o); hasCode(n.Warnings, string(stats.WarnSmallN)) != warned {
			t.Errorf("%d seeds: %v", seeds, n.Warnings)
		}
	}
}

// Fewer than 12 scores may all be of one kind: a rule about scores then flips at an unknown rate. A rule about the pass
// rate has its rate from any pilot. Each rate names the pilot that would say whether it is at most 5 %.
func TestNoiseNamesThePilotItNeeds(t *testing.T) {
	for _, c := range []struct {
		name    string
		rules   scoring.GateRules
		seeds   int
		unknown bool
		needed  bool
	}{
		{"scores of 11", scoring.GateRules{MinScore: ptr(0.5)}, 11, true, true},
		{"scores of 12", scoring.GateRules{MinScore: ptr(0.5)}, 12, false, true},
		{"clear scores of 12", scoring.GateRules{MinScore: ptr(0.05)}, 12, false, false},
		{"pass rate of 11", scoring.GateRules{MinPassRate: ptr(0.5)}, 11, false, true},
	} {
		o := verdict.NoiseOptions{Rules: c.rules, Comparison: options(), Resamples: 200, Seed: 1, Sizes: []int{20}}
		n := noise(t, oneMetric, seedsOf(around(0.5, c.seeds)...), o)
		flips := n.At[n.Current].GateFlips
		if unknown := flips.Interval.Lo == 0 && flips.Interval.Hi == 1; unknown != c.unknown || hasCode(n.Warnings, "pilot_too_small") != c.unknown {
			t.Errorf("%s: %+v, warnings %v", c.name, flips, n.Warnings)
		}
		if (flips.NPilotNeeded > c.seeds) != c.needed || c.unknown && flips.NPilotNeeded < 12 {
			t.Errorf("%s: a pilot of %d is needed for %+v", c.name, flips.NPilotNeeded, flips)
		}
	}
}

// Samples of many seeds are drawn less often, and the answer says so.
func TestNoiseOfManySeeds(t *testing.T) {
	o := verdict.NoiseOptions{Rules: scoring.GateRules{Stable: true}, Comparison: options(), Resamples: 150, Seed: 3, Sizes: []int{5}, NSeeds: 60_000}
	n := noise(t, oneMetric, seedsOf(around(0.5, 12)...), o)
	if n.NSeeds != 60_000 || len(n.At) != 2 || n.At[1].N != 60_000 || n.Current != 1 {
		t.Fatalf("%+v", n)
	}
	if few, many := n.At[0].FalseDegraded.N, n.At[1].FalseDegraded.N; few != 148 || many != 100 {
		t.Errorf("%d pairs of small samples and %d of large ones, want 37 times 4 and 100", few, many)
	}
	const want = "pilot of 12 of 60000 seeds, double bootstrap, 37 populations, 4 pairs of samples of each (n = 60000: 25 populations, 4 pairs of samples of each), " +
		"pass rate from its Jeffreys posterior, PCG seed 3"
	if n.Method != want {
		t.Errorf("method %q, want %q", n.Method, want)
	}
}
