package scoring

import (
	"fmt"
	"math"
	"slices"

	"track/scoring/stats"
)

// Limits of the stability test.
const (
	StableMinPassRate   = 0.9  // smallest share of passing seeds of a stable configuration
	StableMaxStd        = 0.15 // largest population standard deviation of total scores of a stable configuration
	UnstableMaxPassRate = 0.8  // a metric that fails in more than 1 - 0.8 of the seeds is unstable
	variableMinStd      = 0.1  // a metric whose score has a larger population standard deviation is variable
)

// Flag marks a metric that keeps a configuration from being dependable.
type Flag string

// The flags; the empty flag means neither.
const (
	FlagUnstable Flag = "unstable"
	flagVariable Flag = "variable"
)

// Moments summarises N numbers. Std is the population standard deviation (divide by N). All are NaN where N is 0, and
// where a NaN is among the numbers; the mean of infinities is infinite and their Std is NaN.
type Moments struct {
	N                   int
	Mean, Std, Min, Max float64
}

// NewMoments computes the moments of xs in two passes; the second corrects for the rounding of the mean, so that
// numbers that lie close together but far from 0 have a Std as well.
func NewMoments(xs []float64) Moments {
	m := Moments{N: len(xs), Mean: math.NaN(), Std: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	if len(xs) == 0 {
		return m
	}
	m.Min, m.Max = xs[0], xs[0]
	sum := 0.0
	for _, x := range xs {
		sum += x
		m.Min, m.Max = min(m.Min, x), max(m.Max, x) // math.Min(-Inf, NaN) would be -Inf
	}
	m.Mean = sum / float64(m.N)
	squares, rest := 0.0, 0.0
	for _, x := range xs {
		d := x - m.Mean
		squares += float64(d * d)
		rest += d
	}
	m.Std = populationStd(m.N, rest, squares)
	return m
}

// populationStd is the standard deviation of n numbers, from the sum of their differences from any one number and the
// sum of the squares of these. It is infinite where the squares are beyond float64.
func populationStd(n int, sum, squares float64) float64 {
	if math.IsInf(squares, 1) {
		return squares
	}
	// In this order the product is at most squares, and so finite. Rounding may take the difference below 0.
	return math.Sqrt(max(0, squares-float64(sum*(sum/float64(n)))) / float64(n))
}

// SeedTotals counts the seeds of one configuration. A seed that crashed or lacks a metric counts in NSeeds alone.
type SeedTotals struct {
	NSeeds, NPassed int
	NOK             int     // seeds that ran well; those among them that lack a metric have no score
	NSaturated      int     // scored seeds whose total score is exactly 0 or 1
	NIdentical      int     // more seeds, which measured exactly what one of these measured, and count with it
	Score           Moments // of the total scores of the seeds that were scored
	Shape           Shape   // of the same
}

// WithFailures returns the totals with a score of 0 for each seed that has none: a failure counts as the worst score.
func (t SeedTotals) WithFailures() SeedTotals {
	failed := t.NSeeds - t.Score.N
	if failed <= 0 {
		return t
	}
	all := t
	all.NSaturated = t.NSaturated + failed
	if t.Score.N == 0 {
		all.Score, all.Shape = Moments{N: t.NSeeds}, Shape{}
		return all
	}
	share, m, sd := float64(t.Score.N)/float64(t.NSeeds), t.Score.Mean, t.Score.Std
	second := float64(sd * sd)
	third := float64(t.Shape.Skewness * float64(second*sd))
	fourth := float64(t.Shape.Kurtosis * float64(second*second))
	// Central moments of a mixture: of the scores about the new mean, and of the zeros.
	mean := float64(share * m)
	d, zero := m-mean, 1-share
	m2 := float64(share*(second+float64(d*d))) + float64(zero*float64(mean*mean))
	m3 := float64(share*(third+float64(3*d*second)+float64(d*d*d))) - float64(zero*float64(mean*mean*mean))
	m4 := float64(share*(fourth+float64(4*d*third)+float64(6*d*d*second)+float64(d*d*d*d))) + float64(zero*float64(mean*mean*mean*mean))
	all.Score = Moments{N: t.NSeeds, Mean: mean, Std: math.Sqrt(m2), Min: 0, Max: t.Score.Max}
	all.Shape = shapeOf(m2, m3, m4)
	return all
}

// MetricTotals summarises one metric over the seeds of one configuration.
type MetricTotals struct {
	NNotFailed int     // seeds in which the metric passed or warned
	Value      Moments // of its finite values
	NNaN       int     // values that are NaN
	NInfinite  int
	Score      Moments // over the seeds that carried a value for it
}

// MetricInfo describes a metric to a reader: a [Metric] without the means to judge values.
type MetricInfo struct {
	Name   string  `json:"name"`
	Type   Type    `json:"type"`
	Weight float64 `json:"weight"`
	Group  string  `json:"group"`
	Target string  `json:"target"` // for people, see [Metric.Description]
	Format Format  `json:"format"`
}

// Info returns the description of the metric.
func (m Metric) Info() MetricInfo {
	info := MetricInfo{Name: m.Name, Weight: m.Weight, Group: m.Group, Target: m.TargetDesc, Format: m.Format}
	if m.Target != nil {
		info.Type, info.Target = m.Target.Type(), m.Description()
	}
	return info
}

// MetricStability is the aggregate of one metric over the seeds of one configuration. Means, standard deviations and
// limits are nil if no seed has a value, rates are nil if there are no seeds. Standard deviations divide by N.
type MetricStability struct {
	MetricInfo
	N          int            `json:"n"`            // seeds with a value
	NNaN       int            `json:"n_nan"`        // seeds whose value is NaN
	NInfinite  int            `json:"n_infinite"`   // seeds whose value is infinite
	NNotFailed int            `json:"n_not_failed"` // seeds in which the metric is PASS or WARN
	MeanValue  *Value         `json:"mean_value"`   // of the finite values, as are the next three; nil if there are none
	StdValue   *Value         `json:"std_value"`
	MinValue   *Value         `json:"min_value"`
	MaxValue   *Value         `json:"max_value"`
	MeanScore  *float64       `json:"score_of_seeds_with_value"` // 0..1
	StdScore   *float64       `json:"std_score"`
	MinScore   *float64       `json:"min_score"`
	MaxScore   *float64       `json:"max_score"`
	ScoreCI    stats.Interval `json:"score_ci"`  // of the mean score, see [stats.Summary.ScoreInterval] and [DefaultConfidence]
	PassRate   *float64       `json:"pass_rate"` // NNotFailed / all seeds; a seed that crashed did not pass
	Flag       Flag           `json:"flag"`
}

// Stability is the aggregate over the seeds of one configuration under one spec. With no failed seed it equals, to
// the last bit, an aggregate that ignores them. Failed seeds stay in the denominator of every pass rate. Scores are
// nil if no seed has one.
type Stability struct {
	NSeeds        int               `json:"n_seeds"`
	NScored       int               `json:"n_scored"`
	NFailed       int               `json:"n_failed"` // seeds without a total score: crashed, timed out, collapsed, or lacking a metric
	NPassed       int               `json:"n_passed"` // scored seeds without a failed metric
	NOK           int               `json:"n_ok"`     // seeds that ran well; some of them may lack a metric
	NSaturated    int               `json:"n_saturated"`
	NIdentical    int               `json:"n_identical"`             // more seeds, which repeat exactly what one of NSeeds measured and count with it
	PassRate      *float64          `json:"pass_rate"`               // NPassed / NSeeds; nil if there are no seeds
	Score         *float64          `json:"score"`                   // mean total score, 0..1; a failed seed counts as 0; nil if there are no seeds
	MeanScore     *float64          `json:"score_of_seeds_that_ran"` // of the total scores, 0..1
	StdScore      *float64          `json:"std_score"`               // population standard deviation of the total scores
	MinScore      *float64          `json:"min_score"`
	MaxScore      *float64          `json:"max_score"`
	Skewness      *float64          `json:"skewness"`       // of the total scores, m3/m2^1.5; nil if all are equal
	Kurtosis      *float64          `json:"kurtosis"`       // of the total scores, m4/m2², 3 for normal ones; nil if all are equal
	CombinedScore *float64          `json:"combined_score"` // see [combinedScore]
	Stable        bool              `json:"stable"`         // see [isStable]
	Metrics       []MetricStability `json:"metrics"`        // in the order of the spec
}

// NewStability derives rates, flags and the verdict from totals. metrics holds one entry for each metric of the spec,
// in its order. Without seeds the configuration is not stable.
func NewStability(spec Spec, totals SeedTotals, metrics []MetricTotals) Stability {
	score := totals.Score
	rate := float64(totals.NPassed) / float64(totals.NSeeds)
	s := Stability{
		NSeeds: totals.NSeeds, NScored: score.N, NFailed: totals.NSeeds - score.N, NPassed: totals.NPassed, NOK: totals.NOK,
		NSaturated: totals.NSaturated, NIdentical: totals.NIdentical, PassRate: among(rate, totals.NSeeds),
		Score:     among(totals.WithFailures().Score.Mean, totals.NSeeds),
		MeanScore: among(score.Mean, score.N), StdScore: among(score.Std, score.N),
		MinScore: among(score.Min, score.N), MaxScore: among(score.Max, score.N),
		Skewness: among(totals.Shape.Skewness, int(totals.Shape.Kurtosis)), Kurtosis: among(totals.Shape.Kurtosis, int(totals.Shape.Kurtosis)),
		CombinedScore: among(combinedScore(score.Mean, rate, score.Std), score.N),
		Stable:        isStable(rate, score.Std),
		Metrics:       make([]MetricStability, len(metrics)),
	}
	for i, m := range metrics {
		s.Metrics[i] = newMetricStability(spec.Metrics[i], m, totals.NSeeds)
	}
	return s
}

func newMetricStability(metric Metric, m MetricTotals, nSeeds int) MetricStability {
	rate := float64(m.NNotFailed) / float64(nSeeds)
	value, score := m.Value, m.Score
	return MetricStability{
		MetricInfo: metric.Info(), N: value.N + m.NNaN + m.NInfinite, NNaN: m.NNaN, NInfinite: m.NInfinite, NNotFailed: m.NNotFailed,
		MeanValue: measured(value.Mean, value.N), StdValue: measured(value.Std, value.N),
		MinValue: measured(value.Min, value.N), MaxValue: measured(value.Max, value.N),
		MeanScore: among(score.Mean, score.N), StdScore: among(score.Std, score.N),
		MinScore: among(score.Min, score.N), MaxScore: among(score.Max, score.N),
		ScoreCI: stats.Summary{
			N: score.N, Mean: score.Mean, PopulationSD: score.Std, Min: score.Min, Max: score.Max, Constant: score.Min == score.Max,
		}.ScoreInterval(DefaultConfidence),
		PassRate: among(rate, nSeeds), Flag: metricFlag(rate, score.Std),
	}
}

// countNonFinite counts a value that is NaN or infinite.
func (m *MetricTotals) countNonFinite(x float64) {
	switch {
	case math.IsNaN(x):
		m.NNaN++
	case math.IsInf(x, 0):
		m.NInfinite++
	}
}

// among returns nil for a number that does not exist because there is nothing to compute it from.
func among(x float64, n int) *float64 {
	if n == 0 {
		return nil
	}
	return &x
}

// measured returns nil for a summary of no values.
func measured(x float64, n int) *Value { return (*Value)(among(x, n)) }

// orNaN returns NaN for a number that does not exist.
func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// Totals returns what the stability was derived from.
func (s Stability) Totals() SeedTotals {
	return SeedTotals{
		NSeeds: s.NSeeds, NPassed: s.NPassed, NOK: s.NOK, NSaturated: s.NSaturated, NIdentical: s.NIdentical,
		Score: Moments{s.NScored, orNaN(s.MeanScore), orNaN(s.StdScore), orNaN(s.MinScore), orNaN(s.MaxScore)},
		Shape: s.shape(),
	}
}

func (s Stability) shape() Shape {
	if s.Skewness == nil || s.Kurtosis == nil {
		return Shape{}
	}
	return Shape{*s.Skewness, *s.Kurtosis}
}

// NFinite is the number of seeds with a finite value: those that the mean value is of.
func (m MetricStability) NFinite() int { return m.N - m.NNaN - m.NInfinite }

// NonFinite counts the values where some are not finite, as in "31 finite, 4 NaN"; else it is empty.
func (m MetricStability) NonFinite() string {
	if m.NFinite() == m.N {
		return ""
	}
	text := fmt.Sprintf("%d finite", m.NFinite())
	if m.NNaN > 0 {
		text += fmt.Sprintf(", %d NaN", m.NNaN)
	}
	if m.NInfinite > 0 {
		text += fmt.Sprintf(", %d infinite", m.NInfinite)
	}
	return text
}

// Totals returns what the aggregate of the metric was derived from.
func (m MetricStability) Totals() MetricTotals {
	return MetricTotals{
		NNotFailed: m.NNotFailed, NNaN: m.NNaN, NInfinite: m.NInfinite,
		Value: Moments{m.NFinite(), orNaN((*float64)(m.MeanValue)), orNaN((*float64)(m.StdValue)), orNaN((*float64)(m.MinValue)), orNaN((*float64)(m.MaxValue))},
		Score: Moments{m.N, orNaN(m.MeanScore), orNaN(m.StdScore), orNaN(m.MinScore), orNaN(m.MaxScore)},
	}
}

// isStable says whether a pass rate and a population standard deviation of total scores make a configuration stable.
func isStable(passRate, std float64) bool {
	return passRate >= StableMinPassRate && std <= StableMaxStd
}

func metricFlag(passRate, std float64) Flag {
	switch {
	case passRate < UnstableMaxPassRate:
		return FlagUnstable
	case std > variableMinStd:
		return flagVariable
	}
	return ""
}

// Aggregate computes the stability of seeds already assessed under spec. Assessments hold results in the order of the
// spec, or none for a seed that crashed. It leaves NIdentical 0: assessments do not say what was measured.
func Aggregate(spec Spec, assessments []Assessment) Stability {
	var totals SeedTotals
	totals.NSeeds = len(assessments)
	var scores []float64
	values := make([][]float64, len(spec.Metrics))
	metricScores := make([][]float64, len(spec.Metrics))
	metrics := make([]MetricTotals, len(spec.Metrics))
	for _, a := range assessments {
		if a.Passed() {
			totals.NPassed++
		}
		if len(a.Results) > 0 {
			totals.NOK++
		}
		if a.Scored {
			scores = append(scores, a.TotalScore)
			if a.TotalScore == 0 || a.TotalScore == 1 {
				totals.NSaturated++
			}
		}
		for i, r := range a.Results {
			if r.Status != Fail {
				metrics[i].NNotFailed++
			}
			if !r.Missing() {
				if metrics[i].countNonFinite(r.Value); finite(r.Value) {
					values[i] = append(values[i], r.Value)
				}
				metricScores[i] = append(metricScores[i], r.Score)
			}
		}
	}
	totals.Score, totals.Shape = NewMoments(scores), NewShape(scores)
	for i := range metrics {
		metrics[i].Value, metrics[i].Score = NewMoments(values[i]), NewMoments(metricScores[i])
	}
	return NewStability(spec, totals, metrics)
}

// The formulas behind the reducers: two passes, the first for the mean, the second over the deviations from it. x is
// never empty.

// sum is compensated (Neumaier 1974): its error does not grow with the number of points.
func sum(x []float64) float64 {
	total, lost := 0.0, 0.0
	for _, v := range x {
		next := total + v
		if math.Abs(total) >= math.Abs(v) {
			lost += (total - next) + v
		} else {
			lost += (v - next) + total
		}
		total = next
	}
	if !finite(lost) { // an infinity among the points, or a sum beyond float64
		return total
	}
	return total + lost
}

func mean(x []float64) float64 {
	n := float64(len(x))
	if s := sum(x); !math.IsInf(s, 0) {
		return s / n
	}
	m := 0.0
	for _, v := range x { // the sum of large points may be infinite where their mean is not
		m += v / n
	}
	return m
}

func constant(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v != x[0] })
}

