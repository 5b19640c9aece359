package evolution

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"track/scoring/numeric"
	"track/scoring/stats"
)

// ErrEvidence is wrapped by the errors of invalid evidence.
var ErrEvidence = errors.New("evidence")

// ErrMixedScores is wrapped, with [ErrEvidence], if scores under different rubrics or specs are compared.
var ErrMixedScores = errors.New("under")

// Trial is one execution of an agent version, or one seed of a scenario under a configuration.
type Trial struct {
	ID string `json:"id"` // unique in the evidence
	// Key is the task or the seed that pairs it with a trial of the other side; empty for none.
	Key string    `json:"key,omitempty"`
	At  time.Time `json:"at,omitzero"` // known of all or of none; microseconds count
	// Score is 0 to 100 (of a seed, 100 times its total score) unless the evidence has another scale. It is nil if the
	// trial failed, even if part of a score was measured before: a failed trial counts as the worst score.
	Score  *float64 `json:"score"`
	Failed string   `json:"failed,omitempty"` // why there is no score: timeout, crash, invalid, …
	// Under names the rubric or spec of the score. Scores under different ones are not compared.
	Under string `json:"under,omitempty"`
}

// Evidence is what a decision follows from, besides its policy and its draw. The order of the trials does not matter:
// they are sorted by time, then by id.
type Evidence struct {
	Child  []Trial `json:"child"`
	Parent []Trial `json:"parent"`
	// Since is when the mutation was proposed: trials of the parent from before are not made side by side with the
	// child's, so no pair with them confirms. Zero if any trial will do, as for seeds of a simulation.
	Since time.Time `json:"since,omitzero"`
	// Scale is nil if scores are from 0 to 100.
	Scale *Scale `json:"scale,omitempty"`
	// Failures says how failed trials count; empty for [FailuresAsWorst].
	Failures FailureRule `json:"failures,omitempty"`
	// Tasks is how many tasks decide; 0 if that is unknown. [Greedy] wants a pair of each.
	Tasks int `json:"tasks,omitempty"`
	// Measurement is the run on all tasks that follows an acceptance; nil for none.
	Measurement *Measurement `json:"measurement,omitempty"`
}

// side is one side of the evidence, oldest first. Each trial has a score, in points of which more are better.
type side struct {
	trials []Trial
	failed int
}

// sides is evidence that has been checked and put in order.
type sides struct {
	child, parent                 side
	measuredChild, measuredParent side
	since                         time.Time
	tasks                         int
	failures                      FailureRule
}

// fresh returns the pairs that were made side by side.
func (s sides) fresh() pairing {
	parent := slices.DeleteFunc(slices.Clone(s.parent.trials), func(t Trial) bool { return t.At.Before(s.since) })
	return pairUp(s.child.trials, parent)
}

// sorted returns the evidence in the order in which it is decided and hashed, with times as they are stored.
func (e Evidence) sorted() Evidence {
	e.Child, e.Parent, e.Measurement = sortedTrials(e.Child), sortedTrials(e.Parent), e.Measurement.sorted()
	if !e.Since.IsZero() {
		e.Since = e.Since.UTC().Truncate(time.Microsecond)
	}
	return e
}

func sortedTrials(list []Trial) []Trial {
	out := slices.Clone(list)
	if out == nil {
		out = []Trial{} // [] in JSON, not null
	}
	for i := range out {
		if !out[i].At.IsZero() {
			out[i].At = out[i].At.UTC().Truncate(time.Microsecond)
		}
	}
	slices.SortFunc(out, age)
	return out
}

// age orders from oldest to newest.
func age(a, b Trial) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) }

// newSides checks evidence and puts it in order.
func newSides(e Evidence) (s sides, err error) {
	e = e.sorted()
	if err := e.validate(); err != nil {
		return s, err
	}
	c := checker{ids: map[string]bool{}, scale: e.Scale, failures: e.Failures}
	if err := c.checkAll(e); err != nil {
		return s, err
	}
	s = sides{child: c.side(e.Child), parent: c.side(e.Parent), since: e.Since, tasks: e.Tasks, failures: e.Failures}
	if m := e.Measurement; m != nil {
		s.measuredChild, s.measuredParent = c.side(m.Child), c.side(m.Parent)
	}
	return s, nil
}

