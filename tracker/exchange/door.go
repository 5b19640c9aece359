package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"track"
	"track/access"
	"track/answer"
	"track/evolution"
	"track/importer/lines"
	"track/store"
	"track/tracker/lineages"
	"track/tracker/names"
)

// maxTransaction bounds the time of one transaction: other processes wait while it runs.
const maxTransaction = 20 * time.Millisecond

// Record is something to be stored.
type Record interface {
	// needs returns the rights that bringing the record takes, and the kind of the record.
	needs() (Rights, string)
	// isKnown reports whether nothing of the record is to be stored, as far as that is clear without a transaction.
	isKnown() bool
	// settle compares the record with what r reads and answers for each of its parts. It also stores what it answers,
	// unless tx is nil.
	settle(ctx context.Context, d *Door, r *store.Reader, tx *store.Tx) ([]Answer, error)
}

// Answer says what became of a record.
type Answer struct {
	Kind     Kind
	Outcome  Outcome
	Name     string            // of one of several parts
	Replaced bool              // of a recorded one: it took the place of another record
	Problem  *track.FieldError // of an invalid record, and of a record in conflict
}

// Door puts records into a database. It is idempotent: storing a record again changes nothing. It belongs to one
// goroutine.
type Door struct {
	store  *store.Store // may be nil in a dry run
	rights Rights
	dryRun bool           // find out what would become of records, and store nothing
	names  *names.Checker // what becomes of names that are not known; nil takes every name
	counts answer.MergeCounts
	place  *spoolPlace // of the records in a spool; nil for none

	versions map[string]bool // lineages and names of the versions whose contents are in conflict
	refused  map[string]bool // lineages whose ledgers were refused
	patience time.Duration   // that a transaction may take; 0 for what suits the database
}

// NewDoor returns a door to a database for a caller with rights, whose names are checked.
func NewDoor(st *store.Store, rights Rights, checker *names.Checker, dryRun bool) *Door {
	return &Door{
		store: st, rights: rights, names: checker, dryRun: dryRun, counts: answer.NewMergeCounts(), versions: map[string]bool{}, refused: map[string]bool{},
	}
}

// Put stores a record in one transaction, and answers for each of its parts.
func (d *Door) Put(ctx context.Context, record Record) ([]Answer, error) {
	answers, err := d.putSome(ctx, []Record{record})
	if err != nil {
		return nil, err
	}
	return answers[0], nil
}

// putAll stores records in as many transactions as other processes can wait for. After each it calls settled with the
// answers for the records that are stored by then, which begin with the one of index first.
func (d *Door) putAll(ctx context.Context, records []Record, settled func(first int, answers [][]Answer)) error {
	for done := 0; done < len(records); {
		answers, err := d.putSome(ctx, records[done:])
		if err != nil {
			return err
		}
		settled(done, answers)
		done += len(answers)
	}
	return nil
}

// putSome stores the first of some records, in one transaction or without any, and answers for them.
func (d *Door) putSome(ctx context.Context, records []Record) (answers [][]Answer, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	before := d.counts.Clone()
	if d.needsNoTransaction(records[0]) {
		n := slices.IndexFunc(records, func(r Record) bool { return !d.needsNoTransaction(r) })
		if n < 0 {
			n = len(records)
		}
		answers, err = d.settle(ctx, records[:n], nil)
	} else {
		ran := false
		err = d.store.UpdateRelaxed(ctx, func(tx *store.Tx) error {
			if ran { // and another process came in its way
				d.counts = before.Clone()
			}
			ran = true
			answers, err = d.settle(ctx, records, tx)
			return err
		})
	}
	if err != nil {
		d.counts = before
		return nil, err
	}
	for _, list := range answers {
		for _, a := range list {
			d.count(a)
		}
	}
	return answers, nil
}

func (d *Door) needsNoTransaction(record Record) bool {
	return d.dryRun || d.place == nil && (record.isKnown() || !d.admits(record))
}

// admits reports whether the caller may bring a record.
func (d *Door) admits(record Record) bool {
	needed, _ := record.needs()
	return needed <= d.rights
}

// settle settles records until a transaction has taken as long as it may.
func (d *Door) settle(ctx context.Context, records []Record, tx *store.Tx) ([][]Answer, error) {
	answers := make([][]Answer, 0, len(records))
	started, longest := time.Now(), d.longest()
	for _, record := range records {
		list, err := d.settleOne(ctx, record, tx)
		if err != nil {
			return nil, err
		}
		if answers = append(answers, list); tx != nil && (time.Since(started) > longest) {
			break
		}
	}
	if tx == nil || d.place == nil {
		return answers, nil
	}
	return answers, d.place.advance(tx, records[:len(answers)], answers)
}

