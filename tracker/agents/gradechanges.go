package agents

import (
	"context"

	"track/answer"
	"track/store"
)

// CompareRubrics lists the executions of a lineage whose grade under a rubric differs from the one of their active
// score.
func CompareRubrics(ctx context.Context, r *store.Reader, q answer.GradeChangesQuestion) (a answer.GradeChanges, err error) {
	a = answer.GradeChanges{Lineage: q.Lineage, Rubric: q.Rubric, List: answer.List[answer.GradeChange]{Items: []answer.GradeChange{}}}
	versions, err := r.Versions(ctx, q.Lineage)
	if err != nil {
		return a, err
	}
	for _, v := range versions {
		active, err := versionTrials(ctx, r, q.Lineage, v.Version, "")
		if err != nil {
			return a, err
		}
		other, err := versionTrials(ctx, r, q.Lineage, v.Version, q.Rubric)
		if err != nil {
			return a, err
		}
		for i := len(active) - 1; i >= 0; i-- { // both are in the same order
			from, to := active[i], other[i]
			if from.Score == nil && to.Score == nil {
				continue
			}
			a.NExecutions++
			if from.Grade != to.Grade {
				a.Items = append(a.Items, answer.GradeChange{
					ID: from.ID, Version: v.Version, Task: from.Task, From: from.Score, FromGrade: from.Grade, To: to.Score, ToGrade: to.Grade,
				})
			}
		}
	}
	return a, nil
}
