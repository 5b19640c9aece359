package openhands

import (
	"errors"
	"io"
	"iter"

	"regexp"
	"track/importer"
)

// An event begins like this, so that reading goes on behind a damaged one.
var beginning = regexp.MustCompile(`\{\s{0,100}"id"\s{0,20}:\s{0,20}\d{1,18}\s{0,20},\s{0,100}"(?:timestamp|source)"`)

// Read reads records by line, or an array of events. file stands in items and errors.
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		reader, err := importer.Open(importer.OpenHands, file, r)
		if err != nil {
			yield(importer.Item{}, err)
			return
		}
		if next, err := importer.NewScanner(reader).Next(); err == nil && next == '[' {
			importer.ReadDocuments(importer.OpenHands, file, reader, beginning, readEvents)(yield)
			return
		}
		importer.ReadLines(importer.OpenHands, file, reader, decoder{})(yield)
	}
}

// readEvents reads the events of an exported trajectory. One without finish may continue.
func readEvents(d *importer.Document) error {
	h, n := newHistory(d.Line), 0
	err := d.Array(beginning, func(raw []byte, _ int) error {
		n++
		return h.decode(raw)
	})
	if n == 0 {
		return err
	}
	if stopped := d.Pass(h.close(record{}, h.first, err != nil || !h.ended)...); stopped != nil {
		return stopped
	}
	return err
}

type decoder struct{}

// DecodeLine implements [importer.LineDecoder].
func (decoder) DecodeLine(number int, text []byte) (items []importer.Item, err error) {
	var r record
	if err := importer.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	if r.History == nil {
		return nil, errors.New("a record without history")
	}
	h := newHistory(number)
	for i, raw := range r.History {
		if h.decode(raw) != nil {
			items = append(items, importer.Skipf(number, "event %d of the history is not as expected", i+1))
		}
	}
	return append(h.close(r, importer.Shape(text), false), items...), nil
}

// End implements [importer.LineDecoder].
func (decoder) End() []importer.Item { return nil }
