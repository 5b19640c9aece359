package verdict

import (
	"cmp"
	"errors"
	"fmt"
	"math"
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
