package stats

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"track/scoring/numeric"
)

// Parameters of [NewHistory].
const (
	HistoryMinValues  = 20   // fewer values are ErrTooFew
	historyMinSegment = 5    // values in a segment
	HistoryMaxP       = 0.05 // the usual level of a test
	historyDraws      = 999  // permutations a split is tested with: p is at least 0.001
)

// ChangePoint is a change of level: the segment that begins at Index differs from the one before.
type ChangePoint struct {
	Index  int     `json:"index"`
	Before float64 `json:"before"` // mean of the segment that ends before Index
	After  float64 `json:"after"`  // mean of the segment that begins at Index
	P      float64 `json:"p"`      // of the split, among all splits of the segments that there were
}

// History is where a series of values changed its level.
type History struct {
	N        int
	Points   []ChangePoint // none if they are unreliable
	Lag1     float64       // autocorrelation of what the segments leave; NaN where that is nothing
	Seed     uint64
	Warnings []Warning
}

// NewHistory finds changes of level by binary segmentation (Scott and Knott 1974) with the maximally selected Wilcoxon
// statistic (Miller and Siegmund 1982; Lausen and Schumacher 1992): the largest standardized rank sum of the values
// before a split, over all splits of all segments into parts of at least 5 values. A split is kept while p ≤ maxP by
// 999 permutations of the values inside their segments, drawn from seed, p = (b+1)/1000. So without any change at most
// maxP of histories show one, whatever the distribution, if the values are exchangeable: independent, of one
// distribution. Ranks keep the power under heavy tails.
//
// A drift or an autocorrelation are steps to it. If the values have a lag-1 autocorrelation above 0.3 around their
// segments, no points are given, with [warnAutocorrelated]. (Not the values themselves: every change of level
// correlates them.) If it is smaller, and significant, points come with [warnDependent]. Fewer than 20 values are
// ErrTooFew. It is for reports, never for a gate.
func NewHistory(xs []float64, maxP float64, seed uint64) (History, error) {
	if err := check(xs, HistoryMinValues); err != nil {
		return History{}, err
	}
	if _, ss := moments(xs); !finite(ss) {
		return History{}, errOverflow
	}
	h := History{N: len(xs), Seed: seed}
	splits := rankSegments(xs, maxP, seed)
	h.Lag1 = lag1(residuals(xs, splitIndices(splits)))
	if h.Lag1 > MaxLag1 {
		h.Warnings = []Warning{warnAutocorrelated}
		return h, nil
	}
	edges := segmentEdges(splitIndices(splits), len(xs))
	for i, s := range splits {
		before, _ := moments(xs[edges[i]:s.Index])
		after, _ := moments(xs[s.Index:edges[i+2]])
		h.Points = append(h.Points, ChangePoint{Index: s.Index, Before: before, After: after, P: s.P})
	}
	if len(splits) > 0 && isDependent(h.Lag1, len(xs), len(splits)+1) {
		h.Warnings = []Warning{warnDependent}
	}
	return h, nil
}

// isDependent tests the lag-1 autocorrelation of n residuals around the means of some segments, one-sided at 10 %. Of
// independent values it is about normal with mean -segments/n and variance 1/n (Bartlett 1946; Kendall 1954).
func isDependent(lag1 float64, n, segments int) bool {
	const quantile = 1.2815515655446004 // of the normal distribution, at 0.9
	return float64((lag1+float64(segments)/float64(n))*math.Sqrt(float64(n))) > quantile
}

// rankSplit is a split of a series.
type rankSplit struct {
	Index     int // first index of the new segment
	Statistic float64
	P         float64
}

// rankSegments returns the splits of a series in the order of their index.
func rankSegments(xs []float64, maxP float64, seed uint64) (splits []rankSplit) {
	rng := rand.New(rand.NewPCG(seed, streamSegments))
	for {
		edges := segmentEdges(splitIndices(splits), len(xs))
		ranks := segmentRanks(xs, edges)
		found, ok := bestRankSplit(ranks, edges)
		if !ok {
			return splits
		}
		if found.P = rankSplitP(ranks, edges, found.Statistic, maxP, rng); found.P > maxP {
			return splits
		}
		splits = append(splits, found)
		slices.SortFunc(splits, func(a, b rankSplit) int { return a.Index - b.Index })
	}
}

