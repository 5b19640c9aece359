package stats

import "math/bits"

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
