package chart

import (
	"slices"
	"strconv"
	"strings"
)

// Ink is a colour by its purpose, which has one value in the light scheme and one in the dark.
type Ink int

const (
	none  Ink = iota
	paper     // background
	text      // title, labels
	dim       // subtitle, tick labels
	axisInk
	gridInk
	blue
	vermillion
	green
	pink
	orange
	sky
	black
)

// tone is an ink as it looks.
type tone struct{ name, light, dark string }

// tones: the hues are those of Okabe and Ito (2008), "Color Universal Design". Their yellow is too faint on white,
// their dark blue on black, so that the dark scheme has the yellow in place of the sky blue, and the sky blue in
// place of the dark one.
var tones = [...]tone{
	none:       {},
	paper:      {"paper", "#ffffff", "#0d1117"},
	text:       {"text", "#1f2328", "#e6edf3"},
	dim:        {"dim", "#59636e", "#9198a1"},
	axisInk:    {"axis", "#8b949e", "#6e7681"},
	gridInk:    {"grid", "#e1e4e8", "#262c36"},
	blue:       {"1", "#0072b2", "#56b4e9"},
	vermillion: {"2", "#d55e00", "#d55e00"},
	green:      {"3", "#009e73", "#009e73"},
	pink:       {"4", "#cc79a7", "#cc79a7"},
	orange:     {"5", "#e69f00", "#e69f00"},
	sky:        {"6", "#56b4e9", "#f0e442"},
	black:      {"7", "#000000", "#ffffff"},
}

// Name returns what an ink is called in classes: "1" to "7", "text", "dim" or "axis".
func (i Ink) Name() string { return tones[i].name }

const nHues = int(black-blue) + 1

// hue returns the colour of series i. There are 7 hues and 8 markers, so that 56 series differ in one or the other.
func hue(i int) Ink { return blue + Ink(i%nHues) }

// Shape is a polygon around the origin, within about 1 of it. The one without corners is a circle; one whose corners
// do not close is a stroke.
type Shape struct {
	Name    string
	corners []point
	strokes [][]point
}

var (
	disk     = Shape{Name: "disk"}
	square   = Shape{Name: "square", corners: []point{{-.85, -.85}, {.85, -.85}, {.85, .85}, {-.85, .85}}}
	upward   = Shape{Name: "up", corners: []point{{0, -1.15}, {1.1, .8}, {-1.1, .8}}}
	diamond  = Shape{Name: "diamond", corners: []point{{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}}}
	downward = Shape{Name: "down", corners: []point{{0, 1.15}, {-1.1, -.8}, {1.1, -.8}}}
	plus     = Shape{Name: "plus", corners: []point{
		{-.4, -1.2}, {.4, -1.2}, {.4, -.4}, {1.2, -.4}, {1.2, .4}, {.4, .4}, {.4, 1.2}, {-.4, 1.2}, {-.4, .4}, {-1.2, .4}, {-1.2, -.4}, {-.4, -.4},
	}}
	hexagon  = Shape{Name: "hexagon", corners: []point{{-.5, -1}, {.5, -1}, {1, 0}, {.5, 1}, {-.5, 1}, {-1, 0}}}
	leftward = Shape{Name: "left", corners: []point{{-1.15, 0}, {.8, -1.1}, {.8, 1.1}}}
	dash     = Shape{Name: "dash", strokes: [][]point{{{-.8, 0}, {.8, 0}}}}
	cross    = Shape{Name: "cross", strokes: [][]point{{{-.8, .8}, {.8, -.8}}, {{-.8, -.8}, {.8, .8}}}}
	rising   = Shape{Name: "rising", strokes: cross.strokes[:1]}
)

// markers are the shapes of series.
var markers = [...]Shape{disk, square, upward, diamond, downward, plus, hexagon, leftward}

const markerSize = 4.5

// solid returns a marker that stands out from what it covers.
func solid(i Ink) style { return style{fill: i, stroke: paper, width: 1} }

