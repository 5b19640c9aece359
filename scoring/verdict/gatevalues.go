package verdict

import (
	"fmt"

	"track/scoring"
	"track/scoring/format"
)

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
