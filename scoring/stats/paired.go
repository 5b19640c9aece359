package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"track/scoring/numeric"
)

// PValues are the p-values of one test against three alternatives; greater means that the first sample, the
// candidate, is.
type PValues struct{ TwoSided, Greater, Less float64 }

// doubled makes the two-sided p twice the smaller tail.
func doubled(greater, less float64) PValues {
	return PValues{TwoSided: min(1, 2*min(greater, less)), Greater: greater, Less: less}
}

// TTest is a comparison of two means.
type TTest struct {
	Method   string // "paired t" or "welch t"
	NA, NB   int    // values in each sample; the number of pairs, twice, where paired
	MeanDiff float64
	SE       float64 // standard error of MeanDiff
	T, DF    float64
	P        PValues
	Interval Interval // of MeanDiff
	Warnings []Warning
}

// Differences returns candidate - baseline for samples joined by seed. What is left of two numbers equal but for
// rounding, at most 4·2⁻⁵² of the larger, becomes exactly 0, so that 0.3 - (0.1 + 0.2) is a tie and not a loss.
func Differences(candidate, baseline []float64) ([]float64, error) {
	if err := checkPairs(candidate, baseline, 1); err != nil {
		return nil, err
	}
	d := make([]float64, len(candidate))
	for i := range d {
		d[i] = candidate[i] - baseline[i]
		switch {
		case !finite(d[i]):
			return nil, errOverflow
		case math.Abs(d[i]) <= rounding(candidate[i], baseline[i]):
			d[i] = 0
		}
	}
	return d, nil
}

// rounding bounds what the rounding of a, of b and of their difference can leave of a difference.
func rounding(a, b float64) float64 { return 4 * 0x1p-52 * max(math.Abs(a), math.Abs(b)) }

func equalButForRounding(d, a, b []float64) bool {
	lo, hi, noise := d[0], d[0], 0.0
	for i := range d {
		lo, hi = min(lo, d[i]), max(hi, d[i])
		noise = max(noise, rounding(a[i], b[i]))
	}
	return hi-lo <= noise
}

// PairedT tests whether the mean of candidate - baseline is 0: t = m/(s/√n) with n-1 degrees of freedom (R
// t.test(paired=TRUE)), with the t interval of the mean difference.
//
// It assumes independent pairs whose mean difference is about normal. Fewer than 2 pairs are ErrTooFew. Differences
// that are all equal, but for rounding, are ErrZeroVariance: report the constant and the p of [SignFlip] instead.
func PairedT(candidate, baseline []float64, confidence float64) (TTest, error) {
	if err := checkPairs(candidate, baseline, 2); err != nil {
		return TTest{}, err
	}
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return TTest{}, err
	}
	d, err := Differences(candidate, baseline)
	if err != nil {
		return TTest{}, err
	}
	if equalButForRounding(d, candidate, baseline) {
		return TTest{}, ErrZeroVariance
	}
	n := float64(len(d))
	m, ss := moments(d)
	t := TTest{Method: "paired t", NA: len(d), NB: len(d), Warnings: smallN(len(d))}
	return t.complete(m, math.Sqrt(ss/(n-1)/n), n-1, confidence)
}

// Pearson is the product-moment correlation of pairs; NaN below 3 pairs, and where a side does not vary.
func Pearson(x, y []float64) float64 {
	if checkPairs(x, y, 3) != nil || constant(x) || constant(y) {
		return math.NaN()
	}
	mx, sx := moments(x)
	my, sy := moments(y)
	sum := 0.0
	for i := range x {
		sum += float64((x[i] - mx) * (y[i] - my))
	}
	if r := sum / math.Sqrt(sx) / math.Sqrt(sy); finite(r) {
		return max(-1, min(1, r))
	}
	return math.NaN()
}

