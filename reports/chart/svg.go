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

// vector is a canvas that becomes an SVG. Colours are classes, so that one document serves the light and the dark
// scheme; the style names only those that are used. There are no ids: several charts may stand in one page.
type vector struct {
	height       float64
	body         bytes.Buffer
	fill, stroke [len(tones)]bool // which classes are used

	href   func(Mark) string // nil for no links
	nLinks int
}

func newVector(height float64) *vector { return &vector{height: height} }

func (v *vector) rect(x, y, w, h float64, s style) {
	v.open("rect", s)
	v.numbers("x", x, "y", y, "width", w, "height", h)
	v.body.WriteString("/>\n")
}

func (v *vector) polyline(points []point, s style) { v.path("polyline", points, s) }
func (v *vector) polygon(points []point, s style)  { v.path("polygon", points, s) }

func (v *vector) path(element string, points []point, s style) {
	v.open(element, s)
	v.body.WriteString(` points="`)
	for i, p := range points {
		if i > 0 {
			v.body.WriteByte(' ')
		}
		v.number(p.x)
		v.body.WriteByte(',')
		v.number(p.y)
	}
	v.body.WriteString("\"/>\n")
}

func (v *vector) circle(x, y, r float64, s style) {
	v.open("circle", s)
	v.numbers("cx", x, "cy", y, "r", r)
	v.body.WriteString("/>\n")
}

func (v *vector) lines(runs [][]point, s style)  { v.data(runs, "", s) }
func (v *vector) areas(areas [][]point, s style) { v.data(areas, "z", s) }

// data writes a path; each of its parts ends with end.
func (v *vector) data(parts [][]point, end string, s style) {
	if len(parts) == 0 {
		return
	}
	v.open("path", s)
	v.body.WriteString(` d="`)
	for _, part := range parts {
		for i, p := range part {
			switch {
			case i == 0:
				v.step('M', p.x, p.y)
			case p.y == part[i-1].y:
				v.step('H', p.x)
			case p.x == part[i-1].x:
				v.step('V', p.y)
			default:
				v.step('L', p.x, p.y)
			}
		}
		if len(part) == 1 && end == "" {
			v.body.WriteString("h0") // the round ends of a line without length are a dot
		}
		v.body.WriteString(end)
	}
	v.body.WriteString("\"/>\n")
}

// step writes a command of a path.
func (v *vector) step(command byte, coordinates ...float64) {
	for i, x := range coordinates {
		if i == 0 {
			v.body.WriteByte(command)
		} else {
			v.body.WriteByte(' ')
		}
		v.number(x)
	}
}

func (v *vector) text(x, y float64, s string, t textStyle) { v.abridged(x, y, s, "", t) }

func (v *vector) abridged(x, y float64, s, whole string, t textStyle) {
	v.open("text", style{fill: t.ink})
	v.numbers("x", x, "y", y, "font-size", t.size)
	if t.anchor != start {
		fmt.Fprintf(&v.body, ` text-anchor="%s"`, t.anchor)
	}
	v.body.WriteByte('>')
	if whole != "" {
		v.body.WriteString("<title>" + escape(whole) + "</title>")
	}
	v.body.WriteString(escape(s) + "</text>\n")
}

// open writes an element up to its own attributes.
func (v *vector) open(element string, s style) {
	v.body.WriteString("<" + element + ` class="`)
	if s.fill != none {
		v.fill[s.fill] = true
		v.body.WriteString("fill-" + tones[s.fill].name)
	}
	if s.stroke != none {
		v.stroke[s.stroke] = true
		if s.fill != none {
			v.body.WriteByte(' ')
		}
		v.body.WriteString("line-" + tones[s.stroke].name)
	}
	v.body.WriteByte('"')
	if s.fill == none {
		v.body.WriteString(` fill="none"`)
	}
	if s.stroke != none {
		v.numbers("stroke-width", s.width)
	}
	if s.opacity != 0 {
		v.body.WriteString(` fill-opacity="` + strconv.FormatFloat(s.opacity, 'f', -1, 64) + `"`)
	}
}

// numbers writes attributes, each a name and a float64.
func (v *vector) numbers(pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		v.body.WriteString(" " + pairs[i].(string) + `="`)
		v.number(pairs[i+1].(float64))
		v.body.WriteByte('"')
	}
}

// number writes x to a tenth of a unit.
func (v *vector) number(x float64) {
	x = math.Round(x*10) / 10
	v.body.Write(strconv.AppendFloat(v.body.AvailableBuffer(), x+0, 'f', -1, 64)) // +0 turns −0 into 0
}

func (v *vector) encode(w io.Writer, title, desc string) error {
	var style bytes.Buffer
	style.WriteString("<style>\n" + fitting)
	for i, t := range tones {
		v.rules(&style, ink(i), t.name, t.light.R, t.light.G, t.light.B)
	}
	style.WriteString("@media (prefers-color-scheme:dark){\n")
	for i, t := range tones {
		if t.light != t.dark {
			v.rules(&style, ink(i), t.name, t.dark.R, t.dark.G, t.dark.B)
		}
	}
	style.WriteString("}\n</style>\n")
	return v.write(w, title, desc, style.String())
}

// fitting keeps a chart from being wider than what it stands in.
const fitting = ".track-chart{max-width:100%;height:auto}\n"

// write writes the chart with a style of its own, or none.
func (v *vector) write(w io.Writer, title, desc, style string) error {
	var b bytes.Buffer
	role := "img"
	if v.nLinks > 0 { // whatever is in an image is hidden from those who do not see it
		role = "group"
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="track-chart" viewBox="0 0 %g %g" width="%[1]g" height="%[2]g" `+
		`role="%s" font-family="system-ui, sans-serif" stroke-linejoin="round" stroke-linecap="round">`+"\n", width, v.height, role)
	fmt.Fprintf(&b, "<title>%s</title>\n<desc>%s</desc>\n%s", escape(title), escape(desc), style)
	b.Write(v.body.Bytes())
	b.WriteString("</svg>\n")
	_, err := b.WriteTo(w)
	return err
}

// StyleSheet returns the style of all charts that were written by [Inline]. Their colours follow the property color-scheme.
func StyleSheet() string {
	var b strings.Builder
	b.WriteString(fitting)
	for _, t := range tones {
		if t.name != "" {
			colour := fmt.Sprintf("light-dark(#%02x%02x%02x,#%02x%02x%02x)", t.light.R, t.light.G, t.light.B, t.dark.R, t.dark.G, t.dark.B)
			fmt.Fprintf(&b, ".track-chart .fill-%s{fill:%s}\n.track-chart .line-%[1]s{stroke:%[2]s}\n", t.name, colour)
		}
	}
	return b.String()
}

// rules writes the classes of an ink that are used.
func (v *vector) rules(b *bytes.Buffer, i ink, name string, red, green, blue uint8) {
	if v.fill[i] {
		fmt.Fprintf(b, ".track-chart .fill-%s{fill:#%02x%02x%02x}\n", name, red, green, blue)
	}
	if v.stroke[i] {
		fmt.Fprintf(b, ".track-chart .line-%s{stroke:#%02x%02x%02x}\n", name, red, green, blue)
	}
}

func escape(s string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(s)) //nolint:errcheck // a buffer takes everything
	return b.String()
}
