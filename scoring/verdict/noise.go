package verdict

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/numeric"
	"track/scoring/stats"
)

// MaxFlipRate is the largest share of flips at which [NewNoise] calls a decision steady.
const MaxFlipRate = 0.05

// warnPilot is the code of the warning that a pilot is too small for the rules of a gate.
const warnPilot = "pilot_too_small"

// NoiseOptions say what is tried and how often.
type NoiseOptions struct {
	Rules      scoring.GateRules // those about seeds; NoDegradation is judged with the improvement check
	Comparison Options
	Resamples  int                   // pairs of samples drawn at each number of seeds; fewer of large samples, see [maxDraws]
	NSeeds     int                   // seeds of the configuration, if only some of them are given; 0 if all are
	Seed       uint64                // of the draws
	Sizes      []int                 // numbers of seeds to try beside the number there is; nil for a default
	Stopped    func() bool           // says that nobody waits for the answer any more; nil for never
	Drawn      func(done, total int) // is told how many pairs were drawn and judged; nil for nobody
}

// maxDraws bounds the seeds of all samples of one size, so that the answer comes within seconds. minResamples are drawn
// in any case: with fewer, no rate could be shown to be at most [MaxFlipRate].
const (
	maxDraws     = 1_250_000
	minResamples = 100
)

// maxPopulations is the number of populations that pairs of samples are drawn from at most: fewer if the pilot has more
// than largePilot seeds, which differ little. From each come several pairs, an even number.
const (
	maxPopulations      = 200
	largePilot          = 1000
	maxPopulationsLarge = 50
)

// draws returns how many populations are tried that a pilot of so many seeds could come from, and how many pairs of
// samples of n seeds are drawn from each.
func (o NoiseOptions) draws(pilot, n int) (populations, pairs int) {
	all, most := min(o.Resamples, max(minResamples, maxDraws/n)), maxPopulations
	if pilot > largePilot {
		most = maxPopulationsLarge
	}
	pairs = max(4, 2*((all+2*most-1)/(2*most)))
	return max(2, all/pairs), pairs
}

// ErrStopped is returned where NoiseOptions.Stopped said so.
var ErrStopped = errors.New("stopped")

// Rate is how often something happens among pairs of samples. The interval allows for the seeds of the pilot being a
// sample themselves: see [NewNoise].
type Rate struct {
	Rate         float64        `json:"rate"` // mean over the populations that the pilot could come from
	N            int            `json:"n"`    // pairs of samples
	NPopulations int            `json:"n_populations"`
	Interval     stats.Interval `json:"ci"`
	NPilotNeeded int            `json:"n_pilot_needed"` // about how many seeds would say whether the rate is at most 5 %, at most 10,000; 0 if these do
}

// NoiseAt says how often decisions between two samples of identical configurations differed at one number of seeds.
type NoiseAt struct {
	N                  int                     `json:"n"`
	GateFlips          *Rate                   `json:"gate_flips"` // the gate's verdicts of two samples differ; nil without a gate
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
	SteadyGate  *int      `json:"gate_steady_from"`  // smallest N tried from which on the gate is shown to flip in at most 5 % of the cases; nil if none
	SteadyCheck *int      `json:"check_steady_from"` // the same of the improvement check
	Seed        uint64    `json:"draw_seed,string"`
	Method      string    `json:"method"`
	Warnings    []Warning `json:"warnings"`
}

// HasGate reports whether the rules of a gate were tried.
func (n Noise) HasGate() bool { return len(n.At) > 0 && n.At[0].GateFlips != nil }

// defaultSizes are the numbers of seeds that people run.
func defaultSizes() []int { return []int{3, 5, 10, 20, 30, 50, 100, 200} }

