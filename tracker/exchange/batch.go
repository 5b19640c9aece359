package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/scoring"
	"track/spec"
	"track/store"
	"track/tracker/agents"
	"track/tracker/seeds"
)

// Limits of one transaction of a batch. While it runs, other processes wait, so it is cut by time; and what it recorded is safe
// from the end of the process once it ends, so a slow stream is cut as well.
const (
	chunkSize      = 256
	chunkWait      = time.Second
	maxTransaction = 20 * time.Millisecond
)

// BatchProblem is an entry that was not recorded.
type BatchProblem struct {
	answer.LineProblem
	Conflict bool // the entry was whole, but another stands in its place
}

// BatchSummary counts what became of the entries of a batch.
type BatchSummary struct {
	Recorded, Replaced, Duplicates, Conflicts, Rejected int
	Executions                                          int      // of the recorded ones
	Sweeps                                              int      // of the recorded ones
	Scored                                              int      // of the recorded ones
	WithoutRevision                                     int      // of the recorded ones, those whose code nobody named
	WithoutSpec                                         []string // scenarios whose seeds wait for a spec
	UnknownMetrics                                      []string // "metric (scenario)", stored but not scored
}

// AddTo adds the counts to those of an answer.
func (s BatchSummary) AddTo(a *answer.RecordedLines) {
	a.Recorded += s.Recorded
	a.Replaced += s.Replaced
	a.Duplicates += s.Duplicates
	a.Conflicts += s.Conflicts
	a.Rejected += s.Rejected
	a.Executions += s.Executions
}

// maxNamed bounds the names that a summary lists.
const maxNamed = 100

// BatchObserver hears of a batch as it goes on; each field may be nil.
type BatchObserver struct {
	Problem  func(BatchProblem)
	Progress func(entries int)
}

// RecordAll records the entries of a batch, good ones and only those. It reads ahead in a goroutine of its own, and returns when all
// is safe on the disk, or with the first error of the input or the database, after which what the summary counts stays recorded.
func RecordAll(ctx context.Context, r *seeds.Recorder, entries iter.Seq2[lines.Record, error], observer BatchObserver) (BatchSummary, error) {
	run := &batchRun{Recorder: r, executions: executionRecorder(r), observer: observer, waiting: map[string]bool{}, unknown: map[string]bool{}}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := run.recordChunks(ctx, entries)
	if syncErr := r.Store.Sync(); err == nil && syncErr != nil {
		err = fmt.Errorf("sync the database: %w", syncErr)
	}
	run.summary.WithoutSpec = slices.Sorted(maps.Keys(run.waiting))
	run.summary.UnknownMetrics = slices.Sorted(maps.Keys(run.unknown))
	return run.summary, err
}

// executionRecorder returns the recorder of the executions of a batch.
func executionRecorder(r *seeds.Recorder) *agents.Recorder {
	return agents.NewRecorder(r.Store, agents.Options{ContentKeys: true}, r.Entropy)
}

// preparedEntry is an entry with what can be computed before the transaction.
type preparedEntry struct {
	lines.Record
	prepared  seeds.Prepared
	execution agents.Prepared
	spec      *scoring.Spec // that a sweep brings; nil for none
}

// entry prepares an entry. What is wrong with an execution is the entry's error.
func (b *batchRun) entry(ctx context.Context, entry lines.Record) (p preparedEntry, err error) {
	p = preparedEntry{Record: entry}
	switch {
	case entry.Err != nil:
	case entry.Lineage != nil:
		p.Err = &track.FieldError{Field: "kind", Message: "a ledger is brought by its owner: import the lineage, or merge the databases"}
	case entry.Sweep != nil:
		p.spec, p.Err = specOf(*entry.Sweep)
	case entry.Execution == nil:
		p.prepared = seeds.Prepare(entry.Seed)
	default:
		if p.execution, err = b.executions.Prepare(ctx, *entry.Execution, false); errors.As(err, &p.Err) {
			err = nil
		}
	}
	return p, err
}

