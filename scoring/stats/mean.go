package stats

import (
	"math"
	"slices"

	"track/scoring/numeric"
)

// Mean is the mean of N values with its t interval.
type Mean struct {
	N        int       `json:"n"`
	Mean     float64   `json:"value"`
	Interval Interval  `json:"ci"` // not defined at N = 1
	Warnings []Warning `json:"warnings,omitempty"`
}

// sd is the sample standard deviation (n-1) of N values with its chi-square interval.
type SD struct {
	N        int
	SD       float64
	Interval Interval
	Warnings []Warning
}

// prediction says where one further value is expected.
type Prediction struct {
	N        int
	Mean     float64
	Interval Interval
	Warnings []Warning
}

// NewMean computes the mean with the t interval m ± t((1+confidence)/2, n-1)·s/√n (Student 1908; R t.test).
//
// It assumes independent values whose mean is about normal; on simulated scores a nominal 95 % covered 94, 95 and 95
// % at n = 3, 5 and 10. At n = 1 the interval is not defined; at n = 2 it is, and very wide; when all values are
// equal it has no width, and [WarnZeroVariance] says so. A sum of squares that overflows is errNonFinite.
func NewMean(xs []float64, confidence float64) (Mean, error) {
	interval, err := tInterval(xs, confidence, 1, MethodT, func(n float64) float64 { return 1 / n })
	if err != nil {
		return Mean{}, err
	}
	m, _ := moments(xs)
	return Mean{N: len(xs), Mean: m, Interval: interval, Warnings: dataWarnings(xs)}, nil
}

// TInterval is the interval of [NewMean]; one value is ErrTooFew.
func TInterval(xs []float64, confidence float64) (Interval, error) {
	return tInterval(xs, confidence, 2, MethodT, func(n float64) float64 { return 1 / n })
}

// NewPrediction computes the two-sided t prediction interval m ± t((1+confidence)/2, n-1)·s·√(1+1/n) for one further
// value (R predict(lm(x~1), interval="prediction")).
//
// It assumes independent normal values, of which the next is one: autocorrelated histories raise more false alarms.
// It keeps its nominal rate down to n = 2, by being wide: use it from 5 values. Fewer than 2 are ErrTooFew.
func NewPrediction(xs []float64, confidence float64) (Prediction, error) {
	interval, err := tInterval(xs, confidence, 2, methodPrediction, func(n float64) float64 { return 1 + 1/n })
	if err != nil {
		return Prediction{}, err
	}
	m, _ := moments(xs)
	return Prediction{N: len(xs), Mean: m, Interval: interval, Warnings: dataWarnings(xs)}, nil
}

// tInterval is m ± t·s·√(factor(n)), not defined at n = 1.
func tInterval(xs []float64, confidence float64, need int, method string, factor func(n float64) float64) (Interval, error) {
	if err := check(xs, need); err != nil {
		return Interval{}, err
	}
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return Interval{}, err
	}
	m, ss := moments(xs)
	if !finite(ss) {
		return Interval{}, errOverflow
	}
	if len(xs) == 1 {
		return noInterval(confidence, method), nil
	}
	n := float64(len(xs))
	half := float64(studentQuantile(confidence, n-1) * math.Sqrt(float64(ss/(n-1)*factor(n))))
	return Interval{Lo: m - half, Hi: m + half, Confidence: confidence, Method: method}, nil
}

// NewSD computes s = √(Σ(x-m)²/(n-1)) with the chi-square interval s·√((n-1)/χ²((1+confidence)/2)) to
// s·√((n-1)/χ²((1-confidence)/2)), both with n-1 degrees of freedom.
//
// The interval assumes normal values and, unlike the one of the mean, does not become right with n when they are not.
// At n = 2 and 95 % it runs from 0.45 to 32 times s. One value has no spread: ErrTooFew.
func NewSD(xs []float64, confidence float64) (SD, error) {
	if err := check(xs, 2); err != nil {
		return SD{}, err
	}
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return SD{}, err
	}
	s := sampleSD(xs)
	if !finite(s) {
		return SD{}, errOverflow
	}
	n := len(xs)
	return SD{N: n, SD: s, Interval: sdInterval(s, n, confidence), Warnings: dataWarnings(xs)}, nil
}

func sdInterval(s float64, n int, confidence float64) Interval {
	tail := float64((1 - confidence) / 2)
	return Interval{
		Lo:         sdBound(s, n, 1-tail),
		Hi:         sdBound(s, n, tail),
		Confidence: confidence,
		Method:     methodChiSquare,
	}
}