func splitIndices(splits []rankSplit) []int {
	points := make([]int, len(splits))
	for i, s := range splits {
		points[i] = s.Index
	}
	return points
}

// segmentRanks replaces values by twice their mid-rank within their segment minus its mean, which is a whole number.
func segmentRanks(xs []float64, edges []int) []float64 {
	ranks := make([]float64, len(xs))
	for i := range edges[1:] {
		segment := xs[edges[i]:edges[i+1]]
		ordered := sorted(segment)
		for j, x := range segment {
			below, _ := slices.BinarySearch(ordered, x)
			upTo, _ := slices.BinarySearch(ordered, math.Nextafter(x, math.Inf(1)))
			ranks[edges[i]+j] = float64(below + upTo - len(segment))
		}
	}
	return ranks
}

// bestRankSplit finds the split with the largest standardized sum of ranks: squared, and divided by k(n−k) and the sum
// of squares of the ranks. Of equal ones the first wins. ok is false if no segment can be split.
func bestRankSplit(ranks []float64, edges []int) (best rankSplit, ok bool) {
	for i := range edges[1:] {
		segment := ranks[edges[i]:edges[i+1]]
		squares := 0.0
		for _, r := range segment {
			squares += float64(r * r)
		}
		if squares == 0 {
			continue
		}
		n, sum := len(segment), 0.0
		scale := float64(n) * float64(n-1) / squares
		for k := 1; k <= n-historyMinSegment; k++ {
			sum += segment[k-1]
			if k < historyMinSegment {
				continue
			}
			z := float64(sum*sum) / float64(k*(n-k)) * scale
			if !ok || z > float64(best.Statistic*(1+sumTolerance)) {
				best, ok = rankSplit{Index: edges[i] + k, Statistic: z, P: math.NaN()}, true
			}
		}
	}
	return best, ok
}

// rankSplitP is exact up to maxP, and anything larger beyond.
func rankSplitP(ranks []float64, edges []int, statistic, maxP float64, rng *rand.Rand) float64 {
	shuffled := slices.Clone(ranks)
	asLarge := 0
	for range historyDraws {
		for i := range edges[1:] {
			segment := shuffled[edges[i]:edges[i+1]]
			rng.Shuffle(len(segment), func(a, b int) { segment[a], segment[b] = segment[b], segment[a] })
		}
		if s, _ := bestRankSplit(shuffled, edges); s.Statistic >= float64(statistic*(1-sumTolerance)) {
			asLarge++
		}
		if drawn(asLarge, historyDraws) > maxP {
			break // it can only grow
		}
	}
	return drawn(asLarge, historyDraws)
}

// segmentEdges puts 0 before and n after the change points.
func segmentEdges(points []int, n int) []int {
	return append(append([]int{0}, points...), n)
}

// residuals returns the values minus the means of their segments.
func residuals(xs []float64, points []int) []float64 {
	out := slices.Clone(xs)
	edges := segmentEdges(points, len(xs))
	for i := range edges[1:] {
		segment := out[edges[i]:edges[i+1]]
		m, _ := moments(segment)
		for j := range segment {
			segment[j] -= m
		}
	}
	return out
}

// lag1 is NaN for constant values.
func lag1(xs []float64) float64 {
	m, ss := moments(xs)
	products := 0.0
	for i := range xs[1:] {
		products += float64((xs[i] - m) * (xs[i+1] - m))
	}
	return products / ss
}

// Trend is how a series rises or falls from its first to its last value.
type Trend struct {
	N     int     `json:"n"`
	Rho   float64 `json:"rho"`   // Spearman's rank correlation with the position
	P     float64 `json:"p"`     // two-sided, against values in any order
	Slope float64 `json:"slope"` // from one value to the next
	Lag1  float64 `json:"lag1_autocorrelation"`
}

// TrendMinValues is the number of values below which [NewTrend] reports ErrTooFew.
const TrendMinValues = 8

