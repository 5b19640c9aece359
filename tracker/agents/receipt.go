package agents

import (
	"encoding/json"

	"track"
	"track/answer"
	"track/scoring/rubric"
)

// Receipt says what became of an execution, and how it was scored.
func (r Result) Receipt(e track.Execution) (a answer.ExecutionReceipt, err error) {
	a = answer.ExecutionReceipt{
		ID: r.ID, Lineage: e.Lineage, Version: e.Version, Status: e.Status, Disposition: r.Disposition, Rubric: r.Rubric, Score: r.Own,
		NCalls: len(e.Calls), NFailed: r.Score.NFailed, NMasked: r.NMasked, Forgotten: r.Forgotten, Warnings: r.Score.Warnings,
	}
	if a.Score == nil && r.Score.Defined {
		a.Score = &r.Score.Value
	}
	if a.Score != nil {
		a.Grade = string(rubric.GradeOf(*a.Score))
	}
	if r.Score.Rubric != "" { // an execution that failed is not scored
		a.MeasuredShare = measuredShare(r.Score.Rubric, componentValues(r.Score))
	}
	a.Detail, err = json.Marshal(r.Score)
	return a, err
}
