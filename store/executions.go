package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// ExecutionFilter narrows a list of executions; the zero value of each field asks for everything.
type ExecutionFilter struct {
	Lineage  string
	Version  *string // the empty string selects executions without a version
	Task     string
	Status   track.ExecutionStatus
	Grade    string
	MinScore *float64
	MaxScore *float64
	Since    time.Time // started, or recorded, at or after
	After    string    // only what follows the execution with this ULID in the list; empty for the beginning
	Limit    int       // at most so many; 0 for all
}

type executionRow struct {
	RowID            int64           `db:"row_id"`
	ULID             string          `db:"ulid"`
	Lineage          string          `db:"lineage"`
	Version          string          `db:"version"`
	Source           string          `db:"source"`
	Key              string          `db:"key"`
	Task             string          `db:"task"`
	TaskType         string          `db:"task_type"`
	Complexity       string          `db:"complexity"`
	Trial            int             `db:"trial"`
	Session          string          `db:"session"`
	Status           string          `db:"status"`
	Message          string          `db:"message"`
	Rubric           string          `db:"rubric"`
	Score            sql.NullFloat64 `db:"score"`
	Grade            string          `db:"grade"`
	NCalls           int             `db:"n_calls"`
	NFailed          int             `db:"n_failed"`
	NUnknown         int             `db:"n_unknown"`
	Corrections      int             `db:"corrections"`
	Truncated        bool            `db:"truncated"`
	Holdout          bool            `db:"holdout"`
	Model            string          `db:"model"`
	TokensInput      *int64          `db:"tokens_input"`
	TokensOutput     *int64          `db:"tokens_output"`
	TokensCacheRead  *int64          `db:"tokens_cache_read"`
	TokensCacheWrite *int64          `db:"tokens_cache_write"`
	TokensReasoning  *int64          `db:"tokens_reasoning"`
	CostUSD          *float64        `db:"cost_usd"`
	Priced           string          `db:"priced"`
	StartedAt        sql.NullInt64   `db:"started_at"`
	DurationUS       sql.NullInt64   `db:"duration_us"`
	RecordedAt       int64           `db:"recorded_at"`
	ForgottenAt      sql.NullInt64   `db:"forgotten_at"`
	Open             bool            `db:"is_open"`
}

func (r executionRow) execution() track.RecordedExecution {
	s := track.RecordedExecution{
		ID: r.ULID, Lineage: r.Lineage, Version: r.Version, Source: r.Source, Key: r.Key, Task: r.Task, TaskType: r.TaskType,
		Complexity: track.Complexity(r.Complexity), Trial: r.Trial, Session: r.Session, Status: track.ExecutionStatus(r.Status), Message: r.Message,
		Rubric: r.Rubric, Grade: r.Grade, NCalls: r.NCalls, NFailed: r.NFailed, NUnknown: r.NUnknown, Corrections: r.Corrections, Truncated: r.Truncated, Holdout: r.Holdout,
		Model: r.Model, CostUSD: r.CostUSD, Priced: r.Priced, RecordedAt: fromMicros(r.RecordedAt), Open: r.Open,
	}
	if r.Score.Valid {
		s.Score = &r.Score.Float64
	}
	tokens := track.Tokens{Input: r.TokensInput, Output: r.TokensOutput, CacheRead: r.TokensCacheRead, CacheWrite: r.TokensCacheWrite, Reasoning: r.TokensReasoning}
	if tokens != (track.Tokens{}) {
		s.Tokens = &tokens
	}
	if r.StartedAt.Valid {
		s.StartedAt = fromMicros(r.StartedAt.Int64)
	}
	if r.DurationUS.Valid {
		duration := time.Duration(r.DurationUS.Int64) * time.Microsecond
		s.Duration = &duration
	}
	if r.ForgottenAt.Valid {
		s.ForgottenAt = fromMicros(r.ForgottenAt.Int64)
	}
	return s
}

