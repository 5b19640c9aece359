package reports

import (
	"slices"

	"track/answer"
	"track/reports/document"
	"track/scoring/format"
)

// Previews show what a report rests on, and leave out the verdicts of gates and of comparisons: each of them would be
// an interim analysis. The verdict on stability stays, which every answer about a configuration has.

// preview returns a document that says first that it is a preview, and which command records the report.
func preview(title, command string, blocks ...[]document.Block) document.Document {
	about := paragraphOf(cell("This is a preview: it records no interim analysis (look), and leaves out the verdicts of gates and of comparisons. The report has them, and is recorded: "), codeCell(command), document.T("."))
	return document.Document{Title: title, Blocks: append([]document.Block{document.Note{Kind: document.NoteInfo, Blocks: []document.Block{about}}}, slices.Concat(blocks...)...)}
}

// StabilityPreview returns the report of one configuration without what would be an interim analysis.
func StabilityPreview(a answer.StabilityReport) document.Document {
	d := stabilityReport{StabilityReport: a, isPreview: true}
	return preview("Stability of "+d.title(), stabilityCommand(a), d.blocks())
}

// ImprovementPreview returns the report of a comparison without what would be an interim analysis.
func ImprovementPreview(a answer.ImprovementReport) document.Document {
	d := improvementReport{a}
	return preview("Improvement of "+d.title(), improvementCommand(a), d.measured(), d.unmatched(), d.differences(), d.warnings(), d.provenance(), d.reproduce())
}

// ScenarioPreview returns the report of a scenario without what would be an interim analysis.
func ScenarioPreview(a answer.ScenarioReport) document.Document {
	d := newScenarioReport(a)
	d.stabilityReport.isPreview = true
	return preview(d.title(), scenarioCommand(a), d.blocks())
}

// IndexPreview returns the index of all reports without what would be interim analyses.
func IndexPreview(d IndexData) document.Document {
	d.isPreview = true
	return preview("All reports", "track report index", d.blocks())
}

// measured returns what both sides are and how they differ, without a verdict on it.
func (d improvementReport) measured() []document.Block {
	blocks := []document.Block{d.sides()}
	if d.Improvement.NPairs > 0 {
		blocks = append(blocks, paragraphOf(cell("%s", sentence(d.meanDifference()))))
	}
	return slices.Concat(blocks, d.forest(), d.paired())
}

// withoutColumns returns a table without some of its columns.
func withoutColumns(t document.Table, titles ...string) document.Table {
	kept := document.Table{Rows: make([][]document.Text, len(t.Rows))}
	for k, c := range t.Columns {
		if slices.Contains(titles, c.Title) {
			continue
		}
		kept.Columns = append(kept.Columns, c)
		for i, row := range t.Rows {
			kept.Rows[i] = append(kept.Rows[i], row[k])
		}
	}
	return kept
}

// previewedGate returns by which rules a gate would judge.
func (d stabilityReport) previewedGate() []document.Block {
	blocks := []document.Block{heading("Gate")}
	for _, s := range d.Gate.Scenarios {
		blocks = append(blocks, paragraphOf(cell("Rules: %s. They would judge %s.", s.Rules.String(), format.Counted(len(d.Seeds), "seed"))))
	}
	return blocks
}