func (e Evidence) validate() error {
	if err := cmp.Or(e.Scale.validate(), e.Failures.validate()); err != nil {
		return fmt.Errorf("%w: %w", ErrEvidence, err)
	}
	if e.Measurement != nil {
		return e.Measurement.validate()
	}
	return nil
}

// checker remembers what must agree between trials.
type checker struct {
	ids      map[string]bool
	scale    *Scale
	failures FailureRule
	timed    int
	under    *string
	scores   []float64 // in points
}

// checkAll checks all trials of evidence.
func (c *checker) checkAll(e Evidence) error {
	sides := map[string][]Trial{"child": e.Child, "parent": e.Parent}
	if m := e.Measurement; m != nil {
		sides["measured child"], sides["measured parent"] = m.Child, m.Parent
	}
	for _, name := range sortedKeys(sides) {
		for _, t := range sides[name] {
			if err := c.trial(t); err != nil {
				return fmt.Errorf("%w: %s trial %q: %w", ErrEvidence, name, t.ID, err)
			}
		}
	}
	if all := len(c.ids); c.timed != 0 && c.timed != all {
		return fmt.Errorf("%w: %d of %d trials have no time: give all or none", ErrEvidence, all-c.timed, all)
	}
	return c.scale.checkRange(c.scores)
}

// side returns trials that were checked, each with its score in points.
func (c *checker) side(trials []Trial) (s side) {
	for _, t := range trials {
		points := c.scale.worst(c.scores)
		if t.Failed != "" {
			if s.failed++; c.failures == FailuresExclude {
				continue
			}
			if c.under != nil {
				t.Under = *c.under // it counts as the worst of these scores
			}
		} else {
			points = c.scale.Gain(*t.Score)
		}
		t.Score = &points
		s.trials = append(s.trials, t)
	}
	return s
}

func (c *checker) trial(t Trial) error {
	switch {
	case t.ID == "":
		return errors.New("id: empty")
	case c.ids[t.ID]:
		return errors.New("id: is duplicated")
	case !utf8.ValidString(t.ID) || !utf8.ValidString(t.Key) || !utf8.ValidString(t.Failed) || !utf8.ValidString(t.Under):
		return errors.New("not valid UTF-8")
	case t.Failed != "" && t.Score != nil:
		return fmt.Errorf("score: %v of a trial that failed (%s)", *t.Score, t.Failed)
	case t.Failed == "" && t.Score == nil:
		return errors.New("score: none, and no reason in failed")
	}
	if t.Score != nil {
		if err := c.scale.check(*t.Score); err != nil {
			return err
		}
	}
	c.ids[t.ID] = true
	if !t.At.IsZero() {
		c.timed++
	}
	if t.Score == nil {
		return nil
	}
	c.scores = append(c.scores, c.scale.Gain(*t.Score))
	if c.under == nil {
		c.under = &t.Under
	}
	if *c.under != t.Under {
		return fmt.Errorf("%w: %q, but others are scored under %q", ErrMixedScores, t.Under, *c.under)
	}
	return nil
}

// scores returns the scores of trials that have one.
func scores(trials []Trial) []float64 {
	list := make([]float64, len(trials))
	for i, t := range trials {
		list[i] = *t.Score
	}
	return list
}

// pairing joins the scored trials of two sides by key.
type pairing struct {
	child, parent []Trial // k-th with k-th, in the order in which the pairs became complete
	// openChild and openParent are keyed trials without a partner; noKey counts those that cannot have one.
	openChild, openParent []Trial
	noKey                 int
}

