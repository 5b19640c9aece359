package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"hash"
)

// Rows of lineages, versions and executions change: each change makes their checksum anew, from what is stored. A
// record that was damaged before stays so, or a change would hide the damage.

// sealedTable reads the checked columns of a row of a table, and stores their checksum.
type sealedTable struct{ read, seal string }

const (
	lineageChecked = `
	lineage.name, lineage.keep_text, lineage.seed, lineage.subject, lineage.trials_elsewhere, lineage.created_at, lineage.checksum`
	versionChecked = `
	version.id, version.lineage_id, version.name, version.parent_id, version.operator, CASE WHEN version.content IS NULL THEN 0 ELSE 1 END,
	version.content_digest, version.masking, version.status, version.note, version.source, version.source_score, version.source_parent_score,
	version.source_created_at, version.created_at, version.checksum`

	readLineage = `SELECT ` + lineageChecked + ` FROM lineage WHERE id = $1`
	sealLineage = `UPDATE lineage SET checksum = $1 WHERE id = $2`
	readVersion = `SELECT ` + versionChecked + ` FROM version WHERE id = $1`
	sealVersion = `UPDATE version SET checksum = $1 WHERE id = $2`

	listCheckedLineages = `SELECT 'lineage ' || lineage.name, ` + lineageChecked + ` FROM lineage WHERE CAST($1 AS bigint) IN (0, lineage.id)`
	listCheckedVersions = `
	SELECT 'version ' || version.name || ' of lineage ' || coalesce(lineage.name, ''), ` + versionChecked + `
	  FROM version LEFT JOIN lineage ON lineage.id = version.lineage_id WHERE CAST($1 AS bigint) IN (0, version.lineage_id)`
)

func sealedLineages() sealedTable { return sealedTable{readLineage, sealLineage} }
func sealedVersions() sealedTable { return sealedTable{readVersion, sealVersion} }

// unsealed is the checksum of a row that is sealed in the same transaction.
func unsealed() []byte { return []byte{} }

// columns reads the checked columns of a row, and its checksum.
func (s sealedTable) columns(t *Tx, id int64) (columns []driver.Value, err error) {
	err = t.stream(t.ctx, s.read, []any{id}, func(row []driver.Value) {
		for _, column := range row {
			if b, ok := column.([]byte); ok {
				column = bytes.Clone(b)
			}
			columns = append(columns, column)
		}
	})
	return columns, err
}

// seal stores the checksum of a row that was just added.
func (t *Tx) seal(s sealedTable, id int64) error {
	columns, err := s.columns(t, id)
	if err == nil {
		_, err = t.exec(s.seal, Checksum(columns[:len(columns)-1]...), id)
	}
	return err
}

// execSealed runs a statement that changes a row, and stores the new checksum.
func (t *Tx) execSealed(s sealedTable, id int64, query string, args ...any) error {
	columns, err := s.columns(t, id)
	if err != nil {
		return err
	}
	if _, err := t.exec(query, args...); err != nil || !isSound(columns) {
		return err
	}
	return t.seal(s, id)
}

