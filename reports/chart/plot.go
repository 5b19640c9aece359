package chart

import (
	"math"
	"slices"
	"strconv"
)

// Plot is data for what charts over two axes are made of: areas, lines, points, intervals and upright lines. Series and
// areas have a value for each place of X; NaN and infinities are gaps.
type Plot struct {
	Title, XLabel, YLabel string
	X                     []float64 // the places, ascending
	Labels                []string  // of what stands at each place; nil for none
	Named                 bool      // the labels are those of the axis, and the places 0, 1, 2, …
	Scattered             bool      // points stand anywhere: places are told apart by both axes
	Areas                 []Area
	Series                []Series
	Intervals             []Interval
	IntervalName          string // what the intervals are: "95% t interval"
	Rules                 []Rule
	RuleName              string
	Words                 func(i int) string // what is known of a place

	kind, subtitle, empty string
	facts                 []string
	x, y                  axis
	lo, hi                float64  // a scale that y does not leave if no value does; equal if there is none
	tight                 bool     // intervals may not dwarf the points: they are cut where they would
	under                 []string // what stands beneath each place
	below                 float64  // room for points below the values of y
	without               string   // what the room below is called
}

// Area is what lies between two lines.
type Area struct {
	Name      string
	Ink       Ink
	High, Low []float64
}

// Series is points, a line, or both.
type Series struct {
	Name  string
	Mark  string // the seed that the whole series stands for, if it is one
	Y     []float64
	Ink   Ink
	Width float64 // of the line; 0 for none
	Steps int     // 1 if a step rises at the next place, -1 at its own; 0 for none
	Joins bool    // the line goes on across gaps
	Shape Shape
	Size  float64 // of the points; 0 for none
	// Hollow points have nothing inside.
	Hollow bool
	named  bool             // the labels stand beside the points, if there are few
	below  []int            // places of points that have no value, and stand below
	side   int              // of a pair
	text   func(int) string // names a point that is a link; nil if none is
}

// Interval is an interval of a point, upright or level.
type Interval struct {
	X0, Y0, X1, Y1 float64
	Cut            [2]bool // which of its ends are beyond the axes
	Faint          bool    // it is of less interest
	ink            Ink     // of a line without ends; none for an interval
}

// Rule is an upright line at a place.
type Rule struct {
	At   float64
	Name string
}

const (
	maxMarked    = 400 // points in all, if each is to have a marker of full size
	maxIntervals = 80  // intervals that are drawn one by one
	maxNames     = 12  // of points
	maxRules     = 80
	crowdedSize  = 2.8
	belowLane    = 24.0 // room for points without a value
	underRoom    = 18.0
	ruleLane     = 18.0
)

// hasInterval reports whether both ends of an interval are known.
func (e Estimate) hasInterval() bool { return finite(e.Mean) && finite(e.Lo) && finite(e.Hi) }

// addUpright adds the interval of an estimate at a place.
func (p *Plot) addUpright(x float64, e Estimate, faint bool) {
	if e.hasInterval() {
		p.Intervals = append(p.Intervals, Interval{X0: x, Y0: min(e.Lo, e.Hi), X1: x, Y1: max(e.Lo, e.Hi), Faint: faint})
	}
}

// newSeries returns a series without values.
func newSeries(name string, n int, ink Ink) Series {
	s := Series{Name: name, Ink: ink, Y: make([]float64, n)}
	for i := range s.Y {
		s.Y[i] = math.NaN()
	}
	return s
}

// values returns the range of the points, and of the areas.
func (p Plot) values() (values extent) {
	for _, s := range p.Series {
		for _, y := range s.Y {
			values.add(y)
		}
	}
	for _, a := range p.Areas {
		for i := range a.High {
			if finite(a.High[i]) && finite(a.Low[i]) {
				values.add(a.High[i])
				values.add(a.Low[i])
			}
		}
	}
	return values
}