func (b *batchRun) recordChunks(ctx context.Context, entries iter.Seq2[lines.Record, error]) error {
	chunks, inputErr := b.chunk(ctx, entries)
	for {
		select {
		case collected, more := <-chunks:
			if !more {
				return cmp.Or(*inputErr, context.Cause(ctx)) // a reader that was told to stop ends as one at the end of its input does
			}
			if err := b.record(ctx, collected); err != nil {
				return err
			}
		case <-ctx.Done(): // the reader may be waiting for input that never comes
			return context.Cause(ctx)
		}
	}
}

// chunk collects entries into slices of at most chunkSize, fewer where the input is slow. The error is set once the channel is closed.
func (b *batchRun) chunk(ctx context.Context, entries iter.Seq2[lines.Record, error]) (<-chan []preparedEntry, *error) {
	single := make(chan preparedEntry, chunkSize)
	inputErr := new(error)
	go func() {
		defer close(single)
		for entry, err := range entries {
			var prepared preparedEntry
			if err == nil {
				prepared, err = b.entry(ctx, entry)
			}
			if err != nil {
				*inputErr = err
				return
			}
			select {
			case single <- prepared:
			case <-ctx.Done():
				return
			}
		}
	}()
	chunks := make(chan []preparedEntry, 1)
	go func() {
		defer close(chunks)
		for {
			collected, more := collect(single)
			if len(collected) > 0 {
				select {
				case chunks <- collected:
				case <-ctx.Done():
					return
				}
			}
			if !more {
				return
			}
		}
	}()
	return chunks, inputErr
}

// collect waits for one entry and then for more, until it has chunkSize or chunkWait is over.
func collect(single <-chan preparedEntry) (collected []preparedEntry, more bool) {
	entry, more := <-single
	if !more {
		return nil, false
	}
	collected = append(make([]preparedEntry, 0, chunkSize), entry)
	timer := time.NewTimer(chunkWait)
	defer timer.Stop()
	for len(collected) < chunkSize {
		select {
		case entry, more := <-single:
			if !more {
				return collected, false
			}
			collected = append(collected, entry)
		case <-timer.C:
			return collected, true
		}
	}
	return collected, true
}

type batchRun struct {
	*seeds.Recorder
	executions *agents.Recorder
	observer   BatchObserver
	summary    BatchSummary
	entries    int
	waiting    map[string]bool
	unknown    map[string]bool
}

