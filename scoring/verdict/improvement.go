package verdict

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
)

// Limits of a paired comparison.
const (
	minMatched     = 0.8 // smallest share of paired seeds among all seeds of both sides
	TargetPower    = 0.8 // of the detectable effect, and of "about k more pairs"
	drawSeed       = 1   // of the sign flips beyond 20 pairs
	maxSeedsQuoted = 10_000
)

// JudgedSeed is a seed with its scores under the spec of a comparison.
type JudgedSeed struct {
	Number  uint64
	Failed  string    // why it has no total score; empty where it has one
	Repeats bool      // it measured exactly what an earlier seed of its side did: it counts once
	Passed  bool      // scored, and no metric failed
	Total   float64   // 0..1; 0 where it failed
	Values  []float64 // of each metric of the spec, in its own unit; NaN where the seed has none, nil where it crashed
	Scores  []float64 // of each metric of the spec, 0..1; NaN where the seed has no value, nil where it crashed
}

// Difference says on which side of the margins the interval of the mean difference lies.
type Difference string

// The differences.
const (
	Better     Difference = "better"     // the lower end is above the margin
	Worse      Difference = "worse"      // the upper end is below minus the margin
	Equivalent Difference = "equivalent" // both ends are within the margins, which must be above 0
	Undecided  Difference = "undecided"
)

// Options of a comparison.
type Options struct {
	Confidence float64 `json:"confidence"`           // of intervals; 1 - Confidence is the level of tests
	Margin     float64 `json:"margin"`               // smallest difference of total scores that matters, 0 or more
	Base       float64 `json:"max_degradation_base"` // of [scoring.DegradationThreshold]
	Look       Look    `json:"look"`

	// Seeds of each side that were withdrawn, and that no other measurement replaced.
	WithdrawnCandidate int `json:"n_withdrawn_candidate,omitzero"`
	WithdrawnBaseline  int `json:"n_withdrawn_baseline,omitzero"`
}

// Improvement is a candidate against its baseline, paired by seed. A seed that failed on one side scores 0 there: it
// is a failure of its side, not a missing pair.
type Improvement struct {
	NCandidate  int            `json:"n_candidate"` // seeds of the candidate
	NBaseline   int            `json:"n_baseline"`
	NPairs      int            `json:"n_pairs"`
	NRepeated   int            `json:"n_repeated_pairs,omitzero"` // seeds of both sides that are no pair, because one repeats what an earlier seed measured
	Unmatched   UnmatchedSeeds `json:"unmatched"`
	Failed      FailedSeeds    `json:"failed"`
	Pairs       SeedNumbers    `json:"pairs"`       // in the order in which the candidate's seeds were recorded
	Differences []float64      `json:"differences"` // of the total scores of the pairs, candidate minus baseline
	Options
	Metrics       []MetricDelta   `json:"metrics"`                 // in the order of the spec
	Values        []ValueDelta    `json:"values"`                  // in the order of the spec; without metrics that have no two finite pairs
	NeverRecorded []NeverRecorded `json:"never_recorded,omitzero"` // metrics that are compared by nothing
	NPass         int             `json:"n_point_pass"`            // metrics with this point comparison
	NWarn         int             `json:"n_point_warn"`
	NFail         int             `json:"n_point_fail"`
	Score         *float64        `json:"improvement_score"` // weighted mean of those of the metrics; nil without weights
	NBetter       int             `json:"n_better"`          // metrics of which the data show a gain: decided, and MeanDelta above 0
	NWorse        int             `json:"n_worse"`
	Degraded      []string        `json:"degraded"`          // metrics whose point comparison is FAIL
	Total         *TotalDelta     `json:"total"`             // nil without pairs
	Unpaired      *Unpaired       `json:"unpaired,omitzero"` // if less than 80 % of the seeds are paired and both sides have two scores
	Difference    Difference      `json:"difference"`
	Finding
	Warnings []Warning `json:"warnings"`

	scoresAlike bool // the total score is within the margins, and values are not
	unconfirmed bool // the interval decided, the exact test did not
}

// Alpha is the level of the test of the total score.
func (o Options) Alpha() float64 {
	if o.Look.Alpha > 0 {
		return o.Look.Alpha
	}
	return 1 - o.Confidence
}

