package verdict

import (
	"math"
	"math/rand/v2"

	"track/scoring"
	"track/scoring/numeric"
	"track/scoring/stats"
)

// Methods of the interval of a [Rate].
const (
	methodDoubleBootstrap = "double bootstrap"
	methodUnknown         = "unknown" // the pilot is too small
)

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
	at.FalseDegraded = rateOf(halves, pairs, func(t tally) float64 { return t.share(t.degraded) })
	at.FalseDecision = rateOf(halves, pairs, func(t tally) float64 { return t.share(t.decided) })
	at.FalseDegraded.NPilotNeeded = at.FalseDegraded.pilotNeeded(len(p.seeds))
	at.FalseDecision.NPilotNeeded = at.FalseDecision.pilotNeeded(len(p.seeds))
	if !rules.Any() {
		return at, nil
	}
	rate := flipRate(halves, pairs, at.GateVerdicts)
	at.GateFlips = &rate
	for _, share := range p.passRateEnds() {
		if err := tried.include(p.withPassRate(share), max(2, populations*pairs/5), &rate); err != nil {
			return at, err
		}
	}
	if p.isTooSmall(rules) {
		rate.Interval.Lo, rate.Interval.Hi, rate.Interval.Method = 0, 1, methodUnknown
	}
	rate.NPilotNeeded = rate.pilotNeeded(len(p.seeds))
	return at, nil
}

// minPilot is the number of scored seeds that say anything of a rule about scores. If a fifth of all seeds are of
// another kind, 93 % of such pilots show one of them. maxPilot is the largest [Rate.NPilotNeeded].
const (
	minPilot = 12
	maxPilot = 10_000
)

// isTooSmall reports whether the pilot has too few scores to say how often rules about scores flip.
func (p *pilot) isTooSmall(rules scoring.GateRules) bool {
	scored := len(p.seeds) - len(p.classes[classFailed])
	return scored < minPilot && (rules.Stable || rules.MaxStd != nil || rules.MinScore != nil)
}

