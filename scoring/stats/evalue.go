package stats

import (
	"math"
	"slices"

	"track/scoring/numeric"
)

// EProcess is evidence against "the differences are symmetric about 0" after each of N pairs, in the order they came.
// One may look after every pair and stop at any time: E ≥ 1/alpha at any look happens with probability at most alpha
// under the hypothesis.
type EProcess struct {
	N                       int
	Greater, Less, TwoSided []float64 // one value a pair; TwoSided is the mean of the other two
}

// scales are the bets that a symmetric e-value averages over.
var scales = [...]float64{0.25, 0.5, 1, 2, 4}

// SymmetricEValue computes E_t = mean over c ∈ {.25, .5, 1, 2, 4} of Π exp(c·z_i)/cosh(c·z_i) with z_i =
// d_i/√(mean_{j≤i} d_j²), a sequential sign-flip test: given all sizes, each sign is a fair coin under the
// hypothesis, so E is a martingale.
//
// It assumes pairs independent of each other, and nothing about the distribution. A difference of 0 changes no bet.
// At best E doubles with every pair: six equal differences make 33 in one direction, seven 31 two-sided. The order
// matters: it is the order of looking. No pairs give empty slices.
func SymmetricEValue(d []float64) (EProcess, error) {
	e := EProcess{N: len(d), Greater: make([]float64, len(d)), Less: make([]float64, len(d)), TwoSided: make([]float64, len(d))}
	if len(d) == 0 {
		return e, nil
	}
	if err := check(d, 1); err != nil {
		return EProcess{}, err
	}
	greater, less := ones(), ones()
	squares := 0.0
	for i, v := range d {
		squares += float64(v * v)
		if !finite(squares) {
			return EProcess{}, errOverflow
		}
		z := 0.0
		if squares > 0 {
			z = v / math.Sqrt(squares/float64(i+1))
		}
		e.Greater[i], e.Less[i] = bet(&greater, z), bet(&less, -z)
		e.TwoSided[i] = (e.Greater[i] + e.Less[i]) / 2
	}
	return e, nil
}

func ones() [len(scales)]float64 { return [len(scales)]float64{1, 1, 1, 1, 1} }

// bet multiplies each capital by exp(cz)/cosh(cz) = 2/(1+exp(-2cz)) and returns their mean.
func bet(capital *[len(scales)]float64, z float64) float64 {
	sum := 0.0
	for k, c := range scales {
		capital[k] = float64(capital[k] * (2 / (1 + numeric.Exp(-2*c*z))))
		sum += capital[k]
	}
	return sum / float64(len(scales))
}

// AnytimeP is min(1, 1/max E) over all looks so far: a p-value that stays valid whenever one stops.
func (e EProcess) AnytimeP() PValues {
	p := func(values []float64) float64 {
		if len(values) == 0 {
			return 1
		}
		return min(1, 1/slices.Max(values))
	}
	return PValues{TwoSided: p(e.TwoSided), Greater: p(e.Greater), Less: p(e.Less)}
}
