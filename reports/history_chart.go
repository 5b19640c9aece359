package reports

import (
	"fmt"
	"strings"

	"track"
	"track/answer"
	"track/reports/chart"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// HistoryChart draws the means of configurations with their intervals, the prediction and the changes of level.
func HistoryChart(h answer.History) chart.History {
	c := chart.History{Title: h.Scenario, XLabel: "configuration", YLabel: "mean total score", Interval: "95% " + intervalName(h.MeanIntervals())}
	if h.Metric != nil {
		c.Title, c.YLabel = h.Scenario+", "+h.Metric.Name, "mean value"
	}
	labels := historyLabels(h)
	lines := h.Lines()
	for i, e := range h.Entries {
		mean, _ := e.Mean()
		c.Points = append(c.Points, chart.Estimate{Label: labels[i], Line: lines[i], N: mean.N, Mean: mean.Value, Lo: mean.Interval.Lo, Hi: mean.Interval.Hi})
	}
	return withAnalysis(c, h.Analysis)
}

// LineageHistoryChart draws the means of the versions of a lineage.
func LineageHistoryChart(h answer.LineageHistory) chart.History {
	c := chart.History{Title: h.Lineage, XLabel: "version", YLabel: "mean score", Interval: "95% " + intervalName(h.MeanIntervals())}
	if h.Component != "" {
		c.YLabel = "mean of " + h.Component
	}
	for _, e := range h.Entries {
		c.Points = append(c.Points, chart.Estimate{Label: e.Version, N: e.Mean.N, Mean: e.Mean.Value, Lo: e.Mean.Interval.Lo, Hi: e.Mean.Interval.Hi})
	}
	return withAnalysis(c, h.Analysis)
}

// intervalName names the methods of intervals, such as "t interval" or "t or Markov interval".
func intervalName(list []stats.Interval) string {
	return strings.TrimSpace(format.Methods(list) + " interval")
}

// withAnalysis adds the prediction and the changes of level to a chart.
func withAnalysis(c chart.History, a verdict.History) chart.History {
	if p := a.Prediction; p.Defined() {
		c.Prediction = &chart.Prediction{Name: fmt.Sprintf("95%% prediction for n = %d", a.NNext), Lo: p.Lo, Hi: p.Hi}
	}
	for _, change := range a.ChangePoints {
		c.ChangePoints = append(c.ChangePoints, change.Index)
	}
	return c
}

// historyLabels tells the configurations apart by what differs between them: the label, then the parameters, then the
// revision of the code, and by the hash if all of these are alike.
func historyLabels(h answer.History) []string {
	const longest = 24
	parts := []func(answer.HistoryEntry) string{
		func(e answer.HistoryEntry) string { return e.Configuration.Label },
		func(e answer.HistoryEntry) string { return cut(e.Differing, longest) },
		func(e answer.HistoryEntry) string { return e.Configuration.Revision.String() },
		func(e answer.HistoryEntry) string { return track.ShortHash(e.Configuration.Hash) },
	}
	labels := make([]string, len(h.Entries))
	for _, part := range parts {
		uses := map[string]int{}
		for _, label := range labels {
			uses[label]++
		}
		different := map[string]bool{}
		for _, e := range h.Entries {
			different[part(e)] = true
		}
		for i, e := range h.Entries {
			if text := part(e); text != "" && uses[labels[i]] > 1 && len(different) > 1 {
				labels[i] = strings.TrimSpace(labels[i] + " " + text)
			}
		}
	}
	if len(labels) == 1 {
		labels[0] = h.Entries[0].Name()
	}
	return labels
}
