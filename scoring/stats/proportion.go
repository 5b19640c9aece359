package stats

import (
	"math"

	"track/scoring/numeric"
)

// Proportion is K successes in N trials with an interval of the underlying rate.
type Proportion struct {
	K, N     int
	Value    float64 // K/N
	Interval Interval
	Warnings []Warning
}

// Wilson computes the score interval (k + z²/2 ± z·√(k(n-k)/n + z²/4))/(n + z²) without continuity correction (Wilson
// 1927; R prop.test(correct=FALSE)). The lower end is exactly 0 at k = 0, the upper exactly 1 at k = n.
//
// It covers its confidence on average over the rates, and is usable at any n: 5 of 5 has a lower end of 0.57. No
// trials are ErrEmpty.
func Wilson(k, n int, confidence float64) (Proportion, error) {
	p, err := newProportion(k, n, confidence, MethodWilson)
	if err != nil {
		return Proportion{}, err
	}
	z := normalQuantile(confidence)
	kf, nf, z2 := float64(k), float64(n), float64(z*z)
	centre := (kf + float64(z2/2)) / (nf + z2)
	half := float64(z / (nf + z2) * math.Sqrt(kf*float64(n-k)/nf+float64(z2/4)))
	p.Interval.Lo, p.Interval.Hi = max(0, centre-half), min(1, centre+half)
	if k == 0 {
		p.Interval.Lo = 0
	}
	if k == n {
		p.Interval.Hi = 1
	}
	return p, nil
}

// ClopperPearsonEnds computes the exact one-sided bounds of both sides. Each end holds by itself with the stated
// confidence: the rate is at least Lo, and at most Hi. 59 of 59 are the fewest that show a rate of at least 95 % with
// 95 % confidence.
func ClopperPearsonEnds(k, n int, confidence float64) (Proportion, error) {
	p, err := newProportion(k, n, confidence, MethodClopperEnds)
	if err != nil {
		return Proportion{}, err
	}
	p.Interval.Lo, p.Interval.Hi = clopperLower(k, n, 1-confidence), 1-clopperLower(n-k, n, 1-confidence)
	return p, nil
}

func newProportion(k, n int, confidence float64, method string) (Proportion, error) {
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return Proportion{}, err
	}
	switch {
	case n < 0 || k < 0 || k > n:
		return Proportion{}, badParam("%d of %d", k, n)
	case n == 0:
		return Proportion{}, ErrEmpty
	}
	return Proportion{
		K: k, N: n, Value: float64(k) / float64(n),
		Interval: Interval{Confidence: confidence, Method: method}, Warnings: smallN(n),
	}, nil
}

// clopperLower is the rate at which k or more of n successes have probability tail.
func clopperLower(k, n int, tail float64) float64 {
	if k == 0 {
		return 0
	}
	return numeric.BetaQuantile(tail, float64(k), float64(n-k+1))
}

// SeedsForPassRate is the number of trials from which on the one-sided lower bound of Clopper and Pearson reaches a
// limit with the given power, if trials succeed at a rate. The power of this exact test falls and rises with the
// number: here it has fallen for the last time. Beyond [MaxSeeds] the error is ErrOutOfRange, as at a rate that is not
// above the limit.
func SeedsForPassRate(rate, limit, confidence, power float64) (int, error) {
	if !(rate > limit) {
		return 0, ErrOutOfRange
	}
	for failed, n := 0, leastTrials(0, 1, limit, confidence); n <= MaxSeeds; failed++ {
		next := leastTrials(failed+1, n, limit, confidence)
		if BinomialAtMost(failed, next-1, 1-rate) >= power {
			return n, nil
		}
		n = next
	}
	return 0, ErrOutOfRange
}

// leastTrials is the smallest number of trials, from least on, that shows a success rate although some of them failed.
func leastTrials(failed, least int, limit, confidence float64) int {
	shows := func(n int) bool { return n > failed && BinomialAtMost(failed, n, 1-limit) <= 1-confidence }
	lo, hi := least-1, 2*least
	for !shows(hi) {
		if lo, hi = hi, 2*hi; lo > MaxSeeds {
			return hi
		}
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; shows(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// BinomialAtMost is P(X ≤ k) for X of n trials with success rate p: the one-sided p-value of "the rate is at least p"
// when k succeeded. It is the counterpart of [ClopperPearson]. k must be 0 to n, and p 0 to 1.
func BinomialAtMost(k, n int, p float64) float64 {
	switch {
	case k >= n || p <= 0:
		return 1
	case p >= 1:
		return 0
	}
	return numeric.BetaCDF(1-p, float64(n-k), float64(k+1))
}
