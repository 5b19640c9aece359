package verdict

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/numeric"
	"track/scoring/stats"
)

// judge applies the rules of a gate to one scenario.
type judge struct {
	in         GateInput
	e          Estimates
	confidence float64
	nTests     int // what can fail in the whole gate
}

// canFail counts the tests that the rules amount to, no_degradation being one.
func (in GateInput) canFail() int {
	n := 0
	for _, inForce := range []bool{
		in.Rules.MinPassRate != nil, in.Rules.Stable, in.Rules.MaxStd != nil, in.Rules.MinScore != nil, in.Rules.NoDegradation && in.Improvement != nil,
		in.Rules.Values == scoring.ValuesUnchanged && in.Improvement != nil,
	} {
		if inForce {
			n++
		}
	}
	return n
}

// seedRules judges the rules about the seeds as a whole.
func (j judge) seedRules() (list []Outcome, err error) {
	rules := j.in.Rules
	add := func(o Outcome, ruleErr error) {
		if err == nil {
			err = ruleErr
		}
		list = append(list, o)
	}
	list = append(j.failedSeeds(), j.identicalSeeds()...)
	if rules.MinSeeds > 0 {
		list = append(list, j.minSeeds(rules.MinSeeds))
	}
	if rules.MinPassRate != nil {
		add(j.minPassRate(*rules.MinPassRate))
	}
	if rules.Stable {
		add(j.stable())
	}
	if rules.MaxStd != nil {
		o, ruleErr := j.maxStd(*rules.MaxStd)
		add(j.withoutSurvivors(o), ruleErr)
	}
	if rules.MinScore != nil {
		add(j.minScore(*rules.MinScore))
	}
	return list, err
}

// failedSeeds names seeds that no metric can name, because they measured nothing.
func (j judge) failedSeeds() []Outcome {
	failed := j.e.NSeeds - j.in.Stability.NOK
	if failed <= 0 {
		return nil
	}
	return []Outcome{{
		Rule: RuleData, Verdict: scoring.VerdictWarn, Reason: WarnFailedSeeds, N: j.e.NSeeds,
		Message: fmt.Sprintf("%s did not run well, %s as not passed and %s left out of the score of seeds that ran", format.CountedOf(failed, j.e.NSeeds, "seed"),
			format.Verb(failed, "counts", "count"), format.Verb(failed, "is", "are")),
	}}
}

// withoutSurvivors keeps the scores of few survivors from passing for those of all seeds.
func (j judge) withoutSurvivors(o Outcome) Outcome {
	if o.Verdict == scoring.VerdictPass && float64(j.e.NScored) < minMatched*float64(j.e.NSeeds) {
		o.Verdict, o.Reason = scoring.VerdictInconclusive, WarnFailedSeeds
		o.Message += fmt.Sprintf(", but only %s with a score, less than %s", format.CountedOf(j.e.NScored, j.e.NSeeds, "seed"), format.Share(minMatched))
		o.Need = "seeds that do not fail"
	}
	return o
}

// identicalSeeds keeps seeds that are copies of one from being judged.
func (j judge) identicalSeeds() []Outcome {
	t := j.in.Stability.Totals()
	if t.NIdentical == 0 || t.NOK > 1 {
		return nil
	}
	return []Outcome{{
		Rule: RuleData, Verdict: scoring.VerdictInconclusive, Reason: warnIdenticalSeeds, N: t.NOK,
		Message: fmt.Sprintf("all %d seeds measured exactly the same: that is one seed", t.NOK+t.NIdentical),
		Need:    "a simulation that uses its seed",
	}}
}

func (j judge) minSeeds(limit int) Outcome {
	n := j.e.NSeeds
	o := Outcome{Rule: ruleMinSeeds, Verdict: scoring.VerdictPass, N: n, Observed: ptr(float64(n)), Limit: ptr(float64(limit))}
	o.Message = fmt.Sprintf("%s; the rule requires %d", format.Counted(n, "seed"), limit)
	if n < limit {
		o.Verdict, o.Reason = scoring.VerdictInconclusive, "too_few_seeds"
		o.Need = fmt.Sprintf("%d more %s", limit-n, format.Plural(limit-n, "seed"))
		o.Unattainable = fmt.Sprintf("min_seeds %d cannot be met with %d %s", limit, n, format.Plural(n, "seed"))
	}
	return o
}

