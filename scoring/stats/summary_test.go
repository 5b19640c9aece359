package stats

import (
	"math"
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
