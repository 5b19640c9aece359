package reports

import (
	"fmt"
	"strings"

	"track"
	"track/answer"
	"track/reports/document"
	"track/scoring/format"
	"track/scoring/verdict"
)

// reproduce has the commands that give the same numbers.
func (d stabilityReport) reproduce() []document.Block {
	selector, spec := shellWord(d.Selector()), fmt.Sprintf(" --spec %d", d.Spec.Version)
	rest := spec + seedsFlag(d.Ranges)
	lines := []string{
		"track stability " + selector + rest,
		"track gate " + selector + seedsFlag(d.Ranges) + " # under the newest spec",
		"track report stability " + selector + rest + " -o report.md",
		"track report stability " + selector + rest + " --check report.md",
	}
	if len(d.Stability.FailingSeeds) > 0 {
		lines = append(lines, fmt.Sprintf("track show seed %s %s%s # and so on for each failing seed", selector, d.Stability.FailingSeeds[0].Number, spec))
	}
	return reproduceBlocks(d.Side, append(lines, sweepLines(d.Runs)...))
}

// sweepLines show how the seeds were run.
func sweepLines(r track.Runs) (lines []string) {
	for _, s := range r.Sweeps {
		lines = append(lines, "track sweep show "+track.ShortID(s.ID)+" # ran "+format.Counted(s.NSeeds, "seed"))
	}
	return lines
}

func (d improvementReport) reproduce() []document.Block {
	return reproduceBlocks(d.Candidate, []string{
		d.command("track improvement"), d.command("track report improvement") + " -o report.md", d.command("track report improvement") + " --check report.md",
	})
}

func reproduceBlocks(c answer.Side, lines []string) []document.Block {
	return []document.Block{
		heading("How to reproduce"),
		paragraphOf(cell("The commands name configurations by hash and the spec by version, so their answer changes only if seeds are added.")),
		document.Code{Language: "sh", Text: strings.Join(lines, "\n") + "\n"},
		paragraphOf(runAgainText(c)),
	}
}

// runAgainText says what it takes to run a seed again.
func runAgainText(c answer.Side) document.Text {
	text := cell("To run a seed again: ")
	switch {
	case c.Configuration.Revision.Unknown != "":
		text = append(text, cell("the state of the code was unknown")...)
	case c.Configuration.Revision.Commit == "":
		text = append(text, cell("the revision of the code is not recorded")...)
	case c.Configuration.Revision.Dirty:
		text = append(text, append(cell("the code of commit "), append(codeCell(c.Configuration.Revision.Commit), cell(" with uncommitted changes")...)...)...)
	default:
		text = append(text, append(cell("the code of commit "), codeCell(c.Configuration.Revision.Commit)...)...)
	}
	if c.Configuration.Params == "" {
		return append(text, cell("; no parameters are recorded.")...)
	}
	return append(append(text, cell(" with the parameters ")...), append(codeCell(answer.ShortParams(c.Configuration.Params)), document.T(".")...)...)
}

func judgedNumbers(seeds []verdict.JudgedSeed) []track.SeedNumber {
	numbers := make([]track.SeedNumber, len(seeds))
	for i, s := range seeds {
		numbers[i] = track.SeedNumber(s.Number)
	}
	return numbers
}
