package pages

import (
	"context"
	"strings"

	"track"
	"track/answer"
	"track/ask"
	"track/reports"
	"track/reports/escape"
	"track/scoring/format"
)

// composeScenario shows the history of a scenario, as a picture and as a table whose rows can be compared.
func composeScenario(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.History(), b.asked)
	if err != nil {
		return err
	}
	b.view.Trail = []link{{Text: "Scenarios", Href: b.request.Base + "/"}}
	if err := b.addHistory(a); err != nil {
		return err
	}
	b.showHistory(a)
	b.view.Heading = escape.Line(a.Scenario)
	b.view.Title = b.view.Heading
	b.tabs(a.Scenario, "history")
	return nil
}

// showHistory adds the lead and the table of a history, with a column for each parameter that differs.
func (b *builder) showHistory(a answer.History) {
	b.lead(a.Lead())
	params := make([]map[string]string, len(a.Entries))
	for i, e := range a.Entries {
		params[i] = answer.ParamTexts(e.Configuration.Params)
	}
	t, groups := b.withParams(a.Tables()[0], "differing_params", params)
	b.addTable(t)
	if last := b.view.Sections[len(b.view.Sections)-1].Table; len(groups) > 0 && last != nil {
		last.GroupBy, last.Small = groups, false
	}
}

// addHistory adds the picture of the means of a scenario.
func (b *builder) addHistory(a answer.History) error {
	if len(a.Entries) == 0 {
		return nil
	}
	number := format.Four
	if a.Metric != nil {
		number = func(x float64) string { return format.Mean(x, a.Metric.Format) }
	}
	plot := historyPlot(reports.HistoryChart(a), number, func(i int) string {
		return b.address("stability", "scenario", answer.Selector{Scenario: a.Scenario, Configuration: track.ShortHash(a.Entries[i].Configuration.Hash)}.String())
	})
	return b.addPlot(plot, "History of "+escape.Line(a.Scenario))
}

// addPlot adds a chart in the place of the picture of the question of the page.
func (b *builder) addPlot(plot lineChart, text string) error {
	still, err := fragment("picture", picture{b.request.Base + "/api/v1/" + b.page.question.Path + "?" + b.asked.Encode(), text})
	if err != nil {
		return err
	}
	return b.addChart(section{ID: "picture"}, plot, still, false)
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
