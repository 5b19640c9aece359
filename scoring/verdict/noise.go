package verdict

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"track/scoring"
	"track/scoring/stats"
)

// MaxFlipRate is the largest share of flips at which [NewNoise] calls a decision steady.
const MaxFlipRate = 0.05

// NoiseOptions say what is tried and how often.
type NoiseOptions struct {
	Rules      scoring.GateRules // those about seeds; NoDegradation is judged with the improvement check
	Comparison Options
	Resamples  int         // pairs of samples drawn at each number of seeds; fewer of large samples, see [maxDraws]
	NSeeds     int         // seeds of the configuration, if only some of them are given; 0 if all are
	Seed       uint64      // of the draws
	Sizes      []int       // numbers of seeds to try beside the number there is; nil for a default
	Stopped    func() bool // says that nobody waits for the answer any more; nil for never
}

// maxDraws bounds the seeds of all samples of one size, so that the answer comes within seconds. minResamples are drawn
// in any case: with fewer, no rate could be shown to be at most [MaxFlipRate].
const (
	maxDraws     = 2_500_000
	minResamples = 100
)

// resamples returns the number of pairs of samples of n seeds.
func (o NoiseOptions) resamples(n int) int { return min(o.Resamples, max(minResamples, maxDraws/n)) }

// ErrStopped is returned where NoiseOptions.Stopped said so.
var ErrStopped = errors.New("stopped")

// Rate is how often something happened in N cases.
type Rate struct {
	Rate     float64        `json:"rate"`
	N        int            `json:"n"`
	Interval stats.Interval `json:"ci"` // Wilson
}

// NoiseAt says how often decisions between two samples of identical configurations differed at one number of seeds.
type NoiseAt struct {
	N                  int                     `json:"n"`
	GateFlips          *Rate                   `json:"gate_flips"` // the gate's verdicts of the two samples differ; nil without a gate
	GateVerdicts       map[scoring.Verdict]int `json:"gate_verdicts"`
	FalseDegraded      Rate                    `json:"false_degraded"`           // the improvement check finds a degraded metric
	FalseDecision      Rate                    `json:"false_decision"`           // the verdict by margin is better or worse
	MeanAbsDifference  float64                 `json:"mean_abs_difference"`      // of the mean total scores of the two samples
	LargestMetricDelta float64                 `json:"mean_largest_metric_loss"` // mean over the samples of the largest loss, 0 or more
}

// Noise is an A/A check: how often the gate and the improvement check find a difference between identical
// configurations.
type Noise struct {
	NSeeds      int       `json:"n_seeds"`
	At          []NoiseAt `json:"at"`                // by rising N
	Current     int       `json:"current"`           // index in At of the number of seeds there is
	SteadyGate  *int      `json:"gate_steady_from"`  // smallest N tried from which on the gate flips in at most 5 % of the cases; nil if none
	SteadyCheck *int      `json:"check_steady_from"` // the same of the improvement check
	Seed        uint64    `json:"draw_seed,string"`
	Method      string    `json:"method"`
	Warnings    []Warning `json:"warnings"`
}

// HasGate reports whether the rules of a gate were tried.
func (n Noise) HasGate() bool { return len(n.At) > 0 && n.At[0].GateFlips != nil }

// defaultSizes are the numbers of seeds that people run.
func defaultSizes() []int { return []int{3, 5, 10, 20, 30, 50, 100, 200} }

