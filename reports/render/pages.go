package render

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"track/answer"
)

// Pages writes a list page by page, as if it were one answer.
type Pages struct {
	w       io.Writer
	options Options
	end     string // what closes the JSON of a list
}

// NewPages returns a writer of the pages of one list. Its columns are as wide as each page needs; the first page
// decides which of them are left out.
func NewPages(w io.Writer, o Options) *Pages {
	o.fixed, o.leftNote = map[string][]int{}, new(string)
	return &Pages{w: w, options: o}
}

// Write writes the next page. In JSON, the items must be the last field of the answer.
func (p *Pages) Write(a answer.Answer) error {
	defer func() { p.options.Continued = true }()
	list, ok := a.(answer.Listing)
	switch {
	case p.options.Format != JSON || !ok:
		return Write(p.w, a, p.options)
	case p.options.Continued:
		return p.continueJSON(list)
	}
	var first bytes.Buffer
	if err := Write(&first, a, p.options); err != nil {
		return err
	}
	if end := []byte("\n  ]\n}\n"); bytes.HasSuffix(first.Bytes(), end) {
		p.end = string(end)
	}
	_, err := p.w.Write(bytes.TrimSuffix(first.Bytes(), []byte(p.end)))
	return err
}

func (p *Pages) continueJSON(list answer.Listing) error {
	var b bytes.Buffer
	for i := range list.Len() {
		b.WriteString(",\n    ")
		if err := WriteJSON(&b, list.Item(i), jsontext.WithIndentPrefix("    "), jsontext.WithIndent("  ")); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // the line end
	}
	_, err := p.w.Write(b.Bytes())
	return err
}

// Close ends the list, and says which columns were left out.
func (p *Pages) Close() error {
	if *p.options.leftNote != "" {
		end := &page{Options: p.options}
		end.writeParagraph(*p.options.leftNote, -1)
		p.end += end.String()
	}
	_, err := io.WriteString(p.w, p.end)
	return err
}
