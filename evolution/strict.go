package evolution

import (
	"math"

	"track/scoring/numeric"
)

// Strict accepts iff the mean paired difference is above Eps.
type Strict struct {
	Eps float64 `json:"eps"`
}

// Name returns "strict".
func (Strict) Name() string { return "strict" }

// validate returns an error for the first parameter outside its domain.
func (p Strict) validate() error { return validate(p, anyNumber("eps", p.Eps)) }

func (Strict) minTrials() int { return 1 }

func (p Strict) judge(d *Decision, s sides, _ float64) error {
	sum, ok := d.afterPairs(s, 1)
	if !ok {
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
func (p Strict) acceptRate(c Conditions) (float64, string) {
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
