package agents

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"track"
	"track/importer/prices"
	"track/internal/admission"
	"track/scoring/rubric"
	"track/store"
	"track/tracker/names"
)

// Options say how executions are recorded and scored.
type Options struct {
	KeepText bool               // keep inputs and outputs of calls, masked, and not their digests alone
	Format   *rubric.FormatSpec // what was asked for; nil for nothing
	Scoring  rubric.Options

	// Prices is the table that the cost of an execution is computed by if its source gives none; nil for none.
	Prices *prices.Table
	// Once counts each message, request and tool call once in a lineage: see [Recorder.Add].
	Once bool
	// ContentKeys makes what an execution without a key says its key, so that recording it again does nothing.
	ContentKeys bool
	// Texts are the rules by which texts are recorded; nil for those of the database.
	Texts *admission.Rules
	// Growing says that executions come from logs that grow: one that has come further than what is recorded replaces
	// it, one that has not come as far is a duplicate.
	Growing bool
	Names   *names.Checker
}

// Result says what became of an execution that was handed over, and what that is worth.
type Result struct {
	Disposition track.Disposition // Replaced: the recorded execution was still open
	ID          string            // of what stands in the database
	Rubric      string            // whose score is in force; empty for none
	Own         *float64          // the caller's own score
	Score       rubric.Score
	NMasked     int               // secrets that were masked
	Forgotten   bool              // its texts are not stored, because they were forgotten earlier
	Problem     *track.FieldError // of a misspelled name
	NUnknown    int               // texts that could not be compared with those recorded, which other rules masked and which are not kept
	// Execution is what was recorded: without what other executions of the lineage have.
	Execution  track.Execution
	NRepeated  int               // requests and calls that others have
	Superseded []track.Execution // others of which it has all; they are gone
}

// Recorder records executions of agents and scores them under every rubric. It belongs to one goroutine.
type Recorder struct {
	store   *store.Store
	options Options
	entropy io.Reader
	keeps   map[string]bool // of lineages, whether they keep texts
	last    time.Time       // when the last execution was recorded: the next one is later

	foreseen *foreseen // in a dry run
}

// NewRecorder returns a recorder into st. entropy makes the ids of records unique, as crypto/rand.Reader does.
func NewRecorder(st *store.Store, options Options, entropy io.Reader) *Recorder {
	if options.Texts == nil && st != nil {
		options.Texts = st.Texts()
	}
	options.Texts = cmp.Or(options.Texts, admission.New(false)) // without a database nothing is recorded
	return &Recorder{store: st, options: options, entropy: ulid.Monotonic(entropy, 0), keeps: map[string]bool{}}
}

// Texts returns the rules by which the recorder records texts.
func (r *Recorder) Texts() *admission.Rules { return r.options.Texts }

// Prepared is an execution with everything that can be computed outside a transaction.
type Prepared struct {
	store.ExecutionRecord
	Score         rubric.Score
	NMasked       int // secrets that were masked
	hasContentKey bool
	complete      bool // by [Recorder.Complete]
	keep          bool // the texts of its calls
}

// Score scores an execution as recording it would, and stores nothing.
func Score(e track.Execution, options Options) (Result, error) {
	p, err := checkExecution(e, cmp.Or(options.Texts, admission.New(false)))
	if err == nil {
		err = new(Recorder).CheckScore(context.Background(), p)
	}
	if err == nil {
		err = p.addScores(options)
	}
	return p.result(track.Scored), err
}

// Record stores executions in one durable transaction. open says that the source of the last one ends within it.
func (r *Recorder) Record(ctx context.Context, executions []track.Execution, open bool) ([]Result, error) {
	prepared := make([]Prepared, len(executions))
	for i, e := range executions {
		var err error
		if prepared[i], err = r.Prepare(ctx, e, open && i == len(executions)-1); err != nil {
			return nil, err
		}
	}
	results := make([]Result, len(prepared))
	err := r.store.Update(ctx, func(tx *store.Tx) (err error) {
		for i, p := range prepared {
			if results[i], err = r.Add(ctx, tx, p); err != nil {
				return err
			}
		}
		return nil
	})
	return results, err
}

func (p Prepared) result(d track.Disposition) Result {
	result := Result{Disposition: d, ID: p.ID, Rubric: p.Rubric, Score: p.Score, NMasked: p.NMasked, Execution: p.Execution}
	if p.Execution.Score != nil && p.Rubric == p.ScoredBy() {
		result.Own = p.Execution.Score
	}
	return result
}

