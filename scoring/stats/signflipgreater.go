package stats

import "math"

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
