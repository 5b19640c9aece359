package answer

import (
	"slices"
	"strings"

	"track"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/verdict"
)

// GatePreview is what a gate would judge by which rules, without a verdict. So it is no interim analysis.
type GatePreview struct {
	Scenarios []PreviewedScenario `json:"scenarios"`
	Newest    []Side              `json:"newest_of,omitempty"` // configurations that were chosen as the newest of several revisions
}

// PreviewedScenario is what a gate would judge of one scenario. Problem says why there is nothing to judge: no_seeds,
// no_spec, not_assessed; empty if there is something.
type PreviewedScenario struct {
	Name          string            `json:"name"` // as it was asked for
	Scenario      string            `json:"scenario"`
	Configuration string            `json:"configuration"`
	Label         string            `json:"label"`
	Revision      string            `json:"revision"`
	Rules         scoring.GateRules `json:"rules"`
	Problem       string            `json:"problem,omitzero"`
	Estimates     verdict.Estimates `json:"estimates"`

	Measured []verdict.Measured `json:"measured"` // of each rule, next to its limit
}

func (a GatePreview) Lead() (lead []Sentence) {
	for _, s := range a.Scenarios {
		text := s.text()
		if s.Problem != "" {
			text += "; nothing to judge: " + s.Problem
		}
		lead = append(lead, Sentence{Kind: Heading, Text: text})
	}
	lead = append(lead, Sentence{Kind: Note, Text: "This is a preview: nothing is judged. A rule is met here if the seeds themselves keep its limit. The gate also asks how sure that is."})
	for _, side := range a.Newest {
		lead = append(lead, side.Newest.note(side)...)
	}
	return lead
}

// text says what would be judged.
func (s PreviewedScenario) text() string {
	return judgedText(s.Name, s.Scenario, s.Configuration, s.Label, s.Revision) + ", " + format.Counted(s.Estimates.NSeeds, "seed")
}

// judgedText names a configuration that a gate judges.
func judgedText(name, scenario, configuration, label, revision string) string {
	text := name
	if configuration != "" && name == scenario {
		text += "@" + track.ShortHash(configuration)
	}
	if label != "" {
		text += ", label " + label
	}
	if revision != "" && revision != "-" {
		text += ", revision " + revision
	}
	return text
}

func (a GatePreview) Tables() []Table {
	rules := measuredTable()
	t := Table{Name: "estimates", Title: "Estimates", Main: true}
	for _, s := range a.Scenarios {
		for _, m := range s.Measured {
			rules.Rows = append(rules.Rows, measuredRow(s.Name, m))
		}
		rules.Notes = append(rules.Notes, Sentence{Kind: Note, Text: s.Name + ": " + strings.Join(s.Rules.Settings(), ", ")})
		estimates := estimatesTable(s.Estimates)
		t.Columns = slices.Concat(Columns{{Name: "scenario"}}, estimates.Columns)
		for _, row := range estimates.Rows {
			t.Rows = append(t.Rows, slices.Concat([]any{s.Name}, row))
		}
	}
	for i := range t.Columns {
		if t.Columns[i].Name == "interval" { // scenarios may differ in their confidence
			t.Columns[i].Head = ""
		}
	}
	return []Table{rules, t}
}
