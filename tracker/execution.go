package tracker

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

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

	// ContentKeys makes what an execution without a key says its key, so that recording it again does nothing.
	ContentKeys bool
	// Growing says that executions come from logs that grow: one that has come further than what is recorded replaces it, one that has not
	// come as far is a duplicate.
	Growing bool
}

// ExecutionResult says what became of an execution that was handed over, and what that is worth.
type ExecutionResult struct {
	Disposition Disposition // Recorded, Duplicate, Conflict, or Replaced: what was open is complete now
	ID          string      // of what stands in the database
	Rubric      string      // whose score is in force; empty for none
	Own         *float64    // the caller's own score
	Score       rubric.Score
	NMasked     int // secrets that were masked
}

// ExecutionRecorder records executions of agents and scores them under every rubric. It belongs to one goroutine.
type ExecutionRecorder struct {
	store   *store.Store
	options ExecutionOptions
	entropy io.Reader
	keeps   map[string]bool // of lineages, whether they keep texts
	last    time.Time       // when the last execution was recorded: the next one is later
}

// NewExecutionRecorder returns a recorder into st. entropy makes the ids of records unique, as crypto/rand.Reader does.
func NewExecutionRecorder(st *store.Store, options ExecutionOptions, entropy io.Reader) *ExecutionRecorder {
	return &ExecutionRecorder{store: st, options: options, entropy: ulid.Monotonic(entropy, 0), keeps: map[string]bool{}}
}

// preparedExecution is an execution with everything that can be computed outside of a transaction.
type preparedExecution struct {
	store.ExecutionRecord
	score   rubric.Score
	nMasked int
}

// ScoreExecution scores an execution as recording it would, and stores nothing.
func ScoreExecution(e track.Execution, options ExecutionOptions) (ExecutionResult, error) {
	p, err := checkExecution(e)
	if err == nil {
		err = p.addScores(options)
	}
	return p.result(Recorded), err
}

// Score is [ScoreExecution] with the options of the recorder.
func (r *ExecutionRecorder) Score(_ context.Context, e track.Execution) (ExecutionResult, error) {
	return ScoreExecution(e, r.options)
}

