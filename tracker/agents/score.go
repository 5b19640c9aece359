package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"track"
	"track/scoring/rubric"
	"track/store"
)

// addScores scores an execution that ended well, under every rubric: texts that are not kept cannot be scored later.
func (p *Prepared) addScores(o Options) error {
	if p.Status != track.ExecutionOK {
		return nil
	}
	scored := RubricInput(p.Execution, o.Format)
	for _, name := range rubric.Names() {
		r, err := rubric.ByName(name)
		if err != nil {
			return err
		}
		score := r.Score(scored, withCheckers(o.Scoring))
		if name == rubric.V2 {
			p.Score = score
			if score.Defined {
				p.Rubric = name
			}
		}
		record, err := scoreRecord(score)
		if err != nil {
			return err
		}
		record.ScoredAt = p.RecordedAt
		p.Scores = append(p.Scores, record)
	}
	if own := p.Execution.Score; own != nil {
		p.Rubric = p.ScoredBy()
		p.Scores = append(p.Scores, track.RecordedScore{
			Rubric: p.Rubric, Score: own, Grade: gradeOf(*own), NFailed: p.Score.NFailed, NUnknown: p.Score.NUnknown, Detail: []byte("{}"), ScoredAt: p.RecordedAt,
		})
	}
	return nil
}

// gradeOf returns the grade of the caller's own score; none of one on another scale than 0 to 100.
func gradeOf(own float64) string {
	if !(own >= 0 && own <= 100) {
		return ""
	}
	return string(rubric.GradeOf(own))
}

func scoreRecord(s rubric.Score) (track.RecordedScore, error) {
	document, err := json.Marshal(s)
	if err != nil {
		return track.RecordedScore{}, fmt.Errorf("score of %s: %w", s.Rubric, err)
	}
	record := track.RecordedScore{Rubric: s.Rubric, Grade: string(s.Grade), NFailed: s.NFailed, NUnknown: s.NUnknown, Detail: document}
	if s.Defined {
		record.Score = &s.Value
	}
	record.Components = componentValues(s)
	return record, nil
}

func componentValues(s rubric.Score) (list []track.ComponentValue) {
	for _, c := range s.Components {
		list = append(list, track.ComponentValue{Name: c.Name, Value: c.Value})
	}
	return list
}

// RubricInput is what a rubric sees of an execution.
func RubricInput(e track.Execution, format *rubric.FormatSpec) rubric.Execution {
	corrections, truncated := e.Corrections, e.Truncated
	in := rubric.Execution{
		TaskType: e.TaskType, Complexity: rubric.Complexity(e.Complexity), Output: e.Output, Truncated: &truncated, Duration: e.Duration,
		Corrections: &corrections, Format: format,
	}
	for _, c := range e.Calls {
		in.Calls = append(in.Calls, rubricCall(c, e.Source))
	}
	for _, f := range e.Files {
		in.Files = append(in.Files, rubric.File{Name: f.Name, Content: f.Content})
	}
	return in
}

// reportsErrors says that a source marks each failed call, so that a call without a mark has not failed.
func reportsErrors(source string) bool {
	switch source {
	case "claude-code", "claude-hooks", "inspect":
		return true
	}
	return false
}

// reportsExits says that a source writes the exit status of each call that ended, so that a call without one has an
// unknown outcome.
func reportsExits(source string) bool { return source == "codex" }

func rubricCall(c track.ToolCall, source string) rubric.Call {
	digest := sha256.Sum256([]byte(c.Input))
	call := rubric.Call{
		Tool: c.Tool, Exit: c.Exit, Error: c.Error, Answered: c.Answered, Output: c.Output, Command: c.Command, InputDigest: hex.EncodeToString(digest[:]),
	}
	if c.Input == "" {
		call.InputDigest = ""
	}
	if c.Rejected && call.Error == "" {
		call.Error = "rejected by the user"
	}
	call.StatusMissing = reportsExits(source) && c.Exit == nil
	if reportsErrors(source) && c.Answered {
		failed := c.Error != "" || c.Rejected
		call.IsError = &failed
	}
	if !c.Answered { // a result that is not there is no result, whatever else is known
		call.Output = nil
	}
	return call
}

// withCheckers adds the parsers that package rubric cannot have: SQLite, which is the database's own.
func withCheckers(o rubric.Options) rubric.Options {
	if o.Checkers != nil {
		return o
	}
	o.Checkers = map[string]rubric.Checker{"sqlite": {Name: "EXPLAIN of SQLite", Check: func(code string) error {
		err := store.CheckSQL(context.Background(), code)
		if errors.Is(err, store.ErrUnknownSchema) {
			return fmt.Errorf("%w: %w", rubric.ErrUnchecked, err)
		}
		return err
	}}}
	return o
}
