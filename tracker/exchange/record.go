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
	"track/tracker/names"
	"track/tracker/seeds"
)

// BatchObserver hears of a batch as it goes on; each field may be nil.
type BatchObserver struct {
	Problem  func(BatchProblem)
	Progress func(entries int)
}

// RecordAll records the entries of a batch, good ones and only those. It reads ahead in a goroutine of its own, and
// returns when all is safe on the disk, or with the first error of the input or the database, after which what the
// summary counts stays recorded.
func RecordAll(ctx context.Context, r *seeds.Recorder, entries iter.Seq2[lines.Record, error], observer BatchObserver) (BatchSummary, error) {
	return recordAll(ctx, r, entries, observer, nil)
}

func recordAll(ctx context.Context, r *seeds.Recorder, entries iter.Seq2[lines.Record, error], observer BatchObserver, place *spoolPlace) (BatchSummary, error) {
	run := newBatchRun(r, r.Names(), observer, BringFacts)
	run.door.place = place
	err := run.door.sync(run.recordChunks(ctx, entries))
	return run.finish(), err
}

func newBatchRun(r *seeds.Recorder, checker *names.Checker, observer BatchObserver, rights Rights) *batchRun {
	return &batchRun{
		seeds: r, executions: agents.NewRecorder(r.Store, agents.Options{Once: true, ContentKeys: true, Names: checker}, r.Entropy),
		door: NewDoor(r.Store, rights, checker, false), observer: observer,
		waiting: map[string]bool{}, unknown: map[string]bool{}, told: map[string]bool{}, evolving: map[string]bool{}, percents: seeds.Percents{},
	}
}

// finish returns what became of the entries.
func (b *batchRun) finish() BatchSummary {
	b.summary.WithoutSpec = slices.Sorted(maps.Keys(b.waiting))
	b.summary.Suspicions = answer.Suspicions{NearNames: b.door.names.Found(), LikePercent: b.percents.List()}
	b.summary.UnknownMetrics = slices.Sorted(maps.Keys(b.unknown))
	return b.summary
}

// begin lets the entries be recorded in a transaction that shared has begun.
func (b *batchRun) begin(tx *store.Tx, shared *seeds.Recorder) {
	b.transaction, b.seeds = tx, shared.With(b.door.names)
}

// chunkSize is that of two transactions of judged seeds on a server.
const chunkSize = 376

func (b *batchRun) recordChunks(ctx context.Context, records iter.Seq2[lines.Record, error]) error {
	entries := func(yield func(*batchEntry, error) bool) {
		for record, err := range records {
			var entry *batchEntry
			if err == nil {
				entry, err = b.prepare(ctx, record)
			}
			if !yield(entry, err) {
				return
			}
		}
	}
	return recordChunks(ctx, entries, chunkSize, func(*batchEntry) int { return 0 }, func(chunk []*batchEntry) error { return b.record(ctx, chunk) })
}

type batchRun struct {
	door        *Door
	seeds       *seeds.Recorder
	executions  *agents.Recorder
	transaction *store.Tx // that the recorder of seeds knows
	observer    BatchObserver
	summary     BatchSummary
	entries     int
	waiting     map[string]bool
	unknown     map[string]bool
	told        map[string]bool // problems with names
	percents    seeds.Percents
	equal       equalLines
	ledgers     []string        // lineages whose ledgers were stored
	evolving    map[string]bool // lineages whose ledgers were read
}

// begins tells the recorder of seeds when another transaction begins.
func (b *batchRun) begins(tx *store.Tx) {
	if b.transaction != tx {
		b.transaction = tx
		b.seeds.Begin()
	}
}

// record puts a chunk. A ledger takes transactions of its own.
func (b *batchRun) record(ctx context.Context, entries []*batchEntry) error {
	for len(entries) > 0 {
		n := slices.IndexFunc(entries, (*batchEntry).hasLedger)
		if n < 0 {
			return b.recordSome(ctx, entries)
		}
		if err := b.recordSome(ctx, entries[:n]); err != nil {
			return err
		}
		a, err := b.recordLedger(ctx, entries[n])
		if err != nil {
			return err
		}
		b.count(entries[n], []Answer{a})
		entries = entries[n+1:]
	}
	return nil
}

