package chart

import (
	"math"
	"strconv"
)

// Parameter shows an outcome against a parameter: a dot for each configuration, and for each level of the parameter its
// mean with an interval. There is a panel for each value of another parameter, or a single one.
type Parameter struct {
	Title, XLabel, YLabel string
	IntervalName          string
	XNames                []string // of the values 0, 1, … of x; nil for numbers
	By                    string   // the other parameter
	Panels                []ParameterPanel
}

// ParameterPanel is the configurations of one panel.
type ParameterPanel struct {
	Name   string
	Points []Dot
	Levels []ParameterLevel
}

// Dot is a configuration.
type Dot struct{ X, Y float64 }

// ParameterLevel is the mean of the configurations whose parameter is between From and To.
type ParameterLevel struct {
	From, To     float64
	Mean, Lo, Hi float64 // Lo and Hi are NaN without an interval
}

// maxPanels are drawn next to each other; the subtitle says how many are not.
const maxPanels = 6

var (
	dotStyle   = style{stroke: dim, width: 4}
	smallDots  = style{stroke: dim, width: 2}
	levelStyle = style{stroke: blue, width: 2}
)

func (c Parameter) figure() figure {
	f := figure{kind: "Parameter chart", title: c.Title, xLabel: c.XLabel, yLabel: c.YLabel}
	n := 0
	var x, y extent
	for _, p := range c.Panels {
		n += len(p.Points)
		for _, d := range p.Points {
			x.add(d.X)
			y.add(d.Y)
		}
	}
	shown := c.withIntervals(y)
	f.subtitle = count(n, "configuration", "configurations")
	if len(c.Panels) > maxPanels {
		f.subtitle += ", the last " + count(len(c.Panels)-maxPanels, "panel", "panels") + " not drawn"
		c.Panels = c.Panels[:maxPanels]
	}
	if x.n == 0 || y.n == 0 {
		f.empty = noValues
	}
	f.y = padded(shown)
	if n := c.beyond(f.y); n > 0 {
		f.subtitle += ", " + furtherText(n)
	}
	f.facts = []string{f.subtitle + ".", "Values are " + y.span() + "."}
	f.legend = c.legend(n)
	inner := padded(x)
	if c.XNames != nil {
		inner = axis{lo: -0.5, hi: float64(len(c.XNames)) - 0.5}
	}
	f.x = inner
	switch {
	case len(c.Panels) > 1:
		f.x, f.floor = axis{lo: -0.5, hi: float64(len(c.Panels)) - 0.5}, rowHeight
		f.labels = c.panelNames()
	case c.XNames != nil:
		f.labels = c.XNames
	}
	f.data = func(to canvas, p plot) string { return c.draw(to, p, inner) }
	return f
}

// withIntervals widens the range of the configurations by the intervals, by at most half of it at each side: those of
// two configurations are so wide that nothing else would be seen.
func (c Parameter) withIntervals(y extent) extent {
	room := (y.hi - y.lo) / 2
	lo, hi := y.lo-room, y.hi+room
	for _, p := range c.Panels {
		for _, l := range p.Levels {
			if finite(l.Lo) && finite(l.Hi) && finite(lo) && finite(hi) {
				y.add(max(lo, min(hi, l.Lo)))
				y.add(max(lo, min(hi, l.Hi)))
			}
		}
	}
	return y
}

func (c Parameter) legend(n int) []entry {
	legend := []entry{
		{"configuration", func(to canvas, at point) { to.lines([][]point{{{at.x + sampleWidth/2, at.y}}}, c.dots(n)) }},
		{"mean of a level", func(to canvas, at point) { mark(to, 0, point{at.x + sampleWidth/2, at.y}) }},
	}
	return append(legend, entry{or(c.IntervalName, "interval"), func(to canvas, at point) { whisker(to, at.x+sampleWidth/2, at.y-8, at.y+8, maxCap, intervalStyle) }})
}

// dots returns how configurations are drawn: small where there are many.
func (c Parameter) dots(n int) style {
	const many = 500
	if n > many {
		return smallDots
	}
	return dotStyle
}

func (c Parameter) panelNames() []string {
	names := make([]string, len(c.Panels))
	for i, p := range c.Panels {
		names[i] = c.By + " " + p.Name
	}
	return names
}

func (c Parameter) draw(to canvas, p plot, inner axis) (fact string) {
	n := 0
	for _, panel := range c.Panels {
		n += len(panel.Points)
	}
	for i, panel := range c.Panels {
		x := p.x
		if len(c.Panels) > 1 {
			left, right := p.x.at(float64(i)-0.5), p.x.at(float64(i)+0.5)
			if i > 0 {
				to.polyline([]point{{left, p.top}, {left, p.bottom}}, style{stroke: axisInk, width: 1})
			}
			x = inner.scale(left+2*gap, right-2*gap)
			c.drawPanelTicks(to, p, x)
		}
		panel.draw(to, p, x, c.dots(n), c.XNames == nil)
	}
	return ""
}

