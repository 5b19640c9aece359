package stats

import (
	"errors"
	"fmt"
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

// nBets is the number of bets over which half of the capital of [MeanAtLeast] is spread.
const nBets = 20

// MeanAtLeast returns the interval from a lower bound of the mean of scores to 1, all of whose error is below.
//
// The bound is valid for every distribution on [0, 1], and at any time: one may compute it after every score and stop
// whenever one likes. It is the smallest m at which a bettor on "the mean is above m" has not multiplied the capital
// by 1/(1 - confidence). The capital is Π (1 + f·(x/m - 1)), averaged over fixed bets f: half of it on f = 1, the
// boldest, and half spread evenly over 1/40, 3/40 … 39/40. It does not depend on the order of the scores. If the mean
// is at most m its expectation is at most 1 (Waudby-Smith & Ramdas 2024, section 4; the mixture is that of Cover
// 1991, Universal portfolios). Scores that are all c reach a limit m within ln 2 / ln(c/m) of the fewest scores that
// any such method needs, ln(1/(1 - confidence)) / ln(c/m).
func MeanAtLeast(scores []float64, confidence float64) (Interval, error) {
	if err := checkSequence(scores, confidence); err != nil {
		return Interval{}, err
	}
	return Interval{Lo: mixtureBound(scores, confidence), Hi: 1, Confidence: confidence, Method: MethodMixture}, nil
}

// MeanAtMost returns the interval from 0 to an upper bound of the mean of scores, the mirror image of [MeanAtLeast].
func MeanAtMost(scores []float64, confidence float64) (Interval, error) {
	if err := checkSequence(scores, confidence); err != nil {
		return Interval{}, err
	}
	return Interval{Lo: 0, Hi: 1 - mixtureBound(mirror(scores), confidence), Confidence: confidence, Method: MethodMixture}, nil
}

// mixtureBound is the smallest m at which the capital stays below its threshold. The capital falls in m.
func mixtureBound(xs []float64, confidence float64) float64 {
	const least = 1e-9
	threshold := numeric.Log(1 / (1 - confidence))
	above := func(m float64) bool { return logMixture(xs, m) >= threshold }
	if !above(least) {
		return 0
	}
	return bisect(least, 1, above)
}

// logMixture is the logarithm of the capital of [MeanAtLeast].
func logMixture(xs []float64, m float64) float64 { return logOfSum(logCapitals(xs, m), 1) }

// logCapitals are the logarithms of what each bet has made of a capital of 1; the last one is the boldest.
func logCapitals(xs []float64, m float64) []float64 {
	logs := make([]float64, nBets+1)
	for i := range logs {
		bet := 1.0
		if i < nBets {
			bet = (float64(i) + 0.5) / nBets
		}
		logs[i] = logProduct(xs, 1-bet, bet/m)
	}
	return logs
}

// logOfSum is the logarithm of the whole capital after the scores were seen so many times.
func logOfSum(logs []float64, times float64) float64 {
	parts, largest := make([]float64, len(logs)), math.Inf(-1)
	for i, x := range logs {
		weight := 0.5
		if i < nBets {
			weight /= nBets
		}
		parts[i] = numeric.Log(weight) + float64(times*x)
		largest = max(largest, parts[i])
	}
	if math.IsInf(largest, -1) {
		return largest
	}
	sum := 0.0
	for _, x := range parts {
		sum += numeric.Exp(x - largest)
	}
	return largest + numeric.Log(sum)
}

// SeedsForMean returns how many scores distributed as these [MeanAtLeast] needs to show a mean of at least limit; 0 if
// their mean is not above the limit.
func SeedsForMean(scores []float64, limit, confidence float64) int {
	const most = 1e6
	if checkSequence(scores, confidence) != nil || len(scores) == 0 || limit <= 0 {
		return 0
	}
	logs, threshold := logCapitals(scores, limit), numeric.Log(1/(1-confidence))
	enough := func(n float64) bool { return logOfSum(logs, n/float64(len(scores))) >= threshold }
	if mean, _ := moments(scores); mean <= limit || !enough(most) {
		return 0
	}
	lo, hi := 0, int(most)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; enough(float64(mid)) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// logProduct is the logarithm of Π (kept + stake·x). It multiplies, because a logarithm of each factor takes ten
// times as long.
func logProduct(xs []float64, kept, stake float64) float64 {
	product, exponent := 1.0, 0
	for _, x := range xs {
		product *= kept + float64(stake*x)
		if product < 0x1p-500 || product > 0x1p500 {
			fraction, e := math.Frexp(product)
			product, exponent = fraction, exponent+e
		}
	}
	return numeric.Log(product) + float64(float64(exponent)*math.Ln2)
}

// SampleMean is the mean of N values with their sample standard deviation, as a history knows it. The standard
// deviation of one value is ignored.
type SampleMean struct {
	N        int
	Mean, SD float64
}

// NextMean says where the mean of NNext further values is expected, given the means of earlier samples.
type NextMean struct {
	N        int     // samples
	NNext    int     // values in the next one
	Within   float64 // pooled standard deviation of the values of a sample
	DFWithin int     // its degrees of freedom; with 0, all samples have one value
	Interval Interval
	Warnings []Warning
}

// Nodes of the quadrature of [PredictMean].
const (
	nodesBetween = 60
	nodesWithin  = 8
)

// PredictMean computes the prediction interval for the mean of next further values from the means of earlier samples
// of any sizes, in the model with random effects: mean i is mu + b + e with Var(b) = tau² and Var(e) = sigma²/n.
//
// The interval is a generalized (fiducial) one. Its pivots are exact for normal values: SS/sigma² is chi-square with
// Σ(n−1) degrees of freedom, and Cochran's Q(tau², sigma²) = Σ w (mean − m)², w = 1/(tau² + sigma²/n), m = Σ w mean / Σ
// w, is chi-square with k−1. A quantile of each gives sigma² and then tau² (0 where Q is too small for any); given
// both, the next mean is normal around m with the variance tau² + sigma²/next + 1/Σw. The ends are quantiles of the
// mixture of these normals. Sources: Iyer, Wang and Mathew (2004), JASA 99, 1060 (the pivots); Nagashima, Noma and
// Furukawa (2019), Statistical Methods in Medical Research 28, 1689 (the distribution of tau² from Q in a prediction
// interval).
//
// With equal n, next the same, and much variance between the samples it is the t interval of [NewPrediction]. It
// assumes independent normal samples with one standard deviation. Samples of one value each tell nothing of sigma: for
// them next must be 1.
func PredictMean(samples []SampleMean, next int, confidence float64) (NextMean, error) {
	if err := checkSamples(samples, next); err != nil {
		return NextMean{}, err
	}
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return NextMean{}, err
	}
	p := NextMean{N: len(samples), NNext: next, Interval: noInterval(confidence, MethodNextMean)}
	p.Within, p.DFWithin = withinSD(samples)
	if p.DFWithin == 0 && next != 1 {
		return p, ErrTooFew
	}
	mixture := nextMixture(samples, p.Within, p.DFWithin, next)
	if mixture.spread() == 0 {
		p.Warnings = []Warning{WarnZeroVariance}
		return p, nil
	}
	tail := float64((1 - confidence) / 2)
	p.Interval.Lo, p.Interval.Hi = mixture.quantile(tail), mixture.quantile(1-tail)
	return p, nil
}

func checkSamples(samples []SampleMean, next int) error {
	if next < 1 {
		return badParam("next mean of %d values", next)
	}
	var means []float64
	for _, s := range samples {
		if s.N < 1 || s.N > 1 && !(s.SD >= 0 && finite(s.SD*s.SD)) {
			return badParam("sample of %d values with the standard deviation %v", s.N, s.SD)
		}
		means = append(means, s.Mean)
	}
	if err := check(means, 2); err != nil {
		return err
	}
	if _, ss := moments(means); !finite(ss) {
		return errOverflow
	}
	return nil
}

// withinSD is the standard deviation within samples; 0 with 0 degrees of freedom if each has one value.
func withinSD(samples []SampleMean) (sd float64, df int) {
	ss := 0.0
	for _, s := range samples {
		if s.N > 1 {
			ss += float64(float64(s.N-1) * s.SD * s.SD)
			df += s.N - 1
		}
	}
	if df == 0 {
		return 0, 0
	}
	return math.Sqrt(ss / float64(df)), df
}

// normalMixture is a distribution that is a normal one with each of these means and standard deviations, by weight.
type normalMixture struct {
	mean, sd, weight []float64
}

func (m *normalMixture) add(mean, sd, weight float64) {
	m.mean, m.sd, m.weight = append(m.mean, mean), append(m.sd, sd), append(m.weight, weight)
}

func (m normalMixture) spread() float64 {
	largest := 0.0
	for _, sd := range m.sd {
		largest = max(largest, sd)
	}
	return largest
}

// distribution returns the share below x, and the density there.
func (m normalMixture) distribution(x float64) (share, density float64) {
	for i, mean := range m.mean {
		z := (x - mean) / m.sd[i]
		share += float64(m.weight[i] * numeric.NormalCDF(z))
		density += float64(m.weight[i] * numeric.Exp(float64(-z*z)/2) / (m.sd[i] * math.Sqrt(2*math.Pi)))
	}
	return share, density
}

// quantile is found by Newton's method, kept between ends that every component has its quantile between.
func (m normalMixture) quantile(p float64) float64 {
	z := numeric.NormalQuantile(p)
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, mean := range m.mean {
		at := mean + float64(z*m.sd[i])
		lo, hi = min(lo, at), max(hi, at)
	}
	x, slack := (lo+hi)/2, float64(1e-10*(hi-lo))
	for range 60 {
		share, density := m.distribution(x)
		if share < p {
			lo = x
		} else {
			hi = x
		}
		before := x
		if x += (p - share) / density; !(x > lo && x < hi) {
			x = (lo + hi) / 2
		}
		if math.Abs(x-before) <= slack {
			break
		}
	}
	return x
}

// nextMixture is the distribution of the next mean over quantiles of the two pivots.
func nextMixture(samples []SampleMean, within float64, df, next int) (m normalMixture) {
	nodes := nodesWithin
	if df == 0 || within == 0 {
		nodes = 1
	}
	pivots, weights := betweenNodes(len(samples) - 1)
	for k := range nodes {
		variance := float64(within * within)
		if df > 0 {
			p := (float64(k) + 0.5) / float64(nodes)
			variance = float64(variance * float64(df) / numeric.ChiSquaredQuantile(p, float64(df)))
		}
		tau2 := 0.0
		for j, pivot := range pivots {
			var mean, rest float64
			tau2, mean, rest = solveCochran(samples, variance, pivot, tau2)
			sd := math.Sqrt(tau2 + variance/float64(next) + rest)
			m.add(mean, sd, weights[j]/float64(nodes))
		}
	}
	return m
}

// betweenNodes are quantiles of the chi-square distribution from the largest on with their weights. Small quantiles,
// which mean a large variance, lie closer together: the tails of the interval rest on them.
func betweenNodes(df int) (quantiles, weights []float64) {
	for j := range nodesBetween {
		lo, hi := float64(j)/nodesBetween, float64(j+1)/nodesBetween
		middle := (lo + hi) / 2
		quantiles = append(quantiles, numeric.ChiSquaredQuantile(float64(middle*middle), float64(df)))
		weights = append(weights, float64(hi*hi)-float64(lo*lo))
	}
	return reversed(quantiles), reversed(weights)
}

func reversed(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[len(xs)-1-i] = x
	}
	return out
}

