package answer

import (
	"fmt"
	"strings"

	"track"
	"track/scoring"
	"track/scoring/format"
)

// failingTable lists seeds that did not pass, the worst first, with the values of the metrics that they failed next to
// their targets.
func failingTable(seeds []track.FailingSeed, metrics []scoring.MetricStability) Table {
	const shownMetrics = 4
	declared := make(map[string]scoring.MetricStability, len(metrics))
	for _, m := range metrics {
		declared[m.Name] = m
	}
	t := Table{Name: "failing_seeds", Title: fmt.Sprintf("failing seeds (%d), the worst first", len(seeds)), Shown: 50, Columns: Columns{
		{Name: "seed"}, {Name: "outcome"}, {Name: "reason"}, {Name: "outside", Head: "outside by"}, {Name: "metrics"},
	}.drop("outside").wrap("reason", "metrics")}
	for _, f := range seeds {
		var texts []string
		for _, m := range f.Metrics {
			texts = append(texts, missedText(m, declared[m.Name]))
		}
		all := strings.Join(texts, "; ")
		shown := all
		if len(texts) > shownMetrics {
			shown = fmt.Sprintf("%s and %d more", strings.Join(texts[:shownMetrics], "; "), len(texts)-shownMetrics)
		}
		t.Rows = append(t.Rows, []any{f.Number.String(), string(f.Outcome), Cell{Shorten(f.Reason), f.Reason}, outsideCell(f), Cell{shown, all}})
	}
	return t
}

// outsideCell returns a cell with how far the worst metric of a seed lies outside of what it accepts.
func outsideCell(f track.FailingSeed) any {
	if len(f.Metrics) == 0 {
		return nil
	}
	return optionalCell(f.Metrics[0].Outside, format.Share)
}

// missedText says what a seed measured and what the target is, such as "growth 0.02, target > 0.05".
func missedText(m track.FailingMetric, declared scoring.MetricStability) string {
	text := m.Name
	if m.Missing {
		return text + " missing"
	}
	text += " " + format.Value(m.Value, declared.Format)
	if declared.Target != "" {
		text += ", target " + declared.Target
	}
	return text
}
