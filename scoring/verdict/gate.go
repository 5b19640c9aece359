package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/numeric"
	"track/scoring/stats"
)

// The rules of a gate.
const (
	RuleData          = "data" // always in force: every metric of the spec has values that can be judged
	ruleMinSeeds      = "min_seeds"
	RuleMinPassRate   = "min_pass_rate"
	ruleStable        = "stable"
	ruleMaxStd        = "max_std"
	ruleMinScore      = "min_score"
	RuleNoDegradation = "no_degradation"
)

// GateInput is what a gate judges of one scenario.
type GateInput struct {
	Name          string // that people gave it: the scenario, with its configuration where they named one
	Scenario      string
	Configuration string // hash
	Label         string // of the configuration
	Revision      string // of its code, for people
	Rules         scoring.GateRules
	Look          Look
	Problem       string // why there is nothing to judge: no seeds, no spec; empty where there is
	Recorded      int    // seeds that are recorded, where there is no spec
	Stability     scoring.Stability
	Coverage      Coverage
	Seeds         []JudgedSeed // in the order in which they were recorded; Scores are not looked at
	Improvement   *Improvement // over the baseline; nil where the rules do not ask for it, or where there is none
	Baseline      string       // what Improvement is over, for people
	NoBaseline    string       // why there is no Improvement although the rules ask for it

	totals      []float64 // total scores, where there are no Seeds to take them from
	verdictOnly bool      // of the rules about seeds: metrics are not judged, and nothing is said about what would change it
}

// Outcome is the verdict of one rule, or of one rule on one metric. The rules are data, min_seeds, min_pass_rate,
// stable, max_std, min_score, no_degradation, values and planned_seeds. The reasons are no_seeds, no_spec,
// not_assessed, no_rules, no_metrics, failed_seeds, too_few_seeds, too_few_scores, zero_variance, identical_seeds,
// never_recorded, missing_values, non_finite, unstable, no_baseline, candidate_is_baseline, undecidable, off_plan, few,
// skewed, gap and saturated.
type Outcome struct {
	Rule     string          `json:"rule"`
	Metric   string          `json:"metric,omitzero"` // empty for the rules about seeds
	Verdict  scoring.Verdict `json:"verdict"`
	Reason   string          `json:"reason,omitzero"` // a stable code if the verdict is not about the numbers, such as "no_seeds"
	Message  string          `json:"message"`         // the numbers, with n and method
	Need     string          `json:"need,omitzero"`   // what would change the verdict; empty if nothing is known to
	Observed *float64        `json:"observed"`        // what was compared with Limit; nil if there is nothing to compare
	Limit    *float64        `json:"limit"`
	Interval stats.Interval  `json:"ci,omitzero"`      // of Observed; zero if there is none
	N        int             `json:"n"`                // seeds or pairs
	P        *float64        `json:"p"`                // of the hypothesis that PTests names; nil if nothing is tested
	PTests   string          `json:"p_tests,omitzero"` // rule_holds (small: FAIL), no_loss (small: a loss is shown) or loss_at_threshold (small: PASS)
	// PCorrected is P after the correction for everything in the gate that can fail, where P could make the rule fail:
	// Holm, and for the metrics of no_degradation joint sign flips (max-T) before it. A p of no_loss is corrected for the
	// metrics.
	PCorrected *float64 `json:"p_corrected"`
	// Assumption is that of the bound, beyond independent seeds. UnseenShare is the largest share of failing seeds that
	// the N seeds would not show, at the confidence of the rules; see [Estimates].
	Assumption  Assumption `json:"assumption,omitzero"`
	UnseenShare *float64   `json:"unseen_share,omitzero"`
	AssumedLoss *float64   `json:"assumed_loss,omitzero"` // for seen_losses: the largest loss that a pair may have

	NNeeded int `json:"n_needed,omitzero"` // pairs at which this metric would pass, if others are like these; 0 if unknown
	// Unattainable says that no data of this size could have met the rule, and what could; empty if some could.
	Unattainable string `json:"unattainable,omitzero"`

	unless     string // what to add to Message if no test refutes the rule
	breaks     bool   // the numbers themselves, without regard to chance, break the rule
	sequential bool   // tested by a confidence sequence, which has no P

	delta *MetricDelta // of no_degradation; nil for other rules
	bound lossBound
	lossP float64 // corrected for the metrics; of no loss
}

