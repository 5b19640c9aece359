package tracker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/oklog/ulid/v2"

	"track"
	"track/masking"
	"track/scoring/rubric"
	"track/store"
)

// RubricOwn is the name under which the caller's own score stands.
const RubricOwn = "own"

// ExecutionOptions say how executions are recorded and scored.
type ExecutionOptions struct {
	KeepText bool               // keep inputs and outputs of calls, masked, and not their digests alone
	Format   *rubric.FormatSpec // what was asked for; nil for nothing
	Scoring  rubric.Options
}

// ExecutionResult says what became of an execution that was handed over.
type ExecutionResult struct {
	Disposition Disposition // Recorded, Duplicate, Conflict, or Replaced: what was open is complete now
	ID          string      // of what stands in the database
	Rubric      string      // whose score is in force; empty for none
	Own         *float64    // the caller's own score
	Score       rubric.Score
	NMasked     int // secrets that were masked
}

// ExecutionRecorder records executions of agents and scores them under every rubric.
type ExecutionRecorder struct {
	store   *store.Store
	options ExecutionOptions
	entropy io.Reader
	keeps   map[string]bool // of lineages, whether they keep texts
}

// NewExecutionRecorder returns a recorder into st. entropy makes the ids of records unique, as crypto/rand.Reader does.
func NewExecutionRecorder(st *store.Store, options ExecutionOptions, entropy io.Reader) *ExecutionRecorder {
	return &ExecutionRecorder{st, options, ulid.Monotonic(entropy, 0), map[string]bool{}}
}

// preparedExecution is an execution with everything that can be computed outside of a transaction.
type preparedExecution struct {
	store.ExecutionRecord
	score   rubric.Score
	nMasked int
}

// Score scores an execution and stores nothing.
func (r *ExecutionRecorder) Score(ctx context.Context, e track.Execution) (ExecutionResult, error) {
	keep, err := r.keepsText(ctx, e.Lineage)
	if err != nil {
		return ExecutionResult{}, err
	}
	p, err := r.prepare(e, keep, false)
	return p.result(Recorded), err
}

// Record stores executions in one durable transaction. open says that the source of the last one ends within it.
func (r *ExecutionRecorder) Record(ctx context.Context, executions []track.Execution, open bool) ([]ExecutionResult, error) {
	prepared := make([]preparedExecution, len(executions))
	for i, e := range executions {
		keep, err := r.keepsText(ctx, e.Lineage)
		if err != nil {
			return nil, err
		}
		if prepared[i], err = r.prepare(e, keep, open && i == len(executions)-1); err != nil {
			return nil, err
		}
	}
	results := make([]ExecutionResult, len(prepared))
	err := r.store.Update(ctx, func(tx *store.Tx) (err error) {
		for i, p := range prepared {
			if results[i], err = r.record(tx, p); err != nil {
				return err
			}
		}
		return nil
	})
	return results, err
}

func (p preparedExecution) result(d Disposition) ExecutionResult {
	return ExecutionResult{Disposition: d, ID: p.ID, Rubric: p.Rubric, Own: p.Execution.Score, Score: p.score, NMasked: p.nMasked}
}

// RecordLive stores an execution within a transaction that also changes what it was made of. earlier are the ULIDs of the executions that
// were made of the same before: it takes the place of the first, and the others go.
func (r *ExecutionRecorder) RecordLive(tx *store.Tx, e track.Execution, open bool, earlier []string) (ExecutionResult, error) {
	keep, err := tx.KeepsText(e.Lineage)
	if err != nil {
		return ExecutionResult{}, err
	}
	p, err := r.prepare(e, keep || r.options.KeepText, open)
	if err != nil {
		return ExecutionResult{}, err
	}
	existing, err := tx.FindExecution(p.ExecutionRecord)
	if err != nil {
		return ExecutionResult{}, err
	}
	stale := slices.DeleteFunc(slices.Clone(earlier), func(ulid string) bool { return existing != nil && existing.ULID == ulid })
	for _, ulid := range stale {
		if err := tx.DeleteExecution(ulid); err != nil {
			return ExecutionResult{}, err
		}
	}
	if existing == nil && len(stale) > 0 {
		p.ID = stale[0]
	}
	if own := len(stale) < len(earlier); own && !existing.Open && !p.Open && !existing.Same {
		p.ID = existing.ULID
		return p.result(Replaced), tx.ReplaceExecution(*existing, p.ExecutionRecord)
	}
	return r.record(tx, p)
}