// unit is a power of two by which to multiply the deviations of x from m, so that the largest is near 1 and no power
// of them leaves float64. A power of two changes no digit.
func unit(x []float64, m float64) float64 {
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v-m))
	}
	if largest == 0 || !finite(largest) {
		return 1
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, min(-exponent, 1000))
}

// std is the square root of the sum of squared deviations over divisor; 0 for a constant series.
func std(x []float64, divisor int) float64 {
	if constant(x) && finite(x[0]) {
		return 0
	}
	m := mean(x)
	u := unit(x, m)
	squares := 0.0
	for _, v := range x {
		d := (v - m) * u
		squares += float64(d * d)
	}
	return math.Sqrt(squares/float64(divisor)) / u
}

func skewness(x []float64) (float64, string) {
	if constant(x) {
		return 0, isConstant
	}
	m := mean(x)
	u := unit(x, m)
	squares, cubes := 0.0, 0.0
	for _, v := range x {
		d := (v - m) * u
		squares += float64(d * d)
		cubes += float64(d * d * d)
	}
	n := float64(len(x))
	return cubes / n / float64(squares/n*math.Sqrt(squares/n)), ""
}

// correlation is Pearson's, of two series of which neither is constant.
func correlation(x, y []float64) float64 {
	mx, my := mean(x), mean(y)
	ux, uy := unit(x, mx), unit(y, my)
	xx, yy, xy := 0.0, 0.0, 0.0
	for i := range x {
		dx, dy := (x[i]-mx)*ux, (y[i]-my)*uy
		xx += float64(dx * dx)
		yy += float64(dy * dy)
		xy += float64(dx * dy)
	}
	return max(-1, min(1, xy/(math.Sqrt(xx)*math.Sqrt(yy)))) // rounding may leave [-1, 1]; NaN stays NaN
}

