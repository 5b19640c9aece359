package reports

import (
	"fmt"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/reports/document"
	"track/scoring/format"
)

// Stability returns the report of one configuration of a scenario.
func Stability(a answer.StabilityReport) document.Document {
	d := stabilityReport{StabilityReport: a}
	return document.Document{Title: "Stability of " + d.title(), Blocks: d.blocks()}
}

type stabilityReport struct {
	answer.StabilityReport
	isPreview bool // without what would be an interim analysis
}

func (d stabilityReport) blocks() []document.Block {
	return slices.Concat(d.summary(), d.gate(), d.metrics(), d.scores(), d.failing(), d.changes(), d.warnings(), d.provenance(), d.reproduce())
}

// title names the configuration by its label, and by the parameters that differ among the configurations of this label.
func (d stabilityReport) title() string {
	var words []string
	if label := d.Configuration.Label; label != "" {
		words = append(words, label)
	}
	if len(d.Differing) > 0 {
		var differing []string
		for _, p := range d.Differing {
			differing = append(differing, p.Name+"="+p.Value)
		}
		words = append(words, cut(strings.Join(differing, " "), 60))
	}
	if len(words) == 0 {
		return d.Selector()
	}
	return d.Selector() + " (" + strings.Join(words, ", ") + ")"
}

// summary returns the verdict with what it rests on.
func (d stabilityReport) summary() []document.Block {
	var sentences []string
	for _, reason := range d.Stability.Finding.Reasons {
		sentences = append(sentences, sentence(reason))
	}
	for _, need := range d.Stability.Finding.Needs {
		sentences = append(sentences, "Needed: "+need+".")
	}
	blocks := []document.Block{
		paragraphOf(verdictText(d.Stability.Finding.Verdict), cell(": %s.", answer.StableText(d.Stability.Stability, d.Stability.Finding.Verdict))),
		paragraphOf(d.subject()),
	}
	blocks = append(blocks, d.parameters()...)
	return slices.Concat(blocks, bullets(sentences), []document.Block{estimateTable(d.Stability.Estimates)})
}

// subject says what was judged, by what.
func (d stabilityReport) subject() document.Text {
	text := slices.Concat(configurationText(d.Side), cell(". %s (%s), judged under spec version %d with %s",
		format.Counted(len(d.Seeds), "seed"), seedsText(d.numbers()), d.Spec.Version, format.Counted(len(d.Spec.Declared.Metrics), "metric")))
	if d.Ranges != "" {
		text = append(text, cell(", selected by %s", d.Ranges)...)
	}
	return append(text, document.T(".")...)
}

// parameters returns those of the configuration, first the ones that differ among the configurations of its label.
func (d stabilityReport) parameters() []document.Block {
	const most = 200
	var differing, same []string
	for _, p := range d.Parameters() {
		if text := p.Name + "=" + p.Value; slices.Contains(d.Differing, p) {
			differing = append(differing, text)
		} else {
			same = append(same, text)
		}
	}
	common := codeCell(cut(strings.Join(same, " "), most))
	switch {
	case len(differing) > 0 && len(same) > 0:
		return []document.Block{paragraphOf(differingText(differing), cell(". The others: "), common, document.T("."))}
	case len(differing) > 0:
		return []document.Block{paragraphOf(differingText(differing), document.T("."))}
	case len(same) > 0:
		return []document.Block{paragraphOf(cell("Parameters: "), common, document.T("."))}
	}
	return nil
}

// differingText lists some of the parameters that differ among the configurations of a label.
func differingText(differing []string) document.Text {
	const most = 10
	text := cell("Parameters that differ among the configurations of this label: ")
	for i, parameter := range differing {
		if i == most {
			return append(text, cell(" and %d more", len(differing)-most)...)
		}
		if i > 0 {
			text = append(text, document.T(", ")...)
		}
		text = append(text, codeCell(cut(parameter, 200))...)
	}
	return text
}

// text names a configuration for people.
func configurationText(c answer.Side) document.Text {
	text := slices.Concat(cell("Configuration "), codeCell(c.Selector()))
	if c.Configuration.Label != "" {
		text = append(text, cell(", label %s", c.Configuration.Label)...)
	}
	if c.Configuration.Revision != (track.Revision{}) {
		text = append(text, cell(", revision %s", c.Configuration.Revision)...)
	}
	if len(c.Tags) > 0 {
		text = append(text, cell(", tags %s", c.TagText())...)
	}
	return text
}

func (d stabilityReport) numbers() []track.SeedNumber {
	numbers := make([]track.SeedNumber, len(d.Seeds))
	for i, s := range d.Seeds {
		numbers[i] = s.Number
	}
	return numbers
}

func (d stabilityReport) warnings() []document.Block { return warningBlocks(d.warningTexts()) }

// warningTexts returns the warnings about the numbers.
func (d stabilityReport) warningTexts() (list []string) {
	for _, s := range d.Gate.Scenarios {
		for _, w := range slices.Concat(s.Warnings, s.ComparisonWarnings) {
			list = append(list, sentence(w.Message))
		}
	}
	for _, w := range d.Stability.Warnings {
		list = append(list, sentence(w.Message))
	}
	for _, drift := range d.Drifts {
		list = append(list, sentence(fmt.Sprintf("%s (%s)", drift.Text(""), strings.Join(drift.Metrics, ", "))))
	}
	if n := len(d.Runs.Environments); n > 1 {
		list = append(list, fmt.Sprintf("The seeds ran in %d different environments; see Provenance.", n))
	}
	return list
}

// warningBlocks say each warning once.
func warningBlocks(list []string) []document.Block {
	var different []string
	for _, w := range list {
		if !slices.Contains(different, w) {
			different = append(different, w)
		}
	}
	if len(different) == 0 {
		return []document.Block{heading("Warnings"), paragraphOf(cell("None."))}
	}
	return []document.Block{heading("Warnings"), document.Note{Kind: document.NoteWarning, Blocks: bullets(different)}}
}
