package chart

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	imagevector "golang.org/x/image/vector"
)

const (
	pixels   = 2       // per unit
	maxBytes = 200_000 // of a file, if fewer colours can make it that small
)

// raster is a canvas that becomes a PNG, in the light scheme.
type raster struct {
	image *image.RGBA
	faces map[float64]font.Face // by size
}

func newRaster(height float64) *raster {
	return &raster{image.NewRGBA(image.Rect(0, 0, width*pixels, int(math.Ceil(height*pixels)))), map[float64]font.Face{}}
}

func (r *raster) encode(w io.Writer) error {
	var b bytes.Buffer
	for _, colours := range []int{256, 48, 16} {
		b.Reset()
		if err := png.Encode(&b, indexed(r.image, colours)); err != nil {
			return err
		}
		if b.Len() < maxBytes {
			break
		}
	}
	_, err := b.WriteTo(w)
	return err
}

func (r *raster) rect(x, y, w, h float64, s style) {
	r.polygon([]point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}, s)
}

func (r *raster) circle(x, y, radius float64, s style) {
	r.polygon(disc(point{x, y}, radius, 32), s)
}

func (r *raster) polygon(points []point, s style)  { r.areas([][]point{points}, s) }
func (r *raster) polyline(points []point, s style) { r.lines([][]point{points}, s) }

func (r *raster) areas(areas [][]point, s style) {
	if s.fill != none {
		r.paint(areas, s.fill, s.opacity)
	}
	if s.stroke == none {
		return
	}
	var edges [][]point
	for _, area := range areas {
		edges = append(edges, append(area[:len(area):len(area)], area[0]))
	}
	r.lines(edges, s)
}

func (r *raster) lines(runs [][]point, s style) {
	var areas [][]point
	for _, run := range runs {
		areas = append(areas, outline(run, s.width)...)
	}
	r.paint(areas, s.stroke, 0)
}

// outline returns the area that a pen of the given width covers along points: a rectangle for each step and a disc at
// each point, all turning the same way, because the rasterizer subtracts areas that turn the other way.
func outline(points []point, width float64) [][]point {
	half := width / 2
	areas := make([][]point, 0, 2*len(points))
	for i, b := range points {
		areas = append(areas, disc(b, half, 12))
		if i == 0 {
			continue
		}
		a := points[i-1]
		length := math.Hypot(b.x-a.x, b.y-a.y)
		if length == 0 {
			continue
		}
		dx, dy := (b.x-a.x)/length*half, (b.y-a.y)/length*half
		areas = append(areas, []point{{a.x + dy, a.y - dx}, {b.x + dy, b.y - dx}, {b.x - dy, b.y + dx}, {a.x - dy, a.y + dx}})
	}
	return areas
}

func disc(centre point, radius float64, corners int) []point {
	points := make([]point, corners)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(corners))
		points[i] = point{centre.x + radius*cos, centre.y + radius*sin}
	}
	return points
}

// paint fills areas, which may overlap, with one coat of ink.
func (r *raster) paint(areas [][]point, fill ink, opacity float64) {
	box := r.bounds(areas)
	if box.Empty() {
		return
	}
	rasterizer := imagevector.NewRasterizer(box.Dx(), box.Dy())
	for _, area := range areas {
		for i, p := range area {
			x, y := float32(p.x*pixels-float64(box.Min.X)), float32(p.y*pixels-float64(box.Min.Y))
			if i == 0 {
				rasterizer.MoveTo(x, y)
			} else {
				rasterizer.LineTo(x, y)
			}
		}
		rasterizer.ClosePath()
	}
	rasterizer.Draw(r.image, box, image.NewUniform(coat(fill, opacity)), image.Point{})
}

// bounds returns the pixels that areas touch.
func (r *raster) bounds(areas [][]point) image.Rectangle {
	minX, minY, maxX, maxY := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, area := range areas {
		for _, p := range area {
			minX, maxX = min(minX, p.x), max(maxX, p.x)
			minY, maxY = min(minY, p.y), max(maxY, p.y)
		}
	}
	if minX > maxX {
		return image.Rectangle{}
	}
	return image.Rect(int(math.Floor(minX*pixels)), int(math.Floor(minY*pixels)), int(math.Ceil(maxX*pixels)), int(math.Ceil(maxY*pixels))).
		Intersect(r.image.Rect)
}

func coat(i ink, opacity float64) color.Color {
	c := tones[i].light
	if opacity == 0 {
		return c
	}
	return color.NRGBA{c.R, c.G, c.B, uint8(math.Round(255 * opacity))}
}

func (r *raster) abridged(x, y float64, s, _ string, t textStyle) { r.text(x, y, s, t) }

func (r *raster) text(x, y float64, s string, t textStyle) {
	drawer := font.Drawer{Dst: r.image, Src: image.NewUniform(coat(t.ink, 0)), Face: r.face(t.size)}
	at := fixed.Point26_6{X: fixed.Int26_6(x * pixels * 64), Y: fixed.Int26_6(y * pixels * 64)}
	switch width := drawer.MeasureString(s); t.anchor {
	case middle:
		at.X -= width / 2
	case end:
		at.X -= width
	}
	drawer.Dot = at
	drawer.DrawString(s)
}

func (r *raster) face(size float64) font.Face {
	face, ok := r.faces[size]
	if !ok {
		var err error
		face, err = opentype.NewFace(regular(), &opentype.FaceOptions{Size: size * pixels, DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			panic(err) // no size makes it fail
		}
		r.faces[size] = face
	}
	return face
}
