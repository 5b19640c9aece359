package evolution

import "track/scoring/rubric"

// decisionVersion names the rules by which [Decide] decides. It changes when equal evidence could give another
// decision.
const decisionVersion = "decide/4"

// State is the outcome of a decision.
type State string

// The states.
const (
	Accept   State = "accept"
	Reject   State = "reject"
	Continue State = "continue" // more evidence is needed: see [Decision.Need]
)

// Label says why a decision was made. Whether the mutation was accepted is stored apart from it: an exploration may be
// either.
type Label string

// Labels of [Threshold]: the bands of its table.
const (
	Significant Label = "significant_improvement"
	marginal    Label = "marginal_improvement"
	exploration Label = "exploration"
	regression  Label = "regression"
)

// Labels of the other policies.
const (
	Improvement   Label = "improvement"
	noImprovement Label = "no_improvement" // not shown by all pairs
	screenedOut   Label = "screened_out"   // [Confirm]: clearly worse in the first pairs
	futile        Label = "futile"         // [Confirm]: further pairs would hardly show an improvement
)

// Labels under every policy.
const (
	needsEvidence Label = "needs_evidence"
	measuring     Label = "measuring" // the policy accepts, and the gain is still to be measured on all tasks
	ChildFailed   Label = "failed"    // failed trials are excluded, and no trial of the child has a score
)

// Decision is the verdict on one mutation with what it follows from.
type Decision struct {
	Version  string `json:"version"`
	Policy   string `json:"policy"`
	State    State  `json:"state"`
	Accepted bool   `json:"accepted"`
	Label    Label  `json:"label"`
	// OldScore and NewScore are the values of parent and child that the policy compared, and Delta is their difference,
	// rounded to 9 decimals. Interval is an interval of the true difference at 95 %, from the pairs if there are two.
	// Only [Threshold] has one: the other policies stop when the pairs look good, so such an interval would be wrong,
	// and Measured has the gain. Nil if there is none.
	OldScore *float64  `json:"old_score"`
	NewScore *float64  `json:"new_score"`
	Delta    *float64  `json:"delta"`
	Interval *Interval `json:"interval"`
	PImprove *PImprove `json:"p_improve"`
	// Fitness is what to record as the fitness of the child; nil if no such value exists.
	Fitness *float64 `json:"fitness"`
	// Rule is what the policy compared with its limits, in order.
	Rule []Statistic `json:"rule"`

	NChild       int `json:"n_child"` // trials that count, failed ones too unless they are excluded
	NParent      int `json:"n_parent"`
	FailedChild  int `json:"failed_child"`
	FailedParent int `json:"failed_parent"`
	NPairs       int `json:"n_pairs"` // that the policy used; all pairs, if it uses none
	// Measured is what the run on all tasks found after the acceptance; nil without one.
	Measured *Measured `json:"measured"`
	// UsedChild and UsedParent are the trials that counted, with their weights; a pair has the same index in both.
	UsedChild  []Use `json:"used_child"`
	UsedParent []Use `json:"used_parent"`

	Need *Need `json:"need"` // for [Continue]
	// P is the probability with which the evidence leads to acceptance: accepted iff the draw is below it. It is 0 or 1
	// if the draw changes nothing; DrawUsed is then false.
	P        float64   `json:"p"`
	DrawUsed bool      `json:"draw_used"`
	Noise    *Noise    `json:"noise"`
	Warnings []Warning `json:"warnings"`
}

// Interval is a closed interval of a difference of scores.
type Interval struct {
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	Confidence float64 `json:"confidence"`
	Method     string  `json:"method"` // "paired t" or "welch t"
	// Estimate is what the interval is around: the mean difference of the pairs, or delta without pairs. N counts the
	// pairs, or the trials of both sides. LeftOut counts trials with a score that have no partner.
	Estimate float64 `json:"estimate"`
	N        int     `json:"n"`
	LeftOut  int     `json:"left_out"`
}

// PImprove is the probability that the child beats the parent, a tie counting half: [stats.ProbImprovement].
type PImprove struct {
	Value  float64 `json:"value"`
	N      int     `json:"n"`      // comparisons
	Paired bool    `json:"paired"` // pair by pair; else every trial of the child against every trial of the parent
	Wins   int     `json:"wins"`
	Losses int     `json:"losses"`
	Ties   int     `json:"ties"`
	// Lo and Hi are the Wilson interval at 95 % of the share of wins among pairs that are not ties; nil if there is
	// none.
	Lo *float64 `json:"lo"`
	Hi *float64 `json:"hi"`
}

// Statistic is a number that a policy compares with limits. A number or limit that is nil is infinite or missing.
type Statistic struct {
	Name   string   `json:"name"`
	Value  *float64 `json:"value"`
	Accept *float64 `json:"accept"`
	Reject *float64 `json:"reject"`
}

// Use is one trial that counts in a decision.
type Use struct {
	ID     string  `json:"id"`
	Key    string  `json:"key,omitempty"`
	Score  float64 `json:"score"` // of a failed trial, what it counts as
	Weight float64 `json:"weight"`
	Failed string  `json:"failed,omitempty"`
}

// used returns trials of equal weight.
func used(trials []Trial) []Use {
	list := make([]Use, len(trials))
	for i, t := range trials {
		list[i] = Use{ID: t.ID, Key: t.Key, Score: *t.Score, Weight: 1, Failed: t.Failed}
	}
	return list
}

// weighted returns trials with the weights of a fitness, newest first.
func weighted(f rubric.FitnessResult, trials []Trial) []Use {
	known := make(map[string]Trial, len(trials))
	for _, t := range trials {
		known[t.ID] = t
	}
	list := make([]Use, len(f.Used))
	for i, u := range f.Used {
		list[i] = Use{ID: u.ID, Key: known[u.ID].Key, Score: u.Value, Weight: u.Weight, Failed: known[u.ID].Failed}
	}
	return list
}

// compare sets what was compared.
func (d *Decision) compare(old, new float64) {
	old, new = round9(old), round9(new)
	delta := round9(new - old)
	d.OldScore, d.NewScore, d.Delta = &old, &new, &delta
}

// settle decides: accept with probability p.
func (d *Decision) settle(label Label, p, u float64) {
	d.Label, d.P, d.Accepted = label, p, u < p
	d.DrawUsed = p > 0 && p < 1
	d.State = Reject
	if d.Accepted {
		d.State = Accept
	}
}

// accept decides without the draw.
func (d *Decision) accept(label Label) { d.settle(label, 1, 0) }
func (d *Decision) reject(label Label) { d.settle(label, 0, 0) }

// wait asks for more evidence.
func (d *Decision) wait(n Need) {
	d.reject(needsEvidence)
	d.State, d.Need, d.Fitness = Continue, &n, nil
}

func (d *Decision) warn(w Warning, when bool) {
	if when {
		d.Warnings = append(d.Warnings, w)
	}
}

// measure adds a statistic of the rule with its limits. A value that is not finite becomes nil, because JSON has no
// infinity.
func (d *Decision) measure(name string, value, accept, reject float64) {
	d.Rule = append(d.Rule, Statistic{name, finite(value), finite(accept), finite(reject)})
}
