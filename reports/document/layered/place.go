package layered

// placeAcross moves each box towards its neighbours, to and fro, in the order of its layer and without overlaps.
func (g *graph) placeAcross() {
	for _, layer := range g.layers {
		at := 0.0
		for i, b := range layer {
			if i > 0 {
				at += g.distance(layer[i-1], b)
			}
			g.boxes[b].at = at
		}
	}
	for sweep := range sweeps {
		forward := sweep%2 == 0
		g.sweep(forward, func(layer []int) { g.settle(layer, forward) })
	}
	g.sweep(true, func(layer []int) { g.settle(layer, true) })
}

// distance is the least one of the centres of two boxes beside each other.
func (g *graph) distance(a, b int) float64 { return (g.boxes[a].size+g.boxes[b].size)/2 + apart }

// run are boxes that touch, and move as one.
type run struct {
	n           int
	sum, weight float64 // of the wishes for the first of them
}

func (r run) at() float64 { return r.sum / r.weight }

// settle gives the boxes of a layer the places whose squared distances from those they wish for, weighted, have the least sum: neighbours
// that want to overlap become a run ("pool adjacent violators").
func (g *graph) settle(layer []int, forward bool) {
	offsets := make([]float64, len(layer)) // from the first box, were all as close as can be
	var runs []run
	for i, b := range layer {
		if i > 0 {
			offsets[i] = offsets[i-1] + g.distance(layer[i-1], b)
		}
		wish, weight := g.wish(b, forward)
		runs = append(runs, run{1, float64(weight * (wish - offsets[i])), weight})
		for k := len(runs) - 1; k > 0 && runs[k-1].at() > runs[k].at(); k-- {
			runs[k-1] = run{runs[k-1].n + runs[k].n, runs[k-1].sum + runs[k].sum, runs[k-1].weight + runs[k].weight}
			runs = runs[:k]
		}
	}
	i := 0
	for _, r := range runs {
		for range r.n {
			g.boxes[layer[i]].at = r.at() + offsets[i]
			i++
		}
	}
}

// wish is where a box would be straight behind its neighbours. One without any wants little to stay.
func (g *graph) wish(b int, forward bool) (at, weight float64) {
	for _, l := range g.boxes[b].before(forward) {
		at += float64(float64(l.weight) * g.boxes[l.box].at)
		weight += float64(l.weight)
	}
	if weight == 0 {
		return g.boxes[b].at, 0.1
	}
	return at / weight, weight
}

// placeAlong makes the gap before each layer as long as the longest label in it needs.
func (g *graph) placeAlong() {
	labels := make([]float64, len(g.layers))
	for i, e := range g.edges {
		if layer := g.boxes[e.To].layer; !g.back[i] && e.Label.Along > 0 {
			labels[layer] = max(labels[layer], e.Label.Along+2*gutter)
		}
	}
	at := 0.0
	if g.entersFirst() {
		at = bend + arrow
	}
	for i, layer := range g.layers {
		if i > 0 {
			at += bend + labels[i] + arrow
		}
		g.starts = append(g.starts, at)
		length := 0.0
		for _, b := range layer {
			if b < len(g.nodes) {
				length = max(length, g.nodes[b].Along)
			}
		}
		at += length
		g.ends = append(g.ends, at)
	}
}

// entersFirst says that an edge runs back to the first layer.
func (g *graph) entersFirst() bool {
	for i, e := range g.edges {
		if g.back[i] && g.boxes[e.To].layer == 0 {
			return true
		}
	}
	return false
}
