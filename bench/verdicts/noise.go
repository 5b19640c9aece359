package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// noiseSection prints how often the interval of `track noise` covers the rate that it estimates.
func noiseSection(p *page) error {
	p.text(noiseText, max(1, p.runs/noiseShare), percent(0.3/rootOf(max(1, p.runs/noiseShare))))
	p.table("seeds|", "rule|", "n", "pilot", "true rate of flips", "covered, resampling alone", "covered, double bootstrap", "pilots that print 0.0 %, before", "after", "mean width, before", "after")
	for _, w := range noiseWorlds() {
		truth := w.truth(p)
		for _, pilot := range w.pilots() {
			old, now, err := w.coverage(p, pilot, truth)
			if err != nil {
				return err
			}
			p.row(w.name, w.rule, fmt.Sprint(w.n), fmt.Sprint(pilot), percent(truth), percent(old.covered), percent(now.covered),
				percent(old.zero), percent(now.zero), percent(old.width), percent(now.width))
		}
	}
	return nil
}

// noiseShare is the part of the repetitions that a pilot gets: each has thousands of samples of its own.
const noiseShare = 200

const noiseText = `Two samples of n seeds of one population go through the real gate, whose verdicts differ at the true rate. A pilot of the same population estimates that rate:
before by drawing pairs from the pilot with replacement, with the Wilson interval of what was drawn; now by the double bootstrap. %d pilots for each row, so a coverage of 90 %% has a
standard error of %s. For rules about scores, pilots of fewer than 12 seeds say that the rate is unknown: 0 to 100 %%.`

// noiseWorld is a population of seeds, and a gate of n of them.
type noiseWorld struct {
	name     string
	passRate float64
	score    func(r *rand.Rand, passed bool) float64
	rule     string
	rules    scoring.GateRules
	n        int
}

func noiseWorlds() (list []noiseWorld) {
	at := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		limit, rate float64
		n           int
	}{{0.7, 0.5, 10}, {0.7, 0.8, 10}, {0.7, 0.95, 10}, {0.7, 1, 10}, {0.9, 0.95, 50}, {0.9, 0.99, 50}} {
		list = append(list, noiseWorld{fmt.Sprintf("%v %% pass", 100*c.rate), c.rate, normalScore, fmt.Sprintf("min_pass_rate %v", c.limit), scoring.GateRules{MinPassRate: at(c.limit)}, c.n})
	}
	for _, c := range []struct {
		name  string
		rules scoring.GateRules
	}{{"min_score 0.83", scoring.GateRules{MinScore: at(0.83)}}, {"max_std 0.07", scoring.GateRules{MaxStd: at(0.07)}}, {"stable", scoring.GateRules{Stable: true}}} {
		list = append(list, noiseWorld{"normal scores", 0.97, normalScore, c.name, c.rules, 20},
			noiseWorld{"exponential tail", 0.97, skewedScore, c.name, c.rules, 20}, noiseWorld{"two levels", 0.8, bimodalScore, c.name, c.rules, 20})
	}
	return list
}

// pilots are the numbers of seeds that pilots have. Of fewer than 12 a rule about scores says nothing.
func (w noiseWorld) pilots() []int {
	if w.rules.MinPassRate != nil {
		return []int{5, 10, 30, 100}
	}
	return []int{12, 30, 100}
}

func normalScore(r *rand.Rand, _ bool) float64 { return clip(0.85 + 0.05*r.NormFloat64()) }

func skewedScore(r *rand.Rand, _ bool) float64 { return clip(0.9 - 0.05*r.ExpFloat64()) }

func bimodalScore(r *rand.Rand, passed bool) float64 {
	if passed {
		return clip(0.9 + 0.02*r.NormFloat64())
	}
	return clip(0.75 + 0.02*r.NormFloat64())
}

func clip(x float64) float64 { return min(1, max(0, x)) }

// seed draws one of the population.
func (w noiseWorld) seed(r *rand.Rand) verdict.JudgedSeed {
	passed := r.Float64() < w.passRate
	score := w.score(r, passed)
	return verdict.JudgedSeed{Passed: passed, Total: score, Scores: []float64{score}}
}

func (w noiseWorld) seeds(r *rand.Rand, n int) []verdict.JudgedSeed {
	list := make([]verdict.JudgedSeed, n)
	for i := range list {
		list[i] = w.seed(r)
	}
	return list
}

