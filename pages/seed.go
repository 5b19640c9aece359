package pages

import (
	"context"
	"net/url"

	"track/answer"
	"track/ask"
)

// composeSeed shows a seed with its metrics, its series, its files, and how to run it again.
func composeSeed(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Seed(), b.asked)
	if err != nil {
		return err
	}
	selector := answer.Selector{Scenario: a.Scenario, Configuration: a.RecordedSeed.Configuration.Hash}.String()
	b.view.Trail = []link{
		{Text: "Scenarios", Href: b.request.Base + "/"}, {Text: a.Scenario, Href: b.address("history", "scenario", a.Scenario)},
		{Text: configurationName(a.RecordedSeed.Configuration.Label, a.RecordedSeed.Configuration.Hash), Href: b.address("stability", "scenario", selector)},
	}
	b.show(a)
	of := url.Values{"scenario": {selector}, "seed": {a.Number.String()}}
	series, err := get(ctx, b, ask.SeriesList(), of)
	if err != nil {
		return err
	}
	if len(series.Items) > 0 {
		b.addTable(series.Tables()[0])
		if err := b.addSeries(of); err != nil {
			return err
		}
	}
	files, err := get(ctx, b, ask.Artifacts(), of)
	if err != nil {
		return err
	}
	if tables := files.Tables(); len(files.Items) > 0 {
		tables[0].Title = "Files"
		b.addTable(tables[0])
	}
	return nil
}
