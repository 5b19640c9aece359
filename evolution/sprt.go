package evolution

import (
	"track/scoring/numeric"
)

// SPRT is Wald's sequential probability ratio test of a true difference D1 against D0, with the sample variance for the
// true one:
//
//	LLR = n·(m - (d0+d1)/2)·(d1-d0)/s²    accept from ln((1-b)/a), reject to ln(b/(1-a))
//
// A is the intended rate of false accepts, and B of false rejects. After NMax pairs without a decision the parent
// stays.
type SPRT struct {
	D0   float64 `json:"d0"`
	D1   float64 `json:"d1"`
	A    float64 `json:"a"`
	B    float64 `json:"b"`
	NMin int     `json:"n_min"`
	NMax int     `json:"n_max"`
}

// Name returns "sprt".
func (SPRT) Name() string { return "sprt" }

// validate returns an error for the first parameter outside its domain.
func (p SPRT) validate() error {
	return validate(p,
		anyNumber("d0", p.D0), anyNumber("d1", p.D1), domain{"d1", p.D1, p.D1 > p.D0, "above d0"},
		openUnit("a", p.A), openUnit("b", p.B), domain{"b", p.B, p.A+p.B < 1, "below 1 - a"},
		count("n_min", p.NMin, 2), count("n_max", p.NMax, p.NMin),
	)
}

func (p SPRT) minTrials() int { return p.NMin }

func (p SPRT) limits() (nMin, nMax int) { return p.NMin, p.NMax }

func (p SPRT) judge(d *Decision, s sides, _ float64) error {
	rule := p.rule()
	judgeSequential(d, s, rule, func(d *Decision, s sample, state State) {
		d.measure("llr", p.llr(s), rule.accept, rule.reject)
		switch state {
		case Accept:
			d.accept(Improvement)
		case Reject:
			d.reject(noImprovement)
		}
	})
	return nil
}

// sprtRule is the policy with its computed bounds.
type sprtRule struct {
	SPRT
	accept, reject float64
}

func (p SPRT) rule() sprtRule {
	return sprtRule{p, numeric.Log((1 - p.B) / p.A), numeric.Log(p.B / (1 - p.A))}
}

// llr returns the log-likelihood ratio: infinite if the differences do not vary, and 0 if they then lie in the middle.
func (p SPRT) llr(s sample) float64 {
	off := s.mean - float64((p.D0+p.D1)/2)
	if off == 0 {
		return 0
	}
	return float64(s.n) * off * (p.D1 - p.D0) / (s.sd * s.sd)
}

func (r sprtRule) at(s sample) State {
	switch llr := r.llr(s); {
	case llr >= r.accept:
		return Accept
	case llr <= r.reject:
		return Reject
	}
	return Continue
}

func (p SPRT) acceptRate(c Conditions) (float64, string) {
	rates, method := p.acceptRates(c.Gain, c.SDPairs)
	return rates[0], method
}

func (p SPRT) acceptRates(gain float64, sds ...float64) ([]float64, string) {
	return simulated(p.rule(), gain, sds...)
}
