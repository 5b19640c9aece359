package verdict

import (
	"math"
	"math/rand/v2"

	"track/scoring"
	"track/scoring/numeric"
	"track/scoring/stats"
)

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
