package verdict

import (
	"fmt"
	"slices"
	"strings"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
)

// Codes of the warnings of a comparison.
const (
	warnFewPairs         = "few_pairs"
	warnUnmatched        = "unmatched_seeds"
	warnFailedPair       = "failed_seeds_score_0"
	warnIdentical        = "identical_results"
	warnValuesMoved      = "values_moved"
	warnValuesUncompared = "values_not_compared"
	warnMissing          = "missing_values_score_0"
)

func (i *Improvement) warn() {
	add := func(code, format string, args ...any) {
		i.Warnings = append(i.Warnings, Warning{code, fmt.Sprintf(format, args...)})
	}
	i.Warnings = append(i.Warnings, i.Options.Look.warnings()...)
	if n := i.Options.WithdrawnCandidate; n > 0 {
		add(warnSeedsWithdrawn, "candidate: "+seedsWithdrawn, format.Counted(n, "seed"))
	}
	if n := i.Options.WithdrawnBaseline; n > 0 {
		add(warnSeedsWithdrawn, "baseline: "+seedsWithdrawn, format.Counted(n, "seed"))
	}
	if reason, _ := i.tooFewPairs(); i.NPairs > 0 && reason != "" {
		add(warnFewPairs, "%s", reason)
	}
	if len(i.Unmatched.Candidate)+len(i.Unmatched.Baseline) > 0 {
		add(warnUnmatched, "seeds that only one side has are left out: %d of the candidate, %d of the baseline", len(i.Unmatched.Candidate), len(i.Unmatched.Baseline))
	}
	if i.NRepeated > 0 {
		add(warnIdenticalSeeds, "%s of both sides left out, because a side repeats exactly what another of its seeds measured: does the simulation use its seed?", format.Counted(i.NRepeated, "seed"))
	}
	if failed := len(i.Failed.Candidate) + len(i.Failed.Baseline); failed > 0 {
		add(warnFailedPair, "%d failed %s (candidate %d, baseline %d) score 0 on their side", failed, format.Plural(failed, "seed"), len(i.Failed.Candidate), len(i.Failed.Baseline))
	}
	for _, m := range i.Metrics {
		if m.NMissingCandidate+m.NMissingBaseline > 0 {
			add(warnMissing, "%s has no value in %d seeds of the candidate and %d of the baseline: they score 0 there", m.Name, m.NMissingCandidate, m.NMissingBaseline)
		}
	}
	if i.NPairs > 1 && i.Total.Ties == i.NPairs {
		add(warnIdentical, "all %d pairs have equal total scores: do the configurations differ at all?", i.NPairs)
	} else if i.NPairs > 0 && i.Total.equal {
		add(string(stats.WarnZeroVariance), "all %d differences are equal: they say nothing about the spread of other seeds, so there is no interval", i.NPairs)
	}
}

// decide reaches the verdict by margins on the interval of the mean difference of total scores: PASS where it is
// better, WARN where it is better but metrics are degraded, FAIL where it is worse, else INCONCLUSIVE.
func (i *Improvement) decide() {
	if reason, need := i.undecidable(); reason != "" {
		i.Verdict, i.Reasons = scoring.VerdictInconclusive, []string{reason}
		if need != "" {
			i.Needs = []string{need}
		}
		return
	}
	if len(i.Metrics) == 0 && len(i.NeverRecorded) > 0 {
		i.Verdict = scoring.VerdictInconclusive
		i.sayNeverRecorded()
		return
	}
	i.Difference = i.difference()
	text := fmt.Sprintf("mean difference %+.4f, %s", i.Total.MeanDelta, describeDifference(i.Total.Interval))
	if i.IsIdentical() {
		text = fmt.Sprintf("all %d pairs have equal scores, in total and in each metric", i.NPairs)
	}
	if i.Options.Margin > 0 {
		text += fmt.Sprintf(", margin %v", i.Options.Margin)
	}
	if how := i.Options.Look.describe(i.Options.Confidence); how != "" {
		text += ", " + how
	}
	i.Reasons = []string{text}
	if moved := i.MovedText(); moved != "" {
		i.Reasons = append(i.Reasons, moved)
	}
	if len(i.NeverRecorded) > 0 {
		i.Reasons[0] += ", of " + format.Counted(len(i.Metrics), "metric") + " that both sides have"
		i.sayNeverRecorded()
		if i.Difference != Worse {
			i.Verdict = scoring.VerdictInconclusive
			return
		}
	}
	switch i.Difference {
	case Better:
		i.Verdict = scoring.VerdictPass
		i.boundGain()
		if i.NFail > 0 {
			i.Verdict = scoring.VerdictWarn
			i.Reasons = append(i.Reasons, fmt.Sprintf("%d %s degraded beyond the threshold, by the point comparison", i.NFail, format.Plural(i.NFail, "metric")))
		}
	case Worse:
		i.Verdict = scoring.VerdictFail
	case Equivalent:
		i.Verdict = scoring.VerdictInconclusive
		i.Reasons = append(i.Reasons, "the intervals lie within the margins: the candidate is neither better nor worse by an amount that matters")
		if names := i.withoutMargin(); len(names) > 0 {
			i.Reasons = append(i.Reasons, fmt.Sprintf("this is not said of the values of %s: no margin is known, or no two pairs have finite values", strings.Join(names, ", ")))
		}
	default:
		i.Verdict = scoring.VerdictInconclusive
		if i.unconfirmed {
			i.Reasons = append(i.Reasons, fmt.Sprintf("the interval lies beyond the margin, but the exact test does not confirm it (p %s)", format.Short(i.Total.P)))
		}
		if names := i.unlike(); i.scoresAlike && len(names) > 0 {
			i.Reasons = append(i.Reasons, "the total score lies within the margins, but not every value does: "+strings.Join(names[:min(3, len(names))], ", "))
		}
		i.needSeeds()
	}
}

