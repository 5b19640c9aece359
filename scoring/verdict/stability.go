package verdict

import (
	"fmt"
	"math"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
)

// Finding is a verdict with the sentences that explain it, and what would change it.
type Finding struct {
	Verdict scoring.Verdict
	Reasons []string
	Needs   []string
}

// Stability says whether the seeds show that a configuration is stable: pass rate at least 0.9 and standard deviation at most 0.15.
//
//	PASS          both limits lie outside the intervals, on the good side
//	WARN          stable by the numbers, but an interval reaches beyond its limit, or all scores are equal and show no spread
//	FAIL          an interval lies wholly on the bad side of its limit
//	INCONCLUSIVE  fewer than 5 scored seeds, or not stable by the numbers while the intervals allow for it, or planned seeds are missing and
//	              it is not FAIL
func Stability(s scoring.Stability, e Estimates) Finding {
	var f Finding
	rate, sd := e.PassRateInterval, e.SDInterval
	rateRefuted := rate.Defined() && rate.Hi < scoring.StableMinPassRate
	sdRefuted := sd.Defined() && sd.Lo > scoring.StableMaxStd
	rateShown := rate.Defined() && rate.Lo >= scoring.StableMinPassRate
	constant := Summary(s.SeedTotals).Constant
	sdShown := sd.Defined() && sd.Hi <= scoring.StableMaxStd && !constant
	switch {
	case e.NSeeds == 0:
		return Finding{scoring.VerdictInconclusive, []string{"there are no seeds"}, nil}
	case rateRefuted || sdRefuted:
		f.Verdict = scoring.VerdictFail
	case e.NScored < stats.SmallN:
		f.Verdict = scoring.VerdictInconclusive
		f.Reasons = append(f.Reasons, fmt.Sprintf("%d scored %s: %d are the least to call anything stable", e.NScored, format.Plural(e.NScored, "seed"), stats.SmallN))
		f.Needs = append(f.Needs, fmt.Sprintf("%d more scored seeds", stats.SmallN-e.NScored))
	case s.Stable && rateShown && sdShown:
		f.Verdict = scoring.VerdictPass
	case s.Stable:
		f.Verdict = scoring.VerdictWarn
	default:
		f.Verdict = scoring.VerdictInconclusive
	}
	f.explainRate(e, rateShown, rateRefuted)
	f.explainSD(e, sdShown, sdRefuted, constant)
	f.complete(e.Coverage)
	return f
}

func (f *Finding) explainRate(e Estimates, shown, refuted bool) {
	text := fmt.Sprintf("pass rate %s (%d of %d, %s)", format.Share(e.PassRate), e.NPassed, e.NSeeds, describeShare(e.PassRateInterval))
	limit := format.Share(scoring.StableMinPassRate)
	switch {
	case shown:
		text += " reaches " + limit
	case refuted:
		text += " stays below " + limit
	case e.PassRate >= scoring.StableMinPassRate:
		text += " reaches " + limit + " in these seeds, but the interval does not"
	default:
		text += " is below " + limit + ", but the interval is not"
	}
	f.Reasons = append(f.Reasons, text)
	if !shown && !refuted {
		need := seedsForRate(e.NSeeds-e.NPassed, scoring.StableMinPassRate, func(k, n int) float64 {
			p, err := stats.Wilson(k, n, e.PassRateInterval.Confidence)
			if err != nil {
				return 0
			}
			return p.Interval.Lo
		})
		f.needRate(need, e.NSeeds, e.NSeeds-e.NPassed, limit)
	}
}

func (f *Finding) needRate(need, have, failed int, limit string) {
	if need > have {
		f.Needs = append(f.Needs, fmt.Sprintf("%d passing of %d seeds would show %s: %d more, all passing", need-failed, need, limit, need-have))
	}
}

func (f *Finding) explainSD(e Estimates, shown, refuted, constant bool) {
	if math.IsNaN(e.SD) {
		return
	}
	text := fmt.Sprintf("sd %s (%s)", format.Short(e.SD), describeInterval(e.SDInterval))
	switch {
	case constant:
		text = fmt.Sprintf("all %d scores are equal: they say nothing about the sd of others", e.NScored)
	case shown:
		text += fmt.Sprintf(" stays within %v", scoring.StableMaxStd)
	case refuted:
		text += fmt.Sprintf(" is above %v", scoring.StableMaxStd)
	default:
		text += fmt.Sprintf(": the interval contains %v", scoring.StableMaxStd)
	}
	f.Reasons = append(f.Reasons, text)
}

// maxSeedsSought bounds the search for the number of seeds that would decide.
const maxSeedsSought = 100_000

// seedsForRate is the smallest number of seeds at which a lower bound reaches rate if no more than failed of them fail; 0 where
// there is none up to 100 000. The bound grows with n.
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
