package verdict

import (
	"fmt"

	"track/scoring"
	"track/scoring/stats"
)

// Codes of the warnings of a comparison.
const (
	WarnFewPairs   = "few_pairs"
	WarnUnmatched  = "unmatched_seeds"
	WarnFailedPair = "failed_seeds_score_0"
	WarnIdentical  = "identical_results"
)

func (i *Improvement) warn() {
	add := func(code, format string, args ...any) {
		i.Warnings = append(i.Warnings, Warning{code, fmt.Sprintf(format, args...)})
	}
	i.Warnings = append(i.Warnings, i.Options.Look.warnings()...)
	if i.NPairs > 0 && i.NPairs < MinPairs {
		add(WarnFewPairs, "%d %s: with fewer than %d an exact two-sided test cannot reach 0.05", i.NPairs, plural(i.NPairs, "pair"), MinPairs)
	}
	if len(i.UnmatchedCandidate)+len(i.UnmatchedBaseline) > 0 {
		add(WarnUnmatched, "seeds of one side only are left out: %d of the candidate, %d of the baseline", len(i.UnmatchedCandidate), len(i.UnmatchedBaseline))
	}
	if failed := len(i.FailedCandidate) + len(i.FailedBaseline); failed > 0 {
		add(WarnFailedPair, "%d failed %s (candidate %d, baseline %d) score 0 on their side", failed, plural(failed, "seed"), len(i.FailedCandidate), len(i.FailedBaseline))
	}
	if i.NPairs > 1 && i.Total.Improvement.Ties == i.NPairs {
		add(WarnIdentical, "all %d pairs have equal total scores: are these two configurations at all?", i.NPairs)
	} else if i.Total.equal {
		add(string(stats.WarnZeroVariance), "all %d differences are equal: the interval has no width, and says nothing about other seeds", i.NPairs)
	}
}

// decide reaches the verdict by margins on the interval of the mean difference of total scores: PASS where it is better, WARN where
// it is better but metrics are degraded, FAIL where it is worse, else INCONCLUSIVE.
func (i *Improvement) decide() {
	if reason, need := i.undecidable(); reason != "" {
		i.Verdict, i.Reasons = scoring.VerdictInconclusive, []string{reason}
		if need != "" {
			i.Needs = []string{need}
		}
		return
	}
	i.Difference = i.difference()
	text := fmt.Sprintf("mean difference %+.4f, %s", i.Total.MeanDelta, describeInterval(i.Total.Interval))
	if i.Options.Margin > 0 {
		text += fmt.Sprintf(", margin %v", i.Options.Margin)
	}
	if how := i.Options.Look.describe(i.Options.Confidence); how != "" {
		text += ", " + how
	}
	i.Reasons = []string{text}
	switch i.Difference {
	case Better:
		i.Verdict = scoring.VerdictPass
		if i.NFail > 0 {
			i.Verdict = scoring.VerdictWarn
			i.Reasons = append(i.Reasons, fmt.Sprintf("%d %s degraded beyond the threshold", i.NFail, plural(i.NFail, "metric")))
		}
	case Worse:
		i.Verdict = scoring.VerdictFail
	case Equivalent:
		i.Verdict = scoring.VerdictInconclusive
		i.Reasons = append(i.Reasons, "no difference beyond the margin: neither better nor worse")
	default:
		i.Verdict = scoring.VerdictInconclusive
		i.needSeeds()
	}
}

// undecidable says why there can be no decision.
func (i *Improvement) undecidable() (reason, need string) {
	switch share := i.MatchedShare(); {
	case i.NPairs == 0:
		return "no seed stands on both sides: nothing can be paired", "the same seeds on both sides"
	case share < MinMatched:
		return fmt.Sprintf("%d pairs are %s of all seeds, less than %s: what was left out may decide", i.NPairs, Percent(share), Percent(MinMatched)),
			"the unmatched seeds on the other side too, or --seeds with the range that was planned for both"
	case i.NPairs < MinPairs:
		return fmt.Sprintf("%d %s: with fewer than %d an exact two-sided test cannot reach 0.05", i.NPairs, plural(i.NPairs, "pair"), MinPairs),
			fmt.Sprintf("%d more pairs", MinPairs-i.NPairs)
	}
	return i.Options.Look.offPlan(i.NPairs, "pairs")
}

func (i *Improvement) difference() Difference {
	margin, interval := i.Options.Margin, i.Total.Interval
	if i.Options.Look.Anytime {
		return i.anytimeDifference()
	}
	switch {
	case !interval.Defined(), i.Total.equal && i.Total.P > i.Options.Alpha(): // without any width, signs must decide
		return Undecided
	case interval.Lo > margin:
		return Better
	case interval.Hi < -margin:
		return Worse
	case margin > 0 && interval.Lo >= -margin && interval.Hi <= margin:
		return Equivalent
	}
	return Undecided
}

// anytimeDifference decides by the symmetric e-value of the differences beyond the margin, half of alpha for each side.
func (i *Improvement) anytimeDifference() Difference {
	switch half := i.Options.Alpha() / 2; {
	case i.Total.anytimeGreater <= half:
		return Better
	case i.Total.anytimeLess <= half:
		return Worse
	}
	return Undecided
}

func (i *Improvement) needSeeds() {
	t := i.Total
	if t.equal {
		return // nothing is known of the spread that more pairs would have
	}
	sought := fmt.Sprintf("a difference of %s", Short(t.Sought))
	if i.Options.Margin == 0 {
		sought += " as seen here"
	}
	switch more := t.SeedsNeeded - i.NPairs; {
	case t.SeedsNeeded == 0 || t.SeedsNeeded > maxSeedsQuoted:
		i.Needs = append(i.Needs, fmt.Sprintf("more than %d pairs to detect %s", maxSeedsQuoted, sought))
	case more > 0:
		i.Needs = append(i.Needs, fmt.Sprintf("about %d more seeds to detect %s with power %v", more, sought, TargetPower))
	}
	if t.Detectable > 0 {
		i.Reasons = append(i.Reasons, fmt.Sprintf("%d pairs detect a difference of %s (dz %.2f) with power %v", i.NPairs, Short(t.Detectable), t.DetectableDz, TargetPower))
	}
}
