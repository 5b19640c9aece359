package verdict

import (
	"fmt"
	"slices"
	"strings"

	"track/scoring"
	"track/scoring/format"
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