// solveCochran returns the tau² at which Cochran's Q is pivot, or the least, from, if Q is smaller there; with the
// weighted mean, and its variance 1/Σw. Q falls and is convex in tau², so Newton's method approaches from the left.
func solveCochran(samples []SampleMean, variance, pivot, from float64) (tau2, mean, rest float64) {
	tau2 = from
	if variance == 0 { // all weights are equal
		means := make([]float64, len(samples))
		for i, s := range samples {
			means[i] = s.Mean
		}
		m, ss := moments(means)
		return ss / pivot, m, ss / pivot / float64(len(samples))
	}
	for range 100 {
		q, slope, m, sum := cochran(samples, variance, tau2)
		mean, rest = m, 1/sum
		step := (q - pivot) / -slope
		if !(q > pivot) || !(step > float64(1e-12*(tau2+variance))) {
			break
		}
		tau2 += step
	}
	return tau2, mean, rest
}

// cochran is Q(tau²) with its derivative, the weighted mean and the sum of the weights.
func cochran(samples []SampleMean, variance, tau2 float64) (q, slope, mean, sum float64) {
	offset := samples[0].Mean
	for _, s := range samples {
		w := 1 / (tau2 + variance/float64(s.N))
		sum += w
		mean += float64(w * (s.Mean - offset))
	}
	mean = offset + mean/sum
	for _, s := range samples {
		w := 1 / (tau2 + variance/float64(s.N))
		d := float64(w * (s.Mean - mean))
		q += float64(d * (s.Mean - mean))
		slope -= float64(d * d)
	}
	return q, slope, mean, sum
}