const selectExecutions = `
	SELECT execution.id AS row_id, execution.ulid, lineage.name AS lineage, version.name AS version, execution.source, execution.key,
	       coalesce(execution.task, '') AS task, coalesce(execution.task_type, '') AS task_type, coalesce(execution.complexity, '') AS complexity,
	       execution.trial, coalesce(execution.session, '') AS session, execution.status, coalesce(execution.message, '') AS message,
	       coalesce(execution.rubric, '') AS rubric,
	       execution_score.score, coalesce(execution_score.grade, '') AS grade, execution.n_calls,
	       coalesce(execution_score.n_failed, execution.n_failed) AS n_failed, coalesce(execution_score.n_unknown, execution.n_unknown) AS n_unknown,
	       execution.corrections, execution.truncated, execution.holdout,
	       coalesce(execution.model, '') AS model,
	       execution.tokens_input, execution.tokens_output, execution.tokens_cache_read, execution.tokens_cache_write, execution.tokens_reasoning,
	       execution.cost_usd, coalesce(execution.priced, '') AS priced, execution.started_at, execution.duration_us, execution.recorded_at, execution.forgotten_at, execution.is_open
	  FROM execution
	  JOIN lineage ON lineage.id = execution.lineage_id
	  JOIN version ON version.id = execution.version_id
	  LEFT JOIN execution_score ON execution_score.execution_id = execution.id AND execution_score.rubric = execution.rubric
	 WHERE TRUE`

const (
	executionsOfVersion = ` AND execution.version_id = (SELECT version.id FROM version JOIN lineage ON lineage.id = version.lineage_id
	       WHERE lineage.name = $1 AND version.name = $2)`
	executionsOfLineage = ` AND execution.lineage_id = (SELECT id FROM lineage WHERE name = $1)`
	ofTask              = ` AND execution.task = $1`
	endedWith           = ` AND execution.status = $1`
	// Within coalesce, so that the list is not led by the scores, of which it would read and sort all.
	withGrade      = ` AND coalesce(execution_score.grade = $1, FALSE)`
	scoredAtLeast  = ` AND coalesce(execution_score.score >= $1, FALSE)`
	scoredAtMost   = ` AND coalesce(execution_score.score <= $1, FALSE)`
	executedSince  = ` AND execution.at >= $1`
	executedBefore = ` AND (execution.at, execution.id) < (SELECT last.at, last.id FROM execution AS last WHERE last.ulid = $1)`
	newestExecuted = ` ORDER BY execution.at DESC, execution.id DESC`
	atMost         = ` LIMIT $1`
)

const countExecutionByULID = `SELECT count(*) FROM execution WHERE ulid = $1`

// HasExecution reports whether an execution with this ULID is recorded.
func (r *Reader) HasExecution(ctx context.Context, ulid string) (bool, error) {
	n := 0
	err := r.read().GetContext(ctx, &n, countExecutionByULID, ulid)
	return n > 0, explain(err)
}

// query returns the statement that lists the executions of the filter, newest first, and its arguments.
func (f ExecutionFilter) query() (query string, args []any) {
	c := clauses{}
	c.add(selectExecutions)
	switch {
	case f.Lineage != "" && f.Version != nil:
		c.add(executionsOfVersion, f.Lineage, *f.Version)
	case f.Lineage != "":
		c.add(executionsOfLineage, f.Lineage)
	}
	if f.Task != "" {
		c.add(ofTask, f.Task)
	}
	if f.Status != "" {
		c.add(endedWith, string(f.Status))
	}
	if f.Grade != "" {
		c.add(withGrade, f.Grade)
	}
	if f.MinScore != nil {
		c.add(scoredAtLeast, *f.MinScore)
	}
	if f.MaxScore != nil {
		c.add(scoredAtMost, *f.MaxScore)
	}
	if !f.Since.IsZero() {
		c.add(executedSince, micros(f.Since))
	}
	if f.After != "" {
		c.add(executedBefore, f.After)
	}
	c.add(newestExecuted)
	if f.Limit > 0 {
		c.add(atMost, f.Limit)
	}
	return c.statement()
}

// Executions lists executions, the newest first.
func (r *Reader) Executions(ctx context.Context, filter ExecutionFilter) ([]track.RecordedExecution, error) {
	query, args := filter.query()
	var rows []executionRow
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, explain(err)
	}
	list := make([]track.RecordedExecution, len(rows))
	for i, row := range rows {
		list[i] = row.execution()
	}
	return list, nil
}

