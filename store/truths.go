package store

import (
	"context"
	"database/sql"
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
	       (SELECT score FROM execution_score WHERE execution_id = execution.id AND rubric = ?) AS score
	  FROM execution JOIN version ON version.id = execution.version_id
	  JOIN truth ON truth.execution_id = execution.id AND truth.name = ?
	 WHERE execution.lineage_id = (SELECT id FROM lineage WHERE name = ?) AND execution.status = 'ok'
	 ORDER BY execution.id`
	listTrialComponents = `
	SELECT component.execution_id, component.name, component.value
	  FROM execution
	  JOIN truth ON truth.execution_id = execution.id AND truth.name = ?
	  JOIN component ON component.execution_id = execution.id AND component.rubric = ?
	 WHERE execution.lineage_id = (SELECT id FROM lineage WHERE name = ?) AND execution.status = 'ok'`
	listTruthNames = `
	SELECT DISTINCT truth.name FROM execution JOIN truth ON truth.execution_id = execution.id
	 WHERE execution.lineage_id = (SELECT id FROM lineage WHERE name = ?) ORDER BY truth.name`
)

// Trials returns the executions of a lineage that ended well and of which a truth is known, with their scores under a rubric.
func (s *Store) Trials(ctx context.Context, lineage, truth, rubric string) ([]JudgedTrial, error) {
	var rows []struct {
		RowID   int64           `db:"row_id"`
		ULID    string          `db:"ulid"`
		Version string          `db:"version"`
		Task    string          `db:"task"`
		Truth   float64         `db:"truth"`
		Score   sql.NullFloat64 `db:"score"`
	}
	if err := s.read().SelectContext(ctx, &rows, listTrials, rubric, truth, lineage); err != nil {
		return nil, explain(err)
	}
	if len(rows) == 0 {
		return nil, s.noTruth(ctx, lineage, truth)
	}
	var components []struct {
		Execution int64           `db:"execution_id"`
		Name      string          `db:"name"`
		Value     sql.NullFloat64 `db:"value"`
	}
	if err := s.read().SelectContext(ctx, &components, listTrialComponents, truth, rubric, lineage); err != nil {
		return nil, explain(err)
	}
	list := make([]JudgedTrial, len(rows))
	byID := make(map[int64]*JudgedTrial, len(rows))
	for i, r := range rows {
		list[i] = JudgedTrial{ID: r.ULID, Version: r.Version, Task: r.Task, Truth: r.Truth}
		if r.Score.Valid {
			list[i].Score = &r.Score.Float64
		}
		byID[r.RowID] = &list[i]
	}
	for _, c := range components {
		value := ComponentValue{Name: c.Name}
		if c.Value.Valid {
			value.Value = &c.Value.Float64
		}
		byID[c.Execution].Components = append(byID[c.Execution].Components, value)
	}
	return list, nil
}

func (s *Store) noTruth(ctx context.Context, lineage, truth string) error {
	if _, err := s.Versions(ctx, lineage); err != nil {
		return err
	}
	var names []string
	if err := s.read().SelectContext(ctx, &names, listTruthNames, lineage); err != nil {
		return explain(err)
	}
	known := "nothing is known to be true of its executions: import a benchmark that says so"
	if len(names) > 0 {
		known = fmt.Sprintf("known of its executions: %v", names)
	}
	return track.WithHint(fmt.Errorf("truth %s of lineage %s: %w", truth, lineage, track.ErrNotFound), known)
}
