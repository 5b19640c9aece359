package stats

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"

	"track/scoring/numeric"
)

// Limits of the permutation tests.
const (
	ExactSignFlip  = 20      // largest n whose 2ⁿ signs are all counted
	exactTwoSample = 1 << 20 // largest number of splits that are all counted
	nDraws         = 10_000  // seeded draws beyond that
)

// sumTolerance is the share of the largest possible sum within which two sums are equal, because they differ by
// rounding.
const sumTolerance = 1e-9

// Permutation is the result of a permutation test.
type Permutation struct {
	Method       string // "sign flip" or "two-sample permutation"
	N            int    // differences, or values of both samples
	Statistic    float64
	Exact        bool // every permutation counted; otherwise Permutations of them drawn from Seed
	Permutations int
	Seed         uint64 // what was drawn from; 0 where Exact
	P            PValues
	PAbsDev      float64 // two-sided by distance from the expectation: P(|T - E T| ≥ |t - E T|)
	MinP         float64 // no two-sided p can be below this; where it is above alpha, nothing can be significant
	Warnings     []Warning
}

// SignFlip tests whether differences are symmetric about 0: under that hypothesis each could as well have had the
// other sign (Fisher 1935). The statistic is their mean; p = min(1, 2·min(P(T ≥ t), P(T ≤ t))) over all 2ⁿ signs for
// n ≤ 20, else over 10 000 draws from seed, where each tail is (b+1)/(10 000+1). Of more than 512 differences, those
// flip together whose positions are equal modulo 512. Sums within 1e-9 of the largest possible sum are equal.
//
// It assumes independent pairs and nothing about the distribution. With 5 or fewer non-zero differences the two-sided
// p cannot be below 0.0625; see MinP. All zeros give p = 1.
func SignFlip(d []float64, seed uint64) (Permutation, error) {
	if err := check(d, 1); err != nil {
		return Permutation{}, err
	}
	sum, slack := sumAndSlack(d)
	if !finite(slack) {
		return Permutation{}, errOverflow
	}
	p := Permutation{Method: "sign flip", N: len(d), Statistic: sum / float64(len(d)), Warnings: smallN(len(d))}
	if len(d) <= ExactSignFlip {
		p.Exact = true
		p.Permutations, p.P = signFlipAll(d)
		p.MinP = min(1, math.Ldexp(2, -nonZero(d)))
	} else {
		p.Seed, p.Permutations = seed, nDraws
		p.P = signFlipDraws(d, seed)
		p.MinP = 2.0 / (nDraws + 1)
	}
	p.PAbsDev = p.P.TwoSided // the distribution is symmetric
	return p, nil
}

// signFlipAll counts all signs: the sums of the first half of d against the sorted sums of the second.
func signFlipAll(d []float64) (int, PValues) {
	t, slack := sumAndSlack(d)
	left, right := signedSums(d[:len(d)/2]), signedSums(d[len(d)/2:])
	slices.Sort(right)
	atLeast, atMost := 0, 0
	for _, l := range left {
		atLeast += len(right) - sort.SearchFloat64s(right, t-slack-l)
		atMost += sort.Search(len(right), func(i int) bool { return right[i] > t+slack-l })
	}
	all := len(left) * len(right)
	return all, doubled(float64(atLeast)/float64(all), float64(atMost)/float64(all))
}

// signedSums returns the 2ⁿ sums of ±d.
func signedSums(d []float64) []float64 {
	sums := []float64{0}
	for _, v := range d {
		next := make([]float64, 0, 2*len(sums))
		for _, s := range sums {
			next = append(next, s+v, s-v)
		}
		sums = next
	}
	return sums
}

func signFlipDraws(d []float64, seed uint64) PValues {
	d = flippedTogether(d)
	t, slack := sumAndSlack(d)
	sums, signs := make([]float64, nDraws), make([]uint64, nDraws)
	columns := newStrides(seed, streamSignFlip, (len(d)+63)/64)
	for at := 0; at < len(d); at += 64 {
		columns.next(signs)
		addSigned(sums, d[at:min(at+64, len(d))], signs)
	}
	atLeast, atMost := 0, 0
	for _, sum := range sums {
		if sum >= t-slack {
			atLeast++
		}
		if sum <= t+slack {
			atMost++
		}
	}
	return doubled(drawn(atLeast, nDraws), drawn(atMost, nDraws))
}

// maxFlips is the largest number of signs that are drawn.
const maxFlips = 512

