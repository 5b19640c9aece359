package main

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"track/evolution"
)

// operators prints how soon the choice of an operator learns which one helps.
func operators(p *page) error {
	runs := max(1, p.runs/40)
	p.text("One of the eight operators of a new lineage is accepted in 60 %% of its mutations, with gains of 4 points; the others in 15 %%, with 2 points. %d lineages for each row.", runs)
	p.table("rule|", "mutations", "share by the operator that helps", "points gained")
	for _, n := range []int{20, 60} {
		for _, rule := range []evolution.OperatorRule{evolution.Roulette, evolution.Thompson} {
			var lock sync.Mutex
			best, gained := 0, 0.0
			p.each(fmt.Sprint(rule, n), runs, func(_ int, r *rand.Rand) {
				b, g := evolveOperators(r, rule, n)
				lock.Lock()
				defer lock.Unlock()
				best, gained = best+b, gained+g
			})
			p.row("`"+string(rule)+"`", fmt.Sprint(n), percent(float64(best)/float64(n*runs)), fmt.Sprintf("%.1f", gained/float64(runs)))
		}
	}
	return nil
}

// evolveOperators draws operators for n mutations, and returns how many were by the first operator, and what they
// gained.
func evolveOperators(r *rand.Rand, rule evolution.OperatorRule, n int) (best int, gained float64) {
	list, h := evolution.DefaultOperators(), evolution.Histories{}
	for range n {
		draw := evolution.NewDraw(evolution.DrawKey{Seed: r.Uint64(), Label: evolution.LabelOperator})
		choice, err := evolution.ChooseOperator(rule, list, evolution.Signals{}, h, draw)
		if err != nil {
			return 0, 0
		}
		share, gain := 0.15, 2.0
		if choice.Operator == list[0] {
			share, gain = 0.6, 4
			best++
		}
		delta, accepted := -3.0, r.Float64() < share
		if accepted {
			delta = gain
			gained += gain
		}
		h.Add(choice.Operator.Name, &delta, accepted)
	}
	return best, gained
}
