package exchange

import (
	"context"

	"track"
	"track/answer"
	"track/store"
)

// Scope says what a caller may bring.
type Scope int

// The scopes.
const (
	Facts      Scope = iota // seeds, executions, sweeps, series and specs
	Everything              // also judgements, pins, looks, decisions and ledgers: a merge by the owner
)

// Kind is the kind of a record.
type Kind string

// The kinds of records.
const (
	KindScenario  Kind = "scenario"
	KindSpec      Kind = "spec"
	KindSeed      Kind = "seed"
	KindSweep     Kind = "sweep"
	KindPin       Kind = "pin"
	KindLook      Kind = "look"
	KindLineage   Kind = "lineage"
	KindVersion   Kind = "version"
	KindExecution Kind = "execution"

	kindConfiguration Kind = "configuration" // is counted, and comes with the records that name it
)

// Outcome says what became of a record.
type Outcome string

// The outcomes.
const (
	Recorded    Outcome = "recorded"
	Known       Outcome = "known"
	Conflicting Outcome = "conflict" // something else stands in its place, and stays
	Invalid     Outcome = "invalid"
)

// Answer is what the door says of a record.
type Answer struct {
	Kind    Kind
	Outcome Outcome
	Problem *Conflict // of a conflict
	Reason  string    // of an invalid record
}

// Record is something to be stored: a [Scenario], [SeedPage], [Sweep], [Pin], [Look], [Lineage] or [ExecutionPage].
type Record interface {
	// settle compares the record with what r reads, and answers for each of its parts. store, which is nil if nothing is to be stored, does
	// what the answers say.
	settle(ctx context.Context, d *Door, r *store.Reader) (answers []Answer, store func(*store.Tx) error, err error)
	// isKnown reports whether nothing of the record is to be stored, as far as that is known already.
	isKnown() bool
	// owned reports whether only a merge by the owner may bring the record.
	owned() bool
}

// Door puts records into a database. It belongs to one goroutine.
type Door struct {
	store  *store.Store
	scope  Scope
	dryRun bool // find out what would become of records, and store nothing
	counts answer.MergeCounts

	specs      map[string][]string         // by scenario: the hashes of its specs here, and in a dry run those that would come
	versions   map[string]bool             // lineages and names of the versions whose contents are in conflict
	superseded map[string][]store.SeedHead // superseded seeds here by their place; nil until they are asked for
	configured map[string]bool             // hashes of the configurations that were counted
}

// NewDoor returns a door to a database.
func NewDoor(st *store.Store, scope Scope, dryRun bool) *Door {
	return &Door{store: st, scope: scope, dryRun: dryRun, counts: answer.NewMergeCounts(), specs: map[string][]string{}, versions: map[string]bool{}, configured: map[string]bool{}}
}

// Counts counts what the door answered so far.
func (d *Door) Counts() answer.MergeCounts { return d.counts }

// Put stores a record in one transaction, and answers for each of its parts. Storing it again changes nothing.
func (d *Door) Put(ctx context.Context, record Record) (answers []Answer, err error) {
	if record.owned() && d.scope != Everything {
		return []Answer{{Outcome: Invalid, Reason: "only a merge by the owner of the database can bring it"}}, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	before := d.counts.Clone()
	if d.dryRun || record.isKnown() {
		answers, _, err = record.settle(ctx, d, d.store.Reader)
	} else {
		err = d.store.UpdateRelaxed(ctx, func(tx *store.Tx) error {
			var write func(*store.Tx) error
			if answers, write, err = record.settle(ctx, d, tx.Reader); err != nil || write == nil {
				return err
			}
			return write(tx)
		})
	}
	if err != nil {
		d.counts, d.superseded = before, nil
		return nil, err
	}
	for _, a := range answers {
		d.add(a)
	}
	return answers, nil
}

// countConfiguration counts a configuration when the first record names it.
func (d *Door) countConfiguration(ctx context.Context, r *store.Reader, hash string) error {
	if d.configured[hash] {
		return nil
	}
	known, err := r.HasConfiguration(ctx, hash)
	if err != nil {
		return err
	}
	d.configured[hash] = true
	d.add(answerFor(kindConfiguration, known))
	return nil
}

// answerFor answers for one record.
func answerFor(kind Kind, isKnown bool) Answer {
	if isKnown {
		return Answer{Kind: kind, Outcome: Known}
	}
	return Answer{Kind: kind, Outcome: Recorded}
}

// Scenario is a scenario with all versions of its spec.
type Scenario struct{ store.ScenarioRecord }

// Sweep is a sweep of another database.
type Sweep struct{ track.Sweep }

// Pin is the pin of a baseline, or the removal of one.
type Pin struct{ store.PinRecord }

// Look is an interim analysis.
type Look struct{ store.Look }

func (Scenario) owned() bool { return false }
func (Sweep) owned() bool    { return false }
func (Pin) owned() bool      { return true }
func (Look) owned() bool     { return true }

func (Scenario) isKnown() bool { return false }
func (Sweep) isKnown() bool    { return false }
func (Pin) isKnown() bool      { return false }
func (Look) isKnown() bool     { return false }