// ShownP returns the p-value that decided, corrected where it is, with the hypothesis that it tests in words; nil if
// nothing was tested.
func (o Outcome) ShownP() (p *float64, of string) {
	words := map[string]string{pOfRule: "the rule", pOfLoss: "no loss", pOfThreshold: "a loss of what it may lose"}
	if o.PCorrected != nil {
		return o.PCorrected, words[o.PTests]
	}
	return o.P, words[o.PTests]
}

// ScenarioOutcome is what a gate found in one scenario.
type ScenarioOutcome struct {
	Name               string            `json:"name"`
	Scenario           string            `json:"scenario"`
	Configuration      string            `json:"configuration"`
	Label              string            `json:"label"`
	Revision           string            `json:"revision"`
	Baseline           string            `json:"baseline,omitzero"` // what the comparison is over, for people
	Rules              scoring.GateRules `json:"rules"`
	FailOn             []scoring.Verdict `json:"fail_on"`           // verdicts that the rules fail on
	LeftOut            []LeftOut         `json:"left_out,omitzero"` // metrics that no_degradation does not judge, by the rules
	Verdict            scoring.Verdict   `json:"verdict"`
	Failing            bool              `json:"failing"`             // the verdict is one that the rules fail on
	NUnscored          int               `json:"n_unscored,omitzero"` // recorded seeds that nothing scores, because there is no spec
	Estimates          Estimates         `json:"estimates"`
	Outcomes           []Outcome         `json:"outcomes"`          // the rules first, then the metrics
	Measured           []Measured        `json:"measured,omitzero"` // of each rule, next to its limit
	Warnings           []Warning         `json:"warnings"`
	ComparisonWarnings []Warning         `json:"comparison_warnings,omitzero"` // of Improvement
	Improvement        *Improvement      `json:"-"`                            // over the baseline; an answer of its own

	alpha float64 // 1 - confidence of this look
}

// Gate is the answer of a gate, which all its outputs show.
type Gate struct {
	Verdict   scoring.Verdict   `json:"verdict"`
	Failing   bool              `json:"failing"` // the verdict is one that the rules make the gate fail on
	NTests    int               `json:"n_tests"` // tests that can fail: the number that Holm's correction counts
	Scenarios []ScenarioOutcome `json:"scenarios"`
}

// NewGate judges scenarios together. A rule is PASS where its bound, with the confidence of the rules, is met; FAIL
// where a test refutes it at 1 - confidence after Holm's correction for all tests of the gate; and INCONCLUSIVE
// otherwise. (PASS needs no correction: all rules must hold for it.) The worst verdict of a scenario is its verdict,
// and the worst scenario is that of the gate. Where there is nothing to judge, or nothing to judge it by, the verdict
// is INCONCLUSIVE.
func NewGate(inputs []GateInput) (Gate, error) {
	g := Gate{Failing: len(inputs) == 0} // nothing was judged
	nTests := 0
	for _, input := range inputs {
		nTests += input.canFail()
	}
	for _, input := range inputs {
		s, err := judgeScenario(input, nTests)
		if err != nil {
			return g, fmt.Errorf("scenario %s: %w", input.Scenario, err)
		}
		g.Scenarios = append(g.Scenarios, s)
	}
	g.refute()
	var all []scoring.Verdict
	for i := range g.Scenarios {
		s := &g.Scenarios[i]
		for k := range s.Outcomes {
			o := &s.Outcomes[k]
			if o.P != nil {
				o.PTests = pOfRule
			}
			if err := o.explain(s.Improvement); err != nil {
				return g, fmt.Errorf("scenario %s: %w", s.Scenario, err)
			}
		}
		s.sumUp(RuleNoDegradation)
		s.sumUp(ruleValues)
		for k := range s.Outcomes {
			if o := &s.Outcomes[k]; o.Verdict == scoring.VerdictInconclusive {
				o.Message += o.unless
			}
		}
		var verdicts []scoring.Verdict
		for _, o := range s.Outcomes {
			verdicts = append(verdicts, o.Verdict)
		}
		s.Verdict = scoring.WorstVerdict(verdicts...)
		all = append(all, s.Verdict)
		s.Failing = s.Rules.Fails(s.Verdict)
		g.Failing = g.Failing || s.Failing
	}
	g.Verdict = scoring.WorstVerdict(all...)
	return g, nil
}

