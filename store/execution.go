package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// ExecutionRecord is an execution about to be stored.
type ExecutionRecord struct {
	track.Execution                       // its texts are not looked at
	Prompt, Output  *track.RecordedText   // nil if unknown
	Inputs          []track.RecordedText  // of the calls
	Outputs         []*track.RecordedText // of the calls; nil if unknown
	Digest          [sha256.Size]byte     // of all that is recorded
	Structure       [sha256.Size]byte     // of all but the texts
	Masking         int                   // version of the rules that masked the texts
	RecordedAt      time.Time
	Open            bool   // its source ended within it
	Rubric          string // whose score is active; empty for none
	Scores          []track.RecordedScore
}

// ExistingExecution is the recorded execution with the identity of one to be recorded.
type ExistingExecution struct {
	rowID int64
	ULID  string
	Same  bool // nothing differs
	// SameStructure says that nothing but the texts differs. If they were masked by other rules, they may be the same.
	SameStructure bool
	Masking       int  // version of the rules that masked the texts
	Open          bool // it was recorded before its source was complete
	// How far it had come, and whether its texts were removed since.
	NCalls, NAnswered int
	Duration          time.Duration // 0 if unknown
	Forgotten         bool
	RecordedAt        time.Time
	ForgottenAt       time.Time
	digest            [sha256.Size]byte
}

const (
	findLineage   = `SELECT id FROM lineage WHERE name = $1`
	insertLineage = `INSERT INTO lineage (id, name, created_at, checksum) VALUES ((SELECT coalesce(max(id), 0) + 1 FROM lineage), $1, $2, $3) RETURNING id`
	subjectOfNew  = "agent" // as the schema gives it
	findVersion   = `SELECT id FROM version WHERE lineage_id = $1 AND name = $2`
	insertVersion = `INSERT INTO version (lineage_id, name, created_at, checksum) VALUES ($1, $2, $3, $4) RETURNING id`
	findTool      = `SELECT id FROM tool WHERE name = $1`
	insertTool    = `INSERT INTO tool (name) VALUES ($1) RETURNING id`
	findExecution = `
	SELECT id, ulid, digest, structure, masking, is_open, n_calls, (SELECT count(*) FROM call WHERE call.execution_id = execution.id AND call.answered = 1) AS n_answered,
	       coalesce(duration_us, 0) AS duration_us, recorded_at, forgotten_at
	  FROM execution WHERE lineage_id = $1 AND source = $2 AND key = $3`
	insertExecution = `
	INSERT INTO execution (ulid, lineage_id, version_id, source, key, task, task_type, complexity, trial, session, status, message,
	                       corrections, truncated, holdout, model, tokens_input, tokens_output, tokens_cache_read, tokens_cache_write, tokens_reasoning,
	                       cost_usd, n_calls, n_failed, rubric, prompt, prompt_bytes, prompt_digest, output, output_bytes, output_digest, digest, structure, masking, is_open, at, started_at, duration_us, recorded_at, checksum,
	                       n_unknown, priced)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42)
	RETURNING id`
	insertCall = `
	INSERT INTO call (execution_id, position, key, tool_id, input, input_bytes, input_digest, exit, error, answered, rejected,
	                  output, output_bytes, output_digest, output_whole, started_at, duration_us, request{, lineage_id})
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18{, $19})`
	insertUnindexed      = `INSERT INTO unindexed (execution_id{, lineage_id}) VALUES ($1{, $2})`
	insertTruth          = `INSERT INTO truth (execution_id, name, value{, lineage_id}) VALUES ($1, $2, $3{, $4})`
	insertExecutionScore = `
	INSERT INTO execution_score (execution_id, rubric, score, grade, n_failed, n_unknown, scored_at{, lineage_id}) VALUES ($1, $2, $3, $4, $5, $6, $7{, $8})
	ON CONFLICT (execution_id, rubric{, lineage_id}) DO UPDATE SET score = excluded.score, grade = excluded.grade, n_failed = excluded.n_failed,
	       n_unknown = excluded.n_unknown, scored_at = excluded.scored_at`
	deleteScoreDocument = `DELETE FROM score_document WHERE execution_id = $1 AND rubric = $2`
	insertScoreDocument = `INSERT INTO score_document (execution_id, rubric, document{, lineage_id}) VALUES ($1, $2, $3{, $4})`
	deleteComponents    = `DELETE FROM component WHERE execution_id = $1 AND rubric = $2`
	insertComponent     = `INSERT INTO component (execution_id, rubric, name, value{, lineage_id}) VALUES ($1, $2, $3, $4{, $5})`
)

