package pages

import (
	"html"
	"html/template"
	"strings"

	"regexp"
	"track/answer"
)

// selectorIn finds the selectors of configurations that a report writes as code, and what may hold no link.
var selectorIn = regexp.MustCompile(`(?s)<(?:pre|summary|svg|a)\b.*?</(?:pre|summary|svg|a)>|<code>[^<\s]+@[0-9a-f]{10,64}</code>`)

// linkSelectors makes the configurations that a report names links to their pages.
func (b *builder) linkSelectors(text template.HTML) template.HTML {
	return template.HTML(selectorIn.ReplaceAllStringFunc(string(text), func(found string) string { //nolint:gosec // it is HTML already
		name, isCode := strings.CutPrefix(found, "<code>")
		if !isCode {
			return found
		}
		selector, err := answer.ParseSelector(html.UnescapeString(strings.TrimSuffix(name, "</code>")))
		if err != nil {
			return found
		}
		return `<a href="` + html.EscapeString(b.address("stability", "scenario", selector.String())) + `">` + found + "</a>"
	}))
}
