package exchange

import (
	"context"
	"errors"
	"fmt"
	"time"

	"track"
	"track/importer/lines"
	"track/scoring"
	"track/spec"
	"track/store"
	"track/tracker/agents"
	"track/tracker/seeds"
)

// batchEntry is a line with what can be computed before the transaction: a [Record].
type batchEntry struct {
	lines.Record
	batch     *batchRun
	seed      seeds.Prepared
	execution agents.Prepared
	spec      *scoring.Spec      // that a sweep brings; nil for none
	owned     store.Spec         // of another database
	result    seeds.RecordResult // of a seed
	misnamed  bool               // a name of it is not known, although names like it are
	forgotten bool               // its texts are not stored, because they were forgotten earlier
}

// prepare prepares an entry. What is wrong with an execution is the entry's error.
func (b *batchRun) prepare(ctx context.Context, line lines.Record) (e *batchEntry, err error) {
	e = &batchEntry{Record: line, batch: b}
	switch {
	case line.Err != nil || line.Export != nil:
	case line.IsRecorded() || line.Lineage != nil:
		if b.door.rights == Owner {
			err = b.prepareOwned(e)
		}
	case line.Annotation != nil:
		_, e.Err = b.seeds.Store.Texts().Admit(line.Annotation)
	case line.Withdrawal != nil:
		_, e.Err = b.seeds.Store.Texts().Admit(line.Withdrawal)
	case line.Sweep != nil:
		if e.spec, e.Err = specOf(*line.Sweep); e.Err == nil {
			_, e.Err = b.seeds.Store.Texts().Admit(e.Sweep)
		}
	case line.Execution == nil:
		e.seed, err = seeds.Prepare(line.Seed, b.seeds.Store.Texts())
	default:
		e.execution, err = b.executions.Prepare(ctx, *line.Execution, false)
	}
	if errors.As(err, &e.Err) {
		err = nil
	}
	return e, err
}

// specOf returns the spec that a sweep brings; nil if it brings none.
func specOf(s track.Sweep) (*scoring.Spec, *track.FieldError) {
	if s.Spec == "" {
		return nil, nil
	}
	decoded, err := spec.Parse("", []byte(s.Spec))
	if err == nil && decoded.Scenario != s.Scenario {
		err = fmt.Errorf("is of scenario %s", decoded.Scenario)
	}
	if err != nil {
		return nil, (&track.FieldError{Field: "spec", Message: err.Error()}).Shorten()
	}
	return &decoded, nil
}

// record returns what the door is asked to store.
func (e *batchEntry) record() Record {
	if e.hasLedger() {
		return &ledgerRecord{Lineage: *e.Lineage}
	}
	return e
}

// hasLedger reports whether the entry is a lineage with a ledger.
func (e *batchEntry) hasLedger() bool {
	return e.Err == nil && e.Lineage != nil && len(e.Lineage.Entries) > 0
}

func (e *batchEntry) needs() (Rights, string) {
	if e.Err == nil && (e.IsRecorded() || e.Lineage != nil) {
		return Owner, e.Kind()
	}
	return BringFacts, ""
}

func (e *batchEntry) isKnown() bool { return e.Err != nil || e.Export != nil }

// isSeed reports whether the entry is a seed that can be stored.
func (e *batchEntry) isSeed() bool {
	return e.Err == nil && e.IsSeed() && e.RecordedSeed == nil
}

// settle stores the seed, the execution or the sweep.
func (e *batchEntry) settle(ctx context.Context, d *Door, r *store.Reader, tx *store.Tx) (answers []Answer, err error) {
	d.names.At(e.Line)
	if e.misnamed { // in a transaction that was rolled back
		e.Err, e.misnamed = nil, false
	}
	if e.Err == nil {
		if e.Err, err = e.checkScenario(ctx, d, r); err != nil {
			return nil, err
		}
		e.misnamed = e.Err != nil
	}
	if tx != nil && d.rights == Owner {
		tx.SetNow(e.at(d.store.Now))
	}
	var a Answer
	switch {
	case e.Err != nil:
		a = Answer{Outcome: Invalid, Problem: e.Err}
	case e.Export != nil:
		return nil, nil
	case e.IsRecorded() || e.Lineage != nil:
		answers, err = e.settleOwned(ctx, d, tx)
		if err != nil {
			err = fmt.Errorf("line %d: %w", e.Line, err)
		}
		return answers, err
	case e.Annotation != nil:
		var added bool
		added, err = tx.AddAnnotation(*e.Annotation)
		a = answerFor(kindAnnotation, !added)
	case e.Withdrawal != nil:
		a, err = recordWithdrawal(ctx, tx, *e.Withdrawal)
	case e.Sweep != nil:
		a, err = recordSweep(tx, *e.Sweep)
	case e.Execution != nil:
		a, err = e.recordExecution(ctx, tx)
	default:
		a, err = e.recordSeed(ctx, tx)
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", e.Line, err)
	}
	return []Answer{a}, nil
}