// deleteExecution removes an execution with all that belongs to it.
var deleteExecution = []string{
	`DELETE FROM component WHERE execution_id = $1`, `DELETE FROM score_document WHERE execution_id = $1`, `DELETE FROM execution_score WHERE execution_id = $1`,
	`DELETE FROM truth WHERE execution_id = $1`, `DELETE FROM request WHERE execution_id = $1`, `DELETE FROM call WHERE execution_id = $1`, `DELETE FROM execution WHERE id = $1`,
}

// AddExecution stores an execution, without its texts if it was forgotten. If its lineage, source and key are taken,
// it stores nothing and returns what has them.
func (t *Tx) AddExecution(e ExecutionRecord) (*ExistingExecution, error) {
	if existing, err := t.FindExecution(t.ctx, e); err != nil || existing != nil {
		return existing, err
	}
	lineage, err := t.lineageID(e.Lineage)
	if err != nil {
		return nil, err
	}
	version, err := t.versionID(lineage, e.Version)
	if err != nil {
		return nil, err
	}
	if e, err = t.freeExecution(e); err != nil {
		return nil, err
	}
	forgottenAt, err := t.forgottenSince(e)
	if err != nil {
		return nil, err
	}
	if !forgottenAt.IsZero() {
		e = e.withoutTexts()
		t.NForgotten++
	}
	calls, err := t.callColumns(e)
	if err != nil {
		return nil, err
	}
	id, err := t.insertExecution(lineage, version, e)
	if err != nil {
		return nil, err
	}
	t.added(findExecutionByULID, e.ID)
	if err := t.addExecutionParts(id, e, calls); err != nil {
		return nil, err
	}
	if err := t.sealExecution(id); err != nil || forgottenAt.IsZero() {
		return nil, err
	}
	return nil, t.ForgetAt(e.ID, forgottenAt)
}

type existingRow struct {
	ID          int64         `db:"id"`
	ULID        string        `db:"ulid"`
	Digest      []byte        `db:"digest"`
	Structure   []byte        `db:"structure"`
	Masking     int           `db:"masking"`
	Open        bool          `db:"is_open"`
	NCalls      int           `db:"n_calls"`
	NAnswered   int           `db:"n_answered"`
	DurationUS  int64         `db:"duration_us"`
	RecordedAt  int64         `db:"recorded_at"`
	ForgottenAt sql.NullInt64 `db:"forgotten_at"`
}

func (r existingRow) existing(e ExecutionRecord) *ExistingExecution {
	return &ExistingExecution{
		rowID: r.ID, ULID: r.ULID, Same: string(r.Digest) == string(e.Digest[:]), Open: r.Open, NCalls: r.NCalls, NAnswered: r.NAnswered,
		SameStructure: string(r.Structure) == string(e.Structure[:]), Masking: r.Masking,
		Duration: time.Duration(r.DurationUS) * time.Microsecond, Forgotten: r.ForgottenAt.Valid, ForgottenAt: nullableTime(r.ForgottenAt),
		RecordedAt: fromMicros(r.RecordedAt), digest: asDigest(r.Digest),
	}
}

// FindExecution returns what is recorded under the lineage, the source and the key of an execution; nil if there is
// nothing.
func (r *Reader) FindExecution(ctx context.Context, e ExecutionRecord) (*ExistingExecution, error) {
	var lineage int64
	var row existingRow
	err := r.read().GetContext(ctx, &lineage, findLineage, e.Lineage)
	if err == nil {
		err = r.read().GetContext(ctx, &row, findExecution, lineage, e.Source, e.Key)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(err)
	}
	return row.existing(e), nil
}

// HasDigest reports whether the execution has a digest.
func (e ExistingExecution) HasDigest(digest [sha256.Size]byte) bool { return e.digest == digest }

// Row returns the row of the execution.
func (e ExistingExecution) Row() int64 { return e.rowID }

// ReplaceExecution stores an execution in the place of one that was recorded before its source was complete. Where
// the texts of that one were removed, those of the new one are not stored either.
func (t *Tx) ReplaceExecution(existing ExistingExecution, e ExecutionRecord) error {
	if err := t.deleteExecution(existing.rowID); err != nil {
		return err
	}
	if existing.Forgotten {
		e = e.withoutTexts()
	}
	again, err := t.AddExecution(e)
	switch {
	case err != nil:
		return err
	case again != nil:
		return fmt.Errorf("execution %s is still there", again.ULID)
	case existing.Forgotten:
		err = t.ForgetAt(e.ID, existing.ForgottenAt)
	}
	return err
}