// pairUp joins trials of the same key: of several, the oldest with the oldest, and so on. Pairs are in the order in
// which they became complete, so that more trials never change which pairs were the first n. Both lists are oldest
// first.
func pairUp(child, parent []Trial) (p pairing) {
	waiting := map[string][]Trial{}
	for _, t := range parent {
		if t.Key == "" {
			p.noKey++
			continue
		}
		waiting[t.Key] = append(waiting[t.Key], t)
	}
	type pair struct{ child, parent Trial }
	var pairs []pair
	for _, t := range child {
		list := waiting[t.Key]
		switch {
		case t.Key == "":
			p.noKey++
		case len(list) == 0:
			p.openChild = append(p.openChild, t)
		default:
			pairs, waiting[t.Key] = append(pairs, pair{t, list[0]}), list[1:]
		}
	}
	for _, list := range waiting {
		p.openParent = append(p.openParent, list...)
	}
	slices.SortFunc(p.openParent, age)
	complete := func(p pair) Trial { return slices.MaxFunc([]Trial{p.child, p.parent}, age) }
	slices.SortFunc(pairs, func(a, b pair) int { return age(complete(a), complete(b)) })
	for _, pair := range pairs {
		p.child, p.parent = append(p.child, pair.child), append(p.parent, pair.parent)
	}
	return p
}

func (p pairing) n() int { return len(p.child) }

// differences returns child - parent of each pair, rounded as in [newSample].
func (p pairing) differences() []float64 {
	list := make([]float64, p.n())
	for i := range list {
		list[i] = round9(*p.child[i].Score - *p.parent[i].Score)
	}
	return list
}

// unpaired counts the trials without a partner.
func (p pairing) unpaired() int { return len(p.openChild) + len(p.openParent) + p.noKey }

// first keeps the first n pairs.
func (p pairing) first(n int) pairing {
	p.child, p.parent = p.child[:n:n], p.parent[:n:n]
	return p
}

// matchedShare returns the share of pairs among all that could be one; 0 for none.
func (p pairing) matchedShare() float64 {
	all := p.n() + p.unpaired()
	if all == 0 {
		return 0
	}
	return float64(p.n()) / float64(all)
}

// comparePairs sets what follows from pairs whatever the policy, and returns the summary of their differences.
func (d *Decision) comparePairs(p pairing) sample {
	child, parent := scores(p.child), scores(p.parent)
	s := newSample(child, parent)
	d.NPairs = p.n()
	if p.n() == 0 {
		return s
	}
	d.compare(summarize(parent).mean, summarize(child).mean)
	d.Delta, d.Fitness = &s.mean, d.NewScore
	d.UsedChild, d.UsedParent = used(p.child), used(p.parent)
	d.PImprove = improvementOf(p.child, p.parent, true)
	return s
}

// sample is the input of the paired policies: n differences, their mean and their sample sd (NaN for fewer than 2).
type sample struct {
	n        int
	mean, sd float64
}

// newSample summarizes child - parent. The mean is rounded as scores are compared: see round9.
func newSample(child, parent []float64) sample {
	d := make([]float64, len(child))
	for i := range d {
		d[i] = round9(child[i] - parent[i])
	}
	s := summarize(d)
	s.mean = round9(s.mean)
	return s
}

// summarize computes mean and sample sd around the first value, so that equal values have exactly the sd 0. Explicit
// conversions keep processors that can from fusing a product with a sum: the result is the same on all.
func summarize(xs []float64) sample {
	n := float64(len(xs))
	if n == 0 {
		return sample{mean: math.NaN(), sd: math.NaN()}
	}
	sum := 0.0
	for _, x := range xs {
		sum += x - xs[0]
	}
	mean := xs[0] + sum/n
	squares := 0.0
	for _, x := range xs {
		squares += float64((x - mean) * (x - mean))
	}
	s := sample{n: len(xs), mean: mean, sd: math.NaN()}
	if s.n > 1 {
		s.sd = math.Sqrt(squares / (n - 1))
	}
	return s
}

// se returns the standard error of the mean.
func (s sample) se() float64 { return s.sd / math.Sqrt(float64(s.n)) }

