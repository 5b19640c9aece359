package evolution

import (
	"math"

	"track/scoring/numeric"
	"track/scoring/stats"
)

// Confidence of the intervals of a decision.
const Confidence = 0.95

// minMatched is the share of paired trials below which a decision warns.
const minMatched = 0.8

// minPairs is the least number of pairs that have a standard deviation.
const minPairs = 2

// estimate sets the interval of the difference and P(improvement): from the pairs if there are two, else from all
// trials, with Welch's interval of delta. effective are the numbers of trials that count in the two compared values.
func (d *Decision) estimate(child, parent []Trial, effective [2]float64) {
	p := pairUp(child, parent)
	if p.n() >= minPairs {
		d.Interval = pairedInterval(newSample(scores(p.child), scores(p.parent)), p.unpaired())
		d.PImprove = improvementOf(p.child, p.parent, true)
		return
	}
	d.Interval = welchInterval(*d.Delta, spreadOf(child, effective[0]), spreadOf(parent, effective[1]))
	d.PImprove = improvementOf(child, parent, false)
}

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
// means na and nb are (Σw)²/Σw². It is nil if a side has one trial, or if the scores do not vary.
func welchInterval(delta float64, a, b spread) *Interval {
	if a.n < 2 || b.n < 2 {
		return nil
	}
	va, vb := a.sd*a.sd/a.counted, b.sd*b.sd/b.counted
	sum := va + vb
	if sum == 0 {
		return nil
	}
	df := 1 / (float64(va/sum*(va/sum)/float64(a.n-1)) + float64(vb/sum*(vb/sum)/float64(b.n-1)))
	half := float64(studentQuantile(df) * math.Sqrt(sum))
	return &Interval{Lo: delta - half, Hi: delta + half, Confidence: Confidence, Method: "welch t", Estimate: delta, N: a.n + b.n}
}

// pairedInterval returns m ± t·s/√n; nil for one pair, or if the differences do not vary. leftOut trials have no
// partner.
func pairedInterval(s sample, leftOut int) *Interval {
	if s.n < minPairs || s.sd == 0 {
		return nil
	}
	half := float64(studentQuantile(float64(s.n-1)) * s.se())
	return &Interval{
		Lo: s.mean - half, Hi: s.mean + half, Confidence: Confidence, Method: "paired t", Estimate: s.mean, N: s.n, LeftOut: leftOut,
	}
}

func studentQuantile(df float64) float64 {
	return -numeric.StudentQuantile((1-Confidence)/2, df)
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