// hasTexts reports whether a text of the execution is kept.
func (e ExecutionRecord) hasTexts() bool {
	kept := func(text *track.RecordedText) bool { return text != nil && text.Text != nil }
	if kept(e.Prompt) || kept(e.Output) || e.Message != "" {
		return true
	}
	for i, c := range e.Calls {
		if c.Error != "" || kept(&e.Inputs[i]) || kept(e.Outputs[i]) {
			return true
		}
	}
	return false
}

// noDocument is the document of a score without details. It is not stored.
const noDocument = "{}"

// Forgotten replaces an error message that was removed.
const Forgotten = "[forgotten]"

// withoutTexts is what stays of an execution whose texts are removed.
func (e ExecutionRecord) withoutTexts() ExecutionRecord {
	without := func(text *track.RecordedText) *track.RecordedText {
		if text == nil {
			return nil
		}
		return &track.RecordedText{Digest: text.Digest, Bytes: text.Bytes, WholeBytes: text.WholeBytes}
	}
	e.Message, e.Execution.Prompt, e.Execution.Output, e.Prompt, e.Output = "", nil, nil, without(e.Prompt), without(e.Output)
	e.Calls, e.Inputs, e.Outputs, e.Scores = slices.Clone(e.Calls), slices.Clone(e.Inputs), slices.Clone(e.Outputs), slices.Clone(e.Scores)
	for i := range e.Calls {
		if e.Calls[i].Error != "" {
			e.Calls[i].Error = Forgotten
		}
		e.Inputs[i], e.Outputs[i] = *without(&e.Inputs[i]), without(e.Outputs[i])
	}
	for i := range e.Scores {
		e.Scores[i].Detail = jsontext.Value(noDocument)
	}
	return e
}

const findExecutionID = `SELECT id FROM execution WHERE ulid = $1`

// DeleteExecution removes an execution that turned out to be a part of another. It does nothing if the execution is
// gone.
func (t *Tx) DeleteExecution(ulid string) error {
	var id int64
	err := t.getID(&id, findExecutionID, ulid)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return t.deleteExecution(id)
}

