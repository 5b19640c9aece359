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
	Words    string // what a link says; empty for its name
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
	mostLinks = 500  // versions that are links
)

// treeLines are the lines to parents: those of the path, and others.
var treeLines = [...]struct {
	name  string
	style style
}{{"path to the active version", style{stroke: blue, width: 2.6}}, {"came from", style{stroke: axisInk, width: 0.8}}}

// kind returns which of treeLines leads to a parent of a node.
func (n TreeNode) kind(parent int) int {
	if parent == 0 && n.OnPath {
		return 0
	}
	return 1
}

var headStyle = style{stroke: text, width: 1.6}

const headSize = 9.0

func (t Tree) figure() figure {
	f := figure{kind: "Tree", title: t.Title, xLabel: "version", noTicks: true, least: laneRoom * float64(len(t.Lanes))}
	var counts [nDecisions]int
	var lines [len(treeLines)]int
	onPath := 0
	for _, n := range t.Nodes {
		counts[n.Decision.known()]++
		if n.OnPath {
			onPath++
		}
		for k := range n.Parents {
			lines[n.kind(k)]++
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
	for _, d := range drawn {
		if counts[d] > 0 {
			s := d.series(0, counts[d])
			f.legend = append(f.legend, entry{s.Name, sign(s.Shape, s.Size, s.style())})
		}
	}
	if slices.ContainsFunc(t.Nodes, func(n TreeNode) bool { return n.Active }) {
		f.legend = append(f.legend, entry{"active", sign(disk, headSize, headStyle)})
	}
	for k, look := range treeLines {
		if lines[k] > 0 {
			f.legend = append(f.legend, entry{look.name, strip(look.style)})
		}
	}
	f.data = t.draw
	return f
}

// at returns where a node stands.
func (t Tree) at(p plot, i int) point {
	n := t.Nodes[i]
	lane := max(0, min(len(t.Lanes)-1, n.Lane))
	top, bottom := p.y.at(float64(len(t.Lanes)-lane))+laneName, p.y.at(float64(len(t.Lanes)-lane-1))-laneFloor
	return point{p.x.at(float64(i)), bottom - float64((bottom-top)*float64(max(0, min(100, n.Height)))/100)}
}

func (t Tree) draw(c *canvas, p plot) (fact string) {
	for i, name := range t.Lanes {
		y := p.y.at(float64(len(t.Lanes) - i))
		c.line(style{stroke: gridInk, width: 1}, point{p.left, y}, point{p.right, y})
		if len(t.Lanes) > 1 {
			c.text(p.left, y+sizeTick, or(name, unnamed), p.right-p.left, textStyle{sizeTick, dim, start})
		}
	}
	size := max(1.2, min(markerSize, (p.right-p.left)/float64(len(t.Nodes))/2))
	var lines [len(treeLines)][][]point
	var marks [nDecisions][]point
	coarsen(func(side pixel) (sum int) {
		lines = t.lines(p, side)
		for _, one := range lines {
			sum += cost(one)
		}
		var all [nDecisions][]point
		for i, n := range t.Nodes {
			all[n.Decision.known()] = append(all[n.Decision.known()], t.at(p, i))
		}
		for d := range marks {
			marks[d] = thin(all[d], side)
			sum += 3 * len(marks[d])
		}
		return sum
	})
	for k := len(lines) - 1; k >= 0; k-- {
		c.lines(lines[k], treeLines[k].style)
	}
	if c.href != nil && len(t.Nodes) <= mostLinks {
		for i, n := range t.Nodes {
			s := n.Decision.known().series(0, 0)
			c.link(Mark{Label: n.Name}, or(n.Words, n.Name), func() { s.Shape.draw(c, size, s.style(), t.at(p, i)) })
		}
	} else {
		for _, d := range drawn {
			s := d.series(0, 0)
			s.Shape.draw(c, size, s.style(), marks[d]...)
		}
	}
	for i, n := range t.Nodes {
		if n.Active {
			disk.draw(c, headSize, headStyle, t.at(p, i))
		}
	}
	return ""
}

// lines returns the lines to parents. Of those that would lie upon one another the first stays.
func (t Tree) lines(p plot, side pixel) (lines [len(treeLines)][][]point) {
	taken := map[[4]int]bool{}
	square := func(x float64) int { return int(math.Floor(x / float64(side))) }
	for i, n := range t.Nodes {
		for k, parent := range n.Parents {
			if parent < 0 || parent >= i {
				continue
			}
			from, to := t.at(p, parent), t.at(p, i)
			place := [4]int{square(from.x), square(from.y), square(to.x), square(to.y)}
			kind := n.kind(k)
			if kind > 0 && taken[place] {
				continue
			}
			taken[place] = taken[place] || kind > 0
			lines[kind] = append(lines[kind], bent(from, to))
		}
	}
	return lines
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
