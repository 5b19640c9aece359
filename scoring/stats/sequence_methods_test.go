package stats

import (
	"fmt"
	"math"

	"track/scoring/numeric"
)

// Sequences and boxes that no program uses: tests compare the intervals of programs with them.

// Combined is mean · pass rate · (1 - sd) of the scores of one configuration, with the box interval that
// [NewCombined] explains.
type Combined struct {
	NScored  int // seeds with a score
	NPassed  int
	NSeeds   int // all planned seeds, those that crashed among them
	Value    float64
	Interval Interval // not defined at NScored = 1
	Warnings []Warning
}

// NewCombined computes the combined score, with the population sd, and its box interval: the three factors get
// intervals of confidence 1 - (1-confidence)/3 each (t, Wilson, chi-square), cut to what is possible for scores in
// [0, 1] (mean in [0, 1], sd in [0, 0.5]); the worst and the best of each multiply to the ends. By Bonferroni all
// three hold together with the stated confidence, so the box covers the combined score of infinitely many seeds at
// least that often, as far as its parts do.
//
// The value itself rewards fewer seeds, because a small sample shows too small a sd: show the box, and never rank
// across different n by the value. At one score the interval is not defined. No score is ErrEmpty; a score outside
// [0, 1] is ErrOutOfRange.
func NewCombined(scores []float64, passed, seeds int, confidence float64) (Combined, error) {
	if err := checkScores(scores, 1); err != nil {
		return Combined{}, err
	}
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return Combined{}, err
	}
	if passed > len(scores) || len(scores) > seeds {
		return Combined{}, badParam("%d passed of %d scored of %d seeds", passed, len(scores), seeds)
	}
	rate, err := Wilson(passed, seeds, confidence)
	if err != nil {
		return Combined{}, fmt.Errorf("pass rate: %w", err)
	}
	summary, err := Summarize(scores)
	if err != nil {
		return Combined{}, err
	}
	return Combined{
		NScored: len(scores), NPassed: passed, NSeeds: seeds,
		Value:    summary.Mean * rate.Value * (1 - summary.PopulationSD),
		Interval: summary.CombinedInterval(passed, seeds, confidence),
		Warnings: summary.Warnings(),
	}, nil
}

// ConfidenceSequence bounds the mean of scores in [0, 1] after each of N of them, in the order they came: with the
// stated confidence all intervals at once contain it, so one may look after every seed and stop at any time.
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

// BettingSequence computes the hedged-capital confidence sequence of Waudby-Smith & Ramdas (2024, theorem 3) for the
// mean of independent scores in [0, 1]. The candidates m are kept while a gambler who bets that the mean is above m,
// or below, with half the capital each, has not multiplied it by 1/alpha. The bets are min(λ_t, 1/(2m)) and min(λ_t,
// 1/(2(1-m))), with λ_t = √(2·ln(2/alpha)/(σ̂²_{t-1}·t·ln(t+1))), and the ends are found by bisection.
//
// No distribution is assumed, and n may be anything: at 95 % the first interval is always [0, 1]. A score outside [0,
// 1] is ErrOutOfRange; it would void the guarantee. No scores give empty slices.
func BettingSequence(scores []float64, confidence float64) (ConfidenceSequence, error) {
	c, err := newSequence(scores, confidence, methodBetting)
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

// BernsteinSequence computes the predictable plug-in empirical Bernstein confidence sequence of Waudby-Smith & Ramdas
// (2024, theorem 2), with λ_t as in [BettingSequence], at most 1/2. It is wider than [BettingSequence], and closed in
// form; assumptions and errors are the same.
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

func (c ConfidenceSequence) warn() ConfidenceSequence {
	if last := c.last(); last.Lo > last.Hi {
		c.Warnings = append(c.Warnings, warnEmptySequence)
	}
	return c
}

// SignE is evidence from wins and losses alone.
type SignE struct {
	Wins, Losses            int
	Greater, Less, TwoSided float64 // TwoSided is the mean of the other two
}

// signEValue computes E = 2^(w+l) · 2∫_{1/2}^{1} p^w (1-p)^l dp against "a win is as likely as a loss", the
// likelihood ratio of a win rate uniform on (1/2, 1]. Ties are dropped before. It is valid at any time, as [EProcess]
// is, and needs 7 wins without a loss for E ≥ 20 in one direction. It is 1 at 0 to 0.
func signEValue(wins, losses int) (SignE, error) {
	if wins < 0 || losses < 0 {
		return SignE{}, badParam("%d wins, %d losses", wins, losses)
	}
	e := SignE{Wins: wins, Losses: losses, Greater: signE(wins, losses), Less: signE(losses, wins)}
	e.TwoSided = (e.Greater + e.Less) / 2
	return e, nil
}

func signE(wins, losses int) float64 {
	a, b := float64(wins+1), float64(losses+1)
	aboveHalf := numeric.BetaCDF(0.5, b, a) // P(Beta(a, b) > 1/2)
	return numeric.Exp(float64((a+b-1)*math.Ln2)+numeric.LogGamma(a)+numeric.LogGamma(b)-numeric.LogGamma(a+b)) * aboveHalf
}

func newSequence(scores []float64, confidence float64, method string) (ConfidenceSequence, error) {
	if err := checkSequence(scores, confidence); err != nil {
		return ConfidenceSequence{}, err
	}
	n := len(scores)
	return ConfidenceSequence{
		N: n, Lo: make([]float64, n), Hi: make([]float64, n), Confidence: confidence, Method: method,
	}, nil
}
