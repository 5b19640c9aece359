package chart

import (
	"slices"
	"strconv"
)

// History shows how an estimate changed from one configuration to the next: points with intervals. Points of the same
// line are joined.
type History struct {
	Title, XLabel, YLabel string
	Points                []Estimate // in the order of time
	Interval              string     // what Lo and Hi are: "95% t interval"; without it "interval"
	Prediction            *Prediction
	ChangePoints          []int // each the index of the first point of a new level; others than 1 to len(Points)-1 are left out
}

// Estimate is the mean of one configuration, and an interval for it.
type Estimate struct {
	Label  string
	Line   string  // points with the same one are joined, in their order
	N      int     // how many seeds it is the mean of; 0 if that is not known
	Mean   float64 // NaN leaves a gap
	Lo, Hi float64 // both finite, or there is no interval
}

// sampleSizes returns those that are known.
func sampleSizes(points []Estimate) (n extent) {
	for _, e := range points {
		if e.N > 0 {
			n.add(float64(e.N))
		}
	}
	return n
}

// sizes writes n, the known sizes of all estimates, such as ", n = 3 to 10 seeds, not known for 2 others".
func sizes(n extent, all int, one, many string) string {
	if n.n == 0 {
		return ""
	}
	s := ", n = " + among(int(n.lo), int(n.hi)) + " " + many
	if n.lo == n.hi {
		s = ", n = " + count(int(n.lo), one, many)
	}
	if unknown := all - n.n; unknown > 0 {
		s += ", not known for " + count(unknown, "other", "others")
	}
	return s
}

func (e Estimate) hasInterval() bool { return finite(e.Mean) && finite(e.Lo) && finite(e.Hi) }

// Prediction is a range in which the next point is expected. One that is not finite is not drawn.
type Prediction struct {
	Name   string // "95% prediction interval"; without it "prediction"
	Lo, Hi float64
}

func (p *Prediction) drawn() bool { return p != nil && finite(p.Lo) && finite(p.Hi) }

// maxIntervals is the largest number of points whose intervals are drawn one by one; beyond, they merge to a band.
const maxIntervals = 80

const sizeFloor = 18.0 // room for n beneath the points

const maxCap = 4.0 // half the length of the ends of an interval

var (
	meanStyle       = style{stroke: blue, width: 1.6}
	intervalStyle   = style{stroke: blue, width: 1.6}
	merged          = style{fill: blue, opacity: 0.25}
	predictionStyle = style{fill: orange, opacity: 0.14}
	predictionEdge  = style{stroke: orange, width: 1}
	changeStyle     = style{stroke: vermillion, width: 1.6}
)

func (h History) figure() figure {
	f := figure{kind: "History", title: h.Title, xLabel: h.XLabel, yLabel: h.YLabel}
	var means, y extent
	n := sampleSizes(h.Points)
	intervals := 0
	for _, e := range h.Points {
		f.labels = append(f.labels, e.Label)
		means.add(e.Mean)
		if e.hasInterval() {
			intervals++
			y.add(e.Lo)
			y.add(e.Hi)
		}
	}
	y.merge(means)
	if h.Prediction.drawn() && means.n > 0 {
		y.add(h.Prediction.Lo)
		y.add(h.Prediction.Hi)
	}
	if n.n > 0 && len(h.Points) <= maxIntervals {
		f.floor = sizeFloor
	}
	f.x, f.y = axis{lo: -0.5, hi: float64(len(h.Points)) - 0.5}, upright(y)
	switch {
	case len(h.Points) == 0:
		f.empty = "no configurations"
	case means.n == 0:
		f.empty = noValues
	}
	f.subtitle = count(len(h.Points), "configuration", "configurations")
	f.subtitle += sizes(n, len(h.Points), "seed", "seeds")
	changes := h.changes()
	f.facts = h.facts(f.subtitle, means, intervals, changes)
	f.legend = h.legend(intervals, changes)
	f.data = func(c canvas, p plot) string { return h.draw(c, p, changes) }
	return f
}

// changes returns the change points that lie between two points, in order.
func (h History) changes() []int {
	var changes []int
	for _, i := range h.ChangePoints {
		if i > 0 && i < len(h.Points) {
			changes = append(changes, i)
		}
	}
	slices.Sort(changes)
	return slices.Compact(changes)
}

func (h History) intervalName() string { return or(h.Interval, "interval") }

func (h History) facts(subtitle string, means extent, intervals int, changes []int) []string {
	facts := []string{subtitle + "."}
	if means.n > 0 {
		last := h.Points[len(h.Points)-1]
		facts = append(facts, "Means are "+means.span()+"; "+count(intervals, "has", "have")+" an interval ("+h.intervalName()+").")
		if finite(last.Mean) {
			facts = append(facts, "The last, "+or(last.Label, unnamed)+", is "+number(last.Mean)+".")
		}
	}
	if g := gaps(means, 0); g != "" {
		facts = append(facts, "Means "+g+".")
	}
	if h.Prediction.drawn() {
		facts = append(facts, or(h.Prediction.Name, "prediction")+": "+number(h.Prediction.Lo)+" to "+number(h.Prediction.Hi)+".")
	}
	if h.Prediction != nil && !h.Prediction.drawn() {
		facts = append(facts, or(h.Prediction.Name, "prediction")+" not drawn: not finite.")
	}
	if len(changes) > 0 {
		at := listed(len(changes), func(i int) string { return or(h.Points[changes[i]].Label, unnamed) })
		facts = append(facts, "The level changes at "+at+".")
	}
	if len(changes) > maxIntervals {
		facts = append(facts, "Of the changes the first "+number(maxIntervals)+" are drawn.")
	}
	return facts
}

