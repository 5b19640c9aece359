package verdict

import (
	"slices"

	"track/scoring/numeric"
	"track/scoring/stats"
)

// What a p-value of an [Outcome] is of.
const (
	pOfRule      = "rule_holds"        // a small p refutes the rule
	pOfLoss      = "no_loss"           // a small p shows a loss
	pOfThreshold = "loss_at_threshold" // a small p shows that the mean loss is below the threshold
	methodSeen   = "bounded-mean-seen" // the bound of the mean, with a largest loss that the losses seen suggest
	methodFlips  = "sign-flip"         // all means that the sign-flip test does not reject
	methodEValue = "symmetric e-value" // all means that the symmetric e-value has not rejected so far
	maxNeeded    = 2000                // pairs that are looked for
)

// lossBound says how large the mean loss of a metric can be.
type lossBound struct {
	interval stats.Interval // of the mean delta; only its lower end is bounded
	p        *float64       // of a mean loss at or beyond the threshold; nil at any time
	passes   bool           // the mean loss is below the threshold
	largest  *float64       // loss that a pair is assumed to have at most; nil if nothing is assumed
}

// boundLoss bounds the mean loss of d from above. The first bound knows only that no pair loses more than 1. The second
// one takes the largest possible loss from those seen, where they say how large losses are. Both take each loss and
// each win as it is, so a pair that wins more, or wins instead of tying, never raises a bound.
func boundLoss(d []float64, threshold, confidence float64) (b lossBound, err error) {
	losses, largest, method := negated(d), 1.0, stats.MethodBoundedMean
	p, err := stats.BoundedMeanP(losses, largest, threshold)
	if seen := largestLoss(d); err == nil && p > 1-confidence && seen < 1 && isVaried(d) && showsBreaks(len(d), threshold, confidence) {
		largest, method = seen, methodSeen
		p, err = stats.BoundedMeanP(losses, largest, threshold)
		b.largest = &seen
	}
	if err != nil {
		return b, err
	}
	upper, err := stats.BoundedMeanUpper(losses, -1, largest, confidence)
	b.p, b.passes = &p, p <= 1-confidence
	b.interval = stats.Interval{Lo: -upper.Hi, Hi: 1, Confidence: confidence, Method: method}
	return b, err
}

// boundMetric is [boundLoss] of a metric; at any time, the lower end of a betting sequence.
func (i *Improvement) boundMetric(m MetricDelta) (lossBound, error) {
	if !i.Look.Anytime {
		return boundLoss(m.differences, m.Threshold, 1-i.JointAlpha())
	}
	interval, err := bettingInterval(m.differences, 1-2*i.JointAlpha())
	interval.Hi, interval.Confidence = 1, 1-i.JointAlpha()
	return lossBound{interval: interval, passes: interval.Lo > -m.Threshold}, err
}

// lossMargin is how much larger than the largest loss of n pairs others are taken to be.
func lossMargin(n int) float64 { return 1 + 5/float64(n) }

// largestLoss is the largest loss that other pairs may have, by those of d; 1 if none lost anything.
func largestLoss(d []float64) float64 {
	worst := -slices.Min(d)
	if worst <= 0 {
		return 1
	}
	return min(1, float64(worst*lossMargin(len(d))))
}

// minSeen is the least number of pairs whose losses say how large losses are.
const minSeen = 8

// isVaried reports whether the differences look like noise, so that the losses seen say how large losses are: a fifth
// of the pairs win, and at least 2 (3 of fewer than 10), or four fifths are no ties. A pair that wins more, or wins
// instead of tying, never takes that away.
func isVaried(d []float64) bool {
	wins, ties := 0, 0
	for _, x := range d {
		switch {
		case x > 0:
			wins++
		case x == 0:
			ties++
		}
	}
	least := 2
	if len(d) < 10 {
		least = 3
	}
	return len(d) >= minSeen && (wins >= least && 5*wins >= len(d) || 5*ties <= len(d))
}

// showsBreaks reports whether n pairs show, with the given confidence, at least one of the losses of a metric that
// loses its whole score in so many seeds that the mean loss is the threshold. In fewer pairs the losses seen say
// nothing of those.
func showsBreaks(n int, threshold, confidence float64) bool {
	return threshold >= 1 || numeric.Pow(1-threshold, float64(n)) <= 1-confidence
}

func negated(d []float64) []float64 {
	losses := make([]float64, len(d))
	for i, x := range d {
		losses[i] = -x
	}
	return losses
}

// pairsNeeded is the least number of pairs, spread like those of d, at which the bound is below the threshold; 0 if
// that is more than maxNeeded, or never.
func pairsNeeded(d []float64, threshold, confidence float64) int {
	if -mean(d) >= threshold {
		return 0
	}
	sorted := slices.Sorted(slices.Values(d))
	enough := func(n int) bool {
		like := make([]float64, n)
		for i := range like {
			like[i] = sorted[(2*i+1)*len(d)/(2*n)]
		}
		losses := negated(like)
		p, err := stats.BoundedMeanP(losses, 1, threshold)
		if seen := largestLoss(like); err == nil && p > 1-confidence && seen < 1 && isVaried(like) && showsBreaks(n, threshold, confidence) {
			p, err = stats.BoundedMeanP(losses, seen, threshold)
		}
		return err == nil && p <= 1-confidence
	}
	short, long := len(d), 2*len(d)
	for !enough(long) {
		if long > maxNeeded {
			return 0
		}
		short, long = long, 2*long
	}
	for long-short > 1 {
		if mid := (short + long) / 2; enough(mid) {
			long = mid
		} else {
			short = mid
		}
	}
	return long
}

// upperMean is the largest mean of d that the test against a loss does not reject.
func (i *Improvement) upperMean(d []float64) (float64, error) {
	lo, hi := mean(d), 1.0
	for range 20 {
		mid := lo + float64((hi-lo)/2)
		p, err := i.pLess(shifted(d, -mid))
		if err != nil {
			return 0, err
		}
		if p > i.JointAlpha() {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi, nil
}

// pLess tests one metric against a mean of 0 or more.
func (i *Improvement) pLess(d []float64) (float64, error) {
	if i.Look.Anytime {
		e, err := stats.SymmetricEValue(d)
		return e.AnytimeP().Less, err
	}
	flips, err := stats.SignFlip(d, drawSeed)
	return flips.P.Less, err
}
