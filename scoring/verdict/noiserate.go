package verdict

import (
	"math"
	"math/rand/v2"
	"slices"

	"track/scoring"
	"track/scoring/stats"
)

// What [rateOf] takes for chance, in standard errors of a covariance: more of estimates from few pairs than of those from
// all pairs of verdicts.
const (
	pairDoubt = 1.64
	flipDoubt = 1
)

// methodDoubleBootstrap is that of the interval of a [Rate].
const methodDoubleBootstrap = "double bootstrap"

// measure asks the gate and the improvement check about pairs of samples of n seeds.
func (p *pilot) measure(n int, rules scoring.GateRules, o NoiseOptions, drawn func(int), rng *rand.Rand) (NoiseAt, error) {
	at := NoiseAt{N: n, GateVerdicts: map[scoring.Verdict]int{}}
	populations, pairs := o.draws(len(p.seeds), n)
	tried := &trial{a: p.newSample(n), b: p.newSample(n), at: &at, rules: rules, options: o, rng: rng}
	failed, spread := rng.Perm(populations), rng.Perm(populations)
	halves := make([][2]tally, populations)
	for i := range halves {
		quantile := func(i int) float64 { return (float64(i) + float64(rng.Float64())) / float64(populations) }
		q := quantiles{passed: quantile(i), failed: quantile(failed[i]), spread: quantile(spread[i])}
		first, second, err := tried.halves(p.population(q, rng), pairs)
		if err != nil {
			return at, err
		}
		drawn(pairs)
		halves[i] = [2]tally{first, second}
	}
	at.MeanAbsDifference /= float64(populations * pairs)
	at.LargestMetricDelta /= float64(populations * pairs)
	at.FalseDegraded = rateOf(halves, pairs, pairDoubt, func(t tally) float64 { return t.share(t.degraded) })
	at.FalseDecision = rateOf(halves, pairs, pairDoubt, func(t tally) float64 { return t.share(t.decided) })
	if !rules.Any() {
		return at, nil
	}
	rate := flipRate(halves, pairs, at.GateVerdicts)
	at.GateFlips = &rate
	if p.isOneSided() {
		return at, tried.include(p.itself(), max(2, populations*pairs/10), &rate)
	}
	return at, nil
}

// trial draws pairs of samples and judges them.
type trial struct {
	a, b    *sample
	at      *NoiseAt // sums and counts go there
	rules   scoring.GateRules
	options NoiseOptions
	rng     *rand.Rand
}

// tally is what came of some pairs.
type tally struct {
	pairs, degraded, decided int
	verdicts                 map[scoring.Verdict]int // of both samples of each pair
}

// halves judges pairs of samples of a population, in two halves that are independent of each other.
func (t *trial) halves(from *population, pairs int) (first, second tally, err error) {
	if first, err = t.judge(from, pairs/2); err == nil {
		second, err = t.judge(from, pairs-pairs/2)
	}
	return first, second, err
}