// NewNoise asks the gate and the improvement check, at each number of seeds, about pairs of samples from one
// population, as if two identical configurations had been run on different seeds. The population is unknown: the seeds
// that there are, the pilot, are a sample of it. So the pairs are drawn from many populations that the pilot could come
// from, each a sample of the pilot with replacement (double bootstrap, Davison and Hinkley 1997, section 3.9), see
// [pilot]. The rate is the mean over the populations, and its interval holds 95 % of them.
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
	gate.NoDegradation, gate.Values = false, scoring.ValuesReported
	n := Noise{NSeeds: all, Seed: o.Seed, At: make([]NoiseAt, len(sizes)), Current: slices.Index(sizes, all), Method: o.method(len(seeds), sizes[len(sizes)-1])}
	errs := make([]error, len(sizes))
	pilot, drawn := newPilot(spec, seeds), o.progress(len(seeds), sizes)
	inParallel(len(sizes), func(i int) {
		rng := rand.New(rand.NewPCG(o.Seed, uint64(sizes[i]))) // its own stream: other sizes do not change the answer
		n.At[i], errs[i] = pilot.measure(sizes[i], gate, o, drawn, rng)
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
	if n.HasGate() && pilot.isTooSmall(gate) {
		n.Warnings = append(n.Warnings, Warning{warnPilot, fmt.Sprintf("rules about scores need a pilot of at least %d scored seeds, for fewer may all be of one kind: how often the gate flips is unknown", minPilot)})
	}
	return n, nil
}

// progress returns what is told of pairs as they are drawn, at any time and by several goroutines.
func (o NoiseOptions) progress(pilot int, sizes []int) (drawn func(pairs int)) {
	if o.Drawn == nil {
		return func(int) {}
	}
	total, done := 0, 0
	for _, n := range sizes {
		populations, pairs := o.draws(pilot, n)
		total += populations * pairs
	}
	var mutex sync.Mutex
	return func(pairs int) {
		mutex.Lock()
		defer mutex.Unlock()
		done += pairs
		o.Drawn(done, total)
	}
}

// method says how samples of at most n seeds are drawn.
func (o NoiseOptions) method(given, n int) string {
	count := func(n int) string {
		populations, pairs := o.draws(given, n)
		return fmt.Sprintf("%d populations, %d pairs of samples of each", populations, pairs)
	}
	text := "double bootstrap, " + count(1)
	if fewer := count(n); fewer != count(1) {
		text += fmt.Sprintf(" (n = %d: %s)", n, fewer)
	}
	pilot := "pilot of " + format.Counted(given, "seed")
	if given < o.NSeeds {
		pilot = "pilot of " + format.CountedOf(given, o.NSeeds, "seed")
	}
	return fmt.Sprintf("%s, %s, pass rate from its Jeffreys posterior, PCG seed %d", pilot, text, o.Seed)
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

// The classes of seeds.
const (
	classPassed = iota // scored, and no metric failed
	classNotPassed
	classFailed // without a total score
	nClasses
)

// pilot is the seeds that there are, as a sample of the population that others come from.
type pilot struct {
	spec    scoring.Spec
	seeds   []JudgedSeed
	classes [nClasses][]int // indexes of seeds
	totals  []float64       // of each seed; see [pilot.spread]
	scores  []float64       // by seed and metric; 0 for a missing one

	centreTotal float64   // mean of the total scores that there are
	centres     []float64 // the same of each metric
}

func newPilot(spec scoring.Spec, seeds []JudgedSeed) *pilot {
	p := &pilot{spec: spec, seeds: seeds, totals: make([]float64, len(seeds)), scores: make([]float64, len(seeds)*len(spec.Metrics)), centres: make([]float64, len(spec.Metrics))}
	for k, seed := range seeds {
		class := classNotPassed
		switch {
		case seed.Failed != "":
			class = classFailed
		case seed.Passed:
			class = classPassed
		}
		p.classes[class] = append(p.classes[class], k)
	}
	p.centreTotal = p.spread(p.totals, 1, 0, func(seed JudgedSeed) float64 {
		if seed.Failed != "" {
			return math.NaN()
		}
		return seed.Total
	})
	for m := range spec.Metrics {
		p.centres[m] = p.spread(p.scores, len(spec.Metrics), m, func(seed JudgedSeed) float64 {
			if seed.Scores == nil {
				return math.NaN()
			}
			return seed.Scores[m]
		})
	}
	return p
}

// spread fills in one column of numbers, moved from their mean by n/(n-1): so much smaller is the sd of a sample of the
// pilot than that of the population, on average. It returns the mean. Scores stay in [0, 1], and a missing one is 0.
func (p *pilot) spread(column []float64, width, at int, score func(JudgedSeed) float64) (centre float64) {
	sum, n := 0.0, 0
	for _, seed := range p.seeds {
		if x := score(seed); !math.IsNaN(x) {
			sum, n = sum+x, n+1
		}
	}
	centre = sum / float64(max(1, n))
	factor := float64(n) / float64(n-1)
	for k, seed := range p.seeds {
		x := score(seed)
		switch {
		case math.IsNaN(x):
			x = 0
		case n > 1:
			x = stretched(x, centre, factor)
		}
		column[k*width+at] = x
	}
	return centre
}

// stretched moves a score away from a centre, within [0, 1].
func stretched(x, centre, factor float64) float64 {
	return min(1, max(0, centre+float64(factor*(x-centre))))
}

// population is one that the pilot could come from.
type population struct {
	*pilot
	upTo   [nClasses]float64 // ends of the classes in [0, 1]; the last is 1
	atoms  [nClasses][]int   // seeds of the pilot that stand for each class
	totals []float64         // of the seeds of the pilot, in this population
	factor float64           // by which its scores are further from their mean than those of the pilot
}

// quantiles say which population is drawn, out of those that the pilot could come from.
type quantiles struct{ passed, failed, spread float64 }

// population draws one. Of the seeds of the pilot so many are drawn with replacement as there are, class by class. The
// shares of the classes come from their posteriors with Jeffreys' prior: without it, ten passing seeds would say that
// no seed can ever fail to pass. Failed seeds are only assumed if the pilot has some. The scores are stretched as if
// their variance came from its posterior for normal scores, inverse chi-square: few seeds of a pilot know little of it.
func (p *pilot) population(q quantiles, rng *rand.Rand) *population {
	share := p.shares(q.passed, q.failed)
	pop := &population{pilot: p, upTo: [nClasses]float64{share[classPassed], share[classPassed] + share[classNotPassed], 1}, factor: 1, totals: p.totals}
	for class := range pop.atoms {
		from := p.standIns(class)
		pop.atoms[class] = make([]int, len(from))
		for i := range from {
			pop.atoms[class][i] = from[rng.IntN(len(from))]
		}
	}
	if df := float64(len(p.seeds) - len(p.classes[classFailed]) - 1); df > 0 {
		pop.factor = math.Sqrt(df / numeric.ChiSquaredQuantile(q.spread, df))
		pop.totals = make([]float64, len(p.totals))
		for _, class := range p.classes[:classFailed] {
			for _, k := range class {
				pop.totals[k] = stretched(p.totals[k], p.centreTotal, pop.factor)
			}
		}
	}
	return pop
}

// withPassRate is the pilot as a population of which a share of the scored seeds passes.
func (p *pilot) withPassRate(share float64) *population {
	pop := &population{pilot: p, totals: p.totals, factor: 1}
	scored := 1 - float64(len(p.classes[classFailed]))/float64(len(p.seeds))
	pop.upTo = [nClasses]float64{float64(scored * share), scored, 1}
	for class := range pop.atoms {
		pop.atoms[class] = p.standIns(class)
	}
	return pop
}

// standIns are the seeds that stand for a class: those of the other scored class if no seed of the pilot is in it.
func (p *pilot) standIns(class int) []int {
	if len(p.classes[class]) == 0 && class != classFailed {
		return p.classes[classPassed+classNotPassed-class]
	}
	return p.classes[class]
}

// shares are those of the classes, at quantiles of the posterior.
func (p *pilot) shares(passed, failed float64) (share [nClasses]float64) {
	nPassed, nNot, nFailed := len(p.classes[classPassed]), len(p.classes[classNotPassed]), len(p.classes[classFailed])
	switch {
	case nFailed == len(p.seeds):
		return [nClasses]float64{classFailed: 1}
	case nFailed > 0:
		share[classFailed] = jeffreys(failed, nFailed, len(p.seeds))
	}
	share[classPassed] = float64((1 - share[classFailed]) * jeffreys(passed, nPassed, nPassed+nNot))
	share[classNotPassed] = max(0, 1-share[classFailed]-share[classPassed])
	return share
}

// jeffreys is a quantile of the posterior of a share of which k in n were seen, with Jeffreys' prior Beta(½, ½).
func jeffreys(quantile float64, k, n int) float64 {
	return numeric.BetaQuantile(quantile, float64(k)+0.5, float64(n-k)+0.5)
}

// passRateEnds returns the ends of the exact interval of the pass rate of scored seeds. If all of them passed, or none
// did, one is 1 or 0, which no population drawn with a prior has.
func (p *pilot) passRateEnds() []float64 {
	nPassed, nNot := len(p.classes[classPassed]), len(p.classes[classNotPassed])
	ends, err := stats.ClopperPearsonEnds(nPassed, nPassed+nNot, (1+scoring.DefaultConfidence)/2)
	if err != nil { // there are none
		return nil
	}
	return []float64{ends.Interval.Lo, ends.Interval.Hi}
}

// draw returns a seed of the pilot that stands for one of the population, and whether that one passed.
func (p *population) draw(rng *rand.Rand) (k int, passed bool) {
	u, from := rng.Float64(), 0.0
	for class, to := range p.upTo {
		if u < to || class == nClasses-1 {
			atoms := p.atoms[class]
			at := int(float64((float64(u) - from) / (to - from) * float64(len(atoms))))
			return atoms[min(at, len(atoms)-1)], class == classPassed
		}
		from = to
	}
	return 0, false
}
