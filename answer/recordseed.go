package answer

import (
	"fmt"
	"strings"

	"track"
	"track/scoring"
	"track/scoring/format"
)

// SeedReceipt says what became of a seed that was recorded, and how it was judged.
type SeedReceipt struct {
	Scenario      string                      `json:"scenario"`
	Seed          track.SeedNumber            `json:"seed"`
	Disposition   track.Disposition           `json:"disposition"`
	Outcome       track.Outcome               `json:"outcome"`
	Configuration track.RecordedConfiguration `json:"configuration"`
	SpecVersion   *int                        `json:"spec_version"` // nil if the seed was not judged
	Status        scoring.Status              `json:"status,omitempty"`
	TotalScore    *float64                    `json:"total_score"`
	NPass         int                         `json:"n_pass"`
	NWarn         int                         `json:"n_warn"`
	NFail         int                         `json:"n_fail"`
	Failed        []string                    `json:"failed"`  // metrics
	Reasons       []string                    `json:"reasons"` // why, for each of Failed; empty for a value that misses its target
	Unknown       []string                    `json:"unknown"` // values that the spec does not know: they are stored
	Artifacts     []SeedArtifact              `json:"artifacts,omitempty"`
	Suspicions    `json:",embed"`
}

func (a SeedReceipt) Lead() []Sentence {
	list := []Sentence{{Kind: Heading, Text: a.heading()}}
	add := func(text string) { list = append(list, Sentence{Kind: Note, Joined: true, Text: text}) }
	if len(a.Failed) > 0 {
		failed := make([]string, len(a.Failed))
		for i, name := range a.Failed {
			if failed[i] = name; i < len(a.Reasons) && a.Reasons[i] != "" {
				failed[i] += " " + a.Reasons[i]
			}
		}
		add("failed: " + strings.Join(failed, ", "))
	}
	if len(a.Unknown) > 0 && a.SpecVersion != nil {
		add("not in the spec, stored but not scored: " + strings.Join(a.Unknown, ", "))
	}
	if len(a.Artifacts) > 0 && a.Disposition != track.Duplicate {
		add("files: " + artifactsText(a.Artifacts))
	}
	return append(list, a.Suspicions.Warnings()...)
}

func (a SeedReceipt) heading() string {
	text := fmt.Sprintf("%s seed %s of %s", a.Disposition, a.Seed, a.Scenario)
	switch {
	case a.Disposition == track.Duplicate:
		return fmt.Sprintf("seed %s of %s is already recorded", a.Seed, a.Scenario)
	case a.Outcome != track.OutcomeOK:
		return text + fmt.Sprintf(" as failed (%s)", a.Outcome)
	case a.SpecVersion == nil:
		return text + "; it is scored when the scenario gets a spec"
	}
	score := "-"
	if a.TotalScore != nil {
		score = format.Four(*a.TotalScore)
	}
	return text + fmt.Sprintf(": %s, score %s, %d PASS %d WARN %d FAIL under spec version %d", a.Status, score, a.NPass, a.NWarn, a.NFail, *a.SpecVersion)
}

func (a SeedReceipt) Tables() []Table {
	return []Table{{
		Name: "seed", ForPrograms: true, Columns: columns("scenario", "seed", "disposition", "status", "total_score", "n_pass", "n_warn", "n_fail"),
		Rows: [][]any{{a.Scenario, a.Seed, string(a.Disposition), string(a.Status), a.TotalScore, a.NPass, a.NWarn, a.NFail}},
	}}
}
