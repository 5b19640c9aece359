package exchange

import (
	"context"
	"crypto/rand"
	"iter"
	"slices"
	"sync"
	"time"

	"track"
	"track/importer/lines"
	"track/store"
	"track/tracker/names"
	"track/tracker/seeds"
)

// maxShared is the largest number of entries that are recorded together with those of others.
const maxShared = 64

// Group records what several callers bring at the same time in shared transactions: one commit, and one wait for the
// disk, for all who are waiting. The first caller commits for all, and then hands that over to the next one. Callers
// are served in the order in which they come.
type Group struct {
	store    *store.Store
	recorder *seeds.Recorder // of whoever commits
	longest  time.Duration   // after which a transaction takes no more

	mu      sync.Mutex
	waiting []*member // in the order in which they came
	led     bool      // somebody commits
}

// member is what one caller brings.
type member struct {
	ctx     context.Context
	run     *batchRun
	entries []*batchEntry
	records []Record   // of the entries
	answers [][]Answer // for the first records: they are committed
	alone   bool       // a shared transaction with it failed
	lead    chan struct{}
	done    chan struct{}
	err     error // once it is done
}

// NewGroup returns a group that records into st.
func NewGroup(st *store.Store) *Group {
	return &Group{store: st, recorder: seeds.NewRecorder(st, seeds.Options{}, rand.Reader), longest: maxTransaction}
}

// RecordAll is [RecordAll], for callers in several goroutines. More than a few entries, and specs, are recorded in
// transactions of their own, after enter was called; leave is called when they are recorded. A loop over entries that
// ends early must leave the rest to the next loop, as those of [lines.ReadSent] do.
func (g *Group) RecordAll(ctx context.Context, checker *names.Checker, entries iter.Seq2[lines.Record, error], observer BatchObserver,
	enter func(context.Context) (leave func(), err error),
) (BatchSummary, error) {
	return g.recordAll(ctx, checker, entries, observer, enter, nil)
}

func (g *Group) recordAll(ctx context.Context, checker *names.Checker, entries iter.Seq2[lines.Record, error], observer BatchObserver,
	enter func(context.Context) (leave func(), err error), place *spoolPlace,
) (BatchSummary, error) {
	few, isWhole, inputErr := takeFew(entries)
	if isWhole {
		return g.recordFew(ctx, checker, few, observer, inputErr, place)
	}
	leave, err := enter(ctx)
	if err != nil {
		return BatchSummary{}, err
	}
	defer leave()
	recorder := seeds.NewRecorder(g.store, seeds.Options{Names: checker}, rand.Reader)
	return recordAll(ctx, recorder, followed(few, entries), observer, place)
}

// takeFew takes the first entries. isWhole says that no more follow, or none after an error of the input, and that they
// can share a transaction.
func takeFew(entries iter.Seq2[lines.Record, error]) (few []lines.Record, isWhole bool, inputErr error) {
	for record, err := range entries {
		if err != nil {
			return few, true, err
		}
		few = append(few, record)
		if len(few) > maxShared || record.Sweep != nil && record.Sweep.Spec != "" {
			return few, false, nil
		}
	}
	return few, true, nil
}

// followed returns the first entries and then the others.
func followed(few []lines.Record, others iter.Seq2[lines.Record, error]) iter.Seq2[lines.Record, error] {
	return func(yield func(lines.Record, error) bool) {
		for _, record := range few {
			if !yield(record, nil) {
				return
			}
		}
		others(yield)
	}
}

func (g *Group) recordFew(ctx context.Context, checker *names.Checker, few []lines.Record, observer BatchObserver, inputErr error, place *spoolPlace) (BatchSummary, error) {
	m := newMember(ctx, g.store, checker, observer)
	m.run.door.place = place
	for _, record := range few {
		if err := m.add(record); err != nil {
			return BatchSummary{}, err
		}
	}
	if len(m.records) > 0 {
		if err := g.put(m); err != nil {
			inputErr = err
		}
	}
	return m.summary(), inputErr
}