// WelchT tests whether two independent samples, as from different seeds, have the same mean: t = (ma-mb)/√(va/na +
// vb/nb) with the Welch–Satterthwaite degrees of freedom (R t.test).
//
// It assumes independent values and about normal means, not equal variances. Fewer than 2 values on either side are
// ErrTooFew; two constant samples are ErrZeroVariance.
func WelchT(a, b []float64, confidence float64) (TTest, error) {
	if err := checkBoth(a, b, 2); err != nil {
		return TTest{}, err
	}
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return TTest{}, err
	}
	if constant(a) && constant(b) {
		return TTest{}, ErrZeroVariance
	}
	na, nb := float64(len(a)), float64(len(b))
	ma, ssa := moments(a)
	mb, ssb := moments(b)
	va, vb := ssa/(na-1)/na, ssb/(nb-1)/nb
	share := va / (va + vb)
	df := 1 / (float64(share*share/(na-1)) + float64((1-share)*(1-share)/(nb-1)))
	t := TTest{Method: "welch t", NA: len(a), NB: len(b), Warnings: smallN(min(len(a), len(b)))}
	return t.complete(ma-mb, math.Sqrt(va+vb), df, confidence)
}

// WelchInterval is the interval of [WelchT] of the difference b − a of two means, from summaries. It is not defined if
// a side has fewer than 2 values, or if both are constant.
func WelchInterval(a, b Summary, confidence float64) Interval {
	none := noInterval(confidence, MethodWelch)
	if a.N < 2 || b.N < 2 || !finite(a.Mean) || !finite(b.Mean) {
		return none
	}
	na, nb := float64(a.N), float64(b.N)
	va, vb := float64(a.PopulationSD*a.PopulationSD)/(na-1), float64(b.PopulationSD*b.PopulationSD)/(nb-1)
	if !finite(va+vb) || va+vb == 0 || a.Constant && b.Constant {
		return none
	}
	share := va / (va + vb)
	df := 1 / (float64(share*share/(na-1)) + float64((1-share)*(1-share)/(nb-1)))
	half := float64(studentQuantile(confidence, df) * math.Sqrt(va+vb))
	diff := b.Mean - a.Mean
	return Interval{Lo: diff - half, Hi: diff + half, Confidence: confidence, Method: MethodWelch}
}

// complete fills in everything that follows from the mean difference, its standard error and the degrees of freedom.
func (t TTest) complete(diff, se, df, confidence float64) (TTest, error) {
	if !finite(diff) || !finite(se) {
		return TTest{}, errOverflow
	}
	if se == 0 {
		return TTest{}, ErrZeroVariance // squares that underflow
	}
	t.MeanDiff, t.SE, t.T, t.DF = diff, se, diff/se, df
	t.P = doubled(numeric.StudentCDF(-t.T, df), numeric.StudentCDF(t.T, df))
	half := float64(studentQuantile(confidence, df) * se)
	t.Interval = Interval{Lo: diff - half, Hi: diff + half, Confidence: confidence, Method: MethodT}
	return t, nil
}

// ProbImprovement is the probability that the candidate beats the baseline, a tie counting half.
type ProbImprovement struct {
	N                  int // pairs compared
	Wins, Losses, Ties int
	Value              float64    // (Wins + Ties/2) / N
	Decided            Proportion // wins among the pairs that are no tie; its interval is not one of Value where there are ties
}

// NewProbImprovement counts wins, losses and ties seed by seed, and gives the Wilson interval of the share of wins
// among the pairs that are no tie (ties as in [Differences]). With ties only, Decided has N = 0 and no interval. At 5
// wins of 5 the lower end is 0.57.
func NewProbImprovement(candidate, baseline []float64, confidence float64) (ProbImprovement, error) {
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return ProbImprovement{}, err
	}
	d, err := Differences(candidate, baseline)
	if err != nil {
		return ProbImprovement{}, err
	}
	p := ProbImprovement{Decided: undecided(confidence)}
	for _, v := range d {
		p.add(v)
	}
	p.Value = p.value()
	if decided := p.Wins + p.Losses; decided > 0 {
		p.Decided, err = Wilson(p.Wins, decided, confidence)
	}
	return p, err
}

// NewProbImprovementUnpaired compares every candidate value with every baseline value: P(x > y) + P(x = y)/2, the
// Mann–Whitney U over n·m (Vargha & Delaney 2000; rliable's probability of improvement). The n·m pairs are not
// independent, so Decided has no interval.
func NewProbImprovementUnpaired(candidate, baseline []float64) (ProbImprovement, error) {
	if err := checkBoth(candidate, baseline, 1); err != nil {
		return ProbImprovement{}, err
	}
	p := ProbImprovement{Decided: undecided(math.NaN())}
	for _, x := range candidate {
		for _, y := range baseline {
			p.add(x - y)
		}
	}
	p.Value = p.value()
	return p, nil
}

