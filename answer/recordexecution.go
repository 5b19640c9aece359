package answer

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/scoring/format"
	"track/scoring/rubric"
)

// ExecutionReceipt says what became of an execution that was recorded or scored, and its score.
type ExecutionReceipt struct {
	ID            string                `json:"id"` // empty if it was only scored
	Lineage       string                `json:"lineage"`
	Version       string                `json:"version"`
	Status        track.ExecutionStatus `json:"status"`
	Disposition   track.Disposition     `json:"disposition"`
	Rubric        string                `json:"rubric"` // of the active score; empty if there is none
	Score         *float64              `json:"score"`
	Grade         string                `json:"grade"`
	NCalls        int                   `json:"n_calls"`
	NFailed       int                   `json:"n_failed"`
	NUnknown      int                   `json:"n_unknown"`          // calls of unknown outcome
	NMasked       int                   `json:"n_masked"`           // secrets
	Forgotten     bool                  `json:"forgotten,omitzero"` // its texts are not stored, because they were forgotten earlier
	MeasuredShare float64               `json:"measured_share"`     // of the rubric's weight
	Warnings      []rubric.Warning      `json:"warnings"`
	Suspicions    `json:",embed"`
	Detail        jsontext.Value `json:"detail"` // the score under the default rubric: its components, with reasons and counts
}

func (a ExecutionReceipt) Lead() []Sentence {
	text := fmt.Sprintf("%s execution of %s", a.Disposition, lineageVersion(a.Lineage, a.Version))
	if a.ID != "" {
		text += ", id " + a.ID
	}
	score := a.scoreText() + "; " + callsText(a.NCalls, a.NFailed, a.NUnknown)
	if a.NMasked > 0 {
		score += fmt.Sprintf("; %s masked", format.Counted(a.NMasked, "secret"))
	}
	if a.Forgotten {
		score += "; its texts were forgotten earlier and are not stored"
	}
	return append([]Sentence{{Kind: Heading, Text: text}, {Kind: Note, Joined: true, Text: score}}, a.Suspicions.Warnings()...)
}

// IsGiven reports whether a score was given, by the caller or a judge, and not computed by a rubric.
func IsGiven(rubricName string) bool {
	return rubricName == track.RubricOwn || strings.HasPrefix(rubricName, "judge:")
}

// gradedScore returns a score with its grade, if it has one.
func gradedScore(score float64, grade string) string {
	text := "score " + scoreText(score)
	if grade != "" {
		text += ", grade " + grade
	}
	return text
}

func (a ExecutionReceipt) scoreText() string {
	switch {
	case a.Status != track.ExecutionOK:
		return fmt.Sprintf("status %s: no score", a.Status)
	case a.Score == nil:
		return "no score: too little could be measured"
	case a.Rubric == track.RubricOwn:
		return gradedScore(*a.Score, a.Grade) + ": your own, instead of the rubric's"
	case IsGiven(a.Rubric):
		return fmt.Sprintf("%s: by %s, instead of the rubric's", gradedScore(*a.Score, a.Grade), a.Rubric)
	}
	text := fmt.Sprintf("score %s, grade %s (%s) by %s", scoreText(*a.Score), a.Grade, rubric.Grade(a.Grade).Action(), a.Rubric)
	if a.MeasuredShare < 0.995 {
		text += fmt.Sprintf(", of which %s could be measured", format.Percent(a.MeasuredShare))
	}
	return text
}

func (a ExecutionReceipt) Tables() []Table {
	var score rubric.Score
	_ = json.Unmarshal(a.Detail, &score) // an answer that says nothing has no components
	t := componentTable(score.Components)
	t.HiddenIfEmpty = true
	if IsGiven(a.Rubric) { // people asked for no other score
		t.ForPrograms = true
		return []Table{t}
	}
	for _, w := range a.Warnings {
		t.Notes = append(t.Notes, Sentence{Kind: Warning, Text: "note: " + w.Message()})
	}
	return []Table{t}
}