// slope is that of the least-squares line through the points that are not NaN, each at the time of its index.
func slope(x []float64) (float64, string) {
	points := withoutNaN(x)
	if len(points) < 2 {
		return 0, fmt.Sprintf(tooFewPoints, len(points), reduceSlope, 2)
	}
	meanTime, m := 0.0, mean(points)
	for i, v := range x {
		if !math.IsNaN(v) {
			meanTime += float64(i)
		}
	}
	meanTime /= float64(len(points))
	times, products := 0.0, 0.0
	for i, v := range x {
		if !math.IsNaN(v) {
			t := float64(i) - meanTime
			times += float64(t * t)
			products += float64(t * (v - m))
		}
	}
	return products / times, ""
}

// autocorrelation leaves out the pairs that have a NaN.
func autocorrelation(x []float64, lag int) (float64, string) {
	points := withoutNaN(x)
	switch {
	case len(points) == 0:
		return 0, onlyNaN
	case len(x) <= lag:
		return 0, fmt.Sprintf("has %d points, and lag %d needs %d", len(x), lag, lag+1)
	case constant(points):
		return 0, isConstant
	}
	m := mean(points)
	u := unit(points, m)
	squares, products := 0.0, 0.0
	for _, v := range points {
		d := (v - m) * u
		squares += float64(d * d)
	}
	for i, v := range x[lag:] {
		if product := float64((x[i] - m) * u * ((v - m) * u)); !math.IsNaN(product) {
			products += product
		}
	}
	return products / squares, ""
}