func (p *ProbImprovement) add(difference float64) {
	p.N++
	switch {
	case difference > 0:
		p.Wins++
	case difference < 0:
		p.Losses++
	default:
		p.Ties++
	}
}

func (p *ProbImprovement) value() float64 {
	return (float64(p.Wins) + float64(float64(p.Ties)/2)) / float64(p.N)
}

func undecided(confidence float64) Proportion {
	return Proportion{Value: math.NaN(), Interval: noInterval(confidence, MethodWilson)}
}

// EffectVariant says what a mean difference is divided by.
type EffectVariant string

// The variants.
const (
	EffectDz     EffectVariant = "dz"     // paired: the sd of the differences, n-1 degrees of freedom
	EffectDav    EffectVariant = "dav"    // paired: √((sa²+sb²)/2), n-1 degrees of freedom
	effectPooled EffectVariant = "pooled" // independent: the pooled sd, na+nb-2 degrees of freedom
)

// Effect is a standardised mean difference.
type Effect struct {
	Variant  EffectVariant
	NA, NB   int
	D        float64 // Cohen's d
	G        float64 // Hedges' g, J·D: free of the bias of D
	J        float64 // the correction
	DF       float64
	Warnings []Warning
}

// NewEffect computes Cohen's d of a - b and Hedges' g with the exact correction J = Γ(df/2)/(√(df/2)·Γ((df-1)/2))
// (Hedges 1981; R effectsize; the usual 1 - 3/(4·df-1) is 1.3 % off at df = 2).
//
// g assumes normal values. At df = 1, two pairs, J and so g are 0: d has no expectation there. Fewer than 2 values
// are ErrTooFew (pooled: fewer than 2 on either side); a divisor of 0 is ErrZeroVariance.
func NewEffect(a, b []float64, variant EffectVariant) (Effect, error) {
	divisor, df, err := effectDivisor(a, b, variant)
	if err != nil {
		return Effect{}, err
	}
	diff := meanDifference(a, b)
	switch {
	case divisor == 0:
		return Effect{}, ErrZeroVariance
	case !finite(divisor) || !finite(diff):
		return Effect{}, errOverflow
	}
	d, j := diff/divisor, hedgesJ(df)
	return Effect{
		Variant: variant, NA: len(a), NB: len(b), D: d, G: j * d, J: j, DF: df, Warnings: smallN(min(len(a), len(b))),
	}, nil
}

func effectDivisor(a, b []float64, variant EffectVariant) (divisor, df float64, err error) {
	switch variant {
	case EffectDz:
		divisor, err = differenceSD(a, b)
		return divisor, float64(len(a) - 1), err
	case EffectDav:
		if err := checkPairs(a, b, 2); err != nil {
			return 0, 0, err
		}
		return math.Sqrt((variance(a) + variance(b)) / 2), float64(len(a) - 1), nil
	case effectPooled:
		if err := checkBoth(a, b, 2); err != nil {
			return 0, 0, err
		}
		return pooledSD(a, b), float64(len(a) + len(b) - 2), nil
	}
	return 0, 0, badParam("effect variant %q", variant)
}

// differenceSD returns the sd of a - b; one that is only rounding is 0.
func differenceSD(a, b []float64) (float64, error) {
	if err := checkPairs(a, b, 2); err != nil {
		return 0, err
	}
	d, err := Differences(a, b)
	if err != nil || equalButForRounding(d, a, b) {
		return 0, err
	}
	return sampleSD(d), nil
}

func meanDifference(a, b []float64) float64 {
	ma, _ := moments(a)
	mb, _ := moments(b)
	return ma - mb
}

func variance(xs []float64) float64 {
	_, ss := moments(xs)
	return ss / float64(len(xs)-1)
}

func pooledSD(a, b []float64) float64 {
	_, ssa := moments(a)
	_, ssb := moments(b)
	return math.Sqrt((ssa + ssb) / float64(len(a)+len(b)-2))
}

