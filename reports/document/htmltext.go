package document

import (
	"strings"

	"track/reports/escape"
)

// dialect is how spans are written in HTML.
type dialect struct {
	escape                  func(string) string
	strong, faint, endFaint string
}

var (
	page    = dialect{escape.HTML, "strong", `<span class="faint">`, "</span>"}
	summary = dialect{escape.Summary, "b", "<sub>", "</sub>"} // in Markdown, whose readers know no classes
)

func (d dialect) spans(t Text) string {
	var b strings.Builder
	for _, s := range t.merged() {
		if s.Href != "" {
			b.WriteString(`<a href="` + reference(s.Href) + `">`)
		}
		b.WriteString(d.span(s))
		if s.Href != "" {
			b.WriteString("</a>")
		}
	}
	return b.String()
}

func (d dialect) span(s Span) string {
	text := d.escape(s.Text)
	switch s.Style {
	case Monospace:
		return "<code>" + text + "</code>"
	case Strong:
		return "<" + d.strong + ">" + text + "</" + d.strong + ">"
	case Faint:
		return d.faint + text + d.endFaint
	}
	return text
}
