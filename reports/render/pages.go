package render

import (
	"bytes"
	"io"

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

// Write writes the next page. In JSON, the items must be the last list of the answer. The fields behind them come from the
// last page.
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
	items, end := cutItems(first.Bytes())
	p.end = string(end)
	_, err := p.w.Write(items)
	return err
}

// cutItems returns the JSON of a list up to its last item, and what follows.
func cutItems(list []byte) (items, end []byte) {
	i := bytes.LastIndex(list, []byte("\n  ]"))
	if i < 0 { // no items
		i = len(list)
	}
	return list[:i], list[i:]
}

func (p *Pages) continueJSON(list answer.Listing) error {
	if list.Len() == 0 {
		return nil
	}
	var whole bytes.Buffer
	if err := Write(&whole, list, p.options); err != nil {
		return err
	}
	items, end := cutItems(whole.Bytes())
	_, items, _ = bytes.Cut(items, []byte("\n  \"items\": ["))
	p.end = string(end)
	_, err := p.w.Write(append([]byte(","), items...))
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
