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

// simulated returns for each sd the share of sequences of differences N(0, sd²) that a rule accepts if it is applied
// after every pair. The sequences are the same for all sds but for their scale.
func simulated(rule sequential, gain float64, sds ...float64) (rates []float64, method string) {
	_, nMax := rule.limits()
	n := repetitions(nMax)
	r := rand.New(rand.NewPCG(simulationSeed, simulationPlace))
	accepted := make([]int, len(sds))
	for range n {
		countAccepted(rule, gain, sds, r, accepted)
	}
	for _, k := range accepted {
		rates = append(rates, float64(k)/float64(n))
	}
	return rates, fmt.Sprintf("%d simulations", n)
}

// repetitions returns how many sequences of at most nMax pairs are simulated.
func repetitions(nMax int) int { return max(fewest, min(simulations, simulatedPairs/nMax)) }

// countAccepted counts one sequence, of sd 1, at each sd at which the rule accepts it.
func countAccepted(rule sequential, gain float64, sds []float64, r *rand.Rand, accepted []int) {
	nMin, nMax := rule.limits()
	mean, squares, left := 0.0, 0.0, len(sds)
	isOver := make([]bool, len(sds))
	for n := 1; n <= nMax && left > 0; n++ {
		x := r.NormFloat64()
		step := x - mean
		mean += step / float64(n)
		squares += float64(step * (x - mean)) // Welford
		if n < nMin {
			continue
		}
		spread := math.Sqrt(squares / float64(n-1))
		for k, sd := range sds {
			if isOver[k] {
				continue
			}
			state := rule.at(sample{n, gain + float64(sd*mean), float64(sd * spread)})
			if state == Accept {
				accepted[k]++
			}
			if isOver[k] = state != Continue; isOver[k] {
				left--
			}
		}
	}
}