func (t *Tx) deleteExecution(id int64) error {
	if err := t.removeFromIndex(id); err != nil {
		return err
	}
	for _, statement := range deleteExecution {
		if _, err := t.exec(statement, id); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) insertExecution(lineage, version int64, e ExecutionRecord) (id int64, err error) {
	failed, unknown := 0, 0
	for _, c := range e.Calls {
		switch {
		case c.Failed():
			failed++
		case c.Unknown():
			unknown++
		}
	}
	var tokens track.Tokens
	if e.Tokens != nil {
		tokens = *e.Tokens
	}
	at := e.StartedAt
	if at.IsZero() {
		at = e.RecordedAt
	}
	prompt, promptBytes, promptDigest := textColumns(e.Prompt)
	output, outputBytes, outputDigest := textColumns(e.Output)
	columns := []any{
		e.ID, lineage, version, e.Source, e.Key, nullText(e.Task), nullText(e.TaskType), nullText(string(e.Complexity)), e.Trial, nullText(e.Session),
		string(e.Status), t.free(e.Message), e.Corrections, e.Truncated, e.Holdout, nullText(e.Model), tokens.Input, tokens.Output, tokens.CacheRead, tokens.CacheWrite, tokens.Reasoning,
		e.CostUSD, len(e.Calls), failed, nullText(e.Rubric), prompt, promptBytes, promptDigest, output, outputBytes, outputDigest, e.Digest[:], e.Structure[:], e.Masking, e.Open, micros(at),
		nullTime(e.StartedAt), nullMicros(e.Duration), micros(e.RecordedAt),
	}
	err = t.getID(&id, insertExecution, append(columns, unsealed(), unknown, nullText(e.Priced))...)
	if err != nil {
		return 0, err
	}
	t.shardKeys.keep("execution", id, lineage)
	t.nRows++
	return id, nil
}

// textColumns are the columns of a text: as it is, its size and its digest.
func textColumns(text *track.RecordedText) (kept, size, digest any) {
	if text == nil {
		return nil, nil, nil
	}
	if text.Text != nil {
		kept = *text.Text
	}
	return kept, text.Bytes, text.Digest[:]
}

// callColumns are the columns of a call after its execution and its position.
type callColumns struct {
	key, tool                         string
	toolID                            int64
	input, inputBytes, inputDigest    any
	exit, err                         any
	answered, rejected                bool
	output, outputBytes, outputDigest any
	outputWhole                       any
	startedAt, duration, request      any
}

func (t *Tx) callColumns(e ExecutionRecord) (list []callColumns, err error) {
	list = make([]callColumns, len(e.Calls))
	for i, c := range e.Calls {
		columns := callColumns{
			key: c.Key, tool: c.Tool, exit: c.Exit, err: t.free(c.Error), answered: c.Answered, rejected: c.Rejected, startedAt: nullTime(c.StartedAt),
			duration: nullMicros(c.Duration),
		}
		if columns.toolID, err = t.toolID(c.Tool); err != nil {
			return nil, err
		}
		columns.input, columns.inputBytes, columns.inputDigest = textColumns(&e.Inputs[i])
		columns.output, columns.outputBytes, columns.outputDigest = textColumns(e.Outputs[i])
		if output := e.Outputs[i]; output != nil && output.WholeBytes > 0 {
			columns.outputWhole = output.WholeBytes
		}
		if c.Request > 0 {
			columns.request = c.Request
		}
		list[i] = columns
	}
	return list, nil
}

func (t *Tx) addExecutionParts(id int64, e ExecutionRecord, calls []callColumns) error {
	for i, c := range calls {
		err := t.addPart("execution", id, insertCall, id, i, c.key, c.toolID, c.input, c.inputBytes, c.inputDigest, c.exit, c.err, c.answered, c.rejected,
			c.output, c.outputBytes, c.outputDigest, c.outputWhole, c.startedAt, c.duration, c.request)
		if err != nil {
			return err
		}
	}
	if err := t.addRequests(id, e.Requests); err != nil {
		return err
	}
	if e.hasTexts() {
		if err := t.addPart("execution", id, insertUnindexed, id); err != nil {
			return err
		}
	}
	for name, value := range e.Truths {
		if err := t.addPart("execution", id, insertTruth, id, name, value); err != nil {
			return err
		}
	}
	for _, score := range e.Scores {
		if err := t.addExecutionScore(id, score); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) addExecutionScore(id int64, s track.RecordedScore) error {
	s, err := t.freeScore(s)
	if err != nil {
		return err
	}
	var document any
	if text := string(s.Detail); text != noDocument {
		if document, err = t.compress(text); err != nil {
			return err
		}
	}
	if err := t.addPart("execution", id, insertExecutionScore, id, s.Rubric, s.Score, nullText(s.Grade), s.NFailed, s.NUnknown, micros(s.ScoredAt)); err != nil {
		return err
	}
	if _, err := t.exec(deleteScoreDocument, id, s.Rubric); err != nil {
		return err
	}
	if document != nil {
		if err := t.addPart("execution", id, insertScoreDocument, id, s.Rubric, document); err != nil {
			return err
		}
	}
	if _, err := t.exec(deleteComponents, id, s.Rubric); err != nil {
		return err
	}
	for _, c := range s.Components {
		if err := t.addPart("execution", id, insertComponent, id, s.Rubric, c.Name, c.Value); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) lineageID(name string) (int64, error) {
	return cachedID(t.ids.lineages, name, func() (int64, error) {
		return t.upsertName("lineage", name, findLineage, insertLineage, t.now, Checksum[any](name, int64(0), nil, subjectOfNew, int64(0), t.now))
	})
}

func (t *Tx) toolID(name string) (int64, error) {
	return cachedID(t.ids.tools, name, func() (int64, error) {
		return t.upsertName("tool", name, findTool, insertTool)
	})
}

func (t *Tx) versionID(lineage int64, name string) (int64, error) {
	return cachedID(t.ids.versions, fmt.Sprintf("%d\x00%s", lineage, name), func() (id int64, err error) {
		if err = t.get(&id, findVersion, lineage, name); !errors.Is(err, sql.ErrNoRows) {
			return id, err
		}
		if err := t.checkName("version", name); err != nil {
			return 0, err
		}
		if err := t.get(&id, insertVersion, lineage, name, t.now, unsealed()); err != nil {
			return 0, err
		}
		return id, t.seal(sealedVersions(), id)
	})
}
