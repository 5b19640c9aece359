package stats

import (
	"math"

	"track/scoring/numeric"
)

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
