package evolution

import (
	"fmt"
	"slices"
)

// FailureRule says how failed trials count.
type FailureRule string

// The rules for failed trials.
const (
	FailuresAsWorst FailureRule = "worst"   // as the worst score of the scale; of one without ends, as worse than any score
	FailuresExclude FailureRule = "exclude" // not at all
)

func (r FailureRule) validate() error {
	if r != "" && r != FailuresAsWorst && r != FailuresExclude {
		return fmt.Errorf("failed: %q is neither %s nor %s", r, FailuresAsWorst, FailuresExclude)
	}
	return nil
}

// Worst returns the score that a failed trial counts as, beside these trials. It is nil if failed trials are excluded,
// or the scale has no ends and no trial a score.
func (r FailureRule) Worst(scale *Scale, lists ...[]Trial) *float64 {
	if r == FailuresExclude {
		return nil
	}
	var gains []float64
	for _, t := range slices.Concat(lists...) {
		if t.Score != nil {
			gains = append(gains, scale.Gain(*t.Score))
		}
	}
	if _, _, bounded := scale.Ends(); !bounded && len(gains) == 0 {
		return nil
	}
	worst := scale.Score(scale.worst(gains))
	return &worst
}

// WithFailures returns trials in which failed ones have the score that they count as: see [FailureRule.Worst].
func WithFailures(trials []Trial, worst *float64) []Trial {
	list := slices.Clone(trials)
	for i := range list {
		if list[i].Failed != "" {
			list[i].Score = worst
		}
	}
	return list
}
