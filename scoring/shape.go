package scoring

import "math"

// Shape is the form of a distribution of scores: how far it leans to one side, and how heavy its tails are. It is zero
// if it is not known, as for equal scores.
type Shape struct {
	Skewness float64 // m3/m2^1.5 of the central moments; below 0 where the tail is below the mean
	Kurtosis float64 // m4/m2², at least 1 + Skewness²; 3 for normal scores
}

// NewShape computes the shape of scores.
func NewShape(xs []float64) Shape {
	m := NewMoments(xs)
	var m2, m3, m4 float64
	for _, x := range xs {
		d := x - m.Mean
		square := float64(d * d)
		m2 += square
		m3 += float64(square * d)
		m4 += float64(square * square)
	}
	n := float64(len(xs))
	if len(xs) == 0 || m.Min == m.Max {
		return Shape{}
	}
	return shapeOf(m2/n, m3/n, m4/n)
}

// shapeOf returns the shape of a distribution with these central moments.
func shapeOf(m2, m3, m4 float64) Shape {
	s := Shape{Skewness: m3 / float64(m2*math.Sqrt(m2)), Kurtosis: m4 / float64(m2*m2)}
	if !(m2 > 0) || !finite(s.Skewness) || !finite(s.Kurtosis) {
		return Shape{}
	}
	s.Kurtosis = max(1, s.Kurtosis) // which rounding can leave
	return s
}