// pilotNeeded is about how many seeds would move the end of the interval that lies beyond [MaxFlipRate] back to it. The
// distance of the end from the rate is about proportional to 1/√n.
func (r Rate) pilotNeeded(n int) int {
	end := r.Interval.Hi
	if r.Rate > MaxFlipRate {
		end = r.Interval.Lo
	}
	if (end > MaxFlipRate) == (r.Rate > MaxFlipRate) && r.Interval.Method != methodUnknown {
		return 0
	}
	times := (end - r.Rate) / (MaxFlipRate - r.Rate)
	need := float64(n) * float64(times*times)
	if !(need < maxPilot) {
		return maxPilot
	}
	unit := 1.0
	for need >= 100*unit {
		unit *= 10
	}
	return max(minPilot, n+1, int(float64(math.Ceil(need/unit)*unit)))
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

// rateOf is the mean of a rate over the populations with the interval that holds 95 % of them. The estimates differ
// more than the rates do that they are of, because each is of few pairs. The variance of the rates is the covariance of
// the two halves, which has a standard error itself; the interval is that of the beta distribution with the mean and
// the larger variance. It allows for the number of pairs as well.
func rateOf(halves [][2]tally, pairs int, estimate func(tally) float64) Rate {
	var first, second, all []float64
	for _, h := range halves {
		first, second, all = append(first, estimate(h[0])), append(second, estimate(h[1])), append(all, estimate(h[0].and(h[1])))
	}
	n, centre := len(all)*pairs, mean(all)
	rate := Rate{Rate: centre, N: n, NPopulations: len(all), Interval: stats.Interval{Lo: centre, Hi: centre, Confidence: scoring.DefaultConfidence, Method: methodDoubleBootstrap}}
	variance, chance := covariance(first, second)
	rate.spread(max(0, variance) + chance)
	if drawn, err := stats.Wilson(int(math.Round(centre*float64(n))), n, scoring.DefaultConfidence); err == nil {
		rate.Interval.Lo, rate.Interval.Hi = min(rate.Interval.Lo, drawn.Interval.Lo), max(rate.Interval.Hi, drawn.Interval.Hi)
	}
	return rate
}

// spread gives a rate the interval of a beta distribution with its mean and this variance.
func (r *Rate) spread(variance float64) {
	const most = 0.98 // of the variance of a rate that is 0 or 1: beyond, quantiles cannot be told from these
	whole := float64(r.Rate * (1 - r.Rate))
	if !(variance > 0 && whole > 0) {
		return
	}
	size := whole/min(variance, float64(most*whole)) - 1
	tail := (1 - scoring.DefaultConfidence) / 2
	a, b := float64(r.Rate*size), float64((1-r.Rate)*size)
	r.Interval.Lo, r.Interval.Hi = numeric.BetaQuantile(tail, a, b), numeric.BetaQuantile(1-tail, a, b)
}

// flipRate is how often two verdicts differ. It is largest where a gate gives its verdict in half of the cases, and no
// population is beyond that: if the truth is there, the interval of the rates would miss it. So the interval of the
// share of the most frequent verdict says how large the rate can be.
func flipRate(halves [][2]tally, pairs int, verdicts map[scoring.Verdict]int) Rate {
	rate := rateOf(halves, pairs, tally.flips)
	most, all, kinds := scoring.VerdictPass, 0, 0
	for _, v := range scoring.Verdicts() {
		all += verdicts[v]
		kinds += oneIf(verdicts[v] > 0)
		if verdicts[v] > verdicts[most] {
			most = v
		}
	}
	share := rateOf(halves, pairs, func(t tally) float64 { return float64(t.verdicts[most]) / float64(2*t.pairs) }).Interval
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
	rate.Interval.Hi = min(rate.Interval.Hi, max(rate.Rate, 1-1/float64(max(2, kinds)))) // k verdicts differ in 1 - 1/k at most
	return rate
}

// covariance returns that of two columns, and its standard error.
func covariance(xs, ys []float64) (value, standardError float64) {
	mx, my, n := mean(xs), mean(ys), float64(len(xs))
	products := make([]float64, len(xs))
	for i := range xs {
		products[i] = float64((xs[i] - mx) * (ys[i] - my))
	}
	moments := scoring.NewMoments(products)
	return moments.Mean * n / (n - 1), moments.Std / math.Sqrt(n-1)
}

// sample is a draw from a population.
type sample struct {
	*population
	chosen  []int // seeds of the pilot
	nPassed int
	metrics []float64 // mean score of each metric
	counts  []int     // of each seed of the pilot, in large samples; nil in others
	numbers []float64 // one for each chosen seed, to compute with
	unit    *stats.Interval

	verdicts map[[3]int]scoring.Verdict // by numbers of seeds: passed, run well, and scored; where they alone decide
}

func (p *pilot) newSample(size int) *sample {
	s := &sample{chosen: make([]int, size), metrics: make([]float64, len(p.spec.Metrics)), numbers: make([]float64, size), verdicts: map[[3]int]scoring.Verdict{}}
	if size >= len(p.seeds) {
		s.counts = make([]int, len(p.seeds))
	}
	return s
}

func (s *sample) draw(from *population, rng *rand.Rand) {
	s.population, s.nPassed = from, 0
	clear(s.metrics)
	clear(s.counts)
	for i := range s.chosen {
		k, passed := from.draw(rng)
		s.chosen[i] = k
		s.nPassed += oneIf(passed)
		if s.counts != nil {
			s.counts[k]++
		} else {
			s.add(k, 1)
		}
	}
	for k, n := range s.counts {
		if n > 0 {
			s.add(k, float64(n))
		}
	}
	for m := range s.metrics {
		s.metrics[m] = stretched(s.metrics[m]/float64(len(s.chosen)), s.centres[m], s.factor)
	}
}

// add adds the scores of a seed that was chosen so many times.
func (s *sample) add(k int, times float64) {
	scores := s.scores[k*len(s.metrics):][:len(s.metrics)]
	for m, score := range scores {
		s.metrics[m] += float64(times * score)
	}
}

// aaDifference is what the comparison makes of two samples.
type aaDifference struct {
	mean, largestLoss float64
	degraded, decided bool
}

func (s *sample) against(baseline *sample, o Options) (aaDifference, error) {
	var r aaDifference
	for m, metric := range s.spec.Metrics {
		delta := s.metrics[m] - baseline.metrics[m]
		if math.Abs(delta) < 1e-12 {
			delta = 0 // the means of the same seeds in another order
		}
		r.largestLoss = max(r.largestLoss, -delta)
		r.degraded = r.degraded || scoring.CheckImprovement(delta, metric.Weight, o.Base) == scoring.Fail
	}
	d := s.numbers
	for i, k := range s.chosen {
		d[i] = s.totals[k] - baseline.totals[baseline.chosen[i]]
	}
	summary, err := stats.Summarize(d)
	if err != nil {
		return r, err
	}
	r.mean = summary.Mean
	difference, _, err := differenceOf(d, s.interval(summary, o), summary.Constant, o)
	r.decided = difference == Better || difference == Worse
	return r, err
}

// interval is the t interval of a mean. Its width in sds depends on the number of seeds alone, and is computed once.
func (s *sample) interval(of stats.Summary, o Options) stats.Interval {
	if s.unit == nil {
		unit := stats.Summary{N: of.N, PopulationSD: 1}.MeanInterval(1 - o.Alpha())
		s.unit = &unit
	}
	i, half := *s.unit, float64(s.unit.Hi*of.PopulationSD)
	i.Lo, i.Hi = of.Mean-half, of.Mean+half
	return i
}

// gate asks the rules about the seeds of the sample.
func (s *sample) gate(rules scoring.GateRules) (scoring.Verdict, error) {
	totals, scores := s.seedTotals()
	counts := [...]int{totals.NPassed, totals.NOK, len(scores)}
	onlyCounts := !rules.Stable && rules.MaxStd == nil && rules.MinScore == nil
	if v, known := s.verdicts[counts]; known && onlyCounts {
		return v, nil
	}
	totals.Score, totals.Shape = scoring.NewMoments(scores), scoring.NewShape(scores)
	g, err := NewGate([]GateInput{{Rules: rules, Stability: scoring.NewStability(scoring.Spec{}, totals, nil), totals: append(scores, make([]float64, totals.NSeeds-len(scores))...), verdictOnly: true}})
	if onlyCounts {
		s.verdicts[counts] = g.Verdict
	}
	return g.Verdict, err
}

// seedTotals counts the seeds of the sample, and returns their total scores.
func (s *sample) seedTotals() (scoring.SeedTotals, []float64) {
	totals := scoring.SeedTotals{NSeeds: len(s.chosen), NPassed: s.nPassed}
	scores := s.numbers[:0]
	for _, k := range s.chosen {
		seed := &s.seeds[k]
		if seed.Scores != nil {
			totals.NOK++
		}
		if seed.Failed == "" {
			scores = append(scores, s.totals[k])
		}
	}
	return totals, scores
}

// estimates are those of a scenario. The verdicts of samples need no intervals of them.
func (in GateInput) estimates(confidence float64) Estimates {
	if s := in.Stability; in.verdictOnly {
		return Estimates{
			NSeeds: s.NSeeds, NScored: s.NScored, NPassed: s.NPassed, Confidence: confidence,
			PassRate: Estimate{Value: float64(s.NPassed) / float64(s.NSeeds), N: s.NSeeds},
			SD:       Estimate{Value: summary(s.Totals()).SD(), N: s.NScored},
		}
	}
	return newEstimates(in.Stability, confidence)
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
