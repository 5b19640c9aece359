package chart

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Front shows things by two objectives, each with its intervals. Those on the Pareto front are dots, joined by steps:
// the corner between two of them is as bad as both. Others are faint. The active one is ringed, the root is a diamond.
type Front struct {
	Title, XLabel, YLabel string
	Interval              string // what the intervals are
	MinimizeX, MinimizeY  bool   // less is better
	Points                []FrontPoint
}

// FrontPoint is one thing. Its name is the label of X.
type FrontPoint struct {
	X, Y                Estimate
	Front, Active, Root bool
}

const (
	mostFrontIntervals = 60 // of points
	mostFrontNames     = 12 // of points on the front
)

func (f Front) figure() figure {
	g := figure{kind: "Pareto front", title: f.Title, xLabel: f.XLabel, yLabel: f.YLabel}
	f = f.finite()
	x, y := f.means()
	front := f.front()
	g.subtitle = count(len(f.Points), "version", "versions") + ", " + whole(len(front)) + " on the front"
	g.facts = []string{g.subtitle + "."}
	if len(f.Points) == 0 {
		g.empty = "no version has both"
		return g
	}
	g.facts = append(g.facts, "x is "+x.span()+", y is "+y.span()+".", "The front: "+listed(len(front), func(i int) string {
		return or(front[i].X.Label, unnamed) + " (" + number(front[i].X.Mean) + ", " + number(front[i].Y.Mean) + ")"
	})+".")
	if g.x, g.y = padded(x), padded(y); f.hasIntervals() {
		g.x, g.y = padded(x.withIntervals(f, inX)), padded(y.withIntervals(f, inY))
		if n := f.beyond(); n > 0 {
			cut := furtherText(n)
			g.subtitle += ", " + cut
			g.facts = append(g.facts, strings.ToUpper(cut[:1])+cut[1:]+".")
		}
	}
	g.legend = f.legend()
	g.data = func(c canvas, p plot) string { f.draw(c, p); return "" }
	return g
}

// Range is what an axis shows.
type Range struct{ Lo, Hi float64 }

// Frame returns what the axes show: the means, and the ends of intervals as far as they leave at least half of the axis
// to the means. If all means are equal, the ends are shown.
func (f Front) Frame() (x, y Range) {
	f = f.finite()
	meansX, meansY := f.means()
	wideX, wideY := meansX.withIntervals(f, inX), meansY.withIntervals(f, inY)
	return Range{wideX.lo, wideX.hi}, Range{wideY.lo, wideY.hi}
}

// finite returns the chart with the points that have both means.
func (f Front) finite() Front {
	f.Points = slices.DeleteFunc(slices.Clone(f.Points), func(p FrontPoint) bool { return !finite(p.X.Mean) || !finite(p.Y.Mean) })
	return f
}

func inX(p FrontPoint) Estimate { return p.X }
func inY(p FrontPoint) Estimate { return p.Y }

func (f Front) means() (x, y extent) {
	for _, p := range f.Points {
		x.add(p.X.Mean)
		y.add(p.Y.Mean)
	}
	return x, y
}

// withIntervals returns the extent of means with the ends of their intervals, as far as these do not dwarf the means.
func (e extent) withIntervals(f Front, of func(FrontPoint) Estimate) extent {
	wide, room := e, (e.hi-e.lo)/2
	if room == 0 {
		room = math.MaxFloat64
	}
	for _, p := range f.Points {
		if one := of(p); one.hasInterval() && finite(room) {
			wide.add(max(one.Lo, e.lo-room))
			wide.add(min(one.Hi, e.hi+room))
		}
	}
	return wide
}

// beyond returns how many intervals do not end within the frame.
func (f Front) beyond() (n int) {
	x, y := f.Frame()
	for _, p := range f.Points {
		for _, cut := range [][2]bool{x.cuts(p.X), y.cuts(p.Y)} {
			if cut[0] || cut[1] {
				n++
			}
		}
	}
	return n
}

// cuts reports which ends of an interval are not within the range.
func (r Range) cuts(e Estimate) [2]bool {
	return [2]bool{e.hasInterval() && e.Lo < r.Lo, e.hasInterval() && e.Hi > r.Hi}
}

// front returns the points on the front in the order of x.
func (f Front) front() (front []FrontPoint) {
	for _, p := range f.Points {
		if p.Front {
			front = append(front, p)
		}
	}
	slices.SortStableFunc(front, func(a, b FrontPoint) int {
		return cmp.Or(cmp.Compare(a.X.Mean, b.X.Mean), cmp.Compare(a.Y.Mean, b.Y.Mean))
	})
	return front
}

// steps returns the line through the points of the front.
func (f Front) steps() (list [][2]float64) {
	for i, p := range f.front() {
		if i > 0 {
			last := list[len(list)-1]
			list = append(list, [2]float64{worse(last[0], p.X.Mean, f.MinimizeX), worse(last[1], p.Y.Mean, f.MinimizeY)})
		}
		list = append(list, [2]float64{p.X.Mean, p.Y.Mean})
	}
	return list
}

func worse(a, b float64, minimize bool) float64 {
	if minimize {
		return max(a, b)
	}
	return min(a, b)
}

// hasIntervals reports whether there are intervals, and few enough points to draw them.
func (f Front) hasIntervals() bool {
	return len(f.Points) <= mostFrontIntervals && slices.ContainsFunc(f.Points, func(p FrontPoint) bool { return p.X.hasInterval() || p.Y.hasInterval() })
}

