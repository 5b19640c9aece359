package verdict

import (
	"fmt"
	"math"
	"slices"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
)

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
