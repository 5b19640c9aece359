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
	runs := max(1, p.runs/200)
	p.text("Each metric of the three models in `examples/bam` in turn, on n real seeds drawn with replacement for each side. The candidate loses just base/weight on average: each of its\n"+
		"scores falls by the same amount, at most to 0; or seeds break, with score 0. Metrics with a smaller mean score cannot lose so much, and are left out. How often the gate passes the\n"+
		"metric: nominal 5 %%. Before: the lower end of the 95 %% t interval. %d repetitions for each metric. The largest of many shares is large by chance, so the metrics with the\n"+
		"largest shares are simulated again, with other random numbers and %d repetitions.", runs, again*runs)
	p.table("loss|", "n", "metrics", "before", "now", "largest before, again", "largest now, again")
	for _, form := range []lossForm{{"all scores fall", (realMetric).fallen}, {"seeds break", (realMetric).broken}} {
		for _, n := range []int{20, 35} {
			list, worst, err := p.lossRates(models[:3], form, n, runs)
			if err != nil {
				return err
			}
			p.row(form.name, fmt.Sprint(n), fmt.Sprint(list.metrics), percent(list.before), percent(list.now), percent(worst.before), percent(worst.now))
		}
	}
	return nil
}

// again is how many times more repetitions the metric with the largest share gets.
const again = 10

// lossRate is how often metrics pass.
type lossRate struct {
	metrics     int
	before, now float64
}

// lossRates returns the mean of the rates of the metrics that can lose their threshold, and the rates of the metrics
// with the largest ones, simulated again.
func (p *page) lossRates(models []realModel, form lossForm, n, runs int) (average, worst lossRate, err error) {
	var most lossRate
	var mostBefore, mostNow realMetric
	for _, m := range models {
		for k := range m.spec.Metrics {
			metric := m.metric(k)
			if scoring.NewMoments(metric.scores).Mean <= metric.threshold {
				continue
			}
			before, now, err := metric.passes(p, "", form, n, runs)
			if err != nil {
				return average, worst, err
			}
			average.metrics, average.before, average.now = average.metrics+1, average.before+before, average.now+now
			if before >= most.before {
				most.before, mostBefore = before, metric
			}
			if now >= most.now {
				most.now, mostNow = now, metric
			}
		}
	}
	count := float64(max(1, average.metrics))
	average.before, average.now = average.before/count, average.now/count
	if worst.before, _, err = mostBefore.passes(p, "again", form, n, again*runs); err != nil {
		return average, worst, err
	}
	_, worst.now, err = mostNow.passes(p, "again", form, n, again*runs)
	return average, worst, err
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

func (m realMetric) passes(p *page, stream string, form lossForm, n, runs int) (before, now float64, err error) {
	spec := scoring.Spec{Scenario: "s", Metrics: []scoring.Metric{{Name: "m", Weight: m.weight, Target: scoring.Range{Max: 1}}}}
	amount := m.amount(form)
	var counts [chunks][2]int
	p.each(fmt.Sprint(m.name, form.name, n, stream), runs, func(chunk int, r *rand.Rand) {
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
