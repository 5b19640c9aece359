package pages

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/ask"
	"track/reports"
	"track/reports/chart"
	"track/reports/escape"
	"track/reports/render"
	"track/scoring/format"
)

// longMeans is how many seeds the means of older configurations may need on a page that shows them at once.
const longMeans = 5000

// composeHome shows what there is: scenarios, running sweeps and lineages, each with its state.
func composeHome(ctx context.Context, b *builder) error {
	b.head("Scenarios")
	b.view.Command = "track scenario list"
	quick := maps.Clone(b.asked)
	quick.Set("configurations", "2") // which the numbers need
	scenarios, err := get(ctx, b, ask.Scenarios(), quick)
	if err != nil {
		return err
	}
	lineages, err := get(ctx, b, ask.Lineages(), standing())
	if err != nil {
		return err
	}
	if len(scenarios.Items) == 0 && len(lineages.Items) == 0 {
		b.note("Nothing is recorded yet. These commands would fill this page:")
		b.view.Sections = []section{{ID: "begin", Commands: []string{
			"track spec add growth_plus.yaml", "python simulate.py --seed 7 | track record seed --scenario growth_plus --seed 7 -", "track stability growth_plus",
		}}}
		return nil
	}
	nSeeds := 0 // that the pictures of the means need, about
	for _, s := range scenarios.Items {
		if s.Estimates != nil {
			nSeeds += s.Estimates.NSeeds * min(20, s.NConfigurations)
		}
	}
	lineageTitle := "Lineages"
	if len(scenarios.Items) > 0 {
		b.view.Downloads = b.downloadsOf("Scenarios", ask.Scenarios().Question(), b.asked)
		err := b.laterInstead("scenarios", nSeeds > longMeans, func() error { b.addScenarios(scenarios, false); return nil }, func() error {
			whole, err := get(ctx, b, ask.Scenarios(), b.asked)
			if err == nil {
				b.addScenarios(whole, true)
			}
			return err
		})
		if err != nil {
			return err
		}
	} else {
		b.head("Lineages")
		b.view.Command, lineageTitle = "track lineage list --standing", "" // it is the heading
	}
	if err := b.addSweeps(ctx); err != nil {
		return err
	}
	b.view.Downloads = append(b.view.Downloads, b.downloadsOf("Sweeps", ask.Sweeps().Question(), nil)...)
	if len(lineages.Items) > 0 {
		b.titled(lineageTable(lineages), lineageTitle)
		b.view.Downloads = append(b.view.Downloads, b.downloadsOf("Lineages", ask.Lineages().Question(), standing())...)
	}
	b.add(section{ID: "index", Link: link{Text: "Everything in a report, as a preview", Href: b.address("report index")}})
	return nil
}

// addScenarios adds the scenarios with pictures of their scores, and of the means of configurations if they are whole.
func (b *builder) addScenarios(a answer.Scenarios, isWhole bool) {
	t := columnsOf(a.Tables()[0], "scenario", "verdict", "score", "score_interval", "n_seeds", "pass_rate", "pass_interval", "scores", "change", "change_interval", "label", "configuration", "first_recorded", "reason")
	place := slices.IndexFunc(t.Columns, func(c answer.Column) bool { return c.Name == "scores" })
	t.Columns[place].Head = "scores"
	for i, s := range a.Items {
		if isWhole && len(s.Means) > 1 {
			b.draw("scenarios", "scores", s.Scenario, sparkline(s.Means, s.MeanLines, s.NOlder))
		}
		if e := s.Estimates; e != nil && isFinite(e.Score.Value) {
			b.draw("scenarios", "score", s.Scenario, scoreBar(e.Score.Value, e.Score.Interval))
		}
		t.Rows[i][place] = answer.Cell{Text: format.Counted(s.NConfigurations, "configuration"), Exact: s.NConfigurations} // the picture says it
	}
	b.addTable(t)
	if last := b.last(); a.NextPage() != "" && last.Table != nil {
		last.Table.More = b.here("after", a.NextPage())
	}
}

// addSweeps adds the newest sweeps, first those that run.
func (b *builder) addSweeps(ctx context.Context) error {
	a, err := get(ctx, b, ask.Sweeps(), url.Values{"limit": {"10"}})
	if err != nil || len(a.Items) == 0 {
		return err
	}
	title := "Newest sweeps"
	if open := withoutEnd(a); len(open.Items) > 0 {
		a, title = open, "Running sweeps"
		b.view.Again = slices.ContainsFunc(open.Items, func(s answer.RecordedSweep) bool { return s.IsRunning })
	}
	b.titled(a.Tables()[0], title)
	return nil
}

