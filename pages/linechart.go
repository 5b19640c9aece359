package pages

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"html/template"
	"math"
	"slices"
	"strconv"

	"track/reports/escape"
)

// lineChart is what a script draws with uPlot in the place of a picture: the same points, with words for each place.
type lineChart struct {
	Options plotOptions  `json:"options"`
	Text    string       `json:"text"` // for readers who do not see it
	Half    float64      `json:"half"` // room before the first place and after the last one
	X       []float64    `json:"x"`
	Words   []string     `json:"words"` // what is at each place
	Links   []string     `json:"links"` // where a place leads; none if its lines lead somewhere
	Lines   []plotLine   `json:"lines"`
	Areas   []plotArea   `json:"areas"`             // between two lines
	Bars    []plotValues `json:"bars"`              // intervals: from x and y to x and y, which ends are cut (1 the first, 2 the second, 3 both), and 1 if it is of less interest
	Changes []float64    `json:"changes"`           // places where the level changes
	Whisker string       `json:"-"`                 // what the bars are
	Heights plotValues   `json:"heights,omitempty"` // of single points, of which the nearest one counts; nil if each place has its own x
}

// plotLine is a line of a chart. One without an ink is not drawn: it bounds an area, or is the end of intervals.
type plotLine struct {
	Label string     `json:"label"`
	Ink   string     `json:"ink,omitempty"` // the name of a color of the page
	Width float64    `json:"width"`
	Dots  float64    `json:"dots,omitempty"`  // their size
	Shape dotShape   `json:"shape,omitempty"` // of the dots; without one they are filled circles
	Steps int        `json:"steps,omitempty"` // 1 if a step rises at the next place, -1 at its own; 0 for none
	Joins bool       `json:"spanGaps,omitempty"`
	Href  string     `json:"href,omitempty"`
	Data  plotValues `json:"data"`
}

// dotShape is the outline of dots that are not filled: a path that is 10 wide, around 0.
type dotShape string

const (
	ringShape    dotShape = "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"
	squareShape  dotShape = "M-5-5h10v10h-10z"
	diamondShape dotShape = "M0-5l5 5-5 5-5-5z"
)

// dotMarks are the classes of the signs of shapes in the legend.
var dotMarks = map[dotShape]string{ringShape: "key-ring", squareShape: "key-square", diamondShape: "key-diamond"} //nolint:gochecknoglobals // a constant

// Mark returns the class of the sign of a line in the legend.
func (l plotLine) Mark() string {
	switch {
	case l.Shape != "":
		return dotMarks[l.Shape]
	case l.Dots > 0:
		return "key-dot"
	case l.Width > 1:
		return "key-line"
	case l.Width == 0:
		return "key-area key-pale"
	}
	return "key-area"
}

// plotArea is what lies between two lines, counted from 1.
type plotArea struct {
	Series [2]int `json:"series"`
	Ink    string `json:"ink"`
}

// plotOptions are the options of uPlot that depend on nothing in the browser.
type plotOptions struct {
	Height int            `json:"height"`
	Legend map[string]any `json:"legend"`
	Focus  map[string]any `json:"focus"`
	Cursor map[string]any `json:"cursor"`
	Scales map[string]any `json:"scales"`
	Axes   []plotAxis     `json:"axes"`
}

type plotAxis struct {
	Label     string    `json:"label"`
	LabelSize int       `json:"labelSize"`
	Size      int       `json:"size"`
	Space     int       `json:"space,omitempty"`
	Steps     []float64 `json:"incrs,omitempty"`
	Names     []string  `json:"names,omitempty"` // of the places
}

// plotValues are the values of a line. Those that are not finite are gaps.
type plotValues []float64

// MarshalJSON implements [json.Marshaler]. The digits are enough to draw.
func (values plotValues) MarshalJSON() ([]byte, error) {
	text := []byte{'['}
	for i, v := range values {
		if i > 0 {
			text = append(text, ',')
		}
		if isFinite(v) {
			text = strconv.AppendFloat(text, v, 'g', 6, 64)
		} else {
			text = append(text, "null"...)
		}
	}
	return append(text, ']'), nil
}

const (
	plotHeight  = 320
	plotKeys    = ". Left and right arrows move along, up and down choose a line, Enter opens, + and - zoom, 0 shows all."
	longestName = 16 // of a place
)