func sorted(xs []float64) []float64 { return slices.Sorted(slices.Values(xs)) }

func median(xs []float64) float64 {
	s := sorted(xs)
	lo, hi := s[(len(s)-1)/2], s[len(s)/2]
	return lo + (hi-lo)/2
}

// What can be wrong with an input; test with errors.Is.
var (
	ErrEmpty          = errors.New("no values")
	errNonFinite      = errors.New("not a finite number")
	ErrTooFew         = errors.New("too few values")
	errLengthMismatch = errors.New("samples differ in length")
	ErrZeroVariance   = errors.New("values do not vary")
	ErrBadParam       = errors.New("parameter outside its domain")
	ErrOutOfRange     = errors.New("value outside [0, 1]")

	errTooManyDifferences = fmt.Errorf("more than %d differences", MostSignFlipGreater)
)

// errOverflow is for finite values whose sum or squares are not.
var errOverflow = fmt.Errorf("a sum or a square overflows: %w", errNonFinite)

// TooFewError says how many values a method needs. It wraps [ErrTooFew].
type TooFewError struct{ Need, Have int }

func (e TooFewError) Error() string {
	return fmt.Sprintf("%v: need %d, have %d", ErrTooFew, e.Need, e.Have)
}

// Unwrap returns ErrTooFew.
func (e TooFewError) Unwrap() error { return ErrTooFew }

