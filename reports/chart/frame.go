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
	data                            func(*canvas, plot) (fact string)
}

// entry explains one thing of the drawing by a sample of it, around its middle.
type entry struct {
	name   string
	sample func(c *canvas, at point)
}

// row is a line of a chart that stands for one thing: its name at the left of the plot, and texts at its right.
type row struct {
	name  string
	cells []string // as many as there are columns
}

// plot is where the data go.
type plot struct {
	left, top, right, bottom float64
	x, y                     scale
}

func (p plot) at(x, y float64) point { return point{p.x.at(x), p.y.at(y)} }

const (
	maxFacts = 20  // series or change points that the description names
	maxRows  = 400 // more are not drawn, which is said
	noValues = "no finite values"
)

// Distances.
const (
	margin      = 16.0
	gap         = 8.0 // between texts and what they belong to
	rowHeight   = 22.0
	sampleWidth = 26.0
	nameRoom    = 240.0 // of a name in the legend
	legendRows  = 2
	plotTop     = 12.0 // above the plot
	rowPitch    = 18.0
	rowNameRoom = 270.0 // of the name of a row
	rowsTop     = 34.0  // above the first row, for the ticks and the headings of the columns
	lineWidth   = 1.6
)

func (f figure) name() string { return or(f.title, f.kind) }

// draw draws everything and describes it.
func (f figure) draw(c *canvas) (description string) {
	if f.empty != "" {
		f.legend = nil
	}
	c.rect(0, 0, width, f.height(), style{fill: paper})
	p := f.frame(c, f.header(c))
	facts := []string{f.kind + "."}
	if name := clean(f.xLabel); name != "" {
		facts = append(facts, "x: "+name+".")
	}
	if name := clean(f.yLabel); name != "" {
		facts = append(facts, "y: "+name+".")
	}
	facts = append(facts, f.facts...)
	if f.empty != "" {
		c.text((p.left+p.right)/2, (p.top+p.bottom)/2, f.empty, width, textStyle{sizeLabel, dim, middle})
		return strings.Join(append(facts, "Nothing is drawn: "+f.empty+"."), " ")
	}
	if fact := f.data(c, p); fact != "" {
		facts = append(facts, fact)
		if f.noted {
			c.text(margin, f.height()-margin, fact, width-2*margin, textStyle{sizeTick, dim, start})
		}
	}
	return strings.Join(facts, " ")
}

// header draws what stands above the plot and returns where that ends.
func (f figure) header(c *canvas) (bottom float64) {
	const room = width - 2*margin
	y := margin
	if title := clean(f.title); title != "" {
		y += sizeTitle
		c.text(margin, y-2, title, room, textStyle{sizeTitle, text, start})
	}
	if f.subtitle != "" {
		y += rowHeight
		c.text(margin, y-4, f.subtitle, room, textStyle{sizeLabel, dim, start})
	}
	y = f.drawLegend(c, y+4)
	if name := clean(f.yLabel); name != "" {
		y += rowHeight
		c.text(margin, y-4, name, room, textStyle{sizeLabel, text, start})
	}
	return y
}

// drawLegend fills up to legendRows rows and counts what found no place.
func (f figure) drawLegend(c *canvas, y float64) (bottom float64) {
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
				c.text(x, y+rowHeight-7, others, width, textStyle{sizeLabel, dim, start})
				break
			}
			x, y, row = margin, y+rowHeight, row+1
		}
		e.sample(c, point{x + sampleWidth/2, y + rowHeight/2})
		c.text(x+sampleWidth+gap, y+rowHeight-7, name, nameRoom, textStyle{sizeLabel, text, start})
		x += room + 2*gap
	}
	if len(f.legend) > 0 {
		y += rowHeight
	}
	return y
}

