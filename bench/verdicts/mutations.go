package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"track/evolution"
)

// mutations prints what decisions on mutations that change nothing report: scores of 50 with an sd of 10, of whose
// variance a share belongs to the task, which both sides do.
func mutations(p *page) error {
	runs := max(1, p.runs/5)
	p.text("Mutations that change nothing, with scores around 50 and an sd of 10, decided by `bands`, of which both sides do the same tasks; %d repetitions. Before: Welch's interval and a rate"+
		" without the pairs.", runs)
	p.table("share of the tasks in the variance", "n of each side", "interval covers 0, before", "interval covers 0", "mean width, before", "mean width", "accepted", "reported, before", "reported, mean", "interval covers the rate within a point")
	policy, err := evolution.DefaultPolicy("")
	if err != nil {
		return err
	}
	for _, share := range []float64{0, 0.5, 0.9} {
		for _, n := range []int{3, 5, 10} {
			s := p.nothing(policy, share, n, runs)
			p.row(percent(share), fmt.Sprint(n), percent(s.welch), percent(s.covered), fmt.Sprintf("%.1f", s.welchWidth), fmt.Sprintf("%.1f", s.width), percent(s.accepted),
				percent(s.before), percent(s.reported), percent(s.rate))
		}
	}
	return nil
}

// reports are means over decisions.
type reports struct{ welch, covered, welchWidth, width, accepted, before, reported, rate float64 }

func (p *page) nothing(policy evolution.Policy, share float64, n, runs int) (mean reports) {
	var lock sync.Mutex
	var all []*evolution.Noise
	p.each(fmt.Sprint(share, n), runs, func(_ int, r *rand.Rand) {
		paired, alone := sameTasks(r, share, n)
		draw := evolution.NewDraw(evolution.DrawKey{Seed: r.Uint64(), Label: evolution.LabelExplore})
		d, err := evolution.Decide(policy, paired, draw)
		w, errW := evolution.Decide(policy, alone, draw)
		if err != nil || errW != nil || d.Interval == nil || w.Interval == nil {
			return
		}
		lock.Lock()
		defer lock.Unlock()
		all = append(all, d.Noise)
		one := 1 / float64(runs)
		mean.covered += one * covers(d.Interval)
		mean.welch += one * covers(w.Interval)
		mean.width += one * (d.Interval.Hi - d.Interval.Lo)
		mean.welchWidth += one * (w.Interval.Hi - w.Interval.Lo)
		mean.accepted += one * d.P
		mean.before += one * *w.Noise.FalseAccept
		mean.reported += one * *d.Noise.FalseAccept
	})
	for _, noise := range all {
		if i := noise.FalseAcceptCI; i != nil && i.Lo-0.01 <= mean.accepted && mean.accepted <= i.Hi+0.01 {
			mean.rate += 1 / float64(runs)
		}
	}
	return mean
}

func covers(i *evolution.Interval) float64 {
	if i.Lo <= 0 && 0 <= i.Hi {
		return 1
	}
	return 0
}

// sameTasks returns trials of both sides on n tasks, and the same scores without the names of the tasks.
func sameTasks(r *rand.Rand, share float64, n int) (paired, alone evolution.Evidence) {
	for i := range n {
		task := math.Sqrt(share) * r.NormFloat64()
		trial := func(side string) evolution.Trial {
			score := min(100, max(0, 50+10*(task+math.Sqrt(1-share)*r.NormFloat64())))
			return evolution.Trial{ID: fmt.Sprintf("%03d%s", i, side), Key: fmt.Sprint(i), Score: &score}
		}
		c, q := trial("c"), trial("p")
		paired.Child, paired.Parent = append(paired.Child, c), append(paired.Parent, q)
		c.Key, q.Key = "", ""
		alone.Child, alone.Parent = append(alone.Child, c), append(alone.Parent, q)
	}
	return paired, alone
}
