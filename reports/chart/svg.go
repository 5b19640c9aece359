// Package chart draws charts as SVG. No library for Go describes its charts: these say in words what they
// show, for screen readers and for text, and follow the light or dark scheme of the page.
//
// The same chart gives the same bytes. An SVG needs neither script nor network, and says in its title and description
// what it shows: n, ranges, gaps, and how the points were reduced.
//
// Most charts are [Plot]s: points with intervals, lines and areas over two axes, which a page can also hand to a
// script. The others have a row for each thing, or a layout of their own.
//
// Values that are not finite are never drawn: they leave a gap and are counted in the description. Names and labels
// may hold anything; what does not fit is shortened in the middle.
package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Chart is a [Line], [Band], [History], [Lineage], [Front], [Parameter] or [Paired], which are plots; a [HeatMap],
// [Grid], [Forest] or [Bars], which have rows; a [Distribution] or a [Tree].
type Chart interface {
	figure() figure
}

// Mark is a part of a chart that stands for one thing, such as the seed of a dot.
type Mark struct {
	Label string // of what it stands for
	Side  int    // of a pair: 0 for the baseline, 1 for the candidate
}

// SVG writes c as a document of its own, which can also stand inside HTML.
func SVG(w io.Writer, c Chart) error {
	var style strings.Builder
	style.WriteString("<style>\n" + fitting)
	for _, t := range tones[paper:] {
		t.rules(&style, t.light)
	}
	style.WriteString("@media (prefers-color-scheme:dark){\n")
	for _, t := range tones[paper:] {
		if t.light != t.dark {
			t.rules(&style, t.dark)
		}
	}
	style.WriteString("}\n</style>\n")
	return write(w, c, style.String(), nil)
}

// Inline writes c as a part of a page that has the [StyleSheet]. Each mark that stands for one thing is a link to what
// href returns; empty for no link. One link can be reached with the tabulator: more than that would be in the way of a
// keyboard. href may be nil.
func Inline(w io.Writer, c Chart, href func(Mark) string) error { return write(w, c, "", href) }

// fitting keeps a chart from being wider than what it stands in.
const fitting = ".track-chart{max-width:100%;height:auto}\n"

