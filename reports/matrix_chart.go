package reports

import (
	"strings"

	"track/answer"
	"track/reports/chart"
)

// matrixCells are the cells of a matrix as charts have them.
var matrixCells = map[byte]chart.Status{
	answer.CellPass: chart.Pass, answer.CellWarn: chart.Warn, answer.CellFail: chart.Fail, answer.CellFailed: chart.Broken,
	answer.CellUnjudged: chart.Unscored, answer.CellNotThere: chart.Absent,
}

// MatrixChart draws the status of many seeds. Seeds without a result are hatched if rows are metrics: they have none in
// any row.
func MatrixChart(m answer.Matrix) chart.HeatMap {
	subject := m.Scenario
	if m.By == answer.ByScenario {
		subject = "label " + m.Label
	}
	h := chart.HeatMap{Title: subject + ": " + m.By + " by seed", XLabel: "seed", One: strings.TrimSuffix(m.By, "s"), Many: m.By}
	for i, seed := range m.Seeds {
		failed := m.By == answer.ByMetric && len(m.Items) > 0 && m.Items[0].Cells[i] == answer.CellFailed
		h.Seeds = append(h.Seeds, chart.HeatColumn{Label: seed.String(), Failed: failed})
	}
	for _, item := range m.Items {
		row := chart.HeatRow{Name: item.Name, Cells: make([]chart.Status, len(item.Cells))}
		for i := range len(item.Cells) {
			row.Cells[i] = matrixCells[item.Cells[i]]
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}
