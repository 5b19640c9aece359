package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
)

const (
	executionByRow    = selectExecutions + ` AND execution.id = $1`
	digestsByRow      = `SELECT digest, structure, masking FROM execution WHERE id = $1`
	listExecutionRows = `
	SELECT execution.id, lineage.name FROM execution ORDERED JOIN lineage ON lineage.id = execution.lineage_id WHERE execution.id > $1 ORDER BY execution.id LIMIT $2`
	listAlike = `
	SELECT id FROM execution
	 WHERE lineage_id = (SELECT id FROM lineage WHERE name = $1) AND source = $2 AND key >= $3 AND key < $4 AND structure = $5 AND masking <> $6 ORDER BY id`
	addTruth = `
	INSERT INTO truth (execution_id, name, value{, lineage_id}) VALUES ($1, $2, $3{, $4}) ON CONFLICT (execution_id, name{, lineage_id}) DO NOTHING`
	hasScore      = `SELECT EXISTS (SELECT 1 FROM execution_score WHERE execution_id = $1 AND rubric = $2)`
	takeExecution = `UPDATE execution SET ulid = $1, recorded_at = $2, at = coalesce(started_at, $2)
	 WHERE id = $3 AND NOT EXISTS (SELECT 1 FROM hook_event WHERE hook_event.execution = ulid)`
)

// ExecutionRows returns at most n rows of executions after a row, with the lineages that they belong to.
func (r *Reader) ExecutionRows(ctx context.Context, after int64, n int) (rows []int64, lineages []string, err error) {
	err = r.stream(ctx, listExecutionRows, []any{after, n}, func(row []driver.Value) {
		rows, lineages = append(rows, asInt(row[0])), append(lineages, asText(row[1]))
	})
	return rows, lineages, explain(err)
}

// ExecutionByRow returns an execution with all that belongs to it.
func (r *Reader) ExecutionByRow(ctx context.Context, row int64) (e track.WholeExecution, err error) {
	var head executionRow
	if err := r.read().GetContext(ctx, &head, executionByRow, row); isNoRows(err) {
		return e, fmt.Errorf("execution in row %d: %w", row, track.ErrNotFound)
	} else if err != nil {
		return e, explain(err)
	}
	if e.RecordedExecution, err = r.executionDetail(ctx, head); err != nil {
		return e, explain(err)
	}
	return e, explain(r.stream(ctx, digestsByRow, []any{row}, func(row []driver.Value) {
		e.Digest, e.Structure, e.Masking = asDigest(row[0]), asDigest(row[1]), int(asInt(row[2]))
	}))
}

// ExecutionsAlike returns the rows of executions of a structure that other rules masked, and whose keys begin with a
// prefix of hexadecimal digits.
func (r *Reader) ExecutionsAlike(ctx context.Context, e ExecutionRecord, prefix string) (rows []int64, err error) {
	args := []any{e.Lineage, e.Source, prefix, prefix + "g", e.Structure[:], e.Masking}
	return rows, explain(r.read().SelectContext(ctx, &rows, listAlike, args...))
}

// RecordOf returns an execution as it is stored.
func RecordOf(e track.WholeExecution) ExecutionRecord {
	r := ExecutionRecord{
		Execution: track.Execution{
			ID: e.ID, Key: e.Key, Source: e.Source, Lineage: e.Lineage, Version: e.Version, Task: e.Task, TaskType: e.TaskType, Complexity: e.Complexity,
			Trial: e.Trial, Session: e.Session, Status: e.Status, Message: e.Message, Truncated: e.Truncated, Holdout: e.Holdout, Corrections: e.Corrections, Model: e.Model,
			Tokens: e.Tokens, CostUSD: e.CostUSD, Priced: e.Priced, StartedAt: e.StartedAt, Duration: e.Duration, Truths: e.Truths, Requests: e.Requests,
		},
		Prompt: e.Prompt, Output: e.Output, Digest: e.Digest, Structure: e.Structure, Masking: e.Masking, RecordedAt: e.RecordedAt, Open: e.Open, Rubric: e.Rubric, Scores: e.Scores,
	}
	for _, call := range e.Calls {
		r.Calls = append(r.Calls, track.ToolCall{
			Key: call.Key, Tool: call.Tool, Exit: call.Exit, Error: call.Error, Answered: call.Answered, Rejected: call.Rejected, StartedAt: call.StartedAt,
			Duration: call.Duration, Request: call.Request,
		})
		r.Inputs, r.Outputs = append(r.Inputs, call.Input), append(r.Outputs, call.Output)
	}
	if !e.ForgottenAt.IsZero() {
		r = r.withoutTexts()
	}
	return r
}

// AddRecordedParts stores truths of an execution of another database with the same one here, as far as that lacks them;
// requests and scores too if both say the same.
func (t *Tx) AddRecordedParts(here ExistingExecution, e ExecutionRecord) error {
	if len(e.Truths) == 0 && here.digest != e.Digest {
		return nil
	}
	return t.changeExecution(here.rowID, func() error {
		for name, value := range e.Truths {
			if err := t.addPart("execution", here.rowID, addTruth, here.rowID, name, value); err != nil {
				return err
			}
		}
		if here.digest != e.Digest {
			return nil
		}
		if err := t.addMissingRequests(here.rowID, e); err != nil {
			return err
		}
		return t.addMissingScores(here, e.Scores)
	})
}

// addMissingScores stores scores under the rubrics that the execution here lacks.
func (t *Tx) addMissingScores(here ExistingExecution, scores []track.RecordedScore) error {
	for _, score := range scores {
		known := false
		if err := t.get(&known, hasScore, here.rowID, score.Rubric); err != nil {
			return err
		}
		if known {
			continue
		}
		if here.Forgotten {
			score.Detail = jsontext.Value(noDocument)
		}
		if err := t.addExecutionScore(here.rowID, score); err != nil {
			return err
		}
	}
	return nil
}

// TakeEarlierExecution gives an execution here the ID and the time of a record of it elsewhere that is earlier. One
// that hooks still add to keeps its own.
func (t *Tx) TakeEarlierExecution(here ExistingExecution, id string, recordedAt time.Time) error {
	return t.changeExecution(here.rowID, func() error {
		_, err := t.exec(takeExecution, id, micros(recordedAt), here.rowID)
		return err
	})
}