// newLineChart returns a chart without lines. names are those of the places; nil if they are numbers.
func newLineChart(text, x, y string, names []string) lineChart {
	c := lineChart{Text: escape.Line(text) + plotKeys, Links: []string{}, Areas: []plotArea{}, Bars: []plotValues{}, Changes: []float64{}, Options: plotOptions{
		Height: plotHeight, Legend: map[string]any{"show": false}, Focus: map[string]any{"alpha": 1}, Scales: map[string]any{"x": map[string]any{"time": false}},
		Cursor: map[string]any{"y": false, "points": map[string]any{"one": true, "size": 9}, "focus": map[string]any{"prox": 24}},
		Axes: []plotAxis{
			{Label: escape.Line(x), LabelSize: 22, Size: 34, Space: 50, Steps: []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 1e4, 1e5, 1e6}},
			{Label: escape.Line(y), LabelSize: 22, Size: 64},
		},
	}}
	if names != nil {
		c.Half = 0.5
		for _, name := range names {
			short := []rune(escape.Line(name))
			if len(short) > longestName {
				short = append(short[:longestName-1], '…')
			}
			c.Options.Axes[0].Names = append(c.Options.Axes[0].Names, string(short))
			c.Options.Axes[0].Space = max(c.Options.Axes[0].Space, 13*len(short)/2) // pixels between two names
		}
	}
	return c
}

// between adds the two bounds of an area, the upper one first.
func (c *lineChart) between(label, ink string, high, low plotValues) {
	n := len(c.Lines)
	c.Lines = append(c.Lines, plotLine{Label: label, Data: high}, plotLine{Label: label, Data: low})
	if ink != "" {
		c.Areas = append(c.Areas, plotArea{[2]int{n + 1, n + 2}, ink})
	}
}

// intervals adds the intervals of the places, upright.
func (c *lineChart) intervals(label string, high, low plotValues) {
	c.between(label, "", high, low)
	c.Whisker = label
	for i, x := range c.X {
		c.bar(x, low[i], x, high[i])
	}
}

// bar adds an interval, if it has ends.
func (c *lineChart) bar(ends ...float64) {
	if !slices.ContainsFunc(ends, func(end float64) bool { return !isFinite(end) }) {
		c.Bars = append(c.Bars, ends)
	}
}

// whisker returns what the legend says of intervals; nothing if none is drawn.
func (c *lineChart) whisker() string {
	if len(c.Bars) == 0 {
		return ""
	}
	return c.Whisker
}

// keys returns the areas and the lines that the legend names, each once. Lines that lead somewhere name themselves.
func (c *lineChart) keys() (list []plotLine) {
	for _, a := range c.Areas {
		if bound := c.Lines[a.Series[0]-1]; bound.Ink == "" {
			list = append(list, plotLine{Label: bound.Label, Ink: a.Ink})
		}
	}
	for _, l := range c.Lines {
		known := slices.ContainsFunc(list, func(k plotLine) bool { return k.Label == l.Label })
		if l.Ink != "" && l.Href == "" && l.Label != "" && !known {
			list = append(list, l)
		}
	}
	return list
}

// chartFigure is a picture that a script can draw anew.
type chartFigure struct {
	ID, Sum string
	Still   template.HTML
	Keys    []plotLine  // what the colors mean
	Whisker string      // what upright and lying bars mean
	Source  string      // where the data are; empty if they are in the page
	Data    template.JS // JSON
}

// dataPart ends the name of the part of a page that has the data of a chart.
const dataPart = ".data"

// still is a picture in whose place a script draws a chart, and links to it as files.
type still struct{ Figure, Links template.HTML }

// addChart adds a picture that shows the values under the pointer, if a script runs. Data that would make the page
// heavy are apart: the script fetches them.
func (b *builder) addChart(s section, c lineChart, drawn still, apart bool) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	v := chartFigure{ID: s.ID, Sum: hex.EncodeToString(sum[:6]), Still: drawn.Figure, Keys: c.keys(), Whisker: c.whisker(), Data: template.JS(data)} //nolint:gosec // JSON without < and >
	if apart {
		name := s.ID + dataPart
		if b.request.In.Get(partParam) == name {
			html, err := fragment("chart-data", v)
			b.view.Sections = append(b.view.Sections, section{ID: name, HTML: html})
			return err
		}
		in := b.params()
		in.Set(partParam, name)
		v.Source, v.Data = b.at(in), ""
	}
	b.view.Charts = true
	s.HTML, err = fragment("linechart", v)
	s.HTML += drawn.Links
	b.view.Sections = append(b.view.Sections, s)
	return err
}

// constant returns a value for each place.
func constant(value float64, n int) plotValues {
	list := make(plotValues, n)
	for i := range list {
		list[i] = value
	}
	return list
}

// gaps returns a line without any value.
func gaps(n int) plotValues { return constant(math.NaN(), n) }
