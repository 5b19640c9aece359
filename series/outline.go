package series

import "math"

// Outline returns at most n numbers that show the course of a series: the means of the finite values in n equal
// parts, NaN for a part without any. A series of no more than n values is its own outline.
func Outline(values []float64, n int) []float64 {
	if len(values) <= n {
		return values
	}
	out := make([]float64, n)
	for i := range out {
		sum, count := 0.0, 0
		for _, v := range values[i*len(values)/n : (i+1)*len(values)/n] {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				sum += v
				count++
			}
		}
		out[i] = sum / float64(count) // 0/0 is NaN
	}
	return out
}
