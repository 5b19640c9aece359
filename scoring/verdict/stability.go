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
//	PASS          both limits lie outside the intervals, on the good side
//	WARN          the seeds meet both limits, but an interval reaches beyond its limit, or all scores are equal and show no spread
//	FAIL          an interval lies wholly on the bad side of its limit
//	INCONCLUSIVE  fewer than 5 scored seeds; or the seeds miss a limit that lies inside its interval; or planned seeds are missing
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
	rate, sd := e.PassRate.Interval, e.SD.Interval
	rateRefuted := rate.Defined() && rate.Hi < scoring.StableMinPassRate
	sdRefuted := sd.Defined() && sd.Lo > scoring.StableMaxStd
	rateShown := rate.Defined() && rate.Lo >= scoring.StableMinPassRate
	constant := summary(s.Totals()).Constant
	sdShown := sd.Defined() && sd.Hi <= scoring.StableMaxStd && !constant
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
	f.explainRate(e, rateShown, rateRefuted)
	f.explainSD(e, sdShown, sdRefuted, constant)
	return f
}

func (f *Finding) explainRate(e Estimates, shown, refuted bool) {
	text := fmt.Sprintf("pass rate %s (%d of %d, %s)", format.Share(e.PassRate.Value), e.NPassed, e.NSeeds, describeShare(e.PassRate.Interval))
	limit := format.Share(scoring.StableMinPassRate)
	switch {
	case shown:
		text += " is at least " + limit
	case refuted:
		text += " is below " + limit
	default:
		text += ": the limit " + limit + " lies inside the interval, so these seeds do not decide"
	}
	f.Reasons = append(f.Reasons, text)
	if !shown && !refuted {
		need := seedsForRate(e.NSeeds-e.NPassed, scoring.StableMinPassRate, func(k, n int) float64 {
			p, err := stats.Wilson(k, n, e.PassRate.Interval.Confidence)
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
	if math.IsNaN(e.SD.Value) {
		return
	}
	text := fmt.Sprintf("sd %s (%s)", format.Short(e.SD.Value), describeInterval(e.SD.Interval))
	switch {
	case constant:
		text = fmt.Sprintf("all %d scores are equal: they say nothing about the sd of other seeds", e.NScored)
	case shown:
		text += fmt.Sprintf(" is at most %v", scoring.StableMaxStd)
	case refuted:
		text += fmt.Sprintf(" is above %v", scoring.StableMaxStd)
	default:
		text += fmt.Sprintf(": the limit %v lies inside the interval, so these seeds do not decide", scoring.StableMaxStd)
	}
	f.Reasons = append(f.Reasons, text)
}

// maxSeedsSought bounds the search for the number of seeds that would decide.
const maxSeedsSought = 100_000

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
