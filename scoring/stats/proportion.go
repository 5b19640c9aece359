package stats

import (
	"math"
	"slices"

	"track/scoring/numeric"
)

// Proportion is K successes in N trials with an interval of the underlying rate.
type Proportion struct {
	K, N     int
	Value    float64 // K/N
	Interval Interval
	Warnings []Warning
}

// Wilson computes the score interval (k + z²/2 ± z·√(k(n-k)/n + z²/4))/(n + z²) without continuity correction (Wilson
// 1927; R prop.test(correct=FALSE)). The lower end is exactly 0 at k = 0, the upper exactly 1 at k = n.
//
// It covers its confidence on average over the rates, and is usable at any n: 5 of 5 has a lower end of 0.57. No
// trials are ErrEmpty.
func Wilson(k, n int, confidence float64) (Proportion, error) {
	p, err := newProportion(k, n, confidence, MethodWilson)
	if err != nil {
		return Proportion{}, err
	}
	z := normalQuantile(confidence)
	kf, nf, z2 := float64(k), float64(n), float64(z*z)
	centre := (kf + float64(z2/2)) / (nf + z2)
	half := float64(z / (nf + z2) * math.Sqrt(kf*float64(n-k)/nf+float64(z2/4)))
	p.Interval.Lo, p.Interval.Hi = max(0, centre-half), min(1, centre+half)
	if k == 0 {
		p.Interval.Lo = 0
	}
	if k == n {
		p.Interval.Hi = 1
	}
	return p, nil
}

// ClopperPearsonEnds computes the exact one-sided bounds of both sides. Each end holds by itself with the stated
// confidence: the rate is at least Lo, and at most Hi. 59 of 59 are the fewest that show a rate of at least 95 % with
// 95 % confidence.
func ClopperPearsonEnds(k, n int, confidence float64) (Proportion, error) {
	p, err := newProportion(k, n, confidence, MethodClopperEnds)
	if err != nil {
		return Proportion{}, err
	}
	p.Interval.Lo, p.Interval.Hi = clopperLower(k, n, 1-confidence), 1-clopperLower(n-k, n, 1-confidence)
	return p, nil
}

func newProportion(k, n int, confidence float64, method string) (Proportion, error) {
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return Proportion{}, err
	}
	switch {
	case n < 0 || k < 0 || k > n:
		return Proportion{}, badParam("%d of %d", k, n)
	case n == 0:
		return Proportion{}, ErrEmpty
	}
	return Proportion{
		K: k, N: n, Value: float64(k) / float64(n),
		Interval: Interval{Confidence: confidence, Method: method}, Warnings: smallN(n),
	}, nil
}

// clopperLower is the rate at which k or more of n successes have probability tail.
func clopperLower(k, n int, tail float64) float64 {
	if k == 0 {
		return 0
	}
	return numeric.BetaQuantile(tail, float64(k), float64(n-k+1))
}

// SeedsForPassRate is the number of trials from which on the one-sided lower bound of Clopper and Pearson reaches a
// limit with the given power, if trials succeed at a rate. The power of this exact test falls and rises with the
// number: here it has fallen for the last time. Beyond [MaxSeeds] the error is ErrOutOfRange, as at a rate that is not
// above the limit.
func SeedsForPassRate(rate, limit, confidence, power float64) (int, error) {
	if !(rate > limit) {
		return 0, ErrOutOfRange
	}
	for failed, n := 0, leastTrials(0, 1, limit, confidence); n <= MaxSeeds; failed++ {
		next := leastTrials(failed+1, n, limit, confidence)
		if BinomialAtMost(failed, next-1, 1-rate) >= power {
			return n, nil
		}
		n = next
	}
	return 0, ErrOutOfRange
}

