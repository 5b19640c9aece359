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
	runs := max(1, p.runs/10)
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
	truePasses(p, max(1, p.runs/40))
	return nil
}

// truePasses prints how often the rules pass if the truth keeps the limit with room to spare.
func truePasses(p *page, runs int) {
	p.text("\nWhat that costs: how often the rules pass if the mean is above its limit by 1 or 2 standard deviations, and the standard deviation is a half or a third of its limit. %d repetitions.", runs)
	p.table("scores|", "n", "mean + 1 sd, before", "now", "+ 2 sd, before", "now", "sd a half, before", "now", "a third, before", "now")
	for _, d := range populations()[:3] {
		for _, n := range []int{5, 10, 20, 30, 50, 100} {
			row := []string{d.name, fmt.Sprint(n)}
			for _, room := range []float64{1, 2, 0.5, 1. / 3} {
				limit := d.mean - room*d.sd
				before := func(s stats.Summary) bool { return s.TMeanAtLeast(0.95).Lo >= limit }
				rules := scoring.GateRules{MinScore: &limit}
				if room < 1 {
					limit = d.sd / room
					before = func(s stats.Summary) bool { s.Kurtosis = 0; return s.SDInterval(0.9).Hi <= limit }
					rules = scoring.GateRules{MaxStd: &limit}
				}
				both := p.shares(fmt.Sprint("pass ", d.name, n, room), runs, func(r *rand.Rand) (bool, bool) {
					xs := make([]float64, n)
					for k := range xs {
						xs[k] = max(0, min(1, d.draw(r)))
					}
					s, err := stats.Summarize(xs)
					return err == nil && before(s), gatePasses(xs, rules)
				})
				row = append(row, percent(both[0]), percent(both[1]))
			}
			p.row(row...)
		}
	}
}

// gatePasses reports whether the gate passes seeds with these total scores.
func gatePasses(xs []float64, rules scoring.GateRules) bool {
	return gateVerdict(xs, rules, verdict.Look{}) == scoring.VerdictPass
}

// gateVerdict asks the gate about seeds with these total scores.
func gateVerdict(xs []float64, rules scoring.GateRules, look verdict.Look) scoring.Verdict {
	spec := scoring.Spec{Scenario: "s", Metrics: []scoring.Metric{{Name: "m", Weight: 1, Target: scoring.Range{Max: 1}}}}
	m := scoring.NewMoments(xs)
	totals := scoring.SeedTotals{NSeeds: len(xs), NPassed: len(xs), NOK: len(xs), Score: m, Shape: scoring.NewShape(xs)}
	seeds := make([]verdict.JudgedSeed, len(xs))
	for i, x := range xs {
		seeds[i] = verdict.JudgedSeed{Number: uint64(i), Passed: true, Total: x, Scores: []float64{x}}
	}
	stability := scoring.NewStability(spec, totals, []scoring.MetricTotals{{NNotFailed: len(xs), Value: m, Score: m}})
	g, err := verdict.NewGate([]verdict.GateInput{{Name: "s", Scenario: "s", Rules: rules, Look: look, Stability: stability, Seeds: seeds}})
	if err != nil {
		return scoring.VerdictInconclusive
	}
	return g.Verdict
}