// JointAlpha is the level of the tests of metrics together, and of those of values.
func (o Options) JointAlpha() float64 {
	if o.Look.JointAlpha > 0 {
		return o.Look.JointAlpha
	}
	return 1 - o.Confidence
}

// MatchedShare is the share of paired seeds among all seeds of both sides; 0 for none.
func (i Improvement) MatchedShare() float64 {
	all := i.NPairs + len(i.Unmatched.Candidate) + len(i.Unmatched.Baseline)
	if all == 0 {
		return 0
	}
	return float64(i.NPairs) / float64(all)
}

// Compare judges a candidate against a baseline. The seeds of each side have different numbers, scores in the order
// of spec, and stand in the order in which they were recorded.
func Compare(spec scoring.Spec, candidate, baseline []JudgedSeed, o Options) (Improvement, error) {
	o.Look = o.Look.spend(1-o.Confidence, len(spec.Metrics))
	p := pair(candidate, baseline)
	never := neverRecorded(spec, p)
	if len(never) > 0 { // totals over different metrics cannot be compared
		candidate, baseline = overCommon(spec, never, candidate), overCommon(spec, never, baseline)
		p = pair(candidate, baseline)
	}
	i := Improvement{
		NeverRecorded: never,
		NCandidate:    len(candidate), NBaseline: len(baseline), NPairs: len(p.candidate), NRepeated: p.repeated,
		Unmatched: UnmatchedSeeds{p.unmatchedCandidate, p.unmatchedBaseline},
		Failed:    FailedSeeds{failures(p.candidate), failures(p.baseline)}, Options: o, Difference: Undecided,
	}
	if i.NPairs > 0 {
		if err := i.compareTotals(p); err != nil {
			return i, err
		}
		if err := i.compareMetrics(spec, p); err != nil {
			return i, err
		}
		if err := i.compareValues(spec, p); err != nil {
			return i, err
		}
	}
	if i.MatchedShare() < minMatched {
		i.Unpaired = compareUnpaired(candidate, baseline, o)
	}
	i.warn()
	i.decide()
	return i, nil
}

// pairs are the seeds that both sides have, in the order in which the candidate's were recorded.
type pairs struct {
	candidate, baseline                   []JudgedSeed
	unmatchedCandidate, unmatchedBaseline []uint64
	repeated                              int // pairs left out, because a side repeats an earlier seed
}

// pairedScores are the scores of one metric; a seed without one scores 0.
type pairedScores struct{ candidate, baseline []float64 }

func pair(candidate, baseline []JudgedSeed) pairs {
	byNumber := make(map[uint64]JudgedSeed, len(baseline))
	for _, seed := range baseline {
		byNumber[seed.Number] = seed
	}
	var p pairs
	for _, seed := range candidate {
		other, ok := byNumber[seed.Number]
		if !ok {
			p.unmatchedCandidate = append(p.unmatchedCandidate, seed.Number)
			continue
		}
		delete(byNumber, seed.Number)
		if seed.Repeats || other.Repeats {
			p.repeated++
			continue
		}
		p.candidate, p.baseline = append(p.candidate, seed), append(p.baseline, other)
	}
	for _, seed := range baseline {
		if _, left := byNumber[seed.Number]; left {
			p.unmatchedBaseline = append(p.unmatchedBaseline, seed.Number)
		}
	}
	return p
}

func (p pairs) scores(metric int) pairedScores {
	return pairedScores{metricScores(p.candidate, metric), metricScores(p.baseline, metric)}
}

func metricScores(seeds []JudgedSeed, metric int) []float64 {
	xs := make([]float64, len(seeds))
	for i, seed := range seeds {
		if seed.Scores != nil && !math.IsNaN(seed.Scores[metric]) {
			xs[i] = seed.Scores[metric]
		}
	}
	return xs
}

func totals(seeds []JudgedSeed) []float64 {
	xs := make([]float64, len(seeds))
	for i, seed := range seeds {
		xs[i] = seed.Total
	}
	return xs
}

// distinct returns the seeds that repeat no other.
func distinct(seeds []JudgedSeed) []JudgedSeed {
	return slices.DeleteFunc(slices.Clone(seeds), func(s JudgedSeed) bool { return s.Repeats })
}

func numbers(seeds []JudgedSeed) []uint64 {
	list := make([]uint64, len(seeds))
	for i, seed := range seeds {
		list[i] = seed.Number
	}
	return list
}