// sayNeverRecorded names the metrics that nothing is compared by.
func (i *Improvement) sayNeverRecorded() {
	for _, never := range i.NeverRecorded {
		i.Reasons = append(i.Reasons, never.text())
		i.Needs = append(i.Needs, "values of "+never.Metric+" on both sides, or an older version of the spec: --spec")
	}
}

// IsIdentical reports whether the scores and values of each pair are equal, in total and in each metric: nothing was
// found that differs.
func (i Improvement) IsIdentical() bool {
	differs := func(m MetricDelta) bool { return m.Ties != i.NPairs }
	if slices.ContainsFunc(i.Values, func(v ValueDelta) bool { return v.NEqual != v.NPairs }) {
		return false
	}
	return i.NPairs > 0 && i.Total != nil && i.Total.Ties == i.NPairs && len(i.NeverRecorded) == 0 && !slices.ContainsFunc(i.Metrics, differs)
}

// undecidable says why there can be no decision.
func (i *Improvement) undecidable() (reason, need string) {
	switch share := i.MatchedShare(); {
	case i.NPairs == 0:
		return "the sides have no seed in common: nothing can be paired", "the same seeds on both sides"
	case share < minMatched:
		return fmt.Sprintf("%d pairs are only %s of all seeds, less than %s: the seeds left out could change the result", i.NPairs, format.Share(share), format.Share(minMatched)),
			"the unmatched seeds on the other side too, or only the seeds that were planned for both"
	}
	if reason, need := i.Options.Look.offPlan(i.NPairs, "pair"); reason != "" {
		return reason, need
	}
	return i.tooFewPairs()
}

// tooFewPairs says why the exact test can reach no decision; both empty if it can.
func (i *Improvement) tooFewPairs() (reason, need string) {
	alpha := i.Options.Alpha()
	if stats.SmallestFlipP(i.NPairs) <= alpha {
		return "", ""
	}
	switch least := stats.LeastPairs(alpha); {
	case least == 0:
		return fmt.Sprintf("no number of pairs lets an exact two-sided test reach %s", alphaText(alpha)), "a lower confidence"
	case i.NPairs > least:
		return fmt.Sprintf("the signs of more than %d pairs are drawn, and such a test cannot reach %s", stats.ExactSignFlip, alphaText(alpha)),
			fmt.Sprintf("%d to %d pairs, or a lower confidence", least, stats.ExactSignFlip)
	default:
		reason = fmt.Sprintf("%s: an exact two-sided test needs %d pairs to reach %s", format.Counted(i.NPairs, "pair"), least, alphaText(alpha))
		if later := slices.IndexFunc(i.Options.Look.Plan, func(n int) bool { return n >= least }); later >= 0 {
			least = i.Options.Look.Plan[later]
		}
		return reason, fmt.Sprintf("%d more %s", least-i.NPairs, format.Plural(least-i.NPairs, "pair"))
	}
}

func (i *Improvement) difference() Difference {
	if i.Options.Look.Anytime {
		return i.anytimeDifference()
	}
	d, unconfirmed, err := differenceOf(i.Differences, i.Total.Interval, i.Total.equal, i.Options)
	if err != nil {
		return Undecided // cannot happen: the differences were tested before
	}
	i.unconfirmed = unconfirmed
	if d == Equivalent && len(i.unlike()) > 0 {
		i.scoresAlike = true
		return Undecided
	}
	return d
}

