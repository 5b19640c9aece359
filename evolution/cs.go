package evolution

import (
	"math"

	"track/scoring/numeric"
)

// CS is the asymptotic confidence sequence of a mean (Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2021, after Robbins
// 1970):
//
//	h = s·√(2(n·r²+1)/(n²·r²)·ln(√(n·r²+1)/alpha))
//
// All intervals m ± h at once contain the mean with about 1 - Alpha, so it may be applied after every pair. It accepts
// if the interval is above 0, and rejects if it is below Margin, the least gain worth the cost. r is the one that makes
// h smallest after TunedAt pairs. It starts at NMin pairs: the s of fewer pairs is too often far too small. After NMax
// pairs the parent stays.
type CS struct {
	Alpha   float64 `json:"alpha"`
	TunedAt int     `json:"tuned_at"`
	Margin  float64 `json:"margin"`
	NMin    int     `json:"n_min"`
	NMax    int     `json:"n_max"`
}

// Name returns "cs".
func (CS) Name() string { return "cs" }

// validate returns an error for the first parameter outside its domain.
func (p CS) validate() error {
	return validate(p,
		openUnit("alpha", p.Alpha), count("tuned_at", p.TunedAt, 1), anyNumber("margin", p.Margin),
		count("n_min", p.NMin, 2), count("n_max", p.NMax, p.NMin),
	)
}

func (p CS) minTrials() int { return p.NMin }

func (p CS) limits() (nMin, nMax int) { return p.NMin, p.NMax }

func (p CS) judge(d *Decision, s sides, _ float64) error {
	rule := p.rule()
	judgeSequential(d, s, rule, func(d *Decision, s sample, state State) {
		h := rule.halfWidth(s)
		d.measure("lower", s.mean-h, 0, math.NaN())
		d.measure("upper", s.mean+h, math.NaN(), p.Margin)
		switch state {
		case Accept:
			d.accept(Improvement)
		case Reject:
			d.reject(noImprovement)
		}
	})
	return nil
}

// r2 returns r². h at n is smallest where x = n·r² solves x = ln((x+1)/alpha²), which iteration finds: the derivative
// is 1/(x+1) < 1.
func (p CS) r2() float64 {
	x := 1.0
	for range 60 {
		x = numeric.Log((x + 1) / (p.Alpha * p.Alpha))
	}
	return x / float64(p.TunedAt)
}

// csRule is the policy with h/s worked out for every n, which simulations need many times.
type csRule struct {
	CS
	widths []float64
}

func (p CS) rule() csRule {
	r2, widths := p.r2(), make([]float64, p.NMax+1)
	for i := range widths {
		n := float64(i)
		v := float64(n*r2) + 1
		widths[i] = math.Sqrt(2 * v / (n * n * r2) * numeric.Log(math.Sqrt(v)/p.Alpha))
	}
	return csRule{p, widths}
}

// halfWidth returns h after n pairs; NaN or infinite if they do not vary.
func (r csRule) halfWidth(s sample) float64 { return float64(s.sd * r.widths[s.n]) }

func (r csRule) at(s sample) State {
	switch h := r.halfWidth(s); {
	case s.mean-h > 0:
		return Accept
	case s.mean+h < r.Margin:
		return Reject
	}
	return Continue
}

func (p CS) acceptRate(c Conditions) (float64, string) {
	rates, method := p.acceptRates(c.Gain, c.SDPairs)
	return rates[0], method
}

func (p CS) acceptRates(gain float64, sds ...float64) ([]float64, string) {
	return simulated(p.rule(), gain, sds...)
}
