package verdict

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"track/scoring"
	"track/scoring/format"
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
