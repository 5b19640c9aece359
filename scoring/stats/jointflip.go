package stats

import (
	"math"
	"math/bits"
	"slices"
)

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
