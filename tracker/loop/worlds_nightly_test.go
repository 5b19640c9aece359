//go:build nightly

package loop

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"track/scoring/stats"
)

// childrenOfARate is how many children a rate rests on; TRACK_CHILDREN sets another number for a quick look.
const childrenOfARate = 2000

// simulate evolves lineages of some children each until there are enough children, several lineages at once.
func simulate(t *testing.T, w world, policy string, childrenOfALoop int, c child) (all outcome) {
	t.Helper()
	n := childrenOfARate
	if text := os.Getenv("TRACK_CHILDREN"); text != "" {
		n, _ = strconv.Atoi(text)
	}
	var wait sync.WaitGroup
	var lock sync.Mutex
	loops := (n + childrenOfALoop - 1) / childrenOfALoop
	next := 0
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for {
				lock.Lock()
				seed := next
				next++
				lock.Unlock()
				if seed >= loops {
					return
				}
				own, o := w, outcome{}
				own.rng, own.trials = rand.New(rand.NewPCG(hashOf(t.Name(), seed), 3)), 20*childrenOfALoop // trials until the drift is over
				own.run(t, policy, childrenOfALoop, seed+1, func(int) child { return c }, &o)
				lock.Lock()
				all.children, all.accepted, all.trials, all.covered = all.children+o.children, all.accepted+o.accepted, all.trials+o.trials, all.covered+o.covered
				all.gains, all.errors = append(all.gains, o.gains...), append(all.errors, o.errors...)
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	return all
}

// hashOf returns a seed of its own for each loop of each test.
func hashOf(name string, loop int) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, name, loop)
	return h.Sum64()
}

func (o outcome) rate(t *testing.T) stats.Proportion {
	t.Helper()
	p, err := stats.Wilson(o.accepted, o.children, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sum(list []float64) (total float64) {
	for _, x := range list {
		total += x
	}
	return total
}

// What the loop accepts by its default policy, where one trial has an sd of 10: a target is missed if the interval of
// the rate lies beyond it.
func TestRatesOfLoop(t *testing.T) {
	const sd = 10
	const atMost, atLeast = 1, -1
	plain := world{tasks: 20, sd: sd, base: 40}
	sorted, drifting, many, low, lowDrifting := plain, plain, plain, plain, plain
	sorted.sorted, drifting.drift, many.tasks, low.base, lowDrifting.base, lowDrifting.drift = true, 10, 100, 25, 20, 10
	gains := child{gain: sd}
	for _, c := range []struct {
		name   string
		world  world
		child  child
		limit  float64 // of the rate of acceptance; 0 for none
		beyond int
	}{
		{"neutral", plain, child{}, 0.05, atMost},
		{"neutral, tasks sorted by difficulty", sorted, child{}, 0.05, atMost},
		{"neutral, drift of +10 points", drifting, child{}, 0.05, atMost},
		{"-1 sd", plain, child{gain: -sd}, 0.003, atMost},
		{"-1 sd, drift of +10 points", drifting, child{gain: -sd}, 0.003, atMost},
		{"crash on 20 % of 20 tasks, +6 elsewhere", plain, child{gain: 6, crash: 0.2}, 0.003, atMost},
		{"crash on 20 % of 100 tasks, +6 elsewhere", many, child{gain: 6, crash: 0.2}, 0.003, atMost},
		{"+1 sd", low, gains, 0.8, atLeast},
		{"+1 sd, drift of +10 points", lowDrifting, gains, 0.8, atLeast},
		{"-0.5 sd", plain, child{gain: -sd / 2}, 0, 0},
		{"+0.5 sd", low, child{gain: sd / 2}, 0, 0},
		{"crash on 5 % of 100 tasks, +6 elsewhere", many, child{gain: 6, crash: 0.05}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			perLoop := 20 // among which the best are selected, one after the other
			if c.child.gain > 0 && c.child.crash == 0 {
				perLoop = 3 // more gains would leave the scale
			}
			o := simulate(t, c.world, "confirm", perLoop, c.child)
			r := o.rate(t)
			t.Logf("accepted %.2f %% (95 %% Wilson interval %.2f to %.2f, n = %d), %.1f trials a child", 100*r.Value, 100*r.Interval.Lo, 100*r.Interval.Hi, r.N, float64(o.trials)/float64(o.children))
			if c.beyond == atMost && r.Interval.Lo > c.limit || c.beyond == atLeast && r.Interval.Hi < c.limit {
				t.Errorf("the target is %v", c.limit)
			}
			if n := len(o.errors); n >= 50 {
				bias, cover := sum(o.errors)/float64(n), float64(o.covered)/float64(n)
				t.Logf("measured gain: mean error %+.2f points, the interval covers %.1f %% (n = %d)", bias, 100*cover, n)
				if math.Abs(bias) > 1 || cover < 0.9 {
					t.Error("the measured gain is off")
				}
			}
		})
	}
}

// The table of docs/reference/policies.md: what each policy spends and accepts at a noise, of children that change
// nothing, lose 5 points and gain 5.
func TestTableOfPolicies(t *testing.T) {
	for _, sd := range []float64{0, 3, 5, 10, 20} {
		for _, policy := range []string{"confirm", "greedy", "threshold"} {
			w := world{tasks: 20, sd: sd, base: 40}
			line := fmt.Sprintf("| %g | `%s` |", sd, policy)
			for _, gain := range []float64{0, -5, 5} {
				perLoop := 20
				if gain > 0 {
					perLoop = 3
				}
				o := simulate(t, w, policy, perLoop, child{gain: gain})
				r := o.rate(t)
				line += fmt.Sprintf(" %.1f %% | %.1f |", 100*r.Value, float64(o.trials)/float64(o.children))
			}
			t.Log(line)
		}
	}
}
