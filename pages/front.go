package pages

import (
	"context"
	"fmt"
	"html/template"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"track/answer"
	"track/ask"
	"track/reports"
	"track/reports/chart"
	"track/reports/escape"
	"track/scoring/format"
)

// mostObjectives is the largest number of objectives that links choose; the form takes any.
const mostObjectives = 16

// composeFront shows the versions of a lineage by two objectives, as a chart and as a table.
func composeFront(ctx context.Context, b *builder) error {
	lineage, err := get(ctx, b, ask.Lineage(), onlyParam(b.asked, "lineage"))
	if err != nil {
		return err
	}
	b.lineageTrail(lineage.Lineage)
	b.lineageTabs(lineage.Lineage, "lineage front")
	isLong := lineage.End.Number > longTree
	err = b.later("whole-front", isLong, func() error {
		a, err := get(ctx, b, ask.LineageFront(), b.asked)
		if err != nil {
			return err
		}
		if isLong {
			b.addSentences("about", a.About()[1:]) // the heading is above
		} else {
			b.lead(a.About())
		}
		if len(a.Items) > 0 {
			if err := b.addFront(a, "", b.asked); err != nil {
				return err
			}
			if err := b.addObjectives(a); err != nil {
				return err
			}
		}
		for _, t := range a.Tables() {
			b.addTable(t)
		}
		return nil
	})
	b.view.Charts = b.view.Charts || isLong
	b.view.Heading = escape.Line("Front of " + lineage.Lineage)
	b.view.Title = b.view.Heading
	return err
}

// onlyParam returns parameters with one name.
func onlyParam(in url.Values, name string) url.Values { return url.Values{name: in[name]} }

// addLineageFront adds the front of a lineage to its page, if there are two objectives.
func (b *builder) addLineageFront(ctx context.Context, lineage string) error {
	in := url.Values{"lineage": {lineage}}
	a, err := get(ctx, b, ask.LineageFront(), in)
	if isAbsent(err) {
		return nil
	}
	if err != nil || len(a.Items) < 2 || strings.HasPrefix(a.X.Name, answer.ObjectiveTask) { // the report compares tasks
		return err
	}
	if err := b.addFront(a, strings.ToUpper(a.Y.Name[:1])+a.Y.Name[1:]+" against "+a.X.Name, in); err != nil {
		return err
	}
	made := &b.view.Sections[len(b.view.Sections)-1]
	about := []sentence{sentenceOf(a.About()[1])}
	for _, s := range a.Directions() {
		about = append(about, sentenceOf(s))
	}
	made.Sentences = append(about, made.Sentences...)
	made.Link = link{Text: "Choose the objectives", Href: b.address("lineage front", "lineage", lineage)}
	t := a.Tables()[0]
	t.Title = "Versions by " + a.Y.Name + " and " + a.X.Name
	b.addTable(t)
	b.view.Sections[len(b.view.Sections)-1].Folded = true
	return nil
}

// addFront adds the chart of a front.
func (b *builder) addFront(a answer.LineageFront, title string, in url.Values) error {
	figure, links, err := b.answerPicture(ask.LineageFront().Question(), in, "The front of "+a.Lineage)
	if err != nil {
		return err
	}
	plot, notes := frontPlot(a, func(version string) string { return b.address("version show", "version", a.Lineage+"@"+version) })
	return b.addChart(section{ID: "front-chart", Title: escape.Line(title), Sentences: notes}, plot, still{figure, links}, false)
}

// addObjectives adds links that choose what the axes are.
func (b *builder) addObjectives(a answer.LineageFront) error {
	choices := []paramChoices{{Text: "Along"}, {Text: "Up"}}
	for _, o := range a.Objectives[:min(len(a.Objectives), mostObjectives)] {
		along, up := b.params(), b.params()
		along.Set("x", o.Name)
		along.Set("y", a.Y.Name)
		up.Set("x", a.X.Name)
		up.Set("y", o.Name)
		if o.Name != a.Y.Name {
			choices[0].Choices = append(choices[0].Choices, link{Text: escape.Line(o.Name), Href: b.at(along), Here: o.Name == a.X.Name})
		}
		if o.Name != a.X.Name {
			choices[1].Choices = append(choices[1].Choices, link{Text: escape.Line(o.Name), Href: b.at(up), Here: o.Name == a.Y.Name})
		}
	}
	choices = append(choices, b.directions(a)...)
	html, err := fragment("param-picture", struct {
		Choices []paramChoices
		Picture template.HTML
	}{Choices: choices})
	made := section{ID: "objectives", HTML: html}
	if more := len(a.Objectives) - mostObjectives; more > 0 {
		made.Sentences = []sentence{{Class: "note", Text: format.Counted(more, "more objective") + ": name them in the parameters."}}
	}
	b.view.Sections = append(b.view.Sections, made)
	return err
}

// directions are the links that say of ground truth whether more or less is better.
func (b *builder) directions(a answer.LineageFront) (list []paramChoices) {
	for _, o := range []answer.Objective{a.X, a.Y} {
		if !strings.HasPrefix(o.Name, answer.ObjectiveTruth) {
			continue
		}
		more, less := b.params(), b.params()
		others := slices.DeleteFunc(slices.Clone(more["minimize"]), func(name string) bool { return name == o.Name })
		more["minimize"], less["minimize"] = others, append(slices.Clone(others), o.Name)
		list = append(list, paramChoices{Text: escape.Line(o.Name), Choices: []link{{Text: "more is better", Href: b.at(more), Here: !o.Minimize}, {Text: "less is better", Href: b.at(less), Here: o.Minimize}}})
	}
	return list
}

