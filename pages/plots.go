package pages

import (
	"fmt"
	"slices"
	"strconv"

	"track/answer"
	"track/reports/chart"
	"track/reports/escape"
	"track/scoring/format"
)

// mostWhiskers is the largest number of points whose intervals are drawn one by one, as in the pictures of reports.
const mostWhiskers = 80

// mostJoined is the largest number of lines of a history: beyond, its points are not joined.
const mostJoined = 40

// historyPlot shows means with their intervals, what is expected of the next one, and changes of level. link returns
// where a point leads.
func historyPlot(h chart.History, number func(float64) string, link func(i int) string) lineChart {
	n := len(h.Points)
	names := make([]string, n)
	for i, p := range h.Points {
		names[i] = p.Label
	}
	c := newLineChart(h.Title+", "+h.YLabel+" of "+format.Counted(n, h.XLabel), h.XLabel, h.YLabel, names)
	if h.Prediction != nil && isFinite(h.Prediction.Lo) && isFinite(h.Prediction.Hi) {
		c.between(h.Prediction.Name, "warning", constant(h.Prediction.Hi, n), constant(h.Prediction.Lo, n))
		c.Lines[0].Ink, c.Lines[0].Width, c.Lines[1].Ink, c.Lines[1].Width = "warning", 1, "warning", 1
	}
	low, high, lines := gaps(n), gaps(n), map[string]plotValues{}
	var order []string
	for i, p := range h.Points {
		if lines[p.Line] == nil {
			lines[p.Line], order = gaps(n), append(order, p.Line)
		}
		lines[p.Line][i], low[i], high[i] = p.Mean, p.Lo, p.Hi
		c.X, c.Words, c.Links = append(c.X, float64(i)), append(c.Words, pointWords(h, i, number)), append(c.Links, link(i))
	}
	for _, change := range h.ChangePoints {
		c.Changes = append(c.Changes, float64(change)-0.5)
	}
	if n <= mostWhiskers {
		c.intervals(h.Interval, high, low)
	} else {
		c.between(h.Interval, "accent", high, low)
	}
	for _, name := range order {
		line := plotLine{Label: h.YLabel, Ink: "accent", Width: 1.5, Dots: 7, Joins: true, Data: lines[name]}
		if len(order) > mostJoined {
			line.Width = 0
			for i := range h.Points {
				line.Data[i] = h.Points[i].Mean
			}
		}
		c.Lines = append(c.Lines, line)
		if len(order) > mostJoined {
			break
		}
	}
	return c
}

// pointWords says what is known of a point of a history.
func pointWords(h chart.History, i int, number func(float64) string) string {
	p := h.Points[i]
	words := escape.Line(p.Label) + ": "
	if !isFinite(p.Mean) {
		return words + "no " + h.YLabel
	}
	words += escape.Line(h.YLabel) + " " + number(p.Mean)
	if isFinite(p.Lo) && isFinite(p.Hi) {
		words += ", " + h.Interval + " " + number(p.Lo) + " to " + number(p.Hi)
	}
	if p.N > 0 {
		words += ", n = " + strconv.Itoa(p.N)
	}
	if slices.Contains(h.ChangePoints, i) {
		words += "; the level changes here"
	}
	return words
}

// bandsPlot shows a series over seeds: each seed as a thin line, and what most of them do. link returns where a seed
// leads.
func bandsPlot(a answer.SeriesBands, text string, link func(i int) string) lineChart {
	c := newLineChart(text, "point", a.Name, nil)
	var low, q1, median, q3, high plotValues
	for _, p := range a.Points {
		low, q1, median, q3, high = append(low, p.Low), append(q1, p.Q1), append(median, p.Median), append(q3, p.Q3), append(high, p.High)
		words := fmt.Sprintf("point %d: no value", p.At)
		if p.N > 0 {
			words = fmt.Sprintf("point %d: median %s, quartiles %s to %s, range %s to %s, %s", p.At, format.Short(p.Median), format.Short(p.Q1), format.Short(p.Q3), format.Short(p.Low),
				format.Short(p.High), format.Counted(p.N, "seed"))
		}
		c.X, c.Words = append(c.X, float64(p.At)), append(c.Words, words)
	}
	c.between("range", "accent", high, low)
	c.between("quartiles", "accent", q3, q1)
	for i, s := range a.Seeds {
		c.Lines = append(c.Lines, plotLine{Label: "seed " + s.Seed.String(), Ink: "faint", Width: 1, Href: link(i), Data: s.Values})
	}
	c.Lines = append(c.Lines, plotLine{Label: "median", Ink: "accent", Width: 2, Data: median})
	return c
}

