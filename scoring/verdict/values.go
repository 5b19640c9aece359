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

// ValueDelta is the change of the value of one metric in its own unit, candidate minus baseline, over the pairs in
// which both sides have a finite value. Scores do not show it where they are symmetric about a target.
type ValueDelta struct {
	Metric    string         `json:"metric"`
	Format    scoring.Format `json:"format"`
	NPairs    int            `json:"n_pairs"`
	NEqual    int            `json:"n_equal"` // pairs whose values are equal but for rounding
	Candidate float64        `json:"candidate_mean_over_pairs"`
	Baseline  float64        `json:"baseline_mean_over_pairs"`
	MeanDelta float64        `json:"mean_delta"`
	Shift     *float64       `json:"shift_in_sds"` // MeanDelta over the root mean square of both sides' sds; nil if both are 0
	Interval  stats.Interval `json:"ci"`           // of MeanDelta; holds for all values together; not defined for equal differences
	P         float64        `json:"p"`            // paired t, two-sided; the sign-flip test for equal differences; the anytime p-value
	PHolm     float64        `json:"p_holm"`       // corrected for the number of values
	Moved     bool           `json:"moved"`        // PHolm is at most 1 - confidence
	Margin    *float64       `json:"margin"`       // smallest difference that matters: the metric's, or the comparison's times tolerance or half-range; nil if unknown
	Within    bool           `json:"within"`       // the interval of this value alone lies within its margin

	// Correlation is Pearson's, of the values of the pairs; nil if a side does not vary. Above 0, pairs of equal seeds
	// show smaller differences than as many unpaired seeds: common random numbers.
	Correlation *float64 `json:"correlation"`
}

const methodPairedT = "paired t"

// ValueTest names the test that decides which values moved.
func (i Improvement) ValueTest() string {
	if i.Look.Anytime {
		return "symmetric e-value of each value, with Holm's correction for their number"
	}
	return "paired t of each value, if mean differences are about normal, with Holm's correction for their number"
}

// ValueCorrection names the correction of a value's p for the number of values.
func (Improvement) ValueCorrection() string { return "Holm" }

// compareValues compares the values of each metric by a family of tests of their own. Values whose squares are beyond
// float64 are not compared, and named in a warning.
func (i *Improvement) compareValues(spec scoring.Spec, p pairs) error {
	for k, m := range spec.Metrics {
		candidate, baseline := p.values(k)
		if len(candidate) < 2 {
			continue
		}
		delta, err := i.compareValue(m, candidate, baseline, len(spec.Metrics))
		if err != nil {
			i.Warnings = append(i.Warnings, Warning{warnValuesUncompared, fmt.Sprintf("the values of %s are not compared: %v", m.Name, err)})
			continue
		}
		i.Values = append(i.Values, delta)
	}
	ps := make([]float64, len(i.Values))
	for k, v := range i.Values {
		ps[k] = v.P
	}
	adjusted, err := stats.Holm(ps, i.JointAlpha())
	if err != nil {
		return err
	}
	for k := range i.Values {
		i.Values[k].PHolm, i.Values[k].Moved = adjusted.P[k], adjusted.Reject[k]
	}
	return nil
}

// compareValue compares the values of one of nMetrics metrics.
func (i *Improvement) compareValue(m scoring.Metric, candidate, baseline []float64, nMetrics int) (delta ValueDelta, err error) {
	d, err := stats.Differences(candidate, baseline)
	if err != nil {
		return delta, err
	}
	summary, err := stats.Summarize(d)
	if err != nil {
		return delta, err
	}
	delta = ValueDelta{
		Metric: m.Name, Format: m.Format, NPairs: len(d), Candidate: mean(candidate), Baseline: mean(baseline), MeanDelta: mean(d),
		Margin: valueMargin(m, i.Margin),
	}
	for _, x := range d {
		if x == 0 {
			delta.NEqual++
		}
	}
	if effect, err := stats.NewEffect(candidate, baseline, stats.EffectDav); err == nil {
		delta.Shift = &effect.D
	}
	delta.Correlation = ifDefined(stats.Pearson(candidate, baseline))
	if err := delta.test(d, candidate, baseline, i.Options); err != nil {
		return delta, err
	}
	alone := delta.Interval
	if !i.Look.Anytime && alone.Defined() {
		delta.Interval = summary.MeanInterval(1 - i.JointAlpha()/float64(nMetrics))
		delta.Interval.Confidence, delta.Interval.Method = 1-i.JointAlpha(), methodSimultaneous
	}
	if margin := delta.Margin; margin != nil {
		delta.Within = delta.NEqual == delta.NPairs || alone.Defined() && alone.Lo >= -*margin && alone.Hi <= *margin
	}
	return delta, nil
}

// test fills in the p-value, and the interval of this value alone.
func (v *ValueDelta) test(d, candidate, baseline []float64, o Options) error {
	v.Interval = undefined(1-o.JointAlpha(), methodPairedT)
	if o.Look.Anytime { // values have no bounds, so there is no interval that holds at any time
		e, err := stats.SymmetricEValue(d)
		v.P = twoSided(e)
		return err
	}
	t, err := stats.PairedT(candidate, baseline, 1-o.JointAlpha())
	if errors.Is(err, stats.ErrZeroVariance) { // equal differences say nothing of the spread: their signs must do
		flips, err := stats.SignFlip(d, drawSeed)
		v.P = flips.P.TwoSided
		return err
	}
	v.P, v.Interval = t.P.TwoSided, t.Interval
	return err
}