// hedgesJ is 0 at df = 1, where Γ((df-1)/2) is infinite.
func hedgesJ(df float64) float64 {
	if df == 1 {
		return 0
	}
	return numeric.Exp(numeric.LogGamma(df/2)-numeric.LogGamma((df-1)/2)) / math.Sqrt(df/2)
}

// Alternative says which differences a test looks for.
type Alternative string

// The alternatives.
const (
	TwoSided Alternative = "two-sided"
	oneSided Alternative = "one-sided" // greater
)

// MaxSeeds is the largest number of seeds that [Design.seedsNeeded] answers.
const MaxSeeds = 1_000_000

// PilotUpper is the confidence with which the sd is below the bound that [Design.SeedsFromPilot] plans with.
const PilotUpper = 0.8

// Design is a planned paired t test.
type Design struct {
	Alpha       float64
	Alternative Alternative
	Confirmed   bool // the t test decides only what the sign-flip test, one-sided at alpha/2, confirms; see [SignFlip]
}

// levelTogether is the level at which a t test alone has the power that both tests have together, for normal
// differences; 0 if the sign-flip test cannot reach the level. K of the 2ⁿ signs may be as extreme as the data. That is
// level K/2ⁿ, and the power is that of a t test at a smaller one, by the factor 1 - (n - 2.3)/(10·K^0.73). The factor
// is fitted to simulated power at n = 6 to 12 and K = 2 to 102, and right within 2 points of power.
func (t Design) levelTogether(n int) float64 {
	k, factor := t.extreme(n), 1.0
	if k < 1 {
		return 0
	}
	if n <= ExactSignFlip {
		factor = max(0.1, 1-(float64(n)-2.3)/(10*numeric.Pow(k, 0.73)))
	}
	return min(t.Alpha, t.Alpha*float64(k/(t.side()*signs(n))*factor))
}

// side is the level of the sign-flip test, which is one-sided.
func (t Design) side() float64 {
	if t.Alternative == TwoSided {
		return t.Alpha / 2
	}
	return t.Alpha
}

// extreme is how many of the signs of n differences may be as extreme as the data if the test is to reach its level.
func (t Design) extreme(n int) float64 {
	return math.Floor(float64(t.side() * signs(n) * (1 + 1e-12))) // 1 - confidence may be a little too small
}

// signs is how many signs of n differences are counted, or drawn.
func signs(n int) float64 {
	if n <= ExactSignFlip {
		return math.Ldexp(1, n)
	}
	return nDraws + 1
}

func (t Design) power(dz float64, n int) float64 {
	df, shift := float64(n-1), dz*math.Sqrt(float64(n))
	if t.Confirmed {
		together := t
		together.Alpha, together.Confirmed = t.levelTogether(n), false
		switch {
		case together.Alpha == 0:
			return 0
		case n <= ExactSignFlip && t.extreme(n) == 1: // all differences must have the same sign
			t.Confirmed = false
			return min(t.power(dz, n), numeric.Pow(numeric.NormalCDF(dz), float64(n)))
		}
		return together.power(dz, n)
	}
	critical := studentQuantile(1-t.Alpha, df)
	if t.Alternative == oneSided {
		critical = studentQuantile(1-2*t.Alpha, df)
		return noncentralUpper(critical, df, shift)
	}
	return min(1, noncentralUpper(critical, df, shift)+noncentralUpper(critical, df, -shift))
}

// DetectableDz is the dz that n pairs detect with the given power, the minimal detectable effect: 3.3, 1.7, 1.0, 0.66
// and 0.53 at n = 3, 5, 10, 20 and 30, two-sided at alpha 0.05 with power 0.8. The power must exceed alpha.
func (t Design) DetectableDz(n int, power float64) (float64, error) {
	if err := t.checkTarget(power); err != nil {
		return 0, err
	}
	if n < 2 {
		return 0, TooFewError{Need: 2, Have: n}
	}
	if t.Confirmed && t.levelTogether(n) == 0 {
		return 0, TooFewError{Need: LeastPairs(t.Alpha), Have: n}
	}
	hi := 1.0
	for t.power(hi, n) < power {
		hi *= 2
	}
	return bisect(0, hi, func(dz float64) bool { return t.power(dz, n) < power }), nil
}

