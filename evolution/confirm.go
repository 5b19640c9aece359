package evolution

import (
	"fmt"
	"math"

	"track/scoring/numeric"
)

// Confirm screens with few trials and confirms with fresh ones.
//
//	stage 1  the first N1 trials of the child: their mean above the mean of all the parent's trials until then, or reject
//	stage 2  the first N2 fresh pairs, under [POI] with Tau and C
//
// The choice in stage 1 favours children that were lucky there, so nothing of it is recorded as the child's fitness:
// only stage 2 is. A trial is fresh if stage 1 did not use it. A parent that has no trial until then is screened
// with its first N1.
type Confirm struct {
	N1  int     `json:"n1"`
	N2  int     `json:"n2"`
	C   float64 `json:"c"`
	Tau float64 `json:"tau"`
}

// Name returns "confirm".
func (Confirm) Name() string { return "confirm" }

// validate returns an error for the first parameter outside its domain.
func (p Confirm) validate() error {
	return validate(p, count("n1", p.N1, 1), count("n2", p.N2, 2), openUnit("c", p.C), positive("tau", p.Tau))
}

func (p Confirm) minTrials() int { return p.N1 }

func (p Confirm) poi() POI { return POI{Tau: p.Tau, C: p.C, NMin: p.N2} }

func (p Confirm) judge(d *Decision, s sides, _ float64) error {
	child, parent := s.child.scored, s.parent.scored
	pool := p.pool(child, parent)
	if len(child) < p.N1 || len(pool) == 0 {
		missing := 0
		if len(parent) == 0 || len(child) >= p.N1 {
			missing = p.N1 - len(parent)
		}
		d.wait(needTrials(max(0, p.N1-len(child)), missing))
		return nil
	}
	screened := summarize(scores(child[:p.N1]))
	pooled := summarize(scores(pool))
	d.compare(pooled.mean, screened.mean)
	d.measure("stage_1_mean", *d.NewScore, *d.OldScore, *d.OldScore)
	if *d.Delta <= 0 {
		d.screenOut(child[:p.N1], pool)
		return nil
	}
	p.confirm(d, pairUp(child[p.N1:], parent[len(pool):]))
	return nil
}

// pool returns the parent's trials until stage 1 ended, or its first N1 if it had none. It returns none if the parent
// has fewer than N1 or stage 1 is not over.
func (p Confirm) pool(child, parent []Trial) []Trial {
	if len(child) < p.N1 {
		return nil
	}
	n, end := 0, child[p.N1-1]
	for n < len(parent) && p.until(parent[n], end) {
		n++
	}
	if n == 0 && len(parent) >= p.N1 {
		n = p.N1
	}
	return parent[:n]
}

// until reports whether a trial of the parent is no later than the end of stage 1; without times, ids are compared.
func (Confirm) until(t, end Trial) bool {
	if t.At.IsZero() {
		return t.ID < end.ID
	}
	return !t.At.After(end.At)
}

func (d *Decision) screenOut(child, pool []Trial) {
	d.UsedChild, d.UsedParent = used(child), used(pool)
	d.estimate(child, pool, [2]float64{float64(len(child)), float64(len(pool))})
	d.reject(screenedOut)
}

func (p Confirm) confirm(d *Decision, fresh pairing) {
	d.OldScore, d.NewScore, d.Delta = nil, nil, nil // those of stage 1 are biased
	if missing := p.N2 - fresh.n(); missing > 0 {
		d.comparePairs(fresh)
		need := needPairs(missing, fresh)
		need.Fresh = true
		d.wait(need)
		return
	}
	p.poi().rule(d, d.comparePairs(fresh.first(p.N2)))
}

// acceptRate returns the rate of stage 1, 1/2 without a gain, times that of stage 2, which is independent of it.
func (p Confirm) acceptRate(c Conditions) (float64, string) {
	if c.SDPairs == 0 {
		return indicator(c.Gain > 0), "exact" // no difference is not above the parent
	}
	c.NPairs = p.N2
	rate, method := p.poi().acceptRate(c)
	if c.Gain == 0 {
		return rate / 2, fmt.Sprintf("%s, half screened out", method)
	}
	screening := c.SD * math.Sqrt(1/float64(p.N1)+1/float64(max(1, c.NParent)))
	return rate * numeric.NormalCDF(c.Gain/screening), method + ", after the screening"
}
