package verdict

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
)

// metricOutcomes says of each metric whether there is anything to judge it by. A seed that lacks a value counts as
// not passed in the rules about seeds; here it is named, and a metric is called unstable by the seeds that have a
// value.
func (j judge) metricOutcomes() []Outcome {
	ok := j.in.Stability.NOK
	list := make([]Outcome, len(j.in.Stability.Metrics))
	for i, m := range j.in.Stability.Metrics {
		o := Outcome{Rule: RuleData, Metric: m.Name, Verdict: scoring.VerdictPass, N: m.N, Message: j.passText(m)}
		missing := ""
		if m.N < ok {
			missing = fmt.Sprintf("%s that ran well %s no value and therefore no total score", format.CountedOf(ok-m.N, ok, "seed"), format.Verb(ok-m.N, "has", "have"))
		}
		switch nonFinite := m.NonFinite(); {
		case ok == 0:
			o.Verdict, o.Reason, o.Message = scoring.VerdictInconclusive, "no_scores", "no seed ran well"
		case m.N == 0:
			o.Verdict, o.Reason = scoring.VerdictInconclusive, reasonNeverRecorded
			o.Message = fmt.Sprintf("%s was never recorded: none of %s that ran well has a value", m.Name, format.Counted(ok, "seed"))
			o.Need = "values of " + m.Name + ", or a spec without it"
		case nonFinite != "" && m.NNotFailed == 0:
			o.Verdict, o.Reason = scoring.VerdictFail, "non_finite"
			o.Message = fmt.Sprintf("FAIL in all %d seeds with a value; values: %s", m.N, nonFinite)
			if missing != "" {
				o.Message += "; " + missing
			}
		case missing != "":
			o.Verdict, o.Reason, o.Message = scoring.VerdictWarn, "missing_values", missing
			if nonFinite != "" {
				o.Message += "; values: " + nonFinite + whatScores0
			}
		case nonFinite != "":
			o.Verdict, o.Reason = scoring.VerdictWarn, "non_finite"
			o.Message += "; values: " + nonFinite + whatScores0
		case float64(m.NNotFailed)/float64(m.N) < scoring.UnstableMaxPassRate: // not for want of values
			o.Verdict, o.Reason = scoring.VerdictWarn, string(scoring.FlagUnstable)
		}
		list[i] = o
	}
	return list
}

// passText says in how many seeds a metric passed or warned: of all, or of those that have a value, where not all
// have one.
func (j judge) passText(m scoring.MetricStability) string {
	if m.N == j.e.NSeeds {
		return fmt.Sprintf("PASS or WARN in %s of %s, score %s", format.Share(*m.PassRate), format.Counted(j.e.NSeeds, "seed"), format.Short(m.Totals().Score.Mean))
	}
	return fmt.Sprintf("PASS or WARN in %d of the %s with a value (%s in all), score %s", m.NNotFailed, format.Counted(m.N, "seed"), format.Counted(j.e.NSeeds, "seed"), format.Short(m.Totals().Score.Mean))
}

// Codes of the verdicts of no_degradation that are not about the numbers.
const (
	reasonNoBaseline  = "no_baseline"
	ReasonSame        = "candidate_is_baseline"
	reasonUndecidable = "undecidable"

	reasonNeverRecorded = "never_recorded"

	whatScores0 = "; a value that is not finite scores 0"
)

// comparing begins the outcome of a rule about the baseline, and says why nothing can be compared if nothing can.
func (j judge) comparing(rule string) (whole Outcome, compares bool) {
	i := j.in.Improvement
	whole = Outcome{Rule: rule, Verdict: scoring.VerdictInconclusive}
	if i == nil {
		whole.Reason, whole.Message = reasonNoBaseline, j.in.NoBaseline
		whole.Need = "a pinned baseline, or one that the spec names"
		if j.in.NoBaseline == ReasonSame {
			whole.Verdict, whole.Reason, whole.Need = scoring.VerdictWarn, ReasonSame, ""
			whole.Message = "the configuration is the baseline itself: nothing is compared"
		}
		return whole, false
	}
	whole.N = i.NPairs
	if reason, need := i.undecidable(); reason != "" {
		whole.Reason, whole.Message, whole.Need = reasonUndecidable, reason, need
		whole.Unattainable = rule + " cannot be decided: " + reason
		return whole, false
	}
	return whole, true
}

