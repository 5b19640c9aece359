package store

import (
	"context"
	"database/sql/driver"
	"maps"
	"slices"
	"strings"

	"track"
)

// An execution carries one checksum of its row, its calls, its requests and its truths, and each of its scores one of
// its row, its document and its components. So rows that are lost show as well, and small rows do not grow.

const (
	executionChecked = `
	execution.ulid, execution.lineage_id, execution.version_id, execution.source, execution.key, execution.task, execution.task_type, execution.complexity,
	execution.trial, execution.session, execution.status, execution.message, execution.corrections, execution.truncated, execution.holdout, execution.model,
	execution.tokens_input, execution.tokens_output, execution.tokens_cache_read, execution.tokens_cache_write, execution.tokens_reasoning,
	execution.cost_usd, execution.n_calls, execution.n_failed, execution.rubric,
	CASE WHEN execution.prompt IS NULL THEN 0 ELSE 1 END, execution.prompt_bytes, execution.prompt_digest, CASE WHEN execution.output IS NULL THEN 0 ELSE 1 END,
	execution.output_bytes, execution.output_digest, execution.digest, execution.structure, execution.masking, execution.is_open,
	execution.actor_id, execution.at, execution.started_at, execution.duration_us, execution.recorded_at, execution.forgotten_at`
	promptColumn, outputColumn, actorColumn = 25, 28, 35 // places among them

	listCheckedExecutions = `SELECT execution.id, execution.checksum, ` + executionChecked + ` FROM execution WHERE execution.id > $1 ORDER BY execution.id LIMIT $2`
	listCheckedOfLineage  = `SELECT execution.id, execution.checksum, ` + executionChecked + ` FROM execution
	 WHERE NOINDEX execution.lineage_id = $1 AND execution.id > $2 ORDER BY execution.id LIMIT $3`
	listCheckedCalls = `
	SELECT call.execution_id, call.position, call.key, tool.name, CASE WHEN call.input IS NULL THEN 0 ELSE 1 END, call.input_bytes, call.input_digest,
	       call.exit, call.error, call.answered, call.rejected, CASE WHEN call.output IS NULL THEN 0 ELSE 1 END, call.output_bytes, call.output_digest,
	       call.output_whole, call.started_at, call.duration_us, call.request
	  FROM call LEFT JOIN tool ON tool.id = call.tool_id WHERE call.execution_id BETWEEN $1 AND $2 ORDER BY call.execution_id, call.position`
	listCheckedRequests = `
	SELECT execution_id, number, model, tokens_input, tokens_output, tokens_cache_read, tokens_cache_write, tokens_reasoning
	  FROM request WHERE execution_id BETWEEN $1 AND $2 ORDER BY execution_id, number`
	listCheckedTruths = `SELECT execution_id, name, value FROM truth WHERE execution_id BETWEEN $1 AND $2 ORDER BY execution_id, name`
	listCheckedScores = `
	SELECT execution_score.checksum, execution_score.execution_id, execution_score.rubric, execution_score.score, execution_score.grade, execution_score.n_failed,
	       execution_score.scored_at, score_document.document
	  FROM execution_score LEFT JOIN score_document ON score_document.execution_id = execution_score.execution_id AND score_document.rubric = execution_score.rubric
	 WHERE execution_score.execution_id BETWEEN $1 AND $2`
	listCheckedComponents = `
	SELECT execution_id, rubric, name, value FROM component WHERE execution_id BETWEEN $1 AND $2 ORDER BY execution_id, rubric, name`
	sealExecution = `UPDATE execution SET checksum = $1 WHERE id = $2`
	sealScore     = `UPDATE execution_score SET checksum = $1 WHERE execution_id = $2 AND rubric = $3`
)

// executionChecksum returns the checksum of an execution that is stored with some arguments.
func executionChecksum(args []any, calls []callColumns, requests []track.ModelRequest, truths map[string]float64) int64 {
	args = append(slices.Insert(slices.Clone(args), actorColumn, nil), nil) // a new row is not forgotten
	args[promptColumn], args[outputColumn] = keeps(args[promptColumn]), keeps(args[outputColumn])
	buffer := appendArguments(make([]byte, 0, 1024), args...)
	for i, c := range calls {
		buffer = appendArguments(buffer, i, c.key, c.tool, keeps(c.input), c.inputBytes, c.inputDigest, c.exit, c.err, c.answered, c.rejected,
			keeps(c.output), c.outputBytes, c.outputDigest, c.outputWhole, c.startedAt, c.duration)
		if c.request != nil {
			buffer = appendArguments(buffer, c.request)
		}
	}
	for i, r := range requests {
		buffer = appendArguments(buffer, requestColumns(i+1, r)...)
	}
	for _, name := range slices.Sorted(maps.Keys(truths)) {
		buffer = appendArguments(buffer, name, truths[name])
	}
	return sumOf(buffer)
}

// scoreChecksum returns the checksum of a score that is stored with some arguments.
func scoreChecksum(args []any, document any, components []track.ComponentValue) int64 {
	buffer := appendArguments(make([]byte, 0, 1024), append(slices.Clone(args), document)...)
	sorted := slices.SortedFunc(slices.Values(components), func(a, b track.ComponentValue) int { return strings.Compare(a.Name, b.Name) })
	for _, c := range sorted {
		buffer = appendArguments(buffer, c.Name, c.Value)
	}
	return sumOf(buffer)
}

// sum is a checksum as it is stored, and what it is made of.
type sum struct {
	stored int64
	buffer []byte
}