func (f Front) legend() []entry {
	at := func(draw func(c canvas, at point)) func(canvas, point) {
		return func(c canvas, left point) { draw(c, point{left.x + sampleWidth/2, left.y}) }
	}
	legend := []entry{
		{"on the front", at(func(c canvas, p point) { frontDots(c, []point{p}, markerSize) })}, {"not on the front", at(func(c canvas, p point) { otherDots(c, []point{p}, markerSize) })},
	}
	if f.hasIntervals() {
		legend = append(legend, entry{or(f.Interval, "interval"), at(func(c canvas, p point) { whisker(c, p.x, p.y-8, p.y+8, maxCap, intervalStyle) })})
	}
	if slices.ContainsFunc(f.Points, func(p FrontPoint) bool { return p.Root }) {
		legend = append(legend, entry{"root", at(func(c canvas, p point) { diamond.draw(c, p, markerSize+1, hollow(text)) })})
	}
	if slices.ContainsFunc(f.Points, func(p FrontPoint) bool { return p.Active }) {
		legend = append(legend, entry{"active", at(func(c canvas, p point) { c.circle(p.x, p.y, headSize, headStyle) })})
	}
	return legend
}

func frontDots(c canvas, at []point, size float64) {
	lines := make([][]point, len(at))
	for i, p := range at {
		lines[i] = []point{p}
	}
	c.lines(lines, style{stroke: paper, width: 2*size + 1.5})
	c.lines(lines, style{stroke: blue, width: 2 * size})
}

func otherDots(c canvas, at []point, size float64) {
	var squares [][]point
	for _, p := range at {
		squares = append(squares, box(p.x-0.6*size, p.y-0.6*size, p.x+0.6*size, p.y+0.6*size))
	}
	c.areas(squares, hollow(axisInk))
}

func (f Front) draw(c canvas, p plot) {
	if f.hasIntervals() {
		f.drawIntervals(c, p)
	}
	var steps, on, others []point
	for _, s := range f.steps() {
		steps = append(steps, p.at(s[0], s[1]))
	}
	for _, one := range f.Points {
		if at := p.at(one.X.Mean, one.Y.Mean); one.Front {
			on = append(on, at)
		} else {
			others = append(others, at)
		}
	}
	size := markerSize
	if len(f.Points) > maxMarked {
		size = crowdedSize
	}
	all := [2][]point{on, others}
	coarsen(func(square pixel) (cost int) {
		on, others, cost = thin(all[0], square), thin(all[1], square), 2*len(steps)
		return cost + 2*(len(on)+4*len(others))
	})
	otherDots(c, others, size)
	c.polyline(perColumn(steps), bestStyle)
	frontDots(c, on, size)
	for _, one := range f.Points {
		at := p.at(one.X.Mean, one.Y.Mean)
		if one.Root {
			diamond.draw(c, at, markerSize+1, hollow(text))
		}
		if one.Active {
			c.circle(at.x, at.y, headSize, headStyle)
		}
	}
	f.drawNames(c, p)
}

// drawIntervals draws the intervals of both objectives as far as the frame goes.
func (f Front) drawIntervals(c canvas, p plot) {
	x, y := f.Frame()
	for _, one := range f.Points {
		at, s := p.at(one.X.Mean, one.Y.Mean), style{stroke: axisInk, width: 1}
		if one.Front {
			s = style{stroke: blue, width: 1.2}
		}
		if one.X.hasInterval() {
			lyingCut(c, at.y, p.x.at(max(one.X.Lo, x.Lo)), p.x.at(min(one.X.Hi, x.Hi)), maxCap, s, x.cuts(one.X))
		}
		if one.Y.hasInterval() {
			cut := y.cuts(one.Y)
			whiskerCut(c, at.x, p.y.at(min(one.Y.Hi, y.Hi)), p.y.at(max(one.Y.Lo, y.Lo)), maxCap, s, [2]bool{cut[1], cut[0]})
		}
	}
}

// furtherText says how many intervals end beyond an axis.
func furtherText(n int) string { return count(n, "interval goes", "intervals go") + " further (arrow)" }

// whiskerCut draws an upright interval with the head of an arrow at an end that is beyond the axis.
func whiskerCut(c canvas, x, top, bottom, half float64, s style, cut [2]bool) {
	c.polyline([]point{{x, top}, {x, bottom}}, s)
	for i, y := range [2]float64{top, bottom} {
		inwards := [2]float64{half, -half}[i]
		if cut[i] {
			c.polygon([]point{{x, y}, {x - half, y + inwards}, {x + half, y + inwards}}, style{fill: s.stroke})
			continue
		}
		c.polyline([]point{{x - half, y}, {x + half, y}}, s)
	}
}

// drawNames writes the names of the points on the front, unless there are many.
func (f Front) drawNames(c canvas, p plot) {
	front := f.front()
	if len(front) > mostFrontNames {
		return
	}
	for _, one := range front {
		at, anchor, room := p.at(one.X.Mean, one.Y.Mean), start, p.right
		if at.x > (p.left+p.right)/2 {
			anchor, at.x, room = end, at.x-gap, at.x-gap-p.left
		} else {
			at.x += gap
			room -= at.x
		}
		label(c, at.x, at.y-gap, or(one.X.Label, unnamed), min(nameRoom, room), textStyle{sizeTick, dim, anchor})
	}
}
