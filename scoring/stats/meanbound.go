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