// RecordLive stores an execution within a transaction that also changes what it was made of. earlier are the ULIDs of
// the executions that were made of the same before: it takes the place of the first, and the others go.
func (r *Recorder) RecordLive(ctx context.Context, tx *store.Tx, e track.Execution, open bool, earlier []string) (Result, error) {
	keep, err := tx.KeepsText(ctx, e.Lineage)
	if err != nil {
		return Result{}, err
	}
	p, err := r.Identify(e, open)
	if err == nil {
		err = r.Complete(&p, keep || r.options.KeepText)
	}
	if err != nil {
		return Result{}, err
	}
	existing, _, err := r.find(ctx, tx.Reader, p)
	if err != nil {
		return Result{}, err
	}
	if owner, err := liveOwner(ctx, tx.Reader, p.Execution, earlier); err != nil || owner != nil {
		return p.repeats(share{owner: owner}), err
	}
	stale := slices.DeleteFunc(slices.Clone(earlier), func(ulid string) bool { return existing != nil && existing.ULID == ulid })
	for _, ulid := range stale {
		if err := tx.DeleteExecution(ulid); err != nil {
			return Result{}, err
		}
	}
	if existing == nil && len(stale) > 0 {
		p.ID = stale[0]
	}
	if own := len(stale) < len(earlier); own && !existing.Open && !p.Open && !existing.Same {
		p.ID = existing.ULID
		return p.result(track.Replaced), tx.ReplaceExecution(*existing, p.ExecutionRecord)
	}
	return r.Add(ctx, tx, p)
}

// Add stores a prepared execution within a transaction. With [Options.Once] it stores of it what no other execution of
// the lineage has, in the place of those of which it has all.
func (r *Recorder) Add(ctx context.Context, tx *store.Tx, p Prepared) (Result, error) {
	r.stamp(&p)
	if p.ID == "" {
		id, err := ulid.New(ulid.Timestamp(p.RecordedAt), r.entropy)
		if err != nil {
			return Result{}, fmt.Errorf("new id: %w", err)
		}
		p.ID = id.String()
	}
	if p.Key == "" {
		p.Key = p.ID
	}
	own, err := r.reduce(ctx, tx.Reader, &p)
	if err != nil || own.owner != nil {
		return p.repeats(own), err
	}
	existing, unknown, err := r.find(ctx, tx.Reader, p)
	var result Result
	switch {
	case err != nil:
		return result, err
	case existing != nil:
		p.ID = existing.ULID
		result = r.compare(*existing, p)
		result.NUnknown, result.NRepeated = unknown, own.cut
		if result.Disposition != track.Replaced {
			return result, nil
		}
		err = tx.ReplaceExecution(*existing, p.ExecutionRecord)
	default:
		result, err = r.addNew(ctx, tx, p, own)
	}
	if err != nil || result.Disposition == track.Misnamed {
		return result, err
	}
	for _, part := range own.parts {
		if part.ID == result.ID { // it was replaced
			continue
		}
		if err := tx.DeleteExecution(part.ID); err != nil {
			return result, err
		}
	}
	result.Superseded = own.parts
	return result, nil
}

// addNew stores an execution whose identity is free: in the place of the first of which it has all.
func (r *Recorder) addNew(ctx context.Context, tx *store.Tx, p Prepared, own share) (Result, error) {
	problem, err := r.options.Names.ExecutionVersion(ctx, tx.Reader, p.Lineage, p.Version)
	if problem != nil || err != nil {
		return Result{Disposition: track.Misnamed, Problem: problem}, err
	}
	disposition, forgotten := track.Recorded, tx.NForgotten
	if len(own.parts) > 0 {
		part := own.parts[0]
		replaced, err := tx.FindExecution(ctx, store.ExecutionRecord{Execution: part})
		if err != nil || replaced == nil {
			return Result{}, err
		}
		p.ID, disposition = part.ID, track.Replaced
		err = tx.ReplaceExecution(*replaced, p.ExecutionRecord)
		if err != nil {
			return Result{}, err
		}
	} else if taken, err := tx.AddExecution(p.ExecutionRecord); err != nil || taken != nil {
		return Result{}, cmp.Or(err, fmt.Errorf("execution %s already exists", p.Key))
	}
	result := p.result(disposition)
	result.Forgotten, result.NRepeated = tx.NForgotten > forgotten, own.cut
	return result, nil
}

// repeats says that another execution has all of one.
func (p Prepared) repeats(own share) Result {
	result := p.result(track.Duplicate)
	if own.owner != nil {
		result.ID, result.NRepeated = own.owner.ID, own.cut
	}
	return result
}

// stamp gives executions rising times in the order in which they are recorded, which is that of their source: where
// no start is known the newest are found by it.
func (r *Recorder) stamp(p *Prepared) {
	now := r.store.Now()
	if !now.After(r.last) {
		now = r.last.Add(time.Microsecond)
	}
	r.last, p.RecordedAt = now, now
	for i := range p.Scores {
		p.Scores[i].ScoredAt = now
	}
}

