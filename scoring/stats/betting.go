package stats

import (
	"math"

	"track/scoring/numeric"
)

// betLimit is the share of the capital that is at risk at most (c of Waudby-Smith & Ramdas).
const betLimit = 0.5

// bettingBound returns the smallest m at which betting on more than m has not multiplied the capital by the
// threshold. The capital falls in m.
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

// predictableBets returns λ_t = √(2·ln(1/alpha)/(σ̂²_{t-1}·t·ln(t+1))), at most limit. Each depends on the scores
// before it only; mean and variance start from one made-up observation of 1/2 with variance 1/4.
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

// checkSequence reports scores outside [0, 1] and an unusable confidence. No scores are a sequence too.
func checkSequence(scores []float64, confidence float64) error {
	if err := checkOpenUnit("confidence", confidence); err != nil || len(scores) == 0 {
		return err
	}
	return checkScores(scores, 1)
}

func mirror(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = 1 - x
	}
	return out
}

// BettingInterval returns the interval for the mean of scores in [0, 1] by betting (Waudby-Smith & Ramdas 2024). It
// is valid at any time: one may compute it after every score and stop whenever one likes. It takes time linear in the
// number of scores, and is [0, 1] for none.
func BettingInterval(scores []float64, confidence float64) (Interval, error) {
	if err := checkSequence(scores, confidence); err != nil {
		return Interval{}, err
	}
	i := Interval{Lo: 0, Hi: 1, Confidence: confidence, Method: methodBetting}
	if len(scores) == 0 {
		return i, nil
	}
	threshold := numeric.Log(2 / (1 - confidence))
	bets := predictableBets(scores, (1-confidence)/2, math.Inf(1))
	i.Lo, i.Hi = bettingBound(scores, bets, threshold), 1-bettingBound(mirror(scores), bets, threshold)
	return i, nil
}
