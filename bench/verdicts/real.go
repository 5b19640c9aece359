package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// realFolder has the ten real seeds of each model; the program runs at the root of the repository.
const realFolder = "scoring/testdata/bam"

// realModel is a population of real seeds.
type realModel struct {
	name  string
	spec  scoring.Spec
	seeds []verdict.JudgedSeed
}

func readModel(name, file string) (m realModel, err error) {
	data, err := os.ReadFile(filepath.Join(realFolder, file))
	if err != nil {
		return m, err
	}
	m.name = name
	for line := range strings.Lines(string(data)) {
		var r struct {
			Seed       uint64
			TotalScore float64 `json:"total_score"`
			NFail      int     `json:"n_fail"`
			Metrics    []struct {
				Name          string
				Score, Weight float64
			}
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return m, fmt.Errorf("%s: %w", file, err)
		}
		seed := verdict.JudgedSeed{Number: r.Seed, Passed: r.NFail == 0, Total: r.TotalScore}
		m.spec = scoring.Spec{Scenario: name}
		for _, metric := range r.Metrics {
			seed.Scores = append(seed.Scores, metric.Score)
			m.spec.Metrics = append(m.spec.Metrics, scoring.Metric{Name: metric.Name, Weight: metric.Weight, Target: scoring.Range{Max: 1}})
		}
		m.seeds = append(m.seeds, seed)
	}
	return m, nil
}

func readModels() (list []realModel, err error) {
	for _, c := range []struct{ name, file string }{
		{"buffer_stock", "results_buffer_stock.jsonl"},
		{"baseline", "results_baseline.jsonl"},
		{"growth_plus", "results_growth_plus.jsonl"},
		{"buffer_stock, 66 metrics", "results_growth_plus_spec_on_buffer_stock_runs.jsonl"},
		{"baseline, random matching", "variants/results_baseline__consumer_matching_random.jsonl"},
		{"growth_plus, theta 14", "variants/results_growth_plus__theta_14.jsonl"},
	} {
		m, readErr := readModel(c.name, c.file)
		list, err = append(list, m), errors.Join(err, readErr)
	}
	return list, err
}

// draw resamples n seeds.
func (m realModel) draw(r *rand.Rand, n int) []verdict.JudgedSeed {
	list := make([]verdict.JudgedSeed, n)
	for i := range list {
		list[i] = m.seeds[r.IntN(len(m.seeds))]
		list[i].Number = uint64(i)
	}
	return list
}

func totalsOf(seeds []verdict.JudgedSeed) []float64 {
	xs := make([]float64, len(seeds))
	for i, seed := range seeds {
		xs[i] = seed.Total
	}
	return xs
}

// real prints what the rules about scores make of real seeds.
func real(p *page) error {
	models, err := readModels()
	if err != nil {
		return err
	}
	runs := max(1, p.runs/40)
	p.text("The ten real seeds of each model in `examples/bam`, and samples of n of them with replacement. Verdicts and shares of PASS, before with the plain t and chi-square bounds; %d samples.", runs)
	p.table("seeds|", "rule|", "ten seeds, before|", "now|", "n = 5, before", "now", "n = 10, before", "now", "n = 20, before", "now", "n = 50, before", "now")
	for _, m := range models {
		score, sd := 0.8, 0.05
		for _, rule := range []struct {
			name   string
			rules  scoring.GateRules
			before func(stats.Summary) bool
		}{
			{"min_score 0.8", scoring.GateRules{MinScore: &score}, func(s stats.Summary) bool { return s.TMeanAtLeast(0.95).Lo >= score }},
			{"max_std 0.05", scoring.GateRules{MaxStd: &sd}, func(s stats.Summary) bool { s.Kurtosis = 0; return s.SDInterval(0.9).Hi <= sd }},
		} {
			before := func(xs []float64) bool {
				s, err := stats.Summarize(xs)
				return err == nil && rule.before(s)
			}
			now := func(xs []float64) bool { return gatePasses(xs, rule.rules) }
			ten := totalsOf(m.seeds)
			row := []string{m.name, "`" + rule.name + "`", word(before(ten)), word(now(ten))}
			for _, n := range []int{5, 10, 20, 50} {
				for _, passes := range []func([]float64) bool{before, now} {
					row = append(row, percent(p.share(fmt.Sprint(m.name, rule.name, n), runs, func(r *rand.Rand) bool { return passes(totalsOf(m.draw(r, n))) })))
				}
			}
			p.row(row...)
		}
	}
	return nil
}

