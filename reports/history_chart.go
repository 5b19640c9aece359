package reports

import (
	"fmt"

	"track/answer"
	"track/reports/chart"
	"track/scoring/verdict"
)

// HistoryChart draws the means of configurations with their intervals, the prediction and the changes of level.
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
	return withAnalysis(c, h.Analysis)
}

// LineageHistoryChart draws the means of the versions of a lineage.
func LineageHistoryChart(h answer.LineageHistory) chart.History {
	c := chart.History{Title: h.Lineage, XLabel: "version", YLabel: "mean score", Interval: "95 % t interval"}
	if h.Component != "" {
		c.YLabel = "mean of " + h.Component
	}
	for _, e := range h.Entries {
		c.Points = append(c.Points, chart.Estimate{Label: e.Version, N: e.Mean.N, Mean: e.Mean.Value, Lo: e.Mean.Interval.Lo, Hi: e.Mean.Interval.Hi})
	}
	return withAnalysis(c, h.Analysis)
}

// withAnalysis adds the prediction and the changes of level to a chart.
func withAnalysis(c chart.History, a verdict.History) chart.History {
	if p := a.Prediction; p.Defined() {
		c.Prediction = &chart.Prediction{Name: fmt.Sprintf("95 %% prediction for n = %d", a.NNext), Lo: p.Lo, Hi: p.Hi}
	}
	for _, change := range a.ChangePoints {
		c.ChangePoints = append(c.ChangePoints, change.Index)
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