// round9 rounds to 9 decimals. Scores have two decimals and weights one, so further decimals of a mean or difference
// are rounding errors: 0.3 - (0.1 + 0.2) must be a tie, not a loss.
func round9(x float64) float64 { return math.Round(x*1e9) / 1e9 }

// FailureRule says how failed trials count.
type FailureRule string

// The rules for failed trials.
const (
	FailuresAsWorst FailureRule = "worst"   // as the worst score of the scale; of one without ends, as worse than any score
	FailuresExclude FailureRule = "exclude" // not at all
)

func (r FailureRule) validate() error {
	if r != "" && r != FailuresAsWorst && r != FailuresExclude {
		return fmt.Errorf("failed: %q is neither %s nor %s", r, FailuresAsWorst, FailuresExclude)
	}
	return nil
}

// Worst returns the score that a failed trial counts as, beside these trials. It is nil if failed trials are excluded,
// or the scale has no ends and no trial a score.
func (r FailureRule) Worst(scale *Scale, lists ...[]Trial) *float64 {
	if r == FailuresExclude {
		return nil
	}
	var gains []float64
	for _, t := range slices.Concat(lists...) {
		if t.Score != nil {
			gains = append(gains, scale.Gain(*t.Score))
		}
	}
	if _, _, bounded := scale.Ends(); !bounded && len(gains) == 0 {
		return nil
	}
	worst := scale.Score(scale.worst(gains))
	return &worst
}

// WithFailures returns trials in which failed ones have the score that they count as: see [FailureRule.Worst].
func WithFailures(trials []Trial, worst *float64) []Trial {
	list := slices.Clone(trials)
	for i := range list {
		if list[i].Failed != "" {
			list[i].Score = worst
		}
	}
	return list
}

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

// Measurement is a run of both sides on all tasks, side by side, after the policy has accepted the child and before it
// becomes active. It takes no part in the decision, so that the gain that it measures is not chosen for being large.
type Measurement struct {
	Tasks  []string `json:"tasks"`   // to be run once on each side, in this order
	Held   []string `json:"holdout"` // those of them that never decide, in this order
	Child  []Trial  `json:"child"`
	Parent []Trial  `json:"parent"`
}

// Gain is how much better the child is than its parent, as measured after the decision. A nil Interval says that the
// differences do not vary, or that there are fewer than two.
type Gain struct {
	Mean         float64   `json:"mean_over_tasks"` // points per task
	Interval     *Interval `json:"interval"`
	N            int       `json:"n"` // tasks
	FailedChild  int       `json:"failed_child"`
	FailedParent int       `json:"failed_parent"`
}

// Measured is what a [Measurement] found.
type Measured struct {
	Gain    Gain  `json:"gain"`    // on the tasks that decide
	Holdout *Gain `json:"holdout"` // on those that never decide; nil without any
	// Shortfall is an interval of how much smaller the gain on the holdout tasks is; nil if it is unknown.
	Shortfall *Interval `json:"shortfall"`
}

// Overfits reports whether the gain on the holdout tasks is shown to be smaller than on the others.
func (m *Measured) Overfits() bool { return m != nil && m.Shortfall.IsAbove() }

// Missing returns the tasks that are still to be run for the child and for the parent.
func (m *Measurement) Missing() (child, parent []string) {
	return missingTasks(m.Tasks, m.Child), missingTasks(m.Tasks, m.Parent)
}

func missingTasks(tasks []string, trials []Trial) []string {
	missing := []string{}
	for _, task := range tasks {
		if !slices.ContainsFunc(trials, func(t Trial) bool { return t.Key == task }) {
			missing = append(missing, task)
		}
	}
	return missing
}

func (m *Measurement) sorted() *Measurement {
	if m == nil {
		return nil
	}
	return &Measurement{Tasks: m.Tasks, Held: m.Held, Child: sortedTrials(m.Child), Parent: sortedTrials(m.Parent)}
}