func (j judge) minPassRate(limit float64) (Outcome, error) {
	passed, n := j.e.NPassed, j.e.NSeeds
	o := Outcome{Rule: RuleMinPassRate, N: n, Observed: ptr(j.e.PassRate.Value), Limit: ptr(limit), breaks: j.e.PassRate.Value < limit}
	o.assume(AssumesNothing, j.confidence)
	if j.in.Look.Anytime {
		return j.distributionFree(o, "pass rate", passes(j.in.Seeds), format.Share)
	}
	bounds, err := stats.ClopperPearsonEnds(passed, n, j.confidence)
	if err != nil {
		return o, err
	}
	o.P = ptr(stats.BinomialAtMost(passed, n, limit))
	o.Verdict = passIf(bounds.Interval.Lo >= limit)
	bound := j.decideBy(&o, bounds.Interval, 0, 1, func(x float64) string { return below(x, limit) })
	o.Message = fmt.Sprintf("pass rate %s (%d of %d), %s (Clopper–Pearson, one-sided); the rule requires %s", format.Share(j.e.PassRate.Value), passed, n, bound, format.Share(limit))
	if j.in.verdictOnly || o.Verdict == scoring.VerdictPass {
		return o, nil
	}
	if least := seedsForPassRate(0, limit, j.confidence); least == 0 || least > n {
		o.Unattainable = fmt.Sprintf("min_pass_rate %v at %s cannot be met with %d %s: it needs %d of %d", limit, confidenceText(j.confidence), n, format.Plural(n, "seed"), least, least)
		if least == 0 {
			o.Unattainable = fmt.Sprintf("min_pass_rate %v at %s cannot be met with any number of seeds up to %d", limit, confidenceText(j.confidence), maxSeedsSought)
		}
	}
	if need := seedsForPassRate(n-passed, limit, j.confidence); need > n {
		o.Need = moreForPassRate(need, passed, n, limit, j.confidence)
	}
	return o, nil
}

// decideBy gives the outcome the bound that decides, of one-sided bounds from lo to hi: the one on the side of the
// limit on which the observed number lies. It returns what the bound says.
func (j judge) decideBy(o *Outcome, bounds stats.Interval, lo, hi float64, write func(float64) string) string {
	o.Interval = bounds
	o.Interval.Confidence = j.confidence
	if *o.Observed < *o.Limit {
		o.Interval.Lo = lo
		o.unless = "; not significant after correction for the number of tests in this gate"
		if bounds.Hi >= *o.Limit {
			o.unless = ""
		}
		return fmt.Sprintf("at most %s with %s confidence", write(bounds.Hi), confidenceText(j.confidence))
	}
	o.Interval.Hi = hi
	return fmt.Sprintf("at least %s with %s confidence", write(bounds.Lo), confidenceText(j.confidence))
}

// assumesVisibleTail says what a bound that takes the scores for a picture of their distribution cannot know.
func (j judge) assumesVisibleTail(o *Outcome) {
	o.assume(assumesVisibleTail, j.confidence)
	o.sayAssumption()
}

func (j judge) stable() (Outcome, error) {
	finding := stability(j.in.Stability, j.e)
	finding.complete(j.in.Coverage)
	o := Outcome{Rule: ruleStable, Verdict: finding.Verdict, N: j.e.NScored, Message: join(finding.Reasons), Need: join(finding.Needs), breaks: !j.in.Stability.Stable}
	if j.in.Look.Anytime {
		return j.anytimeStable(o)
	}
	if j.e.NScored < stats.SmallN {
		o.Unattainable = fmt.Sprintf("stable cannot be met with %d scored %s: it needs %d", j.e.NScored, format.Plural(j.e.NScored, "seed"), stats.SmallN)
	}
	p := stats.BinomialAtMost(j.e.NPassed, j.e.NSeeds, scoring.StableMinPassRate)
	sd := summary(j.in.Stability.Totals()).PSDAtMost(scoring.StableMaxStd)
	switch refutedByRate := o.Verdict == scoring.VerdictFail && !(sd < p); {
	case refutedByRate, j.e.NScored < stats.SmallN:
		o.assume(AssumesNothing, j.confidence) // the bound of the sd decides nothing
	default:
		o.assume(assumesVisibleTail, j.confidence)
	}
	if !math.IsNaN(sd) {
		p = min(1, 2*min(p, sd))
	}
	if o.Verdict == scoring.VerdictFail {
		o.Verdict, o.unless = scoring.VerdictInconclusive, "; not significant after correction for the number of tests in this gate"
	}
	o.P = ptr(p)
	o.sayAssumption()
	return o, nil
}

