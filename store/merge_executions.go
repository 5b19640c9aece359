package store

import (
	"context"
	"fmt"

	"track"
)

const (
	// The place of an execution is its lineage, source and key. One whose source had not ended is completed by one that has come further. Its id
	// and the time of its recording are those of the record that was first, whichever of both has come further.
	classifyExecutions = `
	INSERT INTO temp.merge_execution (o, h, c, ulid, recorded_at, class)
	SELECT o, NULL, c, CASE WHEN is_earlier THEN o_ulid ELSE c_ulid END, CASE WHEN is_earlier THEN o_recorded_at ELSE c_recorded_at END,
	       CASE WHEN class = 1 AND is_earlier THEN 4 ELSE class END
	  FROM (SELECT o.id AS o, c.id AS c, o.ulid AS o_ulid, c.ulid AS c_ulid, o.recorded_at AS o_recorded_at, c.recorded_at AS c_recorded_at,
	               c.id IS NULL OR (k.id IS NULL OR k.id = c.id) AND (o.recorded_at, o.ulid) < (c.recorded_at, c.ulid) AS is_earlier,
	               CASE WHEN v.conflict = 1 OR c.id IS NULL AND k.id IS NOT NULL THEN 2
	                    WHEN c.id IS NULL THEN 0
	                    WHEN c.digest = o.digest AND c.is_open <= o.is_open OR c.is_open < o.is_open THEN 1
	                    WHEN c.is_open > o.is_open THEN CASE WHEN c.forgotten_at IS NULL THEN 3 ELSE 1 END
	                    WHEN c.is_open = 0 THEN 2
	                    WHEN c.forgotten_at IS NULL
	                     AND (o.n_calls, (SELECT count(*) FROM other.call AS a WHERE a.execution_id = o.id AND a.answered = 1), coalesce(o.duration_us, 0), o.digest)
	                       > (c.n_calls, (SELECT count(*) FROM main.call AS a WHERE a.execution_id = c.id AND a.answered = 1), coalesce(c.duration_us, 0), c.digest) THEN 3
	                    ELSE 1 END AS class
	          FROM other.execution AS o
	         CROSS JOIN temp.merge_lineage AS l ON l.o = o.lineage_id
	          LEFT JOIN temp.merge_version AS v ON v.o = o.version_id
	          LEFT JOIN main.execution AS c ON c.lineage_id = l.h AND c.source = o.source AND c.key = o.key
	          LEFT JOIN main.execution AS k ON k.ulid = o.ulid
	         WHERE o.id > ? AND o.id <= ?)`
	sameExecutions      = `UPDATE temp.merge_execution SET h = c WHERE class IN (1, 4)`
	countExecutionClass = `SELECT count(*) FROM temp.merge_execution WHERE class = ?`
	pickFreshExecutions = `INSERT INTO temp.merge_fresh (o) SELECT o FROM temp.merge_execution WHERE class IN (0, 3) ORDER BY o`
	lastExecutionHere   = `SELECT coalesce(max(id), 0) FROM main.execution`
	insertExecutions    = `
	INSERT INTO main.execution (id, ulid, lineage_id, version_id, source, key, task, task_type, complexity, trial, session, status, message, corrections,
	       truncated, model, tokens_input, tokens_output, tokens_cache_read, tokens_cache_write, tokens_reasoning, cost_usd, n_calls, n_failed, rubric,
	       output, output_bytes, output_digest, digest, is_open, at, started_at, duration_us, recorded_at, forgotten_at)
	SELECT ? + f.n, m.ulid, (SELECT l.h FROM temp.merge_lineage AS l WHERE l.o = o.lineage_id), (SELECT v.h FROM temp.merge_version AS v WHERE v.o = o.version_id),
	       o.source, o.key, o.task, o.task_type, o.complexity, o.trial, o.session, o.status, o.message, o.corrections, o.truncated, o.model, o.tokens_input,
	       o.tokens_output, o.tokens_cache_read, o.tokens_cache_write, o.tokens_reasoning, o.cost_usd, o.n_calls, o.n_failed, o.rubric, o.output,
	       o.output_bytes, o.output_digest, o.digest, o.is_open, coalesce(o.started_at, m.recorded_at), o.started_at, o.duration_us, m.recorded_at, o.forgotten_at
	  FROM temp.merge_fresh AS f CROSS JOIN other.execution AS o ON o.id = f.o CROSS JOIN temp.merge_execution AS m ON m.o = f.o`
	copyCalls = `
	INSERT INTO main.call (execution_id, position, key, tool_id, input, input_bytes, input_digest, exit, error, answered, rejected, output, output_bytes,
	       output_digest, started_at, duration_us)
	SELECT ? + f.n, o.position, o.key, (SELECT t.h FROM temp.merge_tool AS t WHERE t.o = o.tool_id), o.input, o.input_bytes, o.input_digest, o.exit, o.error,
	       o.answered, o.rejected, o.output, o.output_bytes, o.output_digest, o.started_at, o.duration_us
	  FROM temp.merge_fresh AS f CROSS JOIN other.call AS o ON o.execution_id = f.o`
	freshExecutionIDs = `UPDATE temp.merge_execution SET h = ? + f.n FROM temp.merge_fresh AS f WHERE f.o = merge_execution.o`
	// Scores under other rubrics, and what is known to be true since, come for what is here too.
	copyTruths = `
	INSERT INTO main.truth (execution_id, name, value)
	SELECT m.h, o.name, o.value FROM temp.merge_execution AS m CROSS JOIN other.truth AS o ON o.execution_id = m.o WHERE m.class <> 2
	    ON CONFLICT (execution_id, name) DO NOTHING`
	pickScores = `
	INSERT INTO temp.merge_scored (o, h, rubric)
	SELECT m.o, m.h, o.rubric FROM temp.merge_execution AS m CROSS JOIN other.execution_score AS o ON o.execution_id = m.o
	  LEFT JOIN main.execution_score AS h ON h.execution_id = m.h AND h.rubric = o.rubric
	 WHERE m.class <> 2 AND h.rubric IS NULL`
	countScored = `
	SELECT count(*) FROM temp.merge_scored AS s JOIN temp.merge_execution AS m ON m.o = s.o WHERE m.class IN (1, 4)`
	copyScores = `
	INSERT INTO main.execution_score (execution_id, rubric, score, grade, n_failed, scored_at)
	SELECT s.h, o.rubric, o.score, o.grade, o.n_failed, o.scored_at
	  FROM temp.merge_scored AS s CROSS JOIN other.execution_score AS o ON o.execution_id = s.o AND o.rubric = s.rubric`
	copyDocuments = `
	INSERT INTO main.score_document (execution_id, rubric, document)
	SELECT s.h, o.rubric, o.document
	  FROM temp.merge_scored AS s CROSS JOIN other.score_document AS o ON o.execution_id = s.o AND o.rubric = s.rubric CROSS JOIN main.execution AS e ON e.id = s.h
	 WHERE e.forgotten_at IS NULL`
	copyComponents = `
	INSERT INTO main.component (execution_id, rubric, name, value)
	SELECT s.h, o.rubric, o.name, o.value
	  FROM temp.merge_scored AS s CROSS JOIN other.component AS o ON o.execution_id = s.o AND o.rubric = s.rubric`
	takeEarlierExecution = `
	UPDATE main.execution AS h SET ulid = m.ulid, recorded_at = m.recorded_at, at = coalesce(h.started_at, m.recorded_at)
	  FROM temp.merge_execution AS m
	 WHERE m.class = 4 AND h.id = m.h AND NOT EXISTS (SELECT 1 FROM main.hook_event WHERE hook_event.execution = h.ulid)`
	toForget = `
	(SELECT m.h FROM temp.merge_execution AS m CROSS JOIN other.execution AS o ON o.id = m.o CROSS JOIN main.execution AS h ON h.id = m.h
	  WHERE m.class IN (1, 4) AND o.forgotten_at IS NOT NULL AND h.forgotten_at IS NULL)`
	forgetMergedCalls   = `UPDATE main.call SET input = NULL, output = NULL, error = CASE error WHEN '' THEN '' ELSE '` + forgotten + `' END WHERE execution_id IN ` + toForget
	forgetMergedDetails = `DELETE FROM main.score_document WHERE execution_id IN ` + toForget
	forgetMerged        = `
	UPDATE main.execution AS h SET output = NULL, message = '', forgotten_at = o.forgotten_at
	  FROM temp.merge_execution AS m CROSS JOIN other.execution AS o ON o.id = m.o
	 WHERE m.class IN (1, 4) AND h.id = m.h AND o.forgotten_at IS NOT NULL AND h.forgotten_at IS NULL`
)