// flippedTogether returns the sums of maxFlips groups of differences if there are more differences than that. The pairs
// of a group flip together: of symmetric, independent differences the sums are symmetric and independent as well, so
// the test keeps its level, with signs that do not grow with the data. It loses power as a t test does with 511 degrees
// of freedom instead of more.
func flippedTogether(d []float64) []float64 {
	if len(d) <= maxFlips {
		return d
	}
	groups := make([]float64, maxFlips)
	for i, x := range d {
		groups[i%maxFlips] += x
	}
	return groups
}

// addSigned adds at most 64 differences to the sum of each draw, under its signs. It takes them from tables of all
// signs of eight differences. The sums of the draws do not wait for each other, and the tables stay close to the
// processor.
func addSigned(sums, d []float64, signs []uint64) {
	var tables [8]signTable
	for i := range tables {
		tables[i].fill(d[min(8*i, len(d)):min(8*i+8, len(d))])
	}
	for draw, bits := range signs {
		sum := sums[draw]
		sum += tables[0][uint8(bits)]
		sum += tables[1][uint8(bits>>8)]
		sum += tables[2][uint8(bits>>16)]
		sum += tables[3][uint8(bits>>24)]
		sum += tables[4][uint8(bits>>32)]
		sum += tables[5][uint8(bits>>40)]
		sum += tables[6][uint8(bits>>48)]
		sums[draw] = sum + tables[7][uint8(bits>>56)]
	}
}

// signTable holds the sum of eight differences under every choice of signs; bit k of the index flips the k-th.
type signTable [256]float64

// fill fills the table with the sums of at most eight differences.
func (table *signTable) fill(d []float64) {
	table[0] = 0
	for k := range 8 {
		v := 0.0
		if k < len(d) {
			v = d[k]
		}
		for signs := range 1 << k {
			table[signs], table[signs|1<<k] = table[signs]+v, table[signs]-v
		}
	}
}

// The second half of the generator's seed, so that tests with one seed do not share their draws.
const (
	streamSignFlip = iota + 1
	streamTwoSample
	streamSegments
	streamJointFlip
)

// drawn is the p-value when b of n draws are as extreme as the data, which count as one more (Phipson & Smyth 2010).
func drawn(b, n int) float64 { return float64(b+1) / float64(n+1) }

// sumAndSlack returns the sum and how far another sum may be from it and still be equal.
func sumAndSlack(d []float64) (sum, slack float64) {
	for _, v := range d {
		sum += v
		slack += math.Abs(v)
	}
	return sum, float64(slack * sumTolerance)
}

func nonZero(d []float64) int {
	n := 0
	for _, v := range d {
		if v != 0 {
			n++
		}
	}
	return n
}

// splitCount is n over k.
func splitCount(n, k int) float64 {
	count := 1.0
	for i := range min(k, n-k) {
		count = count * float64(n-i) / float64(i+1)
	}
	return count
}

// JointFlip is the result of testing several differences of the same pairs at once.
type JointFlip struct {
	N            int
	Exact        bool // every choice of signs counted; otherwise Permutations of them drawn from Seed
	Permutations int
	Seed         uint64    // what was drawn from; 0 where Exact
	Less         []float64 // for each variable the p-value against a loss, corrected for the number of variables
	TwoSided     []float64 // the same against any difference; nil where it was not asked for
}

// exactJointFlip is the largest number of pairs whose signs [SignFlipJointly] counts all: 2^14 of them.
const exactJointFlip = 14

// SignFlipJointly tests each of several variables, measured on the same n pairs, against "no loss": one choice of
// signs flips all variables of a pair together, and a variable's corrected p-value is the share of choices in which
// any of the variables not rejected before it loses as much, in units of its root mean square (the step-down maxT of
// Westfall & Young, Resampling-Based Multiple Testing 1993, algorithm 2.8).
//
// The chance of even one false rejection is at most alpha, as with [Holm] on [SignFlip], and it uses that variables
// of one seed move together: the smallest p stays 2⁻ⁿ however many variables there are, where Holm multiplies it by
// their number. It assumes pairs independent, and the differences of a pair, taken together, symmetric about 0 under
// the hypothesis. d holds one slice of n differences for each variable; a variable whose differences are all 0 gets p
// = 1. Beyond 14 pairs 10 000 choices are drawn from seed, with (b+1)/(10 000+1). Of more than 512 pairs, those flip
// together whose positions are equal modulo 512.
func SignFlipJointly(d [][]float64, seed uint64) (JointFlip, error) {
	j, p, err := signFlipJointly(d, seed, false)
	j.Less = p
	return j, err
}

