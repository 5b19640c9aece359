package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"track"
	"track/answer"
	"track/store"
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