// verdict asks the real gate.
func (w noiseWorld) verdict(seeds []verdict.JudgedSeed) scoring.Verdict {
	totals := scoring.SeedTotals{NSeeds: len(seeds), NOK: len(seeds)}
	scores := make([]float64, len(seeds))
	for i, s := range seeds {
		scores[i] = s.Total
		if s.Passed {
			totals.NPassed++
		}
	}
	totals.Score, totals.Shape = scoring.NewMoments(scores), scoring.NewShape(scores)
	metric := scoring.MetricTotals{NNotFailed: len(seeds), Value: totals.Score, Score: totals.Score}
	g, err := verdict.NewGate([]verdict.GateInput{{Rules: w.rules, Stability: scoring.NewStability(noiseSpec(), totals, []scoring.MetricTotals{metric})}})
	if err != nil {
		panic(err)
	}
	return g.Verdict
}

func noiseSpec() scoring.Spec {
	return scoring.Spec{Scenario: "s", Metrics: []scoring.Metric{{Name: "a", Weight: 4, Target: scoring.Range{Min: 0, Max: 1}}}}
}

// truthRuns are the repetitions of the true rate.
func (w noiseWorld) truthRuns(p *page) int { return max(1, p.runs/4) }

// truth is how often the gate gives two samples different verdicts.
func (w noiseWorld) truth(p *page) float64 {
	return p.share("truth "+w.name+w.rule, w.truthRuns(p), func(r *rand.Rand) bool {
		one, other := w.verdict(w.seeds(r, w.n)), w.verdict(w.seeds(r, w.n))
		return one != other
	})
}

// coverage is what intervals of one kind did.
type coverage struct{ covered, zero, width float64 }

func (c *coverage) add(rate float64, i stats.Interval, truth, slack float64, runs int) {
	if i.Lo-slack <= truth && truth <= i.Hi+slack {
		c.covered += 1 / float64(runs)
	}
	if rate < 0.0005 {
		c.zero += 1 / float64(runs)
	}
	c.width += (i.Hi - i.Lo) / float64(runs)
}

func (w noiseWorld) coverage(p *page, pilot int, truth float64) (old, now coverage, err error) {
	runs := max(1, p.runs/noiseShare)
	slack := 2 * math.Sqrt(truth*(1-truth)/float64(w.truthRuns(p))) // of the truth, which is simulated
	var olds, nows [chunks]coverage
	errs := make([]error, chunks)
	p.each(fmt.Sprint("coverage ", w.name, w.rule, pilot), runs, func(chunk int, r *rand.Rand) {
		seeds := w.seeds(r, pilot)
		rate, interval := w.resampled(seeds, r)
		olds[chunk].add(rate, interval, truth, slack, runs)
		found, err := verdict.NewNoise(noiseSpec(), seeds, verdict.NoiseOptions{
			Rules: w.rules, Comparison: verdict.Options{Confidence: 0.95, Base: 0.25}, Resamples: 400, Seed: r.Uint64(), Sizes: []int{w.n},
		})
		if err != nil {
			errs[chunk] = err
			return
		}
		for _, at := range found.At {
			if at.N == w.n {
				nows[chunk].add(at.GateFlips.Rate, at.GateFlips.Interval, truth, slack, runs)
			}
		}
	})
	for k := range chunks {
		if errs[k] != nil {
			return old, now, errs[k]
		}
		old, now = old.plus(olds[k]), now.plus(nows[k])
	}
	return old, now, nil
}

func (c coverage) plus(o coverage) coverage {
	return coverage{c.covered + o.covered, c.zero + o.zero, c.width + o.width}
}

// resampled is the rate and the interval of pairs drawn from the pilot with replacement.
func (w noiseWorld) resampled(pilot []verdict.JudgedSeed, r *rand.Rand) (float64, stats.Interval) {
	const pairs = 100
	sample := func() []verdict.JudgedSeed {
		list := make([]verdict.JudgedSeed, w.n)
		for i := range list {
			list[i] = pilot[r.IntN(len(pilot))]
		}
		return list
	}
	flips := 0
	for range pairs {
		if one, other := w.verdict(sample()), w.verdict(sample()); one != other {
			flips++
		}
	}
	rate, err := stats.Wilson(flips, pairs, 0.95)
	if err != nil {
		panic(err)
	}
	return rate.Value, rate.Interval
}
