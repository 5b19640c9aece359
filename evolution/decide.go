package evolution

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"track/scoring/numeric"
	"track/scoring/rubric"
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

// DecisionPlan says how many trials a decision takes on a child that has none.
type DecisionPlan struct {
	// ParentFirst is how many trials of the parent are made before a child is worth its price: they show that trials
	// can be scored at all.
	ParentFirst int
	// Child and Parent are how many trials of each side the decision can take at most.
	Child, Parent int
}

// PlanDecision returns the plan of a decision by a policy on a new child of a parent with these trials. tasks is how
// many tasks decide, 0 if that is unknown, and measured on how many the gain is measured. It is an error if the policy
// cannot decide on scores of the scale, or on these trials.
func PlanDecision(p Policy, e Evidence, tasks, measured int) (plan DecisionPlan, err error) {
	if _, _, err := judge(p, Evidence{Parent: e.Parent, Scale: e.Scale, Failures: e.Failures}, NewDraw(DrawKey{Label: LabelExplore})); err != nil {
		return plan, err
	}
	if !slices.ContainsFunc(e.Parent, func(t Trial) bool { return t.Score != nil }) {
		plan.ParentFirst = 1
	}
	switch p := p.(type) {
	case Confirm:
		plan.Child, plan.Parent = p.Pairs, p.Pairs
	case Greedy:
		plan.Child, plan.Parent = max(1, tasks), max(1, tasks)
	default:
		plan.Child, plan.Parent = 1, plan.ParentFirst
	}
	plan.Child, plan.Parent = plan.Child+measured, plan.Parent+measured
	return plan, nil
}

// Need says what evidence is missing.
type Need struct {
	Child  int `json:"child"`  // more trials with a score
	Parent int `json:"parent"` // more trials with a score
	Pairs  int `json:"pairs"`  // pairs of the same task or seed that they must form; 0 if they need not
	// ChildKeys are tasks or seeds that the parent has done and the child has not: do these first, of which Child are
	// enough. ParentKeys is the same for the parent. The rest is for both sides, on tasks or seeds that the caller
	// chooses.
	ChildKeys  []string `json:"child_keys"`
	ParentKeys []string `json:"parent_keys"`
	// Measure says that the policy accepts, and that the gain is to be measured on the tasks of ChildKeys and
	// ParentKeys.
	Measure bool `json:"measure"`
}

// needTrials returns the need for trials of one side that need no partner.
func needTrials(child, parent int) Need {
	return Need{Child: child, Parent: parent, ChildKeys: []string{}, ParentKeys: []string{}}
}

// needPairs returns the need for n more pairs. Trials without a partner supply half a pair each.
func needPairs(n int, p pairing) Need {
	childKeys := firstKeys(p.openParent, n)
	parentKeys := firstKeys(p.openChild, n-len(childKeys))
	return Need{
		Child: n - len(parentKeys), Parent: n - len(childKeys), Pairs: n,
		ChildKeys: childKeys, ParentKeys: parentKeys,
	}
}

func firstKeys(trials []Trial, n int) []string {
	keys := make([]string, 0, min(n, len(trials)))
	for _, t := range trials[:min(n, len(trials))] {
		keys = append(keys, t.Key)
	}
	return keys
}

// Text returns a label for people. A band of [Threshold] has the condition that it stands for. The source
// calls a delta above 5 a significant improvement; that name is added only if an interval shows the improvement,
// because the band is no test. Labels in JSON are the codes of the source.
func (l Label) Text(policy string, params []byte, shown bool) string {
	p, err := ParsePolicy(policy, params)
	if err != nil {
		return l.Name()
	}
	bands, ok := p.(Threshold)
	if !ok {
		return l.Name()
	}
	switch l {
	case Significant:
		text := fmt.Sprintf("%s (delta > %v)", l.Name(), bands.Significant)
		if shown {
			text += ", in the source " + string(l)
		}
		return text
	case marginal:
		return fmt.Sprintf("%s (delta > %v)", l, bands.Marginal)
	case exploration:
		return fmt.Sprintf("%s (delta > %v)", l, bands.Explore)
	case regression:
		return fmt.Sprintf("%s (delta <= %v)", l, bands.Explore)
	}
	return l.Name()
}

// Name returns what a label is called where no interval stands next to it.
func (l Label) Name() string {
	if l == Significant {
		return "large_improvement"
	}
	return strings.ReplaceAll(string(l), "_", " ")
}

// IsAbove reports whether the interval shows a difference above 0; nil shows none.
func (i *Interval) IsAbove() bool { return i != nil && i.Lo > 0 }

// Reason says in words why a decision has a label, where the difference alone does not say it; else it is empty.
func (l Label) Reason() string {
	switch l {
	case screenedOut:
		return "clearly worse in the first pairs"
	case futile:
		return "more pairs would hardly show an improvement"
	case noImprovement:
		return "the pairs show no improvement"
	case ChildFailed:
		return "all its trials failed"
	}
	return ""
}

// Warning is a reason to trust a decision less. It is data: the code is stable, [Warning.Message] is for people.
type Warning string

