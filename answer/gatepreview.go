package answer

import (
	"slices"

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
}

// Lead implements [Answer].
func (a GatePreview) Lead() (lead []Sentence) {
	for _, s := range a.Scenarios {
		text := s.text()
		if s.Problem != "" {
			text += "; nothing to judge: " + s.Problem
		}
		lead = append(lead, Sentence{Kind: Heading, Text: text})
	}
	lead = append(lead, Sentence{Kind: Note, Text: "This is a preview: nothing is judged."})
	for _, side := range a.Newest {
		lead = append(lead, side.Newest.note(side)...)
	}
	return lead
}

// text says what would be judged, by which rules.
func (s PreviewedScenario) text() string {
	return judgedText(s.Name, s.Scenario, s.Configuration, s.Label, s.Revision) +
		judgedBy(format.Counted(s.Estimates.NSeeds, "seed"), s.Rules)
}

// judgedBy says how many seeds are judged, by which rules.
func judgedBy(seeds string, rules scoring.GateRules) string {
	return ", " + seeds + "; rules: " + rules.String()
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

// Tables implements [Answer].
func (a GatePreview) Tables() []Table {
	t := Table{Name: "estimates", Main: true}
	for _, s := range a.Scenarios {
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
	return []Table{t}
}