// checkLineages compares the rows of a lineage and its versions with their checksums; those of all lineages if it is 0.
func (r *Reader) checkLineages(ctx context.Context, lineage int64, found func(Damage)) (n int, err error) {
	for _, c := range [...]struct{ table, query string }{{"lineage", listCheckedLineages}, {"version", listCheckedVersions}} {
		err := r.stream(ctx, c.query, []any{lineage}, func(row []driver.Value) {
			if n++; !isSound(row[1:]) {
				found(Damage{c.table, "its row differs from its checksum", asText(row[0])})
			}
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

const (
	listCheckedExecutions = `
	SELECT execution.id, execution.checksum, execution.ulid, execution.lineage_id, execution.version_id, execution.source, execution.key, execution.task,
	       execution.task_type, execution.complexity, execution.trial, execution.session, execution.status, execution.message, execution.corrections,
	       execution.truncated, execution.holdout, execution.model, execution.tokens_input, execution.tokens_output, execution.tokens_cache_read,
	       execution.tokens_cache_write, execution.tokens_reasoning, execution.cost_usd, execution.priced, execution.n_calls, execution.n_failed, execution.n_unknown, execution.rubric,
	       CASE WHEN execution.prompt IS NULL THEN 0 ELSE 1 END, execution.prompt_bytes, execution.prompt_digest,
	       CASE WHEN execution.output IS NULL THEN 0 ELSE 1 END, execution.output_bytes, execution.output_digest, execution.digest, execution.structure,
	       execution.masking, execution.is_open, execution.actor_id, execution.at, execution.started_at, execution.duration_us, execution.recorded_at,
	       execution.forgotten_at
	  FROM execution WHERE `
	fromExecution    = `execution.id > $1 ORDER BY execution.id LIMIT $2`
	ofLineageToo     = `NOINDEX execution.lineage_id = $3 AND `
	sealExecution    = `UPDATE execution SET checksum = $1 WHERE id = $2`
	executionsAtOnce = 1000

	listCheckedCalls = `
	SELECT call.execution_id, call.position, call.key, tool.name, CASE WHEN call.input IS NULL THEN 0 ELSE 1 END, call.input_bytes, call.input_digest,
	       call.exit, call.error, call.answered, call.rejected, CASE WHEN call.output IS NULL THEN 0 ELSE 1 END, call.output_bytes, call.output_digest,
	       call.output_whole, call.started_at, call.duration_us, call.request
	  FROM call LEFT JOIN tool ON tool.id = call.tool_id WHERE call.execution_id BETWEEN $1 AND $2 ORDER BY call.execution_id, call.position`
	listCheckedRequests = `
	SELECT execution_id, number, message_id, request_id, model, tokens_input, tokens_output, tokens_cache_read, tokens_cache_write, tokens_reasoning
	  FROM request WHERE execution_id BETWEEN $1 AND $2 ORDER BY execution_id, number`
	listCheckedTruths = `SELECT execution_id, name, value FROM truth WHERE execution_id BETWEEN $1 AND $2 ORDER BY execution_id, name`
	listCheckedScores = `
	SELECT execution_score.execution_id, execution_score.rubric, execution_score.score, execution_score.grade, execution_score.n_failed, execution_score.n_unknown,
	       execution_score.scored_at, score_document.document
	  FROM execution_score LEFT JOIN score_document ON score_document.execution_id = execution_score.execution_id AND score_document.rubric = execution_score.rubric
	 WHERE execution_score.execution_id BETWEEN $1 AND $2 ORDER BY execution_score.execution_id, execution_score.rubric`
	listCheckedComponents = `
	SELECT execution_id, rubric, name, value FROM component WHERE execution_id BETWEEN $1 AND $2 ORDER BY execution_id, rubric, name`
)

// executionSum is the checksum of an execution as it is stored, and the hash of its row, calls, requests, truths and
// scores.
type executionSum struct {
	id     int64
	ulid   string
	stored []byte
	hash   hash.Hash
}

func (e *executionSum) isSound() bool { return bytes.Equal(e.stored, e.hash.Sum(nil)) }

// executionSums returns at most n executions after a row; those of a lineage, or of all if it is 0.
func (r *Reader) executionSums(ctx context.Context, lineage, after int64, n int) (list []*executionSum, err error) {
	query, args := listCheckedExecutions, []any{after, n}
	if lineage != 0 {
		query, args = query+ofLineageToo, append(args, lineage)
	}
	byID := map[int64]*executionSum{}
	err = r.stream(ctx, query+fromExecution, args, func(row []driver.Value) {
		stored, _ := row[1].([]byte)
		e := &executionSum{asInt(row[0]), asText(row[2]), bytes.Clone(stored), sha256.New()}
		e.hash.Write(appendColumns(nil, row[2:]))
		byID[e.id], list = e, append(list, e)
	})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	for i, query := range [...]string{listCheckedCalls, listCheckedRequests, listCheckedTruths, listCheckedScores, listCheckedComponents} {
		err := r.stream(ctx, query, []any{list[0].id, list[len(list)-1].id}, func(row []driver.Value) {
			if e := byID[asInt(row[0])]; e != nil {
				e.hash.Write(appendColumns([]byte{byte(i)}, row[1:]))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// executionSum returns the checksum of one execution; nil if there is none.
func (t *Tx) executionSum(id int64) (*executionSum, error) {
	list, err := t.executionSums(t.ctx, 0, id-1, 1)
	if err != nil || len(list) == 0 || list[0].id != id {
		return nil, err
	}
	return list[0], nil
}

// sealExecution stores the checksum of an execution that was just added.
func (t *Tx) sealExecution(id int64) error {
	e, err := t.executionSum(id)
	if err == nil && e != nil {
		_, err = t.exec(sealExecution, e.hash.Sum(nil), id)
	}
	return err
}

// changeExecution lets change alter an execution, and stores its new checksum.
func (t *Tx) changeExecution(id int64, change func() error) error {
	before, err := t.executionSum(id)
	if err != nil {
		return err
	}
	if err := change(); err != nil || before == nil || !before.isSound() {
		return err
	}
	return t.sealExecution(id)
}

// CheckExecutions compares executions with their checksums; those of a lineage, or of all if it is 0.
func (r *Reader) CheckExecutions(ctx context.Context, lineage int64, found func(Damage)) (n int, err error) {
	last := int64(-1 << 63)
	for {
		list, err := r.executionSums(ctx, lineage, last, executionsAtOnce)
		if err != nil || len(list) == 0 {
			return n, explain(err)
		}
		for _, e := range list {
			if !e.isSound() {
				found(Damage{"execution", "its row, calls, requests, truths or scores differ from its checksum", "execution " + e.ulid})
			}
		}
		n, last = n+len(list), list[len(list)-1].id
	}
}