// quantile interpolates linearly between the order statistics around q*(n-1).
func quantile(sorted []float64, q float64) float64 {
	position := float64(q * float64(len(sorted)-1))
	i := int(position)
	t := position - float64(i)
	if t == 0 || sorted[i] == sorted[i+1] {
		return sorted[i]
	}
	a, b := sorted[i], sorted[i+1]
	switch width := b - a; {
	case math.IsInf(width, 0):
		return float64(a*(1-t)) + float64(b*t)
	case t < 0.5:
		return a + float64(width*t)
	default:
		return b - float64(width*(1-t))
	}
}

// fences are the quartiles, each moved outwards by factor times their distance.
func fences(x []float64, factor float64) (lower, upper float64) {
	sorted := slices.Sorted(slices.Values(x))
	q1, q3 := quantile(sorted, 0.25), quantile(sorted, 0.75)
	reach := factor * (q3 - q1)
	return q1 - float64(reach), q3 + float64(reach)
}

// Accumulator computes [Moments] of numbers that come one by one, in constant memory. It sums differences from the
// first finite number, with compensation, so that an offset common to all numbers costs no digits.
type Accumulator struct {
	n            int
	min, max     float64
	hasShift     bool
	shift        float64
	sum, squares compensated
	nonFinite    float64 // sum of what is not finite: infinite or NaN where there was any, else 0
}

