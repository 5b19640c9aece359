package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// jointMetrics is the number of metrics that are compared together. Every other one changes by jointShift.
const (
	jointMetrics = 66
	jointShift   = 0.14
)

// jointWorld draws the deviations of all metrics of a seed from their means, with sd 0.1 and correlation 0.5.
type jointWorld struct {
	name string
	draw func(r *rand.Rand, candidate bool, z []float64)
}

func jointWorlds() []jointWorld {
	normal := func(r *rand.Rand, z []float64) {
		common := r.NormFloat64()
		for k := range z {
			z[k] = (common + r.NormFloat64()) / math.Sqrt2
		}
	}
	return []jointWorld{
		{"normal", func(r *rand.Rand, _ bool, z []float64) { normal(r, z) }},
		{"t, 3 degrees of freedom", func(r *rand.Rand, _ bool, z []float64) {
			normal(r, z)
			chi := math.Sqrt(square(r.NormFloat64()) + square(r.NormFloat64()) + square(r.NormFloat64()))
			for k := range z {
				z[k] /= chi
			}
		}},
		{"levels, many ties", func(r *rand.Rand, _ bool, z []float64) {
			normal(r, z)
			for k := range z {
				z[k] = 1.4 * math.Round(z[k]/1.4)
			}
		}},
		{"exponential tail of the candidate (not symmetric)", func(r *rand.Rand, candidate bool, z []float64) {
			normal(r, z)
			common := r.ExpFloat64()
			for k := range z {
				if candidate {
					z[k] = 1 - (common+r.ExpFloat64())/2
				}
			}
		}},
	}
}

func square(x float64) float64 { return x * x }

// seeds draws n seeds of one side.
func (w jointWorld) seeds(r *rand.Rand, n int, candidate bool) []verdict.JudgedSeed {
	list := make([]verdict.JudgedSeed, n)
	for i := range list {
		z := make([]float64, jointMetrics)
		w.draw(r, candidate, z)
		for k := range z {
			z[k] = 0.5 + max(-0.3, min(0.3, 0.1*z[k]))
			if candidate && k%2 == 1 {
				z[k] += jointShift
			}
		}
		list[i] = verdict.JudgedSeed{Number: uint64(i), Passed: true, Total: z[0], Scores: z}
	}
	return list
}

// jointCounts are what comparisons of all metrics came to.
type jointCounts struct {
	wrongBefore, wrong, heldBefore, held int // comparisons
	foundHolm, found                     int // metrics that change
}

func (c jointCounts) plus(o jointCounts) jointCounts {
	return jointCounts{c.wrongBefore + o.wrongBefore, c.wrong + o.wrong, c.heldBefore + o.heldBefore, c.held + o.held, c.foundHolm + o.foundHolm, c.found + o.found}
}

// add asks a comparison which metrics changed, of which every other one did.
func (c *jointCounts) add(i verdict.Improvement) error {
	ps := make([]float64, len(i.Metrics))
	wrongBefore, wrong, held := false, false, true
	for k, m := range i.Metrics {
		truth := jointShift * float64(k%2)
		ps[k] = m.P
		wrongBefore = wrongBefore || truth == 0 && m.P <= 0.05
		wrong = wrong || truth == 0 && m.IsDecided
		held = held && m.Interval.Contains(truth)
		c.found += oneIf(truth != 0 && m.IsDecided && m.MeanDelta > 0)
	}
	holm, err := stats.Holm(ps, 0.05)
	for k := 1; err == nil && k < len(ps); k += 2 {
		c.foundHolm += oneIf(holm.P[k] <= 0.05)
	}
	c.wrongBefore += oneIf(wrongBefore)
	c.wrong += oneIf(wrong)
	c.held += oneIf(held)
	return err
}

// simultaneous prints how often the comparison of many metrics is wrong about one of them.
func simultaneous(p *page) error {
	runs := max(1, p.runs/40)
	p.text("%d metrics with correlation 0.5, of which every other one changes by %.2f, the sd of a difference. How often `track improvement` calls a metric changed that did not change,\n"+
		"before by the sign-flip test of each, now by max-T: nominal 5 %%. How often the intervals of all metrics hold their changes together, before each at 95 %%. And the share of\n"+
		"the changes that is found, before with Holm's correction of the tests. %d comparisons.", jointMetrics, jointShift, runs)
	p.table("scores|", "n", "wrong, before", "now", "intervals hold together, before", "now", "found, before", "now")
	spec := scoring.Spec{Scenario: "s"}
	for k := range jointMetrics {
		spec.Metrics = append(spec.Metrics, scoring.Metric{Name: fmt.Sprint("m", k), Weight: 1, Target: scoring.Range{Max: 1}})
	}
	for _, w := range jointWorlds() {
		for _, n := range []int{10, 20, 35} {
			all, err := w.compare(p, spec, n, runs)
			if err != nil {
				return err
			}
			share := func(k, of int) string { return percent(float64(k) / float64(of)) }
			changed := runs * jointMetrics / 2
			p.row(w.name, fmt.Sprint(n), share(all.wrongBefore, runs), share(all.wrong, runs), share(all.heldBefore, runs), share(all.held, runs),
				share(all.foundHolm, changed), share(all.found, changed))
		}
	}
	return nil
}

func (w jointWorld) compare(p *page, spec scoring.Spec, n, runs int) (all jointCounts, failed error) {
	var counts [chunks]jointCounts
	var errs [chunks]error
	p.each(fmt.Sprint(w.name, n), runs, func(chunk int, r *rand.Rand) {
		candidate, baseline := w.seeds(r, n, true), w.seeds(r, n, false)
		i, err := verdict.Compare(spec, candidate, baseline, verdict.Options{Confidence: 0.95, Base: scoring.DefaultMeanDegradationBase})
		if err == nil {
			err = counts[chunk].add(i)
		}
		counts[chunk].heldBefore += oneIf(holdEach(candidate, baseline))
		if err != nil {
			errs[chunk] = err
		}
	})
	for k := range chunks {
		all = all.plus(counts[k])
		if errs[k] != nil {
			failed = errs[k]
		}
	}
	return all, failed
}

// holdEach reports whether the t intervals of all metrics, each at 95 %, hold their changes.
func holdEach(candidate, baseline []verdict.JudgedSeed) bool {
	d := make([]float64, len(candidate))
	for k := range jointMetrics {
		for i := range d {
			d[i] = candidate[i].Scores[k] - baseline[i].Scores[k]
		}
		t, err := stats.NewMean(d, 0.95)
		if err != nil || !t.Interval.Contains(jointShift*float64(k%2)) {
			return false
		}
	}
	return true
}
