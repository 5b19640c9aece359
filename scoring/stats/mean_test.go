package stats

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

// sameInterval allows for the rounding of a standard deviation that was multiplied by √(n/(n-1)).
func sameInterval(a, b Interval) bool {
	scale := max(math.Abs(b.Lo), math.Abs(b.Hi))
	return near(a.Lo, b.Lo, 1e-11*scale) && near(a.Hi, b.Hi, 1e-11*scale) && a.Confidence == b.Confidence && a.Method == b.Method
}

// A summary knows as much as the values: its intervals are those of the functions that take the values.
func TestSummaryIntervals(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		xs, c := samples(t, value, 2, 30), confidence.Draw(t, "confidence")
		s, err := Summarize(xs)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := NewMean(xs, c)
		if s.Mean != m.Mean || s.N != m.N || !sameInterval(s.MeanInterval(c), m.Interval) {
			t.Fatalf("mean %+v, want %+v", s.MeanInterval(c), m)
		}
		sd, _ := NewSD(xs, c)
		s.Kurtosis = 0 // as if it were not known
		if !near(s.SD(), sd.SD, 1e-12*sd.SD) || !sameInterval(s.SDInterval(c), sd.Interval) {
			t.Fatalf("sd %v %+v, want %+v", s.SD(), s.SDInterval(c), sd)
		}
		p, _ := NewPrediction(xs, c)
		if !sameInterval(s.prediction(c), p.Interval) {
			t.Fatalf("prediction %+v, want %+v", s.prediction(c), p.Interval)
		}
		if got, want := s.Warnings(), dataWarnings(xs); len(got) != len(want) {
			t.Fatalf("warnings %v, want %v", got, want)
		}
	})
}

// The box of a summary is the product of the three intervals at a third of alpha each, computed here from the values.
func TestSummaryCombinedInterval(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		scores := samples(t, rapid.OneOf(score, rapid.SampledFrom([]float64{0, 1})), 2, 30)
		seeds := len(scores) + rapid.IntRange(0, 5).Draw(t, "crashed")
		passed, c := rapid.IntRange(0, len(scores)).Draw(t, "passed"), confidence.Draw(t, "confidence")
		s, err := Summarize(scores)
		if err != nil {
			t.Fatal(err)
		}
		third := 1 - (1-c)/3
		mean, _ := NewMean(scores, third)
		sd, _ := NewSD(scores, third)
		rate, _ := Wilson(passed, seeds, third)
		want := Interval{
			Lo:         max(0, mean.Interval.Lo) * rate.Interval.Lo * (1 - min(0.5, sd.Interval.Hi)),
			Hi:         min(1, mean.Interval.Hi) * rate.Interval.Hi * (1 - min(0.5, sd.Interval.Lo)),
			Confidence: c, Method: methodBox,
		}
		got := s.CombinedInterval(passed, seeds, c)
		if !sameInterval(got, want) {
			t.Fatalf("box %+v, want %+v", got, want)
		}
		combined, err := NewCombined(scores, passed, seeds, c)
		if err != nil || combined.Interval != got {
			t.Fatalf("%+v, %v, want %+v", combined, err, got)
		}
	})
}

func TestSummaryOfFewValues(t *testing.T) {
	for _, s := range []Summary{{}, {N: 1, Mean: 0.5, Constant: true}} {
		for name, i := range map[string]Interval{
			"mean": s.MeanInterval(0.95), "sd": s.SDInterval(0.95), "prediction": s.prediction(0.95), "combined": s.CombinedInterval(s.N, s.N, 0.95),
		} {
			if i.Defined() || i.Confidence != 0.95 {
				t.Errorf("n = %d: %s %+v", s.N, name, i)
			}
		}
		if !math.IsNaN(s.SD()) || !math.IsNaN(s.PMeanAtLeast(0.1)) || !math.IsNaN(s.PSDAtMost(0.1)) {
			t.Errorf("n = %d: sd %v, p %v and %v", s.N, s.SD(), s.PMeanAtLeast(0.1), s.PSDAtMost(0.1))
		}
	}
	if _, err := Summarize(nil); err == nil {
		t.Error("a summary of nothing")
	}
	if _, err := Summarize([]float64{math.MaxFloat64, -math.MaxFloat64}); !isNonFinite(err) {
		t.Errorf("squares that overflow: %v", err)
	}
}