// NewTrend tests whether a series rises or falls, by Spearman's rank correlation of value and position (Daniels 1950)
// with the p of [NewSpearman]. Without a trend, p ≤ 0.05 in at most 5 % of series if their values are exchangeable. A
// change of level is a trend to it, and so is a level that wanders: Lag1 is the autocorrelation of what the slope
// leaves. The slope is the median over pairs of values that are half the series apart (Theil 1950, the incomplete
// method).
func NewTrend(xs []float64, seed uint64) (Trend, error) {
	if err := check(xs, TrendMinValues); err != nil {
		return Trend{}, err
	}
	at := make([]float64, len(xs))
	var slopes []float64
	half := len(xs) / 2
	for i := range xs {
		if at[i] = float64(i); i >= half {
			slopes = append(slopes, (xs[i]-xs[i-half])/float64(half))
		}
	}
	t := Trend{N: len(xs), P: 1, Slope: median(slopes)}
	rest := slices.Clone(xs)
	for i := range rest {
		rest[i] -= float64(t.Slope * at[i])
	}
	t.Lag1 = lag1(rest)
	s, err := NewSpearman(at, xs, 0.95, seed)
	if errors.Is(err, ErrZeroVariance) {
		return t, nil
	}
	t.Rho, t.P = s.Rho, s.P
	return t, err
}

// Methods of [NewSpearman].
const (
	methodBonettWright     = "fisher-z, bonett-wright"
	spearmanExact          = "all permutations"
	spearmanDrawn          = "10000 drawn permutations"
	spearmanT              = "t approximation"
	exactSpearman          = 8   // pairs whose permutations are all counted: 8! are 40,320
	drawnSpearman          = 100 // pairs up to which permutations are drawn
	smallestSpearmanNumber = 4   // pairs that an interval needs
)

// Spearman is a rank correlation.
type Spearman struct {
	N        int      `json:"n"`   // pairs
	Rho      float64  `json:"rho"` // from -1 to 1
	Interval Interval `json:"ci"`  // not defined below 4 pairs, and if the ranks agree completely
	P        float64  `json:"p"`   // two-sided, against no association
	Method   string   `json:"method"`
}

// NewSpearman computes Spearman's rank correlation of pairs, with mid-ranks for ties: the correlation of the ranks
// (R cor.test, scipy.stats.spearmanr).
//
// The interval is tanh(atanh(ρ) ± z·√((1 + ρ²/2)/(n - 3))) (Bonett & Wright, Psychometrika 65, 2000, equation 3), which
// covers about its confidence for |ρ| < 0.95. The two-sided p is the share of permutations of y at least as far from 0:
// all of them up to 8 pairs; up to 100 pairs 10,000 drawn by seed, with (b+1)/(B+1) (Phipson & Smyth 2010); beyond, the
// t approximation t = ρ√((n-2)/(1-ρ²)) with n-2 degrees of freedom (Kendall & Stuart). Fewer than 3 pairs are
// ErrTooFew; a side whose values are all equal is ErrZeroVariance.
func NewSpearman(x, y []float64, confidence float64, seed uint64) (Spearman, error) {
	if err := checkPairs(x, y, 3); err != nil {
		return Spearman{}, err
	}
	if err := checkOpenUnit("confidence", confidence); err != nil {
		return Spearman{}, err
	}
	if constant(x) || constant(y) {
		return Spearman{}, ErrZeroVariance
	}
	rx, ry := centredRanks(x), centredRanks(y)
	scale := math.Sqrt(float64(squares(rx)) * float64(squares(ry)))
	sum := product(rx, ry)
	s := Spearman{N: len(x), Rho: max(-1, min(1, float64(sum)/scale)), Interval: noInterval(confidence, methodBonettWright)}
	if rho := s.Rho; s.N >= smallestSpearmanNumber && math.Abs(rho) < 1 {
		half := float64(normalQuantile(confidence) * math.Sqrt((1+float64(float64(rho*rho)/2))/float64(s.N-3)))
		z := float64(0.5 * numeric.Log((1+rho)/(1-rho)))
		s.Interval.Lo, s.Interval.Hi = tanh(z-half), tanh(z+half)
	}
	switch {
	case s.N <= exactSpearman:
		s.Method, s.P = spearmanExact, allPermutations(rx, ry, max(sum, -sum))
	case s.N <= drawnSpearman:
		s.Method, s.P = spearmanDrawn, drawnPermutations(rx, ry, max(sum, -sum), seed)
	default:
		s.Method, s.P = spearmanT, s.tApproximation()
	}
	return s, nil
}

