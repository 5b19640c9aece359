package reports

import (
	"track/reports/document"
	"track/scoring"
	"track/scoring/format"
)

// judgingBlocks say how the value of each metric comes about, and which values get which status.
func judgingBlocks(metrics []scoring.Metric) []document.Block {
	t := columns("metric", "value", "PASS", "WARN", "FAIL", "#weight")
	for _, m := range metrics {
		t.Rows = append(t.Rows, append(append([]document.Text{codeCell(m.Name), document.T(m.Computed())}, bandCells(m)...), cell("%v", m.Weight)))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []document.Block{document.Details{
		Summary: cell("How the values of %s are computed and judged", format.Counted(len(metrics), "metric")),
		Blocks: []document.Block{t, paragraphOf(cell(
			"A limit between two statuses belongs to the better one. The WARN band depends on the weight. A missing, NaN or infinite value is FAIL."))},
	}}
}

// bandCells returns the values that are PASS, WARN and FAIL.
func bandCells(m scoring.Metric) (cells []document.Text) {
	for _, status := range []scoring.Status{scoring.Pass, scoring.Warn, scoring.Fail} {
		cells = append(cells, document.T(format.OrDash(m.BandText(status))))
	}
	return cells
}
