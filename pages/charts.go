package pages

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/ask"
	"track/reports"
	"track/reports/chart"
	"track/reports/document"
	"track/reports/escape"
	"track/scoring/format"
)

// plotted is a chart over two axes, which a script can draw anew.
type plotted interface {
	chart.Chart
	Plot() chart.Plot
}

// lineChart is what a script draws with uPlot in the place of a picture: the same points, with words for each place.
type lineChart struct {
	Options map[string]any `json:"options"` // of uPlot, as far as they depend on nothing in the browser
	Text    string         `json:"text"`    // for readers who do not see it
	Half    float64        `json:"half"`    // room before the first place and after the last one
	X       []float64      `json:"x"`
	Words   []string       `json:"words"` // what is at each place
	Links   []string       `json:"links"` // where a place leads; none if its lines lead somewhere
	Lines   []plotLine     `json:"lines"`
	Areas   []plotArea     `json:"areas"`             // between two lines
	Bars    []plotValues   `json:"bars"`              // intervals: from x and y to x and y, which ends are cut (1 the first, 2 the second, 3 both), and 1 if it is of less interest
	Changes plotValues     `json:"changes"`           // places with an upright line
	Heights plotValues     `json:"heights,omitempty"` // of single points, of which the nearest one counts; nil if each place has its own x
}

// plotLine is a line of a chart. One without an ink is not drawn: it bounds an area, or is the end of intervals.
type plotLine struct {
	Label  string     `json:"label"`
	Ink    string     `json:"ink,omitempty"` // the name of a color of the page
	Width  float64    `json:"width"`
	Dots   float64    `json:"dots,omitempty"`  // their size
	Shape  string     `json:"shape,omitempty"` // of the dots; without one they are filled circles
	Hollow bool       `json:"hollow,omitempty"`
	Steps  int        `json:"steps,omitempty"` // 1 if a step rises at the next place, -1 at its own; 0 for none
	Joins  bool       `json:"spanGaps,omitempty"`
	Href   string     `json:"href,omitempty"`
	Mark   string     `json:"-"` // class of its sign in the legend
	Data   plotValues `json:"data"`
}

// plotArea is what lies between two lines, counted from 1.
type plotArea struct {
	Series [2]int `json:"series"`
	Ink    string `json:"ink"`
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
	plotKeys    = ". Left and right arrows move along, up and down choose a line, Enter opens, + and - zoom, 0 shows all."
	longestName = 16                                     // of a place
	ringPath    = "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z" // 10 wide
	figurePart  = ".data"                                // ends the name of the part of a page that has the data of a chart
)

// inkNames are the colors of pages for the inks of charts.
var inkNames = map[string]string{"1": "accent", "2": "bad", "3": "good", "5": "warning", "6": "accent", "7": "text", "text": "text", "dim": "dim", "axis": "faint"} //nolint:gochecknoglobals // a constant