// Add takes one more number, which may be NaN or infinite.
func (a *Accumulator) Add(x float64) {
	if a.n == 0 {
		a.min, a.max = x, x
	}
	a.n++
	a.min, a.max = min(a.min, x), max(a.max, x) // NaN if either is
	if !finite(x) {
		a.nonFinite += x
		return
	}
	if !a.hasShift {
		a.shift, a.hasShift = x, true
	}
	d := x - a.shift
	a.sum.add(d)
	a.squares.add(float64(d * d))
}

// Moments returns the moments of the numbers so far.
func (a *Accumulator) Moments() Moments {
	nan := math.NaN()
	switch {
	case a.n == 0:
		return Moments{Mean: nan, Std: nan, Min: nan, Max: nan}
	case a.nonFinite != 0: // NaN too
		return Moments{N: a.n, Mean: a.nonFinite, Std: nan, Min: a.min, Max: a.max}
	}
	n := float64(a.n)
	sum := a.sum.value()
	return Moments{N: a.n, Mean: a.shift + sum/n, Std: populationStd(a.n, sum, a.squares.value()), Min: a.min, Max: a.max}
}

// ValueAccumulator accumulates the finite ones of the values of a metric, and counts the others.
type ValueAccumulator struct {
	finite          Accumulator
	nNaN, nInfinite int
}

