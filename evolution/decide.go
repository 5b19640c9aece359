package evolution

import (
	"track/scoring/stats"
)

// Decide judges a mutation by a policy, from evidence, with a draw: accept, reject, or continue with more evidence. If
// the evidence names tasks to be measured, an acceptance waits for them: see [Measurement].
//
// It depends on its arguments alone, and not on the order of the trials. Scores that are NaN or outside their scale,
// trials that failed and have a score all the same, scores under different rubrics and a draw that does not follow from
// its key are errors.
func Decide(p Policy, e Evidence, draw Draw) (Decision, error) {
	d, s, err := judge(p, e, draw)
	if err != nil {
		return Decision{}, err
	}
	n := newNoise(p, d, s)
	d.Noise = &n
	d.warn(warnNoise, n.FalseAccept != nil && *n.FalseAccept > maxFalseAccept)
	return d.inScale(e.Scale), nil
}

func judge(p Policy, e Evidence, draw Draw) (Decision, sides, error) {
	if err := p.validate(); err != nil {
		return Decision{}, sides{}, err
	}
	if err := verifyLabel(draw, LabelExplore); err != nil {
		return Decision{}, sides{}, err
	}
	if err := e.Scale.CheckPoints(p); err != nil {
		return Decision{}, sides{}, err
	}
	s, err := newSides(e)
	if err != nil {
		return Decision{}, sides{}, err
	}
	d := Decision{
		Version: decisionVersion, Policy: p.Name(),
		NChild: len(s.child.trials), NParent: len(s.parent.trials), FailedChild: s.child.failed, FailedParent: s.parent.failed,
		Rule: []Statistic{}, UsedChild: []Use{}, UsedParent: []Use{}, Warnings: []Warning{},
	}
	if d.NChild == 0 && d.FailedChild >= minFailures { // failed trials are excluded
		d.reject(ChildFailed)
	} else if err := p.judge(&d, s, draw.U); err != nil {
		return Decision{}, sides{}, err
	}
	d.warnings(p, s)
	if d.Accepted && e.Measurement != nil {
		err = d.measureAfter(e.Measurement, s)
	}
	return d, s, err
}

// minFailures is how many trials must fail before a child is given up whose failures are excluded.
const minFailures = 3

// measureAfter adds the gain that was measured after the acceptance, or waits for it.
func (d *Decision) measureAfter(m *Measurement, s sides) (err error) {
	child, parent := m.Missing()
	if len(child)+len(parent) > 0 {
		d.wait(Need{Child: len(child), Parent: len(parent), ChildKeys: child, ParentKeys: parent, Measure: true})
		d.Label = measuring
		return nil
	}
	d.Measured, err = measureGain(m, s.measuredChild.trials, s.measuredParent.trials)
	return err
}

// warnings adds the warnings, the one that matters most first.
func (d *Decision) warnings(p Policy, s sides) {
	_, isThreshold := p.(Threshold)
	pairs := pairUp(s.child.trials, s.parent.trials)
	d.warn(warnContradiction, isThreshold && d.State != Continue && contradicts(d.Accepted, pairs))
	d.warn(warnFailures, s.failures == FailuresExclude && d.FailedChild+d.FailedParent > 0)
	d.warn(warnUnpaired, d.NChild+d.NParent > 0 && isThreshold && pairs.matchedShare() < minMatched)
	if d.Delta == nil || !isThreshold {
		return
	}
	d.warn(warnSmallN, min(len(d.UsedChild), len(d.UsedParent)) < stats.SmallN)
	d.warn(warnZeroVariance, d.Interval == nil && min(len(d.UsedChild), len(d.UsedParent)) > 1)
	d.warn(WarnUnclear, d.Accepted && !d.Interval.IsAbove())
}

// contradicts reports whether the mean of the pairs says the opposite of a verdict.
func contradicts(accepted bool, p pairing) bool {
	if p.n() == 0 {
		return false
	}
	mean := newSample(scores(p.child), scores(p.parent)).mean
	return accepted && mean < 0 || !accepted && mean > 0
}
