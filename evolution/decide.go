package evolution

import "track/scoring/stats"

// Decide judges a mutation by a policy, from evidence, with a draw: accept, reject, or continue with more evidence.
//
// It depends on its arguments alone, and not on the order of the trials. Scores that are NaN or outside their scale,
// trials that failed and have a score all the same, scores under different rubrics and a draw that does not follow from
// its key are errors. A child with at least three failed trials, and as many as the policy asks for, is rejected if no
// trial has a score.
func Decide(p Policy, e Evidence, draw Draw) (Decision, error) {
	return decideUnder(decisionVersion, p, e, draw)
}

// decideUnder decides by the rules of a version; by the present ones if it is unknown.
func decideUnder(version string, p Policy, e Evidence, draw Draw) (Decision, error) {
	d, s, err := judge(version, p, e, draw)
	if err != nil {
		return Decision{}, err
	}
	n := newNoise(p, d, s)
	d.Noise = &n
	d.warn(warnNoise, n.FalseAccept != nil && *n.FalseAccept > maxFalseAccept)
	return d.inScale(e.Scale), nil
}

func judge(version string, p Policy, e Evidence, draw Draw) (Decision, sides, error) {
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
	s.keepsWaiting = version == firstVersion || version == secondVersion
	d := Decision{
		Version: decisionVersion, Policy: p.Name(),
		NChild: len(s.child.scored), NParent: len(s.parent.scored), FailedChild: s.child.failed, FailedParent: s.parent.failed,
		Rule: []Statistic{}, UsedChild: []Use{}, UsedParent: []Use{}, Warnings: []Warning{},
	}
	if d.NChild == 0 && d.FailedChild >= max(minFailures, p.minTrials()) {
		d.reject(ChildFailed)
	} else if err := p.judge(&d, s, draw.U); err != nil {
		return Decision{}, sides{}, err
	}
	d.warnings(s)
	return d, s, nil
}

// minFailures is how many trials must fail before a child without a score is given up under any policy.
const minFailures = 3

// warnings adds the warnings that do not depend on the policy.
func (d *Decision) warnings(s sides) {
	d.warn(warnFailures, d.FailedChild+d.FailedParent > 0)
	d.warn(warnUnpaired, d.NChild+d.NParent > 0 && pairUp(s.child.scored, s.parent.scored).matchedShare() < minMatched)
	if d.Delta == nil {
		return
	}
	d.warn(warnSmallN, min(len(d.UsedChild), len(d.UsedParent)) < stats.SmallN)
	d.warn(warnZeroVariance, d.Interval == nil && min(len(d.UsedChild), len(d.UsedParent)) > 1)
	d.warn(WarnUnclear, d.Accepted && !d.Interval.IsAbove())
}
