package scoring

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track/internal/property"
)

func TestNewMoments(t *testing.T) {
	inf, none := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name string
		xs   []float64
		want Moments
	}{
		{"none", nil, Moments{N: 0, Mean: none, Std: none, Min: none, Max: none}},
		{"one has no spread", []float64{3}, Moments{N: 1, Mean: 3, Std: 0, Min: 3, Max: 3}},
		// Squared deviations 9, 1, 1, 1, 0, 0, 4, 16 sum to 32; divided by n = 8, not 7, that is 2 squared.
		{"population", []float64{2, 4, 4, 4, 5, 5, 7, 9}, Moments{N: 8, Mean: 5, Std: 2, Min: 2, Max: 9}},
		{"negative", []float64{-1, -3}, Moments{N: 2, Mean: -2, Std: 1, Min: -3, Max: -1}},
		// A single pass over sums of squares would lose the spread beside 1e18.
		{"large offset", []float64{1e9 + 1, 1e9 + 3}, Moments{N: 2, Mean: 1e9 + 2, Std: 1, Min: 1e9 + 1, Max: 1e9 + 3}},
		{"NaN first", []float64{none, 1}, Moments{N: 2, Mean: none, Std: none, Min: none, Max: none}},
		{"NaN last", []float64{1, none}, Moments{N: 2, Mean: none, Std: none, Min: none, Max: none}},
		{"infinity", []float64{1, inf}, Moments{N: 2, Mean: inf, Std: none, Min: 1, Max: inf}}, // Inf - Inf
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, NewMoments(c.xs), approx); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAggregateFailedSeeds: seeds that crashed or lack a metric stay in the denominators and give no total score.
func TestAggregateFailedSeeds(t *testing.T) {
	spec := Spec{Scenario: "s", Metrics: []Metric{
		{Name: "a", Weight: 1, Target: Boolean{Threshold: 0}},
		{Name: "b", Weight: 1, Target: Range{Min: 0, Max: 1}},
	}}
	var seeds []Assessment
	for _, values := range []map[string]float64{
		{"a": 1, "b": 0.5}, // passes with total score 1
		{"a": 1, "b": 0},   // passes with (1 + 0.75)/2 = 0.875
		{"a": 0, "b": 0.5}, // fails with 0.5, but is scored
		{"b": 1},           // lacks a
	} {
		seeds = append(seeds, Assess(spec, values))
	}
	seeds = append(seeds, Assessment{}) // crashed

	a := MetricTotals{
		NNotFailed: 2,
		Value:      Moments{N: 3, Mean: 2. / 3, Std: math.Sqrt(2) / 3, Min: 0, Max: 1}, // 1, 1, 0
		Score:      Moments{N: 3, Mean: 2. / 3, Std: math.Sqrt(2) / 3, Min: 0, Max: 1},
	}
	b := MetricTotals{
		NNotFailed: 4,
		Value:      Moments{N: 4, Mean: 0.5, Std: math.Sqrt(0.125), Min: 0, Max: 1}, // 0.5, 0, 0.5, 1
		Score:      Moments{N: 4, Mean: 0.875, Std: 0.125, Min: 0.75, Max: 1},       // 1, 0.75, 1, 0.75
	}
	// Of 1, 0.875, 0.5: the mean is 19/24, the variance (25 + 4 + 49)/(24^2 * 3) with deviations of 5, 2 and -7 24ths.
	total := Moments{N: 3, Mean: 19. / 24, Std: math.Sqrt(78./3) / 24, Min: 0.5, Max: 1}
	// The third moment is (125 + 8 - 343)/(24³ · 3), the fourth (625 + 16 + 2401)/(24⁴ · 3).
	form := shapeOf(78./3/576, -210./3/13824, 3042./3/331776)
	got := Aggregate(spec, seeds)
	if diff := cmp.Diff(SeedTotals{NSeeds: 5, NPassed: 2, NOK: 4, NSaturated: 1, Score: total, Shape: form}, got.Totals(), approx); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
	combined := 19. / 24 * 0.4 * (1 - math.Sqrt(78./3)/24)
	if got.NFailed != 2 || *got.PassRate != 0.4 || got.Stable || !near(*got.CombinedScore, combined) { // 2 of 5, not 2 of 3
		t.Errorf("%+v", got)
	}
	for i, want := range []struct {
		totals   MetricTotals
		passRate float64
		flag     Flag
	}{{a, 0.4, FlagUnstable}, {b, 0.8, flagVariable}} { // std 0.125 > 0.1
		m := got.Metrics[i]
		if diff := cmp.Diff(want.totals, m.Totals(), approx); diff != "" || *m.PassRate != want.passRate || m.Flag != want.flag {
			t.Errorf("%+v (-want +got):\n%s", m, diff)
		}
		if diff := cmp.Diff(spec.Metrics[i].Info(), m.MetricInfo); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}

	t.Run("all crashed", func(t *testing.T) {
		got := figuresOf(Aggregate(spec, make([]Assessment, 3)))
		want := noSeeds
		want.NSeeds, want.PassRate = 3, 0 // 0 of 3
		unmeasured := metricFigures{MeanValue: nan, StdValue: nan, MeanScore: nan, StdScore: nan, ReportFlag: FlagUnstable}
		want.MetricStats = map[string]metricFigures{"a": unmeasured, "b": unmeasured}
		if diff := cmp.Diff(want, got, approx); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("no seeds", func(t *testing.T) {
		got := Aggregate(spec, nil)
		if got.NSeeds != 0 || got.Stable || got.PassRate != nil || got.Metrics[0].PassRate != nil ||
			got.Metrics[0].Flag != "" { // nothing is known of the metric
			t.Errorf("%+v", got)
		}
	})
}

// TestFlag holds both limits, which belong to the good side.
func TestFlag(t *testing.T) {
	spec := Spec{Scenario: "s", Metrics: []Metric{{Name: "m"}}}
	for _, c := range []struct {
		name      string
		notFailed int // of 10 seeds
		std       float64
		want      Flag
	}{
		{"both at their limits", 8, 0.1, ""},
		{"just variable", 8, math.Nextafter(0.1, 1), flagVariable},
		{"just unstable", 7, 0.1, FlagUnstable},
		{"unstable comes first", 7, 0.5, FlagUnstable},
		{"never scored", 10, math.NaN(), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			totals := MetricTotals{NNotFailed: c.notFailed, Score: Moments{N: 10, Std: c.std}}
			s := NewStability(spec, SeedTotals{NSeeds: 10}, []MetricTotals{totals})
			if got := s.Metrics[0].Flag; got != c.want {
				t.Errorf("flag %q, want %q", got, c.want)
			}
		})
	}
}

// TestNewStability derives everything from counts and moments: the store computes those without the seeds at hand.
func TestNewStability(t *testing.T) {
	totals := SeedTotals{NSeeds: 20, NPassed: 18, Score: Moments{N: 19, Mean: 0.8, Std: 0.15, Min: 0.5, Max: 0.9}}
	got := NewStability(Spec{}, totals, nil)
	ptr := func(x float64) *float64 { return &x }
	want := Stability{
		NSeeds: 20, NScored: 19, NFailed: 1, NPassed: 18, PassRate: ptr(0.9),
		Score: ptr(0.76), MeanScore: ptr(0.8), StdScore: ptr(0.15), MinScore: ptr(0.5), MaxScore: ptr(0.9), CombinedScore: ptr(0.8 * 0.9 * 0.85),
		Stable:  true, // both exactly at their limits
		Metrics: []MetricStability{},
	}
	if diff := cmp.Diff(want, got, approx); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A failed seed counts as a score of 0: the moments are those of a list with zeros.
func TestWithFailures(t *testing.T) {
	scores := []float64{0.2, 0.9, 0.7, 0.75, 1}
	totals := SeedTotals{NSeeds: 8, NOK: 5, NSaturated: 1, Score: NewMoments(scores), Shape: NewShape(scores)}
	all := append(scores, 0, 0, 0)
	want := SeedTotals{NSeeds: 8, NOK: 5, NSaturated: 4, Score: NewMoments(all), Shape: NewShape(all)}
	if diff := cmp.Diff(want, totals.WithFailures(), approx); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	totals.NSeeds = 5
	if got := totals.WithFailures(); got != totals {
		t.Errorf("without failed seeds: %+v, want %+v", got, totals)
	}
	if got := (SeedTotals{NSeeds: 3}).WithFailures(); got.Score != (Moments{N: 3}) || got.NSaturated != 3 {
		t.Errorf("of failed seeds alone: %+v", got)
	}
}

func accumulate(xs []float64) Moments {
	var a Accumulator
	for _, x := range xs {
		a.Add(x)
	}
	return a.Moments()
}

// TestAccumulatorEqualsTwoPasses holds the one-pass sums against the definition in two passes, also under a large
// common offset.
func TestAccumulatorEqualsTwoPasses(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		offset := rapid.SampledFrom([]float64{0, 1, -1e6, 1e9}).Draw(t, "offset")
		xs := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 200).Draw(t, "xs")
		for i := range xs {
			xs[i] += offset
		}
		got, want := accumulate(xs), NewMoments(xs)
		if got.N != want.N || got.Min != want.Min || got.Max != want.Max {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		// The definition itself rounds its mean to the spacing of numbers at the offset.
		tolerance := 1e-12 + 4*math.Abs(offset)*0x1p-52
		if math.Abs(got.Mean-want.Mean) > tolerance || math.Abs(got.Std-want.Std) > tolerance {
			t.Fatalf("got %+v, want %+v within %g", got, want, tolerance)
		}
	})
}