func (r *ExecutionRecorder) record(tx *store.Tx, p preparedExecution) (ExecutionResult, error) {
	existing, err := tx.AddExecution(p.ExecutionRecord)
	switch {
	case err != nil:
		return ExecutionResult{}, err
	case existing == nil:
		return p.result(Recorded), nil
	}
	result := p.result(Duplicate)
	result.ID = existing.ULID
	switch {
	case existing.Same && existing.Open == p.Open:
		return result, nil
	case existing.Open:
		p.ID = existing.ULID // it stays the same execution
		result.Disposition = Replaced
		return result, tx.ReplaceExecution(*existing, p.ExecutionRecord)
	case p.Open: // what is complete knows more
		return result, nil
	}
	result.Disposition = Conflict
	return result, nil
}

// prepare masks, scores and digests an execution. Scores are of the masked text: they quote it.
func (r *ExecutionRecorder) prepare(e track.Execution, keep, open bool) (preparedExecution, error) {
	if e.Status == "" {
		e.Status = track.ExecutionOK
	}
	if err := e.Validate(); err != nil {
		return preparedExecution{}, err
	}
	if e.Lineage == "" {
		return preparedExecution{}, &track.FieldError{Field: "lineage", Message: "is missing: name the lineage that the agent belongs to"}
	}
	if e.Score != nil && !(*e.Score >= 0 && *e.Score <= 100) {
		return preparedExecution{}, &track.FieldError{Field: "score", Message: fmt.Sprintf("%v is not from 0 to 100", *e.Score)}
	}
	p := preparedExecution{}
	e, p.nMasked = masked(e)
	now := r.store.Now()
	id, err := ulid.New(ulid.Timestamp(now), r.entropy)
	if err != nil {
		return p, fmt.Errorf("new id: %w", err)
	}
	e.ID = id.String()
	p.Execution, p.RecordedAt, p.Open = e, now, open
	if p.Digest, err = digestExecution(e); err != nil {
		return p, err
	}
	if p.Key == "" {
		p.Key = e.ID
	}
	p.keepTexts(keep)
	return p, p.addScores(r.options)
}

func (r *ExecutionRecorder) keepsText(ctx context.Context, lineage string) (bool, error) {
	if r.options.KeepText {
		return true, nil
	}
	keep, known := r.keeps[lineage]
	if known {
		return keep, nil
	}
	keep, err := r.store.KeepsText(ctx, lineage)
	r.keeps[lineage] = keep
	return keep, err
}

// masked takes the secrets out of every text of an execution, and says how many there were.
func masked(e track.Execution) (track.Execution, int) {
	total := 0
	mask := func(s string) string {
		clean, n := masking.Mask(s)
		total += n
		return clean
	}
	maskPointer := func(s *string) *string {
		if s == nil {
			return nil
		}
		clean := mask(*s)
		return &clean
	}
	e.Message, e.Output = mask(e.Message), maskPointer(e.Output)
	calls := make([]track.ToolCall, len(e.Calls))
	for i, c := range e.Calls {
		c.Input, c.Command, c.Error, c.Output = mask(c.Input), mask(c.Command), mask(c.Error), maskPointer(c.Output)
		calls[i] = c
	}
	e.Calls = calls
	files := make([]track.WrittenFile, len(e.Files))
	for i, f := range e.Files {
		files[i] = track.WrittenFile{Name: f.Name, Content: mask(f.Content)}
	}
	e.Files = files
	return e, total
}

// digestExecution identifies what is known of an execution, its id left out.
func digestExecution(e track.Execution) ([sha256.Size]byte, error) {
	e.ID = ""
	document, err := json.Marshal(e)
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("digest: %w", err)
	}
	return sha256.Sum256(document), nil
}

// keepTexts keeps the final output, which scoring again needs, and the texts of the calls where that was asked for.
func (p *preparedExecution) keepTexts(keep bool) {
	p.Output = storedText(p.Execution.Output, true)
	for _, c := range p.Calls {
		p.Inputs = append(p.Inputs, *storedText(&c.Input, keep))
		p.Outputs = append(p.Outputs, storedText(c.Output, keep))
	}
}

func storedText(text *string, keep bool) *store.StoredText {
	if text == nil {
		return nil
	}
	stored := &store.StoredText{Digest: sha256.Sum256([]byte(*text)), Bytes: len(*text)}
	if keep {
		stored.Text = text
	}
	return stored
}