// The warnings.
const (
	warnSmallN        Warning = "small_n"
	warnZeroVariance  Warning = "zero_variance"
	warnFailures      Warning = "failures"
	warnUnpaired      Warning = "unpaired"
	WarnUnclear       Warning = "unclear"
	warnNoise         Warning = "noise"
	warnContradiction Warning = "contradiction"
)

// Message says the warning in a sentence.
func (w Warning) Message() string {
	switch w {
	case warnSmallN:
		return "n too small: fewer than 5 trials on a side, or fewer than 5 pairs"
	case warnZeroVariance:
		return "the scores or differences do not vary, so there is no interval: that says nothing about other tasks or seeds"
	case warnFailures:
		return "some trials failed and are left out, as set: the scores compare those that survived"
	case warnUnpaired:
		return "fewer than 80% of the trials have a partner with the same task or seed"
	case WarnUnclear:
		return "accepted, though no interval shows the difference to be above 0"
	case warnNoise:
		return "at this noise the policy accepts more than one in ten mutations that change nothing"
	case warnContradiction:
		return "the pairs on common tasks say the opposite: threshold compares the last five trials of each side, whatever their tasks"
	}
	return string(w)
}

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

// Conditions are what a false-accept rate depends on besides the policy.
type Conditions struct {
	SD      float64 // of the score of one trial
	SDPairs float64 // of the difference of one pair
	NChild  int     // trials with a score; 0: as many as the policy weights
	NParent int
	NPairs  int // a policy that wants more counts on those it wants
	// Gain is by how much the child is better than its parent: 0 for the rate of false accepts.
	Gain float64
	// Shared says how far the two fitnesses of [Threshold] rest on the same tasks: the sum over pairs of the products
	// of their weights, each side's weights having the sum 1. [Conditions.Paired] sets it if every trial has a partner.
	Shared float64

	df, dfPairs int // degrees of freedom of SD and SDPairs; dfPairs is 0 if SDPairs follows from SD
}

// Paired returns the conditions with n trials on each side, on the same tasks in the same order.
func (c Conditions) Paired(n int) Conditions {
	c.NChild, c.NParent, c.NPairs, c.Shared = n, n, n, 1/weightedN(n)
	return c
}

// conditions returns the conditions of evidence: the sd within the sides, pooled, and the sd of the differences of
// all pairs. Differences that do not vary although the scores do tell nothing of their sd, so it follows from that of
// the scores.
func conditions(d Decision, s sides) Conditions {
	child, parent := summarize(scores(s.child.trials)), summarize(scores(s.parent.trials))
	p := pairUp(s.child.trials, s.parent.trials)
	c := Conditions{
		SD: pooledSD(child, parent), SDPairs: newSample(scores(p.child), scores(p.parent)).sd,
		NChild: child.n, NParent: parent.n, NPairs: d.NPairs, Shared: sharedWeights(d, p),
		df: max(0, child.n-1) + max(0, parent.n-1), dfPairs: max(0, p.n()-1),
	}
	switch {
	case math.IsNaN(c.SDPairs), c.SDPairs == 0 && c.SD > 0:
		c.SDPairs, c.dfPairs, c.Shared = c.SD*math.Sqrt2, 0, 0
	case math.IsNaN(c.SD):
		c.SD = c.SDPairs / math.Sqrt2
	}
	return c
}

// sharedWeights returns [Conditions.Shared] of the trials that a decision used.
func sharedWeights(d Decision, p pairing) float64 {
	partner := make(map[string]string, p.n())
	for i, t := range p.child {
		partner[t.ID] = p.parent[i].ID
	}
	weight, total := make(map[string]float64, len(d.UsedParent)), [2]float64{}
	for _, u := range d.UsedParent {
		weight[u.ID] = u.Weight
		total[1] += u.Weight
	}
	shared := 0.0
	for _, u := range d.UsedChild {
		total[0] += u.Weight
		shared += float64(u.Weight * weight[partner[u.ID]])
	}
	if shared == 0 {
		return 0
	}
	return shared / total[0] / total[1]
}

// variances returns the variance of the difference of two fitnesses that change nothing, in two parts: from single
// scores, and from the pairs that share tasks.
func (c Conditions) variances() (alone, paired float64) {
	rest := max(0, 1/weightedN(c.NChild)+1/weightedN(c.NParent)-2*c.Shared)
	return float64(c.SD * c.SD * rest), float64(c.SDPairs * c.SDPairs * c.Shared)
}

// degrees returns the degrees of freedom of the variance that the rate of a policy depends on, by Satterthwaite's
// approximation for its two parts. It returns 0 if the rate depends on no variance: only that of [Threshold] does.
func (c Conditions) degrees(p Policy) float64 {
	alone, paired := c.variances()
	if _, ok := p.(Threshold); !ok || alone+paired == 0 {
		return 0
	}
	df, dfPairs := float64(c.df), float64(c.dfPairs)
	if c.dfPairs == 0 {
		dfPairs = df
	}
	inverse := 0.0
	if alone > 0 {
		inverse += float64(alone * alone / df)
	}
	if paired > 0 {
		inverse += float64(paired * paired / dfPairs)
	}
	return (alone + paired) * (alone + paired) / inverse
}

// scaled returns the conditions at a noise that is so many times larger.
func (c Conditions) scaled(factor float64) Conditions {
	c.SD, c.SDPairs = c.SD*factor, c.SDPairs*factor
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