// withoutEnd returns the sweeps that run, or that were killed.
func withoutEnd(a answer.Sweeps) answer.Sweeps {
	open := slices.DeleteFunc(slices.Clone(a.Items), func(s answer.RecordedSweep) bool { return s.Ending != "" || s.Withdrawn != nil })
	return answer.Sweeps{List: answer.List[answer.RecordedSweep]{Items: open}}
}

// composeScenario shows the history of a scenario, as a picture and as a table whose rows can be compared.
func composeScenario(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.History(), b.asked)
	if err != nil {
		return err
	}
	b.view.Trail = []link{{Text: "Scenarios", Href: b.request.Base + "/"}}
	if err := b.addPicture(a); err != nil {
		return err
	}
	b.lead(a.Lead())
	b.newestVerdict(a.Entries)
	params, hasNoLabel := make([]map[string]string, len(a.Entries)), true
	for i, e := range a.Entries {
		params[i] = answer.ParamTexts(e.Configuration.Params)
		hasNoLabel = hasNoLabel && e.Configuration.Label == ""
	}
	t, groups := b.withParams(a.Tables()[0], "differing_params", params)
	b.addTable(columnsFirst(t, append(namingColumns(t, hasNoLabel), "verdict", "estimate", "interval", "n_seeds", "pass_rate", "change", "change_interval")...))
	b.groupBy(groups)
	if n := len(a.Entries); n > 0 {
		report := b.address("report scenario", "scenario", selectorOf(a.Scenario, a.Entries[n-1].Configuration.Hash))
		b.add(section{ID: "report", Link: link{Text: "Report of this scenario, with its newest configuration, as a preview", Href: report}})
	}
	b.head(a.Scenario)
	b.tabs(a.Scenario, "history")
	return nil
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

// tab is a page beside others about the same thing.
type tab struct{ text, question, part string }

// scenarioTabs are the tabs of a configuration; the last ones are about its scenario.
var scenarioTabs = []tab{ //nolint:gochecknoglobals // a constant
	{"Metrics", "stability", ""}, {"Seeds", "seeds", ""}, {"Scores", "stability", "scores"}, {"Series", "series bands", ""}, {"Gate", "gate preview", ""},
	{"Changes", "stability", "changes"}, {"Artifacts", "artifact list", ""}, {"Provenance", "stability", "provenance"}, {"Report", "report stability", ""},
	{"History", "history", ""}, {"Configurations by seed", "matrix", ""}, {"Parameters", "params", ""}, {"Baseline", "baseline show", ""},
}

// tabs lead to the pages about a scenario or a configuration of it.
func (b *builder) tabs(selector, here string) {
	for _, t := range scenarioTabs {
		if t.question == "history" {
			if s, err := answer.ParseSelector(selector); err == nil {
				selector = s.Scenario
			}
		}
		params := []string{"scenario", selector, partName, t.part}
		if t.question == "matrix" {
			params = append(params, "by", answer.ByConfiguration)
		}
		b.view.Tabs = append(b.view.Tabs, link{Text: t.text, Href: b.address(t.question, params...), Here: strings.TrimSpace(t.question+" "+t.part) == here})
	}
}

// withTabs shows the answer to a question about a scenario or a configuration, with the trail and the tabs of its
// pages.
func withTabs(ctx context.Context, b *builder) error {
	if err := composeAnswer(ctx, b); err != nil {
		return err
	}
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
	b.view.Trail = []link{{Text: "Scenarios", Href: b.request.Base + "/"}}
	if of.Scenario != "" {
		b.view.Trail = append(b.view.Trail, link{Text: escape.Line(of.Scenario), Href: b.address("history", "scenario", of.Scenario)})
	}
	if of.Configuration != "" {
		b.view.Trail = append(b.view.Trail, link{Text: escape.Line(of.Configuration), Href: b.address("stability", "scenario", of.String())})
	}
}

// paramColumn begins the names of columns that have the values of a parameter.
const paramColumn = "param."

// mostParams is the largest number of parameters that have columns of their own.
const mostParams = 12

