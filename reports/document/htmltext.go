package document

import (
	"strings"

	"track/reports/escape"
)

// dialect is how spans are written in HTML.
type dialect struct {
	escape                  func(string) string
	strong, faint, endFaint string
	signs                   bool // of its own
}

var (
	page    = dialect{escape.HTML, "strong", `<span class="faint">`, "</span>", true}
	summary = dialect{escape.Summary, "b", "<sub>", "</sub>", false} // in Markdown, whose readers know no classes
)

func (d dialect) spans(t Text) string {
	var b strings.Builder
	signed := false // the word behind a sign stays with it
	for _, s := range t.merged() {
		if rest, found := strings.CutPrefix(s.Text, " "); found && signed {
			b.WriteString("&nbsp;")
			s.Text = rest
		}
		signed = d.signs && s.Style >= SignPass
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
	case SignPass, SignWarn, SignFail, SignOpen:
		if d.signs {
			return sign(s.Style)
		}
	}
	return text
}

// sign returns the sign of a verdict, in characters that fonts of text have. The word next to it is for screen readers.
func sign(s Style) string {
	class, character := "open", "?"
	switch s {
	case SignPass:
		class, character = "pass", "✓"
	case SignWarn:
		class, character = "warn", "!"
	case SignFail:
		class, character = "fail", "✗"
	}
	return `<span class="sign ` + class + `" aria-hidden="true">` + character + "</span>"
}
