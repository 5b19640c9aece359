package evolution

import "math"

// sample is the input of the paired policies: n differences, their mean and their sample sd (NaN for fewer than 2).
type sample struct {
	n        int
	mean, sd float64
}

// newSample summarizes child - parent. The mean is rounded as scores are compared: see round9.
func newSample(child, parent []float64) sample {
	d := make([]float64, len(child))
	for i := range d {
		d[i] = round9(child[i] - parent[i])
	}
	s := summarize(d)
	s.mean = round9(s.mean)
	return s
}

// summarize computes mean and sample sd around the first value, so that equal values have exactly the sd 0. Explicit
// conversions keep processors that can from fusing a product with a sum: the result is the same on all.
func summarize(xs []float64) sample {
	n := float64(len(xs))
	if n == 0 {
		return sample{mean: math.NaN(), sd: math.NaN()}
	}
	sum := 0.0
	for _, x := range xs {
		sum += x - xs[0]
	}
	mean := xs[0] + sum/n
	squares := 0.0
	for _, x := range xs {
		squares += float64((x - mean) * (x - mean))
	}
	s := sample{n: len(xs), mean: mean, sd: math.NaN()}
	if s.n > 1 {
		s.sd = math.Sqrt(squares / (n - 1))
	}
	return s
}

// se returns the standard error of the mean.
func (s sample) se() float64 { return s.sd / math.Sqrt(float64(s.n)) }

// round9 rounds to 9 decimals. Scores have two decimals and weights one, so further decimals of a mean or difference
// are rounding errors: 0.3 - (0.1 + 0.2) must be a tie, not a loss.
func round9(x float64) float64 { return math.Round(x*1e9) / 1e9 }
