// Package layered lays out small directed graphs in layers, after Sugiyama, Tagawa and Toda (1981): all edges that can do so lead from a
// layer to a later one; those that would close a circle run back beside the layers. It is pure, and knows no text and no colours.
//
// Coordinates are along the direction of the edges and across it.
package layered

// Node is a box. Its size is along and across.
type Node struct{ Along, Across float64 }

// Edge leads from a node to another, by their places in the list.
type Edge struct {
	From, To int
	Label    Node // the size of its text; zero for none
	Weight   int  // at least 1: those of most weight are the straightest
	Last     bool // this one runs back, rather than another, where they make a circle
}

// Point is a place in a drawing.
type Point struct{ Along, Across float64 }

// Route is the way of an edge.
type Route struct {
	Points []Point
	Back   bool  // a way around corners; else a line that leaves each point, and comes to it, along the direction of edges
	Label  Point // the centre of the text
}

// Drawing is a graph with places for everything, from 0 on.
type Drawing struct {
	Along, Across float64
	Nodes         []Point // their centres
	Routes        []Route // of the edges, in their order
}

// Distances.
const (
	bend   = 36.0 // room for the curves of edges after a layer
	arrow  = 16.0 // room for the heads of arrows before a layer
	apart  = 18.0 // between nodes of a layer
	lane   = 14.0 // between edges that run back
	gutter = 6.0  // beside labels
)

// Layout places nodes and edges. Edges that run back do so on the near side of the layers, across, or on the far one.
func Layout(nodes []Node, edges []Edge, far bool) Drawing {
	g := newGraph(nodes, edges)
	g.rank()
	g.split()
	g.order()
	g.placeAcross()
	g.placeAlong()
	if far {
		g.mirror()
	}
	d := g.drawing()
	if far {
		d.mirror()
	}
	g.normalize(&d)
	return d
}
