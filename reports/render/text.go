package render

import (
	"bytes"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"track/answer"
	"track/reports/escape"
)

// WriteJSON writes an answer, or a part of one, as JSON and a line end.
func WriteJSON(w io.Writer, v any, options ...jsontext.Options) error {
	var b bytes.Buffer
	if err := answer.Encode(&b, v, options...); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := w.Write(escape.JSON(b.Bytes()))
	return err
}

// paragraph returns a text of several lines as text alone, in the format of the page.
func (p *page) paragraph(s string) string {
	if p.Format != Markdown {
		return escape.Lines(s)
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = escape.Start(escape.Markdown(line))
	}
	return strings.Join(lines, "\n")
}

// line returns a text as one line, in the format of the page.
func (p *page) line(s string) string {
	if p.Format == Markdown {
		return escape.Markdown(s)
	}
	return escape.Line(s)
}

// diff returns a unified difference in the format of the page. In Markdown no line of it closes the block of code.
func (p *page) diff(s string) string {
	s = escape.Code(s)
	if p.Format != Markdown {
		return s
	}
	fence := escape.Fence(s)
	return fence + "diff\n" + s + "\n" + fence
}