// Framed returns the plot with its axes, and with the intervals as far as these go.
func (p Plot) Framed() Plot {
	values := p.values()
	var places extent
	for _, x := range p.X {
		places.add(x)
	}
	p.Intervals = slices.Clone(p.Intervals)
	x0, x1 := p.room(places, 0, 0)
	y0, y1 := p.room(values, p.lo, p.hi)
	wideX, wideY, nCut := places, values, 0
	for i := range p.Intervals {
		one := &p.Intervals[i]
		if one.ink != none {
			continue
		}
		was := *one
		one.X0, one.X1, one.Y0, one.Y1 = max(one.X0, x0), min(one.X1, x1), max(one.Y0, y0), min(one.Y1, y1)
		one.Cut = [2]bool{one.X0 > was.X0 || one.Y0 > was.Y0, one.X1 < was.X1 || one.Y1 < was.Y1}
		if one.Cut[0] || one.Cut[1] {
			nCut++
		}
		wideX.add(one.X0)
		wideX.add(one.X1)
		wideY.add(one.Y0)
		wideY.add(one.Y1)
	}
	if nCut > 0 {
		p.subtitle += ", " + furtherText(nCut)
		p.facts = append(p.facts, furtherText(nCut)+".")
	}
	switch {
	case p.Named:
		p.x = axis{lo: -0.5, hi: float64(len(p.X)) - 0.5}
	case p.Scattered:
		p.x = padded(wideX)
	case p.x == axis{}:
		p.x = along(places, p.x.whole)
	}
	if p.Scattered {
		p.y = padded(wideY)
	} else {
		p.y = upright(wideY).within(p.lo, p.hi, values)
	}
	if p.empty == "" && values.n == 0 {
		p.empty = noValues
	}
	return p
}

// room returns how far intervals may go: within the scale if all points are, and as far as they do not dwarf the
// points.
func (p Plot) room(points extent, lo, hi float64) (least, most float64) {
	least, most = -math.MaxFloat64, math.MaxFloat64
	if lo < hi && lo <= points.lo && points.hi <= hi {
		least, most = lo, hi
	}
	if half := (points.hi - points.lo) / 2; p.tight && half > 0 && finite(half) {
		least, most = max(least, points.lo-half), min(most, points.hi+half)
	}
	return least, most
}

// Summary says what the plot shows: n, and what is not drawn.
func (p Plot) Summary() string { return p.subtitle }

// Room returns how far the axis of x goes beyond the first and the last place, once the plot is framed.
func (p Plot) Room() float64 {
	if len(p.X) == 0 {
		return 0
	}
	return max(p.X[0]-p.x.lo, p.x.hi-p.X[len(p.X)-1])
}

func (p Plot) figure() figure {
	p = p.Framed()
	f := figure{
		kind: p.kind, title: p.Title, subtitle: p.subtitle, xLabel: p.XLabel, yLabel: p.YLabel, facts: p.facts, empty: p.empty, x: p.x, y: p.y,
		legend: p.legend(), data: p.draw, floor: p.below,
	}
	if p.Named {
		f.labels = p.Labels
	}
	if p.under != nil && len(p.X) <= maxIntervals {
		f.floor += underRoom
	}
	if slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Name != "" }) {
		f.lane = ruleLane
	}
	f.noted = p.nMarks() > maxMarked
	return f
}

// nMarks returns the number of points that are marked one by one.
func (p Plot) nMarks() (n int) {
	for _, s := range p.Series {
		if s.Size > 0 && s.Width == 0 {
			n += len(s.below)
			for _, y := range s.Y {
				if finite(y) {
					n++
				}
			}
		}
	}
	return n
}

func (s Series) style() style {
	switch {
	case s.Shape.strokes != nil:
		return stroked(s.Ink)
	case s.Hollow:
		return hollow(s.Ink)
	}
	return solid(s.Ink)
}

func (s Series) pen() style { return style{stroke: s.Ink, width: s.Width} }

func (a Area) style() style { return style{fill: a.Ink, opacity: 0.2} }