// noDegradation judges every metric that the rules guard against the baseline: FAIL where the corrected one-sided test
// shows that the mean loss is beyond the threshold; INCONCLUSIVE where the bound of the mean loss is not below the
// threshold; WARN for a loss that is shown, corrected for the metrics, but is shown to lie within the threshold.
func (j judge) noDegradation() ([]Outcome, error) {
	i := j.in.Improvement
	whole, compares := j.comparing(RuleNoDegradation)
	if !compares {
		return []Outcome{whole}, nil
	}
	guarded, leftOut := j.guarded()
	list, err := i.degradations(guarded)
	if err != nil {
		return nil, err
	}
	for _, never := range i.NeverRecorded {
		if j.in.Rules.LeavesOut(never.info) == "" {
			list = append(list, Outcome{
				Rule: RuleNoDegradation, Metric: never.Metric, Verdict: scoring.VerdictInconclusive, Reason: reasonNeverRecorded, N: i.NPairs,
				Message: never.text(), Need: "values of " + never.Metric + " on both sides",
			})
		}
	}
	whole.Verdict = scoring.VerdictPass
	whole.Message = fmt.Sprintf("against %s: %d metrics over %d pairs at base %v; mean total difference %+.4f (%s)",
		cmp.Or(j.in.Baseline, "the baseline"), len(guarded), i.NPairs, i.Options.Base, i.Total.MeanDelta, describeDifference(i.Total.Interval))
	if len(leftOut) > 0 {
		whole.Message += fmt.Sprintf("; %d not guarded", len(leftOut))
	}
	return append([]Outcome{whole}, list...), nil
}

// degradations judges the given metrics.
func (i *Improvement) degradations(metrics []MetricDelta) ([]Outcome, error) {
	losses, err := i.lossPs(metrics, func(MetricDelta) float64 { return 0 })
	if err != nil {
		return nil, err
	}
	beyond, err := i.lossPs(metrics, func(m MetricDelta) float64 { return m.Threshold })
	if err != nil {
		return nil, err
	}
	list := make([]Outcome, len(metrics))
	errs := make([]error, len(metrics))
	inParallel(len(metrics), func(k int) {
		list[k], errs[k] = i.degradation(metrics[k], losses[k], beyond[k])
	})
	return list, errors.Join(errs...)
}

// degradation judges one metric, but for FAIL; lossP is the corrected p against a loss, and p that against a loss
// beyond the threshold, NaN where a loss cannot reach it.
func (i *Improvement) degradation(m MetricDelta, lossP, p float64) (o Outcome, err error) {
	o = Outcome{
		Rule: RuleNoDegradation, Metric: m.Name, N: i.NPairs, Observed: ptr(m.MeanDelta), Limit: ptr(-m.Threshold),
		breaks: m.Status == scoring.Fail, delta: &m, lossP: lossP,
	}
	if o.bound, err = i.boundMetric(m); err != nil {
		return o, err
	}
	o.Interval, o.AssumedLoss = o.bound.interval, o.bound.largest
	o.assume(AssumesNothing, 1-i.JointAlpha())
	if o.AssumedLoss != nil {
		o.Assumption = assumesSeenLosses
	}
	o.Verdict = passIf(!o.breaks && (o.bound.passes || math.IsNaN(p)))
	if o.Verdict == scoring.VerdictPass && lossP <= i.JointAlpha() {
		o.Verdict = scoring.VerdictWarn
	}
	if !math.IsNaN(p) {
		o.P = ptr(p)
	}
	return o, nil
}

