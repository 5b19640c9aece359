package reports

import (
	"strings"

	"track/internal/textdiff"
	"track/reports/document"
)

// mostDiffs steps are shown with their differences, the newest; and of a difference so many lines.
const (
	mostDiffs     = 30
	mostDiffLines = 400
)

// steps shows what each step of the path changed.
func (l *lineageReport) steps() []document.Block {
	path, _ := l.bestPath()
	blocks := []document.Block{document.Heading{Level: 2, Text: "What each step changed"}}
	if len(path) < 2 {
		return append(blocks, paragraph(plain("%s", l.noStep())))
	}
	steps := path[1:]
	if left := len(steps) - mostDiffs; left > 0 {
		steps = steps[left:]
		blocks = append(blocks, paragraph(plain("The last %d steps; %d earlier ones are left out: ", mostDiffs, left), word("track version diff "+shellWord(l.Name+"@VERSION"))))
	}
	for _, s := range steps {
		blocks = append(blocks, l.diff(s))
	}
	return blocks
}

// noStep says why no step is shown.
func (l *lineageReport) noStep() string {
	if len(l.replayed.Mutations) == 0 {
		return "There are no mutations yet."
	}
	return "No mutation led to the version at the end of the path. The lineage has " + l.statesSentence() + "."
}

func (l *lineageReport) diff(s step) document.Block {
	parent := firstParent(*s.mutation)
	from, to := l.versions[parent].Content, l.versions[s.version].Content
	summary := document.Text{word(parent), plain(" → "), word(s.version), plain(" by "), word(s.mutation.Operator)}
	if from == nil || to == nil {
		return document.Details{Summary: append(summary, plain(": the content is not recorded")), Blocks: []document.Block{paragraph(plain("The content of one or both versions is not recorded."))}}
	}
	text, added, removed := textdiff.Unified(parent, *from, s.version, *to)
	summary = append(summary, plain(": +%d −%d", added, removed))
	if s.mutation.Delta != nil {
		summary = append(summary, plain(", delta %s", l.change(*s.mutation.Delta)))
	}
	lines := strings.SplitAfter(text, "\n")
	blocks := []document.Block{document.Code{Language: "diff", Text: strings.Join(lines[:min(len(lines), mostDiffLines)], "")}}
	if left := len(lines) - mostDiffLines; left > 0 {
		blocks = append(blocks, paragraph(plain("%d more lines: ", left), word("track version diff "+shellWord(l.Name+"@"+s.version))))
	}
	if s.mutation.Note != "" {
		blocks = append([]document.Block{paragraph(plain("Note: %s", s.mutation.Note))}, blocks...)
	}
	return document.Details{Summary: summary, Blocks: blocks}
}
