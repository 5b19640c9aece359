package chart

// The size of a chart, in the units of its coordinates. One that has rows is as high as these need.
const (
	width  = 960.0
	height = 480.0
)

// Sizes of text.
const (
	sizeTitle = 19.0
	sizeLabel = 14.0
	sizeTick  = 13.0
)

// canvas is what a chart is drawn on. The origin is the top left corner and y grows downwards; all coordinates are
// finite and lie within the chart.
type canvas interface {
	rect(x, y, w, h float64, s style)
	polyline(points []point, s style)
	polygon(points []point, s style)
	circle(x, y, r float64, s style)
	lines(runs [][]point, s style)                       // many polylines in little room; one of a single point is a dot
	areas(areas [][]point, s style)                      // many polygons in little room; they turn the same way
	text(x, y float64, s string, t textStyle)            // y is that of the baseline
	abridged(x, y float64, s, whole string, t textStyle) // text that is short for whole, unless that is empty
}

// label draws s, shortened to what fits into room.
func label(c canvas, x, y float64, s string, room float64, t textStyle) {
	short, whole := abridge(s, t.size, room)
	c.abridged(x, y, short, whole, t)
}

// nowhere is a canvas for those who only want to know how much room a drawing takes.
type nowhere struct{}

func (nowhere) rect(_, _, _, _ float64, _ style)                {}
func (nowhere) polyline([]point, style)                         {}
func (nowhere) polygon([]point, style)                          {}
func (nowhere) circle(_, _, _ float64, _ style)                 {}
func (nowhere) lines([][]point, style)                          {}
func (nowhere) areas([][]point, style)                          {}
func (nowhere) text(_, _ float64, _ string, _ textStyle)        {}
func (nowhere) abridged(_, _ float64, _, _ string, _ textStyle) {}

type point struct{ x, y float64 }

// box returns the corners of an area, clockwise from the top left one.
func box(left, top, right, bottom float64) []point {
	return []point{{left, top}, {right, top}, {right, bottom}, {left, bottom}}
}

// style is how a shape is painted: filled, stroked, or both.
type style struct {
	fill    ink
	opacity float64 // of the fill; 0 means 1
	stroke  ink
	width   float64 // of the stroke
}

type textStyle struct {
	size   float64
	ink    ink
	anchor anchor
}

// anchor says which part of a text stands at its x.
type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)
