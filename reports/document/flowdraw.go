package document

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"track/reports/document/layered"
	"track/reports/escape"
)

// tip is how long the head of an arrow is.
const tip = 8.0

// xy is a point in the picture.
func (f *flow) xy(p layered.Point) (x, y float64) {
	if f.down {
		return p.Across, p.Along
	}
	return p.Along, p.Across
}

// at writes a point in the picture.
func (f *flow) at(p layered.Point) string {
	x, y := f.xy(p)
	return tenth(x) + " " + tenth(y)
}

// tenth writes a number to a tenth of a unit.
func tenth(x float64) string { return strconv.FormatFloat(math.Round(x*10)/10+0, 'f', -1, 64) }

func (f *flow) edge(r layered.Route, dashed bool) {
	class := "edge"
	if dashed {
		class = "edge dashed"
	}
	end := r.Points[len(r.Points)-1]
	points := append([]layered.Point(nil), r.Points...)
	points[len(points)-1].Along -= tip
	way := f.curve(points)
	if r.Back {
		way = f.corners(points)
	}
	fmt.Fprintf(f, `<path class="%s" d="%s"/>`+"\n", class, way)
	side := layered.Point{Along: end.Along - tip - 1, Across: end.Across - tip/2}
	other := layered.Point{Along: end.Along - tip - 1, Across: end.Across + tip/2}
	fmt.Fprintf(f, `<path class="tip" d="M%s L%s L%sz"/>`+"\n", f.at(end), f.at(side), f.at(other))
}

// curve leads from point to point, along the direction of edges at each.
func (f *flow) curve(points []layered.Point) string {
	var b strings.Builder
	b.WriteString("M" + f.at(points[0]))
	for i, p := range points[1:] {
		before := points[i]
		if math.Abs(p.Across-before.Across) < 0.05 {
			b.WriteString(" L" + f.at(p))
			continue
		}
		middle := (p.Along + before.Along) / 2
		b.WriteString(" C" + f.at(layered.Point{Along: middle, Across: before.Across}) + " " + f.at(layered.Point{Along: middle, Across: p.Across}) + " " + f.at(p))
	}
	return b.String()
}

// corners leads from point to point in straight lines, and rounds where they meet.
func (f *flow) corners(points []layered.Point) string {
	var b strings.Builder
	b.WriteString("M" + f.at(points[0]))
	for i := 1; i < len(points)-1; i++ {
		b.WriteString(" L" + f.at(towards(points[i], points[i-1])) + " Q" + f.at(points[i]) + " " + f.at(towards(points[i], points[i+1])))
	}
	b.WriteString(" L" + f.at(points[len(points)-1]))
	return b.String()
}

// towards is the point at the radius of a corner from p to q, or half way where they are close.
func towards(p, q layered.Point) layered.Point {
	const radius = 7
	length := math.Hypot(q.Along-p.Along, q.Across-p.Across)
	if length == 0 {
		return p
	}
	share := min(0.5, radius/length)
	return layered.Point{Along: p.Along + float64(share*(q.Along-p.Along)), Across: p.Across + float64(share*(q.Across-p.Across))}
}

// node draws a box whose form says of what kind it is: those in force have round ends, rejected ones have pointed ends.
func (f *flow) node(p layered.Point, c caption, size layered.Node, kind NodeKind) {
	x, y := f.xy(p)
	width, height := f.xy(layered.Point(size))
	left, top := x-width/2, y-height/2
	fmt.Fprintf(f, `<g class="node %s">`, nodeClasses[kind])
	if c.whole != "" {
		f.WriteString("<title>" + escape.HTML(c.whole) + "</title>")
	}
	if kind == NodeBad {
		fmt.Fprintf(f, `<path d="M%s %s h%s l10 %s l-10 %s h-%[3]s l-10 -%[5]s z"/>`, tenth(left+10), tenth(top), tenth(width-20), tenth(height/2), tenth(height/2))
	} else {
		radius := 5.0
		if kind == NodeHead {
			radius = min(height/2, 22)
		}
		fmt.Fprintf(f, `<rect x="%s" y="%s" width="%s" height="%s" rx="%s"/>`, tenth(left), tenth(top), tenth(width), tenth(height), tenth(radius))
	}
	f.text(x, y, c, c.first)
	f.WriteString("</g>\n")
}

// label draws the text of an edge on a ground that covers the line.
func (f *flow) label(p layered.Point, c caption) {
	if len(c.lines) == 0 {
		return
	}
	x, y := f.xy(p)
	f.WriteString(`<g class="label">`)
	if c.whole != "" {
		f.WriteString("<title>" + escape.HTML(c.whole) + "</title>")
	}
	fmt.Fprintf(f, `<rect x="%s" y="%s" width="%s" height="%s"/>`, tenth(x-c.width/2-3), tenth(y-c.height/2), tenth(c.width+6), tenth(c.height))
	f.text(x, y, c, 0)
	f.WriteString("</g>\n")
}

// text writes the lines around a centre, the first of them bold.
func (f *flow) text(x, y float64, c caption, bold int) {
	for i, line := range c.lines {
		class := ""
		if i < bold {
			class = ` class="name"`
		}
		baseline := y - c.height/2 + float64(flowLine*(float64(i)+0.76))
		fmt.Fprintf(f, `<text%s x="%s" y="%s">%s</text>`, class, tenth(x), tenth(baseline), escape.HTML(line))
	}
}
