package verdict

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"track/scoring"
	"track/scoring/stats"
)

// Limits of a paired comparison.
const (
	minPairs       = 6   // with fewer, an exact two-sided test cannot reach 0.05
	minMatched     = 0.8 // smallest share of paired seeds among all seeds of both sides
	TargetPower    = 0.8 // of the detectable effect, and of "about k more seeds"
	drawSeed       = 1   // of the sign flips beyond 20 pairs
	maxSeedsQuoted = 10_000
)

// JudgedSeed is a seed with its scores under the spec of a comparison.
type JudgedSeed struct {
	Number uint64
	Failed string    // why it has no total score; empty where it has one
	Passed bool      // scored, and no metric failed
	Total  float64   // 0..1; 0 where it failed
	Scores []float64 // of each metric of the spec, 0..1; NaN where the seed has no value, nil where it crashed
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

	// Seeds of each side that repeat exactly what another seed measured.
	IdenticalCandidate int `json:"n_identical_candidate"`
	IdenticalBaseline  int `json:"n_identical_baseline"`
}

// MetricDelta is the change of the score of one metric, candidate minus baseline, over the pairs.
type MetricDelta struct {
	scoring.MetricInfo
	Candidate float64        `json:"candidate_mean"` // mean score over the pairs
	Baseline  float64        `json:"baseline_mean"`
	MeanDelta float64        `json:"mean_delta"`
	Threshold float64        `json:"threshold"` // largest loss that is WARN
	Status    scoring.Status `json:"status"`    // [scoring.CheckImprovement] of MeanDelta
	Interval  stats.Interval `json:"ci"`        // of MeanDelta
	P         float64        `json:"p"`         // sign-flip test, two-sided
	PHolm     float64        `json:"p_holm"`    // P corrected for the number of metrics
	IsDecided bool           `json:"decided"`   // the data show a change: PHolm is at most 1 - confidence
	Wins      int            `json:"wins"`      // pairs in which the candidate scores higher
	Losses    int            `json:"losses"`
	Ties      int            `json:"ties"`

	differences []float64
}

// TotalDelta is the change of the total score over the pairs.
type TotalDelta struct {
	Candidate    float64        `json:"candidate_mean"` // mean over the pairs
	Baseline     float64        `json:"baseline_mean"`
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
	// DetectableDz is the effect that so many pairs detect with power 0.8, in standard deviations of the differences, and Detectable
	// the same as a difference of scores. Both are nil if the differences do not vary.
	DetectableDz *float64 `json:"mde_dz"`
	Detectable   *float64 `json:"mde"`
	// SeedsNeeded is how many pairs detect the difference Sought with power 0.8; nil if it is unknown or beyond all measure.
	SeedsNeeded *int    `json:"seeds_needed"`
	Sought      float64 `json:"sought"` // the margin, or the difference seen if the margin is 0

	equal                       bool    // all differences are equal but for rounding, and there are two or more
	flipGreater, flipLess       float64 // sign-flip p-values, one-sided, of the differences beyond the margin
	anytimeGreater, anytimeLess float64 // anytime p-values of the same
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

// FailedSeed is a seed of one side that has no total score.
type FailedSeed struct {
	Number uint64 `json:"seed,string"`
	Reason string `json:"reason"`
}

// SeedNumbers are the numbers of seeds. They are strings in JSON, because many readers of JSON round whole numbers above 2^53.
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

// Improvement is a candidate against its baseline, paired by seed. A seed that failed on one side scores 0 there: it is a
// failure of its side, not a missing pair.
type Improvement struct {
	NCandidate  int            `json:"n_candidate"` // seeds of the candidate
	NBaseline   int            `json:"n_baseline"`
	NPairs      int            `json:"n_pairs"`
	Unmatched   UnmatchedSeeds `json:"unmatched"`
	Failed      FailedSeeds    `json:"failed"`
	Pairs       SeedNumbers    `json:"pairs"`       // in the order in which the candidate's seeds were recorded
	Differences []float64      `json:"differences"` // of the total scores of the pairs, candidate minus baseline
	Options
	Metrics    []MetricDelta `json:"metrics"` // in the order of the spec
	NPass      int           `json:"n_pass"`  // metrics with this status
	NWarn      int           `json:"n_warn"`
	NFail      int           `json:"n_fail"`
	Degraded   []string      `json:"degraded"`          // metrics whose status is FAIL
	Total      *TotalDelta   `json:"total"`             // nil without pairs
	Unpaired   *Unpaired     `json:"unpaired,omitzero"` // if less than 80 % of the seeds are paired and both sides have two scores
	Difference Difference    `json:"difference"`
	Finding
	Warnings []Warning `json:"warnings"`

	unconfirmed bool // the interval decided, the exact test did not
}

// Alpha is the level of the tests.
func (o Options) Alpha() float64 { return 1 - o.Look.confidence(o.Confidence) }

// MatchedShare is the share of paired seeds among all seeds of both sides; 0 for none.
func (i Improvement) MatchedShare() float64 {
	all := i.NPairs + len(i.Unmatched.Candidate) + len(i.Unmatched.Baseline)
	if all == 0 {
		return 0
	}
	return float64(i.NPairs) / float64(all)
}

// Compare judges a candidate against a baseline. The seeds of each side have different numbers, scores in the order of spec, and
// stand in the order in which they were recorded.
func Compare(spec scoring.Spec, candidate, baseline []JudgedSeed, o Options) (Improvement, error) {
	p := pair(candidate, baseline)
	i := Improvement{
		NCandidate: len(candidate), NBaseline: len(baseline), NPairs: len(p.candidate),
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
	}
	if i.MatchedShare() < minMatched {
		i.Unpaired = compareUnpaired(candidate, baseline, o)
	}
	i.warn()
	i.decide()
	return i, nil
}

func (i *Improvement) compareTotals(p pairs) error {
	i.Total = new(TotalDelta)
	t := i.Total
	candidate, baseline := totals(p.candidate), totals(p.baseline)
	d, err := stats.Differences(candidate, baseline)
	if err != nil {
		return fmt.Errorf("total scores: %w", err)
	}
	confidence := i.Options.Look.confidence(i.Options.Confidence)
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
		t.flipGreater, t.flipLess, err = flipsBeyondMargin(d, o.Margin)
		return err
	}
	e, err := stats.SymmetricEValue(d)
	if err != nil {
		return err
	}
	t.P, t.PMethod = e.AnytimeP().TwoSided, "symmetric e-value, valid at any time"
	if t.anytimeGreater, t.anytimeLess, err = beyondMargin(d, o.Margin); err != nil {
		return err
	}
	t.Interval, err = anytimeInterval(d, o.Confidence)
	return err
}

