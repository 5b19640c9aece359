package main

import (
	"math"
	"math/rand/v2"

	"track/evolution"
	"track/scoring/numeric"
)

// nothing is the share of mutations that change nothing which a policy accepts, and the share that gets the label
// large_improvement, with fresh trials of both sides.
func nothing(p evolution.Policy, sd, share float64, repetitions int) (accepted, large float64, err error) {
	l := &lab{world: world{noise: sd, share: share}, random: rand.New(rand.NewPCG(2026, 11))}
	const truth = 50
	for range repetitions {
		d, _, _, err := l.try(p, truth, truth, l.alone(truth, first), 0)
		if err != nil {
			return 0, 0, err
		}
		if d.Accepted {
			accepted++
		}
		if d.Label == evolution.Significant {
			large++
		}
	}
	n := float64(repetitions)
	return accepted / n, large / n, nil
}

// peeking is the share of sequences of differences around 0 in which a one-sided t test at 5 % rejects at least once
// when it is repeated after every pair, from the second to the 40th.
func peeking(repetitions int) float64 {
	const most = 40
	r := rand.New(rand.NewPCG(2026, 12))
	var critical [most + 1]float64
	for n := 2; n <= most; n++ {
		critical[n] = numeric.StudentQuantile(0.95, float64(n-1))
	}
	rejected := 0
	for range repetitions {
		m, squares := 0.0, 0.0
		for n := 1; n <= most; n++ {
			x := r.NormFloat64()
			step := x - m
			m += step / float64(n)
			squares += step * (x - m)
			if n > 1 && m > critical[n]*math.Sqrt(squares/float64(n-1)/float64(n)) {
				rejected++
				break
			}
		}
	}
	return float64(rejected) / float64(repetitions)
}
