package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// anytimeLooks are the numbers of pairs at which an interval is looked at.
func anytimeLooks() []int { return []int{6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60} }

// widthLook is the look at which widths are printed.
const widthLook = 30

// eValue prints how often the interval of a difference misses it at one of many looks.
func eValue(p *page) error {
	runs := max(1, p.runs/40)
	looks := anytimeLooks()
	p.text("Pairs whose difference is %v on average, of which `track improvement --anytime` shows the interval at %d looks from %d to %d pairs. How often it misses the difference at one look at\n"+
		"least, which is as often as at any time at which one may stop: nominal 5 %%. Before: the 95 %% t interval. Widths are means at %d pairs. %d sequences.",
		anytimeShift, len(looks), looks[0], looks[len(looks)-1], widthLook, runs)
	p.table("differences|", "missed at a look, t", "symmetric e-value", "width, t", "symmetric e-value")
	for _, w := range []losing{
		{"normal, sd 0.1", func(r *rand.Rand) float64 { return 0.1 * r.NormFloat64() }},
		{"t, 3 degrees of freedom", func(r *rand.Rand) float64 {
			return 0.1 * r.NormFloat64() / math.Sqrt(square(r.NormFloat64())+square(r.NormFloat64())+square(r.NormFloat64()))
		}},
		{"ties in 60 %, ± 0.2", levels(0.2, 0.2, 0.2, 0.2)},
		{"ties in 95 %, ± 0.5", levels(0.025, 0.5, 0.025, 0.5)},
		{"two groups, ± 0.1", levels(0.5, 0.1, 0.5, 0.1)},
		{"exponential (not symmetric: the assumption fails)", func(r *rand.Rand) float64 { return 0.1 * (1 - r.ExpFloat64()) }},
	} {
		missed, widths, err := w.anytime(p, looks, runs)
		if err != nil {
			return err
		}
		p.row(w.name, percent(missed[0]), percent(missed[1]), fmt.Sprintf("%.3f", widths[0]), fmt.Sprintf("%.3f", widths[1]))
	}
	return nil
}

// anytimeShift is the true mean difference.
const anytimeShift = 0.05

// anytime returns how often the t interval and that of the product miss the difference at a look, and their widths.
func (l losing) anytime(p *page, looks []int, runs int) (missed, widths [2]float64, failed error) {
	var misses, sums [chunks][2]float64
	var errs [chunks]error
	p.each(l.name, runs, func(chunk int, r *rand.Rand) {
		candidate, baseline, d := make([]verdict.JudgedSeed, looks[len(looks)-1]), make([]verdict.JudgedSeed, looks[len(looks)-1]), []float64{}
		for i := range candidate {
			x := max(-0.45, min(0.45, l.draw(r)))
			candidate[i], baseline[i] = oneScore(i, 0.5+x+anytimeShift), oneScore(i, 0.5)
			d = append(d, candidate[i].Total-baseline[i].Total)
		}
		var isMissed [2]bool
		for _, n := range looks {
			intervals, err := anytimeIntervals(candidate[:n], baseline[:n], d[:n])
			if err != nil {
				errs[chunk] = err
			}
			for k, interval := range intervals {
				isMissed[k] = isMissed[k] || interval.Lo > anytimeShift+1e-9 || interval.Hi < anytimeShift-1e-9
				if n == widthLook {
					sums[chunk][k] += interval.Hi - interval.Lo
				}
			}
		}
		for k := range isMissed {
			misses[chunk][k] += float64(oneIf(isMissed[k]))
		}
	})
	for chunk := range chunks {
		for k := range missed {
			missed[k], widths[k] = missed[k]+misses[chunk][k]/float64(runs), widths[k]+sums[chunk][k]/float64(runs)
		}
		if errs[chunk] != nil {
			failed = errs[chunk]
		}
	}
	return missed, widths, failed
}

// anytimeIntervals returns the t interval, and the one that a comparison at any time shows.
func anytimeIntervals(candidate, baseline []verdict.JudgedSeed, d []float64) (list [2]stats.Interval, err error) {
	spec := scoring.Spec{Scenario: "s", Metrics: []scoring.Metric{{Name: "m", Weight: 1, Target: scoring.Range{Max: 1}}}}
	t, err := stats.NewMean(d, 0.95)
	if err != nil {
		return list, err
	}
	i, err := verdict.Compare(spec, candidate, baseline, verdict.Options{Confidence: 0.95, Base: scoring.DefaultMeanDegradationBase, Look: verdict.Look{Anytime: true}})
	return [2]stats.Interval{t.Interval, i.Total.Interval}, err
}
