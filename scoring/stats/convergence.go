package stats

import (
	"math"

	"track/scoring/numeric"
)

// Convergence says how well the mean of an autocorrelated series is known, and whether its beginning still drifts.
type Convergence struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`   // of the values, with n-1
	ESS  float64 `json:"ess"`  // effective sample size of the mean, from 1 to n·log10(n); NaN if all values are equal
	MCSE float64 `json:"mcse"` // Monte Carlo standard error of the mean; 0 if all values are equal
	Drift
}

// Drift is a comparison of the beginning of a series with its second half.
type Drift struct {
	Verdict DriftVerdict `json:"drift"`
	Part    string       `json:"drift_part"` // of the series that differs most: "first half" or "first tenth"; empty if nothing was tested
	Early   float64      `json:"early_mean"` // of that part; NaN if nothing was tested
	Late    float64      `json:"late_mean"`  // of the second half
	Z       float64      `json:"z"`          // (Late - Early) over its standard error
	DF      float64      `json:"df"`         // of Student's t that Z is compared with
	P       float64      `json:"p"`          // two-sided, corrected for two tests
}

// DriftVerdict is what a comparison found.
type DriftVerdict string

// The verdicts.
const (
	Drifts     DriftVerdict = "drifts"
	noDrift    DriftVerdict = "no drift seen"
	TooShort   DriftVerdict = "too short" // for its autocorrelation
	isConstant DriftVerdict = "constant"
)

// The parts that are compared with the second half.
const (
	firstHalf  = "first half"
	firstTenth = "first tenth"
)

const (
	leastForDrift  = 20     // values
	leastDriftDF   = 5      // degrees of freedom of the variance of a mean
	driftAlpha     = 0.05   // of a verdict
	mostCovariance = 50_000 // values of which autocovariances are computed; longer series are averaged in blocks first
)

// NewConvergence returns the effective sample size and the Monte Carlo standard error of the mean of a stationary
// series in order of time, and tests whether it is stationary. xs has at least 4 finite values.
//
// The variance of the mean is that of Geyer's initial monotone sequence of autocovariances (Geyer, Statistical Science
// 7, 1992, section 3.3; the autocorrelations of Vehtari et al., Bayesian Analysis 16, 2021, equations 10 and 11, for
// one chain), ESS is n·s²/that, at most n·log10(n) as there. For AR(1) with coefficient φ it estimates
// n(1-φ)/(1+φ).
//
// [Drift] is Geweke's diagnostic (1992): the mean of the first tenth, and that of the first half, against that of the
// second half; the variance of a mean comes from the second half alone, so that a transient does not hide itself. With
// K lags used it has n/2/(2K+1) - 1 degrees of freedom, it is divided by 1 - (2K+1)/(n/2) for the mean that was taken
// off, and z is compared with Student's t. Below 5 degrees of freedom the verdict is [TooShort]. A drift is called at p
// < 0.05, twice the smaller p of both tests. On simulated AR(1) with φ up to 0.95 and 50 to 600 values, at most about 5
// % of the series raise a false alarm; at φ = 0.98 and 0.99 too, where most are too short. That does not hold for
// cycles about as long as the series, and for random walks, whose halves do differ.
func NewConvergence(xs []float64) (c Convergence, err error) {
	if err := check(xs, 4); err != nil {
		return c, err
	}
	m, ss := moments(xs)
	if !finite(ss) {
		return c, errOverflow
	}
	n := float64(len(xs))
	c = Convergence{N: len(xs), Mean: m, SD: math.Sqrt(ss / (n - 1)), ESS: math.NaN(), Drift: untested(TooShort)}
	if constant(xs) || ss == 0 {
		c.Verdict = isConstant
		return c, nil
	}
	blocks, size := inBlocks(xs)
	v := initialSequence(blocks)
	c.ESS = min(float64(n*(numeric.Log(n)/math.Ln10)), ss/n/(v.longRun*float64(size))*n)
	c.ESS = max(1, c.ESS)
	c.MCSE = c.SD / math.Sqrt(c.ESS)
	c.Drift = newDrift(xs)
	return c, nil
}

func untested(v DriftVerdict) Drift {
	return Drift{Verdict: v, Early: math.NaN(), Late: math.NaN(), Z: math.NaN(), DF: math.NaN(), P: math.NaN()}
}

// newDrift compares the beginning of a series with its second half.
func newDrift(xs []float64) Drift {
	n := len(xs)
	late := xs[n/2:]
	if n < leastForDrift {
		return untested(TooShort)
	}
	blocks, size := inBlocks(late)
	v := initialSequence(blocks)
	width := float64(2*v.lags + 1)
	d := untested(TooShort)
	d.DF = float64(len(blocks))/width - 1
	if d.DF < leastDriftDF {
		return d
	}
	longRun := v.longRun * float64(size) / (1 - width/float64(len(blocks)))
	d.P, d.Late = math.Inf(1), meanOf(late)
	for _, part := range []struct {
		name string
		xs   []float64
	}{{firstTenth, xs[:n/10]}, {firstHalf, xs[:n/2]}} {
		early := meanOf(part.xs)
		se := math.Sqrt(longRun * (1/float64(len(part.xs)) + 1/float64(len(late))))
		z := (d.Late - early) / se
		if se == 0 { // the second half is constant
			z = math.Copysign(math.Inf(1), d.Late-early)
		}
		if p := min(1, 2*2*numeric.StudentCDF(-math.Abs(z), d.DF)); p < d.P && d.Late != early {
			d.Part, d.Early, d.Z, d.P = part.name, early, z, p
		}
	}
	switch {
	case d.Part == "":
		return untested(noDrift)
	case d.P < driftAlpha:
		d.Verdict = Drifts
	default:
		d.Verdict = noDrift
	}
	return d
}

// SkipFor returns the smallest number of values to leave out at the beginning after which no drift is seen: tenths of
// the series, up to half of it. It returns 0 if no drift is seen now, and -1 if half is not enough.
func SkipFor(xs []float64) int {
	for tenths := range 6 {
		from := len(xs) / 10 * tenths
		if d := newDrift(xs[from:]); d.Verdict != Drifts {
			if d.Verdict == TooShort && tenths > 0 {
				return -1
			}
			return from
		}
	}
	return -1
}

// inBlocks returns the means of blocks of equal size, of a series that is too long to compute many autocovariances of;
// the rest at the end is left out.
func inBlocks(xs []float64) (blocks []float64, size int) {
	size = (len(xs) + mostCovariance - 1) / mostCovariance
	if size <= 1 {
		return xs, 1
	}
	for from := 0; from+size <= len(xs); from += size {
		blocks = append(blocks, meanOf(xs[from:from+size]))
	}
	return blocks, size
}

func meanOf(xs []float64) float64 {
	m, _ := moments(xs)
	return m
}

// longRunVariance is n times the variance of the mean of n values.
type longRunVariance struct {
	longRun float64
	lags    int // of the autocovariances that it sums
}

// initialSequence sums autocovariances in pairs of lags, (0, 1), (2, 3), …, as long as the sum of a pair is above 0,
// each pair at most as large as the one before.
func initialSequence(xs []float64) (v longRunVariance) {
	m := meanOf(xs)
	deviations := make([]float64, len(xs))
	for i, x := range xs {
		deviations[i] = x - m
	}
	variance := autocovariance(deviations, 0)
	sum, before := 0.0, math.Inf(1)
	for lag := 0; lag+1 < len(xs)/2; lag += 2 {
		first := variance
		if lag > 0 {
			first = autocovariance(deviations, lag)
		}
		pair := min(before, first+autocovariance(deviations, lag+1))
		if pair <= 0 {
			break
		}
		sum += pair
		before, v.lags = pair, lag+1
	}
	v.longRun = max(float64(2*sum)-variance, variance/float64(len(xs)))
	return v
}

// autocovariance divides by n at every lag.
func autocovariance(deviations []float64, lag int) float64 {
	sum := 0.0
	for i, d := range deviations[lag:] {
		sum += float64(deviations[i] * d)
	}
	return sum / float64(len(deviations))
}

// DriftOverSeeds is the comparison of [NewConvergence] for one series of several independent seeds: the t test, over
// seeds, of the difference between the mean of the second half and that of the first tenth, or of the first half. No
// autocorrelation needs to be estimated. Series with fewer than 20 values are left out; below 3 others nothing is
// tested.
func DriftOverSeeds(seeds [][]float64) (d Drift, n int) {
	tenths, halves, late := []float64{}, []float64{}, []float64{}
	for _, xs := range seeds {
		if len(xs) >= leastForDrift && check(xs, 1) == nil {
			tenths = append(tenths, meanOf(xs[:len(xs)/10]))
			halves = append(halves, meanOf(xs[:len(xs)/2]))
			late = append(late, meanOf(xs[len(xs)/2:]))
		}
	}
	const leastSeeds = 3
	d = untested(TooShort)
	if n = len(late); n < leastSeeds {
		return d, n
	}
	d = Drift{Verdict: noDrift, Early: math.NaN(), Late: meanOf(late), DF: float64(n - 1), P: 1, Z: 0}
	for _, part := range []struct {
		name  string
		means []float64
	}{{firstTenth, tenths}, {firstHalf, halves}} {
		differences := make([]float64, n)
		for i := range late {
			differences[i] = late[i] - part.means[i]
		}
		m, ss := moments(differences)
		if ss == 0 {
			continue // seeds that do not differ say nothing about others
		}
		z := m / math.Sqrt(ss/float64(n-1)/float64(n))
		if p := min(1, 2*2*numeric.StudentCDF(-math.Abs(z), d.DF)); d.Part == "" || p < d.P {
			d.Part, d.Early, d.Z, d.P = part.name, meanOf(part.means), z, p
		}
	}
	if d.P < driftAlpha {
		d.Verdict = Drifts
	}
	return d, n
}

// shape returns the skewness and the kurtosis of values that are not all equal; both 0 where squares underflow.
func shape(xs []float64, mean float64) (skewness, kurtosis float64) {
	var m2, m3, m4 float64
	for _, x := range xs {
		d := x - mean
		square := float64(d * d)
		m2 += square
		m3 += float64(square * d)
		m4 += float64(square * square)
	}
	n := float64(len(xs))
	skewness, kurtosis = float64(m3*math.Sqrt(n))/float64(m2*math.Sqrt(m2)), float64(m4*n)/float64(m2*m2)
	if !finite(skewness) || !finite(kurtosis) {
		return 0, 0
	}
	return skewness, kurtosis
}

// excessFactor is how many times the excess kurtosis of the values the intervals of a standard deviation take: samples
// show less of it than their distribution has. Simulations of exponential tails chose this factor, and the others of
// this file (docs/reference/simulations.md).
const excessFactor = 3.0

// skewnessOf returns what the bounds of a mean take for the skewness of low scores, from the skewness g of n scores:
// the fewer they are, the less of it they show. Of fewer than 16 scores it is not 0 if they show none.
func skewnessOf(g, n float64) float64 { return max(0, hiddenSkewness(n), -float64(min(4, 1.5+28/n)*g)) }

// hiddenSkewness is what n scores can have without showing it.
func hiddenSkewness(n float64) float64 { return (16 - n) / 4 }

// hiddenExcess is the excess kurtosis that n scores can have without showing it.
func hiddenExcess(n float64) float64 { return max(0, 5.8-9.4/math.Sqrt(n)) }

// MeanAtLeast returns the interval from a one-sided lower bound of the mean of scores to 1: the t bound m - t·s/√n, and
// if low scores are skewed, or so few that they may be, a bound further down:
//
//	m - (t + g·(1 + 2t²)/(6√n))·s/√n
//
// g is 1.5 + 28/n times, at most 4 times, the skewness -G1 of the sample (Joanes & Gill 1998), and at least (16 - n)/4.
// With g = -G1 it is the first term of the expansion by Johnson, Modified t tests and confidence intervals for
// asymmetrical populations (1978), J. Am. Stat. Assoc. 73, 536-544. It assumes that the scores show their tail. It is
// not defined below two scores.
func (s Summary) MeanAtLeast(confidence float64) Interval {
	i := s.TMeanAtLeast(confidence)
	if a := s.skewnessTerm(); a > 0 && i.Defined() {
		t := -numeric.StudentQuantile(1-confidence, float64(s.N-1))
		i.Lo, i.Method = i.Lo-float64(a*(1+float64(2*t*t))*s.SD()/math.Sqrt(float64(s.N))), MethodTSkewed
	}
	return i.within(0, 1)
}

// MeanAtMost returns the interval from 0 to a one-sided upper bound, the mirror image of [Summary.MeanAtLeast].
func (s Summary) MeanAtMost(confidence float64) Interval {
	i := s.mirrored().MeanAtLeast(confidence)
	i.Lo, i.Hi = 1-i.Hi, 1-i.Lo
	return i
}

// mirrored is the summary of 1 - x.
func (s Summary) mirrored() Summary {
	s.Mean, s.Skewness = 1-s.Mean, -s.Skewness
	return s
}

// TMeanAtLeast is [Summary.MeanAtLeast] without regard to the skewness.
func (s Summary) TMeanAtLeast(confidence float64) Interval {
	i := s.MeanInterval(2*confidence - 1)
	i.Hi, i.Confidence = 1, confidence
	if !i.Defined() {
		i.Hi = math.NaN()
	}
	return i
}

// skewnessTerm is what [skewnessOf] the scores gives, over 6√n; 0 if it is not known.
func (s Summary) skewnessTerm() float64 {
	if s.N < 3 || s.Constant {
		return 0
	}
	n := float64(s.N)
	return skewnessOf(s.sampleSkewness(), n) / float64(6*math.Sqrt(n))
}

// sampleSkewness is G1 of Joanes and Gill (1998).
func (s Summary) sampleSkewness() float64 {
	n := float64(s.N)
	return float64(s.Skewness*math.Sqrt(n*(n-1))) / (n - 2)
}

// ShowsSkewness reports whether the scores show more skewness to the left than [Summary.MeanAtLeast] takes them to
// hide.
func (s Summary) ShowsSkewness() bool {
	n := float64(s.N)
	return s.N >= 3 && skewnessOf(s.sampleSkewness(), n) > max(0, hiddenSkewness(n))
}

// PMeanAtLeast is the one-sided p-value of "the mean is at least x": 1 minus the confidence at which
// [Summary.MeanAtMost] is x. NaN below two values. If the values do not vary it is 0 or 1.
func (s Summary) PMeanAtLeast(x float64) float64 {
	switch {
	case s.N < 2:
		return math.NaN()
	case s.Constant || s.PopulationSD == 0: // equal values may have a sd that is left of rounding
		return certain(s.Mean >= x)
	}
	t := (x - s.Mean) / (s.SD() / math.Sqrt(float64(s.N)))
	if a := s.mirrored().skewnessTerm(); a > 0 { // the u with t = u + a·(1 + 2u²)
		root := 1 + float64(8*a*(t-a))
		if root < 0 {
			return 1
		}
		t = (math.Sqrt(root) - 1) / float64(4*a)
	}
	return numeric.StudentCDF(-t, float64(s.N-1))
}

// IsGapped reports whether almost all of the spread lies between two groups of scores, the smaller one below:
// Sarle's coefficient (skewness² + 1)/kurtosis is above 0.9; it is 1 if there are only two different scores (Pearson
// 1916). Uniform scores have 0.56, normal ones 0.33.
func (s Summary) IsGapped() bool {
	return s.N >= SmallN && s.Kurtosis > 0 && s.Skewness < 0 && float64(s.Skewness*s.Skewness)+1 > 0.9*s.Kurtosis
}

// IsSaturated reports whether more than a fifth of the scores are exactly 0 or 1.
func (s Summary) IsSaturated() bool {
	return s.N > 0 && float64(s.NSaturated)/float64(s.N) > maxSaturated
}

// ScoreInterval returns an interval of the mean of scores, within [0, 1]: the t interval, cut if it extends beyond. Of
// fewer than 5 scores, and of equal ones, it is that of Markov's inequality, which is valid for every distribution: n
// scores of mean m are all at least x with probability at most (m/x)ⁿ, so m is at least min·(α/2)^(1/n), and from above
// likewise. It is not defined below two scores.
func (s Summary) ScoreInterval(confidence float64) Interval {
	if s.N < 2 || !finite(s.Mean) {
		return noInterval(confidence, MethodT)
	}
	if s.N >= SmallN && !s.Constant {
		return s.MeanInterval(confidence).within(0, 1)
	}
	tail := float64((1 - confidence) / 2)
	return Interval{Lo: s.markovLower(tail), Hi: s.markovUpper(tail), Confidence: confidence, Method: MethodMarkov}
}

// MarkovAtLeast returns the interval from the lower bound of Markov's inequality to 1; see [Summary.ScoreInterval].
func (s Summary) MarkovAtLeast(confidence float64) Interval {
	return Interval{Lo: s.markovLower(1 - confidence), Hi: 1, Confidence: confidence, Method: MethodMarkov}
}

// MarkovAtMost returns the interval from 0 to the upper bound of Markov's inequality.
func (s Summary) MarkovAtMost(confidence float64) Interval {
	return Interval{Lo: 0, Hi: s.markovUpper(1 - confidence), Confidence: confidence, Method: MethodMarkov}
}

func (s Summary) markovLower(tail float64) float64 {
	return float64(max(0, s.Min) * numeric.Pow(tail, 1/float64(s.N)))
}

func (s Summary) markovUpper(tail float64) float64 {
	return 1 - float64(max(0, 1-s.Max)*numeric.Pow(tail, 1/float64(s.N)))
}

// SDInterval returns the chi-square interval of the standard deviation with degrees of freedom that fit the kurtosis of
// the values: 2n/(k - (n-3)/(n-1)), n-1 for normal values (Box 1953; Shoemaker 2003, Fixing the F test for equal
// variances). k is 3 plus three times the excess kurtosis G2 of Joanes and Gill (1998), and at least 3: intervals are
// never narrower than for normal values, which [NewSD] has. It assumes that the values show their tail. It is not
// defined below two values.
func (s Summary) SDInterval(confidence float64) Interval {
	i := noInterval(confidence, MethodAdjusted)
	if s.Kurtosis == 0 {
		i.Method = methodChiSquare
	}
	if s.N < 2 || !finite(s.PopulationSD) {
		return i
	}
	tail := float64((1 - confidence) / 2)
	i.Lo, i.Hi = chiSquareBound(s.SD(), s.sdFreedom(), 1-tail), chiSquareBound(s.SD(), s.sdFreedom(), tail)
	return i
}

// ScoreSDInterval is [Summary.SDInterval] for scores in [0, 1], whose standard deviation is at most 0.5. Of fewer than
// 5 scores, and of equal ones, nothing more than that is known. It is not defined below two scores.
func (s Summary) ScoreSDInterval(confidence float64) Interval {
	if s.N >= 2 && (s.N < SmallN || s.Constant) {
		return Interval{Lo: 0, Hi: 0.5, Confidence: confidence, Method: MethodRange}
	}
	return s.SDInterval(confidence).within(0, 0.5)
}

// SDAtMost returns the interval from 0 to a one-sided upper bound of the standard deviation of scores, by chi-square
// with the degrees of freedom of [Summary.SDInterval], where k is 3 plus G2, or plus 5.8 - 9.4/√n if that is more: so
// much excess n scores can have without showing it. Of fewer than 5 scores, and of equal ones, it is 0.5.
func (s Summary) SDAtMost(confidence float64) Interval {
	i := s.ScoreSDInterval(2*confidence - 1)
	if i.Confidence = confidence; !i.Defined() || i.Method == MethodRange {
		return i
	}
	n := float64(s.N)
	i.Lo, i.Hi = 0, chiSquareBound(s.SD(), boxFreedom(n, max(s.excess(), hiddenExcess(n))), 1-confidence)
	return i.within(0, 0.5)
}

// sdFreedom returns the degrees of freedom of the squared deviations.
func (s Summary) sdFreedom() float64 {
	n := float64(s.N)
	if s.N <= 3 || s.Kurtosis == 0 {
		return n - 1
	}
	return boxFreedom(n, float64(excessFactor*max(0, s.excess())))
}

// boxFreedom is the number of degrees of freedom for an excess kurtosis.
func boxFreedom(n, excess float64) float64 { return max(1, 2*n/(3+excess-(n-3)/(n-1))) }

// excess is the excess kurtosis G2 of Joanes and Gill (1998); 0 if it is not known.
func (s Summary) excess() float64 {
	n := float64(s.N)
	if s.N <= 3 || s.Kurtosis == 0 {
		return 0
	}
	return (n - 1) / float64((n-2)*(n-3)) * (float64((n+1)*(s.Kurtosis-3)) + 6)
}

// PSDAtMost is the one-sided p-value of "the standard deviation is at most x", by the chi-square test with the degrees
// of freedom of [Summary.SDInterval]; NaN below two values.
func (s Summary) PSDAtMost(x float64) float64 {
	switch {
	case s.N < 2:
		return math.NaN()
	case x == 0:
		return certain(s.Constant || s.PopulationSD == 0)
	}
	ratio, df := s.SD()/x, s.sdFreedom()
	return numeric.ChiSquaredSurvival(df*ratio*ratio, df)
}