// SignFlipJointlyTwoSided is [SignFlipJointly] against any difference, by the absolute values of the sums. The smallest
// p is 2¹⁻ⁿ.
func SignFlipJointlyTwoSided(d [][]float64, seed uint64) (JointFlip, error) {
	j, p, err := signFlipJointly(d, seed, true)
	j.TwoSided = p
	return j, err
}

func signFlipJointly(d [][]float64, seed uint64, twoSided bool) (j JointFlip, ps []float64, err error) {
	ps = make([]float64, len(d))
	if len(d) == 0 {
		return j, ps, nil
	}
	j.N = len(d[0])
	var losses [][]float64 // scaled; of the variables that differ at all
	var variable []int
	for v, differences := range d {
		if err := checkPairs(differences, d[0], 1); err != nil {
			return j, ps, err
		}
		ps[v] = 1
		if scaled := scaledLosses(flippedTogether(differences)); scaled != nil {
			losses, variable = append(losses, scaled), append(variable, v)
		}
	}
	order := byLoss(losses, twoSided)
	f := newFlips(losses, order, twoSided)
	if j.Exact = j.N <= exactJointFlip; j.Exact {
		j.Permutations = 1 << j.N
		f.countAll(j.N)
	} else {
		j.Permutations, j.Seed = nDraws, seed
		f.countDraws(min(j.N, maxFlips), seed)
	}
	largest := 0.0
	for rank, k := range order {
		p := drawn(f.atLeast[rank], nDraws)
		if j.Exact {
			p = float64(f.atLeast[rank]) / float64(j.Permutations)
		}
		largest = max(largest, p)
		ps[variable[k]] = largest
	}
	return j, ps, nil
}

// norm returns the root of the sum of squares; no square overflows.
func norm(d []float64) float64 {
	largest := 0.0
	for _, x := range d {
		largest = max(largest, math.Abs(x))
	}
	if largest == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range d {
		ratio := x / largest
		sum += float64(ratio * ratio)
	}
	return float64(largest * math.Sqrt(sum))
}

// scaledLosses are minus the differences over the root of their sum of squares, which no choice of signs changes; nil
// where all are 0.
func scaledLosses(d []float64) []float64 {
	scale := norm(d)
	if scale == 0 {
		return nil
	}
	scaled := make([]float64, len(d))
	for i, x := range d {
		scaled[i] = -x / scale
	}
	return scaled
}

// byLoss orders variables from the largest loss, or difference, to the smallest.
func byLoss(losses [][]float64, twoSided bool) []int {
	sums := make([]float64, len(losses))
	order := make([]int, len(losses))
	for k, xs := range losses {
		sums[k], _ = sumAndSlack(xs)
		if order[k] = k; twoSided {
			sums[k] = math.Abs(sums[k])
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case sums[a] > sums[b]:
			return -1
		case sums[a] < sums[b]:
			return 1
		}
		return 0
	})
	return order
}

// flips counts, for the variable at each rank, the choices of signs in which it or one after it loses as much.
type flips struct {
	losses   [][]float64 // by rank
	observed []float64   // by rank, less the slack within which sums are equal
	atLeast  []int
	sums     []float64
	twoSided bool // sums count by their absolute values
}

func newFlips(losses [][]float64, order []int, twoSided bool) *flips {
	f := &flips{atLeast: make([]int, len(order)), sums: make([]float64, len(order)), twoSided: twoSided}
	for _, k := range order {
		sum, slack := sumAndSlack(losses[k])
		if twoSided {
			sum = math.Abs(sum)
		}
		f.losses, f.observed = append(f.losses, losses[k]), append(f.observed, sum-slack)
	}
	return f
}

// count takes the sums of one choice of signs.
func (f *flips) count() {
	largest := math.Inf(-1)
	for rank := len(f.sums) - 1; rank >= 0; rank-- {
		sum := f.sums[rank]
		if f.twoSided {
			sum = math.Abs(sum)
		}
		if largest = max(largest, sum); largest >= f.observed[rank] {
			f.atLeast[rank]++
		}
	}
}