// seedsNeeded is the smallest number of pairs, at least 2, that detects dz with the given power. One-sided, dz must
// be positive. More than a million is ErrOutOfRange.
//
// Do not put an observed dz in: its error goes straight into the answer. See [Design.SeedsFromPilot].
func (t Design) seedsNeeded(dz, power float64) (int, error) {
	if err := t.checkTarget(power); err != nil {
		return 0, err
	}
	switch {
	case !finite(dz):
		return 0, fmt.Errorf("dz is %v: %w", dz, errNonFinite)
	case dz == 0 || dz < 0 && t.Alternative == oneSided:
		return 0, badParam("no number of seeds detects dz %v", dz)
	}
	for n := 2; n <= ExactSignFlip; n++ { // more pairs have fewer signs that are counted, and may detect nothing
		if t.power(dz, n) >= power {
			return n, nil
		}
	}
	if t.power(dz, MaxSeeds) < power {
		return 0, fmt.Errorf("more than %d seeds: %w", MaxSeeds, ErrOutOfRange)
	}
	lo, hi := ExactSignFlip, 2*ExactSignFlip // lo is too few
	for t.power(dz, hi) < power {
		lo, hi = hi, min(2*hi, MaxSeeds)
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; t.power(dz, mid) < power {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi, nil
}

// PilotSize says how many pairs an experiment needs that was planned from a pilot.
type PilotSize struct {
	NPilot   int
	SD       float64 // of the pilot's differences
	SDUpper  float64 // its 80 % upper bound, which the plan uses
	Delta    float64 // mean difference to detect
	Dz       float64 // Delta / SDUpper
	N        int     // pairs needed
	Power    float64 // power with N pairs if the sd is SDUpper
	Warnings []Warning
}

// SeedsFromPilot computes the pairs needed to detect a mean difference of delta, from the 80 % upper bound
// s·√((n-1)/χ²(0.2, n-1)) of the sd of a pilot's differences. The sd itself is too small more often than not, and a
// plan from it reaches its power in fewer than half of the cases; with the bound it does in at least 80 %.
//
// It assumes normal differences. Fewer than 2 in the pilot are ErrTooFew; equal ones are ErrZeroVariance.
func (t Design) SeedsFromPilot(pilot []float64, delta, power float64) (PilotSize, error) {
	if err := check(pilot, 2); err != nil {
		return PilotSize{}, err
	}
	if !(delta > 0 && finite(delta)) {
		return PilotSize{}, badParam("delta %v is not a positive number", delta)
	}
	s := sampleSD(pilot)
	switch {
	case s == 0:
		return PilotSize{}, ErrZeroVariance
	case !finite(s):
		return PilotSize{}, errOverflow
	}
	upper := sdBound(s, len(pilot), 1-PilotUpper)
	n, err := t.seedsNeeded(delta/upper, power)
	if err != nil {
		return PilotSize{}, err
	}
	return PilotSize{
		NPilot: len(pilot), SD: s, SDUpper: upper, Delta: delta, Dz: delta / upper,
		N: n, Power: t.power(delta/upper, n), Warnings: smallN(len(pilot)),
	}, nil
}

// SeedsForWidth is the smallest number of values whose t interval of the mean is at most that wide, if their sd is the
// 80 % upper bound of the pilot's. Errors are those of [Design.SeedsFromPilot].
func SeedsForWidth(pilot []float64, width, confidence float64) (size PilotSize, err error) {
	if err := check(pilot, 2); err != nil {
		return size, err
	}
	s := sampleSD(pilot)
	if s == 0 {
		return size, ErrZeroVariance
	}
	upper := sdBound(s, len(pilot), 1-PilotUpper)
	isWide := func(n int) bool {
		return 2*studentQuantile(confidence, float64(n-1))*upper/math.Sqrt(float64(n)) > width
	}
	lo, hi := 1, 2
	for isWide(hi) {
		if lo, hi = hi, 2*hi; lo > MaxSeeds {
			return size, ErrOutOfRange
		}
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; isWide(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return PilotSize{NPilot: len(pilot), SD: s, SDUpper: upper, N: hi, Warnings: smallN(len(pilot))}, nil
}

func (t Design) check() error {
	if err := checkOpenUnit("alpha", t.Alpha); err != nil {
		return err
	}
	switch {
	case t.Alternative != TwoSided && t.Alternative != oneSided:
		return badParam("alternative %q", t.Alternative)
	case t.Alternative == oneSided && t.Alpha >= 0.5:
		return badParam("one-sided alpha %v is not below 0.5", t.Alpha)
	}
	return nil
}

func (t Design) checkTarget(power float64) error {
	if err := t.check(); err != nil {
		return err
	}
	if !(power > t.Alpha && power < 1) {
		return badParam("power %v is not between alpha %v and 1", power, t.Alpha)
	}
	return nil
}

// noncentralUpper is P(T > t) for the noncentral t with df degrees of freedom and noncentrality shift, t > 0, as the
// mean of Φ(shift - t·U) over U = √(χ²/df). The lower tail P(T < -t) is noncentralUpper(t, df, -shift).
//
// Outside [from, to] Φ is 0 or 1 but for 1e-19; U is within 10/√df of 1 but for less than that. Between, the
// integrand is smooth on the scale of the interval, and 112 Gauss points give 1e-13.
func noncentralUpper(t, df, shift float64) float64 {
	from, to := max(0, (shift-9)/t), max(0, (shift+9)/t)
	p := numeric.ChiSquaredCDF(df*from*from, df)
	lo, hi := max(from, 1-10/math.Sqrt(df)), min(to, 1+10/math.Sqrt(df))
	if lo >= hi {
		return p
	}
	logConst := math.Ln2 + float64(df/2*numeric.Log(df/2)) - numeric.LogGamma(df/2)
	p += numeric.Integrate(func(u float64) float64 {
		density := numeric.Exp(logConst + float64((df-1)*numeric.Log(u)) - float64(df*u*u/2))
		return density * numeric.NormalCDF(shift-float64(t*u))
	}, lo, hi, 7)
	return min(1, p)
}

// bisect returns where below stops being true on [lo, hi], to the last bits.
func bisect(lo, hi float64, below func(float64) bool) float64 {
	for range 200 {
		mid := lo + float64((hi-lo)/2)
		if mid == lo || mid == hi {
			break
		}
		if below(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// Adjusted are p-values corrected for their number, in the order they came in.
type Adjusted struct {
	Method string // "holm" or "benjamini-hochberg"
	Alpha  float64
	P      []float64
	Reject []bool // P ≤ Alpha
}

// Holm controls the probability of even one false rejection among all tests, whatever their dependence (Holm 1979; R
// p.adjust): the i-th smallest p is multiplied by m-i+1, made monotone and cut at 1. Use it for a gate: 10 metrics at
// 0.05 each raise 40 % false alarms without. A test that could not be done still counts: pass p = 1, not NaN, which
// is errNonFinite. No tests reject nothing.
func Holm(p []float64, alpha float64) (Adjusted, error) {
	a, order, err := newAdjusted("holm", p, alpha)
	if err != nil {
		return Adjusted{}, err
	}
	largest := 0.0
	for rank, i := range order {
		largest = max(largest, min(1, p[i]*float64(len(p)-rank)))
		a.P[i] = largest
	}
	return a.decide(), nil
}

// newAdjusted checks the inputs and returns the indices of p from the smallest to the largest.
func newAdjusted(method string, p []float64, alpha float64) (Adjusted, []int, error) {
	if err := checkOpenUnit("alpha", alpha); err != nil {
		return Adjusted{}, nil, err
	}
	order := make([]int, len(p))
	for i, v := range p {
		switch {
		case !finite(v):
			return Adjusted{}, nil, fmt.Errorf("p %d is %v: %w", i, v, errNonFinite)
		case v < 0 || v > 1:
			return Adjusted{}, nil, badParam("p %d is %v", i, v)
		}
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	return Adjusted{Method: method, Alpha: alpha, P: make([]float64, len(p)), Reject: make([]bool, len(p))}, order, nil
}

func (a Adjusted) decide() Adjusted {
	for i, p := range a.P {
		a.Reject[i] = p <= a.Alpha
	}
	return a
}
