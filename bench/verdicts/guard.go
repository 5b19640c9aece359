package main

import (
	"fmt"
	"math/rand/v2"

	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// guardWeight is that of the metric that the section simulates: it may lose 0.25/3.
const guardWeight = 3

// losing is a metric whose candidate loses just what it may lose on average, or nothing.
type losing struct {
	name string
	draw func(*rand.Rand) float64 // candidate minus baseline
}

// levels draws -loss with probability p, win with probability q, else 0.
func levels(p, loss, q, win float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		switch u := r.Float64(); {
		case u < p:
			return -loss
		case u < p+q:
			return win
		}
		return 0
	}
}

func around(mean, sd float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return max(-1, min(1, mean+sd*r.NormFloat64())) }
}

// guard prints how often no_degradation passes a metric of weight 3 that loses 0.0833, and one that loses nothing.
func guard(p *page) error {
	const loss = 0.25 / guardWeight
	runs := max(1, p.runs/80)
	p.text("How often `no_degradation` passes a metric of weight %d (PASS or WARN) whose mean loss is just what it may lose, %.4f: nominal 5 %%. Before, the lower end of the 95 %% t interval decided. %d repetitions.\n"+
		"Fewer than 35 pairs may show none of the breaks of a candidate that breaks in 8.3 %% of its seeds. So nothing is taken from the losses that they show, and few metrics pass.",
		guardWeight, loss, runs)
	bad := []losing{
		{"breaks in 8.34 %, else ties", levels(loss+0.0001, 1, 0, 0)},
		{"loses half in 16.7 %, else ties", levels(2*loss+0.0001, 0.5, 0, 0)},
		{"loses 1 in 5 %, 0.5 in 8.7 %, gains 0.1 in 10 %", func(r *rand.Rand) float64 {
			if r.Float64() < 0.05 {
				return -1
			}
			return levels(0.0867/0.95, 0.5, 0.1/0.95, 0.1)(r)
		}},
		{"breaks in 18.3 %, gains in 10 %", levels(loss+0.1, 1, 0.1, 1)},
		{"normal, sd 0.1", around(-loss, 0.1)},
		{"exponential losses", func(r *rand.Rand) float64 { return max(-1, -loss*r.ExpFloat64()) }},
		{"loses 0.9 in 9.3 %, else noise", func(r *rand.Rand) float64 {
			if r.Float64() < loss/0.9 {
				return -0.9
			}
			return 0.05 * r.NormFloat64()
		}},
	}
	if err := passShares(p, runs, bad); err != nil {
		return err
	}
	p.text("\nThe same of metrics that lose nothing on average:")
	return passShares(p, runs, []losing{
		{"ties", levels(0, 0, 0, 0)}, {"normal, sd 0.1", around(0, 0.1)},
		{"normal, sd 0.2", around(0, 0.2)}, {"loses half in 5 %, gains half in 5 %", levels(0.05, 0.5, 0.05, 0.5)},
	})
}

func passShares(p *page, runs int, metrics []losing) error {
	p.table("differences|", "pairs", "before", "after")
	var failed error
	for _, m := range metrics {
		for _, n := range []int{6, 10, 20, 30, 35, 60} {
			before, after := make([]int, chunks), make([]int, chunks)
			p.each(fmt.Sprint(m.name, n), runs, func(chunk int, r *rand.Rand) {
				d := make([]float64, n)
				for i := range d {
					d[i] = m.draw(r)
				}
				if mean, err := stats.NewMean(d, 0.95); err == nil && mean.Interval.Lo >= -0.25/guardWeight {
					before[chunk]++
				}
				passes, err := guardPasses(d)
				if err != nil {
					failed = err
				}
				if passes {
					after[chunk]++
				}
			})
			p.row(m.name, fmt.Sprint(n), percent(float64(sum(before))/float64(runs)), percent(float64(sum(after))/float64(runs)))
		}
	}
	return failed
}

func sum(counts []int) (total int) {
	for _, n := range counts {
		total += n
	}
	return total
}

// guardPasses asks the gate about one metric with these differences.
func guardPasses(d []float64) (bool, error) {
	spec := scoring.Spec{Scenario: "s", Metrics: []scoring.Metric{{Name: "m", Weight: guardWeight, Target: scoring.Range{Max: 1}}}}
	var candidate, baseline []verdict.JudgedSeed
	for i, x := range d {
		before := min(1, 1-x) // so that both scores lie in [0, 1]
		seed := verdict.JudgedSeed{Number: uint64(i), Passed: true, Total: before, Scores: []float64{before}}
		baseline = append(baseline, seed)
		seed.Total, seed.Scores = before+x, []float64{before + x}
		candidate = append(candidate, seed)
	}
	i, err := verdict.Compare(spec, candidate, baseline, verdict.Options{Confidence: 0.95, Base: scoring.DefaultMeanDegradationBase})
	if err != nil {
		return false, err
	}
	totals := scoring.NewMoments(make([]float64, len(d)))
	g, err := verdict.NewGate([]verdict.GateInput{{
		Scenario: "s", Rules: scoring.GateRules{NoDegradation: true}, Improvement: &i,
		Stability: scoring.NewStability(spec, scoring.SeedTotals{NSeeds: len(d), NPassed: len(d), NOK: len(d), Score: totals}, []scoring.MetricTotals{{NNotFailed: len(d), Value: totals, Score: totals}}),
	}})
	if err != nil {
		return false, err
	}
	for _, o := range g.Scenarios[0].Outcomes {
		if o.Rule == "no_degradation" && o.Metric == "m" {
			return o.Verdict == scoring.VerdictPass || o.Verdict == scoring.VerdictWarn, nil
		}
	}
	return false, nil
}