// checkScenario returns what is wrong with the scenario of a sweep or an annotation; nil for nothing.
func (e *batchEntry) checkScenario(ctx context.Context, d *Door, r *store.Reader) (*track.FieldError, error) {
	switch {
	case e.Annotation != nil:
		return d.names.Scenario(ctx, r, e.Annotation.Scenario)
	case e.Sweep != nil:
		return d.names.Scenario(ctx, r, e.Sweep.Scenario)
	}
	return nil, nil
}

func (e *batchEntry) recordSeed(ctx context.Context, tx *store.Tx) (a Answer, err error) {
	e.batch.begins(tx)
	e.result, err = e.batch.seeds.RecordIn(ctx, tx, e.seed)
	problem := e.result.Problem
	e.misnamed = e.result.Disposition == track.Misnamed
	if err == nil && e.result.Disposition == track.Conflict {
		message := fmt.Sprintf("seed %s of %s is recorded with other values under this configuration (%s)",
			e.seed.Number, e.seed.Scenario, e.result.DescribeConflict(e.seed.Outcome))
		problem = &track.FieldError{Field: "values", Message: message}
	}
	if e.result.Disposition == track.Withdrawn {
		problem = withdrawnProblem(e.seed.Seed, *e.result.Withdrawal)
	}
	return answerOf(kindSeed, e.result.Disposition, problem), err
}

// withdrawnProblem says that a seed was withdrawn.
func withdrawnProblem(seed track.Seed, w track.Withdrawal) *track.FieldError {
	err := seeds.RecordResult{Disposition: track.Withdrawn, Withdrawal: &w}.Refusal(seed)
	problem := &track.FieldError{Field: "values", Message: err.Error()}
	if hints := track.Hints(err); len(hints) > 0 {
		problem.Hint = &hints[0]
	}
	return problem
}

func (e *batchEntry) recordExecution(ctx context.Context, tx *store.Tx) (Answer, error) {
	recorded, err := e.batch.executions.Add(ctx, tx, e.execution)
	e.forgotten = recorded.Forgotten
	problem := recorded.Problem
	e.misnamed = recorded.Disposition == track.Misnamed
	if recorded.Disposition == track.Conflict {
		message := fmt.Sprintf("is recorded with other content in lineage %s, as %s", e.Execution.Lineage, recorded.ID)
		problem = &track.FieldError{Field: "key", Message: message}
	}
	return answerOf(kindExecution, recorded.Disposition, problem), err
}

// recordWithdrawal stores a withdrawal or a restoration, as a merge does.
func recordWithdrawal(ctx context.Context, tx *store.Tx, w track.Withdrawal) (Answer, error) {
	known, err := tx.HasWithdrawal(ctx, w.ID)
	if err == nil && !known {
		_, err = tx.AddWithdrawals([]track.Withdrawal{w})
	}
	return answerFor(kindWithdrawal, known), err
}

// recordSweep stores a sweep that was run elsewhere, or how one that is here ended.
func recordSweep(tx *store.Tx, s track.Sweep) (Answer, error) {
	added, err := tx.AddSweep(s)
	if err == nil && !added && s.Ending != "" {
		err = tx.UpdateSweep(s)
	}
	return answerFor(kindSweep, !added), err
}

// at returns when another database recorded the entry; now if it does not say that.
func (e *batchEntry) at(now func() time.Time) time.Time {
	switch {
	case e.RecordedSeed != nil:
		return e.RecordedSeed.At
	case e.RecordedExecution != nil:
		return e.RecordedExecution.RecordedAt
	case e.Sweep != nil:
		return e.Sweep.StartedAt
	case e.Annotation != nil:
		return e.Annotation.At
	case e.Withdrawal != nil:
		return e.Withdrawal.At
	case e.Configuration != nil:
		return e.Configuration.At
	case e.Spec != nil:
		return e.Spec.At
	}
	return now()
}
