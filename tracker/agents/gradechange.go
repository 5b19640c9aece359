package agents

import (
	"context"

	"track/store"
)

// GradeChange is an execution whose grade under one rubric is not that of the score in force.
type GradeChange struct {
	ID, Version, Task  string
	From, To           *float64 // nil for no score
	FromGrade, ToGrade string
}

// CompareRubrics lists the executions of a lineage whose grade under a rubric differs from the one in force, the oldest first, and
// counts all that have a score under either.
func CompareRubrics(ctx context.Context, st *store.Reader, lineage, rubricName string) (changes []GradeChange, n int, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		versions, err := st.Versions(ctx, lineage)
		if err != nil {
			return err
		}
		for _, v := range versions {
			inForce, err := versionTrials(ctx, st, lineage, v.Version, "")
			if err != nil {
				return err
			}
			other, err := versionTrials(ctx, st, lineage, v.Version, rubricName)
			if err != nil {
				return err
			}
			for i := len(inForce) - 1; i >= 0; i-- { // both are in the same order
				a, b := inForce[i], other[i]
				if a.Score == nil && b.Score == nil {
					continue
				}
				n++
				if a.Grade != b.Grade {
					changes = append(changes, GradeChange{a.ID, v.Version, a.Task, a.Score, b.Score, a.Grade, b.Grade})
				}
			}
		}
		return nil
	})
	return changes, n, err
}
