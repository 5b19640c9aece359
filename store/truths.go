package store

import (
	"context"
	"fmt"

	"track"
)

// JudgedTrial is an execution of a lineage with its score under a rubric, and a truth about it.
type JudgedTrial struct {
	ID            string
	Version, Task string
	Truth         float64
	Score         *float64 // nil where it has none
	Components    []ComponentValue
}

const (
	listTrials = `
	SELECT execution.id AS row_id, execution.ulid, version.name AS version, execution.task, truth.value AS truth,
	       (SELECT score FROM execution_score WHERE execution_id = execution.id AND rubric = $1) AS score
	  FROM execution JOIN version ON version.id = execution.version_id
	  JOIN truth ON truth.execution_id = execution.id AND truth.name = $2
	 WHERE execution.lineage_id = (SELECT id FROM lineage WHERE name = $3) AND execution.status = 'ok'
	 ORDER BY execution.recorded_at, execution.id`
	listTrialComponents = `
	SELECT component.execution_id, component.name, component.value
	  FROM execution
	  JOIN truth ON truth.execution_id = execution.id AND truth.name = $1
	  JOIN component ON component.execution_id = execution.id AND component.rubric = $2
	 WHERE execution.lineage_id = (SELECT id FROM lineage WHERE name = $3) AND execution.status = 'ok'`
	listTruthNames = `
	SELECT DISTINCT truth.name FROM execution JOIN truth ON truth.execution_id = execution.id
	 WHERE execution.lineage_id = (SELECT id FROM lineage WHERE name = $1) ORDER BY truth.name`
)

// Trials returns the executions of a lineage that ended well and of which a truth is known, with their scores under a rubric.
func (r *Reader) Trials(ctx context.Context, lineage, truth, rubric string) (list []JudgedTrial, err error) {
	err = r.Snapshot(ctx, func(r *Reader) error {
		list, err = r.trials(ctx, lineage, truth, rubric)
		return err
	})
	return list, explain(err)
}

func (r *Reader) trials(ctx context.Context, lineage, truth, rubric string) ([]JudgedTrial, error) {
	var rows []struct {
		RowID   int64    `db:"row_id"`
		ULID    string   `db:"ulid"`
		Version string   `db:"version"`
		Task    string   `db:"task"`
		Truth   float64  `db:"truth"`
		Score   *float64 `db:"score"`
	}
	if err := r.read().SelectContext(ctx, &rows, listTrials, rubric, truth, lineage); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, r.noTruth(ctx, lineage, truth)
	}
	components, err := r.components(ctx, listTrialComponents, truth, rubric, lineage)
	if err != nil {
		return nil, err
	}
	list := make([]JudgedTrial, len(rows))
	for i, row := range rows {
		list[i] = JudgedTrial{row.ULID, row.Version, row.Task, row.Truth, row.Score, components[row.RowID]}
	}
	return list, nil
}

func (r *Reader) noTruth(ctx context.Context, lineage, truth string) error {
	if _, err := r.Versions(ctx, lineage); err != nil {
		return err
	}
	var names []string
	if err := r.read().SelectContext(ctx, &names, listTruthNames, lineage); err != nil {
		return err
	}
	known := "nothing is known to be true of its executions: import a benchmark that says so"
	if len(names) > 0 {
		known = fmt.Sprintf("known of its executions: %v", names)
	}
	return track.WithHint(fmt.Errorf("truth %s of lineage %s: %w", truth, lineage, track.ErrNotFound), track.Hint{Text: known})
}
