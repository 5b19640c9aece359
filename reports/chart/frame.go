package chart

import "strings"

// figure is a chart ready to be drawn: what stands around the data, and how to draw the data.
type figure struct {
	kind                            string // "Line chart"
	title, subtitle, xLabel, yLabel string
	facts                           []string // sentences of the description
	legend                          []entry
	x, y                            axis
	labels                          []string // of the values 0, 1, … of x, in place of numbers
	noTicks                         bool     // y has no values, only room
	room                            float64  // that much of it, where the chart need not be as high as others
	least                           float64  // room that y needs, where the chart must be higher than others
	rows                            []row    // of the values 0, 1, … of y, from the top, in place of numbers
	columns                         []string // what stands to the right of each row
	widest                          float64  // the plot has no use for more room than that; 0 for any
	lane                            float64  // room for marks above the plot
	floor                           float64  // room for marks below the values of y, above the axis of x
	empty                           string   // why there is nothing to draw
	noted                           bool     // there is a line at the bottom for the fact that data returns
	data                            func(canvas, plot) (fact string)
}

// entry explains one thing of the drawing by a sample of it.
type entry struct {
	name   string
	sample func(c canvas, at point) // draws from at to the right, sampleWidth wide, at its height in the middle
}

// plot is where the data go.
type plot struct {
	left, top, right, bottom float64
	x, y                     scale
}

const (
	maxFacts = 20 // series or change points that the description names
	noValues = "no finite values"
)

func (p plot) at(x, y float64) point { return point{p.x.at(x), p.y.at(y)} }

// Distances.
const (
	margin      = 16.0
	gap         = 8.0 // between texts and what they belong to
	rowHeight   = 22.0
	sampleWidth = 26.0
	nameRoom    = 240.0 // of a name in the legend
	legendRows  = 2
	plotTop     = 12.0 // above the plot
)

func (f figure) name() string {
	if title := clean(f.title); title != "" {
		return title
	}
	return f.kind
}

// draw draws everything and describes it.
func (f figure) draw(c canvas) (description string) {
	if f.empty != "" {
		f.legend = nil
	}
	c.rect(0, 0, width, f.height(), style{fill: paper})
	p := f.frame(c, f.header(c))
	facts := append([]string{f.kind + "."}, f.axisFacts()...)
	facts = append(facts, f.facts...)
	if f.empty != "" {
		at := point{(p.left + p.right) / 2, (p.top + p.bottom) / 2}
		c.text(at.x, at.y, f.empty, textStyle{sizeLabel, dim, middle})
		return strings.Join(append(facts, "Nothing is drawn: "+f.empty+"."), " ")
	}
	if fact := f.data(c, p); fact != "" {
		facts = append(facts, fact)
		if f.noted {
			label(c, margin, f.height()-margin, fact, width-2*margin, textStyle{sizeTick, dim, start})
		}
	}
	return strings.Join(facts, " ")
}

func (f figure) axisFacts() []string {
	var facts []string
	for _, axis := range []struct{ name, label string }{{"x", clean(f.xLabel)}, {"y", clean(f.yLabel)}} {
		if axis.label != "" {
			facts = append(facts, axis.name+": "+axis.label+".")
		}
	}
	return facts
}

// header draws what stands above the plot and returns where that ends.
func (f figure) header(c canvas) (bottom float64) {
	const room = width - 2*margin
	y := margin
	if title := clean(f.title); title != "" {
		y += sizeTitle
		label(c, margin, y-2, title, room, textStyle{sizeTitle, text, start})
	}
	if f.subtitle != "" {
		y += rowHeight
		label(c, margin, y-4, f.subtitle, room, textStyle{sizeLabel, dim, start})
	}
	y = f.drawLegend(c, y+4)
	if name := clean(f.yLabel); name != "" {
		y += rowHeight
		label(c, margin, y-4, name, room, textStyle{sizeLabel, text, start})
	}
	return y
}

