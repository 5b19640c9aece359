package stats

import (
	"cmp"
	"math"
	"slices"

	"track/scoring/numeric"
)

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
