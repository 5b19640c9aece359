package agents

import (
	"context"
	"encoding/json"

	"track"
	"track/answer"
	"track/store"
)

// KeepGrade empties a grade of an execution that does not hold.
func KeepGrade(ctx context.Context, r *store.Reader, lineage, scoredBy string, grade *string) error {
	return newGrades(r).keep(ctx, lineage, scoredBy, grade)
}

// grades says which grades hold: the bands of grades are of scores from 0 to 100. Scores that were given are on the
// scale of their lineage, which it asks about once.
type grades struct {
	reader    *store.Reader
	unbounded map[string]bool
}

// newGrades returns what grades hold in a database.
func newGrades(r *store.Reader) grades { return grades{r, map[string]bool{}} }

// keep empties a grade that does not hold.
func (g grades) keep(ctx context.Context, lineage, scoredBy string, grade *string) error {
	if *grade == "" || !answer.IsGiven(scoredBy) {
		return nil
	}
	unbounded, known := g.unbounded[lineage]
	if !known {
		var err error
		if unbounded, err = g.reader.IsUnbounded(ctx, lineage); err != nil {
			return err
		}
		g.unbounded[lineage] = unbounded
	}
	if unbounded {
		*grade = ""
	}
	return nil
}

// Receipt says what became of an execution, and how it was scored.
func (r Result) Receipt(e track.Execution) (a answer.ExecutionReceipt, err error) {
	a = answer.ExecutionReceipt{
		ID: r.ID, Lineage: e.Lineage, Version: e.Version, Status: e.Status, Disposition: r.Disposition, Rubric: r.Rubric, Score: r.Own,
		NCalls: len(e.Calls), NFailed: r.Score.NFailed, NUnknown: r.Score.NUnknown, NMasked: r.NMasked, Forgotten: r.Forgotten, Warnings: r.Score.Warnings,
	}
	if a.Score == nil && r.Score.Defined {
		a.Score = &r.Score.Value
	}
	if a.Score != nil {
		a.Grade = gradeOf(*a.Score)
	}
	if r.Score.Rubric != "" { // an execution that failed is not scored
		a.MeasuredShare = measuredShare(r.Score.Rubric, componentValues(r.Score))
	}
	a.Detail, err = json.Marshal(r.Score)
	return a, err
}