// Lack makes scenarios INCONCLUSIVE that would pass although records of theirs were not judged: n says how many of
// each. Why says where they are, and need what would bring them.
func (g *Gate) Lack(n map[string]int, why, need string) {
	all := make([]scoring.Verdict, len(g.Scenarios))
	for i := range g.Scenarios {
		s := &g.Scenarios[i]
		if lacking := n[s.Name]; lacking > 0 {
			message := fmt.Sprintf("%s of %s: %s", format.Counted(lacking, "record"), s.Name, why)
			o := Outcome{Rule: "all_records", Verdict: scoring.VerdictInconclusive, Reason: "unsent_records", Message: message, Need: need, N: s.Estimates.NSeeds}
			s.Outcomes = append(s.Outcomes, o)
			s.Verdict = scoring.WorstVerdict(s.Verdict, o.Verdict)
			s.Failing = slices.Contains(s.FailOn, s.Verdict)
			g.Failing = g.Failing || s.Failing
		}
		all[i] = s.Verdict
	}
	if len(all) > 0 {
		g.Verdict = scoring.WorstVerdict(all...)
	}
}

// sumUp gives a rule about metrics the worst verdict of its metrics.
func (s *ScenarioOutcome) sumUp(rule string) {
	var verdicts []scoring.Verdict
	for _, o := range s.Outcomes {
		if o.Rule == rule && o.Metric != "" {
			verdicts = append(verdicts, o.Verdict)
		}
	}
	for i := range s.Outcomes {
		if o := &s.Outcomes[i]; o.Rule == rule && o.Metric == "" && len(verdicts) > 0 {
			o.Verdict = scoring.WorstVerdict(verdicts...)
			o.Message += "; judged: " + countVerdicts(verdicts)
			if o.Verdict == scoring.VerdictInconclusive && rule == RuleNoDegradation {
				o.Need = s.pairsForAll(count(verdicts, scoring.VerdictInconclusive))
			}
		}
	}
}

// pairsForAll says at how many pairs all metrics would pass, n of which are undecided.
func (s *ScenarioOutcome) pairsForAll(n int) string {
	most, unknown := 0, 0
	for _, o := range s.Outcomes {
		if o.Rule != RuleNoDegradation || o.Metric == "" || o.Verdict != scoring.VerdictInconclusive {
			continue
		}
		if most = max(most, o.NNeeded); o.NNeeded == 0 {
			unknown++
		}
	}
	switch {
	case most == 0:
		return fmt.Sprintf("more pairs: %s undecided", format.Counted(n, "metric"))
	case unknown > 0:
		return fmt.Sprintf("about %d pairs in all for %d of %s, if others are like these", most, n-unknown, format.Counted(n, "undecided metric"))
	}
	return fmt.Sprintf("about %d pairs in all for %s, if others are like these", most, format.Counted(n, "undecided metric"))
}