// differenceOf says on which side of the margins differences lie, by the t interval of their mean. The exact test keeps
// the interval from deciding what it does not confirm: where most differences are 0 and few are large, as with crashed
// seeds, the interval is too narrow. Equal differences have no width: signs must decide.
func differenceOf(d []float64, interval stats.Interval, equal bool, o Options) (found Difference, unconfirmed bool, err error) {
	margin, alpha := o.Margin, o.Alpha()
	if equal { // there is no interval
		interval.Lo, interval.Hi = slices.Min(d), slices.Max(d)
	}
	if !interval.Defined() || stats.SmallestFlipP(len(d)) > alpha {
		return Undecided, false, nil
	}
	switch {
	case interval.Lo > margin:
		p, err := stats.SignFlip(shifted(d, -margin), drawSeed)
		return confirmed(Better, p.P.Greater <= alpha/2), p.P.Greater > alpha/2, err
	case interval.Hi < -margin:
		p, err := stats.SignFlip(shifted(d, margin), drawSeed)
		return confirmed(Worse, p.P.Less <= alpha/2), p.P.Less > alpha/2, err
	case margin > 0 && !equal && interval.Lo >= -margin && interval.Hi <= margin:
		return Equivalent, false, nil
	}
	return Undecided, false, nil
}

func confirmed(d Difference, exact bool) Difference {
	if exact {
		return d
	}
	return Undecided
}

// boundGain keeps a gain of the pairs from passing for one of all seeds: by a bound that holds for every distribution
// of scores in [0, 1], the mean gain must be beyond the margin. Else seeds that no pair shows could undo it.
func (i *Improvement) boundGain() {
	shown, err := i.gainShown()
	if err != nil || shown {
		return
	}
	unseen := unseenShare(i.NPairs, 1-i.Alpha())
	i.Verdict = scoring.VerdictWarn
	i.Reasons = append(i.Reasons, fmt.Sprintf("better in these pairs; up to %s of all seeds could lose everything without showing in %s, and that would undo the gain (%s)",
		format.Share(unseen), format.Counted(i.NPairs, "pair"), confidenceText(1-i.Alpha())))
	if i.Options.Look.Anytime {
		return
	}
	if need := pairsNeeded(i.Differences, -i.Options.Margin, 1-i.Alpha()); need > i.NPairs {
		i.Needs = append(i.Needs, fmt.Sprintf("about %s like these, to show it for all seeds (%d in all)", format.Counted(need-i.NPairs, "more pair"), need))
	}
}

// gainShown reports whether the mean gain of all seeds is beyond the margin, whatever their distribution.
func (i *Improvement) gainShown() (bool, error) {
	if i.Options.Look.Anytime {
		interval, err := bettingInterval(i.Differences, 1-2*i.Alpha())
		return interval.Lo > i.Options.Margin, err
	}
	p, err := stats.BoundedMeanP(negated(i.Differences), 1, -i.Options.Margin)
	return p <= i.Alpha(), err
}

// needSeeds says what so many pairs detect, and with a margin how many more would decide. Without a margin nobody has
// said which difference matters: a number of pairs for the difference that was seen would say no more than p does.
func (i *Improvement) needSeeds() {
	t := i.Total
	if t.equal || i.Options.Look.Anytime {
		return // nothing is known of the spread that more pairs would have; power is that of a fixed number of pairs
	}
	if t.Detectable != nil {
		i.Reasons = append(i.Reasons, fmt.Sprintf("%d pairs detect a difference of %s (at the observed sd) with power %v", i.NPairs, format.Short(*t.Detectable), TargetPower))
	}
	if t.Sought == nil {
		return
	}
	sought, needed := format.Short(*t.Sought), 0
	if t.SeedsNeeded != nil {
		needed = *t.SeedsNeeded
	}
	switch more := needed - i.NPairs; {
	case needed == 0 || needed > maxSeedsQuoted:
		i.Needs = append(i.Needs, fmt.Sprintf("more than %d pairs to show that a difference of %s is beyond the margin", maxSeedsQuoted, sought))
	case more > 0:
		i.Needs = append(i.Needs, fmt.Sprintf("about %d more %s to show that a difference of %s, twice the margin, is beyond it, with power %v (planned with the 80%% upper bound of the sd)",
			more, format.Plural(more, "pair"), sought, TargetPower))
	}
	if plan := i.Options.Look.Plan; len(plan) > 0 && needed > plan[len(plan)-1] {
		i.Needs = append(i.Needs, fmt.Sprintf("the plan ends at %d pairs: only a new question, such as another configuration, can have a longer plan", plan[len(plan)-1]))
	}
}