func newMember(ctx context.Context, st *store.Store, checker *names.Checker, observer BatchObserver) *member {
	recorder := &seeds.Recorder{Store: st, Entropy: rand.Reader} // prepares alone: whoever commits records
	return &member{ctx: ctx, run: newBatchRun(recorder, checker, observer, BringFacts), lead: make(chan struct{}, 1), done: make(chan struct{})}
}

// add prepares an entry.
func (m *member) add(record lines.Record) error {
	entry, err := m.run.prepare(m.ctx, record)
	if err == nil {
		m.entries, m.records = append(m.entries, entry), append(m.records, entry.record())
	}
	return err
}

// summary counts what became of the entries.
func (m *member) summary() BatchSummary {
	for i, answers := range m.answers {
		m.run.count(m.entries[i], answers)
	}
	return m.run.finish()
}

// put waits until all that a member brings is on the disk, or until that failed.
func (g *Group) put(m *member) error {
	g.mu.Lock()
	g.waiting = append(g.waiting, m)
	leads := !g.led
	g.led = true
	g.mu.Unlock()
	if !leads {
		select {
		case <-m.done:
			return m.err
		case <-m.lead:
		}
	}
	for !m.isDone() {
		g.commit()
	}
	g.handOver()
	return m.err
}

func (m *member) isDone() bool {
	select {
	case <-m.done:
		return true
	default:
		return false
	}
}

// handOver lets the first of those who wait commit next.
func (g *Group) handOver() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.led = len(g.waiting) > 0; g.led {
		g.waiting[0].lead <- struct{}{}
	}
}

// commit records what the next members bring, or some of it, in one transaction.
func (g *Group) commit() {
	members := g.next()
	if len(members) == 0 {
		return
	}
	settled, err := g.transact(members)
	for i, m := range members {
		switch {
		case err == nil:
			m.take(settled[i])
		case len(members) == 1:
			m.end(err)
		default: // the fault of one is not that of the others
			m.alone = true
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, (*member).isDone)
}

// next returns the members that share the next transaction. Those who have gone are done.
func (g *Group) next() (members []*member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(m *member) bool {
		err := context.Cause(m.ctx)
		if err != nil {
			m.end(err)
		}
		return err != nil
	})
	for _, m := range g.waiting {
		if m.alone && len(members) > 0 {
			break
		}
		members = append(members, m)
		if m.alone {
			break
		}
	}
	return members
}

func (m *member) end(err error) {
	m.err = err
	close(m.done)
}

// take notes the answers for records that are committed.
func (m *member) take(answers [][]Answer) {
	m.answers = append(m.answers, answers...)
	if len(m.answers) == len(m.records) {
		m.end(nil)
	}
}

// transact records what members bring, or the first of it, durably in one transaction.
func (g *Group) transact(members []*member) (settled [][][]Answer, err error) {
	defer track.CatchPanic(&err)
	ctx, cancel := transactionContext(members)
	defer cancel()
	err = g.store.Update(ctx, func(tx *store.Tx) error {
		settled = make([][][]Answer, len(members))
		g.recorder.Begin()
		started := time.Now()
		for i, m := range members {
			if m.run.begin(tx, g.recorder); time.Since(started) > g.longest {
				break
			}
			answers, err := m.run.door.settle(ctx, m.records[len(m.answers):], tx)
			if err != nil {
				return err
			}
			settled[i] = answers
		}
		return nil
	})
	return settled, err
}

// transactionContext returns the context of a transaction: that of the member, if it is one. A shared transaction
// ends at the same time as the first member's, but not if that member goes.
func transactionContext(members []*member) (context.Context, context.CancelFunc) {
	ctx := members[0].ctx
	if len(members) == 1 {
		return context.WithCancel(ctx)
	}
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(context.WithoutCancel(ctx), deadline)
	}
	return context.WithCancel(context.WithoutCancel(ctx))
}
