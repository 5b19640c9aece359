package pages

import (
	"html/template"
	"net/url"
	"slices"
)

// addSeries adds the picture of the series of a seed.
func (b *builder) addSeries(of url.Values) {
	address := b.request.Base + "/api/v1/series/show?" + of.Encode()
	b.view.Sections = slices.Insert(b.view.Sections, len(b.view.Sections), section{ID: "series-picture", HTML: template.HTML( //nolint:gosec // escaped
		`<figure class="scroll" tabindex="0" aria-label="Series"><img loading="lazy" src="` + template.HTMLEscapeString(address) + `" alt="The series of the seed over time"></figure>`)})
}