// composeParams shows what the parameters of a scenario do: a parameter against the score with intervals, two of them
// as a grid, and the configurations with their parameters as columns. The address says which parameters.
func composeParams(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Params(), b.asked)
	if err != nil {
		return err
	}
	if in := b.drawnParams(a); len(in) > len(b.asked) {
		if a, err = get(ctx, b, ask.Params(), in); err != nil {
			return err
		}
	}
	b.scenarioTrail(answer.Selector{Scenario: a.Scenario})
	b.lead(a.Lead())
	b.head("Parameters", a.Scenario)
	b.tabs(a.Scenario, "params")
	if err := b.addParamPictures(a); err != nil {
		return err
	}
	params := make([]map[string]string, len(a.Ranking))
	for i, r := range a.Ranking {
		params[i] = answer.ParamTexts(a.Configurations[r.Index].Params)
	}
	for _, t := range a.Tables() {
		var groups []link
		if t.Name == "ranking" {
			t, groups = b.withParams(t, "differing", params)
		}
		b.addTable(t)
		b.groupBy(groups)
		b.last().Folded = t.Name == "plot" || t.Name == "heatmap" // the pictures show these
	}
	return nil
}

// drawnParams returns the parameters of the question, and what is drawn if the address does not say it: the parameter
// with the largest effect, and with the next one as a grid.
func (b *builder) drawnParams(a answer.ParamsAnalysis) url.Values {
	in := maps.Clone(b.asked)
	if len(a.Effects) > 0 && !in.Has("plot") {
		in.Set("plot", a.Effects[0].Parameter)
	}
	if len(a.Effects) > 1 && !in.Has("heatmap") {
		x, y := a.Effects[0].Parameter, a.Effects[1].Parameter
		if !canComeFirst(x) {
			x, y = y, x
		}
		if canComeFirst(x) {
			in.Set("heatmap", x+","+y)
		}
	}
	return in
}

// canComeFirst reports whether an address can name a parameter as the first of two, which a comma ends.
func canComeFirst(name string) bool { return !strings.Contains(name, ",") }

// addParamPictures adds a parameter against the outcome, and the means of each pair of values of two, with links to the
// parameters that could take their places.
func (b *builder) addParamPictures(a answer.ParamsAnalysis) error {
	add := func(id, title, name string, c chart.Chart, list ...choices) error {
		html, err := fragment("choices", list)
		if err != nil {
			return err
		}
		return b.addChart(section{ID: id, Title: escape.Line(title), HTML: html}, c, nil, name, nil, false)
	}
	if a.PlotOf != "" && len(a.Panels) > 0 {
		of, by := choices{Text: "Parameter"}, choices{Text: "A panel for each value of", Choices: []link{{Text: "none", Href: b.here("by", ""), Here: a.PlotBy == ""}}}
		for _, e := range a.Effects {
			in := b.params()
			in.Set("plot", e.Parameter)
			if in.Get("by") == e.Parameter {
				in.Del("by")
			}
			of.Choices = append(of.Choices, link{Text: escape.Line(e.Parameter), Href: b.at(in), Here: e.Parameter == a.PlotOf})
			if e.Parameter != a.PlotOf {
				in = b.params()
				in.Set("plot", a.PlotOf)
				in.Set("by", e.Parameter)
				by.Choices = append(by.Choices, link{Text: escape.Line(e.Parameter), Href: b.at(in), Here: e.Parameter == a.PlotBy})
			}
		}
		if err := add("plot-picture", "Parameter "+a.PlotOf, "plot", reports.ParamsChart(a), of, by); err != nil {
			return err
		}
	}
	if a.Heatmap == nil {
		return nil
	}
	x, y := a.Heatmap.X, a.Heatmap.Y
	names := make([]string, len(a.Effects))
	for i, e := range a.Effects {
		names[i] = e.Parameter
	}
	return add("heatmap-picture", "Parameters "+x+" and "+y, "means", reports.MeansChart(a, *a.Heatmap), b.gridChoices(names, x, y)...)
}

// gridChoices are the parameters that can take the place of one of two.
func (b *builder) gridChoices(names []string, x, y string) []choices {
	along, up := choices{Text: "Along"}, choices{Text: "Up"}
	for _, name := range names {
		if name != y && canComeFirst(name) {
			along.Choices = append(along.Choices, link{Text: escape.Line(name), Href: b.here("heatmap", name+","+y), Here: name == x})
		}
		if name != x {
			up.Choices = append(up.Choices, link{Text: escape.Line(name), Href: b.here("heatmap", x+","+name), Here: name == y})
		}
	}
	return []choices{along, up}
}