// drawPanelTicks writes the values of x into the floor of a panel.
func (c Parameter) drawPanelTicks(to canvas, p plot, x scale) {
	y := p.bottom - (rowHeight-sizeTick)/2
	if c.XNames != nil {
		room := (x.to-x.from)/float64(len(c.XNames)) - 4
		for i, name := range c.XNames {
			label(to, x.at(float64(i)), y, name, room, textStyle{sizeTick, dim, middle})
		}
		return
	}
	for most := int((x.to - x.from) / 25); most >= 2; most-- {
		ticks := x.ticks(most)
		width := 0.0
		for _, t := range ticks {
			width += textWidth(t.label, sizeTick) + 2*gap
		}
		if len(ticks) > 0 && width < x.to-x.from {
			for _, t := range ticks {
				to.text(x.at(t.value), y, t.label, textStyle{sizeTick, dim, middle})
			}
			return
		}
	}
}

// draw draws a panel; joined says that levels have an order.
func (panel ParameterPanel) draw(to canvas, p plot, x scale, dots style, joined bool) {
	const aside = 12.0 // from the mean of a level that is one value
	left := 0.0
	if len(panel.Levels) > 0 && panel.Levels[0].From == panel.Levels[0].To {
		left = aside
	}
	var marks [][]point
	for _, d := range panel.Points {
		if finite(d.X) && finite(d.Y) {
			marks = append(marks, []point{{max(p.left, x.at(d.X)-left), p.y.at(d.Y)}})
		}
	}
	to.lines(marks, dots)
	var means []point
	for _, l := range panel.Levels {
		if finite(l.Mean) {
			means = append(means, point{x.at(l.From/2 + l.To/2), p.y.at(l.Mean)})
		}
	}
	if joined && len(means) > 1 {
		to.polyline(means, levelStyle)
	}
	for _, l := range panel.Levels {
		if !finite(l.Mean) {
			continue
		}
		at := point{x.at(l.From/2 + l.To/2), p.y.at(l.Mean)}
		if l.From < l.To { // a range
			to.polyline([]point{{x.at(l.From), at.y}, {x.at(l.To), at.y}}, levelStyle)
		}
		if finite(l.Lo) && finite(l.Hi) {
			drawInterval(to, p, at.x, l)
		}
		mark(to, 0, at)
	}
}

// drawInterval draws an interval, with the head of an arrow at an end that is beyond the axis.
func drawInterval(to canvas, p plot, x float64, l ParameterLevel) {
	lo, hi := p.y.lo, p.y.hi
	whiskerCut(to, x, p.y.at(max(lo, min(hi, l.Hi))), p.y.at(max(lo, min(hi, l.Lo))), maxCap, intervalStyle, [2]bool{l.Hi > hi, l.Lo < lo})
}

// beyond returns how many intervals have an end beyond an axis.
func (c Parameter) beyond(y axis) (n int) {
	for _, p := range c.Panels {
		for _, l := range p.Levels {
			if finite(l.Mean) && finite(l.Lo) && finite(l.Hi) && (l.Lo < y.lo || l.Hi > y.hi) {
				n++
			}
		}
	}
	return n
}

// Means is a heat map of numbers: a cell for each pair of levels of two parameters, darker where the number is larger.
type Means struct {
	Title, XLabel, YLabel string
	XNames, YNames        []string
	Cells                 [][]float64 // by y, from the bottom, then x; NaN where there are none
	Text                  func(float64) string
}

func (m Means) figure() figure {
	f := figure{kind: "Heat map of means", title: m.Title, xLabel: m.XLabel, yLabel: m.YLabel, noTicks: true}
	var values extent
	for _, row := range m.Cells {
		for _, v := range row {
			values.add(v)
		}
	}
	f.x = axis{lo: -1.5, hi: float64(len(m.XNames)) - 0.5} // the names of y stand at -1
	f.y = axis{lo: -0.5, hi: float64(len(m.YNames)) - 0.5}
	f.labels = m.XNames
	f.subtitle = strconv.Itoa(len(m.XNames)) + " × " + strconv.Itoa(len(m.YNames)) + " cells"
	if values.n == 0 {
		f.empty = noValues
	} else {
		f.subtitle += ", " + values.span() + "; darker is larger"
	}
	f.facts = []string{f.subtitle + "."}
	f.data = func(c canvas, p plot) string {
		m.draw(c, p, values)
		return ""
	}
	return f
}

func (m Means) draw(c canvas, p plot, values extent) {
	const faint, strong = 0.06, 0.62
	for i, name := range m.YNames {
		y := p.y.at(float64(i))
		label(c, p.x.at(-0.5)-gap, y+4.5, name, p.x.at(-0.5)-p.left, textStyle{sizeTick, dim, end})
		if i >= len(m.Cells) {
			continue
		}
		for k, v := range m.Cells[i] {
			left, right := p.x.at(float64(k)-0.5), p.x.at(float64(k)+0.5)
			top, bottom := p.y.at(float64(i)+0.5), p.y.at(float64(i)-0.5)
			if !finite(v) {
				c.rect(left, top, right-left, bottom-top, style{stroke: gridInk, width: 1})
				continue
			}
			share := 0.5
			if values.lo < values.hi {
				share = (v - values.lo) / (values.hi - values.lo)
			}
			opacity := math.Round((faint+float64(share*(strong-faint)))*100) / 100
			c.rect(left, top, right-left, bottom-top, style{fill: blue, opacity: opacity})
			if written := m.Text(v); textWidth(written, sizeTick) < right-left-4 && bottom-top > sizeTick {
				c.text((left+right)/2, y+4.5, written, textStyle{sizeTick, text, middle})
			}
		}
	}
}
