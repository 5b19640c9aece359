package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"track/scoring/stats"
	"track/scoring/verdict"
)

// nextMean prints how often the prediction of a history covers the next mean.
func nextMean(p *page) error {
	runs := max(1, p.runs/20)
	p.text(`A history of k configurations, whose true means have the standard deviation τ, with seeds of the standard deviation 1. How often the 95 %% prediction covers the mean of the next
configuration, which has fewer or more seeds. Before: the t prediction interval over the means, which knows no n. Width: of the interval now, divided by the width if τ and all else were known. %d repetitions.`, runs)
	p.table("seeds|", "k", "τ", "next", "before", "now", "width")
	rows := []struct {
		distribution string
		sizes        []int
		k            int
		tau          float64
	}{
		{"normal", []int{3}, 5, 0}, {"normal", []int{3}, 5, 1}, {"normal", []int{30}, 5, 0}, {"normal", []int{30}, 5, 0.3}, {"normal", []int{30}, 5, 1},
		{"normal", []int{3, 10, 30}, 5, 0}, {"normal", []int{3, 10, 30}, 5, 1}, {"normal", []int{3, 10, 30}, 10, 0}, {"normal", []int{3, 10, 30}, 10, 0.3},
		{"normal", []int{3, 10, 30}, 10, 3}, {"normal", []int{30}, 30, 0}, {"normal", []int{3, 10, 30}, 30, 0}, {"normal", []int{3, 10, 30}, 30, 1},
		{"skewed", []int{3, 10, 30}, 10, 0}, {"skewed", []int{30}, 10, 1}, {"unlike sd", []int{3, 10, 30}, 10, 0}, {"unlike sd", []int{30}, 10, 1},
	}
	for _, row := range rows {
		for _, next := range []int{3, 30} {
			name := fmt.Sprintf("%s, n = %s", row.distribution, strings.Trim(strings.ReplaceAll(fmt.Sprint(row.sizes), " ", ", "), "[]"))
			var before, now [chunks]int
			var width [chunks]float64
			p.each(fmt.Sprint(name, row.k, row.tau, next), runs, func(chunk int, r *rand.Rand) {
				points, means := make([]verdict.HistoryPoint, row.k), make([]float64, row.k)
				for i := range points {
					points[i] = configurationPoint(r, row.distribution, row.tau, row.sizes[i%len(row.sizes)])
					means[i] = points[i].Mean
				}
				truth := configurationPoint(r, row.distribution, row.tau, next).Mean
				if old, err := stats.NewPrediction(means, 0.95); err == nil && old.Interval.Contains(truth) {
					before[chunk]++
				}
				interval := verdict.AnalyseHistory(points, verdict.HistoryOptions{Next: next}).Prediction
				if interval.Contains(truth) {
					now[chunk]++
				}
				width[chunk] += interval.Hi - interval.Lo
			})
			best := 2 * 1.96 * math.Sqrt(row.tau*row.tau+1/float64(next)) * float64(runs)
			p.row(name, fmt.Sprint(row.k), fmt.Sprintf("%.1f", row.tau), fmt.Sprint(next), percent(total(before)/float64(runs)), percent(total(now)/float64(runs)),
				fmt.Sprintf("%.2f", total(width)/best))
		}
	}
	p.text("\nWith τ = 0 and 3 seeds a configuration, the interval cannot know that a mean of 30 seeds varies so little: it is wide, and covers more. Skewed: exponential. Unlike sd: that of each configuration is " +
		"multiplied by exp(z/2), z standard normal, which the method assumes not to happen.")
	return nil
}

func total[N int | float64](list [chunks]N) (sum float64) {
	for _, x := range list {
		sum += float64(x)
	}
	return sum
}

// configurationPoint draws the seeds of a configuration.
func configurationPoint(r *rand.Rand, distribution string, tau float64, n int) verdict.HistoryPoint {
	level, sd := tau*r.NormFloat64(), 1.0
	if distribution == "unlike sd" {
		sd = math.Exp(r.NormFloat64() / 2)
	}
	xs := make([]float64, n)
	for i := range xs {
		if xs[i] = level + sd*r.NormFloat64(); distribution == "skewed" {
			xs[i] = level + 1 - r.ExpFloat64()
		}
	}
	s, err := stats.Summarize(xs)
	if err != nil {
		panic(err)
	}
	return verdict.HistoryPoint{N: n, Mean: s.Mean, SD: s.SD(), Accepted: true}
}

