package verdict

import (
	"math"
	"math/rand/v2"

	"track/scoring"
	"track/scoring/stats"
)

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
