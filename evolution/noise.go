package evolution

import (
	"math"

	"track/scoring/numeric"
	"track/scoring/stats"
)

// Noise says what the scores of a decision vary by, and what that means for the policy.
type Noise struct {
	SD *float64 `json:"sd"` // of the score of one trial, pooled within the sides; nil if no side has two
	N  int      `json:"n"`  // trials of both sides
	// SDPairs is the sd of the difference of one pair, from NPairs pairs; √2 times SD, and NPairs 0, if there are fewer
	// than two pairs.
	SDPairs *float64 `json:"sd_pairs"`
	NPairs  int      `json:"n_pairs"`
	// FalseAccept is the probability that the policy accepts a mutation that changes nothing, at this noise and with as
	// many trials and pairs; nil if the noise is unknown. Method says how it was found. FalseAcceptCI are the rates at
	// the ends of the interval of the sd; nil if the rate does not depend on it.
	FalseAccept   *float64        `json:"false_accept"`
	FalseAcceptCI *stats.Interval `json:"false_accept_ci"`
	Method        string          `json:"method"`
}

// maxFalseAccept is the rate from which a decision warns.
const maxFalseAccept = 0.1

// FalseAccept returns the probability that a policy accepts a mutation that changes nothing, with normal scores, and
// how it was found.
func FalseAccept(p Policy, c Conditions) (rate float64, method string) {
	c.Gain = 0
	return p.acceptRate(c)
}

// Power returns the probability that a policy accepts a mutation that gains so much, and how it was found.
func Power(p Policy, c Conditions, gain float64) (rate float64, method string) {
	c.Gain = gain
	return p.acceptRate(c)
}

// newNoise measures the noise of evidence.
func newNoise(p Policy, d Decision, s sides) Noise {
	c := conditions(d, s)
	n := Noise{SD: finite(c.SD), N: c.NChild + c.NParent, SDPairs: finite(c.SDPairs)}
	if n.SDPairs == nil || n.SD == nil {
		n.Method = "noise unknown"
		return n
	}
	if c.dfPairs > 0 {
		n.NPairs = c.dfPairs + 1
	}
	rate, method := FalseAccept(p, c)
	n.FalseAccept, n.Method, n.FalseAcceptCI = &rate, method, falseAcceptInterval(p, c)
	return n
}

// falseAcceptInterval returns the rates over the chi-square interval of the sd that the rate depends on.
func falseAcceptInterval(p Policy, c Conditions) *stats.Interval {
	df, tail := c.degrees(p), (1-Confidence)/2
	if !(df > 0) {
		return nil
	}
	rate := func(quantile float64) float64 {
		rate, _ := FalseAccept(p, c.scaled(math.Sqrt(df/numeric.ChiSquaredQuantile(quantile, df))))
		return rate
	}
	a, b := rate(1-tail), rate(tail)
	return &stats.Interval{Lo: min(a, b), Hi: max(a, b), Confidence: Confidence, Method: "chi-square of the sd"}
}
