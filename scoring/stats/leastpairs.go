package stats

import "math"

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
