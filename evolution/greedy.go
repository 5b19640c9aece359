package evolution

import (
	"math"

	"track/scoring/numeric"
)

// Greedy accepts iff the mean of the pairs on common tasks is above Eps, in points. It is for evaluators without noise:
// with noise it accepts half of the mutations that change nothing.
type Greedy struct {
	Eps float64 `json:"eps"`
}

// Name returns "greedy".
func (Greedy) Name() string { return "greedy" }

// validate returns an error for the first parameter outside its domain.
func (p Greedy) validate() error { return validate(p, anyNumber("eps", p.Eps)) }

func (p Greedy) judge(d *Decision, s sides, _ float64) error {
	pairs := s.fresh()
	least := max(1, s.tasks)
	sum := d.comparePairs(pairs)
	if missing := least - pairs.n(); missing > 0 {
		d.wait(needPairs(missing, pairs))
		return nil
	}
	d.measure("mean", sum.mean, p.Eps, p.Eps)
	if sum.mean > p.Eps {
		d.accept(Improvement)
	} else {
		d.reject(noImprovement)
	}
	return nil
}

// acceptRate returns P(m > eps) for a normal mean m.
func (p Greedy) acceptRate(c Conditions) (float64, string) {
	if c.SDPairs == 0 {
		return indicator(c.Gain > p.Eps), "exact"
	}
	return numeric.NormalCDF((c.Gain - p.Eps) * math.Sqrt(float64(max(1, c.NPairs))) / c.SDPairs), "normal"
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
