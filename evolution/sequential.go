package evolution

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// sequential is a policy that may be applied after every pair.
type sequential interface {
	// at returns the state after the pairs of a sample.
	at(s sample) State
	limits() (nMin, nMax int)
}

// judgeSequential decides between limits; settle sets statistics and labels of a state.
func judgeSequential(d *Decision, s sides, rule sequential, settle func(d *Decision, s sample, state State)) {
	nMin, nMax := rule.limits()
	p := pairUp(s.child.scored, s.parent.scored)
	p = p.first(min(p.n(), nMax))
	sum := d.comparePairs(p)
	state := Continue
	if sum.n >= nMin {
		state = rule.at(sum)
		settle(d, sum, state)
	}
	if state != Continue {
		return
	}
	// A failed trial of the child costs as much as a pair, so a child that mostly fails is given up.
	left := nMax - sum.n - s.child.failed
	if left <= 0 {
		d.reject(undecided)
		d.warn(warnNMax, true)
		return
	}
	need := needPairs(min(left, max(1, nMin-sum.n)), p)
	need.Expected = expected(rule, sum, min(nMax, sum.n+left)) - sum.n
	d.wait(need)
}

// expected returns the number of pairs after which the rule decides if mean and sd stay as they are, at most nMax.
func expected(rule sequential, s sample, nMax int) int {
	nMin, _ := rule.limits()
	if s.n < 2 {
		return min(nMin, nMax)
	}
	for n := max(nMin, s.n+1); n < nMax; n++ {
		if rule.at(sample{n, s.mean, s.sd}) != Continue {
			return n
		}
	}
	return nMax
}

// Simulations behind false-accept rates. Their seed is fixed, so that a rate is a function of its policy and its
// conditions; there are fewer of longer ones, so that none takes more than a few milliseconds.
const (
	simulations     = 1000 // a rate of 5 % has an sd of 0.7 points
	fewest          = 100
	simulatedPairs  = simulations * 40
	simulationSeed  = 2026
	simulationPlace = 3
)

// simulated returns the share of sequences of differences N(0, sd²) that a rule accepts if it is applied after every
// pair.
func simulated(rule sequential, sd float64) (float64, string) {
	_, nMax := rule.limits()
	n := repetitions(nMax)
	r := rand.New(rand.NewPCG(simulationSeed, simulationPlace))
	accepted := 0
	for range n {
		if acceptsNothing(rule, sd, r) {
			accepted++
		}
	}
	return float64(accepted) / float64(n), fmt.Sprintf("%d simulations", n)
}

// repetitions returns how many sequences of at most nMax pairs are simulated.
func repetitions(nMax int) int { return max(fewest, min(simulations, simulatedPairs/nMax)) }

func acceptsNothing(rule sequential, sd float64, r *rand.Rand) bool {
	nMin, nMax := rule.limits()
	mean, squares := 0.0, 0.0
	for n := 1; n <= nMax; n++ {
		x := float64(sd * r.NormFloat64())
		step := x - mean
		mean += step / float64(n)
		squares += float64(step * (x - mean)) // Welford
		if n < nMin {
			continue
		}
		switch rule.at(sample{n, mean, math.Sqrt(squares / float64(n-1))}) {
		case Accept:
			return true
		case Reject:
			return false
		}
	}
	return false
}