// countVerdicts says how many metrics have which verdict, the worst first.
func countVerdicts(verdicts []scoring.Verdict) string {
	var words []string
	for _, v := range slices.Backward(scoring.Verdicts()) {
		if n := count(verdicts, v); n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(words, ", ")
}

func count(verdicts []scoring.Verdict, v scoring.Verdict) (n int) {
	for _, other := range verdicts {
		if other == v {
			n++
		}
	}
	return n
}

func comparisonWarnings(i *Improvement) []Warning {
	if i == nil {
		return nil
	}
	return i.Warnings
}

func confidenceOf(r scoring.GateRules) float64 {
	if r.Confidence == 0 {
		return scoring.DefaultConfidence
	}
	return r.Confidence
}

func judgeScenario(in GateInput, nTests int) (ScenarioOutcome, error) {
	s := ScenarioOutcome{
		Name: in.Name, Scenario: in.Scenario, Configuration: in.Configuration, Label: in.Label, Revision: in.Revision, Baseline: in.Baseline, Rules: in.Rules,
		FailOn: in.Rules.FailingVerdicts(), NUnscored: in.Recorded, Improvement: in.Improvement, ComparisonWarnings: comparisonWarnings(in.Improvement),
	}
	confidence := confidenceOf(in.Rules)
	s.alpha = 1 - confidence
	if in.Look = in.Look.spend(s.alpha, max(1, nTests)); in.Look.Alpha > 0 {
		s.alpha, confidence = in.Look.JointAlpha, 1-in.Look.Alpha
	}
	s.Estimates = in.estimates(confidence)
	if !in.verdictOnly {
		s.Measured = in.measured(s.Estimates)
	}
	if problem := in.problem(); problem != "" {
		s.Outcomes = []Outcome{{Rule: RuleData, Verdict: scoring.VerdictInconclusive, Reason: problem, Message: problemText(problem), Need: problemNeed(problem, in.Scenario)}}
		return s, nil
	}
	s.Warnings = slices.Concat(in.Look.warnings(), seedWarnings(in.Stability.Totals()), in.Coverage.warnings())
	j := judge{in, s.Estimates, confidence, nTests}
	seeds, err := j.seedRules()
	if err != nil {
		return s, err
	}
	j.applyPlan(seeds)
	s.Outcomes = slices.Concat(in.Coverage.outcomes(), seeds, j.metricOutcomes())
	if in.Rules.NoDegradation {
		if in.Improvement != nil {
			_, s.LeftOut = j.guarded()
		}
		degradation, err := j.noDegradation()
		if err != nil {
			return s, err
		}
		s.Outcomes = append(s.Outcomes, degradation...)
	}
	if in.Rules.Values == scoring.ValuesUnchanged {
		s.Outcomes = append(s.Outcomes, j.valuesOutcomes()...)
	} else if in.Improvement != nil {
		if moved := in.Improvement.MovedText(); moved != "" {
			s.Warnings = append(s.Warnings, Warning{warnValuesMoved, moved})
		}
	}
	return s, nil
}

// Problems of a scenario that leave nothing to judge.
const (
	ProblemNoSeeds     = "no_seeds"
	ProblemNoSpec      = "no_spec"
	problemNoneScored  = "no_scores"
	ProblemNotAssessed = "not_assessed"
	problemNoRules     = "no_rules"
	problemNoMetrics   = "no_metrics"
)

func (in GateInput) problem() string {
	switch {
	case in.Problem != "":
		return in.Problem
	case in.Stability.NSeeds == 0:
		return ProblemNoSeeds
	case !in.Rules.Any():
		return problemNoRules
	case len(in.Stability.Metrics) == 0 && !in.verdictOnly:
		return problemNoMetrics
	}
	return ""
}

func problemText(problem string) string {
	switch problem {
	case ProblemNoSeeds:
		return "there are no seeds"
	case ProblemNoSpec:
		return "the scenario has no spec, so nothing can be judged"
	case problemNoRules:
		return "no rule applies"
	case problemNoMetrics:
		return "the spec has no metrics: nothing was measured"
	case ProblemNotAssessed:
		return "some seeds are not scored under this version of the spec"
	}
	return problem
}

// problemNeed is what would give the gate something to judge.
func problemNeed(problem, scenario string) string {
	switch problem {
	case ProblemNoSeeds:
		return "seeds of " + scenario
	case ProblemNoSpec:
		return "a spec for " + scenario
	case ProblemNotAssessed:
		return "scores of all seeds under the spec: track rescore " + scenario
	}
	return ""
}

// applyPlan keeps a look that is none of the planned ones from deciding.
func (j judge) applyPlan(outcomes []Outcome) {
	reason, need := j.in.Look.offPlan(j.e.NSeeds, "seed")
	if reason == "" {
		return
	}
	for i := range outcomes {
		if o := &outcomes[i]; o.Rule != ruleMinSeeds && o.Rule != RuleData {
			o.Verdict, o.Reason, o.Need, o.P = scoring.VerdictInconclusive, "off_plan", need, nil
			o.Message += ": " + reason
		}
	}
}

// Open names the first rule that more seeds could decide; empty if there is none. Warnings about single metrics, failed
// seeds or degraded metrics are findings. A warning that a limit is met but not shown is open.
func (g Gate) Open() string {
	for _, s := range g.Scenarios {
		for _, o := range s.Outcomes {
			notShown := o.Verdict == scoring.VerdictWarn && (o.Rule == ruleStable || o.Need != "")
			if o.Verdict == scoring.VerdictInconclusive || notShown {
				return o.Rule
			}
		}
	}
	return ""
}

// Unattainable lists what cannot be met at the number of seeds there is, as "scenario: why".
func (g Gate) Unattainable() []string {
	var list []string
	for _, s := range g.Scenarios {
		for _, o := range s.Outcomes {
			if o.Unattainable != "" {
				list = append(list, s.Name+": "+o.Unattainable)
			}
		}
	}
	return list
}

// ruleValues is in force where the rules ask that values of metrics stay what they are in the baseline.
const ruleValues = "values"

// valuesOutcomes judges the value of each metric: PASS where its interval lies within its margin; FAIL where the test
// shows that it moved and the interval lies beyond the margin; INCONCLUSIVE otherwise, as for a value without a margin.
func (j judge) valuesOutcomes() []Outcome {
	i := j.in.Improvement
	whole, compares := j.comparing(ruleValues)
	if !compares {
		return []Outcome{whole}
	}
	var list []Outcome
	for _, v := range i.Values {
		list = append(list, v.outcome())
	}
	for _, name := range i.uncompared() {
		list = append(list, Outcome{
			Rule: ruleValues, Metric: name, Verdict: scoring.VerdictInconclusive, Reason: "non_finite", N: i.NPairs,
			Message: "no two pairs have finite values of " + name, Need: "finite values of " + name + " on both sides",
		})
	}
	for _, never := range i.NeverRecorded {
		list = append(list, Outcome{Rule: ruleValues, Metric: never.Metric, Verdict: scoring.VerdictInconclusive, Reason: reasonNeverRecorded, N: i.NPairs, Message: never.text()})
	}
	if len(list) > 0 {
		whole.Verdict = scoring.VerdictPass // until its values are summed up
	}
	whole.Message = fmt.Sprintf("%s over %d pairs: %s", format.Counted(len(list), "value"), i.NPairs, i.ValueTest())
	return append([]Outcome{whole}, list...)
}

func (v ValueDelta) outcome() Outcome {
	o := Outcome{
		Rule: ruleValues, Metric: v.Metric, N: v.NPairs, Observed: ptr(v.MeanDelta), Limit: v.Margin, Interval: v.Interval, Message: v.Text(),
		Verdict: passIf(v.Margin != nil && v.Within), P: ptr(v.PHolm),
	}
	if o.Verdict == scoring.VerdictPass {
		return o
	}
	switch margin := v.Margin; {
	case margin == nil:
		o.breaks, o.Need = true, "a margin of "+v.Metric+" in the spec: the smallest difference that matters"
	default:
		o.breaks = v.Interval.Lo > *margin || v.Interval.Hi < -*margin || !v.Interval.Defined() && (v.MeanDelta > *margin || v.MeanDelta < -*margin)
		o.Message += fmt.Sprintf("; may differ by %s", format.Mean(*margin, v.Format))
		o.Need = "more pairs, to show on which side of the margin the difference lies"
	}
	o.unless = "; not shown to have moved beyond what may differ"
	return o
}

// family is what Holm's correction counts as one: a rule about seeds, or no_degradation or values of a scenario, whose
// metrics are corrected for each other already.
type family struct {
	outcomes []*Outcome
	alpha    float64
	p        float64 // the smallest of its outcomes
}

func (g *Gate) families() (list []family) {
	for i := range g.Scenarios {
		s := &g.Scenarios[i]
		of := map[string]*family{RuleNoDegradation: {alpha: s.alpha, p: 1}, ruleValues: {alpha: s.alpha, p: 1}}
		for k := range s.Outcomes {
			o := &s.Outcomes[k]
			switch {
			case o.P == nil:
			case of[o.Rule] != nil:
				f := of[o.Rule]
				f.outcomes, f.p = append(f.outcomes, o), min(f.p, *o.P)
			default:
				list = append(list, family{[]*Outcome{o}, s.alpha, *o.P})
			}
		}
		for _, rule := range []string{RuleNoDegradation, ruleValues} {
			if f := of[rule]; len(f.outcomes) > 0 {
				list = append(list, *f)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b family) int {
		return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(len(a.outcomes), len(b.outcomes)))
	})
	return list
}

// refute turns the outcomes that a test refutes into FAIL, by Holm's rule over the families. Only a family of one
// test is done with once it is rejected: in one of several, those that are left can still be rejected wrongly. The
// same holds for confidence sequences, which have spent their share of alpha.
func (g *Gate) refute() {
	families := g.families()
	g.NTests = len(families) + g.nSequential()
	left, before := g.NTests, 0.0
	for _, f := range families {
		factor := float64(left)
		for _, o := range f.outcomes {
			o.PCorrected = ptr(max(before, min(1, *o.P*factor)))
			if *o.PCorrected <= f.alpha && o.Reason == "" && o.Verdict == scoring.VerdictInconclusive && o.breaks {
				o.Verdict, o.Need = scoring.VerdictFail, ""
			}
		}
		before = max(before, min(1, f.p*factor))
		if len(f.outcomes) == 1 {
			left--
		}
	}
}

func (g *Gate) nSequential() int {
	n := 0
	for _, s := range g.Scenarios {
		for _, o := range s.Outcomes {
			if o.sequential {
				n++
			}
		}
	}
	return n
}

// What a p-value of an [Outcome] is of.
const (
	pOfRule      = "rule_holds"        // a small p refutes the rule
	pOfLoss      = "no_loss"           // a small p shows a loss
	pOfThreshold = "loss_at_threshold" // a small p shows that the mean loss is below the threshold
	methodSeen   = "bounded-mean-seen" // the bound of the mean, with a largest loss that the losses seen suggest
	methodFlips  = "sign-flip"         // all means that the sign-flip test does not reject
	methodEValue = "symmetric e-value" // all means that the symmetric e-value has not rejected so far
	maxNeeded    = 2000                // pairs that are looked for
)

// lossBound says how large the mean loss of a metric can be.
type lossBound struct {
	interval stats.Interval // of the mean delta; only its lower end is bounded
	p        *float64       // of a mean loss at or beyond the threshold; nil at any time
	passes   bool           // the mean loss is below the threshold
	largest  *float64       // loss that a pair is assumed to have at most; nil if nothing is assumed
}

// boundLoss bounds the mean loss of d from above. The first bound knows only that no pair loses more than 1. The second
// one takes the largest possible loss from those seen, where they say how large losses are. Both take each loss and
// each win as it is, so a pair that wins more, or wins instead of tying, never raises a bound.
func boundLoss(d []float64, threshold, confidence float64) (b lossBound, err error) {
	losses, largest, method := negated(d), 1.0, stats.MethodBoundedMean
	p, err := stats.BoundedMeanP(losses, largest, threshold)
	if seen := largestLoss(d); err == nil && p > 1-confidence && seen < 1 && isVaried(d) && showsBreaks(len(d), threshold, confidence) {
		largest, method = seen, methodSeen
		p, err = stats.BoundedMeanP(losses, largest, threshold)
		b.largest = &seen
	}
	if err != nil {
		return b, err
	}
	upper, err := stats.BoundedMeanUpper(losses, -1, largest, confidence)
	b.p, b.passes = &p, p <= 1-confidence
	b.interval = stats.Interval{Lo: -upper.Hi, Hi: 1, Confidence: confidence, Method: method}
	return b, err
}

// boundMetric is [boundLoss] of a metric; at any time, the lower end of a betting sequence.
func (i *Improvement) boundMetric(m MetricDelta) (lossBound, error) {
	if !i.Look.Anytime {
		return boundLoss(m.differences, m.Threshold, 1-i.JointAlpha())
	}
	interval, err := bettingInterval(m.differences, 1-2*i.JointAlpha())
	interval.Hi, interval.Confidence = 1, 1-i.JointAlpha()
	return lossBound{interval: interval, passes: interval.Lo > -m.Threshold}, err
}

// lossMargin is how much larger than the largest loss of n pairs others are taken to be.
func lossMargin(n int) float64 { return 1 + 5/float64(n) }

// largestLoss is the largest loss that other pairs may have, by those of d; 1 if none lost anything.
func largestLoss(d []float64) float64 {
	worst := -slices.Min(d)
	if worst <= 0 {
		return 1
	}
	return min(1, float64(worst*lossMargin(len(d))))
}

// minSeen is the least number of pairs whose losses say how large losses are.
const minSeen = 8

// isVaried reports whether the differences look like noise, so that the losses seen say how large losses are: a fifth
// of the pairs win, and at least 2 (3 of fewer than 10), or four fifths are no ties. A pair that wins more, or wins
// instead of tying, never takes that away.
func isVaried(d []float64) bool {
	wins, ties := 0, 0
	for _, x := range d {
		switch {
		case x > 0:
			wins++
		case x == 0:
			ties++
		}
	}
	least := 2
	if len(d) < 10 {
		least = 3
	}
	return len(d) >= minSeen && (wins >= least && 5*wins >= len(d) || 5*ties <= len(d))
}

// showsBreaks reports whether n pairs show, with the given confidence, at least one of the losses of a metric that
// loses its whole score in so many seeds that the mean loss is the threshold. In fewer pairs the losses seen say
// nothing of those.
func showsBreaks(n int, threshold, confidence float64) bool {
	return threshold >= 1 || numeric.Pow(1-threshold, float64(n)) <= 1-confidence
}

func negated(d []float64) []float64 {
	losses := make([]float64, len(d))
	for i, x := range d {
		losses[i] = -x
	}
	return losses
}

// pairsNeeded is the least number of pairs, spread like those of d, at which the bound is below the threshold; 0 if
// that is more than maxNeeded, or never.
func pairsNeeded(d []float64, threshold, confidence float64) int {
	if -mean(d) >= threshold {
		return 0
	}
	sorted := slices.Sorted(slices.Values(d))
	enough := func(n int) bool {
		like := make([]float64, n)
		for i := range like {
			like[i] = sorted[(2*i+1)*len(d)/(2*n)]
		}
		losses := negated(like)
		p, err := stats.BoundedMeanP(losses, 1, threshold)
		if seen := largestLoss(like); err == nil && p > 1-confidence && seen < 1 && isVaried(like) && showsBreaks(n, threshold, confidence) {
			p, err = stats.BoundedMeanP(losses, seen, threshold)
		}
		return err == nil && p <= 1-confidence
	}
	short, long := len(d), 2*len(d)
	for !enough(long) {
		if long > maxNeeded {
			return 0
		}
		short, long = long, 2*long
	}
	for long-short > 1 {
		if mid := (short + long) / 2; enough(mid) {
			long = mid
		} else {
			short = mid
		}
	}
	return long
}

// upperMean is the largest mean of d that the test against a loss does not reject.
func (i *Improvement) upperMean(d []float64) (float64, error) {
	lo, hi := mean(d), 1.0
	for range 20 {
		mid := lo + float64((hi-lo)/2)
		p, err := i.pLess(shifted(d, -mid))
		if err != nil {
			return 0, err
		}
		if p > i.JointAlpha() {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi, nil
}

// pLess tests one metric against a mean of 0 or more.
func (i *Improvement) pLess(d []float64) (float64, error) {
	if i.Look.Anytime {
		e, err := stats.SymmetricEValue(d)
		return e.AnytimeP().Less, err
	}
	flips, err := stats.SignFlip(d, drawSeed)
	return flips.P.Less, err
}

// below writes a bound that misses its limit with as many digits as show it.
func below(bound, limit float64) string {
	text := format.Share(bound)
	for decimals := 2; bound < limit && text == format.Share(limit) && decimals < 10; decimals++ {
		if longer := strconv.FormatFloat(100*bound, 'f', decimals, 64) + "%"; longer != strconv.FormatFloat(100*limit, 'f', decimals, 64)+"%" {
			return longer
		}
	}
	return text
}

// describeDifference describes an interval of a difference.
func describeDifference(i stats.Interval) string {
	if !i.Defined() {
		return "no interval"
	}
	return fmt.Sprintf("%s %s interval %s to %s", confidenceText(i.Confidence), MethodName(i.Method), format.Signed(i.Lo), format.Signed(i.Hi))
}

// MethodName names a method for people.
func MethodName(method string) string {
	switch method {
	case methodSeen:
		return "bounded mean, losses as seen"
	case methodFlips:
		return "sign flips"
	}
	return format.Method(method)
}

// confidenceText writes 0.95 as 95%, and 0.9875 as 98.75%.
func confidenceText(c float64) string {
	return strconv.FormatFloat(math.Round(1e4*c)/1e2, 'f', -1, 64) + "%"
}

// alphaText writes a level without the rounding of 1 - confidence.
func alphaText(alpha float64) string { return fmt.Sprintf("%.3g", alpha) }
