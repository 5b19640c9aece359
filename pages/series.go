package pages

import (
	"context"
	"net/url"
	"strconv"

	"track/answer"
	"track/ask"
	"track/reports/escape"
)

const (
	mostSeries  = 6    // in one chart
	seriesWidth = 1000 // points of a series that a chart has
)

// composeSeries shows series of a seed at a glance, and as a picture.
func composeSeries(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.SeriesShow(), b.asked)
	if err != nil {
		return err
	}
	selector := answer.Selector{Scenario: a.Scenario, Configuration: a.Configuration[:min(10, len(a.Configuration))]}.String()
	b.view.Trail = []link{
		{Text: "Scenarios", Href: b.request.Base + "/"}, {Text: escape.Line(a.Scenario), Href: b.address("history", "scenario", a.Scenario)},
		{Text: "seed " + a.Seed.String(), Href: b.address("show seed", "scenario", selector, "seed", a.Seed.String())},
	}
	var names []string
	for _, s := range a.Items {
		names = append(names, s.Name)
	}
	of := url.Values{"scenario": {selector}, "seed": {a.Seed.String()}}
	if err := b.addSeries(ctx, of, names); err != nil {
		return err
	}
	b.show(a)
	b.view.Heading = escape.Line("Series of seed " + a.Seed.String())
	b.view.Title = escape.Line(a.Scenario + " › " + b.view.Heading)
	return nil
}

// addSeries adds the picture of some series of a seed.
func (b *builder) addSeries(ctx context.Context, of url.Values, names []string) error {
	if len(names) == 0 {
		return nil
	}
	text := "Series of seed " + of.Get("seed") + " over time"
	drawn := url.Values{"series": names}
	for name, values := range of {
		drawn[name] = values
	}
	figure, links, err := b.answerPicture(ask.SeriesShow().Question(), drawn, text)
	if err != nil {
		return err
	}
	var list []answer.SeriesBands
	for _, name := range names[:min(len(names), mostSeries)] {
		one := url.Values{"scenario": of["scenario"], "seeds": of["seed"], "series": {name}, "points": {strconv.Itoa(seriesWidth)}}
		s, err := get(ctx, b, ask.SeriesBands(), one)
		if err != nil {
			return err
		}
		list = append(list, s)
	}
	return b.addChart(section{ID: "series-picture"}, seriesPlot(text, list), still{figure, links}, false)
}
