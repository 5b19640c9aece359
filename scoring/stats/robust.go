package stats

import "slices"

func sorted(xs []float64) []float64 { return slices.Sorted(slices.Values(xs)) }

func median(xs []float64) float64 {
	s := sorted(xs)
	lo, hi := s[(len(s)-1)/2], s[len(s)/2]
	return lo + (hi-lo)/2
}