// record stores a chunk in as many transactions as it takes.
func (b *batchRun) record(ctx context.Context, entries []preparedEntry) error {
	for _, entry := range entries {
		if entry.spec != nil {
			if err := b.addSpecIfNone(ctx, *entry.spec); err != nil {
				return fmt.Errorf("line %d: %w", entry.Line, err)
			}
		}
	}
	for len(entries) > 0 {
		results := make([]seeds.RecordResult, 0, len(entries))
		err := b.Store.UpdateRelaxed(ctx, func(tx *store.Tx) error {
			started := time.Now()
			b.Begin()
			for _, entry := range entries {
				result, err := b.recordEntry(ctx, tx, entry)
				if err != nil {
					return fmt.Errorf("line %d: %w", entry.Line, err)
				}
				if results = append(results, result); time.Since(started) > maxTransaction {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i, result := range results {
			b.count(entries[i].Record, result)
		}
		entries = entries[len(results):]
		if b.observer.Progress != nil {
			b.observer.Progress(b.entries)
		}
	}
	return nil
}

// addSpecIfNone adds the spec that a sweep brings where its scenario has none here.
func (b *batchRun) addSpecIfNone(ctx context.Context, s scoring.Spec) error {
	_, err := b.Store.Spec(ctx, s.Scenario, 0)
	if errors.Is(err, track.ErrNotFound) {
		_, err = seeds.AddSpec(ctx, b.Store, s)
	}
	return err
}

// specOf is the spec that a sweep brings; nil where it brings none.
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

func (b *batchRun) recordEntry(ctx context.Context, tx *store.Tx, entry preparedEntry) (result seeds.RecordResult, err error) {
	switch {
	case entry.Err != nil:
		return result, nil
	case entry.Sweep != nil:
		result.Disposition, err = recordSweep(tx, *entry.Sweep)
		return result, err
	case entry.Execution == nil:
		return b.RecordIn(ctx, tx, entry.prepared)
	}
	recorded, err := b.executions.Add(ctx, tx, entry.execution)
	if result.Disposition = recorded.Disposition; result.Disposition == track.Conflict {
		message := fmt.Sprintf("is recorded with other content in lineage %s, as %s", entry.Execution.Lineage, recorded.ID)
		result.Problem = &track.FieldError{Field: "key", Message: message}
	}
	return result, err
}

func (b *batchRun) count(entry lines.Record, result seeds.RecordResult) {
	b.entries++
	switch {
	case entry.Err != nil:
		b.summary.Rejected++
		b.problem(BatchProblem{answer.LineProblem{Line: entry.Line, Field: entry.Err.Field, Message: entry.Err.Message}, false})
		return
	case result.Disposition == track.Duplicate:
		b.summary.Duplicates++
		return
	case result.Disposition == track.Contradicted:
		b.summary.Rejected++
		b.problem(BatchProblem{answer.LineProblem{Line: entry.Line, Field: result.Problem.Field, Message: result.Problem.Message}, false})
		return
	case result.Disposition == track.Conflict && result.Problem != nil:
		b.summary.Conflicts++
		b.problem(BatchProblem{answer.LineProblem{Line: entry.Line, Field: result.Problem.Field, Message: result.Problem.Message}, true})
		return
	case result.Disposition == track.Conflict:
		b.summary.Conflicts++
		b.problem(BatchProblem{answer.LineProblem{Line: entry.Line, Field: "values", Message: conflictMessage(entry.Seed, result)}, true})
		return
	case result.Disposition == track.Replaced:
		b.summary.Replaced++
	default:
		b.summary.Recorded++
	}
	if entry.Execution != nil {
		b.summary.Executions++
		return
	}
	if entry.Sweep != nil {
		b.summary.Sweeps++
		return
	}
	if entry.Seed.Configuration.Revision.Commit == "" {
		b.summary.WithoutRevision++
	}
	if result.Assessment != nil {
		b.summary.Scored++
	} else if entry.Seed.Outcome == track.OutcomeOK {
		note(b.waiting, entry.Seed.Scenario)
	}
	for _, name := range result.Unknown {
		note(b.unknown, name+" ("+entry.Seed.Scenario+")")
	}
}

func (b *batchRun) problem(p BatchProblem) {
	if b.observer.Problem != nil {
		b.observer.Problem(p)
	}
}

// note adds a name to a set that stays small whatever the input.
func note(set map[string]bool, name string) {
	if len(set) < maxNamed {
		set[name] = true
	}
}

func conflictMessage(seed track.Seed, result seeds.RecordResult) string {
	return fmt.Sprintf("seed %s of %s is recorded with other values under this configuration (%s)",
		seed.Number, seed.Scenario, result.DescribeConflict(seed.Outcome))
}

// recordSweep stores a sweep that was run elsewhere, or how one that is here ended.
func recordSweep(tx *store.Tx, s track.Sweep) (track.Disposition, error) {
	added, err := tx.AddSweep(s)
	if err != nil || added {
		return track.Recorded, err
	}
	if s.Ending == "" {
		return track.Duplicate, nil
	}
	for _, p := range s.Planned {
		if err := tx.SetPlanned(s.ID, p); err != nil {
			return track.Recorded, err
		}
	}
	return track.Duplicate, tx.EndSweep(s)
}
