package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"track/scoring"
	"track/scoring/stats"
)

// feasibility prints the least number of pairs at which a guard can pass without any assumption about the seeds that
// were not run: a candidate that breaks in a share of the seeds passes n of them unseen with probability (1 - share)ⁿ.
func feasibility(p *page) error {
	p.text("A guard may lose at most the threshold. Without a single loss, the least number of pairs at which any valid rule can pass:")
	p.table("threshold", "least pairs at 95 %", "a candidate that just breaks it shows no loss in so many")
	for _, loss := range []float64{0.25, 0.125, 0.25 / 3, 0.0625, 0.05} {
		n := leastWithoutLoss(loss, 0.05)
		unseen := p.share(fmt.Sprint("unseen ", n), p.runs, func(r *rand.Rand) bool {
			for range n {
				if r.Float64() < loss {
					return false
				}
			}
			return true
		})
		p.row(fmt.Sprintf("%.4f", loss), fmt.Sprint(n), percent(unseen))
	}
	if err := guardFeasibility(p); err != nil {
		return err
	}
	return rateFeasibility(p)
}

// guardFeasibility prints the least number of pairs by weight, base and number of planned looks.
func guardFeasibility(p *page) error {
	p.text("\nThe same by weight and base, and for each of k planned looks, which has α/k:")
	p.table("base", "weight", "may lose", "one look", "each of 2 looks", "each of 4 looks")
	for _, base := range []float64{0.25, 0.5} {
		for weight := 1.0; weight <= 5; weight++ {
			loss := scoring.DegradationThreshold(weight, base)
			row := []string{fmt.Sprint(base), fmt.Sprint(weight), fmt.Sprintf("%.4f", loss)}
			for _, looks := range []float64{1, 2, 4} {
				n, err := leastPairs(loss, 0.05/looks)
				if err != nil {
					return err
				}
				row = append(row, fmt.Sprint(n))
			}
			p.row(row...)
		}
	}
	return nil
}

// leastPairs is the least number of ties whose mean loss is shown to be below loss.
func leastPairs(loss, alpha float64) (int, error) {
	for n := 1; ; n++ {
		if p, err := stats.BoundedMeanP(make([]float64, n), 1, loss); err != nil || p <= alpha {
			return n, err
		}
	}
}

// rateFeasibility prints the least number of seeds for limits of the pass rate, and of the mean score if all scores
// are equal: a mean m shows n times with probability at most (limit/m)ⁿ if the true mean is limit.
func rateFeasibility(p *page) error {
	p.text("\nThe least number of seeds, all passing, that show a pass rate; and of seeds that all score m, that show a mean score of at least the limit by any valid method:")
	p.table("limit", "pass rate, one look", "each of 4 looks", "mean score, m = 0.85", "m = 0.9", "m = 0.95")
	for _, limit := range []float64{0.7, 0.8, 0.9, 0.95} {
		row := []string{fmt.Sprint(limit)}
		for _, alpha := range []float64{0.05, 0.0125} {
			n, err := leastPairs(1-limit, alpha)
			if err != nil {
				return err
			}
			row = append(row, fmt.Sprint(n))
		}
		for _, m := range []float64{0.85, 0.9, 0.95} {
			text := "-"
			if m > limit {
				text = fmt.Sprint(leastWithoutLoss(1-limit/m, 0.05))
			}
			row = append(row, text)
		}
		p.row(row...)
	}
	return nil
}

// leastWithoutLoss is the least n at which (1 - share)ⁿ is at most alpha.
func leastWithoutLoss(share, alpha float64) int {
	return int(math.Ceil(math.Log(alpha) / math.Log1p(-share)))
}
