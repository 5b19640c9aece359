package evolution

// Bands is [Threshold] on at least NMin trials with a score on each side: one lucky trial decides nothing. It is the
// default policy. A child without so many scores is given up after twice as many failed trials, and at least three.
type Bands struct {
	Threshold
	NMin int `json:"n_min"`
}

// Name returns "bands".
func (Bands) Name() string { return "bands" }

// validate returns an error for the first parameter outside its domain.
func (p Bands) validate() error {
	return validate(p, append(p.domains(), count("n_min", p.NMin, 1))...)
}

func (p Bands) minTrials() int { return p.NMin }

func (p Bands) judge(d *Decision, s sides, u float64) error {
	child, parent := p.NMin-len(s.child.scored), p.NMin-len(s.parent.scored)
	if child > 0 && s.child.failed >= max(minFailures, 2*p.NMin) && !s.keepsWaiting {
		d.reject(ChildFailed)
		return nil
	}
	if child > 0 || parent > 0 {
		d.wait(needTrials(max(0, child), max(0, parent)))
		return nil
	}
	return p.Threshold.judge(d, s, u)
}

// bandsOf returns the bands of a policy; ok is false if it has none.
func bandsOf(p Policy) (bands Threshold, ok bool) {
	switch p := p.(type) {
	case Threshold:
		return p, true
	case Bands:
		return p.Threshold, true
	}
	return Threshold{}, false
}