// anytimeInterval bounds the mean of differences of scores, which lie in [-1, 1].
func anytimeInterval(d []float64, confidence float64) (stats.Interval, error) {
	halves := make([]float64, len(d))
	for k, v := range d {
		halves[k] = (v + 1) / 2
	}
	i, err := stats.BettingInterval(halves, confidence)
	i.Lo, i.Hi = 2*i.Lo-1, 2*i.Hi-1
	return i, err
}

// flipsBeyondMargin gives the sign-flip p-values that the differences exceed the margin, above and below.
func flipsBeyondMargin(d []float64, margin float64) (greater, less float64, err error) {
	up, err := stats.SignFlip(shifted(d, -margin), drawSeed)
	if err != nil {
		return 0, 0, err
	}
	down, err := stats.SignFlip(shifted(d, margin), drawSeed)
	return up.P.Greater, down.P.Less, err
}

// beyondMargin gives the anytime p-values that the differences exceed the margin, above and below.
func beyondMargin(d []float64, margin float64) (greater, less float64, err error) {
	up, err := stats.SymmetricEValue(shifted(d, -margin))
	if err != nil {
		return 0, 0, err
	}
	down, err := stats.SymmetricEValue(shifted(d, margin))
	return up.AnytimeP().Greater, down.AnytimeP().Less, err
}

