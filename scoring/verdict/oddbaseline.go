package verdict

import (
	"fmt"

	"track/scoring/format"
	"track/scoring/stats"
)

const (
	warnOddBaseline = "odd_baseline"
	oddConfidence   = 0.99 // of the prediction that the mean of an odd baseline is outside of
)

// OddBaseline warns of a baseline whose mean score stands out from those of the configurations around it, as that of a
// lucky or a broken revision does: it is outside of the 99 % interval that they predict for a mean of as many seeds
// ([stats.PredictMean]). It returns nil if it does not stand out, and with fewer than 5 neighbours.
func OddBaseline(baseline HistoryPoint, neighbours []HistoryPoint) *Warning {
	var samples []stats.SampleMean
	for _, p := range neighbours {
		if p.exists() {
			samples = append(samples, stats.SampleMean{N: p.N, Mean: p.Mean, SD: p.SD})
		}
	}
	if len(samples) < minAccepted || !baseline.exists() {
		return nil
	}
	p, err := stats.PredictMean(samples, baseline.N, oddConfidence)
	if err != nil || !p.Interval.Defined() || p.Interval.Contains(baseline.Mean) {
		return nil
	}
	return &Warning{warnOddBaseline, fmt.Sprintf(
		"the baseline stands out from its neighbours: its mean score is %s, and %d configurations around it with its parameters let expect %s (%s random-effects prediction interval)",
		format.Four(baseline.Mean), len(samples), format.Interval(cut(p.Interval, 0, 1), format.Four), format.Confidence(oddConfidence))}
}
