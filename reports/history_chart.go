package reports

import (
	"math"

	"track/answer"
	"track/reports/chart"
)

func historyChart(scenario string, h answer.HistoryReport) chart.History {
	c := chart.History{Title: scenario, XLabel: "configuration", YLabel: "mean total score", Interval: "95 % t interval"}
	labels := historyLabels(h)
	for i, e := range h.Entries {
		p := chart.Estimate{Label: labels[i], Mean: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
		if n := e.Estimates.NScored; e.NUnassessed == 0 && n > 0 {
			p.N, p.Mean, p.Lo, p.Hi = n, e.Estimates.Mean.Value, e.Estimates.Mean.Interval.Lo, e.Estimates.Mean.Interval.Hi
		}
		c.Points = append(c.Points, p)
	}
	if p := h.Analysis.Prediction; p.Defined() {
		c.Prediction = &chart.Prediction{Name: "95 % prediction", Lo: p.Lo, Hi: p.Hi}
	}
	for _, change := range h.Analysis.ChangePoints {
		if change.Confirmed {
			c.ChangePoints = append(c.ChangePoints, change.Index)
		}
	}
	return c
}

// historyLabels tells the configurations apart: by label, else by the parameters that differ, else by hash.
func historyLabels(h answer.HistoryReport) []string {
	const longest = 24
	uses := map[string]int{}
	for _, e := range h.Entries {
		uses[e.Label]++
	}
	labels := make([]string, len(h.Entries))
	for i, e := range h.Entries {
		if labels[i] = e.Name(); e.Differing != "" && (e.Label == "" || uses[e.Label] > 1) {
			labels[i] = cut(e.Differing, longest)
		}
	}
	return labels
}
