package scoring

import "math"

// Limits of the stability test.
const (
	StableMinPassRate   = 0.9  // smallest share of passing seeds of a stable configuration
	StableMaxStd        = 0.15 // largest population standard deviation of total scores of a stable configuration
	UnstableMaxPassRate = 0.8  // a metric that fails in more than 1 - 0.8 of the seeds is unstable
	VariableMinStd      = 0.1  // a metric whose score has a larger population standard deviation is variable
)

// Flag marks a metric that keeps a configuration from being dependable.
type Flag string

// The flags; the empty flag means neither.
const (
	FlagUnstable Flag = "unstable"
	FlagVariable Flag = "variable"
)

// Moments summarises N numbers. Std is the population standard deviation (divide by N). All are NaN where N is 0, and
// where a NaN is among the numbers; the mean of infinities is infinite and their Std is NaN.
type Moments struct {
	N                   int
	Mean, Std, Min, Max float64
}

// NewMoments computes the moments of xs in two passes; the second corrects for the rounding of the mean, so that numbers that lie
// close together but far from 0 have a Std as well.
func NewMoments(xs []float64) Moments {
	m := Moments{N: len(xs), Mean: math.NaN(), Std: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	if len(xs) == 0 {
		return m
	}
	m.Min, m.Max = xs[0], xs[0]
	sum := 0.0
	for _, x := range xs {
		sum += x
		m.Min, m.Max = min(m.Min, x), max(m.Max, x) // math.Min(-Inf, NaN) would be -Inf
	}
	m.Mean = sum / float64(m.N)
	squares, rest := 0.0, 0.0
	for _, x := range xs {
		d := x - m.Mean
		squares += float64(d * d)
		rest += d
	}
	m.Std = PopulationStd(m.N, rest, squares)
	return m
}

// PopulationStd is the standard deviation of n numbers, from the sum of their differences from any one number and the sum of the
// squares of these. It is infinite where the squares are beyond float64.
func PopulationStd(n int, sum, squares float64) float64 {
	if math.IsInf(squares, 1) {
		return squares
	}
	// In this order the product is at most squares, and so finite. Rounding may take the difference below 0.
	return math.Sqrt(max(0, squares-float64(sum*(sum/float64(n)))) / float64(n))
}

// SeedTotals counts the seeds of one configuration. A seed that crashed or lacks a metric counts in NSeeds alone.
type SeedTotals struct {
	NSeeds, NPassed int
	NOK             int     // seeds that ran well; those among them that lack a metric have no score
	NSaturated      int     // scored seeds whose total score is exactly 0 or 1
	NIdentical      int     // seeds that ran well and measured exactly what another one measured
	Score           Moments // of the total scores of the seeds that were scored
}

// MetricTotals summarises one metric over the seeds of one configuration.
type MetricTotals struct {
	NNotFailed   int     // seeds in which the metric passed or warned
	Value, Score Moments // over the seeds that carried a value for it
}

// MetricStability is the aggregate of one metric over seeds.
type MetricStability struct {
	Metric
	MetricTotals
	PassRate float64 // share of all seeds in which the metric is not FAIL; a crashed seed did not pass it
	Flag     Flag
}

// Stability is the aggregate over the seeds of one configuration under one spec. With no failed seed it equals, to the last
// bit, an aggregate that ignores them; with failed seeds they stay in the denominator of every pass rate.
type Stability struct {
	SeedTotals
	NFailed       int     // seeds without a total score: crashed, timed out, collapsed, or lacking a metric
	PassRate      float64 // NPassed / NSeeds
	CombinedScore float64 // [CombinedScore]; NaN where no seed was scored
	Stable        bool
	Metrics       []MetricStability // in the order of the spec
}

// NewStability derives rates, flags and the verdict from totals; metrics holds one entry for each metric of the spec, in its
// order. With no seeds at all, the rates are NaN and the configuration is not stable.
func NewStability(spec Spec, totals SeedTotals, metrics []MetricTotals) Stability {
	n := float64(totals.NSeeds)
	s := Stability{
		SeedTotals: totals,
		NFailed:    totals.NSeeds - totals.Score.N,
		PassRate:   float64(totals.NPassed) / n,
		Metrics:    make([]MetricStability, len(metrics)),
	}
	s.CombinedScore = CombinedScore(totals.Score.Mean, s.PassRate, totals.Score.Std)
	s.Stable = IsStable(s.PassRate, totals.Score.Std)
	for i, m := range metrics {
		rate := float64(m.NNotFailed) / n
		s.Metrics[i] = MetricStability{spec.Metrics[i], m, rate, metricFlag(rate, m.Score.Std)}
	}
	return s
}

// IsStable says whether a pass rate and a population standard deviation of total scores make a configuration stable.
func IsStable(passRate, std float64) bool {
	return passRate >= StableMinPassRate && std <= StableMaxStd
}

func metricFlag(passRate, std float64) Flag {
	switch {
	case passRate < UnstableMaxPassRate:
		return FlagUnstable
	case std > VariableMinStd:
		return FlagVariable
	}
	return ""
}

// Aggregate computes the stability of seeds already assessed under spec. Assessments hold results in the order of the spec, or
// none for a seed that crashed. It leaves NIdentical 0: assessments do not say what was measured.
func Aggregate(spec Spec, assessments []Assessment) Stability {
	var totals SeedTotals
	totals.NSeeds = len(assessments)
	var scores []float64
	values := make([][]float64, len(spec.Metrics))
	metricScores := make([][]float64, len(spec.Metrics))
	metrics := make([]MetricTotals, len(spec.Metrics))
	for _, a := range assessments {
		if a.Passed() {
			totals.NPassed++
		}
		if len(a.Results) > 0 {
			totals.NOK++
		}
		if a.Scored {
			scores = append(scores, a.TotalScore)
			if a.TotalScore == 0 || a.TotalScore == 1 {
				totals.NSaturated++
			}
		}
		for i, r := range a.Results {
			if r.Status != Fail {
				metrics[i].NNotFailed++
			}
			if !r.Missing() {
				values[i] = append(values[i], r.Value)
				metricScores[i] = append(metricScores[i], r.Score)
			}
		}
	}
	totals.Score = NewMoments(scores)
	for i := range metrics {
		metrics[i].Value, metrics[i].Score = NewMoments(values[i]), NewMoments(metricScores[i])
	}
	return NewStability(spec, totals, metrics)
}
