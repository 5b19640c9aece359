package chart

import "image/color"

// ink is a colour by its purpose, which has one value in the light scheme and one in the dark.
type ink int

const (
	none  ink = iota
	paper     // background
	text      // title, labels
	dim       // subtitle, tick labels
	axisInk
	gridInk
	firstHue
)

type tone struct {
	name        string // of its classes in SVG
	light, dark color.RGBA
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 0xff}
}

// tones: the hues are those of Okabe and Ito (2008), "Color Universal Design". Their yellow is too faint on white,
// their dark blue on black, so that the dark scheme has the yellow in place of the sky blue, and the sky blue in
// place of the dark one.
var tones = [...]tone{
	none:         {},
	paper:        {"paper", rgb(0xffffff), rgb(0x0d1117)},
	text:         {"text", rgb(0x1f2328), rgb(0xe6edf3)},
	dim:          {"dim", rgb(0x59636e), rgb(0x9198a1)},
	axisInk:      {"axis", rgb(0x8b949e), rgb(0x6e7681)},
	gridInk:      {"grid", rgb(0xe1e4e8), rgb(0x262c36)},
	firstHue:     {"1", rgb(0x0072b2), rgb(0x56b4e9)},
	firstHue + 1: {"2", rgb(0xd55e00), rgb(0xd55e00)},
	firstHue + 2: {"3", rgb(0x009e73), rgb(0x009e73)},
	firstHue + 3: {"4", rgb(0xcc79a7), rgb(0xcc79a7)},
	firstHue + 4: {"5", rgb(0xe69f00), rgb(0xe69f00)},
	firstHue + 5: {"6", rgb(0x56b4e9), rgb(0xf0e442)},
	firstHue + 6: {"7", rgb(0x000000), rgb(0xffffff)},
}

const (
	blue       = firstHue
	vermillion = firstHue + 1
	green      = firstHue + 2
	pink       = firstHue + 3
	orange     = firstHue + 4
	nHues      = len(tones) - int(firstHue)
)

// hue returns the colour of series i. There are 7 hues and 8 markers, so that 56 series differ in one or the other.
func hue(i int) ink { return firstHue + ink(i%nHues) }

// shape is a polygon around the origin, within about 1 of it. The one without corners is a circle.
type shape []point

var (
	disk     shape
	square   = shape{{-.85, -.85}, {.85, -.85}, {.85, .85}, {-.85, .85}}
	upward   = shape{{0, -1.15}, {1.1, .8}, {-1.1, .8}}
	diamond  = shape{{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}}
	downward = shape{{0, 1.15}, {-1.1, -.8}, {1.1, -.8}}
	plus     = shape{{-.4, -1.2}, {.4, -1.2}, {.4, -.4}, {1.2, -.4}, {1.2, .4}, {.4, .4}, {.4, 1.2}, {-.4, 1.2}, {-.4, .4}, {-1.2, .4}, {-1.2, -.4}, {-.4, -.4}}
	hexagon  = shape{{-.5, -1}, {.5, -1}, {1, 0}, {.5, 1}, {-.5, 1}, {-1, 0}}
	leftward = shape{{-1.15, 0}, {.8, -1.1}, {.8, 1.1}}

	rightward = shape{{1.15, 0}, {-.8, 1.1}, {-.8, -1.1}}
)

// markers are the shapes of series.
var markers = [...]shape{disk, square, upward, diamond, downward, plus, hexagon, leftward}

const markerSize = 4.5

// mark draws the marker of series i.
func mark(c canvas, i int, at point) {
	markers[i%len(markers)].draw(c, at, markerSize, solid(hue(i)))
}

// solid returns a marker that stands out from what it covers.
func solid(i ink) style { return style{fill: i, stroke: paper, width: 1} }

// hollow returns a marker with nothing inside.
func hollow(i ink) style { return style{fill: paper, stroke: i, width: 1.6} }

func (s shape) draw(c canvas, at point, size float64, how style) {
	if len(s) == 0 {
		c.circle(at.x, at.y, size, how)
		return
	}
	corners := make([]point, len(s))
	for k, p := range s {
		corners[k] = point{at.x + float64(size*p.x), at.y + float64(size*p.y)}
	}
	c.polygon(corners, how)
}

// cross returns the two strokes of a cross.
func cross(at point, half float64) [][]point {
	return [][]point{
		{{at.x - half, at.y + half}, {at.x + half, at.y - half}},
		{{at.x - half, at.y - half}, {at.x + half, at.y + half}},
	}
}
