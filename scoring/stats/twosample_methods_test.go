package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// Two-sample and paired tests that no program uses: tests compare the methods of programs with them.

// sd is the standard deviation of the differences of a paired test.
func (t TTest) sd() float64 { return t.SE * math.Sqrt(float64(t.NA)) }

// PermuteTwoSample tests whether two independent samples come from one distribution: every split of all values into
// groups of their sizes is as likely (Pitman 1937). The statistic is mean(x) - mean(y); all splits are counted up to
// 2²⁰ of them, else 10 000 are drawn from seed, each tail being (b+1)/(10 000+1). Sums within 1e-9 of the sum of
// absolute deviations are equal.
//
// It assumes exchangeable values: a difference in spread alone can also be significant. With 3 against 3 the
// two-sided p cannot be below 0.1; see MinP.
func PermuteTwoSample(x, y []float64, seed uint64) (Permutation, error) {
	if err := checkBoth(x, y, 1); err != nil {
		return Permutation{}, err
	}
	mx, _ := moments(x)
	my, _ := moments(y)
	p := Permutation{
		Method: "two-sample permutation", N: len(x) + len(y), Statistic: mx - my, Warnings: smallN(min(len(x), len(y))),
	}
	c := newSplits(x, y)
	if !finite(c.slack) {
		return Permutation{}, errOverflow
	}
	if all := splitCount(len(x)+len(y), len(x)); all <= exactTwoSample {
		p.Exact, p.Permutations = true, int(all)
		c.countAll(0, len(x), 0)
		p.P, p.PAbsDev = c.shares(func(b int) float64 { return float64(b) / all })
		p.MinP = min(1, 2/all)
	} else {
		p.Seed, p.Permutations = seed, nDraws
		c.countDraws(len(x), rand.New(rand.NewPCG(seed, streamTwoSample)))
		p.P, p.PAbsDev = c.shares(func(b int) float64 { return drawn(b, nDraws) })
		p.MinP = 2.0 / (nDraws + 1)
	}
	return p, nil
}

// splits counts splits by the sum of the first group. The values are centred on their mean, so that the expected sum
// is 0 and the mean difference grows with the sum.
type splits struct {
	values                     []float64
	t, slack                   float64
	atLeast, atMost, asDistant int
}

func newSplits(x, y []float64) *splits {
	values := slices.Concat(x, y)
	m, _ := moments(values)
	for i := range values {
		values[i] -= m
	}
	c := &splits{values: values}
	c.t, _ = sumAndSlack(values[:len(x)])
	_, c.slack = sumAndSlack(values)
	return c
}

func (c *splits) add(sum float64) {
	if sum >= c.t-c.slack {
		c.atLeast++
	}
	if sum <= c.t+c.slack {
		c.atMost++
	}
	if math.Abs(sum) >= math.Abs(c.t)-c.slack {
		c.asDistant++
	}
}

// countAll adds every way to choose k more values from index i on.
func (c *splits) countAll(i, k int, sum float64) {
	if k == 0 {
		c.add(sum)
		return
	}
	for ; i <= len(c.values)-k; i++ {
		c.countAll(i+1, k-1, sum+c.values[i])
	}
}

func (c *splits) countDraws(k int, rng *rand.Rand) {
	for range nDraws {
		sum := 0.0
		for i := range k {
			j := i + rng.IntN(len(c.values)-i)
			c.values[i], c.values[j] = c.values[j], c.values[i]
			sum += c.values[i]
		}
		c.add(sum)
	}
}

func (c *splits) shares(p func(int) float64) (PValues, float64) {
	return doubled(p(c.atLeast), p(c.atMost)), p(c.asDistant)
}

// Zeros says what a signed-rank test does with differences of 0.
type Zeros string

// The treatments of zeros.
const (
	DropZeros  Zeros = "wilcox" // dropped before ranking
	prattZeros Zeros = "pratt"  // ranked, then dropped
)

// SignedRank is the result of a Wilcoxon signed-rank test.
type SignedRank struct {
	Method        string // "wilcoxon signed-rank, exact" or "…, normal approximation"
	N             int    // all differences
	NEffective    int    // those that are not 0
	WPlus, WMinus float64
	P             PValues
	Warnings      []Warning
}

// WilcoxonSignedRank tests whether differences are symmetric about 0 by the ranks of their sizes (Wilcoxon 1945): the
// exact conditional distribution given the mid-ranks of ties (exactRankTests, coin; not scipy's method="exact", which
// ignores ties). Differences are first rounded to 12 digits of the largest, so that ties hidden by rounding count as
// ties.
//
// It assumes independent pairs and a symmetric distribution. With 5 or fewer differences that are not 0 the two-sided
// p cannot be below 0.0625; with none it is 1.
func WilcoxonSignedRank(d []float64, zeros Zeros) (SignedRank, error) {
	if err := check(d, 1); err != nil {
		return SignedRank{}, err
	}
	if zeros != DropZeros && zeros != prattZeros {
		return SignedRank{}, badParam("zeros %q", zeros)
	}
	signs, ranks := signedRanks(d, zeros)
	plus, total := 0, 0
	for i, r := range ranks {
		total += r
		if signs[i] > 0 {
			plus += r
		}
	}
	s := SignedRank{
		N: len(d), NEffective: len(ranks), WPlus: float64(plus) / 2, WMinus: float64(total-plus) / 2, Warnings: smallN(len(ranks)),
	}
	if len(ranks) <= exactRanks {
		s.Method = "wilcoxon signed-rank, exact"
		s.P = tails(signedRankDistribution(ranks), plus)
	} else {
		s.Method = "wilcoxon signed-rank, normal approximation"
		s.P, _ = normalTails(float64(plus), float64(total)/2, math.Sqrt(sumOfSquares(ranks)/4))
	}
	return s, nil
}

// signedRanks returns the signs and the doubled mid-ranks of the differences that are not 0.
func signedRanks(d []float64, zeros Zeros) (signs []float64, ranks []int) {
	var sizes []float64
	for _, v := range roundTo12(d) {
		if v != 0 || zeros == prattZeros {
			signs, sizes = append(signs, v), append(sizes, math.Abs(v))
		}
	}
	all := doubledRanks(sizes)
	keep := 0
	for i, v := range signs {
		if v != 0 {
			signs[keep], all[keep] = v, all[i]
			keep++
		}
	}
	return signs[:keep], all[:keep]
}

// roundTo12 rounds to whole units of 1e-12 of the power of ten above the largest value, and returns the units.
func roundTo12(d []float64) []float64 {
	largest := 0.0
	for _, v := range d {
		largest = max(largest, math.Abs(v))
	}
	units := make([]float64, len(d))
	if largest == 0 {
		return units
	}
	scale := powerOfTenFrom(largest)
	for i, v := range d {
		units[i] = math.Round(v / scale * 1e12)
	}
	return units
}

// powerOfTenFrom returns the smallest power of ten that is not below x, or the largest one there is.
func powerOfTenFrom(x float64) float64 {
	n := sort.Search(308+323, func(i int) bool { return math.Pow10(i-323) >= x })
	return math.Pow10(n - 323)
}

// signedRankDistribution returns the probability of each sum when each rank is in it with probability 1/2.
func signedRankDistribution(ranks []int) []float64 {
	p := []float64{1}
	for _, r := range ranks {
		next := make([]float64, len(p)+r)
		for s, v := range p {
			next[s] += float64(v / 2)
			next[s+r] += float64(v / 2)
		}
		p = next
	}
	return p
}
