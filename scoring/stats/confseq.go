package stats

import (
	"math"

	"track/scoring/numeric"
)

// ConfidenceSequence bounds the mean of scores in [0, 1] after each of N of them, in the order they came: with the stated
// confidence all intervals at once contain it, so one may look after every seed and stop at any time.
type ConfidenceSequence struct {
	N          int
	Lo, Hi     []float64 // running intersection: Lo never falls, Hi never rises
	Confidence float64
	Method     string
	Warnings   []Warning
}

// last is the interval after the last score, [0, 1] before the first.
func (c ConfidenceSequence) last() Interval {
	i := Interval{Lo: 0, Hi: 1, Confidence: c.Confidence, Method: c.Method}
	if c.N > 0 {
		i.Lo, i.Hi = c.Lo[c.N-1], c.Hi[c.N-1]
	}
	return i
}

// betLimit is the share of the capital that is at risk at most (c of Waudby-Smith & Ramdas).
const betLimit = 0.5

// BettingSequence computes the hedged-capital confidence sequence of Waudby-Smith & Ramdas (2024, theorem 3) for the mean of
// independent scores in [0, 1]. The candidates m are kept while a gambler who bets that the mean is above m, or below, with half
// the capital each, has not multiplied it by 1/alpha. The bets are min(λ_t, 1/(2m)) and min(λ_t, 1/(2(1-m))), with
// λ_t = √(2·ln(2/alpha)/(σ̂²_{t-1}·t·ln(t+1))), and the ends are found by bisection.
//
// No distribution is assumed, and n may be anything: at 95 % the first interval is always [0, 1]. A score outside [0, 1] is
// ErrOutOfRange; it would void the guarantee. No scores give empty slices.
func BettingSequence(scores []float64, confidence float64) (ConfidenceSequence, error) {
	c, err := newSequence(scores, confidence, MethodBetting)
	if err != nil {
		return ConfidenceSequence{}, err
	}
	threshold := numeric.Log(2 / (1 - confidence))
	bets := predictableBets(scores, (1-confidence)/2, math.Inf(1))
	mirrored := mirror(scores)
	lo, hi := 0.0, 1.0
	for t := range scores {
		below := bettingBound(scores[:t+1], bets, threshold)
		above := 1 - bettingBound(mirrored[:t+1], bets, threshold)
		lo, hi = max(lo, below), min(hi, above)
		c.Lo[t], c.Hi[t] = lo, hi
	}
	return c.warn(), nil
}

// bettingBound returns the smallest m at which betting on more than m has not multiplied the capital by the threshold. The
// capital falls in m.
func bettingBound(xs, bets []float64, logThreshold float64) float64 {
	if !(logCapital(xs, bets, 0x1p-1000) > logThreshold) {
		return 0
	}
	return bisect(0, 1, func(m float64) bool { return logCapital(xs, bets, m) > logThreshold })
}

func logCapital(xs, bets []float64, m float64) float64 {
	sum := 0.0
	for i, x := range xs {
		sum += numeric.Log1p(min(bets[i], betLimit/m) * (x - m))
	}
	return sum
}

// BernsteinSequence computes the predictable plug-in empirical Bernstein confidence sequence of Waudby-Smith & Ramdas (2024,
// theorem 2), with λ_t as in [BettingSequence], at most 1/2. It is wider than [BettingSequence], and closed in form;
// assumptions and errors are the same.
func BernsteinSequence(scores []float64, confidence float64) (ConfidenceSequence, error) {
	c, err := newSequence(scores, confidence, methodBernstein)
	if err != nil {
		return ConfidenceSequence{}, err
	}
	alpha := (1 - confidence) / 2
	c.Lo = bernsteinLower(scores, alpha)
	c.Hi = mirror(bernsteinLower(mirror(scores), alpha))
	return c.warn(), nil
}

// bernsteinLower is the running maximum of Σλx/Σλ - (ln(1/alpha) + Σ(x-μ̂_{t-1})²·ψ(λ))/Σλ, ψ(λ) = -ln(1-λ) - λ.
func bernsteinLower(xs []float64, alpha float64) []float64 {
	lower := make([]float64, len(xs))
	bets := predictableBets(xs, alpha, 0.5)
	best, sum, sumBets, weighted, spent := 0.0, 0.0, 0.0, 0.0, 0.0
	for t, x := range xs {
		before := 0.0
		if t > 0 {
			before = sum / float64(t)
		}
		psi := -numeric.Log1p(-bets[t]) - bets[t]
		spent += float64((x - before) * (x - before) * psi)
		weighted += float64(bets[t] * x)
		sumBets += bets[t]
		sum += x
		best = max(best, (weighted-numeric.Log(1/alpha)-spent)/sumBets)
		lower[t] = best
	}
	return lower
}

// predictableBets returns λ_t = √(2·ln(1/alpha)/(σ̂²_{t-1}·t·ln(t+1))), at most limit. Each depends on the scores before it only;
// mean and variance start from one made-up observation of 1/2 with variance 1/4.
func predictableBets(xs []float64, alpha, limit float64) []float64 {
	bets := make([]float64, len(xs))
	sum, squares, variance := 0.5, 0.25, 0.25
	for i, x := range xs {
		t := float64(i + 1)
		bets[i] = min(limit, math.Sqrt(2*numeric.Log(1/alpha)/(variance*t*numeric.Log(1+t))))
		sum += x
		mean := sum / (t + 1)
		squares += float64((x - mean) * (x - mean))
		variance = squares / (t + 1)
	}
	return bets
}

func newSequence(scores []float64, confidence float64, method string) (ConfidenceSequence, error) {
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return ConfidenceSequence{}, err
	}
	if len(scores) > 0 {
		if err := checkScores(scores, 1); err != nil {
			return ConfidenceSequence{}, err
		}
	}
	n := len(scores)
	return ConfidenceSequence{
		N: n, Lo: make([]float64, n), Hi: make([]float64, n), Confidence: confidence, Method: method,
	}, nil
}

func (c ConfidenceSequence) warn() ConfidenceSequence {
	if last := c.last(); last.Lo > last.Hi {
		c.Warnings = append(c.Warnings, warnEmptySequence)
	}
	return c
}

func mirror(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = 1 - x
	}
	return out
}

// BettingInterval is the interval after the last score of [BettingSequence], without the intersection with those before it: as
// valid at any time, hardly wider, and found in time linear in the number of scores. [0, 1] for none.
func BettingInterval(scores []float64, confidence float64) (Interval, error) {
	if _, err := newSequence(scores, confidence, MethodBetting); err != nil {
		return Interval{}, err
	}
	i := Interval{Lo: 0, Hi: 1, Confidence: confidence, Method: MethodBetting}
	if len(scores) == 0 {
		return i, nil
	}
	threshold := numeric.Log(2 / (1 - confidence))
	bets := predictableBets(scores, (1-confidence)/2, math.Inf(1))
	i.Lo, i.Hi = bettingBound(scores, bets, threshold), 1-bettingBound(mirror(scores), bets, threshold)
	return i, nil
}
