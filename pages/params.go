package pages

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"track/answer"
	"track/ask"
	"track/reports"
	"track/reports/document"
	"track/reports/escape"
)

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
	in := b.drawnParams(a)
	if len(in) > len(b.asked) {
		if a, err = get(ctx, b, ask.Params(), in); err != nil {
			return err
		}
	}
	b.view.Trail = []link{{Text: "Scenarios", Href: b.request.Base + "/"}, {Text: escape.Line(a.Scenario), Href: b.address("history", "scenario", a.Scenario)}}
	b.lead(a.Lead())
	b.view.Heading = "Parameters"
	b.view.Title = escape.Line(a.Scenario + " › " + b.view.Heading)
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
		last := &b.view.Sections[len(b.view.Sections)-1]
		if last.Table != nil && len(groups) > 0 {
			last.Table.GroupBy, last.Table.Small = groups, false
		}
		// The pictures show these.
		last.Folded = t.Name == "plot" || t.Name == "heatmap"
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

// paramChoices are the parameters that a picture can show.
type paramChoices struct {
	Text    string
	Choices []link
}

// addParamPictures adds a parameter against the outcome, and the means of each pair of values of two.
func (b *builder) addParamPictures(a answer.ParamsAnalysis) error {
	names := make([]string, len(a.Effects))
	for i, e := range a.Effects {
		names[i] = e.Parameter
	}
	if a.PlotOf != "" && len(a.Panels) > 0 {
		choices := []paramChoices{{Text: "Parameter"}, {Text: "A panel for each value of", Choices: []link{{Text: "none", Href: b.here("by", ""), Here: a.PlotBy == ""}}}}
		for _, name := range names {
			in := b.params()
			in.Set("plot", name)
			if in.Get("by") == name {
				in.Del("by")
			}
			choices[0].Choices = append(choices[0].Choices, link{Text: escape.Line(name), Href: b.at(in), Here: name == a.PlotOf})
			if name == a.PlotOf {
				continue
			}
			in = b.params()
			in.Set("plot", a.PlotOf)
			in.Set("by", name)
			choices[1].Choices = append(choices[1].Choices, link{Text: escape.Line(name), Href: b.at(in), Here: name == a.PlotBy})
		}
		alt := fmt.Sprintf("Mean %s against %s, with intervals.", a.Outcome(), a.PlotOf)
		if err := b.addParamPicture("plot-picture", "Parameter "+a.PlotOf, document.Picture{Name: "plot", Alt: alt, Chart: reports.ParamsChart(a)}, choices); err != nil {
			return err
		}
	}
	if a.Heatmap == nil {
		return nil
	}
	h := *a.Heatmap
	alt := fmt.Sprintf("Mean %s for each pair of values of %s and %s.", a.Outcome(), h.X, h.Y)
	return b.addParamPicture("heatmap-picture", "Parameters "+h.X+" and "+h.Y, document.Picture{Name: "means", Alt: alt, Chart: reports.MeansChart(a, h)}, b.gridChoices(names, h.X, h.Y))
}

// gridChoices are the parameters that can take the place of one of two.
func (b *builder) gridChoices(names []string, x, y string) []paramChoices {
	along, up := paramChoices{Text: "Along"}, paramChoices{Text: "Up"}
	for _, name := range names {
		if name != y && canComeFirst(name) {
			along.Choices = append(along.Choices, link{Text: escape.Line(name), Href: b.here("heatmap", name+","+y), Here: name == x})
		}
		if name != x {
			up.Choices = append(up.Choices, link{Text: escape.Line(name), Href: b.here("heatmap", x+","+name), Here: name == y})
		}
	}
	return []paramChoices{along, up}
}

func (b *builder) addParamPicture(id, title string, p document.Picture, choices []paramChoices) error {
	picture, err := p.InlineHTML()
	if err != nil {
		return err
	}
	links, err := b.keepChart(p.Name, p.Chart)
	if err != nil {
		return err
	}
	html, err := fragment("param-picture", struct {
		Choices []paramChoices
		Picture template.HTML
	}{choices, template.HTML(picture) + links}) //nolint:gosec // written by package document, which escapes
	b.view.Sections = append(b.view.Sections, section{ID: id, Title: escape.Line(title), HTML: html})
	return err
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
	for _, name := range names {
		columns = append(columns, answer.Column{Name: paramColumn + name, Head: name})
	}
	columns = append(columns, t.Columns[at+1:]...)
	isNumber := make([]bool, len(names))
	for k, name := range names {
		isNumber[k] = !slices.ContainsFunc(params, func(p map[string]string) bool { return p[name] != "" && math.IsNaN(paramNumber(p[name])) })
	}
	by := b.request.In.Get("group." + t.Name)
	isGrouped := slices.Contains(names, by)
	rows := make([][]any, len(t.Rows))
	for i, row := range t.Rows {
		cells := slices.Clone(row[:at])
		for k, name := range names {
			cells = append(cells, paramCell(params[i][name], isNumber[k]))
		}
		rows[i] = append(cells, row[at+1:]...)
		if isGrouped {
			rows[i] = append([]any{by + " = " + cmp.Or(params[i][by], "none")}, rows[i]...)
		}
	}
	if isGrouped {
		order := make([]int, len(rows))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			return cmp.Or(cmp.Compare(paramNumber(params[i][by]), paramNumber(params[j][by])), cmp.Compare(params[i][by], params[j][by]))
		})
		sorted := make([][]any, len(rows))
		for k, i := range order {
			sorted[k] = rows[i]
		}
		rows, columns, t.Grouped = sorted, append([]answer.Column{{Name: "group"}}, columns...), true
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

func paramCell(text string, isNumber bool) any {
	switch {
	case text == "":
		return nil
	case isNumber:
		return answer.Cell{Text: text, Exact: paramNumber(text)}
	}
	return text
}
