package document

import (
	"html"
	"strings"

	"track/reports/escape"
)

func (h *hypertext) code(c Code) {
	h.WriteString("<pre tabindex=\"0\"><code>")
	if text := escape.Code(c.Text); c.Language == "diff" {
		h.diff(text)
	} else {
		h.WriteString(html.EscapeString(text))
	}
	h.WriteString("</code></pre>\n")
}

// diff colours the lines of a difference; their signs stay.
func (h *hypertext) diff(text string) {
	inHunk := false
	for line := range strings.Lines(text) {
		class := diffClass(line, &inHunk)
		if class == "" {
			h.WriteString(html.EscapeString(line))
		} else {
			h.WriteString(`<span class="` + class + `">` + html.EscapeString(line) + "</span>")
		}
	}
}

// diffClass returns the class of a line of a difference. File names come before the first hunk; other lines can begin
// with the same signs.
func diffClass(line string, inHunk *bool) string {
	switch {
	case strings.HasPrefix(line, "@@"):
		*inHunk = true
		return "hunk"
	case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "Index: "):
		*inHunk = false
		return "file"
	case !*inHunk && (strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ")):
		return "file"
	case strings.HasPrefix(line, "+"):
		return "added"
	case strings.HasPrefix(line, "-"):
		return "removed"
	}
	return ""
}