// leastTrials is the smallest number of trials, from least on, that shows a success rate although some of them failed.
func leastTrials(failed, least int, limit, confidence float64) int {
	shows := func(n int) bool { return n > failed && BinomialAtMost(failed, n, 1-limit) <= 1-confidence }
	lo, hi := least-1, 2*least
	for !shows(hi) {
		if lo, hi = hi, 2*hi; lo > MaxSeeds {
			return hi
		}
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; shows(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// BinomialAtMost is P(X ≤ k) for X of n trials with success rate p: the one-sided p-value of "the rate is at least p"
// when k succeeded. It is the counterpart of [ClopperPearson]. k must be 0 to n, and p 0 to 1.
func BinomialAtMost(k, n int, p float64) float64 {
	switch {
	case k >= n || p <= 0:
		return 1
	case p >= 1:
		return 0
	}
	return numeric.BetaCDF(1-p, float64(n-k), float64(k+1))
}

// betLimit is the share of the capital that is at risk at most (c of Waudby-Smith & Ramdas).
const betLimit = 0.5

// bettingBound returns the smallest m at which betting on more than m has not multiplied the capital by the
// threshold. The capital falls in m.
func bettingBound(xs, bets []float64, logThreshold float64) float64 {
	if !(logCapital(xs, bets, 0x1p-1000) > logThreshold) {
		return 0
	}
	return bisect(0, 1, func(m float64) bool { return logCapital(xs, bets, m) > logThreshold })
}

func logCapital(xs, bets []float64, m float64) float64 {
	sum := 0.0
	for i, x := range xs {
		sum += numeric.Log1p(min(bets[i], betLimit/m) * (x - m))
	}
	return sum
}

// predictableBets returns λ_t = √(2·ln(1/alpha)/(σ̂²_{t-1}·t·ln(t+1))), at most limit. Each depends on the scores
// before it only; mean and variance start from one made-up observation of 1/2 with variance 1/4.
func predictableBets(xs []float64, alpha, limit float64) []float64 {
	bets := make([]float64, len(xs))
	sum, squares, variance := 0.5, 0.25, 0.25
	for i, x := range xs {
		t := float64(i + 1)
		bets[i] = min(limit, math.Sqrt(2*numeric.Log(1/alpha)/(variance*t*numeric.Log(1+t))))
		sum += x
		mean := sum / (t + 1)
		squares += float64((x - mean) * (x - mean))
		variance = squares / (t + 1)
	}
	return bets
}

// checkSequence reports scores outside [0, 1] and an unusable confidence. No scores are a sequence too.
func checkSequence(scores []float64, confidence float64) error {
	if err := checkOpenUnit("confidence", confidence); err != nil || len(scores) == 0 {
		return err
	}
	return checkScores(scores, 1)
}

func mirror(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = 1 - x
	}
	return out
}

// BettingInterval returns the interval for the mean of scores in [0, 1] by betting (Waudby-Smith & Ramdas 2024). It
// is valid at any time: one may compute it after every score and stop whenever one likes. It takes time linear in the
// number of scores, and is [0, 1] for none.
func BettingInterval(scores []float64, confidence float64) (Interval, error) {
	if err := checkSequence(scores, confidence); err != nil {
		return Interval{}, err
	}
	i := Interval{Lo: 0, Hi: 1, Confidence: confidence, Method: methodBetting}
	if len(scores) == 0 {
		return i, nil
	}
	threshold := numeric.Log(2 / (1 - confidence))
	bets := predictableBets(scores, (1-confidence)/2, math.Inf(1))
	i.Lo, i.Hi = bettingBound(scores, bets, threshold), 1-bettingBound(mirror(scores), bets, threshold)
	return i, nil
}

// BoundedMeanP tests whether the mean of values that are at most largest is below limit: the p-value of "the mean is
// limit or more". It is the probability that Σ wᵢ xᵢ, with largest as one value more and weights uniform on the
// simplex, reaches limit (Gaffke 2005, Three test statistics for a nonparametric one-sided hypothesis on the mean of a
// nonnegative variable; Learned-Miller & Thomas 2019, arXiv:1905.06208).
//
// It assumes nothing but independent values of at most largest. For values of two sizes it is the test of Clopper and
// Pearson: n values of 0, with largest 1, have p = (1-limit)ⁿ. For others its level is proven for n = 1 only, and
// conjectured: no distribution is known for which it errs. Lowering a value never raises p, and the order of the values
// does not matter.
func BoundedMeanP(xs []float64, largest, limit float64) (float64, error) {
	if err := checkAtMost(xs, largest); err != nil {
		return 0, err
	}
	if !finite(limit) {
		return 0, badParam("limit %v is not a finite number", limit)
	}
	return simplexTail(xs, largest, limit), nil
}

// BoundedMeanUpper returns the interval from lowest to the limit at which [BoundedMeanP] is 1 - confidence: the mean is
// below Hi with the stated confidence. With n values of 0 and largest 1, Hi is 1 - (1-confidence)^(1/n).
func BoundedMeanUpper(xs []float64, lowest, largest, confidence float64) (Interval, error) {
	if err := checkAtMost(xs, largest); err != nil {
		return Interval{}, err
	}
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return Interval{}, err
	}
	if slices.Min(xs) == slices.Max(xs) { // p is ((largest - limit) / (largest - x))ⁿ
		hi := largest - float64((largest-xs[0])*numeric.Pow(1-confidence, 1/float64(len(xs))))
		return Interval{Lo: lowest, Hi: hi, Confidence: confidence, Method: MethodBoundedMean}, nil
	}
	const least = 1e-12 // of p: far beyond the root a smaller one only slows the search
	mean, _ := moments(xs)
	logAlpha := numeric.Log(1 - confidence)
	hi := crossing(mean, largest, func(limit float64) float64 {
		return numeric.Log(max(least, simplexTail(xs, largest, limit))) - logAlpha
	})
	return Interval{Lo: lowest, Hi: hi, Confidence: confidence, Method: MethodBoundedMean}, nil
}

// crossing returns where a falling f crosses 0 between lo and hi, from the right, by the Illinois rule (Dowell &
// Jarratt 1971): the secant, with half of the value at an end that stays.
func crossing(lo, hi float64, f func(float64) float64) float64 {
	fLo, fHi, stayed := f(lo), f(hi), 0
	if !(fLo > 0) {
		return lo
	}
	for step := 0; step < 60 && hi-lo > 1e-7; step++ {
		at := lo + float64((hi-lo)*(fLo/(fLo-fHi)))
		if step%4 == 3 || !(at > lo && at < hi) {
			at = lo + float64((hi-lo)/2)
		}
		y := f(at)
		if y > 0 {
			lo, fLo, stayed = at, y, max(stayed, 0)+1
		} else {
			hi, fHi, stayed = at, y, min(stayed, 0)-1
		}
		if stayed > 1 {
			fHi /= 2
		}
		if stayed < -1 {
			fLo /= 2
		}
	}
	return hi
}

func checkAtMost(xs []float64, largest float64) error {
	if err := check(xs, 1); err != nil {
		return err
	}
	for i, x := range xs {
		if x > largest {
			return badParam("value %d is %v, above %v", i, x, largest)
		}
	}
	return nil
}

// simplexTail is P(Σ Eᵢ aᵢ ≥ 0) for independent exponential Eᵢ, with aᵢ = xᵢ - limit for all values and largest.
func simplexTail(xs []float64, largest, limit float64) float64 {
	a := make([]float64, len(xs)+1)
	lo, hi, sum := largest-limit, largest-limit, largest-limit
	a[len(xs)] = largest - limit
	for i, x := range xs {
		a[i] = x - limit
		lo, hi, sum = min(lo, a[i]), max(hi, a[i]), sum+a[i]
	}
	_, exponent := math.Frexp(max(hi, -lo))
	for i, v := range a { // p is that of any multiple; squares of these stay within float64
		a[i] = math.Ldexp(v, -exponent)
	}
	lo, hi = math.Ldexp(lo, -exponent), math.Ldexp(hi, -exponent)
	switch {
	case hi <= 0:
		return 0
	case lo >= 0:
		return 1
	case sum > 0: // its mean is above 0: the lower tail is the smaller one
		for i := range a {
			a[i] = -a[i]
		}
		return 1 - weightedTail(a, -lo)
	}
	return weightedTail(a, hi)
}

// weightedTail is P(Σ Eᵢ aᵢ > 0) where the sum of a is not above 0 and the largest of them is hi > 0. It integrates the
// moment generating function Π 1/(1 - s·aᵢ) over s along the vertical line through its saddle point, by the trapezoid
// rule after t = width·sinh(u), halving the step until the result stays the same.
func weightedTail(a []float64, hi float64) float64 {
	if most := float64(hi*float64(len(a))) / -slices.Min(a); most < 1e-17 { // Σ Eᵢ hi reaches one of the others no more often
		return most
	}
	saddle := saddlePoint(a, hi)
	logAt, curvature := 0.0, 1/float64(saddle*saddle)
	c := make([]float64, len(a))
	for i, v := range a {
		rest := 1 - float64(saddle*v)
		c[i] = v / rest
		logAt -= numeric.Log(rest)
		curvature += float64(c[i] * c[i])
	}
	if logAt < -40 { // p is below 1e-17: its size is enough
		return numeric.Exp(logAt)
	}
	width := min(saddle, 1/hi-saddle, 1.5/math.Sqrt(curvature))
	at := func(u float64) (value, size float64) {
		grow := numeric.Exp(u)
		t, slope := float64(width*(grow-1/grow)/2), float64(width*(grow+1/grow)/2)
		re, im := transform(c, t)
		norm := float64(saddle*saddle) + float64(t*t)
		return slope * (float64(re*saddle) + float64(im*t)) / norm, slope * (math.Abs(re) + math.Abs(im)) / math.Sqrt(norm)
	}
	value, size := at(0)
	sum, step, reach := value/2, 0.25, 0.0
	for ; size > 1e-11*width/saddle && reach < 16; sum += value {
		reach += step
		value, size = at(reach)
	}
	for previous := math.NaN(); step > 0.25/64 && !(math.Abs(float64(step*sum)-previous) <= 1e-8*math.Abs(previous)); step /= 2 {
		previous = float64(step * sum)
		for u := step / 2; u < reach; u += step {
			value, _ = at(u)
			sum += value
		}
	}
	return min(1, max(0, float64(step*sum*numeric.Exp(logAt)/math.Pi)))
}

// saddlePoint is the s in (0, 1/hi) at which Π 1/(1 - s·aᵢ) / s is smallest.
func saddlePoint(a []float64, hi float64) float64 {
	slope := func(s float64) float64 {
		sum := -1 / s
		for _, v := range a {
			sum += v / (1 - float64(s*v))
		}
		return sum
	}
	lo, top := 0.0, 1/hi
	for range 40 {
		mid := lo + float64((top-lo)/2)
		if slope(mid) < 0 {
			lo = mid
		} else {
			top = mid
		}
	}
	return lo + float64((top-lo)/2)
}

// transform is Π 1/(1 - i·t·cᵢ).
func transform(c []float64, t float64) (re, im float64) {
	re = 1
	for _, v := range c {
		tc := float64(t * v)
		q := 1 + float64(tc*tc)
		re, im = (re-float64(im*tc))/q, (im+float64(re*tc))/q
		if re == 0 && im == 0 {
			return 0, 0
		}
	}
	return re, im
}

// FisherExact returns the two-sided p-value of Fisher's exact test (Fisher 1935; R fisher.test): k of n have a
// property, and all of size together. It is the probability of the tables with these margins that are no more probable
// than the observed one. k must be from 0 to n, and so must all-k from 0 to size-n.
func FisherExact(k, n, all, size int) float64 {
	const slack = 1e-7 // R's: equal probabilities differ by rounding
	observed := hypergeometric(k, n, all, size)
	sum := 0.0
	for i := max(0, n+all-size); i <= min(n, all); i++ {
		if p := hypergeometric(i, n, all, size); p <= float64(observed*(1+slack)) {
			sum += p
		}
	}
	return min(1, sum)
}

// Table says that K of N have a property, and All of Size together.
type Table struct{ K, N, All, Size int }

// MantelHaenszel returns the two-sided p-value of the test of Cochran (1954), Mantel and Haenszel (1959) with
// continuity correction (R mantelhaen.test): that in no stratum the N differ from the rest. It is 1 if no stratum can
// show it.
func MantelHaenszel(strata []Table) float64 {
	excess, variance := 0.0, 0.0
	for _, t := range strata {
		if t.Size < 2 {
			continue
		}
		k, n, all, size := float64(t.K), float64(t.N), float64(t.All), float64(t.Size)
		excess += k - float64(n*all)/size
		variance += float64(n*(size-n)*all*(size-all)) / float64(size*size*(size-1))
	}
	if variance == 0 {
		return 1
	}
	excess = max(0, math.Abs(excess)-0.5)
	return numeric.ChiSquaredSurvival(float64(excess*excess)/variance, 1)
}

// hypergeometric is the probability that k of n drawn are among all of size.
func hypergeometric(k, n, all, size int) float64 {
	return numeric.Exp(logChoose(all, k) + logChoose(size-all, n-k) - logChoose(size, n))
}

func logChoose(n, k int) float64 {
	return numeric.LogGamma(float64(n+1)) - numeric.LogGamma(float64(k+1)) - numeric.LogGamma(float64(n-k+1))
}

// FTest returns the probability of a ratio of variances of at least f with df1 and df2 degrees of freedom, which are
// above 0.
func FTest(f, df1, df2 float64) float64 {
	if math.IsInf(f, 1) {
		return 0
	}
	return numeric.BetaCDF(df2/(df2+float64(df1*f)), df2/2, df1/2)
}

// AUC says how well a number separates two groups: the probability that one of the first group exceeds one of the
// second, a tie counting half.
type AUC struct {
	NPositive int       `json:"n_positive"`
	NNegative int       `json:"n_negative"`
	Value     float64   `json:"value"`
	Interval  Interval  `json:"ci"` // of Value; not defined below two values in either group
	Warnings  []Warning `json:"warnings,omitempty"`
}

// MethodDeLong is the method of the interval of an AUC.
const MethodDeLong = "delong"

// NewAUC computes the area under the ROC curve as the Mann–Whitney statistic U/(n·m), with the normal interval of
// DeLong, DeLong & Clarke-Pearson (1988), cut to [0, 1].
//
// It assumes independent values; repeated trials of one task are not quite that, and make the interval somewhat too
// narrow. Where the groups are fully separated the interval has no width and says nothing about others:
// [WarnZeroVariance]. An empty group is ErrEmpty.
func NewAUC(positive, negative []float64, confidence float64) (AUC, error) {
	if err := checkBoth(positive, negative, 1); err != nil {
		return AUC{}, err
	}
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return AUC{}, err
	}
	a := AUC{NPositive: len(positive), NNegative: len(negative), Interval: noInterval(confidence, MethodDeLong)}
	ofPositive, ofNegative := placements(positive, negative)
	a.Value, _ = moments(ofPositive)
	a.Warnings = smallN(min(len(positive), len(negative)))
	if len(positive) < 2 || len(negative) < 2 {
		return a, nil
	}
	_, ssPositive := moments(ofPositive)
	_, ssNegative := moments(ofNegative)
	n, m := float64(len(positive)), float64(len(negative))
	variance := ssPositive/(n-1)/n + ssNegative/(m-1)/m
	if variance == 0 {
		a.Warnings = append(a.Warnings, WarnZeroVariance)
	}
	half := float64(normalQuantile(confidence) * math.Sqrt(variance))
	a.Interval.Lo, a.Interval.Hi = max(0, a.Value-half), min(1, a.Value+half)
	return a, nil
}

// placements are, for each value of one group, the share of the other group that is on the right side of it.
func placements(positive, negative []float64) (ofPositive, ofNegative []float64) {
	ofPositive, ofNegative = make([]float64, len(positive)), make([]float64, len(negative))
	for i, x := range positive {
		for j, y := range negative {
			win := 0.0
			switch {
			case x > y:
				win = 1
			case x == y:
				win = 0.5
			}
			ofPositive[i] += win / float64(len(negative))
			ofNegative[j] += win / float64(len(positive))
		}
	}
	return ofPositive, ofNegative
}