func write(w io.Writer, c Chart, style string, href func(Mark) string) error {
	f := c.figure()
	to := &canvas{href: href}
	desc := f.draw(to)
	role := "img"
	if to.nLinks > 0 { // whatever is in an image is hidden from those who do not see it
		role = "group"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="track-chart" viewBox="0 0 %g %g" width="%[1]g" height="%[2]g" `+
		`role="%s" font-family="system-ui, sans-serif" stroke-linejoin="round" stroke-linecap="round">`+"\n", width, f.height(), role)
	fmt.Fprintf(&b, "<title>%s</title>\n<desc>%s</desc>\n%s", escape(f.name()), escape(desc), style)
	b.Write(to.body.Bytes())
	b.WriteString("</svg>\n")
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("write SVG: %w", err)
	}
	return nil
}

// StyleSheet returns the style of all charts that were written by [Inline]. Their colours follow the property
// color-scheme.
func StyleSheet() string {
	var b strings.Builder
	b.WriteString(fitting)
	for _, t := range tones[paper:] {
		t.rules(&b, "light-dark("+t.light+","+t.dark+")")
	}
	return b.String()
}

// rules writes the classes of a tone.
func (t tone) rules(b *strings.Builder, colour string) {
	fmt.Fprintf(b, ".track-chart .fill-%s{fill:%s}\n.track-chart .line-%[1]s{stroke:%[2]s}\n", t.name, colour)
}

// The size of a chart, in the units of its coordinates. One that has rows is as high as these need.
const (
	width  = 960.0
	height = 480.0
)

// canvas is what a chart is drawn on. The origin is the top left corner and y grows downwards; all coordinates are
// finite and lie within the chart. Colours are classes, so that one document serves the light and the dark scheme.
// There are no ids: several charts may stand in one page.
type canvas struct {
	body   bytes.Buffer
	href   func(Mark) string // nil for no links
	nLinks int
}

type point struct{ x, y float64 }

// box returns the corners of an area, clockwise from the top left one.
func box(left, top, right, bottom float64) []point {
	return []point{{left, top}, {right, top}, {right, bottom}, {left, bottom}}
}

// style is how a shape is painted: filled, stroked, or both.
type style struct {
	fill    Ink
	opacity float64 // of the fill; 0 means 1
	stroke  Ink
	width   float64 // of the stroke
}

type textStyle struct {
	size   float64
	ink    Ink
	anchor string // which part of a text stands at its x
}

// Sizes and anchors of text.
const (
	sizeTitle = 19.0
	sizeLabel = 14.0
	sizeTick  = 13.0

	start  = "start"
	middle = "middle"
	end    = "end"
)

func (c *canvas) rect(x, y, w, h float64, s style) {
	c.open("rect", s)
	c.numbers("x", x, "y", y, "width", w, "height", h)
	c.body.WriteString("/>\n")
}

func (c *canvas) circle(x, y, r float64, s style) {
	c.open("circle", s)
	c.numbers("cx", x, "cy", y, "r", r)
	c.body.WriteString("/>\n")
}

// line draws one polyline, area one polygon.
func (c *canvas) line(s style, points ...point)  { c.lines([][]point{points}, s) }
func (c *canvas) area(points []point, s style)   { c.areas([][]point{points}, s) }
func (c *canvas) lines(runs [][]point, s style)  { c.path(runs, "", s) }
func (c *canvas) areas(areas [][]point, s style) { c.path(areas, "z", s) } // they turn the same way
func (c *canvas) dots(at []point, size float64, s style) {
	runs := make([][]point, len(at))
	for i, p := range at {
		runs[i] = []point{p}
	}
	c.lines(runs, style{stroke: s.fill, width: 2 * size})
}

// path writes polylines in little room; each ends with end. One of a single point is a dot.
func (c *canvas) path(parts [][]point, end string, s style) {
	if len(parts) == 0 {
		return
	}
	c.open("path", s)
	c.body.WriteString(` d="`)
	for _, part := range parts {
		for i, p := range part {
			switch {
			case i == 0:
				c.step('M', p.x, p.y)
			case p.y == part[i-1].y:
				c.step('H', p.x)
			case p.x == part[i-1].x:
				c.step('V', p.y)
			default:
				c.step('L', p.x, p.y)
			}
		}
		if len(part) == 1 && end == "" {
			c.body.WriteString("h0") // the round ends of a line without length are a dot
		}
		c.body.WriteString(end)
	}
	c.body.WriteString("\"/>\n")
}

// step writes a command of a path.
func (c *canvas) step(command byte, coordinates ...float64) {
	for i, x := range coordinates {
		if i == 0 {
			c.body.WriteByte(command)
		} else {
			c.body.WriteByte(' ')
		}
		c.number(x)
	}
}

// text writes s, shortened to what fits into room; y is that of the baseline.
func (c *canvas) text(x, y float64, s string, room float64, t textStyle) {
	short := shorten(s, t.size, room)
	if short == s {
		s = ""
	}
	c.abridged(x, y, short, s, t)
}

// abridged writes a text that is short for whole, unless that is empty.
func (c *canvas) abridged(x, y float64, s, whole string, t textStyle) {
	c.open("text", style{fill: t.ink})
	c.numbers("x", x, "y", y, "font-size", t.size)
	if t.anchor != start {
		c.body.WriteString(` text-anchor="` + t.anchor + `"`)
	}
	c.body.WriteByte('>')
	if whole != "" {
		c.body.WriteString("<title>" + escape(whole) + "</title>")
	}
	c.body.WriteString(escape(s) + "</text>\n")
}

// link draws a mark. If it leads somewhere, it is a link with a text as its name.
func (c *canvas) link(m Mark, text string, draw func()) {
	address := ""
	if c.href != nil && m.Label != "" {
		address = c.href(m)
	}
	if address == "" {
		draw()
		return
	}
	stop := ` tabindex="-1"`
	if c.nLinks == 0 {
		stop = ""
	}
	c.nLinks++
	text = escape(text)
	c.body.WriteString(`<a href="` + escape(address) + `"` + stop + ` aria-label="` + text + `"><title>` + text + "</title>\n")
	draw()
	c.body.WriteString("</a>\n")
}

// open writes an element up to its own attributes.
func (c *canvas) open(element string, s style) {
	var classes []string
	if s.fill != none {
		classes = append(classes, "fill-"+tones[s.fill].name)
	}
	if s.stroke != none {
		classes = append(classes, "line-"+tones[s.stroke].name)
	}
	c.body.WriteString("<" + element + ` class="` + strings.Join(classes, " ") + `"`)
	if s.fill == none {
		c.body.WriteString(` fill="none"`)
	}
	if s.stroke != none {
		c.numbers("stroke-width", s.width)
	}
	if s.opacity != 0 {
		c.body.WriteString(` fill-opacity="` + strconv.FormatFloat(s.opacity, 'f', -1, 64) + `"`)
	}
}

// numbers writes attributes, each a name and a float64.
func (c *canvas) numbers(pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		c.body.WriteString(" " + pairs[i].(string) + `="`)
		c.number(pairs[i+1].(float64))
		c.body.WriteByte('"')
	}
}

// number writes x to a tenth of a unit.
func (c *canvas) number(x float64) {
	x = math.Round(x*10) / 10
	c.body.Write(strconv.AppendFloat(c.body.AvailableBuffer(), x+0, 'f', -1, 64)) // +0 turns −0 into 0
}

func escape(s string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(s)) //nolint:errcheck // a buffer takes everything
	return b.String()
}
