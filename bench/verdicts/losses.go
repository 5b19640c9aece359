package main

import (
	"fmt"
	"math/rand/v2"

	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// losses prints how often no_degradation passes a metric of a real model that loses base/weight on average.
func losses(p *page) error {
	models, err := readModels()
	if err != nil {
		return err
	}
	runs := max(1, p.runs/1000)
	p.text("Each metric of the three models in `examples/bam` in turn, on n real seeds drawn with replacement for each side. The candidate loses just base/weight on average: each of its\n"+
		"scores falls by the same amount, at most to 0; or seeds break, with score 0. Metrics with a smaller mean score cannot lose so much, and are left out. How often the gate passes the\n"+
		"metric: nominal 5 %%. Before: the lower end of the 95 %% t interval. %d repetitions for each metric.", runs)
	p.table("loss|", "n", "metrics", "before", "now", "metric with the most, before", "now")
	for _, form := range []lossForm{{"all scores fall", (realMetric).fallen}, {"seeds break", (realMetric).broken}} {
		for _, n := range []int{20, 35} {
			var before, now, mostBefore, most float64
			metrics := 0
			for _, m := range models[:3] {
				for k := range m.spec.Metrics {
					metric := m.metric(k)
					if scoring.NewMoments(metric.scores).Mean <= metric.threshold {
						continue
					}
					old, rate, err := metric.passes(p, form, n, runs)
					if err != nil {
						return err
					}
					before, now, metrics = before+old, now+rate, metrics+1
					mostBefore, most = max(mostBefore, old), max(most, rate)
				}
			}
			count := float64(max(1, metrics))
			p.row(form.name, fmt.Sprint(n), fmt.Sprint(metrics), percent(before/count), percent(now/count), percent(mostBefore), percent(most))
		}
	}
	return nil
}

// lossForm says how a metric loses: draw returns the candidate's score of a seed.
type lossForm struct {
	name string
	draw func(m realMetric, amount float64, r *rand.Rand) float64
}

// realMetric is one metric of a real model.
type realMetric struct {
	name      string
	scores    []float64
	weight    float64
	threshold float64
}

func (m realModel) metric(k int) realMetric {
	metric := realMetric{name: m.name + "/" + m.spec.Metrics[k].Name, weight: m.spec.Metrics[k].Weight}
	metric.threshold = scoring.DegradationThreshold(metric.weight, scoring.DefaultMeanDegradationBase)
	for _, seed := range m.seeds {
		metric.scores = append(metric.scores, seed.Scores[k])
	}
	return metric
}

func (m realMetric) draw(r *rand.Rand) float64 { return m.scores[r.IntN(len(m.scores))] }

// fallen is a score that falls by an amount.
func (m realMetric) fallen(amount float64, r *rand.Rand) float64 { return max(0, m.draw(r)-amount) }

// broken is 0 with a probability.
func (m realMetric) broken(probability float64, r *rand.Rand) float64 {
	if r.Float64() < probability {
		return 0
	}
	return m.draw(r)
}

// amount is that by which scores fall, or the probability with which seeds break, if the mean loss is the threshold.
func (m realMetric) amount(form lossForm) float64 {
	whole := scoring.NewMoments(m.scores).Mean
	if form.name == "seeds break" {
		return m.threshold / whole
	}
	lo, hi := 0.0, 1.0
	for range 60 {
		mid, left := (lo+hi)/2, 0.0
		for _, x := range m.scores {
			left += max(0, x-mid) / float64(len(m.scores))
		}
		if whole-left < m.threshold {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

func (m realMetric) passes(p *page, form lossForm, n, runs int) (before, now float64, err error) {
	spec := scoring.Spec{Scenario: "s", Metrics: []scoring.Metric{{Name: "m", Weight: m.weight, Target: scoring.Range{Max: 1}}}}
	amount := m.amount(form)
	var counts [chunks][2]int
	p.each(fmt.Sprint(m.name, form.name, n), runs, func(chunk int, r *rand.Rand) {
		candidate, baseline, d := make([]verdict.JudgedSeed, n), make([]verdict.JudgedSeed, n), make([]float64, n)
		for i := range n {
			candidate[i], baseline[i] = oneScore(i, form.draw(m, amount, r)), oneScore(i, m.draw(r))
			d[i] = candidate[i].Total - baseline[i].Total
		}
		t, tErr := stats.NewMean(d, 0.95)
		i, compareErr := verdict.Compare(spec, candidate, baseline, verdict.Options{Confidence: 0.95, Base: scoring.DefaultMeanDegradationBase})
		blocking, gateErr := undecidedMetrics(spec, i, n)
		for _, e := range []error{tErr, compareErr, gateErr} {
			if e != nil {
				err = e
			}
		}
		counts[chunk][0] += oneIf(t.Interval.Lo >= -m.threshold)
		counts[chunk][1] += oneIf(len(blocking) == 0)
	})
	for _, c := range counts {
		before, now = before+float64(c[0])/float64(runs), now+float64(c[1])/float64(runs)
	}
	return before, now, err
}