// A value is refuted at level alpha exactly where it is beyond the end of the interval with confidence 1 - 2·alpha.
func TestSummaryPValuesAreDualToIntervals(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s, err := Summarize(samples(t, score, 3, 30))
		if err != nil || s.SD() < 1e-6 {
			t.Skip()
		}
		alpha := rapid.Float64Range(0.001, 0.4).Draw(t, "alpha")
		bound, lower := s.MeanAtMost(1-alpha), s.SDInterval(1-2*alpha).Lo
		upper := bound.Hi
		if p := s.PMeanAtLeast(upper); !bound.Cut && !near(p, alpha, 1e-6*alpha) {
			t.Fatalf("mean at least its upper bound %v: p = %v, want %v", upper, p, alpha)
		}
		if p := s.PSDAtMost(lower); !near(p, alpha, 1e-6*alpha) {
			t.Fatalf("sd at most its lower bound %v: p = %v, want %v", lower, p, alpha)
		}
		if !bound.Cut && !(s.PMeanAtLeast(upper+0.01) < alpha && s.PMeanAtLeast(upper-0.01) > alpha) {
			t.Fatal("the p-value of the mean does not fall with the limit")
		}
		if !(s.PSDAtMost(0.9*lower) < alpha && s.PSDAtMost(1.1*lower) > alpha) {
			t.Fatal("the p-value of the sd does not rise with the limit")
		}
	})
}

// Equal values leave no doubt about themselves. Ten times 0.8 sums to a little less than 8, as a database may do it.
func TestSummaryPValuesOfEqualValues(t *testing.T) {
	s := Summary{N: 10, Mean: 0.8, PopulationSD: 1e-17, Constant: true}
	for x, want := range map[float64]float64{0.7: 1, 0.8: 1, 0.9: 0} {
		if p := s.PMeanAtLeast(x); p != want {
			t.Errorf("mean at least %v: p = %v, want %v", x, p, want)
		}
	}
	if s.PSDAtMost(0) != 1 || s.PSDAtMost(0.1) != 1 {
		t.Errorf("sd at most 0: p = %v, at most 0.1: %v", s.PSDAtMost(0), s.PSDAtMost(0.1))
	}
	s = Summary{N: 10, Mean: 0.8, PopulationSD: 0.1}
	if p := s.PSDAtMost(0); p != 0 {
		t.Errorf("values that vary, sd at most 0: p = %v", p)
	}
}

// Equal scores c show a limit m as soon as half of (c/m)ⁿ, and what the other bets won, make 20: at .87 against .8
// that is 41 scores, where no valid method needs fewer than 36.
func TestMeanAtLeastOfEqualScores(t *testing.T) {
	reaches := func(n int, c, limit float64) bool {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = c
		}
		bound, err := MeanAtLeast(xs, 0.95)
		fatal(t, err)
		return bound.Lo >= limit
	}
	for _, c := range []struct {
		score, limit float64
		n            int
	}{{0.87, 0.8, 41}, {1, 0.9, 33}, {1, 0.8, 16}} {
		if !reaches(c.n, c.score, c.limit) || reaches(c.n-1, c.score, c.limit) {
			t.Errorf("%v against %v: not %d scores", c.score, c.limit, c.n)
		}
		if least := math.Log(20) / math.Log(c.score/c.limit); float64(c.n) > least+math.Ln2/math.Log(c.score/c.limit)+1 {
			t.Errorf("%v against %v: %d scores, the limit is %v", c.score, c.limit, c.n, least)
		}
	}
}