// legend names each thing once, if there are several.
func (p Plot) legend() (legend []entry) {
	for _, s := range p.Series {
		if slices.ContainsFunc(legend, func(e entry) bool { return e.name == s.Name }) {
			continue
		}
		legend = append(legend, entry{s.Name, func(c *canvas, at point) {
			if s.Width > 0 {
				strip(s.pen())(c, at)
			}
			if s.Size > 0 {
				s.Shape.draw(c, min(s.Size, 2*markerSize), s.style(), at)
			}
		}})
	}
	for i, a := range p.Areas {
		legend = append(legend, entry{a.Name, func(c *canvas, at point) {
			for _, below := range p.Areas[:i+1] { // of the same ink lies below this one
				if below.Ink == a.Ink {
					patch(a.style())(c, at)
				}
			}
		}})
	}
	if slices.ContainsFunc(p.Intervals, func(i Interval) bool { return i.ink == none }) {
		legend = append(legend, entry{or(p.IntervalName, "interval"), func(c *canvas, at point) {
			bar(c, point{at.x, at.y - 8}, point{at.x, at.y + 8}, maxCap, intervalStyle, [2]bool{})
		}})
	}
	if len(p.Rules) > 0 {
		legend = append(legend, entry{p.RuleName, func(c *canvas, at point) { drawRule(c, at.x, at.y-8, at.y+9) }})
	}
	if len(legend) == 1 {
		return nil
	}
	return legend
}

var (
	intervalStyle = style{stroke: blue, width: lineWidth}
	faintStyle    = style{stroke: axisInk, width: 1}
	ruleStyle     = style{stroke: vermillion, width: lineWidth}
)

// drawRule draws an upright line with a triangle at its top.
func drawRule(c *canvas, x, top, bottom float64) {
	c.line(ruleStyle, point{x, top}, point{x, bottom})
	c.area([]point{{x - 5, top}, {x + 5, top}, {x, top + 8}}, style{fill: vermillion})
}

func (p Plot) draw(c *canvas, at plot) (fact string) {
	bands, lines, marks := make([][2][][]point, len(p.Areas)), make([][][]point, len(p.Series)), make([][]point, len(p.Series))
	total, kept, nMarks, left := 0, 0, p.nMarks(), 0
	column := coarsen(func(column pixel) (sum int) {
		total, kept, left = 0, 0, 0
		for i, a := range p.Areas {
			for side, values := range [2][]float64{a.High, a.Low} {
				bands[i][side] = reduce(len(p.X), func(k int) (point, bool) { return at.at(p.X[k], values[k]), finite(a.High[k]) && finite(a.Low[k]) }, column)
				sum += cost(bands[i][side])
			}
		}
		for i, s := range p.Series {
			n := 0
			lines[i], n = p.line(s, at, column)
			for _, run := range lines[i] {
				kept += len(run)
			}
			total += n
			sum += cost(lines[i])
			if s.Size > 0 && s.Width == 0 {
				all := p.points(s, at)
				if marks[i] = all; nMarks > maxMarked {
					marks[i] = thin(all, column)
				}
				left += len(all) - len(marks[i])
				sum += 3 * len(marks[i])
			}
		}
		return sum
	})
	for i, a := range p.Areas {
		fill(c, at, bands[i][0], bands[i][1], a.style())
	}
	p.drawRules(c, at)
	p.drawIntervals(c, at)
	p.drawUnder(c, at)
	if p.without != "" {
		c.text(at.left-gap, at.bottom-p.below/2+4.5, p.without, at.left-gap, textStyle{sizeTick, dim, end})
	}
	for i, s := range p.Series {
		if s.Width > 0 {
			c.link(Mark{Label: s.Mark}, "seed "+s.Mark, func() { trace(c, lines[i], s.pen()) })
		}
	}
	nLines := 0
	for i := range lines {
		nLines += min(1, len(lines[i]))
	}
	for i, s := range p.Series {
		if s.Width > 0 && s.Size > 0 {
			marks[i] = spaced(lines[i], at, i, nLines, total)
		}
		p.drawMarks(c, at, s, marks[i], nMarks > maxMarked)
	}
	if kept < total || len(p.Areas) > 0 && float64(len(p.X)-1)*float64(column) > at.right-at.left {
		fact = "Of the points in each column of " + column.String() + " only the lowest and the highest are drawn. "
	}
	if left > 0 {
		fact += count(left, "point is", "points are") + " not drawn, each in a square of " + column.String() +
			" with another of its kind; the highest and the lowest of each column are. "
	}
	if more := len(p.Rules) - maxRules; more > 0 {
		fact += "Of the upright lines the first " + whole(maxRules) + " are drawn."
	}
	return fact
}