// explain says what decided on a metric of no_degradation: the test that failed it, the bound that passed it, or the
// test that shows a loss.
func (o *Outcome) explain(i *Improvement) error {
	m := o.delta
	if m == nil {
		return nil
	}
	confidence := confidenceText(1 - i.JointAlpha())
	limit := fmt.Sprintf("may lose %s; %d wins %d losses %d ties", format.Short(m.Threshold), m.Wins, m.Losses, m.Ties)
	if o.Verdict == scoring.VerdictFail {
		upper, err := i.upperMean(m.differences)
		o.PTests, o.Assumption, o.AssumedLoss, o.UnseenShare = pOfRule, assumesSymmetry, nil, nil
		o.Interval = stats.Interval{Lo: -1, Hi: upper, Confidence: 1 - i.JointAlpha(), Method: methodFlips}
		if i.Look.Anytime {
			o.Interval.Method = methodEValue
		}
		o.Message = fmt.Sprintf("mean delta %+.4f, a mean loss of at least %s with %s confidence (%s), %s", m.MeanDelta, format.Short(-upper), confidence, MethodName(o.Interval.Method), limit)
		o.sayAssumption()
		return err
	}
	o.Message = fmt.Sprintf("mean delta %+.4f, a mean loss of at most %s with %s confidence (%s), %s",
		m.MeanDelta, format.Short(-o.Interval.Lo), confidence, MethodName(o.Interval.Method), limit)
	switch {
	case o.Verdict == scoring.VerdictWarn:
		o.Message += fmt.Sprintf("; a loss is shown (p %s, %s)", format.PValue(o.lossP), i.MetricCorrection())
		o.P, o.PCorrected, o.PTests = ptr(o.lossP), ptr(o.lossP), pOfLoss
	case o.Verdict == scoring.VerdictInconclusive && o.breaks:
		o.Message += fmt.Sprintf("; a loss beyond it is not shown (p %s)", format.PValue(*o.PCorrected))
		o.PTests, o.Need = pOfRule, "more pairs: the mean loss is beyond what it may lose"
	case o.bound.p != nil:
		o.P, o.PCorrected, o.PTests = o.bound.p, nil, pOfThreshold
	}
	o.sayAssumption()
	if o.Verdict == scoring.VerdictInconclusive && !o.breaks {
		o.needPairs(i)
	}
	return nil
}

// needPairs says at how many pairs the metric would pass if the others are like these.
func (o *Outcome) needPairs(i *Improvement) {
	o.Need = "more pairs: the loss may exceed the threshold"
	if i.Look.Anytime {
		return
	}
	switch o.NNeeded = pairsNeeded(o.delta.differences, o.delta.Threshold, 1-i.JointAlpha()); {
	case o.NNeeded == 0:
		o.Need = fmt.Sprintf("more than %d pairs like these; or leave the metric out, with a reason", maxNeeded)
	case o.delta.Losses == 0:
		o.Need = fmt.Sprintf("%s without a loss (%d in all)", format.Counted(o.NNeeded-i.NPairs, "more pair"), o.NNeeded)
	default:
		o.Need = fmt.Sprintf("about %s like these (%d in all)", format.Counted(o.NNeeded-i.NPairs, "more pair"), o.NNeeded)
	}
}

// guarded returns the metrics that no_degradation judges, and those that the rules leave out.
func (j judge) guarded() (metrics []MetricDelta, leftOut []LeftOut) {
	for _, m := range j.in.Improvement.Metrics {
		if reason := j.in.Rules.LeavesOut(m.MetricInfo); reason != "" {
			leftOut = append(leftOut, LeftOut{m.Name, reason, m.MeanDelta, m.Threshold})
		} else {
			metrics = append(metrics, m)
		}
	}
	return metrics, leftOut
}

// LeftOutText names the metrics that no_degradation does not judge, with the reasons; empty if there are none.
func (s ScenarioOutcome) LeftOutText() string {
	var order []string
	names := map[string][]string{}
	for _, out := range s.LeftOut {
		if names[out.Reason] == nil {
			order = append(order, out.Reason)
		}
		names[out.Reason] = append(names[out.Reason], out.Metric)
	}
	for k, reason := range order {
		const most = 6
		list := names[reason]
		text := strings.Join(list[:min(most, len(list))], ", ")
		if len(list) > most {
			text += fmt.Sprintf(" and %d more", len(list)-most)
		}
		order[k] = text + " (" + reason + ")"
	}
	if len(order) == 0 {
		return ""
	}
	return fmt.Sprintf("not guarded, %s: %s", format.Counted(len(s.LeftOut), "metric"), strings.Join(order, "; "))
}