// replacedExecutions removes what another takes the place of, with all that belongs to it.
var replacedExecutions = []string{
	`DELETE FROM main.component WHERE execution_id IN (SELECT c FROM temp.merge_execution WHERE class = 3)`,
	`DELETE FROM main.score_document WHERE execution_id IN (SELECT c FROM temp.merge_execution WHERE class = 3)`,
	`DELETE FROM main.execution_score WHERE execution_id IN (SELECT c FROM temp.merge_execution WHERE class = 3)`,
	`DELETE FROM main.truth WHERE execution_id IN (SELECT c FROM temp.merge_execution WHERE class = 3)`,
	`DELETE FROM main.call WHERE execution_id IN (SELECT c FROM temp.merge_execution WHERE class = 3)`,
	`DELETE FROM main.execution WHERE id IN (SELECT c FROM temp.merge_execution WHERE class = 3)`,
}

const mergeChunkExecutions = 1000

// Executions brings in the executions that were recorded there when the definitions were read, chunk by chunk.
func (m *Merger) Executions(ctx context.Context) error {
	chunk := int64(mergeChunkExecutions)
	if m.options.Chunk > 0 {
		chunk = int64(m.options.Chunk)
	}
	for from := int64(0); from < m.lastExecution; from += chunk {
		err := m.in(ctx, func(tx *Tx) error { return m.executions(tx, from, min(from+chunk, m.lastExecution)) })
		if err != nil {
			return err
		}
		m.progress(m.counts.Executions.Recorded + m.counts.Executions.Known + m.counts.Executions.Conflicts)
	}
	return nil
}

