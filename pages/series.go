package pages

import "net/url"

// addSeries adds the picture of the series of a seed.
func (b *builder) addSeries(of url.Values) error {
	figure, err := fragment("picture", picture{b.request.Base + "/api/v1/series/show?" + of.Encode(), "The series of the seed over time"})
	b.view.Sections = append(b.view.Sections, section{ID: "series-picture", HTML: figure})
	return err
}
