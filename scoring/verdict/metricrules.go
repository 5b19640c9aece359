package verdict

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"track/scoring"
	"track/scoring/format"
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
			missing = fmt.Sprintf("%d of %d seeds that ran well have no value and therefore no total score", ok-m.N, ok)
		}
		switch finite := isFinite(m.MeanValue); {
		case ok == 0:
			o.Verdict, o.Reason, o.Message = scoring.VerdictInconclusive, "no_scores", "no seed ran well"
		case m.N == 0:
			o.Verdict, o.Reason = scoring.VerdictFail, "missing_metric"
			o.Message = fmt.Sprintf("none of %d seeds has a value", ok)
		case !finite && m.NNotFailed == 0:
			o.Verdict, o.Reason = scoring.VerdictFail, "non_finite"
			o.Message = fmt.Sprintf("FAIL in all %d seeds with a value; some values are NaN or infinite", m.N)
			if missing != "" {
				o.Message += "; " + missing
			}
		case missing != "":
			o.Verdict, o.Reason, o.Message = scoring.VerdictWarn, "missing_values", missing
			if !finite {
				o.Message += "; some values are NaN or infinite: they score 0"
			}
		case !finite:
			o.Verdict, o.Reason = scoring.VerdictWarn, "non_finite"
			o.Message += "; some values are NaN or infinite: they score 0"
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
		return fmt.Sprintf("PASS or WARN in %s of %d seeds, mean score %s", format.Share(*m.PassRate), j.e.NSeeds, format.Short(m.Totals().Score.Mean))
	}
	return fmt.Sprintf("PASS or WARN in %d of the %d seeds with a value (%d seeds in all), mean score %s", m.NNotFailed, m.N, j.e.NSeeds, format.Short(m.Totals().Score.Mean))
}

// Codes of the verdicts of no_degradation that are not about the numbers.
const (
	reasonNoBaseline  = "no_baseline"
	ReasonSame        = "candidate_is_baseline"
	reasonUndecidable = "undecidable"
)

// noDegradation judges every metric against the baseline: FAIL where the corrected one-sided test shows that the mean
// loss is beyond the threshold; INCONCLUSIVE where the loss, or the lower end of its interval, is beyond the
// threshold without that; WARN for a loss that is shown, corrected for the metrics, but lies within the threshold.
func (j judge) noDegradation() ([]Outcome, error) {
	i := j.in.Improvement
	whole := Outcome{Rule: ruleNoDegradation, Verdict: scoring.VerdictInconclusive}
	if i == nil {
		whole.Reason, whole.Message = reasonNoBaseline, j.in.NoBaseline
		whole.Need = "a pinned baseline, or one that the spec names"
		if j.in.NoBaseline == ReasonSame {
			whole.Verdict, whole.Reason, whole.Need = scoring.VerdictWarn, ReasonSame, ""
			whole.Message = "the configuration is the baseline itself: nothing is compared"
		}
		return []Outcome{whole}, nil
	}
	whole.N = i.NPairs
	if reason, need := i.undecidable(); reason != "" {
		whole.Reason, whole.Message, whole.Need = reasonUndecidable, reason, need
		whole.Unattainable = "no_degradation cannot be decided: " + reason
		return []Outcome{whole}, nil
	}
	losses, err := i.lossPs(func(MetricDelta) float64 { return 0 })
	if err != nil {
		return nil, err
	}
	beyond, err := i.lossPs(func(m MetricDelta) float64 { return m.Threshold })
	if err != nil {
		return nil, err
	}
	list := make([]Outcome, len(i.Metrics))
	for k, m := range i.Metrics {
		list[k] = degradation(m, losses[k] <= i.Options.Alpha(), beyond[k], i)
	}
	whole.Verdict = scoring.VerdictPass
	whole.Message = fmt.Sprintf("against %s: %d metrics over %d pairs at base %v, by mean delta %d PASS, %d WARN, %d FAIL; mean total difference %+.4f (%s)",
		cmp.Or(j.in.Baseline, "the baseline"), len(i.Metrics), i.NPairs, i.Options.Base, i.NPass, i.NWarn, i.NFail, i.Total.MeanDelta, describeInterval(i.Total.Interval))
	return append([]Outcome{whole}, list...), nil
}

// degradation judges one metric, of which a loss is shown or not; p is that against a loss beyond the threshold, NaN
// where a loss cannot reach it.
func degradation(m MetricDelta, shown bool, p float64, i *Improvement) Outcome {
	limit := -m.Threshold
	o := Outcome{
		Rule: ruleNoDegradation, Metric: m.Name, Verdict: scoring.VerdictPass, N: i.NPairs,
		Observed: ptr(m.MeanDelta), Limit: ptr(limit), Interval: m.Interval, breaks: m.Status == scoring.Fail,
	}
	o.Message = fmt.Sprintf("mean delta %+.4f, %s, threshold %+.4f, %d wins %d losses %d ties", m.MeanDelta, describeInterval(m.Interval), limit, m.Wins, m.Losses, m.Ties)
	if shown {
		o.Verdict = scoring.VerdictWarn
	}
	if math.IsNaN(p) {
		return o
	}
	o.P = ptr(p)
	if o.breaks || !(m.Interval.Lo >= limit) {
		o.Verdict = scoring.VerdictInconclusive
		o.Need = "more pairs: the loss may exceed the threshold"
	}
	return o
}

func isFinite(x *scoring.Value) bool {
	return x != nil && !math.IsNaN(float64(*x)) && !math.IsInf(float64(*x), 0)
}

func join(sentences []string) string { return strings.Join(sentences, "; ") }
