package verdict

import (
	"fmt"
	"math"

	"track/scoring"
	"track/scoring/stats"
)

// MetricDelta is the change of the score of one metric, candidate minus baseline, over the pairs.
type MetricDelta struct {
	scoring.MetricInfo
	Candidate float64        `json:"candidate_mean"` // mean score over the pairs
	Baseline  float64        `json:"baseline_mean"`
	MeanDelta float64        `json:"mean_delta"`
	Threshold float64        `json:"threshold"` // largest loss that is WARN
	Status    scoring.Status `json:"status"`    // [scoring.CheckImprovement] of MeanDelta
	Interval  stats.Interval `json:"ci"`        // of MeanDelta
	P         float64        `json:"p"`         // sign-flip test, two-sided
	PHolm     float64        `json:"p_holm"`    // P corrected for the number of metrics
	IsDecided bool           `json:"decided"`   // the data show a change: PHolm is at most 1 - confidence
	Wins      int            `json:"wins"`      // pairs in which the candidate scores higher
	Losses    int            `json:"losses"`
	Ties      int            `json:"ties"`

	differences []float64
}

func (i *Improvement) compareMetrics(spec scoring.Spec, p pairs) error {
	i.Metrics = make([]MetricDelta, len(spec.Metrics))
	errs := make([]error, len(spec.Metrics))
	inParallel(len(spec.Metrics), func(k int) {
		i.Metrics[k], errs[k] = compareMetric(spec.Metrics[k], p.scores(k), i.Options)
	})
	ps := make([]float64, len(i.Metrics))
	for k, m := range i.Metrics {
		if errs[k] != nil {
			return fmt.Errorf("metric %s: %w", m.Name, errs[k])
		}
		ps[k] = m.P
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
	adjusted, err := stats.Holm(ps, i.Options.Alpha())
	if err != nil {
		return err
	}
	for k := range i.Metrics {
		i.Metrics[k].PHolm = adjusted.P[k]
		i.Metrics[k].IsDecided = adjusted.P[k] <= i.Alpha()
	}
	i.warnFloor()
	return nil
}

// warnFloor says that so many pairs cannot decide on any of so many metrics.
const warnFloor = "too_few_pairs_for_metrics"

func (i *Improvement) warnFloor() {
	least := stats.LeastPairs(i.Options.Alpha())
	if i.Options.Look.Anytime || i.NPairs < least {
		return
	}
	m := float64(len(i.Metrics))
	floor := func(n int) float64 { return stats.SmallestFlipP(n) * m } // of the corrected p
	if floor(i.NPairs) <= i.Options.Alpha() {
		return
	}
	text := fmt.Sprintf("with %d pairs and %d metrics no corrected p can be below %.3f: every metric reads ~", i.NPairs, len(i.Metrics), floor(i.NPairs))
	need := max(1, least)
	for need <= stats.ExactSignFlip && floor(need) > i.Options.Alpha() {
		need++
	}
	switch {
	case need > stats.ExactSignFlip:
	case i.NPairs > stats.ExactSignFlip:
		text += fmt.Sprintf("; %d to %d pairs can decide one, because all their signs are counted", need, stats.ExactSignFlip)
	default:
		text += fmt.Sprintf("; %d pairs are the fewest that can decide one", need)
	}
	i.Warnings = append(i.Warnings, Warning{warnFloor, text})
}

func compareMetric(m scoring.Metric, scores pairedScores, o Options) (MetricDelta, error) {
	delta := MetricDelta{MetricInfo: m.Info(), Threshold: scoring.DegradationThreshold(m.Weight, o.Base)}
	d, err := stats.Differences(scores.candidate, scores.baseline)
	if err != nil {
		return delta, err
	}
	summary, err := stats.Summarize(d)
	if err != nil {
		return delta, err
	}
	delta.differences = d
	delta.Candidate, delta.Baseline, delta.MeanDelta = mean(scores.candidate), mean(scores.baseline), summary.Mean
	delta.Status = scoring.CheckImprovement(delta.MeanDelta, m.Weight, o.Base)
	delta.Interval = summary.MeanInterval(o.Look.confidence(o.Confidence))
	for _, x := range d {
		switch {
		case x > 0:
			delta.Wins++
		case x < 0:
			delta.Losses++
		default:
			delta.Ties++
		}
	}
	if o.Look.Anytime {
		e, err := stats.SymmetricEValue(d)
		if err != nil {
			return delta, err
		}
		delta.P = e.AnytimeP().TwoSided
		delta.Interval, err = anytimeInterval(d, o.Confidence)
		return delta, err
	}
	p, err := stats.SignFlip(d, drawSeed)
	delta.P = p.P.TwoSided
	return delta, err
}

// lossPs are the p-values of each metric against a mean loss of more than allowed gives for it, corrected for the
// number of metrics: by joint sign flips of the differences plus what is allowed, or for looks at any time by Holm's
// rule on anytime p-values. NaN for metrics that cannot lose so much.
func (i *Improvement) lossPs(allowed func(MetricDelta) float64) ([]float64, error) {
	ps := make([]float64, len(i.Metrics))
	var tested []int
	var d [][]float64
	for k, m := range i.Metrics {
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
	adjusted, err := stats.Holm(ps, i.Options.Alpha())
	return adjusted.P, err
}

func shifted(xs []float64, by float64) []float64 {
	moved := make([]float64, len(xs))
	for k, x := range xs {
		moved[k] = x + by
	}
	return moved
}
