package chart

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// Distribution shows the scores of all seeds: a dot for each, or, if there is no room for so many, a histogram. What
// the seeds have in common is not blown up: the axis is at least a fiftieth of the scale wide.
type Distribution struct {
	Title, XLabel string
	Values        []float64 // NaN and infinities are counted, not drawn
	Labels        []string  // of the seeds of Values; nil if there are none
	Failed        int       // seeds that failed, and have no score: next to Values
	Missing       int       // seeds that did not fail, but miss values, and have no score either
	Mean          *Estimate // drawn above the seeds; nil for none
	Interval      string    // what Lo and Hi of Mean are: "95% t interval"; without it "interval"
	Lo, Hi        float64   // ends of the scale of scores: 0 and 1, or 0 and 100; equal if it has none
}

const (
	meanRoom   = 30.0 // above the seeds
	swarmRoom  = 230.0
	mostBars   = 40
	narrowness = 50 // an axis is at least this part of the scale
)

func (d Distribution) figure() figure {
	f := figure{kind: "Distribution over seeds", title: d.Title, xLabel: d.XLabel}
	var values extent
	for _, v := range d.Values {
		values.add(v)
	}
	f.subtitle = "n = " + count(values.n, "seed", "seeds")
	if values.n > 0 {
		f.subtitle += ", " + values.span()
	}
	if text := d.withoutScore(); text != "" {
		f.subtitle += "; without a score: " + text
	}
	if g := gaps(values, 0); g != "" {
		f.subtitle += "; " + g
	}
	if d.hasMean() {
		f.subtitle += "; mean " + d.meanText()
	}
	f.facts = []string{f.subtitle + "."}
	if values.n == 0 {
		f.empty = "no scores"
		return f
	}
	f.legend = d.meanLegend()
	f.x = d.axis(values)
	if s, ok := newSwarm(d.Values, d.Labels, f.x); ok {
		d.dots(&f, s)
	} else {
		d.bars(&f, newHistogram(d.Values, &f.x, d.top(values)))
	}
	return f
}

// withoutScore counts the seeds without a score by why they have none.
func (d Distribution) withoutScore() string {
	var kinds []string
	if d.Failed > 0 {
		kinds = append(kinds, count(d.Failed, "failed seed", "failed seeds"))
	}
	if d.Missing > 0 {
		kinds = append(kinds, whole(d.Missing)+" with missing values")
	}
	return strings.Join(kinds, ", ")
}

func (d Distribution) hasMean() bool { return d.Mean != nil && finite(d.Mean.Mean) }

// meanText writes "0.853 (95% t interval 0.848 to 0.858)".
func (d Distribution) meanText() string {
	if !d.Mean.hasInterval() {
		return number(d.Mean.Mean) + ", without an interval"
	}
	return number(d.Mean.Mean) + " (" + or(d.Interval, "interval") + " " + number(d.Mean.Lo) + " to " + number(d.Mean.Hi) + ")"
}

func (d Distribution) meanLegend() []entry {
	if !d.hasMean() {
		return nil
	}
	legend := []entry{{"mean", sign(diamond, 1.4*markerSize, solid(vermillion))}}
	if d.Mean.hasInterval() {
		legend = append(legend, entry{or(d.Interval, "interval"), func(c *canvas, at point) {
			bar(c, point{at.x - sampleWidth/2, at.y}, point{at.x + sampleWidth/2, at.y}, maxCap, spreadStyle, [2]bool{})
		}})
	}
	return legend
}

var spreadStyle = style{stroke: vermillion, width: 1.6}

// axis holds the scores, the mean and its interval.
func (d Distribution) axis(e extent) axis {
	if d.hasMean() {
		e.add(d.Mean.Mean)
	}
	least, most := math.Inf(-1), math.Inf(1) // where no score is beyond an end of the scale, nothing is
	if d.Lo < d.Hi && d.Lo <= e.lo {
		least = d.Lo
	}
	if d.Lo < d.Hi && e.hi <= d.Hi {
		most = d.Hi
	}
	if d.hasMean() && d.Mean.hasInterval() { // what is beyond is cut, and marked
		e.add(max(d.Mean.Lo, least))
		e.add(min(d.Mean.Hi, most))
	}
	scale := d.Hi/narrowness - d.Lo/narrowness
	if missing := scale - (e.hi - e.lo); finite(scale) && missing > 0 {
		e.lo, e.hi = e.lo-missing/2, e.hi+missing/2
	}
	a := padded(e)
	a.lo, a.hi = max(a.lo, least), min(a.hi, most)
	return a
}