// longest returns how long a transaction may take.
func (d *Door) longest() time.Duration { return cmp.Or(max(d.patience, 0), maxTransaction) }

func (d *Door) settleOne(ctx context.Context, record Record, tx *store.Tx) ([]Answer, error) {
	if !d.admits(record) {
		_, kind := record.needs()
		return []Answer{{Outcome: Invalid, Problem: refuse(kind)}}, nil
	}
	var r *store.Reader
	switch {
	case tx != nil:
		r = tx.Reader
	case d.store != nil:
		r = d.store.Reader
	}
	return record.settle(ctx, d, r, tx)
}

// errDryRun rolls a transaction back.
var errDryRun = errors.New("dry run")

// try runs write in a transaction that is rolled back.
func (d *Door) try(ctx context.Context, write func(*store.Tx) error) error {
	err := d.store.Update(ctx, func(tx *store.Tx) error {
		if err := write(tx); err != nil {
			return err
		}
		return errDryRun
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}

// sync waits until all that was put is safe from a power cut. It returns err, or else its own error.
func (d *Door) sync(err error) error {
	if d.dryRun || d.store == nil {
		return err
	}
	if syncErr := d.store.Sync(); err == nil && syncErr != nil {
		return fmt.Errorf("sync the database: %w", syncErr)
	}
	return err
}

// Kind is the kind of a record.
type Kind string

// The kinds of records.
const (
	kindSpec      Kind = "spec"
	kindSeed      Kind = "seed"
	kindSweep     Kind = "sweep"
	kindPin       Kind = "pin"
	kindLook      Kind = "look"
	kindLineage   Kind = "lineage"
	kindVersion   Kind = "version"
	kindExecution Kind = "execution"
	kindTombstone Kind = "tombstone"

	kindWithdrawal Kind = "withdrawal"
	kindAnnotation Kind = "annotation"

	kindConfiguration Kind = "configuration"
)

// Outcome says what became of a record.
type Outcome string

// The outcomes.
const (
	Recorded    Outcome = "recorded"
	known       Outcome = "known"
	conflicting Outcome = "conflict" // another record has its identity, and stays
	Invalid     Outcome = "invalid"
)

// answerFor answers for a record that is known, or else recorded.
func answerFor(kind Kind, isKnown bool) Answer {
	if isKnown {
		return Answer{Kind: kind, Outcome: known}
	}
	return Answer{Kind: kind, Outcome: Recorded}
}

// answerOf returns the answer for a fact that was recorded with a disposition.
func answerOf(kind Kind, d track.Disposition, problem *track.FieldError) Answer {
	a := Answer{Kind: kind, Outcome: Recorded, Problem: problem}
	switch d {
	case track.Duplicate:
		a.Outcome = known
	case track.Conflict, track.Withdrawn:
		a.Outcome = conflicting
	case track.Contradicted, track.Misnamed:
		a.Outcome = Invalid
	case track.Replaced:
		a.Replaced = true
	}
	return a
}

// count counts an answer.
func (d *Door) count(a Answer) {
	count := counter(&d.counts, a.Kind)
	if count == nil {
		return
	}
	switch a.Outcome {
	case Recorded:
		count.Recorded++
	case known:
		count.Known++
	case conflicting:
		count.Conflicts++
	}
}

// counter returns the counter of a kind; nil for a kind that is not counted.
func counter(c *answer.MergeCounts, kind Kind) *answer.Count {
	switch kind {
	case kindSpec:
		return &c.Specs
	case kindConfiguration:
		return &c.Configurations
	case kindSeed:
		return &c.Seeds
	case kindSweep:
		return &c.Sweeps
	case kindPin:
		return &c.Baselines
	case kindAnnotation:
		return &c.Annotations
	case kindLook:
		return &c.Looks
	case kindVersion:
		return &c.Versions
	case kindExecution:
		return &c.Executions
	case kindWithdrawal:
		return &c.Withdrawals
	case kindTombstone:
		return &c.Forgotten
	}
	return nil
}

// Rights say what a caller may bring into a database.
type Rights uint8

// The rights.
const (
	BringFacts Rights = iota // what was measured: seeds, executions, sweeps, series, notes and withdrawals
	Owner                    // also what another database decided, judged and forgotten, and when it recorded that
)

// refuse says why a record is not stored.
func refuse(kind string) *track.FieldError {
	return &track.FieldError{
		Field: "kind", Message: "only the owner of the database can bring a " + kind + " of another one: merge the file",
	}
}

// SpoolPart is a part of a spool that a client sends.
type SpoolPart struct {
	ID     string       // of the spool: a ULID
	Sender access.Grant // who sends it
	From   int64        // lines before the part
	Lines  func() int64 // how many lines of the part were read, blank ones too
}

// SpoolGapError is the error for a part of a spool that begins behind its position.
type SpoolGapError struct{ From, Through int64 }

func (e *SpoolGapError) Error() string {
	return fmt.Sprintf("the lines begin at %d, and the server has the lines of this spool up to %d: send them from there", e.From, e.Through)
}

// Unwrap returns [track.ErrConflict].
func (*SpoolGapError) Unwrap() error { return track.ErrConflict }

// RecordSpool records the lines of a part of a spool that the database lacks, as [Group.RecordAll] does, and with them
// the position of the spool. It returns how many lines it left out, because they are below the position, and where the
// position is at the end.
func (g *Group) RecordSpool(ctx context.Context, part SpoolPart, checker *names.Checker, entries iter.Seq2[lines.Record, error], observer BatchObserver,
	enter func(context.Context) (leave func(), err error),
) (summary BatchSummary, skipped int64, p store.SpoolPosition, err error) {
	if p, err = g.store.SpoolPosition(ctx, part.ID); err != nil {
		return summary, 0, p, err
	}
	if part.From > p.Through {
		return summary, 0, p, &SpoolGapError{From: part.From, Through: p.Through}
	}
	known := max(p.Through-part.From, 0)
	summary, err = g.recordAll(ctx, checker, linesAfter(known, entries), observer, enter, &spoolPlace{part})
	if skipped = min(known, part.Lines()); err != nil {
		return summary, skipped, p, err
	}
	if p, err = g.store.SpoolPosition(ctx, part.ID); err != nil || p.Through >= part.From+part.Lines() {
		return summary, skipped, p, err
	}
	p.Through = part.From + part.Lines() // blank lines are at its end
	err = g.store.Update(ctx, func(tx *store.Tx) error {
		return tx.AdvanceSpool(part.ID, part.Sender.Name, store.SpoolPosition{Through: p.Through})
	})
	return summary, skipped, p, err
}

// linesAfter leaves out the first n lines.
func linesAfter(n int64, entries iter.Seq2[lines.Record, error]) iter.Seq2[lines.Record, error] {
	return func(yield func(lines.Record, error) bool) {
		for record, err := range entries {
			if (err != nil || int64(record.Line) > n) && !yield(record, err) {
				return
			}
		}
	}
}

// spoolPlace says where records stand in a spool.
type spoolPlace struct{ part SpoolPart }

// advance sets the position of the spool behind records that a transaction answers for.
func (s *spoolPlace) advance(tx *store.Tx, records []Record, answers [][]Answer) error {
	if len(records) == 0 {
		return nil
	}
	p := store.SpoolPosition{Through: s.part.From + lineOf(records[len(records)-1])}
	for _, list := range answers {
		for _, a := range list {
			if a.Outcome == Invalid || a.Outcome == conflicting {
				p.Refused++
			}
		}
	}
	return tx.AdvanceSpool(s.part.ID, s.part.Sender.Name, p)
}

// lineOf returns the line of an entry of a batch.
func lineOf(record Record) int64 {
	if e, ok := record.(*batchEntry); ok {
		return int64(e.Line)
	}
	return 0
}

// ledgerRecord is a lineage with its ledger, as an export or another database holds it.
type ledgerRecord struct {
	lines.Lineage
	replayed evolution.Replayed // of the whole ledger
	result   lineages.Imported
}

func (*ledgerRecord) needs() (Rights, string) { return Owner, "lineage" }
func (*ledgerRecord) isKnown() bool           { return false }

// settle stores a ledger that continues the one here. A ledger that diverges is an error that wraps
// [track.ErrConflict].
func (l *ledgerRecord) settle(ctx context.Context, _ *Door, _ *store.Reader, tx *store.Tx) (answers []Answer, err error) {
	err = l.write(ctx, tx)
	return []Answer{answerFor(kindLineage, l.result.Entries == 0)}, err
}

func (l *ledgerRecord) write(ctx context.Context, tx *store.Tx) (err error) {
	if l.result, err = lineages.Write(ctx, tx, l.Lineage, l.replayed); err != nil {
		return err
	}
	if l.TrialsElsewhere == nil {
		return lineages.CountTrialsElsewhere(ctx, tx, l.Name, l.result.Entries > 0)
	}
	here, err := tx.Evolving(ctx, l.Name)
	if err != nil {
		return err
	}
	if n := *l.TrialsElsewhere; l.result.Created || n < here.TrialsElsewhere { // its trials come along
		return tx.SetTrialsElsewhere(here.ID, n)
	}
	return nil
}