// check refuses no values, a value that is not finite, and fewer than need values.
func check(xs []float64, need int) error {
	if len(xs) == 0 {
		return ErrEmpty
	}
	for i, x := range xs {
		if !finite(x) {
			return fmt.Errorf("value %d is %v: %w", i, x, errNonFinite)
		}
	}
	if len(xs) < need {
		return TooFewError{Need: need, Have: len(xs)}
	}
	return nil
}

// checkBoth is check for two samples of any lengths.
func checkBoth(a, b []float64, need int) error {
	if err := check(a, need); err != nil {
		return err
	}
	return check(b, need)
}

// checkPairs is check for two samples joined pair by pair.
func checkPairs(a, b []float64, need int) error {
	if len(a) != len(b) {
		return fmt.Errorf("%w: %d and %d", errLengthMismatch, len(a), len(b))
	}
	return checkBoth(a, b, need)
}

// checkScores refuses values outside [0, 1], and what check refuses.
func checkScores(xs []float64, need int) error {
	if err := check(xs, need); err != nil {
		return err
	}
	for i, x := range xs {
		if x < 0 || x > 1 {
			return fmt.Errorf("value %d is %v: %w", i, x, ErrOutOfRange)
		}
	}
	return nil
}

// checkOpenUnit refuses a parameter outside (0, 1), NaN included.
func checkOpenUnit(name string, v float64) error {
	if !(v > 0 && v < 1) {
		return badParam("%s %v is not between 0 and 1", name, v)
	}
	return nil
}

