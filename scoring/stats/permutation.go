package stats

import (
	"math"
	"slices"
	"sort"
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
