package evolution

import (
	"math"

	"track/scoring/numeric"
)

// POI accepts iff the probability of improvement is at least C, after a prior delta ~ N(0, Tau²): with k =
// Tau²/(Tau²+se²) the posterior of delta has the mean k·m and P(delta > 0) = Φ(√k·m/se). Rule reports it as
// "posterior", and k·m as "shrunk_delta".
type POI struct {
	Tau  float64 `json:"tau"`
	C    float64 `json:"c"`
	NMin int     `json:"n_min"`
}

// Name returns "poi".
func (POI) Name() string { return "poi" }

// validate returns an error for the first parameter outside its domain.
func (p POI) validate() error {
	return validate(p, positive("tau", p.Tau), openUnit("c", p.C), count("n_min", p.NMin, 2))
}

func (p POI) minTrials() int { return p.NMin }

func (p POI) judge(d *Decision, s sides, _ float64) error {
	sum, ok := d.afterPairs(s, p.NMin)
	if ok {
		p.rule(d, sum)
	}
	return nil
}

func (p POI) rule(d *Decision, s sample) {
	posterior, k := p.posterior(s)
	d.measure("posterior", posterior, p.C, p.C)
	d.measure("shrunk_delta", round9(k*s.mean), math.NaN(), math.NaN())
	if posterior >= p.C {
		d.accept(Improvement)
	} else {
		d.reject(noImprovement)
	}
}

// posterior returns P(delta > 0) and k. Without any variance, k is 1 and the sign of the mean decides.
func (p POI) posterior(s sample) (probability, k float64) {
	se := s.se()
	if se == 0 {
		return (1 + sign(s.mean)) / 2, 1
	}
	k = p.Tau * p.Tau / (float64(p.Tau*p.Tau) + float64(se*se))
	return numeric.NormalCDF(math.Sqrt(k) * s.mean / se), k
}

func sign(x float64) float64 { return indicator(x > 0) - indicator(x < 0) }

// acceptRate returns P(√k·m/se ≥ z) with z = Φ⁻¹(c), m ~ N(0, sd²/n) and se = sd·U/√n, where U = √(χ²/(n-1)) is
// independent of m: the mean of Φ(-z·U·√(1+se²/tau²)) over U.
func (p POI) acceptRate(c Conditions) (float64, string) {
	if c.SDPairs == 0 {
		return indicator(c.Gain > 0 || c.Gain == 0 && p.C <= 0.5), "exact" // no difference at all has the posterior 1/2
	}
	n := max(p.NMin, c.NPairs)
	z := numeric.NormalQuantile(p.C)
	shift := c.Gain * math.Sqrt(float64(n)) / c.SDPairs
	return meanOverSD(n-1, func(u float64) float64 {
		ratio := c.SDPairs * u / math.Sqrt(float64(n)) / p.Tau
		return numeric.NormalCDF(shift - float64(z*u*math.Sqrt(1+float64(ratio*ratio))))
	}), "integral"
}

// meanOverSD returns the mean of f(U) over U = √(χ²/df), the ratio of a sample sd to the true one. Beyond 10/√df from 1
// its density is below 1e-19 for all but the smallest df, where the range is wide enough anyway.
func meanOverSD(df int, f func(u float64) float64) float64 {
	v := float64(df)
	logConst := math.Ln2 + float64(v/2*numeric.Log(v/2)) - numeric.LogGamma(v/2)
	lo, hi := max(0, 1-10/math.Sqrt(v)), 1+10/math.Sqrt(v)
	return numeric.Integrate(func(u float64) float64 {
		return f(u) * numeric.Exp(logConst+float64((v-1)*numeric.Log(u))-float64(v*u*u/2))
	}, lo, hi, 13)
}
