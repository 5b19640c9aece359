package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

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
