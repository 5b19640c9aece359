package evolution

import (
	"math"

	"track/scoring/numeric"
)

// Anneal accepts a mean paired difference m with probability min(1, exp(m/T)), by the draw, at the temperature T =
// T0·G^step of the evidence's step: early losses are let through, late ones are not.
type Anneal struct {
	T0 float64 `json:"t0"`
	G  float64 `json:"g"`
}

// Name returns "anneal".
func (Anneal) Name() string { return "anneal" }

// validate returns an error for the first parameter outside its domain.
func (p Anneal) validate() error {
	return validate(p, positive("t0", p.T0), domain{"g", p.G, p.G > 0 && p.G <= 1, "above 0 and at most 1"})
}

func (Anneal) minTrials() int { return 1 }

func (p Anneal) judge(d *Decision, s sides, u float64) error {
	sum, ok := d.afterPairs(s, 1)
	if !ok {
		return nil
	}
	t := p.temperature(s.step)
	d.measure("mean", sum.mean, 0, math.NaN())
	d.measure("temperature", t, math.NaN(), math.NaN())
	if sum.mean > 0 {
		d.accept(Improvement)
		return nil
	}
	d.settle(annealing, p.probability(sum.mean, t), u)
	return nil
}

func (p Anneal) temperature(step int) float64 { return p.T0 * numeric.Pow(p.G, float64(step)) }

// probability returns exp(m/t) for m <= 0, and its limit if the temperature has fallen to 0.
func (Anneal) probability(m, t float64) float64 {
	if m == 0 {
		return 1
	}
	return numeric.Exp(m / t)
}

// acceptRate returns the mean of min(1, exp(m/T)) over m ~ N(gain, sd²/n): Φ(g) + exp(b²/2 - g²/2)·Φ(-b) with
// g = gain·√n/sd and b = g + sd/√n/T.
func (p Anneal) acceptRate(c Conditions) (float64, string) {
	sd := c.SDPairs / math.Sqrt(float64(max(1, c.NPairs)))
	if c.SDPairs == 0 {
		return p.probability(min(0, c.Gain), p.temperature(c.Step)), "normal"
	}
	shift := c.Gain / sd
	return numeric.NormalCDF(shift) + float64(numeric.Exp(-shift*shift/2)*scaledTail(shift+sd/p.temperature(c.Step))), "normal"
}

// scaledTail returns exp(a²/2)·Φ(-a), without overflow: from 25 on by the first terms of its asymptotic series.
func scaledTail(a float64) float64 {
	if a < 25 {
		return numeric.Exp(a*a/2) * numeric.NormalCDF(-a)
	}
	return (1 - 1/(a*a)) / (a * math.Sqrt(2*math.Pi))
}
