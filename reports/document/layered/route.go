package layered

import (
	"cmp"
	"math"
	"slices"
)

// drawing puts everything together.
func (g *graph) drawing() Drawing {
	d := Drawing{Routes: make([]Route, len(g.edges))}
	for i := range g.nodes {
		b := g.boxes[i]
		d.Nodes = append(d.Nodes, Point{(g.starts[b.layer] + g.ends[b.layer]) / 2, b.at})
	}
	for i := range g.edges {
		if !g.back[i] {
			d.Routes[i] = g.forward(i)
		}
	}
	g.runBack(&d)
	return d
}

// mirror turns the near side to the far one.
func (g *graph) mirror() {
	for i := range g.boxes {
		g.boxes[i].at *= -1
	}
}

func (d *Drawing) mirror() {
	for i := range d.Nodes {
		d.Nodes[i].Across *= -1
	}
	for i, r := range d.Routes {
		for k := range r.Points {
			r.Points[k].Across *= -1
		}
		d.Routes[i].Label.Across *= -1
	}
}

// forward goes through the boxes that split the edge, and comes to its end in a straight line, on which the label is.
func (g *graph) forward(i int) Route {
	e, chain := g.edges[i], g.chains[i]
	from, to := g.boxes[e.From], g.boxes[e.To]
	r := Route{Points: []Point{{g.right(e.From), from.at}, {g.ends[from.layer], from.at}}}
	for _, b := range chain[1 : len(chain)-1] {
		layer, at := g.boxes[b].layer, g.boxes[b].at
		r.Points = append(r.Points, Point{g.starts[layer], at}, Point{g.ends[layer], at})
	}
	label := g.starts[to.layer] - arrow - gutter - e.Label.Along/2
	r.Points = append(r.Points, Point{g.starts[to.layer] - arrow - gutter - max(0, e.Label.Along+gutter), to.at}, Point{g.left(e.To), to.at})
	r.Label = Point{label, to.at}
	return r
}

// left and right are where a node begins and ends, along.
func (g *graph) left(node int) float64 {
	layer := g.boxes[node].layer
	return (g.starts[layer] + g.ends[layer] - g.nodes[node].Along) / 2
}

func (g *graph) right(node int) float64 { return g.left(node) + g.nodes[node].Along }

// runBack leads edges out of the layers, in the gap after the one they come from, along them, and in through the gap before the one they
// lead to. The shortest is the innermost.
func (g *graph) runBack(d *Drawing) {
	var list []int
	for i := range g.edges {
		if g.back[i] {
			list = append(list, i)
		}
	}
	span := func(i int) int { return g.boxes[g.edges[i].From].layer - g.boxes[g.edges[i].To].layer }
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(span(a), span(b)) })
	var taken []passage
	for k, i := range list {
		shift := float64(k%4) * 4
		e := g.edges[i]
		out := Point{g.gap(g.boxes[e.From].layer+1) + bend/6 + shift, g.boxes[e.From].at - g.nodes[e.From].Across/4}
		in := Point{g.gap(g.boxes[e.To].layer) + bend/2 + 2 + shift, g.boxes[e.To].at - g.nodes[e.To].Across/4}
		middle := (in.Along + out.Along) / 2
		reach := max(out.Along-in.Along, e.Label.Along)/2 + gutter
		at := g.beside(middle-reach, middle+reach, e.Label.Across/2+lane, &taken)
		d.Routes[i] = Route{
			Back:   true,
			Points: []Point{{g.right(e.From), out.Across}, out, {out.Along, at}, {in.Along, at}, in, {g.left(e.To), in.Across}},
			Label:  Point{middle, at},
		}
	}
}

// passage is where an edge runs back, along and with its outer side.
type passage struct{ from, to, side float64 }

// beside is a place across for an edge that runs back: outside of the layers it passes, and of the edges that do so already.
func (g *graph) beside(from, to, room float64, taken *[]passage) float64 {
	side := math.Inf(1)
	for _, b := range g.boxes {
		if g.starts[b.layer] < to && from < g.ends[b.layer] {
			side = min(side, b.at-b.size/2)
		}
	}
	for _, p := range *taken {
		if p.from < to && from < p.to {
			side = min(side, p.side)
		}
	}
	*taken = append(*taken, passage{from, to, side - 2*room + lane})
	return side - room
}

// gap is where the room before a layer begins, along.
func (g *graph) gap(layer int) float64 {
	if layer == 0 {
		return g.starts[0] - bend - arrow
	}
	return g.ends[layer-1]
}

// normalize moves all so that it begins at 0, and measures it.
func (g *graph) normalize(d *Drawing) {
	low, high := Point{}, Point{}
	cover := func(p Point, size Node) {
		low = Point{min(low.Along, p.Along-size.Along/2), min(low.Across, p.Across-size.Across/2)}
		high = Point{max(high.Along, p.Along+size.Along/2), max(high.Across, p.Across+size.Across/2)}
	}
	for i, p := range d.Nodes {
		cover(p, g.nodes[i])
	}
	for i, r := range d.Routes {
		cover(r.Label, g.edges[i].Label)
		for _, p := range r.Points {
			cover(p, Node{})
		}
	}
	for i := range d.Nodes {
		d.Nodes[i] = d.Nodes[i].less(low)
	}
	for i, r := range d.Routes {
		for k := range r.Points {
			r.Points[k] = r.Points[k].less(low)
		}
		d.Routes[i].Label = r.Label.less(low)
	}
	d.Along, d.Across = high.Along-low.Along, high.Across-low.Across
}

func (p Point) less(q Point) Point { return Point{p.Along - q.Along, p.Across - q.Across} }