// groupBy offers to group the rows of the last table.
func (b *builder) groupBy(groups []link) {
	if t := b.last().Table; t != nil && len(groups) > 0 {
		t.GroupBy, t.Small = groups, false
	}
}

// withParams puts each parameter that differs between the configurations of a table into a column of its own, in the
// place of the column that has them as a text. Rows are grouped by the parameter that the address names. params are
// those of each row.
func (b *builder) withParams(t answer.Table, text string, params []map[string]string) (answer.Table, []link) {
	names := differingParams(params)
	at := slices.IndexFunc(t.Columns, func(c answer.Column) bool { return c.Name == text })
	if len(names) == 0 || len(names) > mostParams || at < 0 {
		return t, nil
	}
	columns := slices.Clone(t.Columns[:at])
	isNumber := make([]bool, len(names))
	for k, name := range names {
		columns = append(columns, answer.Column{Name: paramColumn + name, Head: name})
		isNumber[k] = !slices.ContainsFunc(params, func(p map[string]string) bool { return p[name] != "" && math.IsNaN(paramNumber(p[name])) })
	}
	columns = append(columns, t.Columns[at+1:]...)
	by := b.request.In.Get("group." + t.Name)
	isGrouped := slices.Contains(names, by)
	order := make([]int, len(t.Rows))
	for i := range order {
		order[i] = i
	}
	if isGrouped {
		columns, t.Grouped = append([]answer.Column{{Name: "group"}}, columns...), true
		slices.SortStableFunc(order, func(i, j int) int {
			return cmp.Or(cmp.Compare(paramNumber(params[i][by]), paramNumber(params[j][by])), cmp.Compare(params[i][by], params[j][by]))
		})
	}
	rows := make([][]any, len(t.Rows))
	for to, i := range order {
		var cells []any
		if isGrouped {
			cells = append(cells, by+" = "+cmp.Or(params[i][by], "none"))
		}
		cells = append(cells, t.Rows[i][:at]...)
		for k, name := range names {
			switch text := params[i][name]; {
			case text == "":
				cells = append(cells, nil)
			case isNumber[k]:
				cells = append(cells, answer.Cell{Text: text, Exact: paramNumber(text)})
			default:
				cells = append(cells, text)
			}
		}
		rows[to] = append(cells, t.Rows[i][at+1:]...)
	}
	t.Columns, t.Rows = columns, rows
	groups := []link{{Text: "none", Href: b.here("group."+t.Name, ""), Here: !isGrouped}}
	for _, name := range names {
		groups = append(groups, link{Text: escape.Line(name), Href: b.here("group."+t.Name, name), Here: isGrouped && name == by})
	}
	return t, groups
}

// differingParams returns the names of the parameters that are not the same in all rows.
func differingParams(params []map[string]string) []string {
	values := map[string]map[string]bool{}
	for _, p := range params {
		for name := range p {
			values[name] = map[string]bool{}
		}
	}
	for _, p := range params {
		for name, seen := range values {
			seen[p[name]] = true
		}
	}
	maps.DeleteFunc(values, func(_ string, seen map[string]bool) bool { return len(seen) < 2 })
	return slices.Sorted(maps.Keys(values))
}