func (m *Merger) executions(tx *Tx, from, to int64) error {
	err := tx.runAll(`DELETE FROM temp.merge_execution`, `DELETE FROM temp.merge_fresh`, `DELETE FROM temp.merge_scored`)
	if err == nil {
		_, err = tx.exec(classifyExecutions, from, to)
	}
	if err == nil {
		err = tx.runAll(sameExecutions, pickFreshExecutions)
	}
	if err == nil {
		err = m.countExecutions(tx)
	}
	if err == nil {
		err = m.executionConflicts(tx)
	}
	if err != nil {
		return err
	}
	if m.options.DryRun {
		_, err := tx.run(pickScores)
		return m.countScores(tx, err)
	}
	if err := m.freshExecutions(tx); err != nil {
		return err
	}
	if err := tx.runAll(takeEarlierExecution, copyTruths, pickScores, copyScores, copyDocuments, copyComponents, forgetMergedCalls, forgetMergedDetails); err != nil {
		return err
	}
	n, err := tx.run(forgetMerged)
	m.counts.Forgotten += n
	return m.countScores(tx, err)
}

func (m *Merger) countScores(tx *Tx, err error) error {
	if err != nil {
		return err
	}
	n, err := tx.count(countScored)
	m.counts.Scores += n
	return err
}

func (m *Merger) countExecutions(tx *Tx) error {
	var n [5]int
	for class := range n {
		var err error
		if n[class], err = tx.count(countExecutionClass, class); err != nil {
			return err
		}
	}
	c := &m.counts
	c.Executions.Recorded += n[mergeNew]
	c.Replaced += n[mergeReplaces]
	c.Executions.Known += n[mergeKnown] + n[mergeEarlier] + n[mergeReplaces]
	c.Executions.Conflicts += n[mergeConflict]
	return nil
}

func (m *Merger) freshExecutions(tx *Tx) error {
	want, err := tx.count(countFresh)
	if err != nil || want == 0 {
		return err
	}
	base, err := tx.count(lastExecutionHere)
	if err != nil {
		return err
	}
	if err := tx.runAll(replacedExecutions...); err != nil {
		return err
	}
	stored, err := tx.run(insertExecutions, base)
	if err != nil {
		return err
	}
	if stored != want {
		return fmt.Errorf("%w: %s: %w", track.ErrInvalid, m.other, errDamagedRows)
	}
	for _, query := range []string{copyCalls, freshExecutionIDs} {
		if _, err := tx.exec(query, base); err != nil {
			return err
		}
	}
	return nil
}

const listExecutionConflicts = `
	SELECT lineage.name AS lineage, o.source, o.key, CASE WHEN v.conflict = 1 THEN 'its version ' || version.name || ' has another content here' WHEN m.c IS NULL THEN 'another execution has its id here'
	       ELSE 'it was recorded otherwise here' ||
	            CASE WHEN hv.name <> version.name THEN '; version: recorded ' || hv.name || ', there ' || version.name ELSE '' END ||
	            CASE WHEN c.task <> o.task THEN '; task: recorded ' || c.task || ', there ' || o.task ELSE '' END ||
	            CASE WHEN c.status <> o.status THEN '; status: recorded ' || c.status || ', there ' || o.status ELSE '' END ||
	            CASE WHEN c.n_calls <> o.n_calls THEN '; calls: recorded ' || c.n_calls || ', there ' || o.n_calls ELSE '' END ||
	            CASE WHEN c.n_failed <> o.n_failed THEN '; failed calls: recorded ' || c.n_failed || ', there ' || o.n_failed ELSE '' END END AS reason
	  FROM temp.merge_execution AS m CROSS JOIN other.execution AS o ON o.id = m.o CROSS JOIN other.lineage ON lineage.id = o.lineage_id
	 CROSS JOIN other.version ON version.id = o.version_id
	  LEFT JOIN temp.merge_version AS v ON v.o = o.version_id
	  LEFT JOIN main.execution AS c ON c.id = m.c LEFT JOIN main.version AS hv ON hv.id = c.version_id
	 WHERE m.class = 2 ORDER BY m.o`

// executionConflicts names the executions of a chunk in whose place another stands here.
func (m *Merger) executionConflicts(tx *Tx) error {
	var rows []struct {
		Lineage string `db:"lineage"`
		Source  string `db:"source"`
		Key     string `db:"key"`
		Reason  string `db:"reason"`
	}
	if err := tx.selectAll(&rows, listExecutionConflicts); err != nil {
		return err
	}
	for _, r := range rows {
		name := r.Key
		if r.Source != "" {
			name = r.Source + " " + r.Key
		}
		m.conflict(MergeConflict{Kind: "execution", Scenario: r.Lineage, Name: name, Reason: r.Reason})
	}
	return nil
}
