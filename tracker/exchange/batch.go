package exchange

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"track"
	"track/answer"
	"track/importer/lines"
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
