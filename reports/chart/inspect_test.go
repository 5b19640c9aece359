package chart_test

import (
	"encoding/xml"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// drawing is what a test wants to know about an SVG.
type drawing struct {
	height      float64
	points      [][2]float64 // of the lines of the first series
	left, right float64      // ends of the axis of x
	texts       []label
	shapes      map[string][][][2]float64 // the corners of lines and areas, and the centres of circles, by class
	desc        string
	cut         []string // what texts are short for
}

type label struct {
	y, left, right float64
	text           string
}

// inspect fails unless the document is well formed, has a title and a description, holds nothing but shapes and text,
// has all coordinates within its view box, and no text on top of another.
func inspect(t rapid.TB, document string) drawing {
	t.Helper()
	d := drawing{shapes: map[string][][][2]float64{}}
	decoder := xml.NewDecoder(strings.NewReader(document))
	var path []string
	var described []string
	var open xml.StartElement
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, document)
		}
		switch token := token.(type) {
		case xml.StartElement:
			path = append(path, token.Name.Local)
			if len(path) < 3 {
				open = token.Copy()
			}
			d.element(t, token)
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			s := strings.TrimSpace(string(token))
			switch in := path; {
			case len(in) == 2 && (in[1] == "title" || in[1] == "desc"):
				described = append(described, in[1])
				if s == "" {
					t.Errorf("empty %s", in[1])
				}
				if in[1] == "desc" {
					d.desc = s
				}
			case slices.Equal(in, []string{"svg", "text", "title"}):
				d.cut = append(d.cut, s)
			case len(in) == 2 && in[1] == "text":
				d.text(t, open, s)
			case s != "" && path[len(path)-1] != "style":
				t.Errorf("text %q in %v", s, path)
			}
		}
	}
	if !slices.Equal(described, []string{"title", "desc"}) {
		t.Errorf("described by %v", described)
	}
	d.overlaps(t)
	return d
}

// allowed are the elements and attributes of a chart; none of them can run or load anything.
var allowed = map[string]string{
	"svg":   "xmlns class viewBox width height role font-family stroke-linejoin stroke-linecap",
	"title": "", "desc": "", "style": "",
	"rect":   "class fill fill-opacity stroke-width x y width height",
	"path":   "class fill fill-opacity stroke-width d",
	"circle": "class fill stroke-width cx cy r",
	"text":   "class x y font-size text-anchor",
}

func (d *drawing) element(t rapid.TB, e xml.StartElement) {
	t.Helper()
	names, ok := allowed[e.Name.Local]
	if !ok {
		t.Fatalf("element %s", e.Name.Local)
	}
	a := map[string]string{}
	for _, attribute := range e.Attr {
		a[attribute.Name.Local] = attribute.Value
		if !slices.Contains(strings.Fields(names), attribute.Name.Local) {
			t.Fatalf("attribute %s of %s", attribute.Name.Local, e.Name.Local)
		}
	}
	within := func(x, y float64) {
		if !(0 <= x && x <= 960 && 0 <= y && y <= d.height) {
			t.Errorf("%s at %v, %v is outside of the chart: %v", e.Name.Local, x, y, e.Attr)
		}
	}
	n := func(name string) float64 { return parse(t, a[name]) }
	shape := func(points [][2]float64) {
		for _, p := range points {
			within(p[0], p[1])
		}
		d.shapes[a["class"]] = append(d.shapes[a["class"]], points)
	}
	switch e.Name.Local {
	case "svg":
		d.height = n("height")
		if want := "0 0 960 " + a["height"]; a["viewBox"] != want {
			t.Errorf("view box %s, want %s", a["viewBox"], want)
		}
	case "rect":
		within(n("x"), n("y"))
		within(n("x")+n("width"), n("y")+n("height"))
	case "circle":
		within(n("cx")-n("r"), n("cy")-n("r"))
		within(n("cx")+n("r"), n("cy")+n("r"))
		shape([][2]float64{{n("cx"), n("cy")}})
	case "text":
		within(n("x"), n("y"))
	case "path":
		for _, part := range pathParts(t, a["d"]) {
			shape(part)
			switch {
			case a["class"] == "line-1":
				d.points = append(d.points, part...)
			case a["class"] == "line-axis" && len(part) == 2 && part[0][1] == part[1][1]: // that of x is the last
				d.left, d.right = part[0][0], part[1][0]
			}
		}
	}
}

func parse(t rapid.TB, number string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		t.Errorf("%q is not a finite number", number)
	}
	return v
}

var command = regexp.MustCompile(`([MLHVhz])([^MLHVhz]*)`)

// pathParts are the points of each part of a path.
func pathParts(t rapid.TB, data string) (parts [][][2]float64) {
	t.Helper()
	for _, c := range command.FindAllStringSubmatch(data, -1) {
		if c[1] == "M" {
			parts = append(parts, [][2]float64{{}})
		}
		last := &parts[len(parts)-1]
		at := (*last)[len(*last)-1]
		switch c[1] {
		case "M", "L":
			x, y, _ := strings.Cut(c[2], " ")
			at = [2]float64{parse(t, x), parse(t, y)}
		case "H":
			at[0] = parse(t, c[2])
		case "V":
			at[1] = parse(t, c[2])
		}
		switch c[1] {
		case "M":
			(*last)[0] = at
		case "L", "H", "V":
			*last = append(*last, at)
		}
	}
	return parts
}

// text notes where a text stands. Letters are taken to be half as wide as high, others, such as Chinese, as wide as
// high.
func (d *drawing) text(t rapid.TB, e xml.StartElement, s string) {
	t.Helper()
	l := label{text: s}
	var size float64
	anchor := "start"
	for _, a := range e.Attr {
		v, _ := strconv.ParseFloat(a.Value, 64)
		switch a.Name.Local {
		case "x":
			l.left = v
		case "y":
			l.y = v
		case "font-size":
			size = v
		case "text-anchor":
			anchor = a.Value
		}
	}
	width := 0.0
	for _, r := range s {
		if r < 0x300 || r == '…' || r == '−' {
			width += 0.5 * size
		} else {
			width += size
		}
	}
	switch anchor {
	case "middle":
		l.left -= width / 2
	case "end":
		l.left -= width
	}
	l.right = l.left + width
	if l.left < 0 || l.right > 960 {
		t.Errorf("text does not fit: %v", l)
	}
	d.texts = append(d.texts, l)
}

func (d *drawing) overlaps(t rapid.TB) {
	t.Helper()
	for i, a := range d.texts {
		for _, b := range d.texts[:i] {
			if math.Abs(a.y-b.y) < 11 && a.left < b.right && b.left < a.right {
				t.Errorf("texts overlap: %v and %v", a, b)
			}
		}
	}
}