// LeftOut is a metric that no_degradation does not judge.
type LeftOut struct {
	Metric    string  `json:"metric"`
	Reason    string  `json:"reason"`
	MeanDelta float64 `json:"mean_delta"`
	Threshold float64 `json:"threshold"` // largest loss that it might have had
}

func join(sentences []string) string { return strings.Join(sentences, "; ") }

// MetricDelta is the change of the score of one metric, candidate minus baseline, over the pairs.
type MetricDelta struct {
	scoring.MetricInfo
	Candidate float64        `json:"candidate_score_over_pairs"` // mean score over the pairs
	Baseline  float64        `json:"baseline_score_over_pairs"`
	MeanDelta float64        `json:"mean_delta"`
	Threshold float64        `json:"threshold"`         // largest loss that is WARN
	Score     float64        `json:"improvement_score"` // max(0, min(1, 1 + MeanDelta)): 1 for no loss, as in the origin of these scores
	Status    scoring.Status `json:"point_comparison"`  // [scoring.CheckImprovement] of MeanDelta alone; no statement on other seeds
	Interval  stats.Interval `json:"ci"`                // of MeanDelta; together with those of all other metrics it has its confidence
	P         float64        `json:"p"`                 // sign-flip test, two-sided
	PMaxT     float64        `json:"p_max_t"`           // corrected for the number of metrics: joint sign flips, step-down max-T; Holm at any time
	IsDecided bool           `json:"decided"`           // the data show a change: PMaxT is at most 1 - confidence, and Interval is on one side of 0
	Wins      int            `json:"wins"`              // pairs in which the candidate scores higher
	Losses    int            `json:"losses"`
	Ties      int            `json:"ties"`

	// Pairs in which a side ran well but has no value: it scores 0 there.
	NMissingCandidate int `json:"n_missing_candidate,omitzero"`
	NMissingBaseline  int `json:"n_missing_baseline,omitzero"`

	differences []float64
}

// MetricTest names the test that decides which metrics changed.
func (i Improvement) MetricTest() string {
	if i.Look.Anytime {
		return "symmetric e-values with Holm's correction"
	}
	return "sign flips of all metrics jointly (max-T)"
}

// MetricCorrection names the correction of a metric's p-value for the number of metrics.
func (i Improvement) MetricCorrection() string {
	if i.Look.Anytime {
		return "Holm"
	}
	return "max-T"
}

// NeverRecorded is a metric of the spec of which one side has no value in any seed: nothing is lost, and nothing can be
// compared.
type NeverRecorded struct {
	Metric string `json:"metric"`
	Side   string `json:"side"` // candidate or baseline
	N      int    `json:"n"`    // seeds of that side that ran well

	info scoring.MetricInfo
}

func (m NeverRecorded) text() string {
	return fmt.Sprintf("%s was never recorded by the %s: none of %s has a value", m.Metric, m.Side, format.Counted(m.N, "seed"))
}

// neverRecorded returns the metrics of which one side has no value although seeds of it ran.
func neverRecorded(spec scoring.Spec, p pairs) (list []NeverRecorded) {
	for k, m := range spec.Metrics {
		if never := neverRecordedMetric(m, k, p); never != nil {
			list = append(list, *never)
		}
	}
	return list
}

func isNever(list []NeverRecorded, metric string) bool {
	return slices.ContainsFunc(list, func(n NeverRecorded) bool { return n.Metric == metric })
}

// overCommon returns seeds with their total scores over the metrics that both sides recorded. A seed that lacks one of
// these has no score.
func overCommon(spec scoring.Spec, never []NeverRecorded, seeds []JudgedSeed) []JudgedSeed {
	list := slices.Clone(seeds)
	for i := range list {
		s := &list[i]
		if s.Scores == nil {
			continue
		}
		sum, weights, missing := 0.0, 0.0, ""
		for k, m := range spec.Metrics {
			switch {
			case isNever(never, m.Name):
			case math.IsNaN(s.Scores[k]):
				missing = m.Name
			default:
				sum, weights = sum+float64(m.Weight*s.Scores[k]), weights+m.Weight
			}
		}
		switch s.Failed, s.Total = "", 0; {
		case missing != "":
			s.Failed = "missing " + missing
		case weights == 0:
			s.Failed = "no metric with a weight on both sides"
		default:
			s.Total = sum / weights
		}
	}
	return list
}

