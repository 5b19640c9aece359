package pages

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/ask"
	"track/reports/chart"
	"track/reports/escape"
	"track/scoring/format"
)

// composeBands shows a series over the seeds of a configuration: median, quartiles and range, and behind them each seed,
// which leads to its page.
func composeBands(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.SeriesBands(), b.asked)
	if err != nil {
		return err
	}
	selector := answer.Selector{Scenario: a.Scenario, Configuration: a.Configuration[:min(10, len(a.Configuration))]}.String()
	b.view.Trail = []link{
		{Text: "Scenarios", Href: b.request.Base + "/"}, {Text: escape.Line(a.Scenario), Href: b.address("history", "scenario", a.Scenario)},
		{Text: escape.Line(cmp.Or(a.Label, track.ShortHash(a.Configuration))), Href: b.address("stability", "scenario", selector)},
	}
	b.view.Heading = "Series"
	if a.Name != "" {
		b.view.Heading = escape.Line("series " + a.Name)
	}
	b.view.Title = escape.Line(a.Scenario + " › " + b.view.Heading)
	b.tabs(selector, "series bands")
	for _, s := range a.Lead() {
		if s.Kind == answer.Heading && a.Name == "" || s.Kind == answer.Note && !strings.HasPrefix(s.Text, "series: ") {
			b.view.Lead = append(b.view.Lead, sentence{Class: "note", Text: escape.Line(s.Text)})
		}
	}
	if a.Name == "" {
		b.view.Sections = []section{{ID: "begin", Commands: []string{"track record seed --scenario " + a.Scenario + " --seed 7 --series series.csv values.json"}}}
		return nil
	}
	picture := b.newBands(a, selector)
	figure, err := fragment("bands", picture)
	if err != nil {
		return err
	}
	links, err := b.keepChart("bands", bandsChart(a))
	if err != nil {
		return err
	}
	names, err := fragment("series-names", picture.Names)
	if err != nil {
		return err
	}
	b.view.Sections = append(b.view.Sections, section{ID: "series", HTML: names})
	if err := b.addChart(section{ID: "bands"}, bandsPlot(a, picture.Text, func(i int) string { return picture.Seeds[i].Href }), still{figure, links}, true); err != nil {
		return err
	}
	t := a.Tables()[0]
	t.Title = "Values"
	b.addTable(t)
	return nil
}

// bandsChart returns the chart of a series over seeds, for files.
func bandsChart(a answer.SeriesBands) chart.Band {
	c := chart.Band{
		Title: a.Scenario + " " + cmp.Or(a.Label, track.ShortHash(a.Configuration)) + ", " + a.Name + " over seeds", XLabel: "point", YLabel: a.Name, NSeeds: len(a.Seeds), Points: []chart.BandPoint{},
	}
	for _, p := range a.Points {
		c.Points = append(c.Points, chart.BandPoint{At: float64(p.At), N: p.N, Low: p.Low, Q1: p.Q1, Median: p.Median, Q3: p.Q3, High: p.High})
	}
	for _, s := range a.Seeds {
		c.Seeds = append(c.Seeds, s.Values)
	}
	return c
}

// bands draws a series over seeds.
type bands struct {
	Names                  []link
	Range, Quartiles       string // areas
	Median                 string
	Seeds                  []bandLine
	High, Low, First, Last string // labels of the axes
	Text                   string
}

type bandLine struct{ Href, Text, Path string }

const bandsWidth, bandsHeight = 900.0, 280.0

func (b *builder) newBands(a answer.SeriesBands, selector string) bands {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range a.Points {
		if p.N > 0 {
			lo, hi = min(lo, p.Low), max(hi, p.High)
		}
	}
	x := func(k int) string { return short(bandsWidth * float64(k) / float64(max(1, len(a.Points)-1))) }
	y := func(v float64) string {
		if !(hi > lo) {
			return short(bandsHeight / 2)
		}
		return short(bandsHeight * (1 - (v-lo)/(hi-lo)))
	}
	v := bands{High: format.Short(hi), Low: format.Short(lo), First: "0", Last: strconv.Itoa(a.N - 1)}
	v.Text = "Median, quartiles and range of " + a.Name + " over " + format.Counted(len(a.Seeds), "seed") + ", from " + v.Low + " to " + v.High
	v.Range = area(a.Points, x, y, func(p answer.BandPoint) (float64, float64) { return p.Low, p.High })
	v.Quartiles = area(a.Points, x, y, func(p answer.BandPoint) (float64, float64) { return p.Q1, p.Q3 })
	medians := make([]float64, len(a.Points))
	for k, p := range a.Points {
		medians[k] = p.Median
	}
	v.Median = line(medians, x, y)
	for _, s := range a.Seeds {
		v.Seeds = append(v.Seeds, bandLine{b.address("show seed", "scenario", selector, "seed", s.Seed.String()), "seed " + s.Seed.String(), line(s.Values, x, y)})
	}
	for _, name := range a.Names {
		v.Names = append(v.Names, link{Text: escape.Line(name), Href: b.here("series", name), Here: name == a.Name})
	}
	return v
}

// area draws what lies between two numbers of each point. Where there are none, it has a gap.
func area(points []answer.BandPoint, x func(int) string, y func(float64) string, edges func(answer.BandPoint) (lo, hi float64)) string {
	var path strings.Builder
	for from := 0; from < len(points); {
		to := from
		for to < len(points) && points[to].N > 0 {
			to++
		}
		for k := from; k < to; k++ {
			_, hi := edges(points[k])
			path.WriteString(command(k == from) + x(k) + " " + y(hi))
		}
		for k := to - 1; k >= from; k-- {
			lo, _ := edges(points[k])
			path.WriteString("L" + x(k) + " " + y(lo))
		}
		if to > from {
			path.WriteString("z")
		}
		from = to + 1
	}
	return path.String()
}

// line draws values; it has a gap where one is not finite.
func line(values []float64, x func(int) string, y func(float64) string) string {
	var path strings.Builder
	begins := true
	for k, value := range values {
		if !isFinite(value) {
			begins = true
			continue
		}
		path.WriteString(command(begins) + x(k) + " " + y(value))
		begins = false
	}
	return path.String()
}

func command(begins bool) string {
	if begins {
		return "M"
	}
	return "L"
}
