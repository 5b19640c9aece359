package series

import (
	"math"
	"slices"
)

// canonicalNaN is what every NaN is stored as.
const canonicalNaN = 0x7FF8000000000001 // the bits of math.NaN()

// canonicalBits are the bits of x, the same for every NaN.
func canonicalBits(x float64) uint64 {
	if x != x {
		return canonicalNaN
	}
	return math.Float64bits(x)
}

// appendWords appends the canonical bits of values.
func appendWords(words []uint64, values []float64) []uint64 {
	words = slices.Grow(words, len(values))
	for _, x := range values {
		words = append(words, canonicalBits(x))
	}
	return words
}

// Summary is what there is to say of a series at a glance. NaN counts in N and NNaN alone, but for Last.
type Summary struct {
	N, NNaN        int
	Min, Mean, Max float64 // NaN where no point is a number
	Last           float64 // the last point; NaN if there is none
}

// Summarize computes the summary of values in one pass.
func Summarize(values []float64) Summary {
	s := Summary{N: len(values), Min: math.NaN(), Mean: math.NaN(), Max: math.NaN(), Last: math.NaN()}
	if s.N == 0 {
		return s
	}
	s.Last = values[s.N-1]
	low, high := math.Inf(1), math.Inf(-1)
	sum, lost := 0.0, 0.0 // compensated (Neumaier 1974): the error does not grow with N
	for _, x := range values {
		if x != x {
			s.NNaN++
			continue
		}
		low, high = min(low, x), max(high, x)
		next := sum + x
		if math.Abs(sum) >= math.Abs(x) {
			lost += (sum - next) + x
		} else {
			lost += (x - next) + sum
		}
		sum = next
	}
	if s.NNaN == s.N {
		return s
	}
	if lost-lost == 0 { // not where infinities or an overflow are in it
		sum += lost
	}
	s.Min, s.Mean, s.Max = low, sum/float64(s.N-s.NNaN), high
	return s
}
