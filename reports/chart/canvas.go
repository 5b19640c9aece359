package chart

// The size of every chart, in the units of its coordinates.
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

// canvas is what a chart is drawn on. The origin is the top left corner and y grows downwards; all coordinates are finite and lie
// within width and height.
type canvas interface {
	rect(x, y, w, h float64, s style)
	polyline(points []point, s style)
	polygon(points []point, s style)
	circle(x, y, r float64, s style)
	text(x, y float64, s string, t textStyle) // y is that of the baseline
}

type point struct{ x, y float64 }

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
