package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// population is a distribution of total scores with its mean and standard deviation.
type population struct {
	name     string
	draw     func(*rand.Rand) float64
	mean, sd float64
}

func populations() []population {
	const rare, low, high = 0.05, 0.1, 0.9
	return []population{
		{"normal", func(r *rand.Rand) float64 { return 0.8 + 0.04*r.NormFloat64() }, 0.8, 0.04},
		{"uniform", func(r *rand.Rand) float64 { return 0.6 + 0.4*r.Float64() }, 0.8, 0.4 / math.Sqrt(12)},
		{"exponential tail", func(r *rand.Rand) float64 { return 1 - 0.04*r.ExpFloat64() }, 0.96, 0.04},
		{"5 % catastrophes", func(r *rand.Rand) float64 {
			if r.Float64() < rare {
				return low
			}
			return high + 0.02*r.NormFloat64()
		}, high - rare*(high-low), math.Sqrt(0.64*rare*(1-rare) + (1-rare)*0.0004)},
	}
}

// bounds prints how often min_score and max_std pass at their limits, with the plain t and chi-square bounds and as the
// gate decides.
func bounds(p *page) error {
	runs := max(1, p.runs/5)
	p.text("The limit is the true mean, or the true standard deviation, so every PASS is wrong: 5 %% may be. Before: the t and the chi-square bound. %d repetitions for each figure.", runs)
	p.table("scores|", "n", "min_score before", "min_score now", "max_std before", "max_std now", "unseen share")
	for _, d := range populations() {
		for _, n := range []int{5, 10, 20, 30, 50, 100} {
			var wrong [4]float64
			for i, passes := range []func(stats.Summary, []float64) bool{
				func(s stats.Summary, _ []float64) bool { return s.TMeanAtLeast(0.95).Lo >= d.mean },
				func(_ stats.Summary, xs []float64) bool { return gatePasses(xs, scoring.GateRules{MinScore: &d.mean}) },
				func(s stats.Summary, _ []float64) bool { s.Kurtosis = 0; return s.SDInterval(0.9).Hi <= d.sd },
				func(_ stats.Summary, xs []float64) bool { return gatePasses(xs, scoring.GateRules{MaxStd: &d.sd}) },
			} {
				wrong[i] = p.share(fmt.Sprint(d.name, n), runs, func(r *rand.Rand) bool {
					xs := make([]float64, n)
					for k := range xs {
						xs[k] = max(0, min(1, d.draw(r)))
					}
					s, err := stats.Summarize(xs)
					return err == nil && passes(s, xs)
				})
			}
			unseen := 1 - math.Pow(0.05, 1/float64(n))
			p.row(d.name, fmt.Sprint(n), percent(wrong[0]), percent(wrong[1]), percent(wrong[2]), percent(wrong[3]), percent(unseen))
		}
	}
	p.text("\nSamples without a catastrophe are 60 %% at n = 10 and 8 %% at n = 50: no bound that could pass anything at these n can know of it.")
	return nil
}

// gatePasses asks the gate about seeds with these total scores.
func gatePasses(xs []float64, rules scoring.GateRules) bool {
	spec := scoring.Spec{Scenario: "s", Metrics: []scoring.Metric{{Name: "m", Weight: 1, Target: scoring.Range{Max: 1}}}}
	m := scoring.NewMoments(xs)
	totals := scoring.SeedTotals{NSeeds: len(xs), NPassed: len(xs), NOK: len(xs), Score: m, Shape: scoring.NewShape(xs)}
	seeds := make([]verdict.JudgedSeed, len(xs))
	for i, x := range xs {
		seeds[i] = verdict.JudgedSeed{Number: uint64(i), Passed: true, Total: x, Scores: []float64{x}}
	}
	stability := scoring.NewStability(spec, totals, []scoring.MetricTotals{{NNotFailed: len(xs), Value: m, Score: m}})
	g, err := verdict.NewGate([]verdict.GateInput{{Name: "s", Scenario: "s", Rules: rules, Stability: stability, Seeds: seeds}})
	return err == nil && g.Verdict == scoring.VerdictPass
}
