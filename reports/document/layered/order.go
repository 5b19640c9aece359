package layered

import (
	"cmp"
	"slices"
)

// sweeps is how often order and places are improved, to and fro.
const sweeps = 12

// order sorts each layer by the mean place of neighbours, to and fro, and keeps the order with the fewest crossings.
func (g *graph) order() {
	best, fewest := g.copyLayers(), g.crossings()
	for sweep := range sweeps {
		forward := sweep%2 == 0
		g.sweep(forward, func(layer []int) {
			place := g.places()
			mean := func(b int) float64 {
				sum, n := 0.0, 0
				for _, l := range g.boxes[b].before(forward) {
					sum, n = sum+float64(place[l.box]), n+1
				}
				if n == 0 {
					return float64(place[b])
				}
				return sum / float64(n)
			}
			slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(mean(a), mean(b)) })
		})
		if n := g.crossings(); n < fewest {
			best, fewest = g.copyLayers(), n
		}
	}
	g.layers = best
}

// before are the neighbours that a sweep has come by.
func (b box) before(forward bool) []link {
	if forward {
		return b.into
	}
	return b.out
}

// sweep visits the layers from the first to the last, or the other way.
func (g *graph) sweep(forward bool, visit func(layer []int)) {
	for i := range g.layers {
		if !forward {
			i = len(g.layers) - 1 - i
		}
		visit(g.layers[i])
	}
}

// places are those of boxes in their layers.
func (g *graph) places() []int {
	place := make([]int, len(g.boxes))
	for _, layer := range g.layers {
		for i, b := range layer {
			place[b] = i
		}
	}
	return place
}

func (g *graph) copyLayers() [][]int {
	layers := make([][]int, len(g.layers))
	for i, layer := range g.layers {
		layers[i] = slices.Clone(layer)
	}
	return layers
}

// crossings counts the pairs of links that cross.
func (g *graph) crossings() int {
	place, n := g.places(), 0
	for _, layer := range g.layers {
		var ends []int // of the links, in the order of their starts
		for _, b := range layer {
			var own []int
			for _, l := range g.boxes[b].out {
				own = append(own, place[l.box])
			}
			slices.Sort(own)
			for _, end := range own {
				for _, other := range ends {
					if other > end {
						n++
					}
				}
			}
			ends = append(ends, own...)
		}
	}
	return n
}
