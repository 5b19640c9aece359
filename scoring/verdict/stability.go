package verdict

import (
	"fmt"
	"math"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/numeric"
	"track/scoring/stats"
)

// Finding is a verdict with the sentences that explain it, and what would change it.
type Finding struct {
	Verdict scoring.Verdict `json:"verdict"`
	Reasons []string        `json:"reasons"`
	Needs   []string        `json:"needs"`
}

// Judgement is what the seeds of one configuration show: whether it is stable, and the estimates that the verdict
// rests on.
type Judgement struct {
	Finding
	Coverage
	Estimates Estimates `json:"estimates"`
	Warnings  []Warning `json:"warnings"`
}

// Judge judges whether the seeds of a configuration show that it is stable: pass rate at least 0.9, and population
// standard deviation of the total scores at most 0.15.
//
//	PASS          the one-sided bounds of both keep the limits
//	WARN          the seeds meet both limits, but a bound reaches beyond its limit, or all scores are equal and show no spread
//	FAIL          a one-sided bound at half the error refutes a limit
//	INCONCLUSIVE  fewer than 5 scored seeds; or the seeds miss a limit that is not refuted; or planned seeds are missing
//	              and the verdict is not FAIL
func Judge(s scoring.Stability, c Coverage, confidence float64) Judgement {
	j := Judgement{Coverage: c, Estimates: newEstimates(s, confidence)}
	j.Finding = stability(s, j.Estimates)
	j.complete(c)
	j.Warnings = append(seedWarnings(s.Totals()), c.warnings()...)
	return j
}

func stability(s scoring.Stability, e Estimates) Finding {
	var f Finding
	totals := summary(s.Totals())
	b := newStableBounds(e, totals)
	rateShown, rateRefuted := b.rateLower >= scoring.StableMinPassRate, b.rateUpper < scoring.StableMinPassRate
	constant := totals.Constant
	sdShown, sdRefuted := b.sdUpper <= scoring.StableMaxStd && !constant, b.sdLower > scoring.StableMaxStd
	switch {
	case e.NSeeds == 0:
		return Finding{scoring.VerdictInconclusive, []string{"there are no seeds"}, nil}
	case rateRefuted || sdRefuted:
		f.Verdict = scoring.VerdictFail
	case e.NScored < stats.SmallN:
		f.Verdict = scoring.VerdictInconclusive
		f.Reasons = append(f.Reasons, fmt.Sprintf("%d scored %s: at least %d are needed to judge stability", e.NScored, format.Plural(e.NScored, "seed"), stats.SmallN))
		f.Needs = append(f.Needs, format.Counted(stats.SmallN-e.NScored, "more scored seed"))
	case s.Stable && rateShown && sdShown:
		f.Verdict = scoring.VerdictPass
	case s.Stable:
		f.Verdict = scoring.VerdictWarn
	default:
		f.Verdict = scoring.VerdictInconclusive
	}
	f.explainRate(e, b, rateShown, rateRefuted)
	f.explainSD(e, b, sdShown, sdRefuted, constant)
	return f
}

// stableBounds are the one-sided bounds that decide whether a configuration is stable: from the side on which a limit
// is kept at the confidence asked for, because both have to be shown; from the other side each at half the error,
// because one of two may be refuted. They are NaN where there is nothing to estimate.
type stableBounds struct {
	rateLower, rateUpper float64 // Clopper and Pearson
	sdLower, sdUpper     float64
	confidence, strict   float64
}

func newStableBounds(e Estimates, s stats.Summary) stableBounds {
	b := stableBounds{math.NaN(), math.NaN(), math.NaN(), math.NaN(), e.Confidence, (1 + e.Confidence) / 2}
	if lower, err := stats.ClopperPearsonEnds(e.NPassed, e.NSeeds, b.confidence); err == nil {
		b.rateLower = lower.Interval.Lo
	}
	if upper, err := stats.ClopperPearsonEnds(e.NPassed, e.NSeeds, b.strict); err == nil {
		b.rateUpper = upper.Interval.Hi
	}
	b.sdUpper, b.sdLower = s.SDAtMost(b.confidence).Hi, s.ScoreSDInterval(2*b.strict-1).Lo
	return b
}