// drawMean draws the mean and its interval above the seeds, and a line down to their axis.
func (d Distribution) drawMean(c *canvas, p plot) {
	if !d.hasMean() {
		return
	}
	x, y := p.x.at(d.Mean.Mean), p.top+meanRoom/2
	c.line(style{stroke: vermillion, width: 1}, point{x, y}, point{x, p.bottom})
	if d.Mean.hasInterval() {
		a, b := p.x.at(d.Mean.Lo), p.x.at(d.Mean.Hi)
		cutOff := [2]bool{d.Mean.Lo < p.x.lo, d.Mean.Hi > p.x.hi}
		bar(c, point{min(a, b), y}, point{max(a, b), y}, 2*maxCap, spreadStyle, cutOff)
	}
	diamond.draw(c, 1.4*markerSize, solid(vermillion), point{x, y})
}

// swarm has a dot for each value, at its place on the axis and as low as others let it.
type swarm struct {
	values   []float64
	labels   []string // of each value; empty if it has none
	levels   []int    // of each value, from 0
	diameter float64
	room     float64 // above the axis
}

// newSwarm makes dots as large as there is room; ok is false where they would have to be too small.
func newSwarm(values []float64, labels []string, x axis) (s swarm, ok bool) {
	order := make([]int, 0, len(values))
	for i, v := range values {
		if finite(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(values[i], values[k]) })
	for _, i := range order {
		label := ""
		if i < len(labels) {
			label = labels[i]
		}
		s.values, s.labels = append(s.values, values[i]), append(s.labels, label)
	}
	if len(s.values) > maxMarked {
		return s, false
	}
	across := x.scale(margin, width-2*margin)
	for s.diameter = 14; s.diameter >= 5; s.diameter-- {
		var ends []float64 // of each level: where its last dot is
		s.levels = s.levels[:0]
		for _, v := range s.values {
			at := across.at(v)
			level := slices.IndexFunc(ends, func(end float64) bool { return end+s.diameter <= at })
			if level < 0 {
				level, ends = len(ends), append(ends, 0)
			}
			ends[level] = at
			s.levels = append(s.levels, level)
		}
		if s.room = float64(len(ends)) * s.diameter; s.room <= swarmRoom {
			return s, true
		}
	}
	return s, false
}

func (d Distribution) dots(f *figure, s swarm) {
	f.noTicks, f.room = true, meanRoom+s.diameter+s.room
	f.legend = append([]entry{{"a seed", sign(disk, s.diameter/2, solid(blue))}}, f.legend...)
	f.data = func(c *canvas, p plot) string {
		d.drawMean(c, p)
		for i, v := range s.values {
			at := point{p.x.at(v), p.bottom - (float64(s.levels[i])+0.5)*s.diameter}
			c.link(Mark{Label: s.labels[i]}, "seed "+s.labels[i]+": "+number(v), func() { disk.draw(c, s.diameter/2, solid(blue), at) })
		}
		return ""
	}
}

// histogram counts values in bars of equal width; a value on an edge belongs to the bar above it.
type histogram struct {
	step   float64
	counts map[int64]int // by the lower edge, in steps
	most   int
}

// top returns the end of the scale, where no score is beyond it; else infinite.
func (d Distribution) top(e extent) float64 {
	if d.Lo < d.Hi && e.hi <= d.Hi {
		return d.Hi
	}
	return math.Inf(1)
}

// newHistogram widens x to whole bars; a value at the top belongs to the bar below it.
func newHistogram(values []float64, x *axis, top float64) histogram {
	digit, power := x.step(mostBars)
	h := histogram{step: decimal(int64(digit), power), counts: map[int64]int{}}
	const tolerance = 1e-9
	for _, v := range values {
		if finite(v) {
			i := int64(math.Floor(v/h.step + tolerance))
			if v == top {
				i = int64(math.Ceil(v/h.step-tolerance)) - 1
			}
			h.counts[i]++
			h.most = max(h.most, h.counts[i])
			x.lo, x.hi = min(x.lo, h.edge(i)), max(x.hi, h.edge(i+1))
		}
	}
	return h
}

func (h histogram) edge(i int64) float64 {
	return max(-math.MaxFloat64, min(math.MaxFloat64, float64(float64(i)*h.step)))
}

func (d Distribution) bars(f *figure, h histogram) {
	f.yLabel = "seeds"
	const headroom = 1.15 // for the mean
	f.y = axis{lo: 0, hi: float64(float64(h.most) * headroom), whole: true}
	f.facts = append(f.facts, "A bar is "+number(h.step)+" wide; the highest is "+count(h.most, "seed", "seeds")+".")
	f.legend = append([]entry{{"seeds, in bars " + number(h.step) + " wide", patch(barStyle)}}, f.legend...)
	f.data = func(c *canvas, p plot) string {
		var bars [][]point
		for _, i := range slices.Sorted(maps.Keys(h.counts)) {
			bars = append(bars, box(p.x.at(h.edge(i)), p.y.at(float64(h.counts[i])), p.x.at(h.edge(i+1)), p.bottom))
		}
		c.areas(bars, barStyle)
		d.drawMean(c, p)
		return ""
	}
}

var barStyle = style{fill: blue, stroke: paper, width: 1}