func (j judge) maxStd(limit float64) (Outcome, error) {
	summary := summary(j.in.Stability.Totals())
	o := Outcome{Rule: ruleMaxStd, N: summary.N, Observed: ptr(summary.SD()), Limit: ptr(limit), breaks: summary.SD() > limit}
	if summary.N < stats.SmallN {
		return tooFewScores(o, summary.N, stats.SmallN), nil
	}
	if j.in.Look.Anytime {
		return j.anytimeStd(o, limit)
	}
	bounds := summary.ScoreSDInterval(2*j.confidence - 1)
	bounds.Hi = summary.SDAtMost(j.confidence).Hi
	o.Interval, o.P = bounds, ptr(summary.PSDAtMost(limit))
	o.Interval.Confidence = j.confidence
	o.Verdict = passIf(bounds.Hi <= limit)
	bound := "at most " + format.Short(bounds.Hi)
	if o.Interval.Lo = 0; o.breaks {
		o.Interval.Lo, o.Interval.Hi, bound = bounds.Lo, 0.5, "at least "+format.Short(bounds.Lo)
	}
	o.Message = fmt.Sprintf("sd %s (n = %d), %s with %s confidence (chi-square, corrected for kurtosis, one-sided); the rule requires at most %v", format.Short(summary.SD()), summary.N, bound, confidenceText(j.confidence), limit)
	if summary.Constant {
		o.Verdict, o.Reason, o.P = scoring.VerdictInconclusive, string(stats.WarnZeroVariance), nil
		o.Message = fmt.Sprintf("all %d scores are equal: they say nothing about the sd of other seeds; the rule requires at most %v", summary.N, limit)
		o.Need = "seeds whose total scores vary"
	}
	if o.breaks {
		o.Need = "a smaller spread: the sd is above the limit"
	}
	if o.Verdict == scoring.VerdictInconclusive && o.Need == "" && summary.SD() < limit && !j.in.verdictOnly {
		if need := seedsForSD(summary, limit, j.confidence); need > 0 {
			o.Need = "about " + format.Counted(need-summary.N, "more seed") + " of the same spread"
		}
	}
	j.assumesVisibleTail(&o)
	return o, nil
}

// seedsForSD is the smallest number of seeds at which an sd as seen is shown to be within limit; 0 where there is none.
func seedsForSD(s stats.Summary, limit, confidence float64) int {
	sd := s.SD()
	return seedsForRate(stats.SmallN-1, 0, func(_, n int) float64 {
		s.N, s.PopulationSD = n, sd*math.Sqrt(float64(n-1)/float64(n))
		return limit - s.SDAtMost(confidence).Hi
	})
}

// Codes of what can be seen in scores that a t bound takes for normal.
const (
	reasonFew       = "few"
	reasonSkewed    = "skewed"
	reasonGap       = "gap"
	reasonSaturated = string(stats.WarnSaturated)
)

func (j judge) minScore(limit float64) (Outcome, error) {
	summary := summary(j.in.Stability.Totals().WithFailures())
	o := Outcome{Rule: ruleMinScore, N: summary.N, Observed: ptr(summary.Mean), Limit: ptr(limit), breaks: summary.Mean < limit}
	switch {
	case summary.N < 2:
		return tooFewScores(o, summary.N, 2), nil
	case j.in.Look.Anytime || j.in.Rules.Bound == scoring.BoundDistributionFree && !summary.Constant:
		o.assume(AssumesNothing, j.confidence)
		return j.distributionFree(o, "score", j.in.scores(), format.Short)
	case summary.N < stats.SmallN || summary.Constant:
		return j.markov(o, summary), nil
	}
	bounds := summary.MeanAtLeast(j.confidence)
	o.P, o.Verdict = ptr(summary.PMeanAtLeast(limit)), passIf(bounds.Lo >= limit)
	bounds.Hi = summary.MeanAtMost(j.confidence).Hi
	bound := j.decideBy(&o, bounds, 0, 1, format.Short)
	method := "t, one-sided"
	if bounds.Method == stats.MethodTSkewed && !o.breaks {
		method = "t, one-sided, corrected for skewness"
	}
	o.Message = fmt.Sprintf("score %s (n = %d), %s (%s); the rule requires %v", format.Short(summary.Mean), summary.N, bound, method, limit)
	if o.breaks {
		o.Need = "higher scores: the mean is below the limit"
	} else if err := j.distrust(&o, summary); err != nil {
		return o, err
	}
	if o.Verdict == scoring.VerdictInconclusive && summary.Mean > limit && !j.in.verdictOnly {
		need := seedsForRate(stats.SmallN-1, 0, func(_, n int) float64 {
			more := summary
			more.N = n
			return more.MeanAtLeast(j.confidence).Lo - limit
		})
		if need > summary.N {
			o.Need = "about " + format.Counted(need-summary.N, "more seed") + " of the same spread"
		}
	}
	j.assumesVisibleTail(&o)
	return o, nil
}

