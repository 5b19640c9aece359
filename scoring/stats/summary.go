package stats

import (
	"math"
	"slices"
)

// Summary is what the intervals of a sample need to know of it, where the values themselves are not at hand, as when
// a database has aggregated them.
type Summary struct {
	N            int
	Mean         float64
	PopulationSD float64 // divides by N
	Constant     bool    // all values are equal
	NSaturated   int     // values at exactly 0 or 1; 0 where they are no scores
	Min, Max     float64 // needed by the intervals of scores alone
	Skewness     float64 // m3/m2^1.5 of the central moments
	Kurtosis     float64 // m4/m2²; 0 if the shape is not known: intervals then take it for normal
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
	s := Summary{N: len(xs), Mean: m, PopulationSD: math.Sqrt(ss / float64(len(xs))), Constant: constant(xs), Min: slices.Min(xs), Max: slices.Max(xs)}
	if !s.Constant {
		s.Skewness, s.Kurtosis = shape(xs, m)
	}
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
	mean, sd := s.MeanInterval(third), noInterval(third, methodChiSquare)
	if s.N >= 2 && finite(s.PopulationSD) {
		sd = sdInterval(s.SD(), s.N, third)
	}
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

func certain(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