// Record stores executions in one durable transaction. open says that the source of the last one ends within it.
func (r *ExecutionRecorder) Record(ctx context.Context, executions []track.Execution, open bool) ([]ExecutionResult, error) {
	prepared := make([]preparedExecution, len(executions))
	for i, e := range executions {
		var err error
		if prepared[i], err = r.prepare(ctx, e, open && i == len(executions)-1); err != nil {
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
	result := ExecutionResult{Disposition: d, ID: p.ID, Rubric: p.Rubric, Score: p.score, NMasked: p.nMasked}
	if p.Rubric == RubricOwn {
		result.Own = p.Execution.Score
	}
	return result
}

// RecordLive stores an execution within a transaction that also changes what it was made of. earlier are the ULIDs of the executions that
// were made of the same before: it takes the place of the first, and the others go.
func (r *ExecutionRecorder) RecordLive(tx *store.Tx, e track.Execution, open bool, earlier []string) (ExecutionResult, error) {
	keep, err := tx.KeepsText(e.Lineage)
	if err != nil {
		return ExecutionResult{}, err
	}
	p, err := r.identify(e, open)
	if err == nil {
		err = p.complete(r.options, r.store.Now(), keep || r.options.KeepText)
	}
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
	r.stamp(&p)
	if p.ID == "" {
		id, err := ulid.New(ulid.Timestamp(p.RecordedAt), r.entropy)
		if err != nil {
			return ExecutionResult{}, fmt.Errorf("new id: %w", err)
		}
		p.ID = id.String()
	}
	if p.Key == "" {
		p.Key = p.ID
	}
	existing, err := tx.AddExecution(p.ExecutionRecord)
	switch {
	case err != nil:
		return ExecutionResult{}, err
	case existing == nil:
		return p.result(Recorded), nil
	}
	p.ID = existing.ULID // it stays the same execution
	result := p.result(r.disposition(*existing, p))
	if result.Disposition == Replaced {
		err = tx.ReplaceExecution(*existing, p.ExecutionRecord)
	}
	return result, err
}

// stamp gives executions rising times in the order in which they are recorded, which is that of their source: where no start is known
// the newest are found by it.
func (r *ExecutionRecorder) stamp(p *preparedExecution) {
	now := r.store.Now()
	if !now.After(r.last) {
		now = r.last.Add(time.Microsecond)
	}
	r.last, p.RecordedAt = now, now
	for i := range p.Scores {
		p.Scores[i].ScoredAt = now
	}
}

// disposition says what becomes of an execution in whose place another stands.
func (r *ExecutionRecorder) disposition(existing store.ExistingExecution, p preparedExecution) Disposition {
	further := 0
	if r.options.Growing {
		further = p.further(existing)
	}
	olderLook := existing.Open && p.Open && len(p.Calls) < existing.NCalls
	switch {
	case existing.Same && existing.Open == p.Open, olderLook, r.options.Growing && existing.Forgotten, further < 0:
		return Duplicate
	case existing.Open, further > 0:
		return Replaced
	case p.Open: // what is complete knows more
		return Duplicate
	}
	return Conflict
}

// further is greater than 0 where the execution has come further than what is recorded, and less where it has not come as far.
func (p preparedExecution) further(existing store.ExistingExecution) int {
	answered, duration := 0, time.Duration(0)
	for _, c := range p.Calls {
		if c.Answered {
			answered++
		}
	}
	if p.Duration != nil {
		duration = p.Duration.Truncate(time.Microsecond) // as it is stored
	}
	return cmp.Or(cmp.Compare(len(p.Calls), existing.NCalls), cmp.Compare(answered, existing.NAnswered), cmp.Compare(duration, existing.Duration))
}

// prepare does all that can be done outside of a transaction. Scores are of the masked text: they quote it.
func (r *ExecutionRecorder) prepare(ctx context.Context, e track.Execution, open bool) (preparedExecution, error) {
	p, err := r.identify(e, open)
	if err != nil {
		return p, err
	}
	keep, err := r.keepsText(ctx, p.Lineage)
	if err != nil {
		return p, err
	}
	return p, p.complete(r.options, r.store.Now(), keep)
}

// identify checks, masks and digests an execution.
func (r *ExecutionRecorder) identify(e track.Execution, open bool) (p preparedExecution, err error) {
	if p, err = checkExecution(e); err != nil {
		return p, err
	}
	p.Open = open
	if p.Digest, err = digestExecution(p.Execution); err != nil {
		return p, err
	}
	if p.Key == "" && r.options.ContentKeys {
		p.Key = "sha256:" + hex.EncodeToString(p.Digest[:])
	}
	return p, nil
}

// checkExecution checks and masks an execution.
func checkExecution(e track.Execution) (p preparedExecution, err error) {
	if e.Status == "" {
		e.Status = track.ExecutionOK
	}
	if err := e.Validate(); err != nil {
		return p, err
	}
	if e.Lineage == "" {
		return p, &track.FieldError{Field: "lineage", Message: "is missing: name the lineage that the agent belongs to"}
	}
	if e.Score != nil && !(*e.Score >= 0 && *e.Score <= 100) {
		return p, &track.FieldError{Field: "score", Message: fmt.Sprintf("%v is not from 0 to 100", *e.Score)}
	}
	p.Execution, p.nMasked = masked(e)
	p.ID = "" // given when it is recorded
	return p, nil
}

// complete scores an execution and says what is kept of its texts.
func (p *preparedExecution) complete(o ExecutionOptions, now time.Time, keep bool) error {
	p.RecordedAt = now
	p.keepTexts(keep)
	return p.addScores(o)
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
	if err == nil {
		r.keeps[lineage] = keep
	}
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
	e.Task, e.Message, e.Output = mask(e.Task), mask(e.Message), maskPointer(e.Output)
	e.Session, e.Key, e.Model = mask(e.Session), mask(e.Key), mask(e.Model)
	calls := make([]track.ToolCall, len(e.Calls))
	for i, c := range e.Calls {
		c.Input, c.Command, c.Error, c.Output = mask(c.Input), mask(c.Command), mask(c.Error), maskPointer(c.Output)
		calls[i] = c
	}
	e.Calls = calls
	files := make([]track.WrittenFile, len(e.Files))
	for i, f := range e.Files {
		files[i] = track.WrittenFile{Name: mask(f.Name), Content: mask(f.Content)}
	}
	e.Files = files
	return e, total
}

// digestExecution identifies what is known of an execution, its id left out. What is stored alike has one digest.
func digestExecution(e track.Execution) ([sha256.Size]byte, error) {
	e.ID = ""
	e.StartedAt, e.Duration = storedTime(e.StartedAt), storedDuration(e.Duration)
	if len(e.Truths) == 0 {
		e.Truths = nil
	}
	if e.Tokens != nil && *e.Tokens == (track.Tokens{}) {
		e.Tokens = nil
	}
	e.Calls = slices.Clone(e.Calls)
	for i, c := range e.Calls {
		e.Calls[i].StartedAt, e.Calls[i].Duration = storedTime(c.StartedAt), storedDuration(c.Duration)
	}
	document, err := json.Marshal(e)
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("digest: %w", err)
	}
	return sha256.Sum256(document), nil
}

// storedTime is a time as the database gives it back.
func storedTime(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func storedDuration(d *time.Duration) *time.Duration {
	if d == nil {
		return nil
	}
	whole := d.Truncate(time.Microsecond)
	return &whole
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
		score := r.Score(scored, withCheckers(o.Scoring))
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
		in.Calls = append(in.Calls, rubricCall(c, reportsErrors(e.Source)))
	}
	for _, f := range e.Files {
		in.Files = append(in.Files, rubric.File{Name: f.Name, Content: f.Content})
	}
	return in
}

// reportsErrors says that a source marks each failed call, so that a call without a mark has not failed.
func reportsErrors(source string) bool {
	switch source {
	case "claude-code", "claude-hooks", "inspect":
		return true
	}
	return false
}

func rubricCall(c track.ToolCall, reportsErrors bool) rubric.Call {
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
	if reportsErrors && c.Answered {
		failed := c.Error != "" || c.Rejected
		call.IsError = &failed
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
	NFailed          int     // that did not end well: they have no score
	NOwn             int     // scores used that are the caller's own
	NUndated         int     // executions used whose start is unknown: the newest are those recorded last
	MeasuredShare    float64 // mean share of the rubric's weight that could be measured in the executions used; 1 for own scores
}

// Fitness aggregates the executions of a version: the scores under a rubric, or those in force where it is empty.
func Fitness(ctx context.Context, st *store.Store, lineage, version, rubricName string, options rubric.FitnessOptions) (FitnessReport, error) {
	scores, err := st.VersionScores(ctx, lineage, version, rubricName)
	if err != nil {
		return FitnessReport{Lineage: lineage, Version: version}, err
	}
	return fitnessOf(lineage, version, scores, rubricName, options)
}

func fitnessOf(lineage, version string, scores []store.VersionScore, rubricName string, options rubric.FitnessOptions) (FitnessReport, error) {
	report := FitnessReport{Lineage: lineage, Version: version, NExecutions: len(scores)}
	own, undated, measured := map[string]bool{}, map[string]bool{}, map[string]float64{}
	list := make([]rubric.ScoredExecution, len(scores))
	for i, s := range scores {
		if s.Status != track.ExecutionOK {
			report.NFailed++
		}
		own[s.ID] = s.Rubric == RubricOwn
		undated[s.ID], measured[s.ID] = !s.Started, measuredShare(s)
		list[i] = rubric.ScoredExecution{ID: s.ID, At: s.At, Score: scoreOf(s, rubricName)}
	}
	var err error
	report.FitnessResult, err = rubric.Fitness(list, options)
	sortComponents(report.Components)
	for _, use := range report.Used {
		if own[use.ID] {
			report.NOwn++
		}
		if undated[use.ID] {
			report.NUndated++
		}
		report.MeasuredShare += measured[use.ID] / float64(len(report.Used))
	}
	return report, err
}

// measuredShare is the share of a rubric's weight that could be measured in an execution.
func measuredShare(s store.VersionScore) float64 {
	r, err := rubric.ByName(s.Rubric)
	if err != nil {
		return 1 // the caller's own score
	}
	share := 0.0
	for _, c := range s.Components {
		for _, part := range r.Parts {
			if part.Name == c.Name && c.Value != nil {
				share += part.Weight
			}
		}
	}
	return share
}

// sortComponents puts components, which a database has in no order, in that of the rubric.
func sortComponents(list []rubric.ComponentMean) {
	r, err := rubric.ByName(rubric.Default)
	if err != nil {
		return // cannot be: it is the default
	}
	place := func(name string) int {
		return slices.IndexFunc(r.Parts, func(p rubric.Part) bool { return p.Name == name })
	}
	slices.SortFunc(list, func(a, b rubric.ComponentMean) int { return cmp.Compare(place(a.Name), place(b.Name)) })
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

// LineageEntry is one version in the history of a lineage.
type LineageEntry struct {
	store.VersionSummary
	Scores  []float64             // of the executions that have one
	Fitness *rubric.FitnessResult // of the score; nil where no execution has one
}

// LineageHistory is the scores of the versions of a lineage, in the order of their first executions.
type LineageHistory struct {
	Lineage, Rubric, Component string // Rubric is empty for the scores in force, Component for the score itself
	Entries                    []LineageEntry
	NOlder                     int // versions before the first of Entries
}

// LoadLineageHistory aggregates the newest limit versions of a lineage: their scores, or a component of them.
func LoadLineageHistory(ctx context.Context, st *store.Store, lineage, rubricName, component string, limit int) (h LineageHistory, err error) {
	h = LineageHistory{Lineage: lineage, Rubric: rubricName, Component: component}
	err = st.Snapshot(ctx, func(st *store.Store) error {
		versions, err := st.Versions(ctx, lineage)
		if err != nil {
			return err
		}
		h.NOlder = max(0, len(versions)-limit)
		for _, v := range versions[h.NOlder:] {
			entry, err := lineageEntry(ctx, st, v, rubricName, component)
			if err != nil {
				return err
			}
			h.Entries = append(h.Entries, entry)
		}
		return nil
	})
	return h, err
}

func lineageEntry(ctx context.Context, st *store.Store, v store.VersionSummary, rubricName, component string) (LineageEntry, error) {
	entry := LineageEntry{VersionSummary: v}
	scores, err := st.VersionScores(ctx, v.Lineage, v.Version, rubricName)
	if err != nil {
		return entry, err
	}
	for _, s := range scores {
		if x := s.Score; component == "" && x != nil {
			entry.Scores = append(entry.Scores, *x)
		}
		for _, c := range s.Components {
			if c.Name == component && c.Value != nil {
				entry.Scores = append(entry.Scores, *c.Value)
			}
		}
	}
	report, err := fitnessOf(v.Lineage, v.Version, scores, rubricName, rubric.FitnessOptions{})
	switch {
	case errors.Is(err, rubric.ErrNoScores):
		return entry, nil
	case err == nil:
		entry.Fitness = &report.FitnessResult
	}
	return entry, err
}

// GradeChange is an execution whose grade under one rubric is not that of the score in force.
type GradeChange struct {
	ID, Version, Task  string
	From, To           *float64 // nil for no score
	FromGrade, ToGrade string
}

// CompareRubrics lists the executions of a lineage whose grade under a rubric differs from the one in force, the oldest first, and
// counts all that have a score under either.
func CompareRubrics(ctx context.Context, st *store.Store, lineage, rubricName string) (changes []GradeChange, n int, err error) {
	err = st.Snapshot(ctx, func(st *store.Store) error {
		versions, err := st.Versions(ctx, lineage)
		if err != nil {
			return err
		}
		for _, v := range versions {
			inForce, err := st.VersionScores(ctx, lineage, v.Version, "")
			if err != nil {
				return err
			}
			other, err := st.VersionScores(ctx, lineage, v.Version, rubricName)
			if err != nil {
				return err
			}
			for i := len(inForce) - 1; i >= 0; i-- { // both are in the same order
				a, b := inForce[i], other[i]
				if a.Score == nil && b.Score == nil {
					continue
				}
				n++
				if a.Grade != b.Grade {
					changes = append(changes, GradeChange{a.ID, v.Version, a.Task, a.Score, b.Score, a.Grade, b.Grade})
				}
			}
		}
		return nil
	})
	return changes, n, err
}

// withCheckers adds the parsers that package rubric cannot have: SQLite, which is the database's own.
func withCheckers(o rubric.Options) rubric.Options {
	if o.Checkers != nil {
		return o
	}
	o.Checkers = map[string]rubric.Checker{"sqlite": {Name: "EXPLAIN of SQLite", Check: func(code string) error {
		err := store.CheckSQL(context.Background(), code)
		if errors.Is(err, store.ErrUnknownSchema) {
			return fmt.Errorf("%w: %w", rubric.ErrUnchecked, err)
		}
		return err
	}}}
	return o
}