// countAll walks through all choices by flipping one pair at a time, in the order of a Gray code.
func (f *flips) countAll(n int) {
	signs := make([]float64, n)
	for i := range signs {
		signs[i] = 1
	}
	for rank, xs := range f.losses {
		f.sums[rank], _ = sumAndSlack(xs)
	}
	f.count()
	for step := uint64(1); step < 1<<n; step++ {
		i := bits.TrailingZeros64(step)
		signs[i] = -signs[i]
		for rank, xs := range f.losses {
			f.sums[rank] += float64(2 * signs[i] * xs[i])
		}
		f.count()
	}
}

func (f *flips) countDraws(n int, seed uint64) {
	signs, sums := make([]uint64, nDraws), make([][]float64, len(f.losses))
	for rank := range sums {
		sums[rank] = make([]float64, nDraws)
	}
	columns := newStrides(seed, streamJointFlip, (n+63)/64)
	for at := 0; at < n; at += 64 {
		columns.next(signs)
		for rank, xs := range f.losses {
			addSigned(sums[rank], xs[at:min(at+64, n)], signs)
		}
	}
	for draw := range nDraws {
		for rank := range sums {
			f.sums[rank] = sums[rank][draw]
		}
		f.count()
	}
}

// MostSignFlipGreater is the largest number of differences that [SignFlipGreater] tests: two lists of 2^20 sums.
const MostSignFlipGreater = 40

// SignFlipGreater returns the one-sided p-value of the exact sign-flip test (Fisher 1935) of n differences, n from 1 to
// [MostSignFlipGreater]: the share of all 2ⁿ choices of signs whose sum is at least the observed one. It is small if
// the differences are above 0. Zeros change nothing. Sums within 1e-9 of the largest possible sum are equal.
//
// It assumes that the differences are independent and, under the hypothesis, symmetric about 0.
func SignFlipGreater(d []float64) (p float64, err error) {
	if err := check(d, 1); err != nil {
		return 0, err
	}
	if len(d) > MostSignFlipGreater {
		return 0, errTooManyDifferences
	}
	sum, slack := sumAndSlack(d)
	if !finite(slack) {
		return 0, errOverflow
	}
	var moving []float64
	for _, x := range d {
		if x != 0 {
			moving = append(moving, x)
		}
	}
	left, right := sortedSignedSums(moving[:len(moving)/2]), sortedSignedSums(moving[len(moving)/2:])
	n, first := 0, len(right) // right[first:] reaches the sum with the present one of left
	for _, l := range left {
		for first > 0 && l+right[first-1] >= sum-slack {
			first--
		}
		n += len(right) - first
	}
	return math.Ldexp(float64(n), -len(moving)), nil
}

// sortedSignedSums returns the 2ⁿ sums of ±d in ascending order.
func sortedSignedSums(d []float64) []float64 {
	sums := []float64{0}
	for _, v := range d {
		v = math.Abs(v)
		next := make([]float64, 0, 2*len(sums))
		for lower, upper := 0, 0; upper < len(sums); {
			if lower < len(sums) && sums[lower]-v <= sums[upper]+v {
				next = append(next, sums[lower]-v)
				lower++
			} else {
				next = append(next, sums[upper]+v)
				upper++
			}
		}
		sums = next
	}
	return sums
}

// SmallestFlipP is the smallest p-value that a sign-flip test of n differences can have, two-sided: 2·2⁻ⁿ where all
// signs are counted, and 2/(10 000 + 1) where they are drawn. See [SignFlip].
func SmallestFlipP(n int) float64 {
	if n > ExactSignFlip {
		return 2.0 / (nDraws + 1)
	}
	return min(1, math.Ldexp(2, -n))
}

// LeastPairs is the smallest number of pairs at which a two-sided sign-flip test can reach alpha, which is 2^(1-n) <=
// alpha: 6 at 0.05, 8 at 0.01. A one-sided test at alpha/2 needs the same number, and so does the symmetric e-value,
// which at most doubles with each pair. It is 0 if no number of pairs can.
func LeastPairs(alpha float64) int {
	for n := 1; n <= ExactSignFlip; n++ {
		if SmallestFlipP(n) <= alpha {
			return n
		}
	}
	return 0
}

// exactRanks is the largest number of values up to which the rank tests are exact; beyond, they use the normal
// approximation with tie and continuity correction, and say so in Method.
const exactRanks = 100

// doubledRanks returns twice the mid-ranks, which are whole numbers.
func doubledRanks(xs []float64) []int {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) })
	ranks := make([]int, len(xs))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && xs[order[to]] == xs[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = from + 1 + to
		}
		from = to
	}
	return ranks
}

