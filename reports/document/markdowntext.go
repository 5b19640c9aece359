package document

import (
	"bytes"
	"strings"

	"track/reports/escape"
)

// start writes a text that begins a block.
func (m *markdown) start(t Text) string {
	line := markdown{options: m.options}
	line.spans(t, false)
	return strings.TrimRight(escape.Start(line.String()), " ")
}

// spans writes a text, in a cell of a table or elsewhere.
func (m *markdown) spans(t Text, cell bool) {
	for _, s := range t.merged() {
		if s.Href != "" {
			m.WriteByte('[')
		}
		m.span(s, cell)
		if s.Href != "" {
			m.WriteString("](" + reference(s.Href) + ")")
		}
	}
}

// span writes Markdown if every reader understands it, else HTML.
func (m *markdown) span(s Span, cell bool) {
	switch s.Style {
	case Monospace:
		m.WriteString(escape.Span(s.Text, m.backticks(s.Text, cell)))
	case Strong:
		before, after := "**", "**"
		if !wordlike(s.Text) || bytes.HasSuffix(m.Bytes(), []byte("*")) {
			before, after = "<strong>", "</strong>"
		}
		m.WriteString(before + escape.Markdown(s.Text) + after)
	case Faint:
		m.WriteString("<sub>" + escape.Markdown(s.Text) + "</sub>")
	default:
		m.WriteString(escape.Markdown(s.Text))
	}
}

// backticks reports whether they make a span of code of the text: not after others, not in a cell that a | would end,
// and not where a reader such as goldmark takes them for part of the address of a mail.
func (m *markdown) backticks(text string, cell bool) bool {
	before := m.Bytes()
	glued := len(before) > 0 && before[len(before)-1] != ' '
	return !bytes.HasSuffix(before, []byte("`")) && !(cell && strings.Contains(text, "|")) && !(glued && strings.Contains(text, "@"))
}