// neverRecordedMetric returns the side that has no value of a metric although seeds of it ran; nil if both have one.
func neverRecordedMetric(m scoring.Metric, metric int, p pairs) *NeverRecorded {
	for _, side := range []struct {
		name  string
		seeds []JudgedSeed
	}{{"candidate", p.candidate}, {"baseline", p.baseline}} {
		isRecorded := slices.ContainsFunc(side.seeds, func(s JudgedSeed) bool { return s.Scores != nil && !math.IsNaN(s.Scores[metric]) })
		if isRecorded {
			continue
		}
		if ran, _ := countMissing(side.seeds, metric); ran > 0 {
			return &NeverRecorded{m.Name, side.name, ran, m.Info()}
		}
	}
	return nil
}

// countMissing counts the seeds that ran, and those of them that have no value of a metric.
func countMissing(seeds []JudgedSeed, metric int) (ran, missing int) {
	for i := range seeds {
		seed := &seeds[i] // there are many, and each is large
		if seed.Scores == nil {
			continue
		}
		ran++
		if math.IsNaN(seed.Scores[metric]) {
			missing++
		}
	}
	return ran, missing
}

func (i *Improvement) compareMetrics(spec scoring.Spec, p pairs) error {
	var compared []int
	for k, m := range spec.Metrics {
		if !isNever(i.NeverRecorded, m.Name) {
			compared = append(compared, k)
		}
	}
	i.Metrics = make([]MetricDelta, len(compared))
	errs := make([]error, len(compared))
	inParallel(len(compared), func(at int) {
		i.Metrics[at], errs[at] = compareMetric(spec.Metrics[compared[at]], compared[at], p, i.Options, len(compared))
	})
	for k, m := range i.Metrics {
		if errs[k] != nil {
			return fmt.Errorf("metric %s: %w", m.Name, errs[k])
		}
		switch m.Status {
		case scoring.Pass:
			i.NPass++
		case scoring.Warn:
			i.NWarn++
		default:
			i.NFail++
			i.Degraded = append(i.Degraded, m.Name)
		}
	}
	i.Score = improvementScore(i.Metrics)
	return i.decideMetrics()
}

// improvementScore is the mean of the improvement scores, weighted as in the spec; nil without weights.
func improvementScore(metrics []MetricDelta) *float64 {
	sum, weights := 0.0, 0.0
	for _, m := range metrics {
		sum, weights = sum+float64(m.Weight*m.Score), weights+m.Weight
	}
	if weights == 0 {
		return nil
	}
	return ptr(sum / weights)
}

// decideMetrics says which metrics changed, by a test of all of them together, and keeps their intervals from saying
// anything else: an interval of a metric that is decided ends at 0 at the latest, that of any other holds 0.
func (i *Improvement) decideMetrics() error {
	d, ps := make([][]float64, len(i.Metrics)), make([]float64, len(i.Metrics))
	for k, m := range i.Metrics {
		d[k], ps[k] = m.differences, m.P
	}
	if i.Look.Anytime {
		adjusted, err := stats.Holm(ps, i.JointAlpha())
		if err != nil {
			return err
		}
		ps = adjusted.P
	} else {
		joint, err := stats.SignFlipJointlyTwoSided(d, drawSeed)
		if err != nil {
			return err
		}
		ps = joint.TwoSided
	}
	for k := range i.Metrics {
		m := &i.Metrics[k]
		m.PMaxT, m.IsDecided = ps[k], ps[k] <= i.JointAlpha() && m.MeanDelta != 0
		switch {
		case m.IsDecided && m.MeanDelta > 0:
			i.NBetter++
			m.Interval.Lo = max(m.Interval.Lo, 0)
		case m.IsDecided:
			i.NWorse++
			m.Interval.Hi = min(m.Interval.Hi, 0)
		default:
			m.Interval.Lo, m.Interval.Hi = min(m.Interval.Lo, 0), max(m.Interval.Hi, 0)
		}
	}
	return nil
}

