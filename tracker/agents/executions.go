package agents

import (
	"cmp"
	"context"

	"track"
	"track/answer"
	"track/scoring/rubric"
	"track/store"
)

// ListExecutions lists recorded executions, the newest first.
func ListExecutions(ctx context.Context, r *store.Reader, q answer.ExecutionsQuestion) (a answer.Executions, err error) {
	limit := q.Page.PageLimit()
	if q.Page.After != "" {
		if known, err := r.HasExecution(ctx, q.Page.After); err != nil || !known {
			return a, cmp.Or(err, q.Page.UnknownCursor())
		}
	}
	list, err := listExecutions(ctx, r, store.ExecutionFilter{
		Lineage: q.Of.Lineage, Version: q.Of.Version, Task: q.Task, Status: q.Status, Grade: q.Grade, MinScore: q.MinScore, MaxScore: q.MaxScore,
		Since: q.Since.From(r.Now()), After: q.Page.After, Limit: limit + 1, // one more says whether there is another page
	})
	if err != nil {
		return a, err
	}
	if len(list) == 0 && q.Of.Lineage != "" && q.Page.After == "" {
		if err := r.CheckLineage(ctx, q.Of.Lineage, q.Of.Version); err != nil {
			return a, err
		}
	}
	a.Items = list[:min(limit, len(list))]
	if len(list) > limit {
		a.Next = list[limit-1].ID
	}
	return a, nil
}

// listExecutions lists executions with the grades that hold. A filter for a grade leaves out those whose stored grade
// does not hold.
func listExecutions(ctx context.Context, r *store.Reader, f store.ExecutionFilter) (list []track.RecordedExecution, err error) {
	held := newGrades(r)
	for {
		part, err := r.Executions(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, e := range part {
			if err := held.keep(ctx, e.Lineage, e.Rubric, &e.Grade); err != nil {
				return nil, err
			}
			if f.Grade == "" || e.Grade == f.Grade {
				list = append(list, e)
			}
		}
		if len(part) < f.Limit || len(list) >= f.Limit {
			return list[:min(len(list), f.Limit)], nil
		}
		f.After = part[len(part)-1].ID
	}
}

// execution returns an execution with the grades that hold.
func execution(ctx context.Context, r *store.Reader, id string) (e track.RecordedExecution, err error) {
	if e, err = r.Execution(ctx, id); err != nil {
		return e, err
	}
	held := newGrades(r)
	err = held.keep(ctx, e.Lineage, e.Rubric, &e.Grade)
	for i := range e.Scores {
		err = cmp.Or(err, held.keep(ctx, e.Lineage, e.Scores[i].Rubric, &e.Scores[i].Grade))
	}
	return e, err
}

// ShowExecution returns one execution in full. It leaves out the final text unless that was asked for.
func ShowExecution(ctx context.Context, r *store.Reader, q answer.ExecutionQuestion) (a answer.Execution, err error) {
	if a.RecordedExecution, err = execution(ctx, r, q.ID); err != nil {
		return a, err
	}
	a.WithOutput, a.ComponentsUnder = q.Output, q.Rubric
	if a.ComponentsUnder == "" {
		a.ComponentsUnder = a.Rubric
	}
	if _, err := rubric.ByName(a.ComponentsUnder); err != nil {
		a.ComponentsUnder = rubric.Default
	}
	if q.Trace {
		a.ShowTrace(q)
		return a, nil
	}
	if a.Output != nil && !q.Output {
		a.Output.Text = nil
	}
	return a, nil
}