// centredRanks returns twice the mid-ranks less their mean: whole numbers, whose products and sums are exact.
func centredRanks(xs []float64) []int {
	ranks := doubledRanks(xs)
	for i := range ranks {
		ranks[i] -= len(xs) + 1
	}
	return ranks
}

func squares(r []int) int { return product(r, r) }

func product(x, y []int) (sum int) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func tanh(z float64) float64 {
	e := numeric.Exp(float64(2 * z))
	if math.IsInf(e, 1) {
		return 1
	}
	return (e - 1) / (e + 1)
}

// allPermutations returns the share of permutations of y whose sum of products is at least that far from 0 (Heap's
// algorithm).
func allPermutations(x, y []int, distance int) float64 {
	y = slices.Clone(y)
	all, extreme := 0, 0
	count := func() {
		all++
		if sum := product(x, y); sum >= distance || -sum >= distance {
			extreme++
		}
	}
	count()
	stack := make([]int, len(y))
	for i := 1; i < len(y); {
		if stack[i] >= i {
			stack[i] = 0
			i++
			continue
		}
		at := 0
		if i%2 == 1 {
			at = stack[i]
		}
		y[at], y[i] = y[i], y[at]
		count()
		stack[i]++
		i = 1
	}
	return float64(extreme) / float64(all)
}

func drawnPermutations(x, y []int, distance int, seed uint64) float64 {
	rng := rand.New(rand.NewPCG(seed, uint64(len(x))))
	y = slices.Clone(y)
	extreme := 0
	for range nDraws {
		rng.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
		if sum := product(x, y); sum >= distance || -sum >= distance {
			extreme++
		}
	}
	return drawn(extreme, nDraws)
}

func (s Spearman) tApproximation() float64 {
	if s.Rho*s.Rho == 1 {
		return 0
	}
	df := float64(s.N - 2)
	t := s.Rho * math.Sqrt(df/(1-float64(s.Rho*s.Rho)))
	return min(1, 2*numeric.StudentCDF(-math.Abs(t), df))
}

// strides gives the numbers of a [math/rand/v2.PCG] in columns: the numbers 0, n, 2n, … of a generator, then 1, n+1,
// 2n+1, …. The generator multiplies and adds (O'Neill, PCG, 2014), and n such steps are one multiplication and addition
// with other constants.
type strides struct {
	state, factor, summand uint128
}

type uint128 struct{ hi, lo uint64 }

// The constants of math/rand/v2.
var (
	pcgFactor  = uint128{2549297995355413924, 4865540595714422341}
	pcgSummand = uint128{6364136223846793005, 1442695040888963407}
)

// newStrides returns the columns of n of a generator with this seed.
func newStrides(seed1, seed2 uint64, n int) *strides {
	s := &strides{state: uint128{seed1, seed2}, factor: uint128{0, 1}}
	for range n {
		s.factor, s.summand = s.factor.times(pcgFactor), s.summand.times(pcgFactor).plus(pcgSummand)
	}
	return s
}

// next fills a column with the first numbers of the next one.
func (s *strides) next(column []uint64) {
	s.state = s.state.times(pcgFactor).plus(pcgSummand)
	state := s.state
	for i := range column {
		column[i] = state.scrambled()
		state = state.times(s.factor).plus(s.summand)
	}
}

func (a uint128) times(b uint128) uint128 {
	hi, lo := bits.Mul64(a.lo, b.lo)
	return uint128{hi + a.hi*b.lo + a.lo*b.hi, lo}
}

func (a uint128) plus(b uint128) uint128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return uint128{hi, lo}
}

// scrambled returns the number of a state ("double xorshift multiply").
func (a uint128) scrambled() uint64 {
	const cheapFactor = 0xda942042e4dd58b5
	x := a.hi
	x ^= x >> 32
	x *= cheapFactor
	x ^= x >> 48
	return x * (a.lo | 1)
}