// line returns the line of a series, and how many points it goes through.
func (p Plot) line(s Series, at plot, column pixel) (runs [][]point, n int) {
	if s.Width == 0 {
		return nil, 0
	}
	if s.Steps == 0 && !s.Joins {
		size := min(len(s.Y), len(p.X))
		for _, y := range s.Y[:size] {
			if finite(y) {
				n++
			}
		}
		return reduce(size, func(i int) (point, bool) { return at.at(p.X[i], s.Y[i]), finite(s.Y[i]) }, column), n
	}
	var points []point
	for i, y := range s.Y {
		if !finite(y) {
			continue
		}
		next := at.at(p.X[i], y)
		if len(points) > 0 {
			switch last := points[len(points)-1]; {
			case s.Steps > 0:
				points = append(points, point{next.x, last.y})
			case s.Steps < 0:
				points = append(points, point{last.x, next.y})
			}
		}
		points = append(points, next)
	}
	if len(points) == 0 {
		return nil, 0
	}
	if len(points) <= maxMarked {
		return [][]point{points}, 0
	}
	return reduce(len(points), func(i int) (point, bool) { return points[i], true }, column), len(points)
}

// lane returns where a value stands: below all others if there is none.
func (p Plot) lane(at plot, x, y float64) point {
	if !finite(y) {
		return point{at.x.at(x), at.bottom - p.below/2}
	}
	return at.at(x, y)
}

// points returns where the points of a series stand.
func (p Plot) points(s Series, at plot) (points []point) {
	for i, y := range s.Y {
		if finite(y) {
			points = append(points, at.at(p.X[i], y))
		}
	}
	for _, i := range s.below {
		points = append(points, p.lane(at, p.X[i], math.NaN()))
	}
	return points
}

// spaced returns the points of a line that have markers: each one if there are few in all; otherwise some of each line,
// to tell it from others.
func spaced(runs [][]point, p plot, series, nSeries, nPoints int) (marked []point) {
	markers := 8
	if nSeries > 20 {
		markers = 4
	}
	step := (p.right - p.left) / float64(markers)
	switch {
	case nPoints <= maxMarked && nPoints <= 50*nSeries:
		step = 0
	case nSeries == 1:
		return nil
	}
	next := p.left + step*(float64(series)+0.5)/float64(nSeries)
	for _, run := range runs {
		for _, at := range run {
			if at.x >= next {
				marked = append(marked, at)
				next = max(next, at.x-step) + step
			}
		}
	}
	return marked
}

// drawMarks draws the points of a series. Those that are links, or have names, are few.
func (p Plot) drawMarks(c *canvas, at plot, s Series, marks []point, crowded bool) {
	size := s.Size
	if crowded && size <= markerSize {
		size = crowdedSize
	}
	if s.text != nil {
		for i, y := range s.Y {
			if finite(y) || slices.Contains(s.below, i) {
				here := p.lane(at, p.X[i], y)
				c.link(Mark{Label: p.Labels[i], Side: s.side}, s.text(i), func() { s.Shape.draw(c, size, s.style(), here) })
			}
		}
		return
	}
	if s.Shape.Name == disk.Name && !s.Hollow {
		c.dots(marks, size+0.75, style{fill: paper})
		c.dots(marks, size, style{fill: s.Ink})
	} else {
		s.Shape.draw(c, size, s.style(), marks...)
	}
	if !s.named || len(marks) > maxNames {
		return
	}
	for i, y := range s.Y {
		if !finite(y) {
			continue
		}
		at, here, anchor, room := at, at.at(p.X[i], y), start, at.right
		if here.x > (at.left+at.right)/2 {
			anchor, here.x, room = end, here.x-gap, here.x-gap-at.left
		} else {
			here.x += gap
			room -= here.x
		}
		c.text(here.x, here.y-gap, or(p.Labels[i], unnamed), min(nameRoom, room), textStyle{sizeTick, dim, anchor})
	}
}