// distrust says where a t bound reaches the limit, but may not hold: INCONCLUSIVE if it does not reach it after
// correction for the skewness that the scores show, or that so few may hide; WARN if they lie in two groups, or at 0
// and 1, and a bound that is valid for every distribution does not reach it.
func (j judge) distrust(o *Outcome, s stats.Summary) error {
	limit := *o.Limit
	if t := s.TMeanAtLeast(j.confidence).Lo; o.Verdict != scoring.VerdictPass {
		if t >= limit {
			why := fmt.Sprintf("%d scores may hide a skewed tail", s.N)
			if o.Reason = reasonFew; s.ShowsSkewness() {
				o.Reason, why = reasonSkewed, "low scores are skewed"
			}
			o.Message += fmt.Sprintf("; t alone gives at least %s, but %s", format.Short(t), why)
		}
		return nil
	}
	if !s.IsGapped() && !s.IsSaturated() {
		return nil
	}
	free, err := stats.MeanAtLeast(j.in.scores(), j.confidence)
	if err != nil || free.Lo >= limit {
		return err
	}
	o.Verdict, o.Reason = scoring.VerdictWarn, reasonGap
	text := "a few scores lie far below the others"
	if s.IsSaturated() {
		o.Reason, text = reasonSaturated, fmt.Sprintf("%d of %d scores are exactly 0 or 1", s.NSaturated, s.N)
	}
	o.Message += fmt.Sprintf("; %s, and without any assumption the mean is at least %s", text, format.Short(free.Lo))
	o.Need = "more seeds, or bound: distribution-free"
	return nil
}

// markov judges fewer than 5 scores, and n scores that are all c, of which a t interval would be certain. By Markov's
// inequality n scores in [0, 1] with mean m are all at least c with probability at most (m/c)ⁿ, and all at most c with
// at most ((1-m)/(1-c))ⁿ. For c = 1 and c = 0 the bounds are those of Clopper and Pearson.
func (j judge) markov(o Outcome, s stats.Summary) Outcome {
	limit := *o.Limit
	if s.Constant {
		o.Observed, o.breaks = ptr(s.Min), s.Min < limit
	}
	lower := func(_, n int) float64 { return s.Min * numeric.Pow(1-j.confidence, 1/float64(n)) }
	p := 1.0
	if o.breaks && s.Max < limit {
		p = numeric.Pow((1-limit)/(1-s.Max), float64(s.N))
	}
	bounds := s.MarkovAtLeast(j.confidence)
	bounds.Hi = s.MarkovAtMost(j.confidence).Hi
	o.P, o.Verdict = ptr(p), passIf(bounds.Lo >= limit)
	bound := j.decideBy(&o, bounds, 0, 1, format.Short)
	o.assume(AssumesNothing, j.confidence)
	what := fmt.Sprintf("all %d scores are %s: the mean is", s.N, format.Short(s.Min))
	if !s.Constant {
		what = fmt.Sprintf("score %s (n = %d),", format.Short(s.Mean), s.N)
	}
	o.Message = fmt.Sprintf("%s %s (Markov, one-sided, valid for every distribution); the rule requires %v", what, bound, limit)
	if o.Verdict != scoring.VerdictInconclusive || o.breaks {
		return o
	}
	if !s.Constant {
		o.Reason, o.Need = "too_few_scores", format.Counted(stats.SmallN-s.N, "more scored seed")
		if numeric.Pow(1-j.confidence, 1/float64(s.N)) < limit {
			o.Unattainable = fmt.Sprintf("min_score %v cannot be met with %d scored %s: it needs %d", limit, s.N, format.Plural(s.N, "seed"), stats.SmallN)
		}
		return o
	}
	o.Reason, o.Need = string(stats.WarnZeroVariance), "seeds whose total scores vary"
	if need := seedsForRate(0, limit, lower); need > 0 {
		o.Need = fmt.Sprintf("%s of this score, or %s", format.Counted(need-s.N, "more seed"), o.Need)
	}
	return o
}

