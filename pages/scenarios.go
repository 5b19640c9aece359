package pages

import (
	"context"
	"slices"
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
	if n := len(a.Entries); n > 0 {
		newest := answer.Selector{Scenario: a.Scenario, Configuration: track.ShortHash(a.Entries[n-1].Configuration.Hash)}.String()
		report := link{Text: "Report of this scenario, with its newest configuration, as a preview", Href: b.address("report scenario", "scenario", newest)}
		b.view.Sections = append(b.view.Sections, section{ID: "report", Link: report})
	}
	b.view.Heading = escape.Line(a.Scenario)
	b.view.Title = b.view.Heading
	b.tabs(a.Scenario, "history")
	return nil
}

// showHistory adds the lead and the table of a history, with a column for each parameter that differs.
func (b *builder) showHistory(a answer.History) {
	b.lead(a.Lead())
	b.newestVerdict(a.Entries)
	params := make([]map[string]string, len(a.Entries))
	for i, e := range a.Entries {
		params[i] = answer.ParamTexts(e.Configuration.Params)
	}
	t, groups := b.withParams(a.Tables()[0], "differing_params", params)
	first := namingColumns(t, !slices.ContainsFunc(a.Entries, func(e answer.HistoryEntry) bool { return e.Configuration.Label != "" }))
	b.addTable(columnsFirst(t, append(first, "verdict", "estimate", "interval", "n_seeds", "pass_rate", "change", "change_interval")...))
	if last := b.view.Sections[len(b.view.Sections)-1].Table; len(groups) > 0 && last != nil {
		last.GroupBy, last.Small = groups, false
	}
}

// newestVerdict puts the verdict on the newest configuration that has one before the rest of the lead.
func (b *builder) newestVerdict(entries []answer.HistoryEntry) {
	for i, e := range slices.Backward(entries) {
		if e.Estimates == nil {
			continue
		}
		text := configurationName(e.Configuration) + " is the newest of " + format.Counted(len(entries), "configuration")
		if i < len(entries)-1 {
			text = configurationName(e.Configuration) + " is the newest configuration whose seeds are all scored"
		}
		b.view.Lead = append([]sentence{{Class: string(answer.Verdict), Verdict: string(e.Verdict), Text: escape.Line(text)}}, b.view.Lead...)
		return
	}
}

// namingColumns returns the columns that tell the rows of a history apart: those of parameters if they are few, and
// configurations where nothing else does.
func namingColumns(t answer.Table, hasNoLabel bool) []string {
	const fewParams = 3
	var params []string
	for _, c := range t.Columns {
		if strings.HasPrefix(c.Name, paramColumn) {
			params = append(params, c.Name)
		}
	}
	if len(params) > fewParams {
		params = nil
	}
	if hasNoLabel && params == nil {
		params = []string{"configuration"}
	}
	return append([]string{"group", "label"}, params...)
}

// columnsFirst returns a table that begins with some of its columns, so that a narrow window shows them. It need not
// have all of them.
func columnsFirst(t answer.Table, names ...string) answer.Table {
	var all []string
	for _, c := range t.Columns {
		all = append(all, c.Name)
	}
	first := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(all, name) })
	rest := slices.DeleteFunc(all, func(name string) bool { return slices.Contains(first, name) })
	return columnsOf(t, slices.Concat(first, rest)...)
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
	figure, links, err := b.answerPicture(b.page.question, b.asked, text)
	if err != nil {
		return err
	}
	return b.addChart(section{ID: "picture"}, plot, still{figure, links}, false)
}

// tab is a page beside others about the same thing.
type tab struct{ text, question, part string }

// scenarioTabs returns the tabs of a configuration; the last ones are about its scenario.
func scenarioTabs() []tab {
	return []tab{
		{"Metrics", "stability", ""}, {"Seeds", "seeds", ""}, {"Scores", "stability", "scores"}, {"Series", "series bands", ""}, {"Gate", "gate preview", ""},
		{"Changes", "stability", "changes"}, {"Artifacts", "artifact list", ""}, {"Provenance", "stability", "provenance"}, {"Report", "report stability", ""},
		{"History", "history", ""}, {"Configurations by seed", "matrix", ""}, {"Parameters", "params", ""}, {"Baseline", "baseline show", ""},
	}
}

// tabs lead to the pages about a scenario or a configuration of it.
func (b *builder) tabs(selector, here string) {
	of := selector
	for _, t := range scenarioTabs() {
		if t.question == "history" {
			of = scenarioOf(selector)
		}
		params := []string{"scenario", of, partName, t.part}
		if t.question == "matrix" {
			params = append(params, "by", answer.ByConfiguration)
		}
		question := strings.TrimSuffix(t.question+" "+t.part, " ")
		b.view.Tabs = append(b.view.Tabs, link{Text: t.text, Href: b.address(t.question, params...), Here: question == here})
	}
}

// withTabs shows the answer to a question about a scenario or a configuration, with the tabs of its pages.
func withTabs(ctx context.Context, b *builder) error {
	if err := composeAnswer(ctx, b); err != nil {
		return err
	}
	return b.ofScenario()
}

// ofScenario shows the trail and the tabs of the scenario or the configuration that was asked for.
func (b *builder) ofScenario() error {
	text := b.asked.Get("scenario")
	selector, err := answer.ParseSelector(text)
	if err != nil || len(b.asked["scenario"]) > 1 {
		return nil //nolint:nilerr // the page is about several scenarios, or about all
	}
	b.scenarioTrail(selector)
	b.tabs(text, b.page.question.Name)
	return nil
}

// scenarioTrail says which scenario and configuration a page belongs to.
func (b *builder) scenarioTrail(of answer.Selector) {
	b.view.Trail = []link{{Text: "Scenarios", Href: b.request.Base + "/"}, {Text: escape.Line(of.Scenario), Href: b.address("history", "scenario", of.Scenario)}}
	if of.Configuration != "" {
		b.view.Trail = append(b.view.Trail, link{Text: escape.Line(of.Configuration), Href: b.address("stability", "scenario", of.String())})
	}
}
