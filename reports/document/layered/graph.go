package layered

import "slices"

// graph is a graph in the course of its layout. Edges over several layers are split at each by a box without size.
type graph struct {
	nodes  []Node
	edges  []Edge
	back   []bool // the edges that run back
	boxes  []box  // the nodes, then those that split edges
	chains [][]int
	layers [][]int   // boxes of each, from one side to the other
	starts []float64 // of layers, along; the last is where all end
	ends   []float64 // of layers, without the gap after them
}

// box is something that has a place in a layer.
type box struct {
	layer     int
	size      float64 // across
	at        float64 // the centre, across
	into, out []link
}

// link is a neighbour in the layer before or after.
type link struct{ box, weight int }

func newGraph(nodes []Node, edges []Edge) *graph {
	g := &graph{nodes: nodes, edges: edges, back: make([]bool, len(edges)), chains: make([][]int, len(edges))}
	for _, n := range nodes {
		g.boxes = append(g.boxes, box{size: n.Across})
	}
	g.turnBack()
	return g
}

// turnBack finds the edges that would close a circle, in the order of edges, the last ones last.
func (g *graph) turnBack() {
	next := make([][]int, len(g.nodes))
	for _, last := range []bool{false, true} {
		for i, e := range g.edges {
			if e.Last != last {
				continue
			}
			if reaches(next, e.To, e.From, make([]bool, len(g.nodes))) {
				g.back[i] = true
			} else {
				next[e.From] = append(next[e.From], e.To)
			}
		}
	}
}

func reaches(next [][]int, from, to int, seen []bool) bool {
	if from == to {
		return true
	}
	seen[from] = true
	return slices.ContainsFunc(next[from], func(n int) bool { return !seen[n] && reaches(next, n, to, seen) })
}

// rank puts each node into the first layer after all that lead to it, and those that nothing leads to right before what they lead to.
func (g *graph) rank() {
	for changed := true; changed; {
		changed = false
		for i, e := range g.edges {
			if want := g.boxes[e.From].layer + 1; !g.back[i] && g.boxes[e.To].layer < want {
				g.boxes[e.To].layer, changed = want, true
			}
		}
	}
	for i := range g.nodes {
		first, source := len(g.nodes), true
		for k, e := range g.edges {
			if g.back[k] {
				continue
			}
			if e.To == i {
				source = false
			}
			if e.From == i {
				first = min(first, g.boxes[e.To].layer)
			}
		}
		if source && first < len(g.nodes) {
			g.boxes[i].layer = first - 1
		}
	}
}

// split links neighbours, and gives each edge the boxes between its ends.
func (g *graph) split() {
	for i, e := range g.edges {
		if g.back[i] {
			continue
		}
		chain := []int{e.From}
		for layer := g.boxes[e.From].layer + 1; layer < g.boxes[e.To].layer; layer++ {
			chain = append(chain, len(g.boxes))
			g.boxes = append(g.boxes, box{layer: layer})
		}
		chain = append(chain, e.To)
		for k, from := range chain[:len(chain)-1] {
			to := chain[k+1]
			g.boxes[from].out = append(g.boxes[from].out, link{to, max(1, e.Weight)})
			g.boxes[to].into = append(g.boxes[to].into, link{from, max(1, e.Weight)})
		}
		g.boxes[e.To].size = max(g.boxes[e.To].size, e.Label.Across)
		g.chains[i] = chain
	}
	for i, b := range g.boxes {
		for len(g.layers) <= b.layer {
			g.layers = append(g.layers, nil)
		}
		g.layers[b.layer] = append(g.layers[b.layer], i)
	}
}