func (b *batchRun) recordSome(ctx context.Context, entries []*batchEntry) error {
	records := make([]Record, len(entries))
	for i, entry := range entries {
		if records[i] = entry.record(); entry.spec != nil {
			if err := b.addSpecIfNone(ctx, entry); err != nil {
				return fmt.Errorf("line %d: %w", entry.Line, err)
			}
		}
	}
	return b.door.putAll(ctx, records, func(first int, answers [][]Answer) {
		for i, list := range answers {
			b.count(entries[first+i], list)
		}
		if b.observer.Progress != nil {
			b.observer.Progress(b.entries)
		}
	})
}

// addSpecIfNone adds the spec that a sweep brings if its scenario has none here.
func (b *batchRun) addSpecIfNone(ctx context.Context, e *batchEntry) error {
	_, err := b.seeds.Store.Spec(ctx, e.spec.Scenario, 0)
	if !errors.Is(err, track.ErrNotFound) {
		return err
	}
	b.door.names.At(e.Line)
	if e.Err, err = b.door.names.Scenario(ctx, b.seeds.Store.Reader, e.spec.Scenario); err != nil || e.Err != nil {
		return err
	}
	_, err = seeds.AddSpec(ctx, b.seeds.Store, *e.spec, nil)
	return err
}

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

// BatchProblem is an entry that was not recorded.
type BatchProblem struct {
	answer.LineProblem
	Record   lines.Record
	Name     string      // of one of several parts of the record
	Hint     *track.Hint // the way out; nil for none
	Conflict bool        // the entry was whole, but another record has its identity
	Repeated bool        // the same was said of the names of an earlier entry
}

// BatchSummary counts what became of the entries of a batch.
type BatchSummary struct {
	Recorded, Replaced, Duplicates, Conflicts, Rejected  int
	Executions, Sweeps, Annotations, Withdrawals, Scored int      // of the recorded and replaced entries
	Forgotten                                            int      // executions whose texts were forgotten earlier
	Equal                                                int      // executions without a key that say the same as an earlier one
	WithoutRevision                                      int      // recorded seeds that name no commit
	WithoutSpec                                          []string // scenarios that have seeds and no spec
	UnknownMetrics                                       []string // "metric (scenario)", stored but not scored
	answer.Suspicions
}

// AddTo adds the counts to those of an answer.
func (s BatchSummary) AddTo(a *answer.RecordedLines) {
	a.Recorded += s.Recorded
	a.Replaced += s.Replaced
	a.Duplicates += s.Duplicates
	a.Conflicts += s.Conflicts
	a.Rejected += s.Rejected
	a.Executions += s.Executions
	a.Forgotten += s.Forgotten
	a.Suspicions = a.Suspicions.With(s.Suspicions)
}

// maxNamed bounds the names that a summary lists.
const maxNamed = 100

func (b *batchRun) count(e *batchEntry, answers []Answer) {
	b.entries++
	for _, a := range answers {
		b.countOne(e, a)
	}
}

func (b *batchRun) countOne(e *batchEntry, a Answer) {
	if e.forgotten {
		b.summary.Forgotten++
	}
	if e.Execution != nil && e.RecordedExecution == nil {
		b.summary.Equal += b.equal.count(e.execution)
	}
	switch {
	case a.Outcome == Invalid:
		b.summary.Rejected++
		b.problem(e, a)
	case a.Outcome == conflicting:
		b.summary.Conflicts++
		b.problem(e, a)
	case a.Outcome == known:
		b.summary.Duplicates++
	case a.Replaced:
		b.summary.Replaced++
		b.countKind(e, a.Kind)
	default:
		b.summary.Recorded++
		b.countKind(e, a.Kind)
	}
}

