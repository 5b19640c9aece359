package reports

import (
	"strconv"
	"strings"
)

// escape makes text that comes from outside safe in a Markdown paragraph or table cell: no markup, no HTML, one line, nothing that
// turns the direction of writing. Bare URLs stay what they are, and readers may link them.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\`*_[]#|~$", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case !strconv.IsPrint(r):
			b.WriteRune('\uFFFD')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