// tails sums a distribution from both ends up to and with the value at.
func tails(p []float64, at int) PValues {
	greater, less := 0.0, 0.0
	for s := len(p) - 1; s >= at; s-- {
		greater += p[s]
	}
	for s := 0; s <= at; s++ {
		less += p[s]
	}
	return doubled(min(1, greater), min(1, less))
}

// normalTails approximates the tails of a sum of doubled ranks, with a continuity correction of half a rank; absDev is
// two-sided by distance.
func normalTails(at, mean, sd float64) (p PValues, absDev float64) {
	if sd == 0 {
		return doubled(1, 1), 1
	}
	upper := func(x float64) float64 { return numeric.NormalCDF(-(x - 1) / sd) }
	return doubled(upper(at-mean), upper(mean-at)), min(1, 2*upper(math.Abs(at-mean)))
}

func sumOfSquares(ranks []int) float64 {
	sum := 0.0
	for _, r := range ranks {
		sum += float64(float64(r) * float64(r))
	}
	return sum
}

// MannWhitney is the result of a Mann–Whitney test.
type MannWhitney struct {
	Method   string // "mann-whitney, exact" or "…, normal approximation"
	NX, NY   int
	U        float64 // pairs in which x is greater, a tie counting half
	P        PValues
	PAbsDev  float64 // two-sided by distance from the expectation, as in R's coin
	Warnings []Warning
}

// NewMannWhitney tests whether two independent samples, as from different seeds, come from one distribution, by the
// ranks of their values: the exact conditional distribution given the mid-ranks of ties (exactRankTests, coin). The
// two-sided p is twice the smaller tail.
//
// It assumes independent values. With 3 against 3 the two-sided p cannot be below 0.1. Label it where it stands in
// for a paired comparison. An empty sample is ErrEmpty.
func NewMannWhitney(x, y []float64) (MannWhitney, error) {
	if err := checkBoth(x, y, 1); err != nil {
		return MannWhitney{}, err
	}
	ranks := doubledRanks(slices.Concat(x, y))
	sum := 0
	for _, r := range ranks[:len(x)] {
		sum += r
	}
	nx := len(x)
	m := MannWhitney{NX: nx, NY: len(y), U: float64(sum-nx*(nx+1)) / 2, Warnings: smallN(min(nx, len(y)))}
	if len(ranks) <= exactRanks {
		m.Method = "mann-whitney, exact"
		p := rankSumDistribution(ranks, nx)
		m.P, m.PAbsDev = tails(p, sum), asDistant(p, sum, nx*(len(ranks)+1))
	} else {
		m.Method = "mann-whitney, normal approximation"
		m.P, m.PAbsDev = normalTails(float64(sum), float64(nx*(len(ranks)+1)), rankSumSD(ranks, nx))
	}
	return m, nil
}

// rankSumDistribution returns the probability of each sum of k of the ranks, all choices being as likely. The counts
// stay below 1e30 for up to 100 ranks, and float64 keeps their relative precision.
func rankSumDistribution(ranks []int, k int) []float64 {
	top := slices.Sorted(slices.Values(ranks))
	largest := 0
	for _, r := range top[len(top)-k:] {
		largest += r
	}
	ways := make([][]float64, k+1) // ways[j][s]: choices of j ranks with the sum s
	for j := range ways {
		ways[j] = make([]float64, largest+1)
	}
	ways[0][0] = 1
	for i, r := range ranks {
		for j := min(i+1, k); j >= 1; j-- {
			for s := r; s <= largest; s++ {
				ways[j][s] += ways[j-1][s-r]
			}
		}
	}
	all := splitCount(len(ranks), k)
	for s := range ways[k] {
		ways[k][s] /= all
	}
	return ways[k]
}

// asDistant is the probability of a sum at least as far from mean as at is.
func asDistant(p []float64, at, mean int) float64 {
	distance := max(at-mean, mean-at)
	sum := 0.0
	for s, v := range p {
		if max(s-mean, mean-s) >= distance {
			sum += v
		}
	}
	return min(1, sum)
}

// rankSumSD is the standard deviation of the sum of k of the ranks drawn without replacement.
func rankSumSD(ranks []int, k int) float64 {
	n := float64(len(ranks))
	deviations := max(0, sumOfSquares(ranks)-float64(n*(n+1)*(n+1)))
	return math.Sqrt(float64(k) * (n - float64(k)) / n / (n - 1) * deviations)
}