// changePoints prints how often a history shows a change of level, with and without one.
func changePoints(p *page) error {
	runs := max(1, p.runs/10)
	p.text(`How often a history of N means shows a change of level. Without a change, each is a false alarm of the whole history. Before: the change points of the partition with the least squares, penalty
3σ² ln N, which were shown and marked if E-divisive confirmed them. The last column leaves out answers that warn that the points may depend on their neighbours. %d repetitions.`, runs)
	p.table("distribution|", "N", "before", "now", "now, without a warning")
	for _, name := range []string{"normal", "t, 3 degrees of freedom", "Cauchy", "exponential", "two values", "autocorrelation 0.3", "autocorrelation 0.6", "3 seeds, later 30"} {
		for _, n := range []int{20, 30, 60} {
			before, now, unwarned := p.detections(name, n, 0, runs, false)
			p.row(name, fmt.Sprint(n), percent(before), percent(now), percent(unwarned))
		}
	}
	p.text("\nThe first five are exchangeable without a change, where at most 5 %% is exact. The others are not. With a change in the middle, detected if one is shown within 3 places (standard deviations; for Cauchy its scale):")
	p.table("distribution|", "N", "shift", "before", "now", "now, without a warning")
	for _, name := range []string{"normal", "t, 3 degrees of freedom", "Cauchy", "exponential"} {
		for _, n := range []int{30, 60} {
			for _, shift := range []float64{1, 2, 3} {
				before, now, unwarned := p.detections(name, n, shift, runs, true)
				p.row(name, fmt.Sprint(n), fmt.Sprint(shift), percent(before), percent(now), percent(unwarned))
			}
		}
	}
	return nil
}

// detections returns the shares of histories in which the old and the present rule show a change, and the present one
// does so without a warning of autocorrelation; if there is a change, near it.
func (p *page) detections(name string, n int, shift float64, runs int, near bool) (before, now, unwarned float64) {
	var old, present, sure [chunks]int
	p.each(fmt.Sprint(name, n, shift), runs, func(chunk int, r *rand.Rand) {
		xs := means(r, name, n)
		points := make([]verdict.HistoryPoint, n)
		for i := range xs {
			if i >= n/2 {
				xs[i] += shift
			}
			points[i] = verdict.HistoryPoint{N: 10, Mean: xs[i], SD: 1}
		}
		counts := func(at int) bool { return !near || at >= n/2-3 && at <= n/2+3 }
		for _, at := range leastSquares(xs) {
			if counts(at) {
				old[chunk]++
				break
			}
		}
		h := verdict.AnalyseHistory(points, verdict.HistoryOptions{})
		warns := slices.ContainsFunc(h.Warnings, func(w verdict.Warning) bool { return w.Code == "dependent_points" })
		for _, c := range h.ChangePoints {
			if counts(c.Index) {
				present[chunk]++
				sure[chunk] += oneIf(!warns)
				break
			}
		}
	})
	return total(old) / float64(runs), total(present) / float64(runs), total(sure) / float64(runs)
}

// means draws a history without a change, of the standard deviation 1 if it has one.
func means(r *rand.Rand, name string, n int) []float64 {
	xs, state, correlation := make([]float64, n), r.NormFloat64(), 0.3
	if name == "autocorrelation 0.6" {
		correlation = 0.6
	}
	for i := range xs {
		z := r.NormFloat64()
		switch name {
		case "normal":
			xs[i] = z
		case "t, 3 degrees of freedom":
			a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
			xs[i] = z / math.Sqrt(a*a+b*b+c*c)
		case "Cauchy":
			xs[i] = z / r.NormFloat64()
		case "exponential":
			xs[i] = r.ExpFloat64()
		case "two values":
			xs[i] = float64(r.IntN(2))
		case "3 seeds, later 30":
			if xs[i] = z / math.Sqrt(3); i >= n/2 {
				xs[i] = z / math.Sqrt(30)
			}
		default:
			xs[i] = state
			state = correlation*state + math.Sqrt(1-correlation*correlation)*z
		}
	}
	return xs
}

// leastSquares is the rule that the change points had before: the partition into segments of at least 3 values with the
// least squared error plus 3σ² ln N for each, σ from the median of the absolute differences.
func leastSquares(xs []float64) (points []int) {
	steps := make([]float64, len(xs)-1)
	for i := range steps {
		steps[i] = math.Abs(xs[i+1] - xs[i])
	}
	slices.Sort(steps)
	middle := (steps[(len(steps)-1)/2] + steps[len(steps)/2]) / 2
	if middle == 0 {
		return nil
	}
	sigma := middle / (0.6745 * math.Sqrt2)
	penalty := 3 * sigma * sigma * math.Log(float64(len(xs)))
	sum, squares := make([]float64, len(xs)+1), make([]float64, len(xs)+1)
	for i, x := range xs {
		sum[i+1], squares[i+1] = sum[i]+x, squares[i]+x*x
	}
	best, last := make([]float64, len(xs)+1), make([]int, len(xs)+1)
	for t := 1; t <= len(xs); t++ {
		best[t] = math.Inf(1)
		for s := 0; s <= t-3; s++ {
			d := sum[t] - sum[s]
			if cost := best[s] + squares[t] - squares[s] - d*d/float64(t-s) + penalty; cost < best[t] {
				best[t], last[t] = cost, s
			}
		}
	}
	for t := last[len(xs)]; t > 0; t = last[t] {
		points = append(points, t)
	}
	return points
}