func word(passes bool) string {
	if passes {
		return "PASS"
	}
	return "not decided"
}

// unchanged prints how often a real model passes no_degradation against itself on other seeds, and whether the
// intervals of all its metrics hold together.
func unchanged(p *page) error {
	models, err := readModels()
	if err != nil {
		return err
	}
	const bimodal = "firm_size_skewness"
	runs := max(1, p.runs/400)
	p.text("Two samples of n real seeds of one model, with replacement: how often `no_degradation` passes every metric, before with the lower end of the 95 %% t interval; and every metric but `%s`.\n"+
		"The differences are 0 in truth: how often the intervals of all metrics in `track improvement` contain 0 together, before each at 95 %%. %d comparisons.", bimodal, runs)
	p.table("model|", "metrics", "n", "passes, before", "passes", "without the bimodal metric", "intervals hold together, before", "now")
	for _, m := range models[:3] {
		for _, n := range []int{10, 20, 35, 40, 60, 100} {
			var counts [chunks]selfComparison
			var failed error
			p.each(fmt.Sprint(m.name, n), runs, func(chunk int, r *rand.Rand) {
				if err := counts[chunk].compare(m, m.draw(r, n), m.draw(r, n), bimodal); err != nil {
					failed = err
				}
			})
			if failed != nil {
				return failed
			}
			var all selfComparison
			for _, c := range counts {
				all = all.plus(c)
			}
			share := func(k int) string { return percent(float64(k) / float64(runs)) }
			p.row(m.name, fmt.Sprint(len(m.spec.Metrics)), fmt.Sprint(n), share(all.passedBefore), share(all.passed), share(all.passedOthers), share(all.heldBefore), share(all.held))
		}
	}
	return nil
}

// selfComparison counts what comparisons of a model with itself came to.
type selfComparison struct{ passedBefore, passed, passedOthers, heldBefore, held int }

func (c selfComparison) plus(o selfComparison) selfComparison {
	return selfComparison{c.passedBefore + o.passedBefore, c.passed + o.passed, c.passedOthers + o.passedOthers, c.heldBefore + o.heldBefore, c.held + o.held}
}

func (c *selfComparison) compare(m realModel, candidate, baseline []verdict.JudgedSeed, leftOut string) error {
	i, err := verdict.Compare(m.spec, candidate, baseline, verdict.Options{Confidence: 0.95, Base: scoring.DefaultMeanDegradationBase})
	if err != nil {
		return err
	}
	passedBefore, heldBefore, held := true, true, true
	for k, metric := range i.Metrics {
		d := make([]float64, len(candidate))
		for s := range d {
			d[s] = candidate[s].Scores[k] - baseline[s].Scores[k]
		}
		t, err := stats.NewMean(d, 0.95)
		if err != nil {
			return err
		}
		passedBefore = passedBefore && t.Interval.Lo >= -metric.Threshold
		heldBefore = heldBefore && t.Interval.Contains(0)
		held = held && metric.Interval.Contains(0)
	}
	blocking, err := undecidedMetrics(m.spec, i, len(candidate))
	c.passedBefore += oneIf(passedBefore)
	c.heldBefore += oneIf(heldBefore)
	c.held += oneIf(held)
	c.passed += oneIf(len(blocking) == 0)
	c.passedOthers += oneIf(len(blocking) == 0 || len(blocking) == 1 && blocking[0] == leftOut)
	return err
}

// undecidedMetrics asks the gate which metrics no_degradation does not pass.
func undecidedMetrics(spec scoring.Spec, i verdict.Improvement, n int) (names []string, err error) {
	totals := scoring.NewMoments(make([]float64, n))
	metrics := make([]scoring.MetricTotals, len(spec.Metrics))
	for k := range metrics {
		metrics[k] = scoring.MetricTotals{NNotFailed: n, Value: totals, Score: totals}
	}
	g, err := verdict.NewGate([]verdict.GateInput{{
		Scenario: "s", Rules: scoring.GateRules{NoDegradation: true}, Improvement: &i,
		Stability: scoring.NewStability(spec, scoring.SeedTotals{NSeeds: n, NPassed: n, NOK: n, Score: totals}, metrics),
	}})
	if err != nil {
		return nil, err
	}
	for _, o := range g.Scenarios[0].Outcomes {
		if o.Rule == "no_degradation" && o.Metric != "" && o.Verdict != scoring.VerdictPass && o.Verdict != scoring.VerdictWarn {
			names = append(names, o.Metric)
		}
	}
	return names, nil
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