// hollow returns a marker with nothing inside.
func hollow(i Ink) style { return style{fill: paper, stroke: i, width: 1.6} }

// stroked returns a shape of strokes.
func stroked(i Ink) style { return style{stroke: i, width: 1.6} }

// Outline returns the shape as the data of a path around 0, 10 wide for a size of 1; empty for a circle.
func (s Shape) Outline() string {
	var b strings.Builder
	for _, line := range append(slices.Clone(s.strokes), s.corners) {
		for i, corner := range line {
			b.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + strconv.FormatFloat(5*corner.x, 'g', 3, 64) + " " + strconv.FormatFloat(5*corner.y, 'g', 3, 64))
		}
	}
	if s.corners != nil {
		b.WriteByte('z')
	}
	return b.String()
}

// draw draws the shape at some points.
func (s Shape) draw(c *canvas, size float64, how style, at ...point) {
	if len(at) == 0 {
		return
	}
	if s.strokes == nil && s.corners == nil {
		for _, p := range at {
			c.circle(p.x, p.y, size, how)
		}
		return
	}
	var parts [][]point
	lines := s.strokes
	if lines == nil {
		lines = [][]point{s.corners}
	}
	for _, p := range at {
		for _, line := range lines {
			part := make([]point, len(line))
			for k, corner := range line {
				part[k] = point{p.x + float64(size*corner.x), p.y + float64(size*corner.y)}
			}
			parts = append(parts, part)
		}
	}
	if s.strokes != nil {
		c.lines(parts, style{stroke: how.stroke, width: how.width})
		return
	}
	c.areas(parts, how)
}

// Status is what became of a metric, or of a seed. Others than these are taken for [unmeasured].
type Status int8 // a report has one for each metric of each seed

// The statuses, in the order of legends and columns.
const (
	unmeasured Status = iota
	Pass
	Warn
	Fail
	Broken   // the seed has no result
	Unscored // the seed was never scored
	Absent   // there is no such seed
	nStatuses
)

// statuses are how they look: each differs from the others by colour, by how dark it is, and by a shape.
var statuses = [nStatuses]struct {
	name   string
	short  string // of a column; empty if it is name
	cell   style  // of a heat map
	marker Shape
	ink    Ink
	mark   Shape // in a cell
	line   Ink   // of mark
}{
	unmeasured: {"no value", "n/a", style{}, diamond, dim, Shape{strokes: [][]point{{{}}}}, dim},
	Pass:       {"PASS", "", style{fill: blue, opacity: 0.25}, disk, blue, Shape{}, none},
	Warn:       {"WARN", "", style{fill: orange, opacity: 0.6}, upward, orange, rising, text},
	Fail:       {"FAIL", "", style{fill: vermillion}, square, vermillion, cross, paper},
	Broken:     {"failed seed", "failed", style{fill: gridInk}, square, dim, cross, dim},
	Unscored:   {"not scored", "", style{}, diamond, dim, dash, dim},
	Absent:     {"no seed", "", style{}, diamond, dim, Shape{}, none},
}

func (s Status) known() Status {
	if s < 0 || s >= nStatuses {
		return unmeasured
	}
	return s
}

// tally counts by status.
type tally [nStatuses]int

func (t tally) sum() (n int) {
	for _, k := range t {
		n += k
	}
	return n
}

// named returns the statuses that are named: PASS, WARN and FAIL, and others if there are any.
func (t tally) named() []Status {
	list := []Status{Pass, Warn, Fail}
	for _, status := range [...]Status{Broken, unmeasured, Unscored, Absent} {
		if t[status] > 0 {
			list = append(list, status)
		}
	}
	return list
}

// String writes "PASS 540, WARN 100, FAIL 20, no value 3".
func (t tally) String() string {
	s := ""
	for _, status := range t.named() {
		s += ", " + statuses[status].name + " " + whole(t[status])
	}
	return s[len(", "):]
}