func (m *Measurement) validate() error {
	seen := map[string]bool{}
	for _, task := range m.Tasks {
		if task == "" || seen[task] {
			return fmt.Errorf("%w: measurement: task %q is empty or duplicated", ErrEvidence, task)
		}
		seen[task] = true
	}
	for _, task := range m.Held {
		if !seen[task] {
			return fmt.Errorf("%w: measurement: holdout task %q is not among the tasks", ErrEvidence, task)
		}
	}
	if len(m.Tasks) == len(m.Held) {
		return fmt.Errorf("%w: measurement: no task decides", ErrEvidence)
	}
	return nil
}

// measureGain compares both sides on all tasks. The trials have scores: failures count as the worst one.
func measureGain(m *Measurement, child, parent []Trial) (*Measured, error) {
	split := func(trials []Trial) (deciding, held []Trial) {
		for _, t := range trials {
			if slices.Contains(m.Held, t.Key) {
				held = append(held, t)
			} else {
				deciding = append(deciding, t)
			}
		}
		return deciding, held
	}
	childDeciding, childHeld := split(child)
	parentDeciding, parentHeld := split(parent)
	deciding, held := pairUp(childDeciding, parentDeciding), pairUp(childHeld, parentHeld)
	if deciding.n() == 0 {
		return nil, errors.New("no task was measured on both sides")
	}
	measured := &Measured{Gain: deciding.gain()}
	if held.n() > 0 {
		gain := held.gain()
		measured.Holdout = &gain
		measured.Shortfall = shortfall(measured.Gain.Mean-gain.Mean, deciding.spread(), held.spread())
	}
	return measured, nil
}

func (p pairing) gain() Gain {
	s := newSample(scores(p.child), scores(p.parent))
	g := Gain{Mean: s.mean, Interval: pairedInterval(s, 0), N: s.n}
	for i := range p.child {
		if p.child[i].Failed != "" {
			g.FailedChild++
		}
		if p.parent[i].Failed != "" {
			g.FailedParent++
		}
	}
	return g
}

// shortfall returns Welch's interval of the difference of two gains. Gains that do not vary at all differ by exactly
// that: the evaluator has no noise.
func shortfall(difference float64, deciding, held spread) *Interval {
	if min(deciding.n, held.n) > 1 && deciding.sd == 0 && held.sd == 0 {
		return &Interval{Lo: difference, Hi: difference, Confidence: Confidence, Method: "no variance", Estimate: difference, N: deciding.n + held.n}
	}
	return welchInterval(difference, deciding, held)
}

// spread describes the variance of the mean of the differences.
func (p pairing) spread() spread {
	s := newSample(scores(p.child), scores(p.parent))
	return spread{sd: s.sd, counted: float64(s.n), n: s.n}
}

// Counted are the trials of a version whose scores say how good it is.
type Counted struct {
	Trials []Trial // with a score; failed ones too, if they have the one that they count as: see [WithFailures]
	Failed int     // of all trials
	// Chosen: their scores served to choose the version, so they tend to be too high.
	Chosen bool
}

// fewestFresh is from how many trials on those after the choice stand alone.
const fewestFresh = 2

// Count returns the trials of a version that no decision that accepted it looked at, if there are enough; else all.
// looked has the IDs of the trials that those decisions looked at.
func Count(trials []Trial, looked map[string]bool) (c Counted) {
	var fresh, all []Trial
	for _, t := range trials {
		if t.Failed != "" {
			c.Failed++
		}
		switch {
		case t.Score == nil:
		case looked[t.ID]:
			all = append(all, t)
		default:
			all, fresh = append(all, t), append(fresh, t)
		}
	}
	if c.Trials = all; len(fresh) >= fewestFresh {
		c.Trials = fresh
	}
	c.Chosen = len(looked) > 0 && len(c.Trials) != len(fresh)
	return c
}

// Scores returns the scores of the trials.
func (c Counted) Scores() (scores []float64) {
	for _, t := range c.Trials {
		scores = append(scores, *t.Score)
	}
	return scores
}