const (
	executionByID      = selectExecutions + ` AND execution.ulid = $1`
	executionsByPrefix = selectExecutions + ` AND execution.ulid >= $1 AND execution.ulid < $2 LIMIT 2`
	getExecutionPrompt = `SELECT prompt AS output, prompt_bytes AS output_bytes, prompt_digest AS output_digest FROM execution WHERE id = $1`
	getExecutionOutput = `SELECT output, output_bytes, output_digest FROM execution WHERE id = $1`
	listCalls          = `
	SELECT call.position, call.key, tool.name, call.input, call.input_bytes, call.input_digest, call.exit, call.error, call.answered, call.rejected,
	       call.output, call.output_bytes, call.output_digest, call.output_whole, call.started_at, call.duration_us, call.request
	  FROM call LEFT JOIN tool ON tool.id = call.tool_id WHERE call.execution_id = $1 ORDER BY call.position`
	listTruths          = `SELECT name, value FROM truth WHERE execution_id = $1`
	listExecutionScores = `
	SELECT rubric, score, coalesce(grade, '') AS grade, n_failed, n_unknown, document, scored_at
	  FROM execution_score LEFT JOIN score_document USING (execution_id, rubric) WHERE execution_id = $1 ORDER BY rubric`
	listScoreComponents = `SELECT rubric, name, value FROM component WHERE execution_id = $1`
)

// Execution returns the execution with this ULID, or with the only one that begins like this.
func (r *Reader) Execution(ctx context.Context, id string) (d track.RecordedExecution, err error) {
	given := id
	id = strings.ToUpper(id)
	query, args := executionByID, []any{id}
	if id == "" {
		return track.RecordedExecution{}, fmt.Errorf("an empty id: %w", track.ErrNotFound)
	}
	if len(id) < 26 {
		query, args = executionsByPrefix, []any{id, id + "~"}
	}
	var rows []executionRow
	err = r.Snapshot(ctx, func(r *Reader) error { // or an execution that is replaced meanwhile would lose its calls
		if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil || len(rows) != 1 {
			return err
		}
		var err error
		d, err = r.executionDetail(ctx, rows[0])
		return err
	})
	switch {
	case err != nil:
		return d, explain(err)
	case len(rows) == 0:
		return d, track.WithHint(fmt.Errorf("execution %s: %w", given, track.ErrNotFound), track.NewHint("list the executions", "executions"))
	case len(rows) == 1:
		return d, nil
	}
	return d, track.WithHint(fmt.Errorf("execution %s is %w: several ids begin like this", given, track.ErrAmbiguous), track.Hint{Text: "write more of the id"})
}

type textRow struct {
	Text   *string       `db:"output"`
	Bytes  sql.NullInt64 `db:"output_bytes"`
	Digest []byte        `db:"output_digest"`
}

func (r textRow) stored() *track.RecordedText {
	if !r.Bytes.Valid || len(r.Digest) != sha256.Size { // a checksum finds a digest that is lost
		return nil
	}
	return &track.RecordedText{Digest: track.TextDigest(r.Digest), Bytes: int(r.Bytes.Int64), Text: r.Text}
}

func (r *Reader) executionDetail(ctx context.Context, row executionRow) (d track.RecordedExecution, err error) {
	d = row.execution()
	var prompt, output textRow
	var truths []struct {
		Name  string  `db:"name"`
		Value float64 `db:"value"`
	}
	err = errors.Join(
		r.read().GetContext(ctx, &prompt, getExecutionPrompt, row.RowID),
		r.read().GetContext(ctx, &output, getExecutionOutput, row.RowID),
		r.read().SelectContext(ctx, &truths, listTruths, row.RowID),
	)
	if err != nil {
		return d, err
	}
	d.Prompt, d.Output = prompt.stored(), output.stored()
	if len(truths) > 0 {
		d.Truths = make(map[string]float64, len(truths))
	}
	for _, t := range truths {
		d.Truths[t.Name] = t.Value
	}
	if d.Calls, err = r.calls(ctx, row.RowID, d.NCalls); err != nil {
		return d, err
	}
	if d.Requests, err = r.requests(ctx, row.RowID); err != nil {
		return d, err
	}
	d.Scores, err = r.executionScores(ctx, row.RowID)
	for i := range d.Scores {
		d.Scores[i].Active = d.Scores[i].Rubric == row.Rubric
	}
	return d, err
}