func (s *sum) isSound() bool { return s.stored == sumOf(s.buffer) }

// executionSums are the checksums of an execution and of its scores.
type executionSums struct {
	id     int64
	ulid   string
	row    sum
	scores map[string]*sum // by rubric
}

// executionSums returns at most n executions after a row with their checksums; those of a lineage, or of all if it is
// 0.
func (r *Reader) executionSums(ctx context.Context, lineage, after int64, n int) (list []*executionSums, err error) {
	if list, err = r.executionRowSums(ctx, lineage, after, n); err != nil || len(list) == 0 {
		return nil, err
	}
	byID := map[int64]*executionSums{}
	for _, e := range list {
		byID[e.id] = e
	}
	first, last := list[0].id, list[len(list)-1].id
	err = r.stream(ctx, listCheckedCalls, []any{first, last}, func(row []driver.Value) {
		if e := byID[asInt(row[0])]; e != nil {
			e.row.buffer = appendColumns(e.row.buffer, knownRequest(row[1:]))
		}
	})
	if err == nil {
		err = r.stream(ctx, listCheckedRequests, []any{first, last}, func(row []driver.Value) {
			if e := byID[asInt(row[0])]; e != nil {
				e.row.buffer = appendColumns(e.row.buffer, row[1:])
			}
		})
	}
	if err == nil {
		err = r.addSumsBesidesCalls(ctx, byID, first, last)
	}
	return list, err
}

// executionRowSums is [Reader.executionSums] of the rows alone.
func (r *Reader) executionRowSums(ctx context.Context, lineage, after int64, n int) (list []*executionSums, err error) {
	query, args := listCheckedExecutions, []any{after, n}
	if lineage != 0 {
		query, args = listCheckedOfLineage, []any{lineage, after, n}
	}
	err = r.stream(ctx, query, args, func(row []driver.Value) {
		list = append(list, &executionSums{id: asInt(row[0]), ulid: asText(row[2]), row: sum{asInt(row[1]), appendColumns(nil, row[2:])}, scores: map[string]*sum{}})
	})
	return list, err
}

// addSumsBesidesCalls adds truths and scores, which come after the calls and requests, to the checksums of executions
// between two rows.
func (r *Reader) addSumsBesidesCalls(ctx context.Context, byID map[int64]*executionSums, first, last int64) error {
	ofTruth := func(row []driver.Value) {
		if e := byID[asInt(row[0])]; e != nil {
			e.row.buffer = appendColumns(e.row.buffer, row[1:])
		}
	}
	ofScore := func(row []driver.Value) {
		if e := byID[asInt(row[1])]; e != nil {
			e.scores[asText(row[2])] = &sum{asInt(row[0]), appendColumns(nil, row[1:])}
		}
	}
	ofComponent := func(row []driver.Value) {
		if e := byID[asInt(row[0])]; e != nil && e.scores[asText(row[1])] != nil {
			s := e.scores[asText(row[1])]
			s.buffer = appendColumns(s.buffer, row[2:])
		}
	}
	for _, part := range [...]struct {
		query string
		visit func([]driver.Value)
	}{{listCheckedTruths, ofTruth}, {listCheckedScores, ofScore}, {listCheckedComponents, ofComponent}} {
		if err := r.stream(ctx, part.query, []any{first, last}, part.visit); err != nil {
			return err
		}
	}
	return nil
}

// changeExecution lets change alter an execution, and stores its new checksums. What was damaged before stays so.
func (t *Tx) changeExecution(id int64, change func() error) error {
	before, err := t.executionSums(t.ctx, 0, id-1, 1)
	if err != nil {
		return err
	}
	if err := change(); err != nil || len(before) == 0 || before[0].id != id {
		return err
	}
	after, err := t.executionSums(t.ctx, 0, id-1, 1)
	if err != nil || len(after) == 0 || after[0].id != id {
		return err
	}
	if row := after[0].row; before[0].row.isSound() && !row.isSound() {
		if _, err := t.exec(sealExecution, sumOf(row.buffer), id); err != nil {
			return err
		}
	}
	for rubric, score := range after[0].scores {
		if was := before[0].scores[rubric]; was == nil || !was.isSound() || score.isSound() {
			continue
		}
		if _, err := t.exec(sealScore, sumOf(score.buffer), id, rubric); err != nil {
			return err
		}
	}
	return nil
}

// executionsAtOnce is how many executions are checked at a time.
const executionsAtOnce = 1000

// CheckExecutions compares executions and their scores with their checksums; those of a lineage, or of all if it is 0.
func (r *Reader) CheckExecutions(ctx context.Context, lineage int64, found func(Damage)) (n int, err error) {
	last := int64(-1 << 63)
	for {
		list, err := r.executionSums(ctx, lineage, last, executionsAtOnce)
		if err != nil || len(list) == 0 {
			return n, explain(err)
		}
		for _, e := range list {
			e.check(found)
		}
		n, last = n+len(list), list[len(list)-1].id
	}
}

func (r *Reader) checkExecutions(ctx context.Context, found func(Damage)) (int, error) {
	return r.CheckExecutions(ctx, 0, found)
}

func (e *executionSums) check(found func(Damage)) {
	if !e.row.isSound() {
		found(Damage{"execution", "its row, calls, requests or truths differ from its checksum", "execution " + e.ulid})
	}
	for _, rubric := range slices.Sorted(maps.Keys(e.scores)) {
		if !e.scores[rubric].isSound() {
			found(Damage{"execution_score", "its row, document or components differ from its checksum", "score of execution " + e.ulid + " under " + rubric})
		}
	}
}
