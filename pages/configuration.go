package pages

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/ask"
	"track/reports/escape"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/verdict"
)

// partName is the parameter that says which part of a page is shown.
const partName = "tab.page"

// reportParts are the parts of the page of a configuration that its report has: the beginnings of the titles of sections.
func reportParts() map[string][]string {
	return map[string][]string{
		"scores": {"Scores over seeds"}, "changes": {"What changed"}, "provenance": {"Provenance", "How to reproduce"},
	}
}

// composeConfiguration shows the verdict on a configuration and what it rests on: four numbers with their intervals, the
// status of each metric in each seed, the metrics, the worst first, and the failing seeds.
func composeConfiguration(ctx context.Context, b *builder) error {
	asked := url.Values{}
	for name, values := range b.asked {
		asked[name] = values
	}
	a, err := get(ctx, b, ask.Stability(), asked)
	if err != nil {
		return err
	}
	selector := answer.Selector{Scenario: a.Scenario, Configuration: a.Configuration.Hash[:min(10, len(a.Configuration.Hash))]}.String()
	b.configurationHead(a.Scenario, a.Configuration)
	b.verdictFirst(a.Lead())
	b.view.Facts = estimateFacts(a.Estimates)
	if a.Configurations != nil { // the rest of the page is about one configuration
		b.tabs(a.Scenario, "stability")
		b.show(a)
		return nil
	}
	part := b.request.In.Get(partName)
	b.tabs(selector, strings.TrimSuffix("stability "+part, " "))
	if titles := reportParts()[part]; titles != nil {
		b.seedsOf(selector)
		return b.addReportPart(ctx, titles)
	}
	b.aboutConfiguration(a)
	return b.addEvidence(ctx, a)
}

// configurationHead names a configuration shortly: by its label, or its hash, and its revision.
func (b *builder) configurationHead(scenario string, c track.RecordedConfiguration) {
	b.view.Trail = []link{{Text: "Scenarios", Href: b.request.Base + "/"}, {Text: escape.Line(scenario), Href: b.address("history", "scenario", scenario)}}
	name := configurationName(c)
	if c.Revision != (track.Revision{}) {
		name += " (revision " + c.Revision.String() + ")"
	}
	b.view.Heading, b.view.Title = escape.Line(name), escape.Line(scenario+" › "+name)
}

// verdictFirst shows the verdict of a lead, its reasons and its needs. The rest is folded away.
func (b *builder) verdictFirst(lead []answer.Sentence) {
	for _, s := range lead {
		if s.Kind == answer.Verdict || s.Kind == answer.Reason || s.Kind == answer.Need || s.Kind == answer.Warning {
			b.view.Lead = append(b.view.Lead, sentenceOf(s))
		}
	}
}

// addReportPart adds some sections of the report of the configuration.
func (b *builder) addReportPart(ctx context.Context, titles []string) error {
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
	sections, err := b.inlineSections(d)
	if err != nil {
		return err
	}
	var others []string
	for _, s := range sections {
		if !slices.ContainsFunc(titles, func(title string) bool { return strings.HasPrefix(s.Title, title) }) {
			others = append(others, s.Title)
		}
	}
	return b.addDocument(d, others...)
}

// aboutConfiguration folds away what identifies the configuration, and shows the warnings.
func (b *builder) aboutConfiguration(a answer.Stability) {
	b.view.About = identity(a.Scenario, a.Configuration)
	add := func(name, text string) {
		if text != "" {
			b.view.About = append(b.view.About, about{Name: name, Value: escape.Lines(text)})
		}
	}
	add("spec", "version "+strconv.Itoa(a.Spec.Version))
	add("tags", a.TagText())
	for _, n := range a.Notes {
		add("note", n.Text+" ("+n.Signature()+")")
	}
	for _, s := range a.Lead() {
		if s.Kind == answer.Note {
			add("note", s.Text)
		}
	}
	for _, s := range a.Tables()[0].Notes {
		if s.Kind == answer.Warning {
			b.view.Lead = append(b.view.Lead, sentenceOf(s))
		}
	}
}

// identity names what identifies a configuration.
func identity(scenario string, c track.RecordedConfiguration) (list []about) {
	add := func(name, text string) {
		if text != "" {
			list = append(list, about{Name: name, Value: escape.Line(text)})
		}
	}
	add("label", c.Label)
	add("configuration", c.Hash)
	if c.Revision != (track.Revision{}) {
		add("revision", c.Revision.String())
	}
	for _, p := range (answer.Side{Scenario: scenario, Configuration: c}).Parameters() {
		add(p.Name, p.Value)
	}
	return list
}

// addEvidence adds what the verdict rests on: the heat map, the metrics and the failing seeds.
func (b *builder) addEvidence(ctx context.Context, a answer.Stability) error {
	in := url.Values{"scenario": {answer.Selector{Scenario: a.Scenario, Configuration: a.Configuration.Hash}.String()}, "spec": {strconv.Itoa(a.Spec.Version)}, "order": {answer.OrderFailures}}
	if b.asked.Has("seeds") {
		in["seeds"] = b.asked["seeds"]
	}
	for _, name := range []string{"order", "seed-order"} {
		if value := b.request.In.Get(name + ".heatmap"); value != "" {
			in.Set(name, value)
		}
	}
	m, err := get(ctx, b, ask.Matrix(), in)
	if err != nil {
		return err
	}
	spec, err := get(ctx, b, ask.Spec(), url.Values{"scenario": {answer.SpecSelector{Scenario: a.Scenario, Version: a.Spec.Version}.String()}})
	if err != nil {
		return err
	}
	parts := []func() error{
		func() error { return b.addMetrics(a, m, spec) },
		func() error { return b.addHeatMap(m, in, ".heatmap") },
	}
	if len(m.Seeds) > stripBins { // the rows of the table cannot show each seed
		slices.Reverse(parts)
	}
	for _, add := range parts {
		if err := add(); err != nil {
			return err
		}
	}
	for _, t := range a.Tables()[2:] {
		t.Title = strings.ToUpper(t.Title[:1]) + t.Title[1:]
		b.addTable(t)
	}
	return nil
}

