package evolution

import (
	"math"

	"track/scoring/numeric"
	"track/scoring/stats"
)

// Confirm decides on fresh pairs by an exact sign-flip test with planned interim analyses.
//
//	screen  after the first eighth of the pairs: a mean below -Effect rejects
//	looks   after each quarter: rejected for futility if the chance of acceptance, should the pairs go on as they began,
//	        is below Beta. After the third and the fourth quarter: accepted if the one-sided p-value is at most 0.4·Alpha
//	        and 0.6·Alpha. The last look rejects everything else.
//
// A mutation that changes nothing is accepted with a probability of at most Alpha, by Bonferroni's inequality, whatever
// the distribution of the scores: under that hypothesis the differences of pairs are symmetric about 0. Nothing is
// accepted before three quarters of the pairs, because a crash on one task of five stays unseen in half of them in one
// child of a hundred. Pairs on trials of the parent from before the proposal do not count.
type Confirm struct {
	Effect float64 `json:"effect"` // points: the gain worth having, and the harm that the screen does not tolerate
	Alpha  float64 `json:"alpha"`  // the most mutations that change nothing and are accepted
	Beta   float64 `json:"beta"`   // the chance of acceptance below which it stops
	Pairs  int     `json:"pairs"`  // the most pairs; a multiple of 4
}

// The share of Alpha that the third and the fourth look spend.
const (
	thirdLookShare = 0.4
	lastLookShare  = 0.6
)

const fewestConfirmPairs = 12 // the third look has 9 of them, and 2^-9 is below 0.4 times an alpha of 0.05

// Name returns "confirm".
func (Confirm) Name() string { return "confirm" }

// validate returns an error for the first parameter outside its domain.
func (p Confirm) validate() error {
	const most = stats.MostSignFlipGreater
	return validate(p,
		positive("effect", p.Effect), openUnit("alpha", p.Alpha), openUnit("beta", p.Beta),
		domain{"pairs", p.Pairs, p.Pairs >= fewestConfirmPairs && p.Pairs <= most && p.Pairs%4 == 0, "a multiple of 4 from 12 to 40"})
}

// look is a planned analysis after n pairs.
type look struct {
	name  string
	n     int
	alpha float64 // the largest p-value that accepts; 0 for none
}

// looks returns the screen and the planned analyses, in order.
func (p Confirm) looks() []look {
	quarter := p.Pairs / 4
	return []look{
		{"screen", p.Pairs / 8, 0}, {"look 1", quarter, 0}, {"look 2", 2 * quarter, 0},
		{"look 3", 3 * quarter, float64(thirdLookShare * p.Alpha)}, {"look 4", 4 * quarter, float64(lastLookShare * p.Alpha)},
	}
}

func (p Confirm) judge(d *Decision, s sides, _ float64) error {
	pairs := s.fresh()
	for _, look := range p.looks() {
		if missing := look.n - pairs.n(); missing > 0 {
			d.comparePairs(pairs)
			d.wait(needPairs(missing, pairs))
			return nil
		}
		if over, err := p.analyse(d, pairs.first(look.n), look); over || err != nil {
			return err
		}
	}
	return nil
}

// analyse makes one planned analysis, and reports whether it decides.
func (p Confirm) analyse(d *Decision, pairs pairing, look look) (over bool, err error) {
	sum := d.comparePairs(pairs)
	d.Rule = d.Rule[:0]
	if look.name == "screen" {
		d.measure(look.name, sum.mean, math.NaN(), -p.Effect)
		if sum.mean < -p.Effect {
			d.reject(screenedOut)
			return true, nil
		}
		return false, nil
	}
	value, err := stats.SignFlipGreater(pairs.differences())
	if err != nil {
		return false, err
	}
	if look.alpha > 0 {
		d.measure(look.name+": p", value, look.alpha, math.NaN())
		if value <= look.alpha {
			d.accept(Improvement)
			return true, nil
		}
	}
	if look.n == p.Pairs {
		d.reject(noImprovement)
		return true, nil
	}
	chance := p.chance(sum)
	d.measure(look.name+": chance", chance, math.NaN(), p.Beta)
	if chance < p.Beta {
		d.reject(futile)
		return true, nil
	}
	return false, nil
}

// chance returns the probability that the last look accepts if the pairs go on as they began: normal differences with
// mean and sd of the sample (conditional power under the current trend, Lan and Wittes 1988).
func (p Confirm) chance(s sample) float64 {
	if s.sd == 0 {
		return indicator(s.mean > 0)
	}
	n, all := float64(s.n), float64(p.Pairs)
	limit := -numeric.NormalQuantile(lastLookShare * p.Alpha)
	rest := all - n
	return numeric.NormalCDF((float64(s.mean*all) - float64(limit*s.sd*math.Sqrt(all))) / (s.sd * math.Sqrt(rest)))
}

// acceptRate returns the probability that the last look accepts, by the normal approximation; of a mutation that
// changes nothing it is at most Alpha.
func (p Confirm) acceptRate(c Conditions) (float64, string) {
	switch {
	case c.Gain == 0:
		return p.Alpha, "at most, by design"
	case c.SDPairs == 0:
		return indicator(c.Gain > 0), "exact"
	}
	limit := -numeric.NormalQuantile(lastLookShare * p.Alpha)
	return numeric.NormalCDF(float64(c.Gain*math.Sqrt(float64(p.Pairs))/c.SDPairs) - limit), "normal, at the last look"
}