// PooledSDInterval is the chi-square interval of [NewSD] of an sd that was pooled over samples, with df degrees of
// freedom.
func PooledSDInterval(sd float64, df int, confidence float64) (Interval, error) {
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return Interval{}, err
	}
	if df < 1 {
		return noInterval(confidence, methodChiSquare), nil
	}
	return sdInterval(sd, df+1, confidence), nil
}

// sdBound is s·√((n-1)/χ²(p)): the true sd exceeds it with probability p.
func sdBound(s float64, n int, p float64) float64 {
	return chiSquareBound(s, float64(n-1), p)
}

func chiSquareBound(s, df, p float64) float64 {
	return s * math.Sqrt(df/numeric.ChiSquaredQuantile(p, df))
}

// PopulationSD is √(Σ(x-m)²/n), the standard deviation of the values themselves; 0 for one value. It estimates the
// spread of further seeds too low: for that use [NewSD].
func PopulationSD(xs []float64) (float64, error) {
	if err := check(xs, 1); err != nil {
		return 0, err
	}
	_, ss := moments(xs)
	if !finite(ss) {
		return 0, errOverflow
	}
	return math.Sqrt(ss / float64(len(xs))), nil
}

// moments returns the mean and the sum of squared deviations from it, in two passes around the first value, so that a
// large common offset costs no digits and equal values give exactly their value and 0. xs must not be empty.
func moments(xs []float64) (mean, ss float64) {
	n := float64(len(xs))
	sum := 0.0
	for _, x := range xs {
		sum += x - xs[0]
	}
	mean = xs[0] + sum/n
	rest := 0.0
	for _, x := range xs {
		ss += float64((x - mean) * (x - mean))
		rest += x - mean
	}
	return mean, max(0, ss-float64(rest*rest)/n)
}

func sampleSD(xs []float64) float64 {
	_, ss := moments(xs)
	return math.Sqrt(ss / float64(len(xs)-1))
}

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

// Methods of intervals.
const (
	MethodT              = "t"
	MethodTSkewed        = "t-skewness"
	methodChiSquare      = "chi-square"
	MethodAdjusted       = "chi-square-kurtosis"
	MethodMarkov         = "markov"
	MethodRange          = "range"
	MethodWilson         = "wilson"
	MethodClopperPearson = "clopper-pearson"
	methodPrediction     = "t-prediction"
	MethodNextMean       = "random-effects-prediction"
	MethodWelch          = "welch-t"
	MethodClopperEnds    = "clopper-pearson-one-sided" // each end holds by itself
	methodBox            = "box"
	methodBetting        = "betting"
	MethodMixture        = "betting-mixture"
	methodBernstein      = "empirical-bernstein"
	MethodBoundedMean    = "bounded-mean"
)

// Interval is a closed interval. Its ends are NaN if there is none, as for the mean of one value.
type Interval struct {
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	Confidence float64 `json:"confidence"`   // 0.95 for 95 %
	Method     string  `json:"method"`       // one of the Method constants
	Cut        bool    `json:"cut,omitzero"` // an end lay outside what is possible, and was moved there
}

// Defined says that the interval has ends.
func (i Interval) Defined() bool { return !math.IsNaN(i.Lo) && !math.IsNaN(i.Hi) }

// Contains says that x lies in the closed interval; false where it is not defined.
func (i Interval) Contains(x float64) bool { return i.Lo <= x && x <= i.Hi }

// within cuts the interval to what is possible.
func (i Interval) within(lo, hi float64) Interval {
	if i.Lo < lo {
		i.Lo, i.Cut = lo, true
	}
	if i.Hi > hi {
		i.Hi, i.Cut = hi, true
	}
	return i
}

func noInterval(confidence float64, method string) Interval {
	return Interval{Lo: math.NaN(), Hi: math.NaN(), Confidence: confidence, Method: method}
}

// studentQuantile is the t with P(|T| <= t) = confidence.
func studentQuantile(confidence, df float64) float64 {
	return -numeric.StudentQuantile((1-confidence)/2, df)
}

// normalQuantile is the z with P(|Z| <= z) = confidence.
func normalQuantile(confidence float64) float64 {
	return -numeric.NormalQuantile((1 - confidence) / 2)
}

func sorted(xs []float64) []float64 { return slices.Sorted(slices.Values(xs)) }

func median(xs []float64) float64 {
	s := sorted(xs)
	lo, hi := s[(len(s)-1)/2], s[len(s)/2]
	return lo + (hi-lo)/2
}