// addMetrics adds the metrics, each with a bar for its score, a range for its target, and a cell for each seed.
func (b *builder) addMetrics(a answer.Stability, m answer.Matrix, spec answer.Spec) error {
	cells := map[string]answer.MatrixRow{}
	for _, row := range m.Items {
		cells[row.Name] = row
	}
	bands := map[string][]scoring.Band{}
	for _, d := range spec.Metrics {
		bands[d.Name] = d.Bands
	}
	t := columnsOf(a.Tables()[1], "metric", "flag", "score_of_seeds_with_value", "score_interval", "mean_value", "std_value", "target", "pass_rate", "group")
	t.Grouped, t.Title, t.Notes = false, fmt.Sprintf("Metrics, the worst first (%d)", len(a.Metrics)), nil
	t.Columns = append(t.Columns, answer.Column{Name: "seeds"})
	for i, metric := range a.Metrics {
		row := cells[metric.Name]
		t.Rows[i] = append(t.Rows[i], answer.Cell{Text: cellsText(row), Exact: row.NFail})
		strip, err := newStrip(row.Cells, metric.Name+": "+rowText(row)).html()
		if err != nil {
			return err
		}
		b.draw("metrics", "seeds", metric.Name, strip)
		if metric.MeanScore != nil {
			bar, err := newScoreBar(*metric.MeanScore, metric.ScoreCI).html()
			if err != nil {
				return err
			}
			b.draw("metrics", "score_of_seeds_with_value", metric.Name, bar)
		}
		target, err := newRange(bands[metric.Name], deref(metric.MinValue), deref(metric.MaxValue), deref(metric.MeanValue)).html()
		if err != nil {
			return err
		}
		b.draw("metrics", "target", metric.Name, target)
	}
	b.addTable(columnsOf(t, "metric", "flag", "score_of_seeds_with_value", "score_interval", "seeds", "mean_value", "std_value", "target", "pass_rate", "group"))
	return nil
}

// cellsText says the worst that a metric shows, and in how many seeds.
func cellsText(row answer.MatrixRow) string {
	switch {
	case row.NFail > 0:
		return strconv.Itoa(row.NFail) + " FAIL"
	case row.NWarn > 0:
		return strconv.Itoa(row.NWarn) + " WARN"
	case row.NPass > 0:
		return "PASS"
	}
	return "-"
}

func rowText(row answer.MatrixRow) string {
	text := fmt.Sprintf("PASS %d, WARN %d, FAIL %d", row.NPass, row.NWarn, row.NFail)
	if row.NFailed > 0 {
		text += ", " + format.Counted(row.NFailed, "failed seed")
	}
	return text
}

// columnsOf returns a table with some columns of another, in that order.
func columnsOf(t answer.Table, names ...string) answer.Table {
	var places []int
	for _, name := range names {
		places = append(places, slices.IndexFunc(t.Columns, func(c answer.Column) bool { return c.Name == name }))
	}
	rows := t.Rows
	columns := t.Columns
	t.Columns, t.Rows = nil, nil
	for _, k := range places {
		t.Columns = append(t.Columns, columns[k])
	}
	for _, row := range rows {
		var cells []any
		for _, k := range places {
			cells = append(cells, row[k])
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// estimateFacts returns the numbers that a verdict rests on.
func estimateFacts(e verdict.Estimates) []fact {
	return []fact{
		{"score", format.Four(e.Score.Value), intervalText(e.Score, format.Four), basisText(e.Score, fmt.Sprintf("n = %d", e.Score.N))},
		{"spread of scores", format.Four(e.SD.Value), intervalText(e.SD, format.Four), basisText(e.SD, fmt.Sprintf("n = %d", e.SD.N))},
		{"passing seeds", format.Share(e.PassRate.Value), intervalText(e.PassRate, format.Share), basisText(e.PassRate, fmt.Sprintf("%d of %d", e.NPassed, e.NSeeds))},
		{"unseen failures", "up to " + format.Share(e.UnseenShare), "", fmt.Sprintf("of all seeds, in a way that none of %d did, %s one-sided", e.NSeeds, format.Confidence(e.Confidence))},
	}
}

// basisText says of how many seeds an estimate is, and what its interval is.
func basisText(e verdict.Estimate, n string) string {
	if !e.Interval.Defined() {
		return n
	}
	return n + ", " + format.Confidence(e.Interval.Confidence) + " " + format.Method(e.Interval.Method)
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

// longName is the number of bytes from which on parameters do not name a configuration.
const longName = 40

// configurationName returns what people call a configuration: its label, its parameters if they are few, or its hash.
func configurationName(c track.RecordedConfiguration) string {
	if c.Label != "" {
		return c.Label
	}
	if text := answer.ParamsText(c.Params); text != "" && len(text) < longName {
		return text
	}
	return track.ShortHash(c.Hash)
}

// withoutColumn returns a table without one of its columns.
func withoutColumn(t answer.Table, name string) answer.Table {
	var names []string
	for _, c := range t.Columns {
		if c.Name != name {
			names = append(names, c.Name)
		}
	}
	return columnsOf(t, names...)
}