func tooFewScores(o Outcome, n, least int) Outcome {
	o.Verdict, o.Reason, o.Observed, o.breaks = scoring.VerdictInconclusive, "too_few_scores", nil, false
	o.Message = fmt.Sprintf("%d scored %s: too few to estimate a spread", n, format.Plural(n, "seed"))
	o.Need = format.Counted(least-n, "more scored seed")
	o.Unattainable = fmt.Sprintf("%s cannot be met with %d scored %s: it needs %d", o.Rule, n, format.Plural(n, "seed"), least)
	return o
}

// distributionFree judges a mean of numbers in [0, 1] by bounds that are valid for every distribution and at any time:
// PASS at the confidence of the rules, FAIL at that of all the tests of the gate together (Bonferroni, for a sequence
// has no p-value here). The interval is that of the bound that decides.
func (j judge) distributionFree(o Outcome, what string, xs []float64, write func(float64) string) (Outcome, error) {
	lower, err := stats.MeanAtLeast(xs, j.confidence)
	if err != nil {
		return o, err
	}
	upper, err := stats.MeanAtMost(xs, j.strictest(1))
	if err != nil {
		return o, err
	}
	limit := *o.Limit
	o.sequential, o.Interval, o.Verdict = true, lower, passIf(lower.Lo >= limit)
	bound := "at least " + write(lower.Lo)
	if o.breaks {
		o.Interval, bound = upper, "at most "+write(upper.Hi)
		if upper.Hi < limit {
			o.Verdict = scoring.VerdictFail
		}
	}
	o.Message = fmt.Sprintf("%s %s (n = %d), %s with %s confidence (betting, one-sided, valid for every distribution and at any time); the rule requires %s",
		what, write(*o.Observed), len(xs), bound, confidenceText(o.Interval.Confidence), write(limit))
	if o.Verdict == scoring.VerdictInconclusive && !j.in.verdictOnly {
		if need := stats.SeedsForMean(xs, limit, j.confidence); need > len(xs) {
			o.Need = "about " + format.Counted(need-len(xs), "more seed") + " like these"
		}
	}
	return o, nil
}

func passIf(shown bool) scoring.Verdict {
	if shown {
		return scoring.VerdictPass
	}
	return scoring.VerdictInconclusive
}

func passes(seeds []JudgedSeed) []float64 {
	xs := make([]float64, len(seeds))
	for i, seed := range seeds {
		if seed.Passed {
			xs[i] = 1
		}
	}
	return xs
}

// scores returns the total scores of the seeds; a failed one scores 0.
func (in GateInput) scores() []float64 {
	if in.totals != nil {
		return in.totals
	}
	var xs []float64
	for _, seed := range in.Seeds {
		xs = append(xs, seed.Total) // 0 where it failed
	}
	return xs
}

func ptr(x float64) *float64 { return &x }

// FailedSeed is a seed of one side that has no total score.
type FailedSeed struct {
	Number uint64 `json:"seed,string"`
	Reason string `json:"reason"`
}

// SeedNumbers are the numbers of seeds. They are strings in JSON, because many readers of JSON round whole numbers
// above 2^53.
type SeedNumbers []uint64

// MarshalJSON writes a list of strings.
func (list SeedNumbers) MarshalJSON() ([]byte, error) {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.FormatUint(n, 10)
	}
	return json.Marshal(texts)
}

// UnmarshalJSON reads a list of strings.
func (list *SeedNumbers) UnmarshalJSON(data []byte) error {
	var texts []string
	if err := json.Unmarshal(data, &texts); err != nil {
		return err
	}
	*list = make(SeedNumbers, len(texts))
	for i, text := range texts {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return fmt.Errorf("seed %q is not a whole number from 0 to 2^64-1", text)
		}
		(*list)[i] = n
	}
	return nil
}

// UnmatchedSeeds are the seeds that only one side has.
type UnmatchedSeeds struct {
	Candidate SeedNumbers `json:"candidate"`
	Baseline  SeedNumbers `json:"baseline"`
}

// FailedSeeds are the seeds among the pairs that failed on a side. They score 0 there.
type FailedSeeds struct {
	Candidate []FailedSeed `json:"candidate"`
	Baseline  []FailedSeed `json:"baseline"`
}
