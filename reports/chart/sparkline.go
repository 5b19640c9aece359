package chart

import (
	"math"
	"slices"
	"strings"
)

// Sparkline writes scores as blocks, from the lowest to the highest of them: "▁▃▅·█". One that is not finite is a
// dot; where all are equal, blocks are half high. Of more than most scores, each block is the mean of those that
// share it; 0 stands for any number.
func Sparkline(scores []float64, most int) string {
	blocks := []rune("▁▂▃▄▅▆▇█")
	if most > 0 && len(scores) > most {
		scores = means(scores, most)
	}
	var e extent
	for _, v := range scores {
		e.add(v)
	}
	height := axis{lo: e.lo, hi: e.hi}.scale(0, float64(len(blocks)-1))
	var b strings.Builder
	for _, v := range scores {
		switch {
		case !finite(v):
			b.WriteRune('·')
		case e.lo == e.hi:
			b.WriteRune(blocks[len(blocks)/2])
		default:
			b.WriteRune(blocks[int(math.Round(height.at(v)))])
		}
	}
	return b.String()
}

// means returns those of the finite values in n equal parts; NaN if there are none.
func means(values []float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		part := slices.DeleteFunc(slices.Clone(values[i*len(values)/n:(i+1)*len(values)/n]), func(v float64) bool { return !finite(v) })
		if len(part) == 0 {
			out[i] = math.NaN()
		}
		for _, v := range part {
			out[i] += v / float64(len(part))
		}
	}
	return out
}