func failures(seeds []JudgedSeed) []FailedSeed {
	var list []FailedSeed
	for _, seed := range seeds {
		if seed.Failed != "" {
			list = append(list, FailedSeed{seed.Number, seed.Failed})
		}
	}
	return list
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// inParallel calls do for 0 to n-1 on all processors.
func inParallel(n int, do func(int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	wait.Wait()
}

// Unpaired compares all seeds of both sides if too few of them are the same.
type Unpaired struct {
	NCandidate int            `json:"n_candidate"`
	NBaseline  int            `json:"n_baseline"`
	MeanDelta  float64        `json:"mean_delta"`
	Interval   stats.Interval `json:"ci"` // Welch
	P          float64        `json:"p"`  // Mann–Whitney, two-sided
	Method     string         `json:"method"`
}

// compareUnpaired gives the second best: all distinct seeds of both sides against each other. nil where a side has
// fewer than two.
func compareUnpaired(candidate, baseline []JudgedSeed, o Options) *Unpaired {
	a, b := totals(distinct(candidate)), totals(distinct(baseline))
	u := &Unpaired{NCandidate: len(a), NBaseline: len(b), Interval: undefined(o.Confidence, stats.MethodT)}
	u.Method = "different seeds: Welch t interval and Mann–Whitney test"
	ranks, err := stats.NewMannWhitney(a, b)
	if err != nil || len(a) < 2 || len(b) < 2 {
		return nil
	}
	u.P, u.MeanDelta = ranks.P.TwoSided, mean(a)-mean(b)
	if welch, err := stats.WelchT(a, b, 1-o.Alpha()); err == nil {
		u.Interval = welch.Interval
	}
	return u
}

const (
	warnOddBaseline = "odd_baseline"
	oddConfidence   = 0.99 // of the prediction that the mean of an odd baseline is outside of
)

// OddBaseline warns of a baseline whose mean score stands out from those of the configurations around it, as that of a
// lucky or a broken revision does: it is outside of the 99 % interval that they predict for a mean of as many seeds
// ([stats.PredictMean]). It returns nil if it does not stand out, and with fewer than 5 neighbours.
func OddBaseline(baseline HistoryPoint, neighbours []HistoryPoint) *Warning {
	var samples []stats.SampleMean
	for _, p := range neighbours {
		if p.exists() {
			samples = append(samples, stats.SampleMean{N: p.N, Mean: p.Mean, SD: p.SD})
		}
	}
	if len(samples) < minAccepted || !baseline.exists() {
		return nil
	}
	p, err := stats.PredictMean(samples, baseline.N, oddConfidence)
	if err != nil || !p.Interval.Defined() || p.Interval.Contains(baseline.Mean) {
		return nil
	}
	return &Warning{warnOddBaseline, fmt.Sprintf(
		"the baseline stands out from its neighbours: its mean score is %s, and %d configurations around it with its parameters let expect %s (%s random-effects prediction interval)",
		format.Four(baseline.Mean), len(samples), format.Interval(cut(p.Interval, 0, 1), format.Four), format.Confidence(oddConfidence))}
}

// TotalDelta is the change of the total score over the pairs.
type TotalDelta struct {
	Candidate    float64        `json:"candidate_score_over_pairs"` // mean over the pairs
	Baseline     float64        `json:"baseline_score_over_pairs"`
	MeanDelta    float64        `json:"mean_delta"`
	SD           *float64       `json:"sd"` // sample standard deviation of the differences; nil for one pair
	Dz           *float64       `json:"dz"` // standardised difference with Hedges' correction; nil if the differences do not vary
	Interval     stats.Interval `json:"ci"` // of MeanDelta
	P            float64        `json:"p"`  // sign-flip test, two-sided; the anytime p-value with Look.Anytime
	PMethod      string         `json:"p_method"`
	PImprovement float64        `json:"p_improvement"` // share of wins, a tie counting half
	Wins         int            `json:"wins"`
	Losses       int            `json:"losses"`
	Ties         int            `json:"ties"`
	WinShare     *float64       `json:"win_share"`    // wins among the pairs that are no tie; nil if all are ties
	WinShareCI   stats.Interval `json:"win_share_ci"` // Wilson
	Correlation  *float64       `json:"correlation"`  // of the total scores of the pairs, Pearson; nil if a side does not vary
	// DetectableDz is the effect that so many pairs detect with power 0.8, in standard deviations of the differences,
	// and Detectable the same as a difference of scores, beyond the margin. Both are nil if the differences do not
	// vary.
	DetectableDz *float64 `json:"mde_dz"`
	Detectable   *float64 `json:"mde"`
	// SeedsNeeded is how many pairs show with power 0.8 that the difference Sought is beyond the margin; nil without a
	// margin, and if it is unknown or beyond all measure.
	SeedsNeeded *int     `json:"seeds_needed"`
	Sought      *float64 `json:"sought"` // twice the margin; nil without a margin

	equal                       bool    // all differences are equal but for rounding, and there are two or more
	anytimeGreater, anytimeLess float64 // anytime p-values of the same
}

func (i *Improvement) compareTotals(p pairs) error {
	i.Total = new(TotalDelta)
	t := i.Total
	candidate, baseline := totals(p.candidate), totals(p.baseline)
	d, err := stats.Differences(candidate, baseline)
	if err != nil {
		return fmt.Errorf("total scores: %w", err)
	}
	confidence := 1 - i.Options.Alpha()
	summary, err := stats.Summarize(d)
	if err != nil {
		return fmt.Errorf("total scores: %w", err)
	}
	i.Pairs, i.Differences = numbers(p.candidate), d
	t.Candidate, t.Baseline, t.MeanDelta, t.SD = mean(candidate), mean(baseline), summary.Mean, ifDefined(summary.SD())
	t.Interval = summary.MeanInterval(confidence)
	wins, err := stats.NewProbImprovement(candidate, baseline, confidence)
	if err != nil {
		return fmt.Errorf("total scores: %w", err)
	}
	t.PImprovement, t.Wins, t.Losses, t.Ties = wins.Value, wins.Wins, wins.Losses, wins.Ties
	t.WinShare, t.WinShareCI = ifDefined(wins.Decided.Value), wins.Decided.Interval
	if err := t.test(d, i.Options); err != nil {
		return fmt.Errorf("total scores: %w", err)
	}
	t.size(d, candidate, baseline, i.Options)
	if t.Correlation = ifDefined(stats.Pearson(candidate, baseline)); t.equal && len(d) > 1 && !i.Options.Look.Anytime {
		t.Interval.Lo, t.Interval.Hi = math.NaN(), math.NaN()
	}
	return nil
}

// test fills in the p-value, and for looks at any time the interval that allows for them.
func (t *TotalDelta) test(d []float64, o Options) error {
	if !o.Look.Anytime {
		p, err := stats.SignFlip(d, drawSeed)
		if err != nil {
			return err
		}
		t.P, t.PMethod = p.P.TwoSided, flipMethod(p)
		return nil
	}
	e, err := stats.SymmetricEValue(d)
	if err != nil {
		return err
	}
	t.P, t.PMethod = twoSided(e), "symmetric e-value, valid at any time"
	if t.anytimeGreater, t.anytimeLess, err = beyondMargin(d, o.Margin); err != nil {
		return err
	}
	t.Interval, err = anytimeInterval(d, o.Confidence)
	return err
}

// size fills in how large the difference is compared with its noise, and what it would take to see it.
func (t *TotalDelta) size(d, candidate, baseline []float64, o Options) {
	effect, err := stats.NewEffect(candidate, baseline, stats.EffectDz)
	if t.equal = errors.Is(err, stats.ErrZeroVariance); err == nil {
		t.Dz = &effect.G
	}
	design := stats.Design{Alpha: o.Alpha(), Alternative: stats.TwoSided, Confirmed: true}
	if dz, err := design.DetectableDz(len(d), TargetPower); err == nil && t.SD != nil && *t.SD > 0 && !t.equal {
		t.DetectableDz, t.Detectable = ptr(dz), ptr(o.Margin+float64(dz**t.SD))
	}
	if o.Margin == 0 {
		return
	}
	t.Sought = ptr(2 * o.Margin)
	if plan, err := design.SeedsFromPilot(d, o.Margin, TargetPower); err == nil && !t.equal {
		t.SeedsNeeded = &plan.N
	}
}

// ifDefined returns nil for NaN.
func ifDefined(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func flipMethod(p stats.Permutation) string {
	if p.Exact {
		return "sign-flip test, exact"
	}
	return fmt.Sprintf("sign-flip test, %d draws from seed %d", p.Permutations, p.Seed)
}

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