// drawLegend fills up to legendRows rows and counts what found no place.
func (f figure) drawLegend(c canvas, y float64) (bottom float64) {
	x, row := margin, 0
	for i, e := range f.legend {
		name := clean(e.name)
		room := sampleWidth + gap + min(nameRoom, textWidth(name, sizeLabel))
		others := "+ " + count(len(f.legend)-i, "other", "others")
		reserved := 0.0
		if row == legendRows-1 && i < len(f.legend)-1 {
			reserved = 2*gap + textWidth(others, sizeLabel)
		}
		if x+room+reserved > width-margin && x > margin {
			if row == legendRows-1 {
				c.text(x, y+rowHeight-7, others, textStyle{sizeLabel, dim, start})
				break
			}
			x, y, row = margin, y+rowHeight, row+1
		}
		e.sample(c, point{x, y + rowHeight/2})
		label(c, x+sampleWidth+gap, y+rowHeight-7, name, nameRoom, textStyle{sizeLabel, text, start})
		x += room + 2*gap
	}
	if len(f.legend) > 0 {
		y += rowHeight
	}
	return y
}

// height returns the height of the whole chart.
func (f figure) height() float64 {
	switch {
	case f.empty != "":
		return height
	case f.rows != nil:
		return f.header(nowhere{}) + rowsTop + rowPitch*float64(len(f.rows)) + f.footer()
	case f.room > 0:
		return min(height, f.header(nowhere{})+plotTop+f.room+f.footer())
	case f.least > 0:
		return max(height, f.header(nowhere{})+plotTop+f.least+f.footer())
	}
	return height
}

// footer returns the room below the plot.
func (f figure) footer() float64 {
	room := margin + sizeTick + gap
	if clean(f.xLabel) != "" {
		room += rowHeight
	}
	if f.noted {
		room += rowHeight
	}
	return room
}

// frame draws axes, grid and ticks.
func (f figure) frame(c canvas, top float64) plot {
	p := plot{left: margin, top: top + plotTop + f.lane, right: width - 2*margin, bottom: f.height() - f.footer()}
	if f.empty != "" {
		f.drawXLabel(c, p)
		p.drawXAxis(c, nil)
		return p
	}
	if f.rows != nil {
		f.drawRows(c, &p)
	} else {
		f.drawYTicks(c, &p)
	}
	p.x = f.x.scale(p.left, p.right)
	ticks := f.xTicks(p)
	if f.rows != nil {
		f.drawGrid(c, p, ticks)
	}
	f.drawXLabel(c, p)
	p.drawXAxis(c, ticks)
	return p
}

func (f figure) drawXLabel(c canvas, p plot) {
	if name := clean(f.xLabel); name != "" {
		centre := (p.left + p.right) / 2
		room := 2 * min(centre-margin, width-margin-centre)
		label(c, centre, p.bottom+gap+sizeTick+rowHeight, name, room, textStyle{sizeLabel, text, middle})
	}
}

// drawYTicks gives y its scale, and its ticks the room they need at the left.
func (f figure) drawYTicks(c canvas, p *plot) {
	p.y = f.y.scale(p.bottom-f.floor, p.top)
	var ticks []tick
	if !f.noTicks {
		ticks = p.y.ticks(int((p.bottom - f.floor - p.top) / 38))
		p.left += widest(ticks) + gap
	}
	if f.floor > 0 {
		c.polyline([]point{{p.left, p.bottom - f.floor}, {p.right, p.bottom - f.floor}}, style{stroke: axisInk, width: 1})
	}
	for _, t := range ticks {
		y := p.y.at(t.value)
		c.polyline([]point{{p.left, y}, {p.right, y}}, gridLine(t))
		c.text(p.left-gap, y+4.5, t.label, textStyle{sizeTick, dim, end})
	}
}