// Find compares an execution with what is recorded under its identity, and says what becomes of it; nil if nothing is
// recorded.
func (r *Recorder) Find(ctx context.Context, p Prepared) (*Result, error) {
	own, err := r.reduce(ctx, r.store.Reader, &p)
	if err != nil || own.owner != nil {
		result := p.repeats(own)
		return &result, err
	}
	existing, unknown, err := r.find(ctx, r.store.Reader, p)
	if err != nil || existing == nil {
		return nil, err
	}
	result := r.compare(*existing, p)
	result.NUnknown = unknown
	return &result, nil
}

// compare says what becomes of an execution if another is recorded under its identity.
func (r *Recorder) compare(existing store.ExistingExecution, p Prepared) Result {
	p.ID = existing.ULID // it stays the same execution
	result := p.result(r.disposition(existing, p))
	result.Forgotten = existing.Forgotten
	return result
}

// disposition says what becomes of an execution in whose place another stands.
func (r *Recorder) disposition(existing store.ExistingExecution, p Prepared) track.Disposition {
	further := 0
	if r.options.Growing {
		further = p.further(existing)
	}
	olderLook := existing.Open && p.Open && len(p.Calls) < existing.NCalls
	switch {
	case existing.Same && existing.Open == p.Open, olderLook, r.options.Growing && existing.Forgotten, further < 0:
		return track.Duplicate
	case existing.Open, further > 0:
		return track.Replaced
	case p.Open: // what is complete knows more
		return track.Duplicate
	}
	return track.Conflict
}

// further is greater than 0 where the execution has come further than what is recorded, and less where it has not
// come as far.
func (p Prepared) further(existing store.ExistingExecution) int {
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

// Prepare does all that can be done outside a transaction. Scores are of the masked text: they quote it.
func (r *Recorder) Prepare(ctx context.Context, e track.Execution, open bool) (Prepared, error) {
	p, err := r.Identify(e, open)
	if err != nil {
		return p, err
	}
	if err := r.CheckScore(ctx, p); err != nil {
		return p, err
	}
	keep, err := r.KeepsText(ctx, p.Lineage)
	if err != nil {
		return p, err
	}
	return p, r.Complete(&p, keep)
}

// Identify checks, masks and digests an execution.
func (r *Recorder) Identify(e track.Execution, open bool) (p Prepared, err error) {
	if p, err = checkExecution(e, r.options.Texts); err != nil {
		return p, err
	}
	r.options.Prices.Apply(&p.Execution)
	p.Open = open
	p.Masking = r.options.Texts.Version
	if p.Digest, p.Structure, err = digests(p.Execution); err != nil {
		return p, err
	}
	if p.Key == "" && r.options.ContentKeys {
		p.Key, p.hasContentKey = p.contentKey(), true
	}
	return p, nil
}

// checkExecution checks and masks an execution.
func checkExecution(e track.Execution, rules *admission.Rules) (p Prepared, err error) {
	if e.Status == "" {
		e.Status = track.ExecutionOK
	}
	if err := e.Validate(); err != nil {
		return p, err
	}
	if e.Lineage == "" {
		return p, &track.FieldError{Field: "lineage", Message: "is missing: name the lineage that the agent belongs to"}
	}
	if e.Score != nil && (math.IsNaN(*e.Score) || math.IsInf(*e.Score, 0)) {
		return p, &track.FieldError{Field: "score", Message: fmt.Sprintf("%v is not a finite number", *e.Score)}
	}
	masked, problem := rules.Admit(&e)
	if problem != nil {
		return p, problem
	}
	e.ID = "" // given when it is recorded
	p.Execution, p.NMasked = e, masked
	return p, nil
}

// Complete scores an execution that was identified, and says what is kept of its texts: those of its calls if keep is
// set.
func (r *Recorder) Complete(p *Prepared, keep bool) error {
	p.RecordedAt, p.complete, p.keep, p.Scores, p.Rubric = r.store.Now(), true, keep, nil, ""
	p.keepTexts(keep)
	return p.addScores(r.options)
}

// CheckScore returns an error if the caller's own score is beyond 0 to 100, and the lineage has no other scale.
func (r *Recorder) CheckScore(ctx context.Context, p Prepared) error {
	score := p.Execution.Score
	if score == nil || *score >= 0 && *score <= 100 {
		return nil
	}
	if r.store != nil {
		if unbounded, err := r.store.IsUnbounded(ctx, p.Lineage); err != nil || unbounded {
			return err
		}
	}
	err := &track.FieldError{Field: "score", Message: fmt.Sprintf("%v: must be between 0 and 100", *score)}
	return track.WithHint(err, track.NewHint("give the lineage another scale", "lineage set", p.Lineage, "scale=unbounded"))
}

// KeepsText reports whether the texts of calls are kept in a lineage. It asks the database once for each.
func (r *Recorder) KeepsText(ctx context.Context, lineage string) (bool, error) {
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