// calls returns the calls of an execution. n is how many it is said to have.
func (r *Reader) calls(ctx context.Context, execution int64, n int) (list []track.RecordedCall, err error) {
	const mostAtOnce = 100_000 // n can be damaged
	list = make([]track.RecordedCall, 0, min(max(n, 0), mostAtOnce))
	err = r.streamCells(ctx, listCalls, []any{execution}, func(c *cells) {
		_ = c.integer() // the position
		call := track.RecordedCall{Key: c.text(), Tool: c.text()}
		call.Input = track.RecordedText{Text: c.optionalText(), Bytes: int(c.integer()), Digest: track.TextDigest(c.bytes())}
		call.Exit = wholeOrNil(c.optionalInteger())
		call.Error, call.Answered, call.Rejected = c.text(), c.isTrue(), c.isTrue()
		output := textRow{Text: c.optionalText()}
		if n := c.optionalInteger(); n != nil {
			output.Bytes = sql.NullInt64{Int64: *n, Valid: true}
		}
		output.Digest = c.bytes()
		whole := c.optionalInteger()
		if call.Output = output.stored(); call.Output != nil && whole != nil {
			call.Output.WholeBytes = int(*whole)
		}
		call.StartedAt = c.optionalTime()
		if us := c.optionalInteger(); us != nil {
			duration := time.Duration(*us) * time.Microsecond
			call.Duration = &duration
		}
		if number := c.optionalInteger(); number != nil {
			call.Request = int(*number)
		}
		list = append(list, call)
	})
	return list, err
}

func wholeOrNil(n *int64) *int {
	if n == nil {
		return nil
	}
	whole := int(*n)
	return &whole
}

func (r *Reader) executionScores(ctx context.Context, execution int64) ([]track.RecordedScore, error) {
	var rows []struct {
		Rubric   string          `db:"rubric"`
		Score    sql.NullFloat64 `db:"score"`
		Grade    string          `db:"grade"`
		NFailed  int             `db:"n_failed"`
		NUnknown int             `db:"n_unknown"`
		Document []byte          `db:"document"`
		ScoredAt int64           `db:"scored_at"`
	}
	if err := r.read().SelectContext(ctx, &rows, listExecutionScores, execution); err != nil {
		return nil, err
	}
	var components []struct {
		Rubric string   `db:"rubric"`
		Name   string   `db:"name"`
		Value  *float64 `db:"value"`
	}
	if err := r.read().SelectContext(ctx, &components, listScoreComponents, execution); err != nil {
		return nil, err
	}
	byRubric := map[string][]track.ComponentValue{}
	for _, c := range components {
		byRubric[c.Rubric] = append(byRubric[c.Rubric], track.ComponentValue{Name: c.Name, Value: c.Value})
	}
	list := make([]track.RecordedScore, len(rows))
	for i, row := range rows {
		document, err := scoreDocument(row.Document)
		if err != nil {
			return nil, fmt.Errorf("score under %s: %w", row.Rubric, err)
		}
		list[i] = track.RecordedScore{
			Rubric: row.Rubric, Grade: row.Grade, NFailed: row.NFailed, NUnknown: row.NUnknown, Detail: document, Components: byRubric[row.Rubric], ScoredAt: fromMicros(row.ScoredAt),
		}
		if row.Score.Valid {
			list[i].Score = &row.Score.Float64
		}
	}
	return list, nil
}

// scoreDocument reads a document as it is stored: compressed, or, where it is older than schema 10, as it is.
func scoreDocument(stored []byte) (jsontext.Value, error) {
	if len(stored) == 0 {
		return jsontext.Value(noDocument), nil
	}
	if stored[0] == '{' {
		return stored, nil
	}
	text, err := decompress(stored)
	return jsontext.Value(text), err
}

// components returns what a query finds of components, by the execution.
func (r *Reader) components(ctx context.Context, query string, args ...any) (map[int64][]track.ComponentValue, error) {
	var rows []struct {
		Execution int64    `db:"execution_id"`
		Name      string   `db:"name"`
		Value     *float64 `db:"value"`
	}
	if err := r.read().SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, err
	}
	byExecution := map[int64][]track.ComponentValue{}
	for _, row := range rows {
		byExecution[row.Execution] = append(byExecution[row.Execution], track.ComponentValue{Name: row.Name, Value: row.Value})
	}
	return byExecution, nil
}