func (p Plot) drawIntervals(c *canvas, at plot) {
	ends := min(maxCap, (at.right-at.left)/float64(max(1, len(p.X)))/3)
	if p.Scattered {
		ends = maxCap
	}
	for _, i := range p.Intervals {
		from, to := p.lane(at, i.X0, i.Y0), p.lane(at, i.X1, i.Y1)
		switch {
		case i.ink != none:
			c.line(style{stroke: i.ink, width: lineWidth}, from, to)
		case i.Faint:
			bar(c, from, to, ends, faintStyle, i.Cut)
		default:
			bar(c, from, to, ends, intervalStyle, i.Cut)
		}
	}
}

// drawUnder writes what stands beneath each place; beneath some of them if there is no room for all.
func (p Plot) drawUnder(c *canvas, at plot) {
	if p.under == nil || len(p.X) > maxIntervals {
		return
	}
	widest := 0.0
	for _, text := range p.under {
		widest = max(widest, textWidth(text, sizeTick))
	}
	stride := max(1, round((widest+gap)/((at.right-at.left)/float64(len(p.X)))+0.5))
	for i := 0; i < len(p.X); i += stride {
		if p.under[i] != "" {
			c.text(at.x.at(p.X[i]), at.bottom-underRoom/3, p.under[i], width, textStyle{sizeTick, dim, middle})
		}
	}
}

// drawRules draws the upright lines, each with its name where there is room.
func (p Plot) drawRules(c *canvas, at plot) {
	taken := at.left
	for i, r := range p.Rules[:min(len(p.Rules), maxRules)] {
		x, next := at.x.at(r.At), width
		if i+1 < len(p.Rules) {
			next = at.x.at(p.Rules[i+1].At)
		}
		top, room := at.top, textWidth(r.Name, sizeTick)
		if r.Name != "" {
			top -= ruleLane - 2
		}
		drawRule(c, x, top, at.bottom)
		switch y := top + sizeTick - 2; {
		case r.Name == "":
		case x+gap+room < next-gap:
			c.text(x+gap, y, r.Name, width, textStyle{sizeTick, dim, start})
			taken = x + gap + room
			continue
		case x-gap-room > taken+gap:
			c.text(x-gap, y, r.Name, width, textStyle{sizeTick, dim, end})
		}
		taken = x
	}
}

// Estimate is a mean, and an interval for it.
type Estimate struct {
	Label  string
	Line   string  // points with the same one are joined, in their order
	N      int     // how many seeds it is the mean of; 0 if that is not known
	Mean   float64 // NaN leaves a gap
	Lo, Hi float64 // both finite, or there is no interval
}

// words says what is known of an estimate.
func (e Estimate) words(what, interval string, number func(float64) string) string {
	if !finite(e.Mean) {
		return "no " + what
	}
	words := what + " " + number(e.Mean)
	if e.hasInterval() {
		words += ", " + or(interval, "interval") + " " + number(e.Lo) + " to " + number(e.Hi)
	}
	if e.N > 0 {
		words += ", n = " + strconv.Itoa(e.N)
	}
	return words
}

// sampleSizes writes the known sizes of estimates, such as ", n = 3 to 10 seeds, not known for 2 others".
func sampleSizes(points []Estimate, one, many string) string {
	var n extent
	for _, e := range points {
		if e.N > 0 {
			n.add(float64(e.N))
		}
	}
	if n.n == 0 {
		return ""
	}
	s := ", n = " + among(int(n.lo), int(n.hi)) + " " + many
	if n.lo == n.hi {
		s = ", n = " + count(int(n.lo), one, many)
	}
	if unknown := len(points) - n.n; unknown > 0 {
		s += ", not known for " + count(unknown, "other", "others")
	}
	return s
}