// countKind counts a recorded entry by its kind, and notes what people should know of it.
func (b *batchRun) countKind(e *batchEntry, kind Kind) {
	switch kind {
	case kindExecution:
		b.summary.Executions++
		return
	case kindSweep:
		b.summary.Sweeps++
		return
	case kindAnnotation:
		b.summary.Annotations++
		return
	case kindWithdrawal:
		b.summary.Withdrawals++
		return
	case kindSeed:
	default:
		return
	}
	if e.seed.Configuration.Revision.Commit == "" {
		b.summary.WithoutRevision++
	}
	if e.result.Assessment != nil {
		b.summary.Scored++
	} else if e.seed.Outcome == track.OutcomeOK {
		note(b.waiting, e.seed.Scenario)
	}
	b.percents.Add(e.result)
	for _, name := range e.result.Unknown {
		note(b.unknown, name+" ("+e.seed.Scenario+")")
	}
}

func (b *batchRun) problem(e *batchEntry, a Answer) {
	if b.observer.Problem != nil {
		p := answer.LineProblem{Line: e.Line}
		p.Field, _ = b.seeds.Store.Texts().Text(a.Problem.Field)
		p.Message, _ = b.seeds.Store.Texts().Text(a.Problem.Message)
		repeated := e.misnamed && (b.told[p.Message] || len(b.told) >= maxNamed)
		if e.misnamed && !repeated {
			b.told[p.Message] = true
		}
		b.observer.Problem(BatchProblem{p, e.Record, a.Name, a.Problem.Hint, a.Outcome == conflicting, repeated})
	}
}

// note adds a name to a set that stays small whatever the input.
func note(set map[string]bool, name string) {
	if len(set) < maxNamed {
		set[name] = true
	}
}

// What is recorded is safe from the end of the process once its transaction ends, so a slow stream is cut as well.
const (
	chunkWait  = time.Second
	chunkBytes = 4 << 20
)

// recordChunks reads ahead in a goroutine of its own, and hands over what it has read: at most longest items, fewer if
// they are large or the input is slow. It returns the first error of record, of the items or of ctx.
func recordChunks[T any](ctx context.Context, items iter.Seq2[T, error], longest int, size func(T) int, record func([]T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	single, inputErr := make(chan T, longest), error(nil)
	go func() {
		defer close(single)
		defer track.CatchPanic(&inputErr)
		for item, err := range items {
			if err != nil {
				inputErr = err
				return
			}
			select {
			case single <- item:
			case <-ctx.Done():
				return
			}
		}
	}()
	for more := true; more; {
		var chunk []T
		if chunk, more = collect(ctx, single, longest, size); len(chunk) > 0 && ctx.Err() == nil {
			if err := record(chunk); err != nil {
				return err
			}
		}
		if ctx.Err() != nil { // the reader may be waiting for input that never comes
			return context.Cause(ctx)
		}
	}
	return cmp.Or(inputErr, context.Cause(ctx)) // a reader also ends when it is told to stop
}

// collect waits for one item and then for more, until it has enough or chunkWait is over.
func collect[T any](ctx context.Context, single <-chan T, longest int, size func(T) int) (chunk []T, more bool) {
	var late <-chan time.Time
	for bytes := 0; len(chunk) < longest && bytes < chunkBytes; {
		select {
		case item, isOpen := <-single:
			if !isOpen {
				return chunk, false
			}
			if len(chunk) == 0 {
				timer := time.NewTimer(chunkWait)
				defer timer.Stop()
				late = timer.C
			}
			chunk, bytes = append(chunk, item), bytes+size(item)
		case <-late:
			return chunk, true
		case <-ctx.Done():
			return nil, false
		}
	}
	return chunk, true
}

// equalLines remembers the executions of an input whose key was made of what they say.
type equalLines map[string]bool

// mostEqual bounds how many are remembered. Repetitions of what came before them are not counted.
const mostEqual = 1_000_000

// count returns 1 if an earlier line of the input is the same execution without a key, else 0.
func (l *equalLines) count(p agents.Prepared) int {
	id := p.Lineage + "\x00" + p.Source + "\x00" + p.Key
	switch {
	case !agents.IsContentKey(p.Key):
		return 0
	case (*l)[id]:
		return 1
	case *l == nil:
		*l = equalLines{}
	}
	if len(*l) < mostEqual {
		(*l)[id] = true
	}
	return 0
}