// valueMargin is the smallest difference of values that matters: the metric's own, else the margin of scores times the
// tolerance of a target or half of the width of a range; nil without either.
func valueMargin(m scoring.Metric, margin float64) *float64 {
	if m.Margin != nil {
		return m.Margin
	}
	var unit float64
	switch t := m.Target.(type) {
	case scoring.MeanTolerance:
		unit = t.Tolerance
	case scoring.Range:
		unit = (t.Max - t.Min) / 2
	}
	if margin <= 0 || unit <= 0 {
		return nil
	}
	return ptr(margin * unit)
}

// values returns the values of one metric in the pairs in which both are finite.
func (p pairs) values(metric int) (candidate, baseline []float64) {
	for k := range p.candidate {
		x, known := valueOf(p.candidate[k], metric)
		y, alsoKnown := valueOf(p.baseline[k], metric)
		if known && alsoKnown {
			candidate, baseline = append(candidate, x), append(baseline, y)
		}
	}
	return candidate, baseline
}

func valueOf(s JudgedSeed, metric int) (float64, bool) {
	if metric >= len(s.Values) {
		return 0, false
	}
	x := s.Values[metric]
	return x, !math.IsNaN(x) && !math.IsInf(x, 0)
}

// Text says how the value moved, as in "mean_wait 3.50 → 4.48 (+0.98, 95% interval +0.94 to +1.02, 5.1 sd)".
func (v ValueDelta) Text() string {
	how := SignedValue(v.MeanDelta, v.Format)
	if v.Interval.Defined() {
		how += fmt.Sprintf(", %s interval %s to %s", confidenceText(v.Interval.Confidence), SignedValue(v.Interval.Lo, v.Format), SignedValue(v.Interval.Hi, v.Format))
	}
	if v.Shift != nil {
		how += fmt.Sprintf(", %.2g sd", math.Abs(*v.Shift))
	}
	return fmt.Sprintf("%s (%s)", v.fromTo(), how)
}

func (v ValueDelta) fromTo() string {
	return fmt.Sprintf("%s %s → %s", v.Metric, format.Mean(v.Baseline, v.Format), format.Mean(v.Candidate, v.Format))
}

// SignedValue writes a difference of values with its sign.
func SignedValue(x float64, f scoring.Format) string {
	text := format.Mean(x, f)
	if x > 0 {
		return "+" + text
	}
	return text
}

// MovedText names the values that moved, the farthest first; empty if none did.
func (i Improvement) MovedText() string {
	return MovedText(i.Values, i.NBetter+i.NWorse > 0 || i.Difference == Better || i.Difference == Worse)
}

// MovedText names the values that moved, the farthest first, and says so if scores do not differ; empty if none moved.
func MovedText(values []ValueDelta, scoresDiffer bool) string {
	moved := slices.DeleteFunc(slices.Clone(values), func(v ValueDelta) bool { return !v.Moved })
	if len(moved) == 0 {
		return ""
	}
	slices.SortStableFunc(moved, func(a, b ValueDelta) int { return cmp.Compare(math.Abs(shiftOr(b)), math.Abs(shiftOr(a))) })
	const whole, named = 3, 12
	var texts []string
	for k, v := range moved[:min(named, len(moved))] {
		if k < whole {
			texts = append(texts, v.Text())
		} else {
			texts = append(texts, v.fromTo())
		}
	}
	if len(moved) > named {
		texts = append(texts, fmt.Sprintf("%d more", len(moved)-named))
	}
	lead := "values moved"
	if !scoresDiffer {
		lead = "scores show no difference, but values moved"
	}
	if far := shiftOr(moved[0]); !math.IsInf(far, 0) {
		lead += fmt.Sprintf(" by up to %.2g sd", math.Abs(far))
	}
	return lead + ": " + strings.Join(texts, "; ")
}

// shiftOr is how far a value moved, in sds; infinite where the sides do not vary.
func shiftOr(v ValueDelta) float64 {
	if v.Shift == nil {
		return math.Inf(1)
	}
	return *v.Shift
}

// unlike names what keeps a difference of scores within the margin from being equivalence: values that moved, and those
// that are not shown to lie within their margins. Empty if nothing does.
func (i Improvement) unlike() (names []string) {
	for _, v := range i.Values {
		switch {
		case v.Moved:
			names = append(names, v.Metric+" moved")
		case v.Margin != nil && !v.Within:
			names = append(names, fmt.Sprintf("%s may differ by more than %s", v.Metric, format.Mean(*v.Margin, v.Format)))
		}
	}
	return names
}

// withoutMargin names the metrics whose values have no margin, or were not compared: equivalence is not said of them.
func (i Improvement) withoutMargin() (names []string) {
	for _, v := range i.Values {
		if v.Margin == nil {
			names = append(names, v.Metric)
		}
	}
	return append(names, i.uncompared()...)
}

// uncompared names the metrics whose scores are compared and whose values are not: no two pairs have finite ones.
func (i Improvement) uncompared() (names []string) {
	for _, m := range i.Metrics {
		if !slices.ContainsFunc(i.Values, func(v ValueDelta) bool { return v.Metric == m.Name }) {
			names = append(names, m.Name)
		}
	}
	return names
}