// newLineChart returns what a script draws for a plot. link returns where what stands at a place leads, or a seed.
func newLineChart(p chart.Plot, link func(chart.Mark) string) lineChart {
	p = p.Framed()
	title := strings.TrimPrefix(p.Title+", "+p.Summary(), ", ")
	axisX := map[string]any{"label": escape.Line(p.XLabel), "labelSize": 22, "size": 34, "space": 50}
	c := lineChart{Text: escape.Line(title) + plotKeys, X: p.X, Half: p.Room(), Links: []string{}, Areas: []plotArea{}, Bars: []plotValues{}, Changes: plotValues{}, Options: map[string]any{
		"height": 320, "legend": map[string]any{"show": false}, "focus": map[string]any{"alpha": 1}, "scales": map[string]any{"x": map[string]any{"time": false}},
		"cursor": map[string]any{"y": false, "points": map[string]any{"one": true, "size": 9}, "focus": map[string]any{"prox": 24}},
		"axes":   []any{axisX, map[string]any{"label": escape.Line(p.YLabel), "labelSize": 22, "size": 64}},
	}}
	switch {
	case p.Named:
		var names []string
		for _, name := range p.Labels {
			short := []rune(escape.Line(name))
			if len(short) > longestName {
				short = append(short[:longestName-1], '…')
			}
			names = append(names, string(short))
			axisX["space"] = max(axisX["space"].(int), 13*len(short)/2) // pixels between two names
		}
		axisX["names"] = names
		fallthrough
	case !p.Scattered:
		axisX["incrs"] = []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 1e4, 1e5, 1e6}
	default:
		axisX["space"], c.Heights = 90, gaps(len(p.X))
	}
	for i := range p.X {
		c.Words = append(c.Words, p.Words(i))
		if p.Labels != nil {
			c.Links = append(c.Links, link(chart.Mark{Label: p.Labels[i]}))
		}
	}
	for _, a := range p.Areas {
		c.Areas = append(c.Areas, plotArea{[2]int{len(c.Lines) + 1, len(c.Lines) + 2}, inkNames[a.Ink.Name()]})
		c.Lines = append(c.Lines, plotLine{Label: a.Name, Data: a.High}, plotLine{Label: a.Name, Data: a.Low})
	}
	high, low := gaps(len(p.X)), gaps(len(p.X)) // so that there is room for the intervals
	for _, i := range p.Intervals {
		c.Bars = append(c.Bars, plotValues{i.X0, i.Y0, i.X1, i.Y1, float64(boolNumber(i.Cut[0]) + 2*boolNumber(i.Cut[1])), float64(boolNumber(i.Faint))})
		if at, found := slices.BinarySearch(p.X, i.X0); found {
			high[at], low[at] = larger(high[at], i.Y1), -larger(-low[at], -i.Y0)
		}
	}
	if len(c.Bars) > 0 {
		c.Lines = append(c.Lines, plotLine{Label: p.IntervalName, Data: high}, plotLine{Label: p.IntervalName, Data: low})
	}
	for _, r := range p.Rules {
		c.Changes = append(c.Changes, r.At)
	}
	for _, s := range p.Series {
		line := plotLine{Label: escape.Line(s.Name), Ink: inkNames[s.Ink.Name()], Width: max(s.Width, float64(boolNumber(s.Width > 0))), Steps: s.Steps, Joins: s.Joins, Mark: "key-line", Data: s.Y}
		if s.Mark != "" {
			line.Label, line.Href = "seed "+s.Mark, link(chart.Mark{Label: s.Mark})
		}
		if s.Size > 0 {
			line.Dots, line.Shape, line.Hollow, line.Mark = 2*s.Size, s.Shape.Outline(), s.Hollow, "key-"+cmp.Or(s.Shape.Name, "disk")
			if line.Shape == "" && s.Hollow {
				line.Shape, line.Mark = ringPath, "key-ring"
			}
			for i, y := range s.Y {
				if c.Heights != nil && isFinite(y) {
					c.Heights[i] = y
				}
			}
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// larger returns the larger of two numbers; the other one if the first is not known.
func larger(a, b float64) float64 {
	if !isFinite(a) {
		return b
	}
	return max(a, b)
}

// gaps returns a line without any value.
func gaps(n int) plotValues {
	list := make(plotValues, n)
	for i := range list {
		list[i] = deref(nil)
	}
	return list
}

// keys returns the areas and the lines that the legend names, each once. Lines that lead somewhere name themselves.
func (c *lineChart) keys() (list []plotLine) {
	for i, a := range c.Areas {
		list = append(list, plotLine{Label: c.Lines[a.Series[0]-1].Label, Ink: a.Ink, Mark: [2]string{"key-area key-pale", "key-area"}[min(i, 1)]})
	}
	for _, l := range c.Lines {
		if l.Ink != "" && l.Href == "" && !slices.ContainsFunc(list, func(k plotLine) bool { return k.Label == l.Label }) {
			list = append(list, l)
		}
	}
	return list
}

// figure is a picture with links to what it shows as files. A script can draw it anew if it has data.
type figure struct {
	ID, Alt, Sum string
	Still        template.HTML
	Keys         []plotLine  // what the colors mean
	Whisker      string      // what upright and lying bars mean
	Source       string      // where the data are; empty if they are in the page
	Data         template.JS // JSON
	Name         string      // of the files
	Files        []link
}

// addChart adds a chart to the page: a picture, in whose place a script draws one that shows the values under the
// pointer. Its marks lead where link says. Data that would make the page heavy are apart: the script fetches them.
func (b *builder) addChart(s section, c chart.Chart, link func(chart.Mark) string, name string, files []link, apart bool) error {
	f := figure{ID: s.ID, Name: name, Files: files}
	if files == nil {
		f.Files = b.chartFile(name, c)
	}
	plot, isPlot := c.(plotted)
	if isPlot {
		drawn := newLineChart(plot.Plot(), link)
		data, err := json.Marshal(drawn)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		f.Sum, f.Keys, f.Data = hex.EncodeToString(sum[:6]), drawn.keys(), template.JS(data) //nolint:gosec // JSON without < and >
		if len(drawn.Bars) > 0 {
			f.Whisker = cmp.Or(plot.Plot().IntervalName, "interval")
		}
		if apart {
			if b.request.In.Get(partParam) == s.ID+figurePart {
				html, err := fragment("chart-data", f)
				b.view.Sections = append(b.view.Sections, section{ID: s.ID + figurePart, HTML: html})
				return err
			}
			f.Source, f.Data = b.here(partParam, s.ID+figurePart), ""
		}
		b.view.Charts = true
		nCut := 0
		for _, one := range drawn.Bars {
			nCut += boolNumber(one[4] > 0)
		}
		if nCut > 0 {
			s.Sentences = append(s.Sentences, sentence{Class: "note", Text: format.Counted(nCut, "interval") + format.Verb(nCut, " goes", " go") + " beyond the chart, as arrows show. The table has all ends."})
		}
	}
	var drawn strings.Builder
	err := chart.Inline(&drawn, c, link)
	f.Still = template.HTML(drawn.String()) //nolint:gosec // written by package chart, which escapes
	if err != nil {
		return err
	}
	f.Alt = cmp.Or(s.Title, name)
	html, err := fragment("figure", f)
	s.HTML += html
	b.view.Sections = append(b.view.Sections, s)
	return err
}

// chartOf returns the chart of an answer, and what its marks lead to; nil for none.
func (b *builder) chartOf(a answer.Answer) (chart.Chart, func(chart.Mark) string) {
	ofVersion := func(lineage string) func(chart.Mark) string {
		return func(m chart.Mark) string { return b.address("version show", "version", lineage+"@"+m.Label) }
	}
	switch a := a.(type) {
	case answer.History:
		c := reports.HistoryChart(a)
		if c.Number = format.Four; a.Metric != nil {
			c.Number = func(x float64) string { return format.Mean(x, a.Metric.Format) }
		}
		hashes := map[string]string{}
		for i, e := range a.Entries {
			hashes[c.Points[i].Label] = track.ShortHash(e.Configuration.Hash)
		}
		return c, func(m chart.Mark) string {
			return b.address("stability", "scenario", answer.Selector{Scenario: a.Scenario, Configuration: hashes[m.Label]}.String())
		}
	case answer.LineageHistory:
		c := reports.LineageHistoryChart(a)
		var means []float64
		for _, e := range a.Entries {
			means = append(means, e.Mean.Value)
		}
		c.Number = format.Aligned(means)
		return c, ofVersion(a.Lineage)
	case answer.LineageFront:
		c := reports.FrontChart(a)
		c.NumberX, c.NumberY = a.Number(a.X), a.Number(a.Y)
		return c, ofVersion(a.Lineage)
	}
	return nil, nil
}

// fileParam names a file that is asked for instead of the page: what one of its figures shows, in another form.
const fileParam = "file.page"

// File is what a page gives to be kept.
type File struct {
	Name, Media string
	Content     []byte
}

// IsFile reports whether an address asks for a file of a page.
func IsFile(in url.Values) bool { return in.Get(fileParam) != "" }

// pageFile is a file that a page can give.
type pageFile struct {
	media string
	write func(w io.Writer) error
}

// File returns the file that the address names. The page is made for it: a file shows what the page shows.
func (p Page) File(ctx context.Context, r Request) (File, error) {
	b := newBuilder(p, r)
	name := r.In.Get(fileParam)
	if b.missing() == nil {
		if err := p.compose(ctx, b); err != nil {
			return File{}, err
		}
	}
	made, found := b.files[name]
	if !found {
		return File{}, fmt.Errorf("%w: this page has no file %q", track.ErrNotFound, name)
	}
	var content bytes.Buffer
	err := made.write(&content)
	return File{strings.ReplaceAll(strings.Trim(b.view.Path, "/"), "/", "-") + "-" + name, made.media, content.Bytes()}, err
}

// addFile lets the page give a file, and returns its address.
func (b *builder) addFile(name string, file pageFile) string {
	if b.files == nil {
		b.files = map[string]pageFile{}
	}
	b.files[name] = file
	return b.here(fileParam, name)
}

// keepDocument offers the document of the page as a file.
func (b *builder) keepDocument(d document.Document) {
	html := pageFile{ask.HTML, d.HTML}
	markdown := pageFile{"text/markdown; charset=utf-8", func(w io.Writer) error { return reports.WithoutPictures(d).Markdown(w, document.MarkdownOptions{}) }}
	b.view.Downloads = []link{{Text: "HTML", Href: b.addFile("preview.html", html)}, {Text: "Markdown", Href: b.addFile("preview.md", markdown)}}
}

// chartFile returns a link to a chart as SVG.
func (b *builder) chartFile(name string, c chart.Chart) []link {
	return []link{{Text: "SVG", Href: b.addFile(name+".svg", pageFile{ask.SVG, func(w io.Writer) error { return chart.SVG(w, c) }})}}
}

// answerFiles returns links to the picture of an answer and to its data.
func (b *builder) answerFiles(q ask.Question, in url.Values) (list []link) {
	for _, f := range []link{{Text: "SVG", Href: ask.SVG}, {Text: "CSV", Href: "text/csv"}, {Text: "JSON", Href: "application/json"}} {
		list = append(list, link{Text: f.Text, Href: b.download(q, in, f.Href)})
	}
	return list
}
