package evolution

import (
	"math"

	"track/scoring/numeric"
	"track/scoring/stats"
)

// Confidence of the intervals of a decision.
const Confidence = 0.95

// minMatched is the smallest share of paired trials at which trials are compared pair by pair, if the policy does not
// say.
const minMatched = 0.8

// spread describes the variance of one side's mean: of single scores, from n of them, and how many count in the mean.
type spread struct {
	sd, counted float64
	n           int
}

// spreadOf takes the sd from all trials, also from those that a fitness leaves out.
func spreadOf(trials []Trial, counted float64) spread {
	s := summarize(scores(trials))
	return spread{sd: s.sd, counted: counted, n: s.n}
}

// welchInterval returns delta ± t·√(sa²/na + sb²/nb) with the Welch–Satterthwaite degrees of freedom. For weighted
// means na and nb are (Σw)²/Σw². It is nil if a side has one trial. Pairs are not used: if both sides ran the same
// tasks, the interval is rather too wide.
func welchInterval(delta float64, a, b spread) *Interval {
	if a.n < 2 || b.n < 2 {
		return nil
	}
	va, vb := a.sd*a.sd/a.counted, b.sd*b.sd/b.counted
	half := 0.0
	if sum := va + vb; sum > 0 {
		df := 1 / (float64(va/sum*(va/sum)/float64(a.n-1)) + float64(vb/sum*(vb/sum)/float64(b.n-1)))
		half = studentQuantile(df) * math.Sqrt(sum)
	}
	return &Interval{Lo: delta - half, Hi: delta + half, Confidence: Confidence, Method: "welch t"}
}

// pairedInterval returns m ± t·s/√n; nil for one pair.
func pairedInterval(s sample) *Interval {
	if s.n < 2 {
		return nil
	}
	half := float64(studentQuantile(float64(s.n-1)) * s.se())
	return &Interval{Lo: s.mean - half, Hi: s.mean + half, Confidence: Confidence, Method: "paired t"}
}

func studentQuantile(df float64) float64 {
	return -numeric.StudentQuantile((1-Confidence)/2, df)
}

// improvement returns P(child > parent): pair by pair if nearly all are paired, else over all trials of both sides.
func improvement(child, parent []Trial, p pairing) *PImprove {
	if p.matchedShare() >= minMatched {
		return improvementOf(p.child, p.parent, true)
	}
	return improvementOf(child, parent, false)
}

// improvementOf returns nil without trials. The scores were checked before, so stats returns no other error.
func improvementOf(child, parent []Trial, paired bool) *PImprove {
	var p stats.ProbImprovement
	var err error
	if paired {
		p, err = stats.NewProbImprovement(scores(child), scores(parent), Confidence)
	} else {
		p, err = stats.NewProbImprovementUnpaired(scores(child), scores(parent))
	}
	if err != nil {
		return nil
	}
	out := &PImprove{Value: p.Value, N: p.N, Paired: paired, Wins: p.Wins, Losses: p.Losses, Ties: p.Ties}
	if i := p.Decided.Interval; i.Defined() {
		out.Lo, out.Hi = &i.Lo, &i.Hi
	}
	return out
}
