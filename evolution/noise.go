package evolution

import "math"

// Conditions are what a false-accept rate depends on besides the policy.
type Conditions struct {
	SD      float64 // of the score of one trial
	SDPairs float64 // of the difference of one pair
	NChild  int     // trials with a score; 0: as many as the policy weights
	NParent int
	NPairs  int // a policy that wants more counts on those it wants
	Step    int // for [Anneal]
}

// Noise says what the scores of a decision vary by, and what that means for the policy.
type Noise struct {
	SD      *float64 `json:"sd"`       // of the score of one trial, pooled within the sides; nil if no side has two
	SDPairs *float64 `json:"sd_pairs"` // of the difference of one pair; √2 times SD if there are fewer than two pairs
	// FalseAccept is the probability that the active policy accepts a mutation that changes nothing, at this noise and
	// with as many trials; nil if the noise is unknown. Method says how it was found.
	FalseAccept *float64 `json:"false_accept"`
	Method      string   `json:"method"`
	// Serves is the name of the policy that would serve, with its own false-accept rate: see [ServingPolicy].
	Serves            string   `json:"serves"`
	ServesFalseAccept *float64 `json:"serves_false_accept"`
}

// maxFalseAccept is the rate from which a decision warns.
const maxFalseAccept = 0.1

// lowNoise is the sd of single scores up to which [Threshold] gains most for its cost and its record stays about true,
// in the simulations of docs/reference/policies.md.
const lowNoise = 5.0

// ServingPolicy names the policy that serves at a noise of sd per score: "threshold" up to [lowNoise], because it is
// cheap, and beyond it, or if the noise is unknown, [RecommendedPolicy].
func ServingPolicy(sd float64) string {
	if sd <= lowNoise {
		return Threshold{}.Name()
	}
	return RecommendedPolicy // NaN too
}

// FalseAccept returns the probability that a policy accepts a mutation that changes nothing, with normal scores, and
// how it was found. Of [SPRT] and [CS] it is the rate of looking after every pair, by simulation from a fixed seed.
func FalseAccept(p Policy, c Conditions) (rate float64, method string) { return p.falseAccept(c) }

// newNoise measures the noise of evidence.
func newNoise(p Policy, d Decision, s sides) Noise {
	c := conditions(d, s)
	n := Noise{SD: finite(c.SD), SDPairs: finite(c.SDPairs), Serves: ServingPolicy(c.SD)}
	if n.SDPairs == nil || n.SD == nil {
		n.Method = "noise unknown"
		return n
	}
	rate, method := p.falseAccept(c)
	n.FalseAccept, n.Method = &rate, method
	if n.Serves == p.Name() {
		n.ServesFalseAccept = &rate
		return n
	}
	if serving, err := DefaultPolicy(n.Serves); err == nil {
		other, _ := serving.falseAccept(c)
		n.ServesFalseAccept = &other
	}
	return n
}

// conditions returns the conditions of evidence: the sd within the sides, pooled, and the sd of the differences of
// all pairs.
func conditions(d Decision, s sides) Conditions {
	child, parent := summarize(scores(s.child.scored)), summarize(scores(s.parent.scored))
	p := pairUp(s.child.scored, s.parent.scored)
	c := Conditions{
		SD: pooledSD(child, parent), SDPairs: newSample(scores(p.child), scores(p.parent)).sd,
		NChild: child.n, NParent: parent.n, NPairs: d.NPairs, Step: s.step,
	}
	switch {
	case math.IsNaN(c.SDPairs):
		c.SDPairs = c.SD * math.Sqrt2
	case math.IsNaN(c.SD):
		c.SD = c.SDPairs / math.Sqrt2
	}
	return c
}

// pooledSD returns √(Σss/Σ(n-1)) over the sides that have two values; NaN if none has.
func pooledSD(a, b sample) float64 {
	squares, df := 0.0, 0
	for _, s := range [...]sample{a, b} {
		if s.n > 1 {
			squares += float64(s.sd * s.sd * float64(s.n-1))
			df += s.n - 1
		}
	}
	return math.Sqrt(squares / float64(df)) // 0/0 is NaN
}
