package reports

import (
	"track/answer"
	"track/reports/chart"
)

// HistoryChart draws the means of configurations with their intervals, the prediction and the confirmed changes of level.
func HistoryChart(h answer.History) chart.History {
	c := chart.History{Title: h.Scenario, XLabel: "configuration", YLabel: "mean total score", Interval: "95 % t interval"}
	if h.Metric != nil {
		c.Title, c.YLabel = h.Scenario+", "+h.Metric.Name, "mean value"
	}
	labels := historyLabels(h)
	for i, e := range h.Entries {
		mean, _ := e.Mean()
		c.Points = append(c.Points, chart.Estimate{Label: labels[i], N: mean.N, Mean: mean.Value, Lo: mean.Interval.Lo, Hi: mean.Interval.Hi})
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
func historyLabels(h answer.History) []string {
	const longest = 24
	uses := map[string]int{}
	for _, e := range h.Entries {
		uses[e.Configuration.Label]++
	}
	labels := make([]string, len(h.Entries))
	for i, e := range h.Entries {
		if labels[i] = e.Name(); e.Differing != "" && (e.Configuration.Label == "" || uses[e.Configuration.Label] > 1) {
			labels[i] = cut(e.Differing, longest)
		}
	}
	return labels
}
