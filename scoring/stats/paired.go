package stats

import (
	"math"

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