// compareMetric compares one of nMetrics metrics.
func compareMetric(m scoring.Metric, metric int, p pairs, o Options, nMetrics int) (MetricDelta, error) {
	scores := p.scores(metric)
	delta := MetricDelta{MetricInfo: m.Info(), Threshold: scoring.DegradationThreshold(m.Weight, o.Base)}
	_, delta.NMissingCandidate = countMissing(p.candidate, metric)
	_, delta.NMissingBaseline = countMissing(p.baseline, metric)
	d, err := stats.Differences(scores.candidate, scores.baseline)
	if err != nil {
		return delta, err
	}
	delta.differences = d
	delta.Candidate, delta.Baseline, delta.MeanDelta = mean(scores.candidate), mean(scores.baseline), mean(d)
	delta.Score = max(0, min(1, 1+delta.MeanDelta))
	delta.Status = scoring.CheckImprovement(delta.MeanDelta, m.Weight, o.Base)
	delta.count()
	if delta.Interval, err = simultaneousInterval(d, o, nMetrics); err != nil {
		return delta, err
	}
	if o.Look.Anytime {
		e, err := stats.SymmetricEValue(d)
		delta.P = twoSided(e)
		return delta, err
	}
	flips, err := stats.SignFlip(d, drawSeed)
	delta.P = flips.P.TwoSided
	return delta, err
}

func (m *MetricDelta) count() {
	for _, x := range m.differences {
		switch {
		case x > 0:
			m.Wins++
		case x < 0:
			m.Losses++
		default:
			m.Ties++
		}
	}
}

// methodSimultaneous is the t interval at a confidence that holds for all metrics together (Bonferroni).
const methodSimultaneous = "t, simultaneous"

// simultaneousInterval bounds the mean of d, which lies in [-1, 1], so that all of n such intervals hold together with
// the confidence of a comparison. Equal differences have no t interval: theirs is the bound of any mean.
func simultaneousInterval(d []float64, o Options, n int) (stats.Interval, error) {
	alpha := o.JointAlpha() / float64(n)
	summary, err := stats.Summarize(d)
	if err != nil {
		return stats.Interval{}, err
	}
	var interval stats.Interval
	switch {
	case o.Look.Anytime:
		interval, err = anytimeInterval(d, 1-alpha)
	case summary.Constant:
		interval, err = boundedInterval(d, 1-alpha)
	default:
		interval = summary.MeanInterval(1 - alpha)
		interval.Method = methodSimultaneous
	}
	interval.Lo, interval.Hi, interval.Confidence = max(-1, interval.Lo), min(1, interval.Hi), 1-o.JointAlpha()
	return interval, err
}

// boundedInterval bounds a mean of values in [-1, 1] from both sides.
func boundedInterval(d []float64, confidence float64) (stats.Interval, error) {
	side := (1 + confidence) / 2
	above, err := stats.BoundedMeanUpper(d, -1, 1, side)
	if err != nil {
		return above, err
	}
	below, err := stats.BoundedMeanUpper(negated(d), -1, 1, side)
	return stats.Interval{Lo: -below.Hi, Hi: above.Hi, Confidence: confidence, Method: stats.MethodBoundedMean}, err
}

// lossPs are the p-values of each metric against a mean loss of more than allowed gives for it, corrected for the
// number of metrics: by joint sign flips of the differences plus what is allowed, or for looks at any time by Holm's
// rule on anytime p-values. NaN for metrics that cannot lose so much.
func (i *Improvement) lossPs(metrics []MetricDelta, allowed func(MetricDelta) float64) ([]float64, error) {
	ps := make([]float64, len(metrics))
	var tested []int
	var d [][]float64
	for k, m := range metrics {
		ps[k] = math.NaN()
		if limit := allowed(m); limit < 1 { // scores lie in [0, 1]
			tested, d = append(tested, k), append(d, shifted(m.differences, limit))
		}
	}
	test := jointLess
	if i.Options.Look.Anytime {
		test = i.anytimeLess
	}
	corrected, err := test(d)
	if err != nil {
		return nil, err
	}
	for at, k := range tested {
		ps[k] = corrected[at]
	}
	return ps, nil
}

func jointLess(d [][]float64) ([]float64, error) {
	joint, err := stats.SignFlipJointly(d, drawSeed)
	return joint.Less, err
}

