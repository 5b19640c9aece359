package evolution

import (
	"math"
	"slices"

	"track/scoring/numeric"
	"track/scoring/stats"
)

// Noise says what the scores of a decision vary by, and what that means for the policy.
type Noise struct {
	SD *float64 `json:"sd"` // of the score of one trial, pooled within the sides; nil if no side has two
	N  int      `json:"n"`  // trials with a score, of both sides
	// SDPairs is the sd of the difference of one pair, from NPairs pairs; √2 times SD, and NPairs 0, if there are fewer
	// than two pairs.
	SDPairs *float64 `json:"sd_pairs"`
	NPairs  int      `json:"n_pairs"`
	// FalseAccept is the probability that the active policy accepts a mutation that changes nothing, at this noise and
	// with as many trials and pairs; nil if the noise is unknown. Method says how it was found. FalseAcceptCI are the
	// rates at the ends of the interval of the sd; nil if the scores do not vary.
	FalseAccept   *float64        `json:"false_accept"`
	FalseAcceptCI *stats.Interval `json:"false_accept_ci"`
	Method        string          `json:"method"`
	// Serves is the name of the policy that would serve, with its own false-accept rate: see [ServingPolicy].
	Serves            string   `json:"serves"`
	ServesFalseAccept *float64 `json:"serves_false_accept"`
}

// maxFalseAccept is the rate from which a decision warns.
const maxFalseAccept = 0.1

// lowNoise is the sd of single scores up to which [Bands] gains most for its cost and its record stays about true,
// in the simulations of docs/reference/policies.md.
const lowNoise = 5.0

// ServingPolicy names the policy that serves at a noise of sd per score: "bands" up to [lowNoise], because it is
// cheap, and beyond it, or if the noise is unknown, [RecommendedPolicy].
func ServingPolicy(sd float64) string {
	if sd <= lowNoise {
		return Bands{}.Name()
	}
	return RecommendedPolicy // NaN too
}

// FalseAccept returns the probability that a policy accepts a mutation that changes nothing, with normal scores, and
// how it was found. Of [SPRT] and [CS] it is the rate of looking after every pair, by simulation from a fixed seed.
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
	n := Noise{SD: finite(c.SD), N: c.NChild + c.NParent, SDPairs: finite(c.SDPairs), Serves: ServingPolicy(c.SD)}
	if n.SDPairs == nil || n.SD == nil {
		n.Method = "noise unknown"
		return n
	}
	if c.dfPairs > 0 {
		n.NPairs = c.dfPairs + 1
	}
	rate, method, interval := falseAcceptRates(p, c)
	n.FalseAccept, n.Method, n.FalseAcceptCI = &rate, method, interval
	if n.Serves == p.Name() {
		n.ServesFalseAccept = &rate
		return n
	}
	if serving, err := DefaultPolicy(n.Serves); err == nil {
		other, _ := serving.acceptRate(c)
		n.ServesFalseAccept = &other
	}
	return n
}

// simulatedPolicy has rates from a simulation, of several sds at once.
type simulatedPolicy interface {
	limits() (nMin, nMax int)
	acceptRates(gain float64, sds ...float64) (rates []float64, method string)
}

// falseAcceptRates returns the rate of a policy, and those over the chi-square interval of the sd that it depends on;
// nil if the scores do not vary. The rates of a simulation are widened by its own Wilson interval.
func falseAcceptRates(p Policy, c Conditions) (rate float64, method string, i *stats.Interval) {
	df, tail := c.degrees(p), (1-Confidence)/2
	if !(df > 0) {
		rate, method = p.acceptRate(c)
		return rate, method, nil
	}
	factors := [...]float64{1, math.Sqrt(df / numeric.ChiSquaredQuantile(1-tail, df)), math.Sqrt(df / numeric.ChiSquaredQuantile(tail, df))}
	i = &stats.Interval{Confidence: Confidence, Method: "chi-square of the sd"}
	simulated, ok := p.(simulatedPolicy)
	if !ok {
		rate, method = p.acceptRate(c)
		low, _ := p.acceptRate(c.scaled(factors[1]))
		high, _ := p.acceptRate(c.scaled(factors[2]))
		i.Lo, i.Hi = min(rate, low, high), max(rate, low, high)
		return rate, method, i
	}
	rates, method := simulated.acceptRates(0, c.SDPairs, float64(c.SDPairs*factors[1]), float64(c.SDPairs*factors[2]))
	_, nMax := simulated.limits()
	i.Lo, i.Hi = widened(slices.Min(rates), slices.Max(rates), repetitions(nMax))
	i.Method += " and simulation"
	return rates[0], method, i
}

// widened adds the Wilson intervals of n simulations to the ends of an interval.
func widened(lo, hi float64, n int) (float64, float64) {
	a, errA := stats.Wilson(int(math.Round(lo*float64(n))), n, Confidence)
	b, errB := stats.Wilson(int(math.Round(hi*float64(n))), n, Confidence)
	if errA != nil || errB != nil {
		return 0, 1
	}
	return a.Interval.Lo, b.Interval.Hi
}
