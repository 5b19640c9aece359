package main

import (
	"fmt"
	"math/rand/v2"

	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// mostSeeds ends a simulated sequence.
const mostSeeds = 150

// anytime prints how many seeds `min_score` takes with `--anytime`, if one looks after every seed.
func anytime(p *page) error {
	runs := max(1, p.runs/200)
	p.text("Normal scores, of which the gate judges `min_score` 0.8 with `--anytime` after every seed, until it passes or %d seeds have run. Before: the lower end of the betting interval at 95 %%. %d sequences.", mostSeeds, runs)
	p.table("true mean", "sd", "passed, before", "seeds on average", "passed", "seeds on average")
	limit := 0.8
	for _, c := range []struct{ mean, sd float64 }{{0.9, 0.02}, {0.87, 0.02}, {0.87, 0.1}, {0.8, 0.02}, {0.8, 0.1}} {
		var before, now stopped
		for _, rule := range []struct {
			to     *stopped
			passes func(scores []float64) bool
		}{
			{&before, func(xs []float64) bool {
				i, err := stats.BettingInterval(xs, 0.95)
				return err == nil && i.Lo >= limit
			}},
			{&now, func(xs []float64) bool { return anytimePasses(xs, limit) }},
		} {
			rule.to.run(p, fmt.Sprint(c.mean, " ", c.sd), runs, func(r *rand.Rand) float64 { return clip(c.mean + c.sd*r.NormFloat64()) }, rule.passes)
		}
		p.row(append([]string{fmt.Sprint(c.mean), fmt.Sprint(c.sd)}, append(before.cells(runs), now.cells(runs)...)...)...)
	}
	p.text("\nThe last two means are at the limit, where at most 5 %% may pass at any time. No method that is valid for every distribution passes 0.87 against 0.8 with fewer than 36 seeds.")
	return nil
}

// stopped counts sequences that passed, and their seeds.
type stopped struct{ passed, seeds int }

func (s *stopped) run(p *page, figure string, runs int, draw func(*rand.Rand) float64, passes func([]float64) bool) {
	var parts [chunks]stopped
	p.each(figure, runs, func(chunk int, r *rand.Rand) {
		xs := make([]float64, 0, mostSeeds)
		for len(xs) < mostSeeds {
			xs = append(xs, draw(r))
			if len(xs) > 1 && passes(xs) {
				parts[chunk].passed++
				parts[chunk].seeds += len(xs)
				return
			}
		}
	})
	for _, part := range parts {
		s.passed, s.seeds = s.passed+part.passed, s.seeds+part.seeds
	}
}

// cells are the share that passed, and the seeds of these on average.
func (s *stopped) cells(runs int) []string {
	seeds := "-"
	if share := float64(s.passed) / float64(runs); share > 0.5 {
		seeds = fmt.Sprintf("%.0f", float64(s.seeds)/float64(s.passed))
	}
	return []string{percent(float64(s.passed) / float64(runs)), seeds}
}

func anytimePasses(xs []float64, limit float64) bool {
	return gateVerdict(xs, scoring.GateRules{MinScore: &limit}, verdict.Look{Anytime: true}) == scoring.VerdictPass
}