func (i *Improvement) anytimeLess(d [][]float64) ([]float64, error) {
	ps := make([]float64, len(d))
	for k := range d {
		e, err := stats.SymmetricEValue(d[k])
		if err != nil {
			return nil, err
		}
		ps[k] = e.AnytimeP().Less
	}
	adjusted, err := stats.Holm(ps, i.Options.JointAlpha())
	return adjusted.P, err
}

func shifted(xs []float64, by float64) []float64 {
	moved := make([]float64, len(xs))
	for k, x := range xs {
		moved[k] = x + by
	}
	return moved
}

// Measured is what the seeds measured next to the limit of a rule. It disregards chance and is no verdict: a gate
// decides by bounds and tests.
type Measured struct {
	Rule   string   `json:"rule"`
	Of     string   `json:"of"`    // what was measured: such as "pass rate"
	Value  *float64 `json:"value"` // nil if there is nothing to measure
	Limit  float64  `json:"limit"`
	AtMost bool     `json:"at_most,omitzero"` // Value may be at most Limit, otherwise at least
	Margin *float64 `json:"margin"`           // how far Value is on the allowed side of Limit; negative on the other side
	Met    bool     `json:"met"`
	N      int      `json:"n"` // seeds or pairs
}

// What rules measure.
const (
	MeasuredSeeds    = "seeds"
	MeasuredPassRate = "pass rate"
	MeasuredMetrics  = "metrics within their loss" // of no_degradation
	measuredSD       = "sd"
	measuredSpread   = "population sd" // of stable
	measuredScore    = "score"
)

func newMeasured(rule, of string, n int, value, limit float64, atMost bool) Measured {
	m := Measured{Rule: rule, Of: of, Limit: limit, AtMost: atMost, N: n}
	if math.IsNaN(value) {
		return m
	}
	margin := value - limit
	if atMost {
		margin = limit - value
	}
	m.Value, m.Margin, m.Met = &value, &margin, margin >= 0
	return m
}

// measured returns what the seeds measured of each rule that applies.
func (in GateInput) measured(e Estimates) (list []Measured) {
	add := func(rule, of string, n int, value, limit float64, atMost bool) {
		list = append(list, newMeasured(rule, of, n, value, limit, atMost))
	}
	rules, n := in.Rules, e.NSeeds
	if c := in.Coverage; c.NPlanned > 0 {
		add(RulePlanned, MeasuredSeeds, n, float64(c.NPlanned-c.NMissing), float64(c.NPlanned), false)
	}
	if rules.MinSeeds > 0 {
		add(ruleMinSeeds, MeasuredSeeds, n, float64(n), float64(rules.MinSeeds), false)
	}
	if rules.MinPassRate != nil {
		add(RuleMinPassRate, MeasuredPassRate, n, e.PassRate.Value, *rules.MinPassRate, false)
	}
	if rules.Stable {
		sd := math.NaN()
		if e.NScored > 0 {
			sd = in.Stability.Totals().Score.Std
		}
		add(ruleStable, MeasuredPassRate, n, e.PassRate.Value, scoring.StableMinPassRate, false)
		add(ruleStable, measuredSpread, e.NScored, sd, scoring.StableMaxStd, true)
	}
	if rules.MaxStd != nil {
		add(ruleMaxStd, measuredSD, e.NScored, e.SD.Value, *rules.MaxStd, true)
	}
	if rules.MinScore != nil {
		add(ruleMinScore, measuredScore, e.NSeeds, e.Score.Value, *rules.MinScore, false)
	}
	if rules.NoDegradation {
		list = append(list, in.measuredLosses())
	}
	return list
}

// measuredLosses counts the guarded metrics whose mean loss is within what they may lose.
func (in GateInput) measuredLosses() Measured {
	if in.Improvement == nil {
		return newMeasured(RuleNoDegradation, MeasuredMetrics, 0, math.NaN(), 0, false)
	}
	guarded, _ := judge{in: in}.guarded()
	all, within := len(guarded), 0
	for _, m := range guarded {
		if m.Status != scoring.Fail {
			within++
		}
	}
	for _, never := range in.Improvement.NeverRecorded {
		if in.Rules.LeavesOut(never.info) == "" {
			all++
		}
	}
	return newMeasured(RuleNoDegradation, MeasuredMetrics, in.Improvement.NPairs, float64(within), float64(all), false)
}