// An implementation of its own: the capital, bet by bet, in logarithms.
func TestMeanAtLeastIsTheRootOfTheCapital(t *testing.T) {
	capital := func(xs []float64, m float64) float64 {
		sum := 0.0
		for k := 1; k <= 39; k += 2 {
			log := 0.0
			for _, x := range xs {
				log += math.Log1p(float64(k) / 40 * (x/m - 1))
			}
			sum += math.Exp(log) / 40
		}
		bold := 0.5
		for _, x := range xs {
			bold *= x / m
		}
		return sum + bold
	}
	property.Check(t, func(t *rapid.T) {
		xs := samples(t, rapid.Float64Range(0, 1), 1, 40)
		c := confidence.Draw(t, "confidence")
		bound, err := MeanAtLeast(xs, c)
		if err != nil {
			t.Fatal(err)
		}
		if got := capital(xs, bound.Lo) * (1 - c); bound.Lo > 1e-8 && math.Abs(got-1) > 1e-6 {
			t.Errorf("at the bound %v the capital is %v times its threshold", bound.Lo, got)
		}
		if upper, err := MeanAtMost(mirror(xs), c); err != nil || math.Abs(upper.Hi-(1-bound.Lo)) > 1e-12 || upper.Lo != 0 {
			t.Errorf("mirrored: %+v, %v", upper, err)
		}
	})
}

// The chance that the bound is ever above the mean is at most alpha, also for the distributions that are worst: rare
// catastrophes under a high score.
func TestMeanAtLeastKeepsItsLevelAtAnyTime(t *testing.T) {
	const repetitions, n = 1_000, 40
	for name, c := range map[string]struct {
		mean float64
		draw func(*rand.Rand) float64
	}{
		"Bernoulli .95": {0.95, func(r *rand.Rand) float64 { return certain(r.Float64() < 0.95) }},
		"Bernoulli .5":  {0.5, func(r *rand.Rand) float64 { return certain(r.Float64() < 0.5) }},
		"2 % at 0":      {0.98 * 0.87, func(r *rand.Rand) float64 { return 0.87 * certain(r.Float64() < 0.98) }},
		"uniform":       {0.5, func(r *rand.Rand) float64 { return r.Float64() }},
	} {
		r := rng()
		wrong := rate(repetitions, func() bool {
			xs := make([]float64, 0, n)
			for range n {
				xs = append(xs, c.draw(r))
				if logMixture(xs, c.mean) >= math.Log(20) { // as the bound, which is slower to compute
					return true
				}
			}
			return false
		})
		wantAtMost(t, name, wrong, 0.05, repetitions)
	}
}

func TestMeanAtLeastRefuses(t *testing.T) {
	for _, f := range []func([]float64, float64) (Interval, error){MeanAtLeast, MeanAtMost} {
		if _, err := f([]float64{0.5, 1.1}, 0.95); !errors.Is(err, ErrOutOfRange) {
			t.Errorf("a score above 1: %v", err)
		}
		if _, err := f(nil, 1); !errors.Is(err, ErrBadParam) {
			t.Errorf("confidence 1: %v", err)
		}
		if i, err := f(nil, 0.95); err != nil || i.Lo != 0 || i.Hi != 1 {
			t.Errorf("of no scores: %+v, %v", i, err)
		}
	}
}

func BenchmarkMeanAtLeast(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		xs := normals(rng(), n)
		for i := range xs {
			xs[i] /= 30
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := MeanAtLeast(xs, 0.95); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// drawSample returns the mean of n normal values with the standard deviation 1 around mu.
func drawSample(r *rand.Rand, mu float64, n int) SampleMean {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = mu + r.NormFloat64()
	}
	m, ss := moments(xs)
	return SampleMean{N: n, Mean: m, SD: math.Sqrt(ss / max(1, float64(n-1)))}
}

// With much variance between samples of one size, and with one value each, the interval is the t prediction interval.
func TestPredictMeanIsTheTPrediction(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 16))
	for _, k := range []int{3, 5, 12, 40} {
		means, many, single := make([]float64, k), make([]SampleMean, k), make([]SampleMean, k)
		for i := range means {
			means[i] = 5 + r.NormFloat64()
			many[i], single[i] = SampleMean{100_000, means[i], 0.1}, SampleMean{N: 1, Mean: means[i]}
		}
		want, err := NewPrediction(means, 0.95)
		fatal(t, err)
		for _, samples := range [][]SampleMean{many, single} {
			got, err := PredictMean(samples, samples[0].N, 0.95)
			fatal(t, err)
			slack := 5e-4 * (want.Interval.Hi - want.Interval.Lo)
			if !near(got.Interval.Lo, want.Interval.Lo, slack) || !near(got.Interval.Hi, want.Interval.Hi, slack) {
				t.Errorf("%d samples of %d: %v, want %v", k, samples[0].N, got.Interval, want.Interval)
			}
		}
	}
}