func (f *Finding) explainRate(e Estimates, b stableBounds, shown, refuted bool) {
	text := fmt.Sprintf("pass rate %s (%d of %d)", format.Share(e.PassRate.Value), e.NPassed, e.NSeeds)
	limit := format.Share(scoring.StableMinPassRate)
	switch {
	case shown:
		text += fmt.Sprintf(" is at least %s: at least %s with %s confidence (Clopper–Pearson, one-sided)", limit, format.Share(b.rateLower), confidenceText(b.confidence))
	case refuted:
		text += fmt.Sprintf(" is below %s: at most %s with %s confidence (Clopper–Pearson, one-sided)", limit, format.Share(b.rateUpper), confidenceText(b.strict))
	case e.PassRate.Value < scoring.StableMinPassRate:
		text += fmt.Sprintf(" is not shown to be below %s: at most %s with %s confidence (Clopper–Pearson, one-sided)", limit, format.Share(b.rateUpper), confidenceText(b.strict))
	default:
		text += fmt.Sprintf(" is not shown to be at least %s: at least %s with %s confidence (Clopper–Pearson, one-sided)", limit, below(b.rateLower, scoring.StableMinPassRate), confidenceText(b.confidence))
	}
	f.Reasons = append(f.Reasons, text)
	if !shown && !refuted {
		need := seedsForPassRate(e.NSeeds-e.NPassed, scoring.StableMinPassRate, b.confidence)
		if need > e.NSeeds {
			f.Needs = append(f.Needs, moreForPassRate(need, e.NPassed, e.NSeeds, scoring.StableMinPassRate, b.confidence))
		}
	}
}

// moreForPassRate says how many more seeds would show a pass rate: with power 0.8 at the rate that was observed, and if
// all of them pass.
func moreForPassRate(need, passed, n int, rate, confidence float64) string {
	all := fmt.Sprintf("%d more if all of them pass", need-n)
	if passed == n {
		return fmt.Sprintf("%s would show %s if all pass: %d more", format.Counted(need, "seed"), format.Share(rate), need-n)
	}
	observed := float64(passed) / float64(n)
	chance := numeric.Pow(observed, float64(need-n))
	all += fmt.Sprintf(", which has a chance of %s at this rate", format.Share(chance))
	plan, err := stats.SeedsForPassRate(observed, rate, confidence, TargetPower)
	switch {
	case observed <= rate:
		return fmt.Sprintf("a higher pass rate: at this rate no number of seeds shows %s; %s", format.Share(rate), all)
	case err != nil:
		return fmt.Sprintf("more than %d seeds in all to show %s at this rate with power %v; %s", stats.MaxSeeds, format.Share(rate), TargetPower, all)
	}
	return fmt.Sprintf("about %s in all to show %s at this rate with power %v; %s", format.Counted(plan, "seed"), format.Share(rate), TargetPower, all)
}

func (f *Finding) explainSD(e Estimates, b stableBounds, shown, refuted, constant bool) {
	if math.IsNaN(e.SD.Value) || e.NScored < stats.SmallN {
		return
	}
	upper := fmt.Sprintf("at most %s with %s confidence (one-sided)", format.Short(b.sdUpper), confidenceText(b.confidence))
	lower := fmt.Sprintf("at least %s with %s confidence (one-sided)", format.Short(b.sdLower), confidenceText(b.strict))
	text := "sd " + format.Short(e.SD.Value)
	switch {
	case constant:
		text = fmt.Sprintf("all %d scores are equal: they say nothing about the sd of other seeds", e.NScored)
	case shown:
		text += fmt.Sprintf(" is at most %v: %s", scoring.StableMaxStd, upper)
	case refuted:
		text += fmt.Sprintf(" is above %v: %s", scoring.StableMaxStd, lower)
	case e.SD.Value > scoring.StableMaxStd:
		text += fmt.Sprintf(" is not shown to be above %v: %s", scoring.StableMaxStd, lower)
	default:
		text += fmt.Sprintf(" is not shown to be at most %v: %s", scoring.StableMaxStd, upper)
	}
	f.Reasons = append(f.Reasons, text)
}

// maxSeedsSought bounds the search for the number of seeds that would decide.
const maxSeedsSought = 100_000

// seedsForPassRate is the smallest number of seeds that show a pass rate if no more than failed of them fail: where so
// many passes have probability 1 - confidence or less at the rate. 0 if there is none up to 100 000.
func seedsForPassRate(failed int, rate, confidence float64) int {
	return seedsForRate(failed, confidence-1, func(k, n int) float64 { return -stats.BinomialAtMost(n-k, n, 1-rate) })
}

// seedsForRate is the smallest number of seeds at which a lower bound reaches rate if no more than failed of them
// fail; 0 where there is none up to 100 000. The bound grows with n.
func seedsForRate(failed int, rate float64, lower func(k, n int) float64) int {
	reaches := func(n int) bool { return lower(n-failed, n) >= rate }
	if !reaches(maxSeedsSought) {
		return 0
	}
	lo, hi := failed, maxSeedsSought // lo is too few
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; reaches(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
