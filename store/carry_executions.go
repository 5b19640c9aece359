package store

import (
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"fmt"
	"maps"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// ExecutionHead identifies an execution and how far it had come, in whatever database it is.
type ExecutionHead struct {
	Row                        int64 // in the database that it was read from
	ID                         string
	Lineage, Version           string
	Source, Key                string
	Task                       string
	Status                     track.ExecutionStatus
	Digest                     [sha256.Size]byte
	Structure                  [sha256.Size]byte
	Masking                    int
	Open                       bool
	NCalls, NAnswered, NFailed int
	Duration                   time.Duration // 0 if unknown
	RecordedAt                 time.Time
	ForgottenAt                time.Time // zero if its texts were not removed
}

// CarriedExecution is an execution with all that belongs to it, as one database hands it to another.
type CarriedExecution struct {
	ExecutionRecord
	ForgottenAt time.Time
}

const selectExecutionHeads = `
	SELECT execution.id, execution.ulid, lineage.name, version.name, execution.source, execution.key, execution.task, execution.status, execution.digest,
	       execution.is_open, execution.n_calls, (SELECT count(*) FROM call WHERE call.execution_id = execution.id AND call.answered = 1), execution.n_failed,
	       coalesce(execution.duration_us, 0), execution.recorded_at, execution.forgotten_at, execution.structure, execution.masking
	  FROM execution ORDERED JOIN lineage ON lineage.id = execution.lineage_id ORDERED JOIN version ON version.id = execution.version_id`

const listExecutionHeads = selectExecutionHeads + ` WHERE execution.id > $1 ORDER BY execution.id LIMIT $2`

// ExecutionHeads returns at most n executions after a row, in the order of the rows; those of the lineages named, or of
// all.
func (r *Reader) ExecutionHeads(ctx context.Context, after int64, n int, lineages []string) ([]ExecutionHead, error) {
	if len(lineages) == 0 {
		return r.executionHeads(ctx, listExecutionHeads, after, n)
	}
	var c clauses
	c.add(selectExecutionHeads+` WHERE execution.id > $1`, after)
	c.addList(` AND execution.lineage_id IN (SELECT id FROM lineage WHERE name IN ({list}))`, anys(lineages)...)
	c.add(` ORDER BY execution.id LIMIT $1`, n)
	query, args := c.statement()
	return r.executionHeads(ctx, query, args...)
}

func (r *Reader) executionHeads(ctx context.Context, query string, args ...any) (heads []ExecutionHead, err error) {
	err = r.stream(ctx, query, args, func(row []driver.Value) {
		heads = append(heads, ExecutionHead{
			Row: asInt(row[0]), ID: asText(row[1]), Lineage: asText(row[2]), Version: asText(row[3]), Source: asText(row[4]), Key: asText(row[5]),
			Task: asText(row[6]), Status: track.ExecutionStatus(asText(row[7])), Digest: asDigest(row[8]), Open: asInt(row[9]) != 0,
			NCalls: int(asInt(row[10])), NAnswered: int(asInt(row[11])), NFailed: int(asInt(row[12])),
			Duration: time.Duration(asInt(row[13])) * time.Microsecond, RecordedAt: asTime(row[14]), ForgottenAt: asTime(row[15]), Structure: asDigest(row[16]), Masking: int(asInt(row[17])),
		})
	})
	return heads, explain(err)
}

// ExecutionMatch is the record here of an execution of another database.
type ExecutionMatch struct {
	Same    *ExecutionHead // the execution of the same ID
	InPlace *ExecutionHead // the execution of the same lineage, source and key
}

// MatchExecutions finds executions of another database here, by their IDs and by their identities.
func (r *Reader) MatchExecutions(ctx context.Context, heads []ExecutionHead) ([]ExecutionMatch, error) {
	matches := make([]ExecutionMatch, len(heads))
	if len(heads) == 0 {
		return matches, nil
	}
	byID, byPlace := make(map[string]int, len(heads)), make(map[[3]string]int, len(heads))
	var ids, places []any
	for i, h := range heads {
		byID[h.ID], byPlace[[3]string{h.Lineage, h.Source, h.Key}] = i, i
		ids, places = append(ids, h.ID), append(places, h.Lineage, h.Source, h.Key)
	}
	same, err := r.executionHeads(ctx, selectExecutionHeads+` WHERE execution.ulid IN (`+inList(len(ids))+`)`, ids...)
	if err != nil {
		return nil, err
	}
	for i, h := range same {
		matches[byID[h.ID]].Same = &same[i]
	}
	inPlace, err := r.executionHeads(ctx, matchExecutionKeys(len(heads)), places...)
	for i, h := range inPlace {
		matches[byPlace[[3]string{h.Lineage, h.Source, h.Key}]].InPlace = &inPlace[i]
	}
	return matches, err
}

func matchExecutionKeys(n int) string {
	return `WITH wanted (lineage, source, key) AS (VALUES ` + rowList(n) + `), found AS (
		SELECT execution.id FROM wanted ORDERED JOIN lineage ON lineage.name = wanted.lineage
		 ORDERED JOIN execution ON execution.lineage_id = lineage.id AND execution.source = wanted.source AND execution.key = wanted.key)` +
		selectExecutionHeads + ` WHERE execution.id IN (SELECT id FROM found)`
}

// ExecutionParts names what may be added to an execution after it was recorded.
type ExecutionParts struct {
	Rubrics, Truths map[string]bool
	HasRequests     bool // what the requests to the model used is known
}

const (
	listScoredRubrics = `SELECT execution_id, rubric FROM execution_score WHERE execution_id IN (`
	listKnownTruths   = `SELECT execution_id, name FROM truth WHERE execution_id IN (`
	listWithRequests  = `SELECT DISTINCT execution_id FROM request WHERE execution_id IN (`
)

// ExecutionParts returns the rubrics and the truths of executions, by row.
func (r *Reader) ExecutionParts(ctx context.Context, rows []int64) (map[int64]*ExecutionParts, error) {
	parts := make(map[int64]*ExecutionParts, len(rows))
	if len(rows) == 0 {
		return parts, nil
	}
	for _, row := range rows {
		parts[row] = &ExecutionParts{Rubrics: map[string]bool{}, Truths: map[string]bool{}}
	}
	in, args := inList(len(rows))+")", anys(rows)
	err := r.stream(ctx, listScoredRubrics+in, args, func(row []driver.Value) { parts[asInt(row[0])].Rubrics[asText(row[1])] = true })
	if err == nil {
		err = r.stream(ctx, listKnownTruths+in, args, func(row []driver.Value) { parts[asInt(row[0])].Truths[asText(row[1])] = true })
	}
	if err == nil {
		err = r.stream(ctx, listWithRequests+in, args, func(row []driver.Value) { parts[asInt(row[0])].HasRequests = true })
	}
	return parts, explain(err)
}

const executionByRow = selectExecutions + ` AND execution.id = $1`

// ExecutionByRow returns an execution with all that belongs to it.
func (r *Reader) ExecutionByRow(ctx context.Context, row int64) (c CarriedExecution, err error) {
	heads, err := r.executionHeads(ctx, selectExecutionHeads+` WHERE execution.id = $1`, row)
	if err == nil && len(heads) == 0 {
		err = fmt.Errorf("execution in row %d: %w", row, track.ErrNotFound)
	}
	if err != nil {
		return c, err
	}
	return r.CarriedExecution(ctx, heads[0])
}

const findAlike = selectExecutionHeads + `
	 WHERE execution.lineage_id = (SELECT id FROM lineage WHERE name = $1) AND execution.source = $2 AND execution.key >= $3 AND execution.key < $4
	   AND execution.structure = $5 ORDER BY execution.id`

// ExecutionsAlike returns the executions of a structure whose keys begin with a prefix of hexadecimal digits.
func (r *Reader) ExecutionsAlike(ctx context.Context, lineage, source, prefix string, structure [sha256.Size]byte) ([]ExecutionHead, error) {
	return r.executionHeads(ctx, findAlike, lineage, source, prefix, prefix+"g", structure[:])
}

// CarriedExecution returns an execution with all that belongs to it.
func (r *Reader) CarriedExecution(ctx context.Context, h ExecutionHead) (c CarriedExecution, err error) {
	var row executionRow
	if err := r.read().GetContext(ctx, &row, executionByRow, h.Row); err != nil {
		return c, explain(err)
	}
	d, err := r.executionDetail(ctx, row)
	if err != nil {
		return c, explain(err)
	}
	c.ForgottenAt = d.ForgottenAt
	c.ExecutionRecord = ExecutionRecord{
		Execution: track.Execution{
			ID: d.ID, Key: d.Key, Source: d.Source, Lineage: d.Lineage, Version: d.Version, Task: d.Task, TaskType: d.TaskType, Complexity: d.Complexity,
			Trial: d.Trial, Session: d.Session, Status: d.Status, Message: d.Message, Truncated: d.Truncated, Holdout: d.Holdout, Corrections: d.Corrections, Model: d.Model,
			Tokens: d.Tokens, CostUSD: d.CostUSD, Priced: d.Priced, StartedAt: d.StartedAt, Duration: d.Duration, Truths: d.Truths, Requests: d.Requests,
		},
		Prompt: d.Prompt, Output: d.Output, Digest: h.Digest, Structure: h.Structure, Masking: h.Masking, RecordedAt: d.RecordedAt, Open: d.Open, Rubric: d.Rubric, Scores: d.Scores,
	}
	for _, call := range d.Calls {
		c.Calls = append(c.Calls, track.ToolCall{
			Key: call.Key, Tool: call.Tool, Exit: call.Exit, Error: call.Error, Answered: call.Answered, Rejected: call.Rejected, StartedAt: call.StartedAt,
			Duration: call.Duration, Request: call.Request,
		})
		c.Inputs, c.Outputs = append(c.Inputs, call.Input), append(c.Outputs, call.Output)
	}
	return c, nil
}

const (
	carryTruth = `
	INSERT INTO truth (execution_id, name, value{, lineage_id}) VALUES ($1, $2, $3{, $4}) ON CONFLICT (execution_id, name{, lineage_id}) DO NOTHING`
	hasScore      = `SELECT EXISTS (SELECT 1 FROM execution_score WHERE execution_id = $1 AND rubric = $2)`
	takeExecution = `UPDATE execution SET ulid = $1, recorded_at = $2, at = coalesce(started_at, $2)
	 WHERE id = $3 AND NOT EXISTS (SELECT 1 FROM hook_event WHERE hook_event.execution = ulid)`
	listTruthsOf = `SELECT name, value FROM truth WHERE execution_id = $1`
)

// CarryExecution stores an execution of another database whose place is free here.
func (t *Tx) CarryExecution(e CarriedExecution) error {
	if !e.ForgottenAt.IsZero() {
		e.ExecutionRecord = e.withoutTexts()
	}
	existing, err := t.AddExecution(e.ExecutionRecord)
	if err != nil {
		return err
	}
	if existing != nil {
		return fmt.Errorf("execution %s is recorded meanwhile", existing.ULID)
	}
	if e.ForgottenAt.IsZero() {
		return nil
	}
	return t.ForgetAt(e.ID, e.ForgottenAt)
}

// ReplaceCarried stores an execution of another database in the place of one here, whose truths and scores under
// further rubrics it keeps.
func (t *Tx) ReplaceCarried(here ExecutionHead, e CarriedExecution) error {
	var truths []struct {
		Name  string  `db:"name"`
		Value float64 `db:"value"`
	}
	if err := t.selectAll(&truths, listTruthsOf, here.Row); err != nil {
		return err
	}
	e.Truths = maps.Clone(e.Truths)
	for _, truth := range truths {
		if e.Truths == nil {
			e.Truths = map[string]float64{}
		}
		e.Truths[truth.Name] = truth.Value
	}
	if err := t.deleteExecution(here.Row); err != nil {
		return err
	}
	e.ForgottenAt = earlier(e.ForgottenAt, here.ForgottenAt)
	return t.CarryExecution(e)
}

// AddCarriedParts stores truths of an execution of another database with the one here, as far as that lacks them;
// requests and scores too if both say the same.
func (t *Tx) AddCarriedParts(here ExecutionHead, e CarriedExecution, same bool) error {
	if len(e.Truths) == 0 && !same {
		return nil
	}
	return t.changeExecution(here.Row, func() error {
		if err := t.carryTruths(here.Row, e.Truths); err != nil || !same {
			return err
		}
		if err := t.carryRequests(here.Row, e); err != nil {
			return err
		}
		return t.carryScores(here, e.Scores)
	})
}

// carryScores stores the scores of an execution of another database under the rubrics that the one here lacks.
func (t *Tx) carryScores(here ExecutionHead, scores []track.RecordedScore) error {
	for _, score := range scores {
		known := false
		if err := t.get(&known, hasScore, here.Row, score.Rubric); err != nil {
			return err
		}
		if known {
			continue
		}
		if !here.ForgottenAt.IsZero() {
			score.Detail = jsontext.Value(noDocument)
		}
		if err := t.addExecutionScore(here.Row, score); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) carryTruths(execution int64, truths map[string]float64) error {
	for name, value := range truths {
		if err := t.addPart("execution", execution, carryTruth, execution, name, value); err != nil {
			return err
		}
	}
	return nil
}

// TakeEarlierExecution gives an execution here the ID and the time of a record of it elsewhere that is earlier. One
// that hooks still add to keeps its own.
func (t *Tx) TakeEarlierExecution(here ExecutionHead, earlier ExecutionHead) error {
	return t.changeExecution(here.Row, func() error {
		_, err := t.exec(takeExecution, earlier.ID, micros(earlier.RecordedAt), here.Row)
		return err
	})
}
