package stats

import (
	"math"
	"slices"
)

func median(xs []float64) float64 { return quantileSorted(sorted(xs), 0.5) }

// quantileSorted interpolates as from + g·(to-from) and never beyond to, so that it is monotone in p to the last bit.
func quantileSorted(xs []float64, p float64) float64 {
	h := float64(float64(len(xs)-1) * p)
	i := int(math.Floor(h))
	g := h - float64(i)
	if g == 0 {
		return xs[i]
	}
	return min(xs[i+1], xs[i]+float64(g*(xs[i+1]-xs[i])))
}

func sorted(xs []float64) []float64 { return slices.Sorted(slices.Values(xs)) }
