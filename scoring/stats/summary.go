package stats

import (
	"math"

	"track/scoring/numeric"
)

// Summary is what the intervals of a sample need to know of it, where the values themselves are not at hand, as when
// a database has aggregated them.
type Summary struct {
	N            int
	Mean         float64
	PopulationSD float64 // divides by N
	Constant     bool    // all values are equal
	NSaturated   int     // values at exactly 0 or 1; 0 where they are no scores
}

// Summarize computes the summary of xs. No values, and values that are not finite, are errors.
func Summarize(xs []float64) (Summary, error) {
	if err := check(xs, 1); err != nil {
		return Summary{}, err
	}
	m, ss := moments(xs)
	if !finite(ss) {
		return Summary{}, errOverflow
	}
	s := Summary{N: len(xs), Mean: m, PopulationSD: math.Sqrt(ss / float64(len(xs))), Constant: constant(xs)}
	if share, ok := saturatedShare(xs); ok {
		s.NSaturated = int(math.Round(share * float64(len(xs))))
	}
	return s, nil
}

// SD returns the sample standard deviation (divide by N-1); NaN below two values.
func (s Summary) SD() float64 {
	if s.N < 2 {
		return math.NaN()
	}
	return s.PopulationSD * math.Sqrt(float64(s.N)/float64(s.N-1))
}

// MeanInterval is the t interval of the mean, as [NewMean] gives it; not defined below two values.
func (s Summary) MeanInterval(confidence float64) Interval {
	return s.around(confidence, MethodT, 1/float64(s.N))
}

func (s Summary) around(confidence float64, method string, factor float64) Interval {
	if s.N < 2 || !finite(s.Mean) || !finite(s.PopulationSD) {
		return noInterval(confidence, method)
	}
	half := float64(studentQuantile(confidence, float64(s.N-1)) * s.SD() * math.Sqrt(factor))
	return Interval{Lo: s.Mean - half, Hi: s.Mean + half, Confidence: confidence, Method: method}
}

// SDInterval is the chi-square interval of the standard deviation, as [NewSD] gives it; not defined below two values.
func (s Summary) SDInterval(confidence float64) Interval {
	if s.N < 2 || !finite(s.PopulationSD) {
		return noInterval(confidence, methodChiSquare)
	}
	return sdInterval(s.SD(), s.N, confidence)
}

// CombinedInterval returns the box interval of the combined score: N scores of seeds, passed of which pass. The three
// factors get intervals of confidence 1 - (1-confidence)/3 each (t, Wilson, chi-square), cut to the possible range
// for scores in [0, 1]: the mean to [0, 1], the sd to [0, 0.5]. The products of the worst and of the best ends are
// the ends of the box. By Bonferroni the box has at least the stated confidence, as far as its parts do. It is not
// defined below two scores.
//
// The score itself rewards few seeds, because a small sample understates the sd: show the box, and never rank across
// different n.
func (s Summary) CombinedInterval(passed, seeds int, confidence float64) Interval {
	box := noInterval(confidence, methodBox)
	third := 1 - (1-confidence)/3
	rate, err := Wilson(passed, seeds, third)
	mean, sd := s.MeanInterval(third), s.SDInterval(third)
	if err != nil || !mean.Defined() || !sd.Defined() {
		return box
	}
	box.Lo = max(0, mean.Lo) * rate.Interval.Lo * (1 - min(0.5, sd.Hi))
	box.Hi = min(1, mean.Hi) * rate.Interval.Hi * (1 - min(0.5, sd.Lo))
	return box
}

// Warnings are those of [dataWarnings].
func (s Summary) Warnings() []Warning {
	list := smallN(s.N)
	if s.N > 1 && s.Constant {
		list = append(list, WarnZeroVariance)
	}
	if s.N > 0 && float64(s.NSaturated)/float64(s.N) > maxSaturated {
		list = append(list, WarnSaturated)
	}
	return list
}

// PMeanAtLeast is the one-sided p-value of the t test of "the mean is at least x"; NaN below two values. Where the
// values do not vary it is 0 or 1.
func (s Summary) PMeanAtLeast(x float64) float64 {
	switch {
	case s.N < 2:
		return math.NaN()
	case s.Constant || s.PopulationSD == 0: // equal values may have a sd that is left of rounding
		return certain(s.Mean >= x)
	}
	t := (s.Mean - x) / (s.SD() / math.Sqrt(float64(s.N)))
	return numeric.StudentCDF(t, float64(s.N-1))
}

// PSDAtMost is the one-sided p-value of the chi-square test of "the standard deviation is at most x"; NaN below two
// values.
func (s Summary) PSDAtMost(x float64) float64 {
	switch {
	case s.N < 2:
		return math.NaN()
	case x == 0:
		return certain(s.Constant || s.PopulationSD == 0)
	}
	ratio := s.SD() / x
	df := float64(s.N - 1)
	return numeric.ChiSquaredSurvival(df*ratio*ratio, df)
}

func certain(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
