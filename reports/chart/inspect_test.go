package chart_test

import (
	"encoding/xml"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// drawing is what a test wants to know about an SVG.
type drawing struct {
	points      [][2]float64 // of the lines of the first series
	left, right float64      // ends of the axis of x
	texts       []label
}

type label struct{ y, left, right float64 }

// inspect fails unless the document is well formed, has a title and a description, holds nothing but shapes and text, has all
// coordinates within its view box, and no text on top of another.
func inspect(t rapid.TB, document string) drawing {
	t.Helper()
	var d drawing
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
			open = token.Copy()
			path = append(path, token.Name.Local)
			d.element(t, open)
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
			case len(in) == 2 && in[1] == "text":
				d.text(open, s)
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
	"rect":     "class fill fill-opacity stroke-width x y width height",
	"polyline": "class fill stroke-width points",
	"polygon":  "class fill fill-opacity stroke-width points",
	"circle":   "class stroke-width cx cy r",
	"text":     "class x y font-size text-anchor",
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
		if !(0 <= x && x <= 960 && 0 <= y && y <= 480) {
			t.Errorf("%s at %v, %v is outside of the chart: %v", e.Name.Local, x, y, e.Attr)
		}
	}
	n := func(name string) float64 {
		v, err := strconv.ParseFloat(a[name], 64)
		if err != nil {
			t.Errorf("%s of %s: %v", name, e.Name.Local, err)
		}
		return v
	}
	switch e.Name.Local {
	case "rect":
		within(n("x"), n("y"))
		within(n("x")+n("width"), n("y")+n("height"))
	case "circle":
		within(n("cx")-n("r"), n("cy")-n("r"))
		within(n("cx")+n("r"), n("cy")+n("r"))
	case "text":
		within(n("x"), n("y"))
	case "polyline", "polygon":
		var points [][2]float64
		for _, pair := range strings.Fields(a["points"]) {
			x, y, _ := strings.Cut(pair, ",")
			px, errX := strconv.ParseFloat(x, 64)
			py, errY := strconv.ParseFloat(y, 64)
			if errX != nil || errY != nil {
				t.Errorf("point %q", pair)
			}
			within(px, py)
			points = append(points, [2]float64{px, py})
		}
		switch a["class"] {
		case "line-1":
			d.points = append(d.points, points...)
		case "line-axis":
			if points[0][1] == points[1][1] { // that of x is the last
				d.left, d.right = points[0][0], points[1][0]
			}
		}
	}
}

// text notes where a text stands. Letters are taken to be half as wide as high, others, such as Chinese, as wide as high.
func (d *drawing) text(e xml.StartElement, s string) {
	var l label
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
