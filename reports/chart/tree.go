package chart

import (
	"math"
	"slices"
)

// Tree shows the versions of a lineage with lines to what they came from. Time runs to the right; a better version is
// higher in its lane. The path to the active version is bold.
type Tree struct {
	Title string
	Lanes []string
	Nodes []TreeNode // in the order of time: parents come before their children
}

// TreeNode is a version, or several that did not change anything.
type TreeNode struct {
	Name     string
	Decision Decision
	Active   bool
	Lane     int   // its place among the lanes
	Height   int   // in its lane, from 0 to 100
	OnPath   bool  // the line to its first parent is a part of the path
	Parents  []int // places among the nodes
}

const (
	laneRoom  = 56.0 // height of a lane
	laneName  = 20.0 // height of its name
	laneFloor = 10.0
	longBend  = 40.0 // of a line, which is as wide as it is bent
)

var (
	edgeStyle = style{stroke: axisInk, width: 0.8}
	pathStyle = style{stroke: blue, width: 2.6}
)

func (t Tree) figure() figure {
	f := figure{kind: "Tree", title: t.Title, xLabel: "version", noTicks: true, least: laneRoom * float64(len(t.Lanes))}
	var counts [nDecisions]int
	onPath := 0
	for _, n := range t.Nodes {
		counts[Candidate{Decision: n.Decision}.decision()]++
		if n.OnPath {
			onPath++
		}
		f.labels = append(f.labels, n.Name)
	}
	f.subtitle = count(len(t.Nodes), "version", "versions")
	if onPath > 0 {
		f.subtitle += ", " + whole(onPath) + " on the path to the active one"
	}
	f.facts = []string{f.subtitle + "."}
	if len(t.Nodes) == 0 || len(t.Lanes) == 0 {
		f.empty, f.labels = "no versions", nil
		return f
	}
	if len(t.Lanes) > 1 {
		f.facts = append(f.facts, "Lanes, from the top: "+listed(len(t.Lanes), func(i int) string { return or(t.Lanes[i], unnamed) })+".")
	}
	f.x = axis{lo: -0.5, hi: float64(len(t.Nodes)) - 0.5}
	f.y = axis{lo: 0, hi: float64(len(t.Lanes))}
	f.legend = t.legend(counts)
	f.data = func(c canvas, p plot) string { t.draw(c, p); return "" }
	return f
}

func (t Tree) legend(counts [nDecisions]int) (legend []entry) {
	for _, d := range []Decision{Root, Accepted, Rejected, Undecided, Refused, Failed} {
		if counts[d] == 0 {
			continue
		}
		name := decisions[d]
		if d != Root {
			name += " " + whole(counts[d])
		}
		legend = append(legend, entry{name, func(c canvas, at point) {
			drawDecision(c, d, []point{{at.x + sampleWidth/2, at.y}}, markerSize)
		}})
	}
	some := func(is func(TreeNode) bool) bool { return slices.ContainsFunc(t.Nodes, is) }
	if some(func(n TreeNode) bool { return n.Active }) {
		legend = append(legend, entry{"active", func(c canvas, at point) { c.circle(at.x+sampleWidth/2, at.y, headSize, headStyle) }})
	}
	if some(func(n TreeNode) bool { return n.OnPath }) {
		legend = append(legend, entry{"path to it", strip(pathStyle)})
	}
	if some(func(n TreeNode) bool { return len(n.Parents) > 0 }) {
		legend = append(legend, entry{"came from", strip(edgeStyle)})
	}
	return legend
}

// at returns where a node stands.
func (t Tree) at(p plot, i int) point {
	n := t.Nodes[i]
	lane := max(0, min(len(t.Lanes)-1, n.Lane))
	top, bottom := p.y.at(float64(len(t.Lanes)-lane))+laneName, p.y.at(float64(len(t.Lanes)-lane-1))-laneFloor
	return point{p.x.at(float64(i)), bottom - float64((bottom-top)*float64(max(0, min(100, n.Height)))/100)}
}

func (t Tree) draw(c canvas, p plot) {
	for i, name := range t.Lanes {
		y := p.y.at(float64(len(t.Lanes) - i))
		c.polyline([]point{{p.left, y}, {p.right, y}}, style{stroke: gridInk, width: 1})
		if len(t.Lanes) > 1 {
			label(c, p.left, y+sizeTick, or(name, unnamed), p.right-p.left, textStyle{sizeTick, dim, start})
		}
	}
	size := max(1.2, min(markerSize, (p.right-p.left)/float64(len(t.Nodes))/2))
	var edges, path [][]point
	var marks [nDecisions][]point
	coarsen(func(side pixel) int {
		edges, path = t.lines(p, side)
		sum := cost(edges) + cost(path)
		for d := range marks {
			marks[d] = nil
		}
		for i, n := range t.Nodes {
			d := Candidate{Decision: n.Decision}.decision()
			marks[d] = append(marks[d], t.at(p, i))
		}
		for d := range marks {
			marks[d] = thin(marks[d], side)
			sum += 3 * len(marks[d])
		}
		return sum
	})
	c.lines(edges, edgeStyle)
	c.lines(path, pathStyle)
	for _, d := range []Decision{Failed, Refused, Rejected, Undecided, Accepted, Root} {
		if len(marks[d]) > 0 {
			drawDecision(c, d, marks[d], size)
		}
	}
	for i, n := range t.Nodes {
		if at := t.at(p, i); n.Active {
			c.circle(at.x, at.y, headSize, headStyle)
		}
	}
}

// lines returns the lines to parents. Of those that would lie upon one another the first stays.
func (t Tree) lines(p plot, side pixel) (edges, path [][]point) {
	taken := map[[4]int]bool{}
	square := func(x float64) int { return int(math.Floor(x / float64(side))) }
	for i, n := range t.Nodes {
		for k, parent := range n.Parents {
			if parent < 0 || parent >= i {
				continue
			}
			from, to := t.at(p, parent), t.at(p, i)
			if k == 0 && n.OnPath {
				path = append(path, bent(from, to))
				continue
			}
			place := [4]int{square(from.x), square(from.y), square(to.x), square(to.y)}
			if taken[place] {
				continue
			}
			taken[place] = true
			edges = append(edges, bent(from, to))
		}
	}
	return edges, path
}

// bent returns the points of a Bézier curve that leaves and arrives level; a short one is straight.
func bent(from, to point) []point {
	const steps = 8
	bend := min(longBend, (to.x-from.x)/2)
	if bend < 4 || from.y == to.y {
		return []point{from, to}
	}
	line := make([]point, steps+1)
	for k := range line {
		s := float64(k) / steps
		early := float64((1 - s) * (1 - s) * (1 + 2*s)) // the share of the beginning
		line[k] = point{
			float64(from.x*early) + float64(to.x*(1-early)) + float64(bend*3*s*(1-s)*(1-2*s)),
			float64(from.y*early) + float64(to.y*(1-early)),
		}
	}
	return line
}