// seriesPlot shows series of one seed.
func seriesPlot(of string, list []answer.SeriesBands) lineChart {
	y := "value"
	if len(list) == 1 {
		y = list[0].Name
	}
	c := newLineChart(of, "point", y, nil)
	longest := slices.MaxFunc(list, func(a, b answer.SeriesBands) int { return len(a.Points) - len(b.Points) })
	inks := []string{"accent", "warning", "good", "bad", "text", "dim"}
	for k, p := range longest.Points {
		words := fmt.Sprintf("point %d", p.At)
		for _, s := range list {
			if k < len(s.Points) && s.Points[k].N > 0 {
				words += ", " + escape.Line(s.Name) + " " + format.Significant(s.Points[k].Median)
			}
		}
		c.X, c.Words = append(c.X, float64(p.At)), append(c.Words, words)
	}
	for i, s := range list {
		line := plotLine{Label: escape.Line(s.Name), Ink: inks[i%len(inks)], Width: 1.5, Data: gaps(len(longest.Points))}
		for k, p := range s.Points {
			line.Data[k] = p.Median
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// scoresPlot shows the scores of the candidates of a lineage: what became of each, the best so far, and the path to the
// active version. link returns where a candidate leads.
func scoresPlot(l chart.Lineage, number func(float64) string, link func(version string) string) lineChart {
	n := len(l.Candidates)
	c := newLineChart(l.Title, l.XLabel, l.YLabel, nil)
	kinds := map[chart.Decision]plotLine{
		chart.Rejected: {Label: "rejected", Ink: "faint", Dots: 6}, chart.Refused: {Label: "refused", Ink: "faint", Dots: 4}, chart.Undecided: {Label: "not decided", Ink: "warning", Dots: 6},
		chart.Accepted: {Label: "accepted", Ink: "good", Dots: 8}, chart.Root: {Label: "root", Ink: "text", Dots: 8},
	}
	low, high, path, head := gaps(n), gaps(n), gaps(n), gaps(n)
	points := map[chart.Decision]plotValues{}
	for i, p := range l.Candidates {
		what := kinds[p.Decision].Label
		if p.Decision == chart.Failed {
			what = "failed"
		} else if isFinite(p.Mean) {
			if points[p.Decision] == nil {
				points[p.Decision] = gaps(n)
			}
			points[p.Decision][i], low[i], high[i] = p.Mean, p.Lo, p.Hi
			if p.OnPath {
				path[i] = p.Mean
			}
			if p.Head {
				head[i] = p.Mean
			}
		}
		c.X, c.Words, c.Links = append(c.X, float64(p.Number)), append(c.Words, scoreWords(p, what, l, number)), append(c.Links, link(p.Label))
	}
	for _, r := range l.Rollbacks {
		c.Changes = append(c.Changes, float64(r.After)+0.5)
	}
	if shown, _ := l.Intervals(); shown > 0 && shown <= mostWhiskers {
		c.intervals(l.Interval, high, low)
	}
	c.Lines = append(c.Lines, plotLine{Label: l.LineName(), Ink: "warning", Width: 1.5, Steps: 1, Data: l.BestSoFar()})
	c.Lines = append(c.Lines, plotLine{Label: "path to the active version", Ink: "accent", Width: 2.5, Joins: true, Data: path})
	for _, d := range []chart.Decision{chart.Refused, chart.Rejected, chart.Undecided, chart.Accepted, chart.Root} {
		if points[d] != nil {
			line := kinds[d]
			line.Data = points[d]
			c.Lines = append(c.Lines, line)
		}
	}
	c.Lines = append(c.Lines, plotLine{Label: "active", Ink: "accent", Dots: 11, Data: head})
	return c
}

// scoreWords says what is known of a candidate.
func scoreWords(p chart.Candidate, what string, l chart.Lineage, number func(float64) string) string {
	words := fmt.Sprintf("mutation %d, %s: %s", p.Number, escape.Line(p.Label), what)
	if p.Decision == chart.Root {
		words = escape.Line(p.Label) + ": the root"
	}
	if p.Head {
		words += ", active"
	} else if p.OnPath {
		words += ", on the path to the active version"
	}
	if !isFinite(p.Mean) {
		return words + ", no score"
	}
	words += ", score " + number(p.Mean)
	if isFinite(p.Lo) && isFinite(p.Hi) {
		words += ", " + l.Interval + " of the difference " + number(p.Lo) + " to " + number(p.Hi)
	}
	if p.N > 0 {
		words += ", n = " + strconv.Itoa(p.N)
	}
	return words
}
