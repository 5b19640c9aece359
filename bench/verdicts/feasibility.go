package main

import (
	"fmt"
	"math"
	"math/rand/v2"
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
	return nil
}

// leastWithoutLoss is the least n at which (1 - share)ⁿ is at most alpha.
func leastWithoutLoss(share, alpha float64) int {
	return int(math.Ceil(math.Log(alpha) / math.Log1p(-share)))
}