// NewNoise draws, for each number of seeds, pairs of samples with replacement from the seeds of one configuration, as
// if two identical configurations had been run on different seeds, and asks the gate and the improvement check about
// them. The stored seeds stand for all others: with few of them the answer is rough, and sizes beyond their number
// are extrapolations. A rate says of how many pairs it is.
func NewNoise(spec scoring.Spec, seeds []JudgedSeed, o NoiseOptions) (Noise, error) {
	if len(seeds) < 2 {
		return Noise{}, stats.TooFewError{Need: 2, Have: len(seeds)}
	}
	sizes := o.Sizes
	if sizes == nil {
		sizes = defaultSizes()
	}
	all := max(o.NSeeds, len(seeds))
	sizes = slices.Clone(sizes)
	if !slices.Contains(sizes, all) {
		sizes = append(sizes, all)
	}
	slices.Sort(sizes)
	if sizes[0] < 1 {
		return Noise{}, stats.TooFewError{Need: 1, Have: sizes[0]}
	}
	gate := o.Rules
	gate.NoDegradation = false
	n := Noise{NSeeds: all, Seed: o.Seed, At: make([]NoiseAt, len(sizes)), Current: slices.Index(sizes, all), Method: o.method(len(seeds), sizes[len(sizes)-1])}
	errs := make([]error, len(sizes))
	inParallel(len(sizes), func(i int) {
		rng := rand.New(rand.NewPCG(o.Seed, uint64(sizes[i]))) // its own stream: other sizes do not change the answer
		n.At[i], errs[i] = resample(spec, seeds, sizes[i], gate, o, rng)
	})
	for _, err := range errs {
		if err != nil {
			return n, err
		}
	}
	if n.HasGate() {
		n.SteadyGate = steadyFrom(n.At, func(a NoiseAt) Rate { return *a.GateFlips })
	}
	n.SteadyCheck = steadyFrom(n.At, func(a NoiseAt) Rate { return a.FalseDegraded })
	if len(seeds) < 10 {
		n.Warnings = append(n.Warnings, Warning{string(stats.WarnSmallN), fmt.Sprintf("%d seeds stand for all others: the rates are rough", len(seeds))})
	}
	return n, nil
}

// method says how samples of at most n seeds are drawn.
func (o NoiseOptions) method(given, n int) string {
	text := fmt.Sprintf("%d pairs of samples with replacement at each n", o.Resamples)
	if fewer := o.resamples(n); fewer < o.Resamples {
		text = fmt.Sprintf("%d pairs of samples with replacement at each n, %d at n = %d", o.Resamples, fewer, n)
	}
	if given < o.NSeeds {
		text += fmt.Sprintf(", from %d of %d seeds", given, o.NSeeds)
	}
	return fmt.Sprintf("%s, PCG seed %d", text, o.Seed)
}

// steadyFrom returns the smallest size from which on the upper end of the rate stays within [MaxFlipRate]; nil if
// there is none.
func steadyFrom(at []NoiseAt, rate func(NoiseAt) Rate) (n *int) {
	for _, a := range slices.Backward(at) {
		if !(rate(a).Interval.Hi <= MaxFlipRate) {
			return n
		}
		n = &a.N
	}
	return n
}

func resample(spec scoring.Spec, seeds []JudgedSeed, n int, rules scoring.GateRules, o NoiseOptions, rng *rand.Rand) (NoiseAt, error) {
	at := NoiseAt{N: n, GateVerdicts: map[scoring.Verdict]int{}}
	gateFlips, degraded, decided := 0, 0, 0
	pool := newSamplePool(spec, seeds, n)
	a, b := pool.sample(), pool.sample()
	resamples := o.resamples(n)
	for range resamples {
		if o.Stopped != nil && o.Stopped() {
			return at, ErrStopped
		}
		a.draw(rng)
		b.draw(rng)
		d, err := a.against(b, spec, o.Comparison)
		if err != nil {
			return at, err
		}
		if d.largestLoss > 0 {
			at.LargestMetricDelta += d.largestLoss
		}
		at.MeanAbsDifference += math.Abs(d.mean)
		degraded += oneIf(d.degraded)
		decided += oneIf(d.decided)
		if !rules.Any() {
			continue
		}
		va, err := a.gate(rules)
		if err != nil {
			return at, err
		}
		vb, err := b.gate(rules)
		if err != nil {
			return at, err
		}
		at.GateVerdicts[va]++
		at.GateVerdicts[vb]++
		gateFlips += oneIf(va != vb)
	}
	at.MeanAbsDifference /= float64(resamples)
	at.LargestMetricDelta /= float64(resamples)
	at.FalseDegraded, at.FalseDecision = newRate(degraded, resamples), newRate(decided, resamples)
	if rules.Any() {
		rate := newRate(gateFlips, resamples)
		at.GateFlips = &rate
	}
	return at, nil
}

