package reports

import (
	"fmt"
	"math"
	"slices"

	"track/answer"
	"track/reports/chart"
	"track/scoring/effects"
	"track/scoring/format"
)

// ParamsChart draws the score or the metric of an analysis against a parameter.
func ParamsChart(a answer.ParamsAnalysis) chart.Parameter {
	return parameterChart(a, a.PlotOf, a.PlotBy, a.Panels)
}

func parameterChart(a answer.ParamsAnalysis, parameter, by string, panels []effects.Panel) chart.Parameter {
	c := chart.Parameter{
		Title: fmt.Sprintf("%s, mean %s against %s", a.Scenario, a.Outcome(), parameter), XLabel: parameter, YLabel: a.Outcome(), By: by,
		IntervalName: format.Confidence(a.Confidence) + " interval",
	}
	for _, e := range a.Effects {
		if e.Parameter == parameter && len(e.Levels) > 0 && math.IsNaN(e.Levels[0].Lo) {
			for _, l := range e.Levels {
				c.XNames = append(c.XNames, l.Name)
			}
		}
	}
	for _, p := range panels {
		panel := chart.ParameterPanel{Name: p.Name}
		for _, point := range p.Points {
			panel.Points = append(panel.Points, chart.Dot{X: point.X, Y: point.Mean})
		}
		for _, l := range p.Levels {
			panel.Levels = append(panel.Levels, chart.ParameterLevel{From: l.Lo, To: l.Hi, Mean: l.Mean, Lo: l.Interval.Lo, Hi: l.Interval.Hi})
		}
		c.Panels = append(c.Panels, panel)
	}
	return c
}

// MeansChart draws the heat map of an analysis.
func MeansChart(a answer.ParamsAnalysis, h effects.Heatmap) chart.Grid {
	c := chart.Grid{
		Title: fmt.Sprintf("%s, mean %s by %s and %s", a.Scenario, a.Outcome(), h.X, h.Y), XLabel: h.X, One: "value of " + h.Y, Many: "values of " + h.Y,
		Columns: h.XLevels, Text: a.Number(),
	}
	for i, row := range slices.Backward(h.Cells) {
		values := make([]float64, len(row))
		for k, cell := range row {
			values[k] = cell.Mean
		}
		c.Rows = append(c.Rows, chart.GridRow{Name: h.Y + " " + h.YLevels[i], Values: values})
	}
	return c
}
