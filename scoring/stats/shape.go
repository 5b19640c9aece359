package stats

import (
	"math"

	"track/scoring/numeric"
)

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
