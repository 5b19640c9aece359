package pages

import (
	"context"
	"strings"

	"track/answer"
	"track/ask"
	"track/reports/escape"
)

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
		{"Series", "series bands", "", selector}, {"Gate", "gate preview", "", selector}, {"Changes", "stability", "changes", selector}, {"Artifacts", "artifact list", "", selector},
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
