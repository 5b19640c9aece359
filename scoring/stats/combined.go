package stats

import "fmt"

// Combined is mean · pass rate · (1 - sd) of the scores of one configuration, with the box interval that [NewCombined] explains.
type Combined struct {
	NScored  int // seeds with a score
	NPassed  int
	NSeeds   int // all planned seeds, those that crashed among them
	Value    float64
	Interval Interval // not defined at NScored = 1
	Warnings []Warning
}

// NewCombined computes the combined score, with the population sd, and its box interval: the three factors get intervals of
// confidence 1 - (1-confidence)/3 each (t, Wilson, chi-square), cut to what is possible for scores in [0, 1] (mean in [0, 1], sd
// in [0, 0.5]); the worst and the best of each multiply to the ends. By Bonferroni all three hold together with the stated
// confidence, so the box covers the combined score of infinitely many seeds at least that often, as far as its parts do.
//
// The value itself rewards fewer seeds, because a small sample shows too small a sd: show the box, and never rank across
// different n by the value. At one score the interval is not defined. No score is ErrEmpty; a score outside [0, 1] is
// ErrOutOfRange.
func NewCombined(scores []float64, passed, seeds int, confidence float64) (Combined, error) {
	if err := checkScores(scores, 1); err != nil {
		return Combined{}, err
	}
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return Combined{}, err
	}
	if passed > len(scores) || len(scores) > seeds {
		return Combined{}, badParam("%d passed of %d scored of %d seeds", passed, len(scores), seeds)
	}
	rate, err := Wilson(passed, seeds, confidence)
	if err != nil {
		return Combined{}, fmt.Errorf("pass rate: %w", err)
	}
	summary, err := Summarize(scores)
	if err != nil {
		return Combined{}, err
	}
	return Combined{
		NScored: len(scores), NPassed: passed, NSeeds: seeds,
		Value:    summary.Mean * rate.Value * (1 - summary.PopulationSD),
		Interval: summary.CombinedInterval(passed, seeds, confidence),
		Warnings: summary.Warnings(),
	}, nil
}