func badParam(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBadParam, fmt.Sprintf(format, args...))
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Warning is a reason to trust a result less. It is data: the code is stable, [Warning.Message] is for people.
type Warning string

// The warnings.
const (
	WarnSmallN         Warning = "small_n"
	WarnZeroVariance   Warning = "zero_variance"
	WarnSaturated      Warning = "saturated"
	WarnUntrimmed      Warning = "untrimmed"
	warnTail           Warning = "tail"
	warnEmptySequence  Warning = "empty_sequence"
	warnAutocorrelated Warning = "autocorrelated"
	warnDependent      Warning = "dependent"
)

// Limits of the warnings.
const (
	SmallN       = 5   // fewer values than this are too few to be sure of anything but a large effect
	maxSaturated = 0.2 // a larger share of scores at exactly 0 or 1 hides how good or bad they are
	MaxLag1      = 0.3 // a larger lag-1 autocorrelation makes change points unreliable
)

// Message says the warning in a sentence.
func (w Warning) Message() string {
	switch w {
	case WarnSmallN:
		return "n too small: fewer than 5 values"
	case WarnZeroVariance:
		return "all values are equal: the interval has no width, and says nothing about other seeds"
	case WarnSaturated:
		return "more than 20 % of the values are exactly 0 or 1: differences beyond these limits are not seen"
	case WarnUntrimmed:
		return "trimmed=0: too few values to trim any, this is the plain mean"
	case warnTail:
		return "fewer than one value is expected beyond this quantile: it is little more than the extreme value"
	case warnEmptySequence:
		return "the confidence sequence became empty: the mean moved, or this is one of the rare sequences that miss it"
	case warnAutocorrelated:
		return "lag-1 autocorrelation above 0.3: neighbours move together, or the level drifts; no change points are given"
	case warnDependent:
		return "the points may depend on their neighbours (lag-1 autocorrelation, p ≤ 0.1): then up to a third of the histories without a change show one"
	}
	return string(w)
}

// dataWarnings returns the warnings about a sample itself: fewer than 5 values, no variance, and, where all values
// lie in [0, 1], more than 20 % of them at exactly 0 or 1.
func dataWarnings(xs []float64) []Warning {
	var list []Warning
	if len(xs) < SmallN {
		list = append(list, WarnSmallN)
	}
	if len(xs) > 1 && constant(xs) {
		list = append(list, WarnZeroVariance)
	}
	if share, ok := saturatedShare(xs); ok && share > maxSaturated {
		list = append(list, WarnSaturated)
	}
	return list
}

// saturatedShare is the share of scores at exactly 0 or 1; ok is false where there are none, or one is outside [0,
// 1], because then they are not scores.
func saturatedShare(scores []float64) (share float64, ok bool) {
	if checkScores(scores, 1) != nil {
		return 0, false
	}
	n := 0
	for _, x := range scores {
		if x == 0 || x == 1 {
			n++
		}
	}
	return float64(n) / float64(len(scores)), true
}

// constant says that all values are equal. (Not that the sd is 0: it may underflow.)
func constant(xs []float64) bool {
	for _, x := range xs {
		if x != xs[0] {
			return false
		}
	}
	return true
}

// smallN is the warning for n values, or none.
func smallN(n int) []Warning {
	if n < SmallN {
		return []Warning{WarnSmallN}
	}
	return nil
}