// height returns the height of the whole chart.
func (f figure) height() float64 {
	above := func() float64 { return f.header(&canvas{}) }
	switch {
	case f.empty != "":
		return height
	case f.rows != nil:
		return above() + rowsTop + rowPitch*float64(len(f.rows)) + f.footer()
	case f.room > 0:
		return min(height, above()+plotTop+f.room+f.footer())
	case f.least > 0:
		return max(height, above()+plotTop+f.least+f.footer())
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
func (f figure) frame(c *canvas, top float64) plot {
	p := plot{left: margin, top: top + plotTop + f.lane, right: width - 2*margin, bottom: f.height() - f.footer()}
	var ticks []tick
	if f.empty == "" {
		if f.rows != nil {
			f.drawRows(c, &p)
		} else {
			f.drawYTicks(c, &p)
		}
		p.x = f.x.scale(p.left, p.right)
		ticks = f.xTicks(p)
		if f.rows != nil {
			f.drawGrid(c, p, ticks)
		}
	}
	if name := clean(f.xLabel); name != "" {
		centre := (p.left + p.right) / 2
		room := 2 * min(centre-margin, width-margin-centre)
		c.text(centre, p.bottom+gap+sizeTick+rowHeight, name, room, textStyle{sizeLabel, text, middle})
	}
	c.line(style{stroke: axisInk, width: 1}, point{p.left, p.bottom}, point{p.right, p.bottom})
	for _, t := range ticks {
		x := p.x.at(t.value)
		c.line(style{stroke: axisInk, width: 1}, point{x, p.bottom}, point{x, p.bottom + 5})
		p.drawXTick(c, t, p.bottom+gap+sizeTick)
	}
	return p
}

// drawYTicks gives y its scale, and its ticks the room they need at the left.
func (f figure) drawYTicks(c *canvas, p *plot) {
	p.y = f.y.scale(p.bottom-f.floor, p.top)
	var ticks []tick
	if !f.noTicks {
		ticks = p.y.ticks(int((p.bottom - f.floor - p.top) / 38))
		room := 0.0
		for _, t := range ticks {
			room = max(room, textWidth(t.label, sizeTick))
		}
		p.left += room + gap
	}
	if f.floor > 0 {
		c.line(style{stroke: axisInk, width: 1}, point{p.left, p.bottom - f.floor}, point{p.right, p.bottom - f.floor})
	}
	for _, t := range ticks {
		y := p.y.at(t.value)
		c.line(gridLine(t), point{p.left, y}, point{p.right, y})
		c.text(p.left-gap, y+4.5, t.label, width, textStyle{sizeTick, dim, end})
	}
}

// gridLine returns the line of a tick; that of 0 stands out.
func gridLine(t tick) style {
	if t.value == 0 {
		return style{stroke: axisInk, width: 1}
	}
	return style{stroke: gridInk, width: 1}
}

func (p plot) drawXTick(c *canvas, t tick, y float64) {
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

// xTicks returns as many as have room next to each other. Of labels it leaves out as few as leave the others readable.
func (f figure) xTicks(p plot) []tick {
	if f.labels == nil {
		for most := int((p.right - p.left) / 70); most > 2; most-- {
			if ticks := p.x.ticks(most); p.fit(ticks) {
				return ticks
			}
		}
		return p.x.ticks(2)
	}
	const readable = 84.0 // enough for a label to be told from others
	spacing := (p.right - p.left) / float64(len(f.labels))
	room := 0.0
	for i := 0; i < len(f.labels) && room < readable; i++ {
		room = max(room, textWidth(clean(f.labels[i]), sizeTick))
	}
	stride := round((min(readable, room) + gap) / spacing)
	room = float64(stride)*spacing - gap
	var ticks []tick
	for i := 0; i < len(f.labels); i += stride {
		t := tick{value: float64(i), whole: clean(f.labels[i])}
		x := p.x.at(t.value) // near an edge of the chart, half of the room between two neighbours is theirs
		if t.label = shorten(t.whole, sizeTick, min(room, room/2+min(x, width-x)-margin/2)); t.label == t.whole {
			t.whole = ""
		}
		ticks = append(ticks, t)
	}
	return ticks
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

// drawRows gives y its scale, and names and columns the room they need.
func (f figure) drawRows(c *canvas, p *plot) {
	p.top += rowsTop - plotTop
	p.y = axis{lo: -0.5, hi: float64(len(f.rows)) - 0.5}.scale(p.top, p.bottom)
	room := 0.0
	for _, r := range f.rows {
		room = max(room, textWidth(or(r.name, unnamed), sizeTick))
	}
	p.left += min(room, rowNameRoom) + gap
	rooms := make([]float64, len(f.columns)) // each with the gap before it
	for k, heading := range f.columns {
		rooms[k] = textWidth(heading, sizeTick)
		for _, r := range f.rows {
			rooms[k] = max(rooms[k], textWidth(r.cells[k], sizeTick))
		}
		rooms[k] += 2 * gap
		p.right -= rooms[k]
	}
	if f.widest > 0 {
		p.right = min(p.right, p.left+f.widest)
	}
	for i, r := range f.rows {
		c.text(p.left-gap, p.y.at(float64(i))+4.5, or(r.name, unnamed), rowNameRoom, textStyle{sizeTick, text, end})
	}
	x := p.right
	for k, heading := range f.columns {
		x += rooms[k]
		c.text(x, p.top-gap, heading, width, textStyle{sizeTick, dim, end})
		for i, r := range f.rows {
			ink := text
			if r.cells[k] == "0" { // what is there stands out from what is not
				ink = dim
			}
			c.text(x, p.y.at(float64(i))+4.5, r.cells[k], width, textStyle{sizeTick, ink, end})
		}
	}
}

// drawGrid repeats the ticks of x above many rows. Where they are numbers, it draws lines through them and along the
// rows.
func (f figure) drawGrid(c *canvas, p plot, ticks []tick) {
	const high = 25 // rows from which the axis at the bottom is far away
	if f.labels == nil {
		var lines [][]point
		for i := range f.rows {
			y := p.y.at(float64(i))
			lines = append(lines, []point{{p.left, y}, {p.right, y}})
		}
		c.lines(lines, style{stroke: gridInk, width: 1})
		for _, t := range ticks {
			x := p.x.at(t.value)
			c.line(gridLine(t), point{x, p.top}, point{x, p.bottom})
		}
	}
	for _, t := range ticks {
		centre, room := p.place(t)
		if len(f.rows) >= high && centre+room/2 < p.right+gap { // beyond are the headings of the columns
			p.drawXTick(c, t, p.top-gap)
		}
	}
}

// strip returns the sample of a line, patch that of a band, sign that of a marker.
func strip(s style) func(*canvas, point) {
	return func(c *canvas, at point) {
		c.line(s, point{at.x - sampleWidth/2, at.y}, point{at.x + sampleWidth/2, at.y})
	}
}

func patch(s style) func(*canvas, point) {
	return func(c *canvas, at point) { c.rect(at.x-sampleWidth/2, at.y-7, sampleWidth, 14, s) }
}

func sign(shape Shape, size float64, how style) func(*canvas, point) {
	return func(c *canvas, at point) { shape.draw(c, size, how, at) }
}

const maxCap = 4.0 // half the length of the ends of an interval

// bar draws an interval from one point to another, upright or level: with the head of an arrow at an end that is cut,
// with a stroke across at another one.
func bar(c *canvas, from, to point, half float64, s style, cut [2]bool) {
	lines := [][]point{{from, to}}
	dx, dy := 0.0, 1.0
	if from.y == to.y && from.x != to.x {
		dx, dy = 1, 0
		if to.x < from.x {
			dx = -1
		}
	} else if to.y < from.y {
		dy = -1
	}
	for i, at := range [2]point{from, to} {
		inward := [2]float64{half, -half}[i]
		a, b := point{at.x - half*dy, at.y - half*dx}, point{at.x + half*dy, at.y + half*dx}
		if cut[i] {
			c.area([]point{at, {a.x + inward*dx, a.y + inward*dy}, {b.x + inward*dx, b.y + inward*dy}}, style{fill: s.stroke})
			continue
		}
		lines = append(lines, []point{a, b})
	}
	c.lines(lines, s)
}

// furtherText says how many intervals end beyond an axis.
func furtherText(n int) string { return count(n, "interval goes", "intervals go") + " further (arrow)" }