func (h History) legend(intervals int, changes []int) []entry {
	legend := []entry{{"mean", func(c canvas, at point) {
		strip(meanStyle)(c, at)
		if len(h.Points) <= maxIntervals {
			mark(c, 0, point{at.x + sampleWidth/2, at.y})
		}
	}}}
	if intervals > 0 {
		sample := patch(merged)
		if len(h.Points) <= maxIntervals {
			sample = func(c canvas, at point) { whisker(c, at.x+sampleWidth/2, at.y-8, at.y+8, maxCap, intervalStyle) }
		}
		legend = append(legend, entry{h.intervalName(), sample})
	}
	if h.Prediction.drawn() {
		legend = append(legend, entry{or(h.Prediction.Name, "prediction"), func(c canvas, at point) {
			patch(predictionStyle)(c, at)
			strip(predictionEdge)(c, point{at.x, at.y - 7})
			strip(predictionEdge)(c, point{at.x, at.y + 7})
		}})
	}
	if len(changes) > 0 {
		legend = append(legend, entry{"change of level", func(c canvas, at point) {
			changeLine(c, at.x+sampleWidth/2, at.y-8, at.y+9)
		}})
	}
	if len(legend) == 1 {
		return nil
	}
	return legend
}

// whisker draws an upright interval; half is half the length of its ends.
func whisker(c canvas, x, top, bottom, half float64, s style) {
	c.polyline([]point{{x, top}, {x, bottom}}, s)
	c.polyline([]point{{x - half, top}, {x + half, top}}, s)
	c.polyline([]point{{x - half, bottom}, {x + half, bottom}}, s)
}

// changeLine draws a change point: a line with a triangle at its top.
func changeLine(c canvas, x, top, bottom float64) {
	c.polyline([]point{{x, top}, {x, bottom}}, changeStyle)
	c.polygon([]point{{x - 5, top}, {x + 5, top}, {x, top + 8}}, style{fill: vermillion})
}

func (h History) draw(c canvas, p plot, changes []int) (fact string) {
	if h.Prediction.drawn() {
		a, b := p.y.at(h.Prediction.Lo), p.y.at(h.Prediction.Hi)
		top := min(a, b)
		bottom := max(a, b)
		c.rect(p.left, top, p.right-p.left, bottom-top, predictionStyle)
		c.polyline([]point{{p.left, top}, {p.right, top}}, predictionEdge)
		c.polyline([]point{{p.left, bottom}, {p.right, bottom}}, predictionEdge)
	}
	shown := changes[:min(len(changes), maxIntervals)]
	for _, i := range shown {
		changeLine(c, p.x.at(float64(i)-0.5), p.top, p.bottom)
	}
	if len(h.Points) > maxIntervals {
		return h.drawMany(c, p)
	}
	for _, line := range h.lines() {
		trace(c, reduce(len(line), h.mean(p, line), 1), meanStyle)
	}
	h.drawSizes(c, p)
	ends := min(maxCap, (p.right-p.left)/float64(len(h.Points))/3)
	for i, e := range h.Points {
		x := p.x.at(float64(i))
		if e.hasInterval() {
			a, b := p.y.at(e.Lo), p.y.at(e.Hi)
			whisker(c, x, min(a, b), max(a, b), ends, intervalStyle)
		}
		if finite(e.Mean) {
			mark(c, 0, p.at(float64(i), e.Mean))
		}
	}
	return ""
}

// lines returns the points of each line, by their indices.
func (h History) lines() (lines [][]int) {
	index := map[string]int{}
	for i, e := range h.Points {
		k, known := index[e.Line]
		if !known {
			k = len(lines)
			index[e.Line] = k
			lines = append(lines, nil)
		}
		lines[k] = append(lines[k], i)
	}
	return lines
}

// mean returns where the points of a line are.
func (h History) mean(p plot, line []int) func(int) (point, bool) {
	return func(k int) (point, bool) {
		mean := h.Points[line[k]].Mean
		return p.at(float64(line[k]), mean), finite(mean)
	}
}

// sizeText returns what stands beneath a point; empty if its number of seeds is not known.
func (e Estimate) sizeText() string {
	if e.N < 1 || !finite(e.Mean) {
		return ""
	}
	return "n=" + strconv.Itoa(e.N)
}

// drawSizes writes n beneath each point; beneath some of them if there is no room for all.
func (h History) drawSizes(c canvas, p plot) {
	widest := 0.0
	for _, e := range h.Points {
		widest = max(widest, textWidth(e.sizeText(), sizeTick))
	}
	stride := max(1, round((widest+gap)/((p.right-p.left)/float64(len(h.Points)))+0.5))
	for i := 0; i < len(h.Points); i += stride {
		if text := h.Points[i].sizeText(); text != "" {
			c.text(p.x.at(float64(i)), p.bottom-sizeFloor/3, text, textStyle{sizeTick, dim, middle})
		}
	}
}

func (h History) drawMany(c canvas, p plot) (fact string) {
	var lines [][]point
	var intervals [][]slab
	column := coarsen(func(column pixel) int {
		lines = nil
		for _, line := range h.lines() {
			lines = append(lines, reduce(len(line), h.mean(p, line), column)...)
		}
		intervals = envelope(len(h.Points), func(i int) (slab, bool) {
			e := h.Points[i]
			a, b := p.y.at(e.Lo), p.y.at(e.Hi)
			return slab{p.x.at(float64(i)), min(a, b), max(a, b)}, e.hasInterval()
		}, column)
		return cost(lines) + area(intervals)
	})
	fillRuns(c, p, intervals, merged)
	trace(c, lines, meanStyle)
	return "Intervals are merged to a band; of the means in each column of " + column.String() + " only the lowest and the highest are drawn."
}
