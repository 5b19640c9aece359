package reports

import (
	"fmt"

	"track"
	"track/reports/document"
	"track/scoring/format"
)

// failing lists the seeds that did not pass, with the metrics that they failed. Those that failed alike without any
// stand in one line.
func (d stabilityReport) failing() []document.Block {
	const shown, most = 20, 300 // rows
	title := heading(fmt.Sprintf("Failing seeds (%d of %d)", len(d.Stability.FailingSeeds), len(d.Seeds)))
	if len(d.Stability.FailingSeeds) == 0 {
		return []document.Block{title, paragraphOf(cell("None: every seed passed."))}
	}
	t := columns("seed", "outcome", "why", "failed metrics, with their values")
	rest, left := "the worst first", 0
	for _, alike := range failedAlike(d.Stability.FailingSeeds) {
		if len(t.Rows) == most {
			left += len(alike)
			continue
		}
		f := alike[0]
		numbers := make([]track.SeedNumber, len(alike))
		for i, seed := range alike {
			numbers[i] = seed.Number
		}
		t.Rows = append(t.Rows, []document.Text{
			document.T(seedsText(numbers)), document.T(string(f.Outcome)), document.T(cut(f.Reason, 200)), d.failedMetrics(f),
		})
	}
	if left > 0 {
		rest += fmt.Sprintf("; %s left out: track stability lists them as JSON", format.Counted(left, "seed"))
	}
	return append(append([]document.Block{title}, folded(t, shown, rest)...), d.failingFiles()...)
}

// failingFiles lists the files that were kept of the failing seeds.
func (d stabilityReport) failingFiles() []document.Block {
	const shown, most = 10, 300 // rows
	if len(d.Artifacts) == 0 {
		return nil
	}
	t := columns("seed", "file", "bytes")
	for _, f := range d.Artifacts[:min(most, len(d.Artifacts))] {
		size := cell("%d", f.Bytes)
		if f.LeftOut != "" {
			size = cell("left out: %s", f.LeftOut)
		}
		t.Rows = append(t.Rows, []document.Text{document.T(f.Seed.String()), codeCell(f.Name), size})
	}
	rest := "by seed"
	if n := len(d.Artifacts) - most; n > 0 {
		rest += fmt.Sprintf("; %s left out: track artifact list has all", format.Counted(n, "file"))
	}
	return append([]document.Block{paragraphOf(cell("Files that were kept of these seeds; track artifact get writes them:"))}, folded(t, shown, rest)...)
}

// failedAlike puts the seeds together that failed for the same reason and have no metrics to tell, in the order of
// the first of each.
func failedAlike(seeds []track.FailingSeed) (list [][]track.FailingSeed) {
	places := map[string]int{}
	for _, f := range seeds {
		why := string(f.Outcome) + "\x00" + f.Reason
		at, known := places[why]
		if !known || len(f.Metrics) > 0 {
			list, at = append(list, nil), len(list)
		}
		if len(f.Metrics) == 0 {
			places[why] = at
		}
		list[at] = append(list[at], f)
	}
	return list
}

// failedMetrics names some of the metrics that a seed failed, and counts the others.
func (d stabilityReport) failedMetrics(f track.FailingSeed) (text document.Text) {
	const most = 10
	if len(f.Metrics) == 0 {
		return faint("-")
	}
	for i, failed := range f.Metrics {
		if i == most {
			return append(text, cell(" and %d more", len(f.Metrics)-most)...)
		}
		value := "missing"
		if !failed.Missing {
			value = format.Value(failed.Value, d.Spec.Metric(failed.Name).Format)
		}
		if i > 0 {
			text = append(text, document.T(", ")...)
		}
		text = append(append(text, codeCell(failed.Name)...), document.T(" "+value)...)
	}
	return text
}
