package otlp

import (
	"errors"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"regexp"
	"track/importer"
)

// What a resource has begins like this, so that reading goes on behind damage.
var beginning = regexp.MustCompile(`\{\s{0,100}"(?:resource|scopeSpans|scopeLogs|resourceSpans|resourceLogs|scopeMetrics)"\s{0,20}:`)

// Read reads spans and logs. file stands in items and errors.
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		reader, err := importer.Open(importer.OTLP, file, r)
		if err != nil {
			yield(importer.Item{}, err)
			return
		}
		c := newCollector()
		if importer.HasLines(reader) {
			importer.ReadLines(importer.OTLP, file, reader, c)(yield)
			return
		}
		for item, err := range importer.ReadDocuments(importer.OTLP, file, reader, beginning, c.readDocument) {
			if !yield(item, err) {
				return
			}
		}
		for _, item := range c.End() {
			if !yield(item.In(file), nil) {
				return
			}
		}
	}
}

// readDocument reads the next document. What it holds is handed on at the end, since events come in any order.
func (c *collector) readDocument(d *importer.Document) error {
	return d.Members(func(name string) error {
		if name != "resourceSpans" && name != "resourceLogs" {
			return d.Skip()
		}
		return d.Array(beginning, func(raw []byte, line int) error {
			var r resource
			if err := importer.Unmarshal(raw, &r); err != nil {
				return err
			}
			return d.Pass(c.resource(line, r)...)
		})
	})
}

// DecodeLine implements [importer.LineDecoder].
func (c *collector) DecodeLine(number int, text []byte) (items []importer.Item, err error) {
	var l struct {
		Type       string         `json:"_type"`
		Time       string         `json:"ts"`
		Name       string         `json:"name"`
		Attributes attributes     `json:"attrs"`
		Spans      []resource     `json:"resourceSpans"`
		Logs       []resource     `json:"resourceLogs"`
		Metrics    jsontext.Value `json:"resourceMetrics"`
	}
	if err := importer.Unmarshal(text, &l); err != nil {
		return nil, err
	}
	switch {
	case l.Type == "log":
		return c.event(number, event{at: importer.Time(l.Time), name: l.Name, attributes: l.Attributes}), nil
	case l.Spans != nil || l.Logs != nil:
		for _, r := range append(l.Spans, l.Logs...) {
			items = append(items, c.resource(number, r)...)
		}
		return items, nil
	case l.Type != "" || l.Metrics != nil: // metrics count what events say
		return nil, nil
	}
	return nil, errors.New("neither spans nor logs")
}

func (c *collector) resource(line int, r resource) (items []importer.Item) {
	for _, scope := range r.Spans {
		for _, s := range scope.Spans {
			items = append(items, c.span(line, s)...)
		}
	}
	for _, scope := range r.Logs {
		for _, l := range scope.Records {
			items = append(items, c.event(line, l.event())...)
		}
	}
	return items
}
