package verdict

import (
	"fmt"

	"track/scoring/format"
)

// Assumption names what a bound or an interval assumes beyond independent seeds.
type Assumption string

// The assumptions.
const (
	AssumesNothing     Assumption = "none"
	assumesNormalMean  Assumption = "normal_mean"  // the mean is about normal
	assumesVisibleTail Assumption = "visible_tail" // the scores show the tail of their distribution
	assumesSeenLosses  Assumption = "seen_losses"  // no pair loses much more than those that were seen
	assumesSymmetry    Assumption = "symmetric"    // the differences are symmetric around their mean
)

// Condition says what is assumed, as in "if the mean is about normal"; empty if that is nothing.
func (a Assumption) Condition() string {
	switch a {
	case assumesNormalMean:
		return "the mean is about normal"
	case assumesVisibleTail:
		return "the seeds show how low scores can be"
	case assumesSeenLosses:
		return "no pair loses much more than those seen"
	case assumesSymmetry:
		return "the differences are about symmetric"
	}
	return ""
}

// assumptionText says what the verdict assumes, and how much could be hidden; empty if it assumes nothing.
func (o Outcome) assumptionText() string {
	condition, unseen := o.Assumption.Condition(), ""
	if o.UnseenShare != nil {
		unseen = format.Share(*o.UnseenShare)
	}
	switch {
	case condition == "":
		return ""
	case o.Assumption == assumesSeenLosses && o.AssumedLoss != nil:
		return fmt.Sprintf("assumes that no pair loses more than %s, %.2g times the largest loss seen; a larger loss in up to %s of seeds would be unseen",
			format.Short(*o.AssumedLoss), lossMargin(o.N), unseen)
	case o.Assumption == assumesVisibleTail && unseen != "":
		return fmt.Sprintf("assumes that %s: %s of all seeds could fail without showing in %d", condition, unseen, o.N)
	}
	return "assumes that " + condition
}

// assume adds an assumption, with the share of seeds that n seeds would not show at a confidence.
func (o *Outcome) assume(a Assumption, confidence float64) {
	o.Assumption, o.UnseenShare = a, ptr(unseenShare(o.N, confidence))
}

// sayAssumption ends the message with the assumption.
func (o *Outcome) sayAssumption() {
	if text := o.assumptionText(); text != "" {
		o.Message += "; " + text
	}
}
