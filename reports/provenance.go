package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/reports/document"
	"track/scoring/format"
)

// provenance returns where the numbers come from.
func (d stabilityReport) provenance() []document.Block {
	return append([]document.Block{heading("Provenance")}, provenanceBlocks(d.Side, d.Spec.ScenarioSpec, d.numbers(), d.SHA256, d.Runs)...)
}

// provenance returns the one of both sides.
func (d improvementReport) provenance() []document.Block {
	blocks := []document.Block{heading("Provenance"), subheading("Candidate")}
	blocks = append(blocks, provenanceBlocks(d.Candidate, d.Spec, judgedNumbers(d.CandidateSeeds), d.CandidateSHA256, d.CandidateRuns)...)
	blocks = append(blocks, subheading("Baseline"))
	return append(blocks, provenanceBlocks(d.Baseline, d.Spec, judgedNumbers(d.BaselineSeeds), d.BaselineSHA256, d.BaselineRuns)...)
}

// provenanceBlocks say what was run, where and when, and what it was judged by.
func provenanceBlocks(c answer.Side, spec answer.ScenarioSpec, numbers []track.SeedNumber, hash string, runs track.Runs) []document.Block {
	t := columns("", "")
	add := func(name string, text document.Text) {
		t.Rows = append(t.Rows, []document.Text{document.T(name), text})
	}
	add("configuration", codeCell(c.Configuration.Hash))
	add("label", orNone(c.Configuration.Label))
	add("commit", orNone(c.Configuration.Revision.Commit))
	if c.Configuration.Revision.Commit != "" || c.Configuration.Revision.Unknown != "" {
		add("uncommitted changes", document.T(changesText(c)))
	}
	add("parameters", orNone(strings.TrimPrefix(answer.ShortParams(c.Configuration.Params), "{}")))
	if len(c.Tags) > 0 {
		add("tags", document.T(c.TagText()))
	}
	for _, n := range c.Notes {
		add("note", cell("%s (%s)", n.Text, n.Signature()))
	}
	add("spec", slices.Concat(cell("%s version %d, ", spec.Scenario, spec.Version), codeCell(spec.Hash)))
	add("seeds", cell("%d: %s", len(numbers), seedsText(numbers)))
	add("SHA-256 of the seeds", slices.Concat(codeCell(hash), cell(" (numbers, outcomes, values and series)")))
	add("started", document.T(startText(runs, len(numbers))))
	add("took", document.T(durationText(runs, len(numbers))))
	for _, use := range runs.Sweeps {
		add(format.Counted(use.NSeeds, "seed")+" run by", slices.Concat(cell("sweep "), codeCell(track.ShortID(use.ID)), cell(": "), codeCell(commandText(use.Command))))
	}
	for i, use := range runs.Environments {
		const most = 5
		if i == most {
			add("environments", cell("and %d more", len(runs.Environments)-most))
			break
		}
		add("environment of "+format.Counted(use.NSeeds, "seed"), orNone(environmentText(use.Environment)))
	}
	return []document.Block{t}
}

func orNone(s string) document.Text {
	if s == "" {
		return faint("not recorded")
	}
	return codeCell(s)
}

func startText(r track.Runs, n int) string {
	if r.NStarted == 0 {
		return "not recorded"
	}
	text := r.First.UTC().Format(time.RFC3339)
	if !r.Last.Equal(r.First) {
		text += " to " + r.Last.UTC().Format(time.RFC3339)
	}
	if r.NStarted < n {
		text += " (known for " + format.CountedOf(r.NStarted, n, "seed") + ")"
	}
	return text
}

func durationText(r track.Runs, n int) string {
	if r.NTimed == 0 {
		return "not recorded"
	}
	mean := r.Duration / time.Duration(r.NTimed)
	text := fmt.Sprintf("%v in total, %v per seed", r.Duration.Round(time.Millisecond), mean.Round(time.Millisecond))
	if r.NTimed < n {
		text += " (known for " + format.CountedOf(r.NTimed, n, "seed") + ")"
	}
	return text
}

func environmentText(e track.Environment) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(e)) {
		words = append(words, name+" "+e[name])
	}
	return strings.Join(words, ", ")
}
