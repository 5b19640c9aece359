package pages

import (
	"context"
	"fmt"
	"net/url"

	"track/answer"
	"track/ask"
	"track/scoring/format"
	"track/scoring/verdict"
)

// composeConfiguration shows the verdict on a configuration and what it rests on: numbers with their intervals, metrics,
// the status of each metric in each seed, scores and failing seeds.
func composeConfiguration(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Stability(), b.asked)
	if err != nil {
		return err
	}
	selector := answer.Selector{Scenario: a.Scenario, Configuration: a.Configuration.Hash}.String()
	b.view.Trail = []link{{Text: "Scenarios", Href: b.request.Base + "/"}, {Text: a.Scenario, Href: b.address("history", "scenario", a.Scenario)}}
	b.tabs(selector, "stability")
	b.view.Facts = estimateFacts(a.Estimates)
	b.show(a)
	if a.Configurations != nil {
		return nil // the report is about one configuration
	}
	report := url.Values{"scenario": b.asked["scenario"]}
	for _, name := range []string{"spec", "seeds"} {
		if b.asked.Has(name) {
			report[name] = b.asked[name]
		}
	}
	d, err := b.request.Compose(ctx, ask.StabilityReport().Question(), report)
	if err != nil {
		return err
	}
	// What the answer shows as tables, and the verdict of the gate, which only counts where it is recorded as a look.
	return b.addDocument(d, "", "Gate", "Metrics", "Failing seeds", "Warnings")
}

// estimateFacts returns the numbers that a verdict rests on.
func estimateFacts(e verdict.Estimates) []fact {
	return []fact{
		{"mean score", format.Four(e.Mean.Value), intervalText(e.Mean, format.Four), fmt.Sprintf("n = %d, %s %s", e.Mean.N, format.Confidence(e.Confidence), e.Mean.Interval.Method)},
		{"spread of scores", format.Four(e.SD.Value), intervalText(e.SD, format.Four), fmt.Sprintf("n = %d", e.SD.N)},
		{"passing seeds", format.Share(e.PassRate.Value), intervalText(e.PassRate, format.Share), fmt.Sprintf("%d of %d", e.NPassed, e.NSeeds)},
		{"unseen failures", "up to " + format.Share(e.UnseenShare), "", fmt.Sprintf("of all seeds, after %d", e.NSeeds)},
	}
}

func intervalText(e verdict.Estimate, text func(float64) string) string {
	if !e.Interval.Defined() {
		return ""
	}
	return "[" + format.Interval(e.Interval, text) + "]"
}

func scenarioOf(selector string) string {
	s, err := answer.ParseSelector(selector)
	if err != nil {
		return selector
	}
	return s.Scenario
}

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

func configurationName(label, hash string) string {
	if label != "" {
		return label
	}
	return hash[:min(10, len(hash))]
}
