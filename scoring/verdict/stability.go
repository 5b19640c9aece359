package verdict

import (
	"fmt"
	"math"
	"strings"

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

// Estimate is a number computed from seeds, with its interval.
type Estimate struct {
	Value    float64        `json:"value"` // NaN if it does not exist
	N        int            `json:"n"`     // seeds that it was computed from
	Interval stats.Interval `json:"ci"`

	Assumption Assumption `json:"assumption,omitzero"` // of the interval, beyond independent seeds
}

// Estimates are the aggregates of the seeds of one configuration with their intervals.
type Estimates struct {
	NSeeds     int      `json:"n_seeds"`
	NScored    int      `json:"n_scored"`
	NPassed    int      `json:"n_passed"`
	Confidence float64  `json:"confidence"`
	Score      Estimate `json:"score"`                   // mean total score, 0..1; a failed seed counts as 0
	OfRan      Estimate `json:"score_of_seeds_that_ran"` // without those
	SD         Estimate `json:"sd"`                      // sample standard deviation of the total scores
	PassRate   Estimate `json:"pass_rate"`               // passed seeds / all seeds
	Combined   Estimate `json:"combined"`                // with the population standard deviation, see [scoring.combinedScore]

	// UnseenShare is the largest share of failing seeds that none of NSeeds would show with probability 1 - Confidence:
	// 1 - (1-Confidence)^(1/NSeeds). Nothing that is assumed can be checked beyond it. It is 1 if there are no seeds.
	UnseenShare float64 `json:"unseen_share"`
}

// newEstimates computes the estimates of a stability aggregate.
func newEstimates(s scoring.Stability, confidence float64) Estimates {
	totals := s.Totals()
	summary, all := summary(totals), summary(totals.WithFailures())
	e := Estimates{
		NSeeds: s.NSeeds, NScored: s.NScored, NPassed: s.NPassed, Confidence: confidence,
		Score:    Estimate{all.Mean, s.NSeeds, all.ScoreInterval(confidence), assumesNormalMean},
		OfRan:    Estimate{totals.Score.Mean, s.NScored, summary.ScoreInterval(confidence), assumesNormalMean},
		SD:       Estimate{summary.SD(), s.NScored, summary.ScoreSDInterval(confidence), assumesVisibleTail},
		PassRate: Estimate{math.NaN(), s.NSeeds, undefined(confidence, stats.MethodClopperEnds), AssumesNothing},
		Combined: Estimate{math.NaN(), s.NScored, summary.CombinedInterval(s.NPassed, s.NSeeds, confidence), assumesVisibleTail},

		UnseenShare: unseenShare(s.NSeeds, confidence),
	}
	if s.NScored < stats.SmallN || summary.Constant {
		e.OfRan.Assumption, e.SD.Assumption = AssumesNothing, AssumesNothing
	}
	if s.NSeeds < stats.SmallN || all.Constant {
		e.Score.Assumption = AssumesNothing
	}
	if s.CombinedScore != nil {
		e.Combined.Value = *s.CombinedScore
	}
	if rate, err := stats.ClopperPearsonEnds(s.NPassed, s.NSeeds, confidence); err == nil {
		e.PassRate.Value, e.PassRate.Interval = rate.Value, rate.Interval
	}
	return e
}

// unseenShare is the largest share of seeds that none of n shows with probability 1 - confidence.
func unseenShare(n int, confidence float64) float64 {
	if n == 0 {
		return 1
	}
	return 1 - numeric.Pow(1-confidence, 1/float64(n))
}

// summary is what the intervals of the total scores need of the totals.
func summary(t scoring.SeedTotals) stats.Summary {
	return stats.Summary{
		N: t.Score.N, Mean: t.Score.Mean, PopulationSD: t.Score.Std,
		Constant: t.Score.N > 0 && t.Score.Min == t.Score.Max, NSaturated: t.NSaturated, Min: t.Score.Min, Max: t.Score.Max,
		Skewness: t.Shape.Skewness, Kurtosis: t.Shape.Kurtosis,
	}
}

func undefined(confidence float64, method string) stats.Interval {
	return stats.Interval{Lo: math.NaN(), Hi: math.NaN(), Confidence: confidence, Method: method}
}

// Codes of warnings beyond those of package stats.
const (
	warnNoSeeds        = "no_seeds"
	warnNoScores       = "no_scores"
	WarnFailedSeeds    = "failed_seeds"
	warnIdenticalSeeds = "identical_seeds"
)

func seedWarnings(t scoring.SeedTotals) []Warning {
	summary := summary(t)
	var list []Warning
	add := func(code, text string, args ...any) {
		list = append(list, Warning{code, fmt.Sprintf(text, args...)})
	}
	switch {
	case t.NSeeds == 0:
		add(warnNoSeeds, "there are no seeds")
		return list
	case t.Score.N == 0:
		add(warnNoScores, "%s without a score", format.Counted(t.NSeeds, "seed"))
	case t.Score.N < t.NSeeds:
		failed := t.NSeeds - t.Score.N
		add(WarnFailedSeeds, "%s %s no score, %s as not passed, with score 0, and %s left out of the score of seeds that ran", format.CountedOf(failed, t.NSeeds, "seed"),
			format.Verb(failed, "has", "have"), format.Verb(failed, "counts", "count"), format.Verb(failed, "is", "are"))
	}
	if t.NIdentical > 0 {
		add(warnIdenticalSeeds, "%s %s exactly what another seed measured: %s count, each once; does the simulation use its seed?",
			format.CountedOf(t.NIdentical, t.NSeeds+t.NIdentical, "seed"), format.Verb(t.NIdentical, "repeats", "repeat"), format.Counted(t.NSeeds, "distinct seed"))
	}
	for _, w := range summary.Warnings() {
		switch {
		case w == stats.WarnSmallN && summary.N == 0:
		case w == stats.WarnSmallN:
			add(string(w), "n = %d is small: the true spread may be many times the one shown", summary.N)
		case w == stats.WarnSaturated:
			add(string(w), "%s %s exactly 0 or 1: differences beyond these limits do not show",
				format.CountedOf(summary.NSaturated, summary.N, "total score"), format.Verb(summary.N, "is", "are"))
		default:
			add(string(w), "%s", w.Message())
		}
	}
	return list
}

// Coverage says how complete and how repeatable the seeds of a configuration are. All of it is zero if no sweep ran
// them.
type Coverage struct {
	NPlanned   int    `json:"n_planned,omitzero"`   // seeds that a sweep planned
	NMissing   int    `json:"n_missing,omitzero"`   // planned seeds that are not recorded, or were withdrawn and not replaced
	Missing    string `json:"missing,omitzero"`     // the first of them, as ranges
	NRepeated  int    `json:"n_repeated,omitzero"`  // seeds that were run again
	NDiffering int    `json:"n_differing,omitzero"` // repeated seeds whose values differ from the first run
	Differing  string `json:"differing,omitzero"`   // the first of them, with what differs

	NCommands    int    `json:"n_commands,omitzero"`     // different commands that ran the seeds
	NCodeChanged int    `json:"n_code_changed,omitzero"` // sweeps during which the code changed, or may have changed
	Withdrawn    string `json:"withdrawn,omitzero"`      // why plans were withdrawn; empty if none was
	NWithdrawn   int    `json:"n_withdrawn,omitzero"`    // seeds that were withdrawn, and that no other measurement replaced

	NMissingWithdrawn int `json:"n_missing_withdrawn,omitzero"` // missing seeds that were withdrawn
}

// Codes of warnings about coverage.
const (
	WarnPlannedMissing   = "planned_seeds_missing"
	WarnNotDeterministic = "not_deterministic"
	warnCommands         = "different_commands"
	warnCodeChanged      = "code_changed"
	warnWithdrawn        = "plan_withdrawn"
	warnSeedsWithdrawn   = "seeds_withdrawn"
	seedsWithdrawn       = "%s withdrawn and not replaced: what is left may be the easier part"
)

// ruleRepeatable is in force where seeds were run again: one that gives something else is a warning.
const ruleRepeatable = "repeatable"

// RulePlanned applies if seeds were planned: all of them must be recorded before anything passes. A withdrawn seed is
// not recorded.
const RulePlanned = "planned_seeds"

func (c Coverage) warnings() (list []Warning) {
	add := func(code, format string, args ...any) {
		list = append(list, Warning{code, fmt.Sprintf(format, args...)})
	}
	if c.NMissing > 0 {
		add(WarnPlannedMissing, "%s", c.missingText())
	}
	if c.NDiffering > 0 {
		add(WarnNotDeterministic, "%s", c.differingText())
	}
	if c.NCommands > 1 {
		add(warnCommands, "%d different commands ran these seeds: record what differs between them as a parameter or a label", c.NCommands)
	}
	if c.NCodeChanged > 0 {
		add(warnCodeChanged, "the code may have changed while %d %s ran: these seeds may come from other code than recorded", c.NCodeChanged, format.Plural(c.NCodeChanged, "sweep"))
	}
	if c.Withdrawn != "" {
		add(warnWithdrawn, "a plan was withdrawn: %s", c.Withdrawn)
	}
	if c.NWithdrawn > 0 {
		add(warnSeedsWithdrawn, seedsWithdrawn, format.Counted(c.NWithdrawn, "seed"))
	}
	return list
}

func (c Coverage) differingText() string {
	return fmt.Sprintf("%d of %d repeated seeds gave different values: %s", c.NDiffering, c.NRepeated, c.Differing)
}

func (c Coverage) missingText() string {
	if c.NMissingWithdrawn > 0 {
		return fmt.Sprintf("%d of %d planned seeds missing (%s), %d of them withdrawn: the recorded ones may be the easy ones", c.NMissing, c.NPlanned, c.Missing, c.NMissingWithdrawn)
	}
	return fmt.Sprintf("%d of %d planned seeds are not recorded (%s): the recorded ones may be the easy ones", c.NMissing, c.NPlanned, c.Missing)
}

const (
	needPlanned   = "the missing seeds: run the sweep again, and it continues where it stopped; or withdraw a plan that was a mistake"
	needWithdrawn = "other measurements of the withdrawn seeds; or restore them; or withdraw a plan that was a mistake"
)

// needs says how the planned seeds become complete.
func (c Coverage) needs() (list []string) {
	if c.NMissing > c.NMissingWithdrawn {
		list = append(list, needPlanned)
	}
	if c.NMissingWithdrawn > 0 {
		list = append(list, needWithdrawn)
	}
	return list
}

// complete turns a finding that some planned seeds are missing from into one that is open.
func (f *Finding) complete(c Coverage) {
	if c.NMissing == 0 || f.Verdict == scoring.VerdictFail {
		return
	}
	f.Verdict = scoring.VerdictInconclusive
	f.Reasons, f.Needs = append(f.Reasons, c.missingText()), append(f.Needs, c.needs()...)
}

// outcomes are those of the rules about coverage.
func (c Coverage) outcomes() (list []Outcome) {
	if c.NPlanned > 0 {
		o := Outcome{Rule: RulePlanned, Verdict: scoring.VerdictPass, N: c.NPlanned - c.NMissing, Message: fmt.Sprintf("all %d planned seeds are recorded", c.NPlanned)}
		if c.NMissing > 0 {
			o.Verdict, o.Reason, o.Message, o.Need = scoring.VerdictInconclusive, WarnPlannedMissing, c.missingText(), strings.Join(c.needs(), "; ")
		}
		list = append(list, o)
	}
	if c.NRepeated > 0 {
		o := Outcome{Rule: ruleRepeatable, Verdict: scoring.VerdictPass, N: c.NRepeated, Message: fmt.Sprintf("%s gave the same values again", format.Counted(c.NRepeated, "repeated seed"))}
		if c.NDiffering > 0 {
			o.Verdict, o.Reason, o.Message = scoring.VerdictWarn, WarnNotDeterministic, c.differingText()
		}
		list = append(list, o)
	}
	return list
}

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
