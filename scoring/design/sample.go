package design

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// latinHypercube returns n points of d coordinates in [0, 1): in each coordinate one point in each of n equal strata,
// at a random place of it, the strata paired at random (McKay, Beckman & Conover, Technometrics 21, 1979).
func latinHypercube(n, d int, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	points := newPoints(n, d)
	for k := range d {
		for i, stratum := range rng.Perm(n) {
			points[i][k] = below1((float64(stratum) + rng.Float64()) / float64(n))
		}
	}
	return points
}

// sobolBits are the binary digits of a coordinate of a Sobol sequence.
const sobolBits = 32

// sobol returns the first n points of d coordinates of a Sobol sequence, in the order of Gray code (Antonov & Saleev,
// 1979), with a random digital shift: all points are combined with one random vector by exclusive or, which keeps how
// evenly they lie and moves the first point off the corner (L'Ecuyer & Lemieux 2002). Without a shift, the sequence
// is that of Joe and Kuo.
func sobol(n, d int, seed *uint64) [][]float64 {
	directions := make([][sobolBits]uint32, d)
	at := make([]uint32, d)
	for k := range d {
		directions[k] = directionsOf(k)
		if seed != nil {
			at[k] = rand.New(rand.NewPCG(*seed, uint64(k))).Uint32()
		}
	}
	points := newPoints(n, d)
	for i := range points {
		for k := range d {
			points[i][k] = float64(at[k]) / (1 << sobolBits)
			at[k] ^= directions[k][bits.TrailingZeros32(^uint32(i))]
		}
	}
	return points
}

// primitive holds a primitive polynomial over GF(2), and the numbers that begin its recurrence.
type primitive struct {
	coefficients uint32   // of the polynomial without its first and last, as binary digits
	initial      []uint32 // as many as the degree of the polynomial
}

// maxSobol is the number of dimensions that have direction numbers here.
const maxSobol = 21

// primitives are those of the dimensions 2, 3, … in the file new-joe-kuo-6.21201 (Joe & Kuo, "Constructing Sobol
// sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30, 2008).
func primitives() []primitive {
	return []primitive{
		{0, []uint32{1}}, {1, []uint32{1, 3}}, {1, []uint32{1, 3, 1}}, {2, []uint32{1, 1, 1}},
		{1, []uint32{1, 1, 3, 3}}, {4, []uint32{1, 3, 5, 13}},
		{2, []uint32{1, 1, 5, 5, 17}}, {4, []uint32{1, 1, 5, 5, 5}}, {7, []uint32{1, 1, 7, 11, 19}},
		{11, []uint32{1, 1, 5, 1, 1}}, {13, []uint32{1, 1, 1, 3, 11}}, {14, []uint32{1, 3, 5, 5, 31}},
		{1, []uint32{1, 3, 3, 9, 7, 49}}, {13, []uint32{1, 1, 1, 15, 21, 21}}, {16, []uint32{1, 3, 1, 13, 27, 49}},
		{19, []uint32{1, 1, 1, 15, 7, 5}}, {22, []uint32{1, 3, 1, 15, 13, 25}}, {25, []uint32{1, 1, 5, 5, 19, 61}},
		{1, []uint32{1, 3, 7, 11, 23, 15, 103}}, {4, []uint32{1, 3, 7, 13, 13, 15, 69}},
	}
}

// directionsOf returns the direction numbers of a dimension, from 0, as 32 binary digits each.
func directionsOf(dimension int) (v [sobolBits]uint32) {
	if dimension == 0 {
		for i := range v {
			v[i] = 1 << (sobolBits - 1 - i)
		}
		return v
	}
	p := primitives()[dimension-1]
	degree := len(p.initial)
	for i := range v {
		if i < degree {
			v[i] = p.initial[i] << (sobolBits - 1 - i)
			continue
		}
		v[i] = v[i-degree] ^ v[i-degree]>>degree
		for k := 1; k < degree; k++ {
			v[i] ^= (p.coefficients >> (degree - 1 - k) & 1) * v[i-k]
		}
	}
	return v
}

func newPoints(n, d int) [][]float64 {
	points := make([][]float64, n)
	for i := range points {
		points[i] = make([]float64, d)
	}
	return points
}

// below1 keeps the last stratum from being rounded up to 1.
func below1(u float64) float64 { return min(u, 1-0x1p-53) }

func checkDimensions(d int) error {
	if d > maxSobol {
		return fmt.Errorf("%d parameters: a Sobol sequence has direction numbers for %d; use lhs", d, maxSobol)
	}
	return nil
}
