package pages

import (
	"context"
	"net/url"
	"strings"

	"track/answer"
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
	scenario := scenarioOf(selector)
	for _, tab := range []struct{ text, question, part, of string }{
		{"Metrics", "stability", "", selector}, {"Seeds", "seeds", "", selector}, {"Scores", "stability", "scores", selector},
		{"Gate", "gate preview", "", selector}, {"Changes", "stability", "changes", selector}, {"Artifacts", "artifact list", "", selector},
		{"Provenance", "stability", "provenance", selector}, {"History", "history", "", scenario}, {"Configurations by seed", "matrix", "", scenario},
		{"Parameters", "params", "", scenario}, {"Baseline", "baseline show", "", scenario},
	} {
		params := []string{"scenario", tab.of, partName, tab.part}
		if tab.question == "matrix" {
			params = append(params, "by", answer.ByConfiguration)
		}
		question := tab.question
		if tab.part != "" {
			question += " " + tab.part
		}
		b.view.Tabs = append(b.view.Tabs, link{Text: tab.text, Href: b.address(tab.question, params...), Here: question == here})
	}
}

// withTabs shows the answer to a question about a scenario or a configuration, with the tabs of its pages.
func withTabs(ctx context.Context, b *builder) error {
	selector := b.asked.Get("scenario")
	if err := composeAnswer(ctx, b); err != nil {
		return err
	}
	if selector == "" || len(b.asked["scenario"]) > 1 {
		return nil
	}
	scenario := scenarioOf(selector)
	b.view.Trail = []link{{Text: "Scenarios", Href: b.request.Base + "/"}, {Text: escape.Line(scenario), Href: b.address("history", "scenario", scenario)}}
	if selector != scenario {
		_, configuration, _ := strings.Cut(selector, "@")
		b.view.Trail = append(b.view.Trail, link{Text: escape.Line(configuration), Href: b.address("stability", "scenario", selector)})
	}
	b.tabs(selector, b.page.question.Name)
	return nil
}
