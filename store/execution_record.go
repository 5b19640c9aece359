package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
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
	insertLineage = `
	INSERT INTO lineage (id, name, keep_text, created_at, checksum) VALUES ((SELECT coalesce(max(id), 0) + 1 FROM lineage), $1, $2, $3, $4) RETURNING id`
	findVersion   = `SELECT id FROM version WHERE lineage_id = $1 AND name = $2`
	insertVersion = `INSERT INTO version (lineage_id, name, created_at, checksum) VALUES ($1, $2, $3, $4) RETURNING id`
	findExecution = `
	SELECT id, ulid, digest, structure, masking, is_open, n_calls, (SELECT count(*) FROM call WHERE call.execution_id = execution.id AND call.answered = 1),
	       duration_us, recorded_at, forgotten_at
	  FROM execution WHERE lineage_id = (SELECT id FROM lineage WHERE name = $1) AND source = $2 AND key = $3`
	insertExecution = `
	INSERT INTO execution (ulid, lineage_id, version_id, source, key, task, task_type, complexity, trial, session, status, message,
	                       corrections, truncated, holdout, model, tokens_input, tokens_output, tokens_cache_read, tokens_cache_write, tokens_reasoning,
	                       cost_usd, n_calls, n_failed, rubric, prompt, prompt_bytes, prompt_digest, output, output_bytes, output_digest, digest, structure, masking,
	                       is_open, at, started_at, duration_us, recorded_at, checksum, n_unknown, priced, truths, is_indexed)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32,
	        $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44)
	RETURNING id`
	insertCall = `
	INSERT INTO call (execution_id, position, key, tool, input, input_bytes, input_digest, exit, error, answered, rejected,
	                  output, output_bytes, output_digest, output_whole, started_at, duration_us, request)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`
	insertRequest = `
	INSERT INTO request (execution_id, number, message_id, request_id, model, tokens_input, tokens_output, tokens_cache_read, tokens_cache_write, tokens_reasoning)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
	setScore = `
	INSERT INTO execution_score (execution_id, rubric, score, grade, n_failed, n_unknown, scored_at, components, document) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
	ON CONFLICT (execution_id, rubric) DO UPDATE SET score = excluded.score, grade = excluded.grade, n_failed = excluded.n_failed,
	       n_unknown = excluded.n_unknown, scored_at = excluded.scored_at, components = excluded.components, document = excluded.document`
	findExecutionID = `SELECT id FROM execution WHERE ulid = $1`
)

// deleteExecution removes an execution with all that belongs to it.
var deleteExecution = []string{
	`DELETE FROM execution_score WHERE execution_id = $1`, `DELETE FROM request WHERE execution_id = $1`, `DELETE FROM call WHERE execution_id = $1`,
	`DELETE FROM execution WHERE id = $1`,
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
	id, err := t.insertExecution(lineage, version, e)
	if err != nil {
		return nil, err
	}
	t.added(findExecutionByULID, e.ID)
	if err := t.addExecutionParts(id, e); err != nil {
		return nil, err
	}
	if err := t.sealExecution(id); err != nil || forgottenAt.IsZero() {
		return nil, err
	}
	return nil, t.ForgetAt(e.ID, forgottenAt)
}

// FindExecution returns what is recorded under the lineage, the source and the key of an execution; nil if there is
// nothing.
func (r *Reader) FindExecution(ctx context.Context, e ExecutionRecord) (*ExistingExecution, error) {
	return first(ctx, r, findExecution, []any{e.Lineage, e.Source, e.Key}, func(c *cells) ExistingExecution {
		x := ExistingExecution{rowID: c.integer(), ULID: c.text(), digest: c.digest()}
		x.Same, x.SameStructure, x.Masking = x.digest == e.Digest, c.digest() == e.Structure, c.count()
		x.Open, x.NCalls, x.NAnswered, x.Duration = c.isTrue(), c.count(), c.count(), orZero(c.duration())
		x.RecordedAt, x.ForgottenAt = c.time(), c.time()
		x.Forgotten = !x.ForgottenAt.IsZero()
		return x
	})
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
const noDocument = `{}`

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

// DeleteExecution removes an execution that turned out to be a part of another. It does nothing if the execution is
// gone.
func (t *Tx) DeleteExecution(ulid string) error {
	var id int64
	if err := t.getID(&id, findExecutionID, ulid); err != nil {
		if isNoRows(err) {
			err = nil
		}
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
	tokens := orZero(e.Tokens)
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
	var truths any
	if len(e.Truths) > 0 {
		truths = packNumbers(e.Truths)
	}
	return t.addRow(insertExecution, append(columns, unsealed(), unknown, nullText(e.Priced), truths, !e.hasTexts())...)
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

func (t *Tx) addExecutionParts(id int64, e ExecutionRecord) error {
	for i, c := range e.Calls {
		if err := t.checkName("calls.tool", c.Tool); err != nil {
			return err
		}
		input, inputBytes, inputDigest := textColumns(&e.Inputs[i])
		output, outputBytes, outputDigest := textColumns(e.Outputs[i])
		var whole, request any
		if e.Outputs[i] != nil && e.Outputs[i].WholeBytes > 0 {
			whole = e.Outputs[i].WholeBytes
		}
		if c.Request > 0 {
			request = c.Request
		}
		_, err := t.exec(insertCall, id, i, c.Key, c.Tool, input, inputBytes, inputDigest, c.Exit, t.free(c.Error), c.Answered, c.Rejected,
			output, outputBytes, outputDigest, whole, nullTime(c.StartedAt), nullMicros(c.Duration), request)
		if err != nil {
			return err
		}
	}
	if err := t.addRequests(id, e.Requests); err != nil {
		return err
	}
	for _, score := range e.Scores {
		if err := t.addExecutionScore(id, score); err != nil {
			return err
		}
	}
	return nil
}

// addRequests stores requests to a model. They are no part of the digest of an execution, but of its checksum.
func (t *Tx) addRequests(execution int64, requests []track.ModelRequest) error {
	for i, r := range requests {
		tokens := orZero(r.Tokens)
		_, err := t.exec(insertRequest, execution, i+1, nullText(r.Message), nullText(r.ID), nullText(r.Model),
			tokens.Input, tokens.Output, tokens.CacheRead, tokens.CacheWrite, tokens.Reasoning)
		if err != nil {
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
	var components, document any
	if len(s.Components) > 0 {
		numbers := make(map[string]float64, len(s.Components))
		for _, c := range s.Components {
			if numbers[c.Name] = math.NaN(); c.Value != nil {
				numbers[c.Name] = *c.Value
			}
		}
		components = packNumbers(numbers)
	}
	if text := string(s.Detail); text != noDocument {
		if document, err = t.compress(text); err != nil {
			return err
		}
	}
	_, err = t.exec(setScore, id, s.Rubric, s.Score, nullText(s.Grade), s.NFailed, s.NUnknown, micros(s.ScoredAt), components, document)
	return err
}

func (t *Tx) lineageID(name string) (int64, error) {
	return t.findOrAdd(t.ids.lineages, name, findLineage, func() (int64, error) { return t.addLineageRow(name, false, t.now) })
}

func (t *Tx) addLineageRow(name string, keepText bool, createdAt int64) (int64, error) {
	if err := t.checkName("lineage", name); err != nil {
		return 0, err
	}
	id, err := t.addRow(insertLineage, name, keepText, createdAt, unsealed())
	if err == nil {
		err = t.seal(sealedLineages(), id)
	}
	return id, err
}

func (t *Tx) versionID(lineage int64, name string) (id int64, err error) {
	key := fmt.Sprintf("%d\x00%s", lineage, name)
	if id, known := t.ids.versions[key]; known {
		return id, nil
	}
	if err = t.getID(&id, findVersion, lineage, name); isNoRows(err) {
		id, err = t.addVersionRow(lineage, name, t.now)
	}
	if err == nil {
		t.ids.versions[key] = id
	}
	return id, err
}

func (t *Tx) addVersionRow(lineage int64, name string, createdAt int64) (int64, error) {
	if err := t.checkName("version", name); err != nil {
		return 0, err
	}
	id, err := t.addRow(insertVersion, lineage, name, createdAt, unsealed())
	if err == nil {
		err = t.seal(sealedVersions(), id)
	}
	return id, err
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

const (
	hasScore    = `SELECT 1 FROM execution_score WHERE execution_id = $1 AND rubric = $2`
	hasRequests = `SELECT 1 FROM request WHERE execution_id = $1`
	getTruths   = `SELECT truths FROM execution WHERE id = $1`

	setTruths      = `UPDATE execution SET truths = $1 WHERE id = $2`
	setCallRequest = `UPDATE call SET request = $1 WHERE execution_id = $2 AND position = $3`
	takeExecution  = `UPDATE execution SET ulid = $1, recorded_at = $2, at = coalesce(started_at, $2)
	 WHERE id = $3 AND NOT EXISTS (SELECT 1 FROM hook_event WHERE hook_event.execution = ulid)`
)

// AddRecordedParts stores truths of an execution of another database with the same one here, as far as that lacks them;
// requests and scores too if both say the same.
func (t *Tx) AddRecordedParts(here ExistingExecution, e ExecutionRecord) error {
	if len(e.Truths) == 0 && here.digest != e.Digest {
		return nil
	}
	return t.changeExecution(here.rowID, func() error {
		known, err := first(t.ctx, t.Reader, getTruths, []any{here.rowID}, (*cells).numbers)
		if err != nil {
			return err
		}
		truths := maps.Clone(e.Truths)
		maps.Copy(truths, orZero(known))
		if len(truths) > len(orZero(known)) {
			if _, err := t.exec(setTruths, packNumbers(truths), here.rowID); err != nil {
				return err
			}
		}
		if here.digest != e.Digest {
			return nil
		}
		if err := t.addMissingRequests(here.rowID, e); err != nil {
			return err
		}
		for _, score := range e.Scores {
			known, err := t.exists(t.ctx, hasScore, here.rowID, score.Rubric)
			if here.Forgotten {
				score.Detail = jsontext.Value(noDocument)
			}
			if err == nil && !known {
				err = t.addExecutionScore(here.rowID, score)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// addMissingRequests stores the requests of an execution, if it has none.
func (t *Tx) addMissingRequests(execution int64, e ExecutionRecord) error {
	known, err := t.exists(t.ctx, hasRequests, execution)
	if err != nil || known || len(e.Requests) == 0 {
		return err
	}
	err = t.addRequests(execution, e.Requests)
	for i, c := range e.Calls {
		if c.Request > 0 && err == nil {
			_, err = t.exec(setCallRequest, c.Request, execution, i)
		}
	}
	return err
}

// TakeEarlierExecution gives an execution here the ID and the time of a record of it elsewhere that is earlier. One
// that hooks still add to keeps its own.
func (t *Tx) TakeEarlierExecution(here ExistingExecution, id string, recordedAt time.Time) error {
	return t.changeExecution(here.rowID, func() error {
		_, err := t.exec(takeExecution, id, micros(recordedAt), here.rowID)
		return err
	})
}