// size fills in how large the difference is compared with its noise, and what it would take to see it.
func (t *TotalDelta) size(d, candidate, baseline []float64, o Options) {
	effect, err := stats.NewEffect(candidate, baseline, stats.EffectDz)
	if t.equal = errors.Is(err, stats.ErrZeroVariance); err == nil {
		t.Dz = &effect.G
	}
	design := stats.Design{Alpha: o.Alpha(), Alternative: stats.TwoSided}
	if dz, err := design.DetectableDz(len(d), TargetPower); err == nil && t.SD != nil && *t.SD > 0 && !t.equal {
		t.DetectableDz, t.Detectable = ptr(dz), ptr(dz**t.SD)
	}
	if t.Sought = o.Margin; t.Sought == 0 {
		t.Sought = math.Abs(t.MeanDelta)
	}
	if plan, err := design.SeedsFromPilot(d, t.Sought, TargetPower); err == nil && !t.equal {
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

func (i *Improvement) compareMetrics(spec scoring.Spec, p pairs) error {
	i.Metrics = make([]MetricDelta, len(spec.Metrics))
	errs := make([]error, len(spec.Metrics))
	inParallel(len(spec.Metrics), func(k int) {
		i.Metrics[k], errs[k] = compareMetric(spec.Metrics[k], p.scores(k), i.Options)
	})
	ps := make([]float64, len(i.Metrics))
	for k, m := range i.Metrics {
		if errs[k] != nil {
			return fmt.Errorf("metric %s: %w", m.Name, errs[k])
		}
		ps[k] = m.P
		switch m.Status {
		case scoring.Pass:
			i.NPass++
		case scoring.Warn:
			i.NWarn++
		default:
			i.NFail++
			i.Degraded = append(i.Degraded, m.Name)
		}
	}
	adjusted, err := stats.Holm(ps, i.Options.Alpha())
	if err != nil {
		return err
	}
	for k := range i.Metrics {
		i.Metrics[k].PHolm = adjusted.P[k]
		i.Metrics[k].IsDecided = adjusted.P[k] <= i.Alpha()
	}
	i.warnFloor()
	return nil
}

// warnFloor says that so many pairs cannot decide on any of so many metrics.
const warnFloor = "too_few_pairs_for_metrics"

func (i *Improvement) warnFloor() {
	if i.Options.Look.Anytime || i.NPairs < minPairs {
		return
	}
	m := float64(len(i.Metrics))
	floor := func(n int) float64 { // of the smallest corrected p
		if n > stats.ExactSignFlip {
			return 2 * m / (stats.Draws + 1)
		}
		return math.Ldexp(2, -n) * m
	}
	if floor(i.NPairs) <= i.Options.Alpha() {
		return
	}
	text := fmt.Sprintf("with %d pairs and %d metrics no corrected p can be below %.3f: every metric reads ~", i.NPairs, len(i.Metrics), floor(i.NPairs))
	need := minPairs
	for need <= stats.ExactSignFlip && floor(need) > i.Options.Alpha() {
		need++
	}
	switch {
	case need > stats.ExactSignFlip:
	case i.NPairs > stats.ExactSignFlip:
		text += fmt.Sprintf("; %d to %d pairs can decide one, because all their signs are counted", need, stats.ExactSignFlip)
	default:
		text += fmt.Sprintf("; %d pairs are the fewest that can decide one", need)
	}
	i.Warnings = append(i.Warnings, Warning{warnFloor, text})
}

func compareMetric(m scoring.Metric, scores pairedScores, o Options) (MetricDelta, error) {
	delta := MetricDelta{MetricInfo: m.Info(), Threshold: scoring.DegradationThreshold(m.Weight, o.Base)}
	d, err := stats.Differences(scores.candidate, scores.baseline)
	if err != nil {
		return delta, err
	}
	summary, err := stats.Summarize(d)
	if err != nil {
		return delta, err
	}
	delta.differences = d
	delta.Candidate, delta.Baseline, delta.MeanDelta = mean(scores.candidate), mean(scores.baseline), summary.Mean
	delta.Status = scoring.CheckImprovement(delta.MeanDelta, m.Weight, o.Base)
	delta.Interval = summary.MeanInterval(o.Look.confidence(o.Confidence))
	for _, x := range d {
		switch {
		case x > 0:
			delta.Wins++
		case x < 0:
			delta.Losses++
		default:
			delta.Ties++
		}
	}
	if o.Look.Anytime {
		e, err := stats.SymmetricEValue(d)
		if err != nil {
			return delta, err
		}
		delta.P = e.AnytimeP().TwoSided
		delta.Interval, err = anytimeInterval(d, o.Confidence)
		return delta, err
	}
	p, err := stats.SignFlip(d, drawSeed)
	delta.P = p.P.TwoSided
	return delta, err
}

// lossPs are the p-values of each metric against a mean loss of more than allowed gives for it, corrected for the number of metrics:
// by joint sign flips of the differences plus what is allowed, or for looks at any time by Holm's rule on anytime p-values. NaN for
// metrics that cannot lose so much.
func (i *Improvement) lossPs(allowed func(MetricDelta) float64) ([]float64, error) {
	ps := make([]float64, len(i.Metrics))
	var tested []int
	var d [][]float64
	for k, m := range i.Metrics {
		ps[k] = math.NaN()
		if limit := allowed(m); limit < 1 { // scores lie in [0, 1]
			tested, d = append(tested, k), append(d, shifted(m.differences, limit))
		}
	}
	test := jointLess
	if i.Options.Look.Anytime {
		test = i.anytimeLess
	}
	corrected, err := test(d)
	if err != nil {
		return nil, err
	}
	for at, k := range tested {
		ps[k] = corrected[at]
	}
	return ps, nil
}

func jointLess(d [][]float64) ([]float64, error) {
	joint, err := stats.SignFlipJointly(d, drawSeed)
	return joint.Less, err
}

func (i *Improvement) anytimeLess(d [][]float64) ([]float64, error) {
	ps := make([]float64, len(d))
	for k := range d {
		e, err := stats.SymmetricEValue(d[k])
		if err != nil {
			return nil, err
		}
		ps[k] = e.AnytimeP().Less
	}
	adjusted, err := stats.Holm(ps, i.Options.Alpha())
	return adjusted.P, err
}

func shifted(xs []float64, by float64) []float64 {
	moved := make([]float64, len(xs))
	for k, x := range xs {
		moved[k] = x + by
	}
	return moved
}

// compareUnpaired gives the second best: all seeds of both sides against each other. nil where a side has fewer than two.
func compareUnpaired(candidate, baseline []JudgedSeed, o Options) *Unpaired {
	a, b := totals(candidate), totals(baseline)
	u := &Unpaired{NCandidate: len(a), NBaseline: len(b), Interval: undefined(o.Confidence, stats.MethodT)}
	u.Method = "different seeds: Welch t interval and Mann–Whitney test"
	ranks, err := stats.NewMannWhitney(a, b)
	if err != nil || len(a) < 2 || len(b) < 2 {
		return nil
	}
	u.P, u.MeanDelta = ranks.P.TwoSided, mean(a)-mean(b)
	if welch, err := stats.WelchT(a, b, o.Look.confidence(o.Confidence)); err == nil {
		u.Interval = welch.Interval
	}
	return u
}