// paramNumber returns the number that a text is; NaN for another text.
func paramNumber(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// composeGate shows a row for each rule of a gate. Of one scenario no row repeats its name.
func composeGate(ctx context.Context, b *builder) error {
	b.without = "scenario"
	if len(b.asked["scenario"]) != 1 {
		b.without = ""
	}
	return withTabs(ctx, b)
}

// composeSweep shows a sweep while it runs: how far it is, the intervals of the scores as they shrink, and its seeds.
func composeSweep(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Sweep(), b.asked)
	if err != nil {
		return err
	}
	b.view.Live = b.request.Live // its seeds are what changes
	b.view.Again = a.IsRunning
	b.shown.add(a.Scenario)
	b.sweep = &a
	p := a.Progress
	withdrawn := ""
	if p.NWithdrawn > 0 {
		withdrawn = fmt.Sprintf(", %d withdrawn", p.NWithdrawn)
	}
	planned := format.Counted(p.NPlanned, "planned seed")
	b.view.Trail = []link{{Text: "Sweeps", Href: b.address("sweep list")}, {Text: escape.Line(a.Scenario), Href: b.address("history", "scenario", a.Scenario)}}
	b.head("Sweep " + a.ID[max(0, len(a.ID)-8):])
	b.view.Lead = []sentence{{Class: "verdict", Text: escape.Line(a.State() + ": " + strconv.Itoa(p.NRecorded()) + " of " + planned + " recorded" + withdrawn)}}
	if p.Until != "" {
		b.view.Lead = append(b.view.Lead, sentence{Class: "need", Text: escape.Line("Ends early when " + p.Until)})
	}
	runs := "of " + format.Counted(a.NRuns, "run")
	b.fact("recorded", strconv.Itoa(p.NRecorded()), "", "of "+planned+withdrawn)
	b.fact("failed", strconv.Itoa(a.NFailed), "", runs)
	if a.NWithdrawn > 0 {
		b.fact("withdrawn", strconv.Itoa(a.NWithdrawn), "", runs)
	}
	if p.NRunning > 0 {
		b.fact("running", strconv.Itoa(p.NRunning), "", "now, in all processes")
	}
	if isFinite(p.PerMinute) {
		b.fact("rate", threeDigits(p.PerMinute), "", "seeds a minute")
	}
	if p.Left > 0 {
		b.fact("time left", p.Left.String(), "", "at this rate")
	}
	tables := a.Tables()
	for _, t := range append(tables[1:], tables[0]) { // what identifies it comes last
		if t.Name != "progress" {
			b.addTable(t)
			continue
		}
		for _, c := range p.Configurations {
			if len(c.Scores) > 1 {
				b.draw("progress", "interval", c.Configuration, funnel(c.Scores))
			}
		}
		t.Notes = nil
		b.titled(withParameters(t, a.Configurations), "Progress")
		if err := b.addSweptSeeds(ctx, a); err != nil {
			return err
		}
	}
	b.last().Title, b.last().Folded = "Command and machine", true
	return nil
}

// withParameters adds the parameters to the rows of configurations of which several have the same label, or none.
func withParameters(t answer.Table, list []answer.PlannedConfiguration) answer.Table {
	params, labels := map[string]string{}, map[string]bool{}
	for _, c := range list {
		params[c.Hash], labels[c.Label] = answer.ParamsText(c.Params), true
	}
	if len(labels) == len(list) && !labels[""] {
		return t
	}
	at := 1 + slices.IndexFunc(t.Columns, func(c answer.Column) bool { return c.Name == "label" })
	t.Columns = slices.Insert(slices.Clone(t.Columns), at, answer.Column{Name: "parameters"})
	for i, c := range t.Rows {
		t.Rows[i] = slices.Insert(slices.Clone(c), at, any(params[render.ExactText(c[0])]))
	}
	return t
}

// addSweptSeeds adds the seeds of the sweep as a heat map: of one configuration metric by seed, of several a row each.
func (b *builder) addSweptSeeds(ctx context.Context, a answer.Sweep) error {
	list := a.Progress.Configurations
	if a.Progress.NRecorded() == 0 && a.Progress.NRunning > 0 {
		return b.addHeatMap(running(a), nil, ".heatmap")
	}
	if len(list) == 0 || list[0].NRecorded == 0 {
		return nil
	}
	in := url.Values{"scenario": {a.Scenario}, "by": {answer.ByConfiguration}, "sweep": {a.ID}}
	if len(list) == 1 {
		in = url.Values{"scenario": {selectorOf(a.Scenario, list[0].Configuration)}, "seeds": {a.Configurations[0].Planned}}
	}
	m, err := b.heatMatrix(ctx, in)
	if err != nil {
		return nil //nolint:nilerr // not all seeds are judged: the table says how far they are
	}
	return b.addHeatMap(m.WithRunning(list), in, ".heatmap")
}

// heatMatrix returns the matrix of a heat map beside other things, in the order that the address says.
func (b *builder) heatMatrix(ctx context.Context, in url.Values) (answer.Matrix, error) {
	for _, name := range []string{"order", "seed-order"} {
		if value := b.request.In.Get(name + ".heatmap"); value != "" {
			in.Set(name, value)
		}
	}
	return get(ctx, b, ask.Matrix(), in)
}

// running returns a matrix of a sweep of which no seed has ended: the cells that run.
func running(a answer.Sweep) answer.Matrix {
	m := answer.Matrix{By: answer.ByConfiguration, Scenario: a.Scenario}
	for _, c := range a.Progress.Configurations {
		if len(c.Running) > 0 {
			m.Items = append(m.Items, answer.MatrixRow{Name: cmp.Or(c.Label, track.ShortHash(c.Configuration)), Scenario: a.Scenario, Configuration: c.Configuration})
		}
	}
	return m.WithRunning(a.Progress.Configurations)
}
