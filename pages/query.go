package pages

import (
	"cmp"
	"context"
	"html/template"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"track/answer"
	"track/ask"
	"track/reports/chart"
	"track/reports/escape"
	"track/reports/render"
)

// The parameters of the chart of a query.
const (
	chartX    = "x.chart"
	chartY    = "y.chart"
	chartKind = "kind.chart"
)

// mostBars is how many rows a bar chart shows.
const mostBars = 60

// queryForm asks for a statement, with what it can read next to it.
type queryForm struct {
	Form  form
	Views []SQLView
}

// composeQuery shows the rows of a statement as a table, and as a chart of two of its columns.
func composeQuery(ctx context.Context, b *builder) error {
	b.view.Heading, b.view.Title = "SQL", "SQL"
	asked := *b.view.Form
	b.view.Form, b.view.Lead = nil, nil
	statement, err := fragment("sql", queryForm{asked, SQLViews()})
	if err != nil {
		return err
	}
	b.view.Sections = []section{{ID: "statement", HTML: statement}}
	if !b.asked.Has("sql") {
		return nil
	}
	a, isCut, err := b.askFirst(ctx)
	if err != nil {
		return err
	}
	picture, err := b.chartOf(a.Tables()[0])
	if err != nil {
		return err
	}
	b.view.Sections = append(b.view.Sections, section{ID: "chart", HTML: picture})
	b.show(a)
	if isCut {
		b.cut()
		return nil
	}
	if limited, ok := a.(answer.LimitedAnswer); ok && limited.Limited() != nil {
		b.view.Lead = append(b.view.Lead, sentenceOf(*limited.Limited()))
	}
	return nil
}

// askFirst returns the first rows of a statement, if the page shows no others: the reader does not wait for all of
// them. It reports whether there are more than it returns.
func (b *builder) askFirst(ctx context.Context) (a answer.Answer, isCut bool, err error) {
	first := b.request.In.Get(chartX) == "" && b.request.In.Get(chartY) == ""
	for _, name := range []string{"from.rows", "sort.rows", "filter.rows", "where.rows"} {
		first = first && b.request.In.Get(name) == ""
	}
	limit, err := strconv.Atoi(cmp.Or(b.asked.Get("limit"), strconv.Itoa(keptRows+1)))
	if first && err == nil && (limit == 0 || limit > keptRows) {
		in := maps.Clone(b.asked)
		in.Set("limit", strconv.Itoa(keptRows))
		a, err := get(ctx, b, ask.Query(), in)
		if err != nil {
			return nil, false, err
		}
		isCut = a.LimitedTo > 0
		a.LimitedTo = 0
		return a, isCut, nil
	}
	a, err = b.askWhole(ctx, ask.Query().Question())
	return a, false, err
}

// cut says that the table goes on behind the rows of the answer.
func (b *builder) cut() {
	b.view.Sections[len(b.view.Sections)-1].Table.Open = true
	var q answer.QueryQuestion
	limit, _ := q.Params().Find("limit")
	if most := cmp.Or(b.asked.Get("limit"), limit.Value.String()); most != "0" {
		b.view.Lead = append(b.view.Lead, sentence{Class: string(answer.Note), Text: "At most " + most + " rows are listed; the parameter limit says how many, and 0 lists all."})
	}
}

// queryChart is a chart of two columns, with the form that chooses them.
type queryChart struct {
	Action           string
	Keep             []field
	Columns, Numbers []string
	X, Y, Kind       string
	Line             template.HTML
	Files            template.HTML // links to either as files
	Bars             []queryBar
	Left             int // rows that are not shown
}

type queryBar struct {
	Name, Text string
	Width      float64 // of 100
}

// chartOf returns the chart that the address names; its form alone if it names none, and nothing if no column has
// numbers.
func (b *builder) chartOf(t answer.Table) (template.HTML, error) {
	c := queryChart{Action: b.request.Base + b.view.Path, X: b.request.In.Get(chartX), Y: b.request.In.Get(chartY), Kind: b.request.In.Get(chartKind)}
	for k, column := range t.Columns {
		c.Columns = append(c.Columns, column.Name)
		if render.IsNumericColumn(t.Rows, k) {
			c.Numbers = append(c.Numbers, column.Name)
		}
	}
	if len(c.Numbers) == 0 {
		return "", nil
	}
	for name, values := range b.params() {
		if name != chartX && name != chartY && name != chartKind {
			c.Keep = append(c.Keep, field{name, values[0]})
		}
	}
	slices.SortFunc(c.Keep, func(a, b field) int { return strings.Compare(a.Name, b.Name) })
	x, y := slices.Index(c.Columns, c.X), slices.Index(c.Columns, c.Y)
	if x >= 0 && y >= 0 && slices.Contains(c.Numbers, c.Y) {
		if err := c.draw(b, t.Rows, x, y); err != nil {
			return "", err
		}
	}
	return fragment("query-chart", c)
}

func (c *queryChart) draw(b *builder, rows [][]any, x, y int) (err error) {
	if c.Kind == "line" && slices.Contains(c.Numbers, c.X) {
		s := chart.Named{Name: escape.Line(c.Y)}
		for _, row := range rows {
			s.X, s.Y = append(s.X, numberOrNaN(row[x])), append(s.Y, numberOrNaN(row[y]))
		}
		line := chart.Line{Title: escape.Line(c.Y + " by " + c.X), XLabel: escape.Line(c.X), YLabel: escape.Line(c.Y), Series: []chart.Named{s}}
		var shown strings.Builder
		if err := chart.Inline(&shown, line); err != nil {
			return err
		}
		c.Line = template.HTML(shown.String()) //nolint:gosec // written by package chart, which escapes
		c.Files, err = b.keepChart("chart", line)
		return err
	}
	c.Kind, c.Left = "bar", max(0, len(rows)-mostBars)
	rows = rows[:len(rows)-c.Left]
	most := 0.0
	for _, row := range rows {
		most = max(most, math.Abs(numberOr(row[y], 0)))
	}
	drawn := chart.Bars{Title: escape.Line(c.Y + " by " + c.X), XLabel: escape.Line(c.Y)}
	for _, row := range rows {
		bar := queryBar{Name: escape.Line(render.PeopleText(row[x])), Text: escape.Line(render.PeopleText(row[y]))}
		if most > 0 {
			bar.Width = math.Round(1000*math.Abs(numberOr(row[y], 0))/most) / 10
		}
		c.Bars = append(c.Bars, bar)
		drawn.Rows = append(drawn.Rows, chart.Bar{Name: bar.Name, Text: bar.Text, Value: numberOrNaN(row[y])})
	}
	c.Files, err = b.keepChart("chart", drawn)
	return err
}

func numberOrNaN(cell any) float64 { return numberOr(cell, math.NaN()) }

func numberOr(cell any, other float64) float64 {
	if x, ok := number(cell); ok {
		return x
	}
	return other
}