func (t *trial) judge(from *population, pairs int) (tally, error) {
	r := tally{pairs: pairs, verdicts: map[scoring.Verdict]int{}}
	for range pairs {
		if t.options.Stopped != nil && t.options.Stopped() {
			return r, ErrStopped
		}
		t.a.draw(from, t.rng)
		t.b.draw(from, t.rng)
		d, err := t.a.against(t.b, t.options.Comparison)
		if err != nil {
			return r, err
		}
		t.at.LargestMetricDelta += d.largestLoss
		t.at.MeanAbsDifference += math.Abs(d.mean)
		r.degraded += oneIf(d.degraded)
		r.decided += oneIf(d.decided)
		if err := t.gates(&r); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (t *trial) gates(r *tally) error {
	if !t.rules.Any() {
		return nil
	}
	for _, s := range []*sample{t.a, t.b} {
		v, err := s.gate(t.rules)
		if err != nil {
			return err
		}
		r.verdicts[v]++
		t.at.GateVerdicts[v]++
	}
	return nil
}

// include widens the interval of the flips so that it contains the rate of one more population.
func (t *trial) include(from *population, pairs int, rate *Rate) error {
	verdicts, mean, largest := t.at.GateVerdicts, t.at.MeanAbsDifference, t.at.LargestMetricDelta
	t.at.GateVerdicts = map[scoring.Verdict]int{} // what it has is no part of the other figures
	r, err := t.judge(from, pairs)
	t.at.GateVerdicts, t.at.MeanAbsDifference, t.at.LargestMetricDelta = verdicts, mean, largest
	rate.Interval.Lo, rate.Interval.Hi = min(rate.Interval.Lo, r.flips()), max(rate.Interval.Hi, r.flips())
	return err
}

func (r tally) and(other tally) tally {
	sum := tally{r.pairs + other.pairs, r.degraded + other.degraded, r.decided + other.decided, map[scoring.Verdict]int{}}
	for _, v := range scoring.Verdicts() {
		sum.verdicts[v] = r.verdicts[v] + other.verdicts[v]
	}
	return sum
}

func (r tally) share(k int) float64 { return float64(k) / float64(r.pairs) }

// flips is the share of all pairs of verdicts that differ, whichever samples they are of.
func (r tally) flips() float64 {
	n, same := 2*r.pairs, 0
	for _, k := range r.verdicts {
		same += k * (k - 1)
	}
	if len(r.verdicts) == 0 {
		return 0
	}
	return 1 - float64(same)/float64(n*(n-1))
}

// rateOf is the mean of a rate over the populations with the interval that holds 95 % of them. The estimates differ more
// than the rates do that they are of, because each is of few pairs. The upper ones are drawn to the mean, so that their
// variance becomes that of the rates, which is the covariance of the two halves. The lower ones stay: close to 0, where
// most rates of skewed distributions are, chance adds little. The interval allows for the number of pairs as well.
func rateOf(halves [][2]tally, pairs int, doubt float64, estimate func(tally) float64) Rate {
	var first, second, all []float64
	for _, h := range halves {
		first, second, all = append(first, estimate(h[0])), append(second, estimate(h[1])), append(all, estimate(h[0].and(h[1])))
	}
	n, centre := len(all)*pairs, mean(all)
	rate := Rate{centre, n, len(all), stats.Interval{Confidence: scoring.DefaultConfidence, Method: methodDoubleBootstrap}}
	factor := 0.0
	if total := covariance(all, all); total > 0 {
		share := covariance(first, second) / total
		if chance := doubt / math.Sqrt(float64(len(all))); share > chance { // else the rates may as well be equal
			factor = math.Sqrt(min(1, share))
		}
	}
	slices.Sort(all)
	tail := (1 - scoring.DefaultConfidence) / 2
	drawnTogether := func(x float64) float64 { return centre + float64(factor*(x-centre)) }
	rate.Interval.Lo, rate.Interval.Hi = centre, min(1, drawnTogether(quantileOf(all, 1-tail)))
	if factor > 0 {
		rate.Interval.Lo = max(0, quantileOf(all, tail))
	}
	if drawn, err := stats.Wilson(int(math.Round(centre*float64(n))), n, scoring.DefaultConfidence); err == nil {
		rate.Interval.Lo, rate.Interval.Hi = min(rate.Interval.Lo, drawn.Interval.Lo), max(rate.Interval.Hi, drawn.Interval.Hi)
	}
	return rate
}

// flipRate is how often two verdicts differ. It is largest where a gate gives its verdict in half of the cases, and no
// population is beyond that: if the truth is there, the interval of the rates would miss it. So the interval of the share
// of the most frequent verdict says how large the rate can be.
func flipRate(halves [][2]tally, pairs int, verdicts map[scoring.Verdict]int) Rate {
	rate := rateOf(halves, pairs, flipDoubt, tally.flips)
	most, all := scoring.VerdictPass, 0
	for _, v := range scoring.Verdicts() {
		all += verdicts[v]
		if verdicts[v] > verdicts[most] {
			most = v
		}
	}
	share := rateOf(halves, pairs, flipDoubt, func(t tally) float64 { return float64(t.verdicts[most]) / float64(2*t.pairs) }).Interval
	others, sameOthers := float64(all-verdicts[most]), 0.0
	for v, k := range verdicts {
		if v != most && others > 0 {
			sameOthers += float64((float64(k) / others) * (float64(k) / others))
		}
	}
	if others > 0 {
		p := min(max(0.5, share.Lo), share.Hi)
		rate.Interval.Hi = max(rate.Interval.Hi, float64(2*p*(1-p))+float64((1-p)*(1-p)*(1-sameOthers)))
	}
	return rate
}

func covariance(xs, ys []float64) float64 {
	mx, my, sum := mean(xs), mean(ys), 0.0
	for i := range xs {
		sum += float64((xs[i] - mx) * (ys[i] - my))
	}
	return sum / float64(len(xs)-1)
}

// quantileOf is the quantile of type 7 of sorted numbers (Hyndman and Fan 1996).
func quantileOf(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	k := min(int(at), len(sorted)-2)
	return sorted[k] + float64((float64(at)-float64(k))*(sorted[k+1]-sorted[k]))
}