// addScores scores an execution that ended well, under every rubric: texts that are not kept cannot be scored later.
func (p *preparedExecution) addScores(o ExecutionOptions) error {
	if p.Status != track.ExecutionOK {
		return nil
	}
	scored := RubricInput(p.Execution, o.Format)
	for _, name := range rubric.Names() {
		r, err := rubric.ByName(name)
		if err != nil {
			return err
		}
		score := r.Score(scored, o.Scoring)
		if name == rubric.V2 {
			p.score = score
			if score.Defined {
				p.Rubric = name
			}
		}
		record, err := scoreRecord(score)
		if err != nil {
			return err
		}
		record.ScoredAt = p.RecordedAt
		p.Scores = append(p.Scores, record)
	}
	if own := p.Execution.Score; own != nil {
		p.Rubric = RubricOwn
		p.Scores = append(p.Scores, store.ExecutionScore{
			Rubric: RubricOwn, Score: own, Grade: string(rubric.GradeOf(*own)), NFailed: p.score.NFailed, Document: []byte("{}"), ScoredAt: p.RecordedAt,
		})
	}
	return nil
}

func scoreRecord(s rubric.Score) (store.ExecutionScore, error) {
	document, err := json.Marshal(s)
	if err != nil {
		return store.ExecutionScore{}, fmt.Errorf("score of %s: %w", s.Rubric, err)
	}
	record := store.ExecutionScore{Rubric: s.Rubric, Grade: string(s.Grade), NFailed: s.NFailed, Document: document}
	if s.Defined {
		record.Score = &s.Value
	}
	for _, c := range s.Components {
		record.Components = append(record.Components, store.ComponentValue{Name: c.Name, Value: c.Value})
	}
	return record, nil
}

// RubricInput is what a rubric sees of an execution.
func RubricInput(e track.Execution, format *rubric.FormatSpec) rubric.Execution {
	corrections, truncated := e.Corrections, e.Truncated
	in := rubric.Execution{
		TaskType: e.TaskType, Complexity: rubric.Complexity(e.Complexity), Output: e.Output, Truncated: &truncated, Duration: e.Duration,
		Corrections: &corrections, Format: format,
	}
	for _, c := range e.Calls {
		in.Calls = append(in.Calls, rubricCall(c))
	}
	for _, f := range e.Files {
		in.Files = append(in.Files, rubric.File{Name: f.Name, Content: f.Content})
	}
	return in
}

func rubricCall(c track.ToolCall) rubric.Call {
	digest := sha256.Sum256([]byte(c.Input))
	call := rubric.Call{
		Tool: c.Tool, Exit: c.Exit, Error: c.Error, Answered: c.Answered, Output: c.Output, Command: c.Command, InputDigest: hex.EncodeToString(digest[:]),
	}
	if c.Input == "" {
		call.InputDigest = ""
	}
	if c.Rejected && call.Error == "" {
		call.Error = "rejected by the user"
	}
	if !c.Answered { // a result that is not there is no result, whatever else is known
		call.Output = nil
	}
	return call
}

// FitnessReport is the fitness of a version of a lineage.
type FitnessReport struct {
	rubric.FitnessResult
	Lineage, Version string
	NExecutions      int
	NFailed          int // that did not end well: they have no score
	Own              int // executions whose score is the caller's own
}

// Fitness aggregates the executions of a version: the scores under a rubric, or those in force where it is empty.
func Fitness(ctx context.Context, st *store.Store, lineage, version, rubricName string, options rubric.FitnessOptions) (FitnessReport, error) {
	report := FitnessReport{Lineage: lineage, Version: version}
	scores, err := st.VersionScores(ctx, lineage, version, rubricName)
	if err != nil {
		return report, err
	}
	list := make([]rubric.ScoredExecution, len(scores))
	for i, s := range scores {
		if s.Status != track.ExecutionOK {
			report.NFailed++
		}
		list[i] = rubric.ScoredExecution{ID: s.ID, At: s.At, Score: scoreOf(s, rubricName)}
	}
	report.NExecutions = len(scores)
	report.FitnessResult, err = rubric.Fitness(list, options)
	return report, err
}

// scoreOf is a stored score as the fitness needs it.
func scoreOf(s store.VersionScore, rubricName string) rubric.Score {
	score := rubric.Score{Rubric: rubricName, Value: math.NaN()}
	if s.Score != nil {
		score.Value, score.Defined, score.Grade = *s.Score, true, rubric.GradeOf(*s.Score)
	}
	for _, c := range s.Components {
		score.Components = append(score.Components, rubric.Component{Name: c.Name, Value: c.Value})
	}
	return score
}