// Add takes one more value.
func (a *ValueAccumulator) Add(x float64) {
	switch {
	case math.IsNaN(x):
		a.nNaN++
	case math.IsInf(x, 0):
		a.nInfinite++
	default:
		a.finite.Add(x)
	}
}

// Fill sets the moments and counts of the values in m.
func (a *ValueAccumulator) Fill(m *MetricTotals) {
	m.Value, m.NNaN, m.NInfinite = a.finite.Moments(), a.nNaN, a.nInfinite
}

// MomentsOf returns the moments of finite numbers, which it goes through twice.
func MomentsOf(xs []float64) Moments {
	if len(xs) == 0 {
		nan := math.NaN()
		return Moments{Mean: nan, Std: nan, Min: nan, Max: nan}
	}
	m := Moments{N: len(xs), Min: slices.Min(xs), Max: slices.Max(xs)}
	var sum, squares compensated
	for _, x := range xs {
		sum.add(x)
	}
	m.Mean = sum.value() / float64(m.N)
	for _, x := range xs {
		squares.add(float64((x - m.Mean) * (x - m.Mean)))
	}
	m.Std = math.Sqrt(squares.value() / float64(m.N))
	return m
}

// compensated is a sum that keeps what rounding takes from it, after Neumaier, Rundungsfehleranalyse einiger
// Verfahren zur Summation endlicher Summen (1974).
type compensated struct{ sum, lost float64 }

func (c *compensated) add(x float64) {
	total := c.sum + x
	if math.Abs(c.sum) >= math.Abs(x) {
		c.lost += (c.sum - total) + x
	} else {
		c.lost += (x - total) + c.sum
	}
	c.sum = total
}

// value is the sum; infinite where it is beyond float64.
func (c *compensated) value() float64 {
	if math.IsInf(c.sum, 0) {
		return c.sum
	}
	return c.sum + c.lost
}

// Verdict is the answer of a rule over seeds.
type Verdict string

// The verdicts. Inconclusive means that the data do not decide, which is neither Pass nor Fail.
const (
	VerdictPass         Verdict = "PASS"
	VerdictWarn         Verdict = "WARN"
	VerdictInconclusive Verdict = "INCONCLUSIVE"
	VerdictFail         Verdict = "FAIL"
)

// Verdicts returns all verdicts from the best to the worst.
func Verdicts() []Verdict {
	return []Verdict{VerdictPass, VerdictWarn, VerdictInconclusive, VerdictFail}
}

// WorstVerdict returns the worst of the verdicts: Fail, then Inconclusive, then Warn, then Pass. It is Inconclusive
// for none at all, because nothing was judged, and counts what is no verdict as Inconclusive.
func WorstVerdict(verdicts ...Verdict) Verdict {
	if len(verdicts) == 0 {
		return VerdictInconclusive
	}
	worst := 0
	for _, v := range verdicts {
		rank := slices.Index(Verdicts(), v)
		if rank < 0 {
			rank = slices.Index(Verdicts(), VerdictInconclusive)
		}
		worst = max(worst, rank)
	}
	return Verdicts()[worst]
}