func TestAccumulatorNonFinite(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name string
		xs   []float64
		mean float64
	}{
		{"nothing", nil, nan},
		{"NaN among numbers", []float64{1, nan, 3}, nan},
		{"infinity first", []float64{inf, 1}, inf},
		{"infinity last", []float64{1, -inf}, -inf},
		{"both infinities", []float64{inf, 1, -inf}, nan},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := accumulate(c.xs)
			if got.Mean != c.mean && !(math.IsNaN(got.Mean) && math.IsNaN(c.mean)) {
				t.Errorf("mean %v, want %v", got.Mean, c.mean)
			}
			if !math.IsNaN(got.Std) {
				t.Errorf("std %v, want NaN", got.Std)
			}
		})
	}
}

// TestAccumulatorEqual: numbers that are all the same have no spread at all, whatever they are.
func TestAccumulatorEqual(t *testing.T) {
	if got := accumulate([]float64{0.1, 0.1, 0.1}); got.Std != 0 || got.Mean != 0.1 {
		t.Errorf("got %+v, want mean 0.1 and std 0", got)
	}
}

func TestWorstVerdict(t *testing.T) {
	const pass, warn, inconclusive, fail = VerdictPass, VerdictWarn, VerdictInconclusive, VerdictFail
	for _, c := range []struct {
		verdicts []Verdict
		want     Verdict
	}{
		{nil, inconclusive}, // nothing was judged
		{[]Verdict{pass, pass}, pass},
		{[]Verdict{pass, warn, pass}, warn},
		{[]Verdict{inconclusive, warn, pass}, inconclusive},
		{[]Verdict{inconclusive, fail, warn}, fail},
	} {
		if got := WorstVerdict(c.verdicts...); got != c.want {
			t.Errorf("worst of %v: %s, want %s", c.verdicts, got, c.want)
		}
	}
}

// TestWorstVerdictOfPairs: the order of the arguments does not matter, and Verdicts is from the best to the worst.
func TestWorstVerdictOfPairs(t *testing.T) {
	all := Verdicts()
	for i, a := range all {
		for j, b := range all {
			if got, want := WorstVerdict(a, b), all[max(i, j)]; got != want {
				t.Errorf("worst of %s and %s: %s, want %s", a, b, got, want)
			}
		}
	}
}