// newRate returns k of n; n is above 0.
func newRate(k, n int) Rate {
	p, err := stats.Wilson(k, n, scoring.DefaultConfidence)
	if err != nil {
		return Rate{math.NaN(), n, undefined(scoring.DefaultConfidence, stats.MethodWilson)} // cannot happen: k is from 0 to n
	}
	return Rate{p.Value, p.N, p.Interval}
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// samplePool is what samples of one size are drawn from.
type samplePool struct {
	seeds  []JudgedSeed
	size   int
	width  int       // number of metrics
	shares []float64 // by seed and metric, what a score adds to the mean of a sample; 0 for a missing one
}

func newSamplePool(spec scoring.Spec, seeds []JudgedSeed, size int) samplePool {
	p := samplePool{seeds: seeds, size: size, width: len(spec.Metrics), shares: make([]float64, len(seeds)*len(spec.Metrics))}
	for k, seed := range seeds {
		for m, score := range seed.Scores {
			if !math.IsNaN(score) {
				p.shares[k*p.width+m] = score / float64(size)
			}
		}
	}
	return p
}

func (p samplePool) sample() *sample {
	return &sample{samplePool: p, chosen: make([]int, p.size), metrics: make([]float64, p.width), numbers: make([]float64, p.size)}
}

// sample is a draw with replacement from seeds.
type sample struct {
	samplePool
	chosen  []int
	metrics []float64 // mean score of each metric
	numbers []float64 // one for each chosen seed, to compute with
}

func (s *sample) draw(rng *rand.Rand) {
	clear(s.metrics)
	for i := range s.chosen {
		k := rng.IntN(len(s.seeds))
		s.chosen[i] = k
		shares := s.shares[k*s.width:][:len(s.metrics)]
		for m := range s.metrics {
			s.metrics[m] += shares[m]
		}
	}
}

// aaDifference is what the comparison makes of two samples.
type aaDifference struct {
	mean, largestLoss float64
	degraded, decided bool
}

func (s *sample) against(baseline *sample, spec scoring.Spec, o Options) (aaDifference, error) {
	var r aaDifference
	for m, metric := range spec.Metrics {
		delta := s.metrics[m] - baseline.metrics[m]
		if math.Abs(delta) < 1e-12 {
			delta = 0 // the means of the same seeds in another order
		}
		r.largestLoss = max(r.largestLoss, -delta)
		r.degraded = r.degraded || scoring.CheckImprovement(delta, metric.Weight, o.Base) == scoring.Fail
	}
	d := s.numbers
	for i, k := range s.chosen {
		d[i] = s.seeds[k].Total - baseline.seeds[baseline.chosen[i]].Total
	}
	summary, err := stats.Summarize(d)
	if err != nil {
		return r, err
	}
	r.mean = summary.Mean
	interval := summary.MeanInterval(o.Look.confidence(o.Confidence))
	r.decided = stats.SmallestFlipP(len(d)) <= o.Alpha() && (interval.Lo > o.Margin || interval.Hi < -o.Margin)
	return r, nil
}

// gate asks the rules about the seeds of the sample.
func (s *sample) gate(rules scoring.GateRules) (scoring.Verdict, error) {
	var totals scoring.SeedTotals
	scores := s.numbers[:0]
	for _, k := range s.chosen {
		seed := &s.seeds[k]
		totals.NSeeds++
		if seed.Passed {
			totals.NPassed++
		}
		if seed.Scores != nil {
			totals.NOK++
		}
		if seed.Failed == "" {
			scores = append(scores, seed.Total)
		}
	}
	totals.Score, totals.Shape = scoring.NewMoments(scores), scoring.NewShape(scores)
	g, err := NewGate([]GateInput{{Rules: rules, Stability: scoring.NewStability(scoring.Spec{}, totals, nil), totals: scores, verdictOnly: true}})
	return g.Verdict, err
}