// gridLine returns the line of a tick; that of 0 stands out.
func gridLine(t tick) style {
	if t.value == 0 {
		return style{stroke: axisInk, width: 1}
	}
	return style{stroke: gridInk, width: 1}
}

func (p plot) drawXAxis(c canvas, ticks []tick) {
	c.polyline([]point{{p.left, p.bottom}, {p.right, p.bottom}}, style{stroke: axisInk, width: 1})
	for _, t := range ticks {
		x := p.x.at(t.value)
		c.polyline([]point{{x, p.bottom}, {x, p.bottom + 5}}, style{stroke: axisInk, width: 1})
		p.drawXTick(c, t, p.bottom+gap+sizeTick)
	}
}

func (p plot) drawXTick(c canvas, t tick, y float64) {
	centre, _ := p.place(t)
	c.abridged(centre, y, t.label, t.whole, textStyle{sizeTick, dim, middle})
}

// place returns where the label of a tick of x goes: below it, but within the chart.
func (p plot) place(t tick) (centre, room float64) {
	room = textWidth(t.label, sizeTick)
	return max(margin/2+room/2, min(width-margin/2-room/2, p.x.at(t.value))), room
}

// fit reports whether the labels of ticks have room next to each other.
func (p plot) fit(ticks []tick) bool {
	end := 0.0
	for _, t := range ticks {
		centre, room := p.place(t)
		if centre-room/2 < end {
			return false
		}
		end = centre + room/2 + gap
	}
	return true
}

func widest(ticks []tick) float64 {
	room := 0.0
	for _, t := range ticks {
		room = max(room, textWidth(t.label, sizeTick))
	}
	return room
}

// xTicks returns as many as have room next to each other.
func (f figure) xTicks(p plot) []tick {
	if f.labels != nil {
		return f.labelTicks(p)
	}
	for most := int((p.right - p.left) / 70); most > 2; most-- {
		if ticks := p.x.ticks(most); p.fit(ticks) {
			return ticks
		}
	}
	return p.x.ticks(2)
}

// labelTicks shows every label, every second, …: as few are left out as leave the others readable.
func (f figure) labelTicks(p plot) []tick {
	const readable = 84.0 // enough for a label to be told from others
	labels := make([]tick, len(f.labels))
	for i, l := range f.labels {
		labels[i] = tick{value: float64(i), label: clean(l)}
	}
	spacing := (p.right - p.left) / float64(len(labels))
	room := 0.0
	for i := 0; i < len(labels) && room < readable; i++ {
		room = max(room, textWidth(labels[i].label, sizeTick))
	}
	stride := round((min(readable, room) + gap) / spacing)
	room = float64(stride)*spacing - gap
	var ticks []tick
	for i := 0; i < len(labels); i += stride {
		t := labels[i]
		t.label, t.whole = abridge(t.label, sizeTick, p.labelRoom(t, room))
		ticks = append(ticks, t)
	}
	return ticks
}

// labelRoom returns what the label of t may take of the room between its neighbours: near an edge of the chart it is
// next to its tick, where half of that is theirs.
func (p plot) labelRoom(t tick, room float64) float64 {
	x := p.x.at(t.value)
	return min(room, room/2+min(x, width-x)-margin/2)
}

// round returns the smallest of 1, 2 and 5 times a power of ten that is not below n.
func round(n float64) int {
	for power := 1; ; power *= 10 {
		for _, digit := range []int{1, 2, 5} {
			if float64(digit*power) >= n {
				return digit * power
			}
		}
	}
}

// strip returns the sample of a line.
func strip(s style) func(canvas, point) {
	return func(c canvas, at point) {
		c.polyline([]point{at, {at.x + sampleWidth, at.y}}, s)
	}
}

// patch returns the sample of a band.
func patch(s style) func(canvas, point) {
	return func(c canvas, at point) { c.rect(at.x, at.y-7, sampleWidth, 14, s) }
}
