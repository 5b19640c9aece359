package pages

import (
	"context"
	"net/url"

	"track/ask"
	"track/reports/escape"
)

// composeHome shows what there is: scenarios, lineages and sweeps, each with its state.
func composeHome(ctx context.Context, b *builder) error {
	b.view.Title, b.view.Heading, b.view.Command = "Scenarios", "Scenarios", "track scenario list"
	scenarios, err := get(ctx, b, ask.Scenarios(), b.asked)
	if err != nil {
		return err
	}
	b.show(scenarios)
	lineages, err := get(ctx, b, ask.Lineages(), nil)
	if err != nil {
		return err
	}
	if len(lineages.Items) > 0 {
		tables := lineages.Tables()
		tables[0].Title = "Lineages"
		b.addTable(tables[0])
	}
	sweeps, err := get(ctx, b, ask.Sweeps(), url.Values{"limit": {"5"}})
	if err != nil {
		return err
	}
	if len(sweeps.Items) > 0 {
		tables := sweeps.Tables()
		tables[0].Title = "Newest sweeps"
		b.addTable(tables[0])
	}
	if len(scenarios.Items) == 0 && len(lineages.Items) == 0 {
		b.view.Lead = []sentence{{Class: "note", Text: "Nothing is recorded yet. These commands would fill this page:"}}
		b.view.Sections = []section{{ID: "begin", Commands: []string{
			"track spec add growth_plus.yaml", "python simulate.py --seed 7 | track record seed --scenario growth_plus --seed 7 -", "track stability growth_plus",
		}}}
	}
	return nil
}

// composeScenario shows the history of a scenario, as a picture and as a table whose rows can be compared.
func composeScenario(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.History(), b.asked)
	if err != nil {
		return err
	}
	b.view.Trail = []link{{Text: "Scenarios", Href: b.request.Base + "/"}}
	b.show(a)
	b.view.Heading = escape.Line(a.Scenario)
	b.view.Title = b.view.Heading
	b.tabs(a.Scenario, "history")
	return b.addPicture(b.page.question)
}

// tabs lead to the pages about a scenario or a configuration of it.
func (b *builder) tabs(selector, here string) {
	for _, tab := range []struct{ text, question string }{
		{"State", "stability"}, {"Seeds", "seeds"}, {"History", "history"}, {"Parameters", "params"}, {"Artifacts", "artifact list"}, {"Baseline", "baseline show"},
	} {
		of := selector
		if tab.question == "history" || tab.question == "params" || tab.question == "baseline show" {
			of = scenarioOf(selector)
		}
		b.view.Tabs = append(b.view.Tabs, link{Text: tab.text, Href: b.address(tab.question, "scenario", of), Here: tab.question == here})
	}
}