// frontPlot shows versions by two objectives, each with its intervals as far as they do not dwarf the means. link
// returns where a version leads. The sentences say which intervals are not shown as they are.
func frontPlot(a answer.LineageFront, link func(version string) string) (c lineChart, notes []sentence) {
	drawn := reports.FrontChart(a)
	slices.SortStableFunc(drawn.Points, func(p, q chart.FrontPoint) int {
		return boolNumber(p.X.Mean > q.X.Mean) - boolNumber(p.X.Mean < q.X.Mean)
	})
	n := len(drawn.Points)
	x, y := drawn.Frame()
	c = newLineChart(drawn.Title, drawn.XLabel, drawn.YLabel, nil)
	c.Options.Axes[0].Steps, c.Options.Axes[0].Space, c.Half = nil, 90, margin(drawn.Points[0].X.Mean, drawn.Points[n-1].X.Mean)
	c.Heights = gaps(n)
	front, others, root, head, low, high := gaps(n), gaps(n), gaps(n), gaps(n), gaps(n), gaps(n)
	for i, p := range drawn.Points {
		c.Heights[i] = p.Y.Mean
		if p.Front {
			front[i] = p.Y.Mean
		} else {
			others[i] = p.Y.Mean
		}
		if p.Root {
			root[i] = p.Y.Mean
		}
		if p.Active {
			head[i] = p.Y.Mean
		}
		low[i], high[i], _ = cutInterval(p.Y, y)
		c.X, c.Words, c.Links = append(c.X, p.X.Mean), append(c.Words, frontWords(a, p)), append(c.Links, link(p.X.Label))
	}
	if n <= mostWhiskers {
		c.between(drawn.Interval, "", high, low)
		c.Whisker = drawn.Interval
		nCut := 0
		for _, p := range drawn.Points {
			left, right, cutX := cutInterval(p.X, x)
			bottom, top, cutY := cutInterval(p.Y, y)
			c.bar(left, p.Y.Mean, right, p.Y.Mean, cutX, float64(boolNumber(!p.Front)))
			c.bar(p.X.Mean, bottom, p.X.Mean, top, cutY, float64(boolNumber(!p.Front)))
			nCut += boolNumber(cutX > 0) + boolNumber(cutY > 0)
		}
		c.Half = max(c.Half, drawn.Points[0].X.Mean-x.Lo, x.Hi-drawn.Points[n-1].X.Mean)
		if nCut > 0 {
			notes = append(notes, sentence{Class: "note", Text: format.Counted(nCut, "interval") + format.Verb(nCut, " goes", " go") + " beyond the chart, as arrows show. The table has all ends."})
		}
	} else {
		notes = append(notes, sentence{Class: "note", Text: fmt.Sprintf("Intervals of more than %d versions are not drawn. The table has them.", mostWhiskers)})
	}
	steps := -1
	if drawn.MinimizeX {
		steps = 1
	}
	c.Lines = append(c.Lines, plotLine{Label: "active", Ink: "warning", Dots: 17, Shape: ringShape, Data: head}, plotLine{Label: "root", Ink: "text", Dots: 16, Shape: diamondShape, Data: root},
		plotLine{Label: "not on the front", Ink: "dim", Dots: 6, Shape: squareShape, Data: others},
		plotLine{Label: "on the front", Ink: "accent", Width: 1.5, Dots: 9, Steps: steps, Joins: true, Data: front})
	return c, notes
}

// cutInterval returns the ends of an interval within a range, and which are cut, as the bars of a [lineChart] say it.
func cutInterval(e chart.Estimate, within chart.Range) (low, high, cut float64) {
	low, high = max(e.Lo, within.Lo), min(e.Hi, within.Hi)
	return low, high, float64(boolNumber(low > e.Lo) + 2*boolNumber(high < e.Hi))
}

// margin returns the room beside the first and the last point.
func margin(first, last float64) float64 {
	if room := (last - first) / 20; room > 0 {
		return room
	}
	return max(1, math.Abs(first)) / 10
}

// frontWords says what is known of a version.
func frontWords(a answer.LineageFront, p chart.FrontPoint) string {
	words := escape.Line(p.X.Label)
	for _, mark := range []struct {
		is   bool
		text string
	}{{p.Root, "the root"}, {p.Active, "active"}, {p.Front, "on the front"}, {!p.Front, "not on the front"}} {
		if mark.is {
			words += ", " + mark.text
		}
	}
	return words + ": " + axisWords(a.X, p.X, a.Number(a.X)) + "; " + axisWords(a.Y, p.Y, a.Number(a.Y))
}

func axisWords(o answer.Objective, e chart.Estimate, number func(float64) string) string {
	words := escape.Line(o.Name) + " " + number(e.Mean)
	if isFinite(e.Lo) && isFinite(e.Hi) {
		words += fmt.Sprintf(" (95%% interval %s to %s)", number(e.Lo), number(e.Hi))
	}
	return words + ", n = " + strconv.Itoa(e.N)
}