// With the variance between samples at 0 and their mean and standard deviation known, the next mean is normal.
func TestPredictMeanOfSmallSample(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 16))
	samples := make([]SampleMean, 200)
	for i := range samples {
		samples[i] = drawSample(r, 0, 50)
	}
	p, err := PredictMean(samples, 4, 0.95)
	fatal(t, err)
	if half := 1.96 / 2; !near(p.Interval.Hi, half, 0.03) || !near(p.Interval.Lo, -half, 0.03) || p.DFWithin != 200*49 {
		t.Errorf("%+v, want ±%v", p, half)
	}
}

func TestPredictMeanCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 16))
	const runs = 120
	for _, c := range []struct {
		sizes     []int
		tau       float64
		points, n int
	}{
		{[]int{30}, 0, 5, 3}, {[]int{3, 10, 30}, 0, 10, 3}, {[]int{3}, 1, 5, 30}, {[]int{1, 30}, 0.3, 8, 10},
	} {
		missed := 0
		for range runs {
			samples := make([]SampleMean, c.points)
			for i := range samples {
				samples[i] = drawSample(r, c.tau*r.NormFloat64(), c.sizes[i%len(c.sizes)])
			}
			p, err := PredictMean(samples, c.n, 0.95)
			fatal(t, err)
			if next := drawSample(r, c.tau*r.NormFloat64(), c.n); !p.Interval.Contains(next.Mean) {
				missed++
			}
		}
		if missed > maxFalse(runs, 0.05) {
			t.Errorf("%+v: missed %d of %d", c, missed, runs)
		}
	}
}

func TestPredictMeanSaysWhatItCannot(t *testing.T) {
	single := []SampleMean{{1, 0.5, 0}, {1, 0.6, 0}, {1, 0.7, 0}}
	if _, err := PredictMean(single, 2, 0.95); !errors.Is(err, ErrTooFew) {
		t.Errorf("samples of one value: %v", err)
	}
	if _, err := PredictMean(single[:1], 1, 0.95); !errors.Is(err, ErrTooFew) {
		t.Errorf("one sample: %v", err)
	}
	if _, err := PredictMean(single, 0, 0.95); !errors.Is(err, ErrBadParam) {
		t.Errorf("next of 0 values: %v", err)
	}
	if _, err := PredictMean([]SampleMean{{3, 0.5, math.NaN()}, {3, 0.5, 1}}, 1, 0.95); !errors.Is(err, ErrBadParam) {
		t.Errorf("standard deviation NaN: %v", err)
	}
	p, err := PredictMean([]SampleMean{{3, 0.5, 0}, {3, 0.5, 0}}, 3, 0.95)
	if err != nil || p.Interval.Defined() || len(p.Warnings) != 1 {
		t.Errorf("equal values: %+v, error %v", p, err)
	}
}

// The interval from summaries is that of the values.
func TestWelchInterval(t *testing.T) {
	a, b := []float64{0.1, 0.5, 0.4, 0.9}, []float64{0.2, 0.8, 0.7}
	want, err := WelchT(b, a, 0.95) // a − b
	fatal(t, err)
	sa, _ := Summarize(a)
	sb, _ := Summarize(b)
	got := WelchInterval(sa, sb, 0.95)
	if !near(got.Lo, -want.Interval.Hi, 1e-12) && !near(got.Lo, want.Interval.Lo, 1e-12) || !near(got.Hi-got.Lo, want.Interval.Hi-want.Interval.Lo, 1e-12) {
		t.Errorf("%+v, want %+v", got, want.Interval)
	}
	if got := (got.Lo + got.Hi) / 2; !near(got, sb.Mean-sa.Mean, 1e-12) {
		t.Errorf("centre %v, want %v", got, sb.Mean-sa.Mean)
	}
	for _, s := range []Summary{{N: 1, Mean: 0.5}, {N: 0, Mean: math.NaN()}} {
		if WelchInterval(sa, s, 0.95).Defined() || WelchInterval(s, sa, 0.95).Defined() {
			t.Errorf("interval from %+v", s)
		}
	}
	if c := (Summary{N: 3, Mean: 0.5, Constant: true}); WelchInterval(c, c, 0.95).Defined() {
		t.Error("interval of constants")
	}
}
