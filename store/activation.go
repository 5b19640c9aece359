package store

import (
	"cmp"
	"context"
	"slices"

	"track/evolution"
)

// Activation is a version that was ever active.
type Activation struct {
	Version  string
	ID       int64    // of the version: its number among all
	Position int      // in the order in which versions were first active, from 1
	Entry    int      // number of the entry that made it active first
	Fitness  *float64 // as it was stored; nil if no trial has a score, or if it is not known
}

const (
	selectActivations = `
	SELECT version.name, version.id, activation.position, activation.entry, activation.fitness
	  FROM activation JOIN version ON version.id = activation.version_id
	 WHERE activation.lineage_id = $1`
	getActivation         = selectActivations + ` AND activation.version_id = (SELECT id FROM version WHERE lineage_id = $1 AND name = $2)`
	listActivations       = selectActivations + ` ORDER BY activation.position`
	listNewestActivations = selectActivations + ` ORDER BY activation.position DESC LIMIT $2`
	listBestActivations   = selectActivations + ` AND activation.rubric = $2 AND activation.fitness IS NOT NULL
	 ORDER BY activation.fitness DESC, activation.position LIMIT $3 OFFSET $4`
	listUnratedActivations = selectActivations + ` AND activation.version_id IN (
	       SELECT version_id FROM activation WHERE lineage_id = $1 AND rubric IS NULL UNION ALL
	       SELECT version_id FROM activation WHERE lineage_id = $1 AND rubric < $2 UNION ALL
	       SELECT version_id FROM activation WHERE lineage_id = $1 AND rubric > $2)` // three ranges of an index
	listHeadActivations = `
	SELECT version.name, version.id, activation.position, ledger.number, activation.fitness
	  FROM ledger ORDERED JOIN version ON version.lineage_id = ledger.lineage_id AND version.name = ledger.head_after
	  ORDERED JOIN activation ON activation.lineage_id = ledger.lineage_id AND activation.version_id = version.id
	 WHERE ledger.lineage_id = $1 AND ledger.head_before IS DISTINCT FROM ledger.head_after AND ledger.number >= $2 AND ledger.number < $3
	 ORDER BY ledger.number DESC LIMIT $4`
	countActivations = `SELECT coalesce(max(position), 0) FROM activation WHERE lineage_id = $1`
	insertActivation = `
	INSERT INTO activation (lineage_id, version_id, position, entry)
	SELECT lineage_id, id, (SELECT coalesce(max(position), 0) + 1 FROM activation WHERE lineage_id = $1), $2 FROM version WHERE lineage_id = $1 AND name = $3
	    ON CONFLICT (lineage_id, version_id) DO NOTHING`
	rateActivation   = `UPDATE activation SET rubric = $1, fitness = $2 WHERE lineage_id = $3 AND version_id = $4`
	unrateActivation = `UPDATE activation SET rubric = NULL, fitness = NULL WHERE lineage_id = $1 AND version_id = $2 AND rubric IS NOT NULL`
	findRated        = `SELECT lineage_id, version_id FROM execution WHERE id = $1`
)

func (r *Reader) activations(ctx context.Context, query string, args ...any) (list []Activation, err error) {
	return list, r.streamCells(ctx, query, args, func(c *cells) {
		list = append(list, Activation{c.text(), c.integer(), int(c.integer()), int(c.integer()), c.real()})
	})
}

// Activation returns the activation of a version; found is false if it was never active.
func (r *Reader) Activation(ctx context.Context, lineage Evolving, version string) (a Activation, found bool, err error) {
	list, err := r.activations(ctx, getActivation, lineage.ID, version)
	if err != nil || len(list) == 0 {
		return a, false, err
	}
	return list[0], true, nil
}

// Activations returns the versions of a lineage that were ever active, in the order in which they were first.
func (r *Reader) Activations(ctx context.Context, lineage Evolving) ([]Activation, error) {
	return r.activations(ctx, listActivations, lineage.ID)
}

// NActivations counts the versions of a lineage that were ever active.
func (r *Reader) NActivations(ctx context.Context, lineage Evolving) (n int, err error) {
	return n, explain(r.read().GetContext(ctx, &n, countActivations, lineage.ID))
}

// NewestActivations returns at most n of the versions that were ever active, the one that was first active last first.
func (r *Reader) NewestActivations(ctx context.Context, lineage Evolving, n int) ([]Activation, error) {
	return r.activations(ctx, listNewestActivations, lineage.ID, n)
}

// BestActivations returns at most n of the versions whose fitness under a rubric is stored, after the first skip: the
// best first, and of equal ones the one that was active first.
func (r *Reader) BestActivations(ctx context.Context, lineage Evolving, rubric string, skip, n int) ([]Activation, error) {
	return r.activations(ctx, listBestActivations, lineage.ID, rubric, n, skip)
}

// UnratedActivations returns the versions whose fitness under a rubric is not stored, in the order in which they were
// first active.
func (r *Reader) UnratedActivations(ctx context.Context, lineage Evolving, rubric string) ([]Activation, error) {
	list, err := r.activations(ctx, listUnratedActivations, lineage.ID, rubric)
	slices.SortFunc(list, func(a, b Activation) int { return cmp.Compare(a.Position, b.Position) })
	return list, err
}

// HeadActivations returns at most n of the versions that entries with numbers from first to before made active, once
// for each entry, the newest first. Their Entry is the number of that entry.
func (r *Reader) HeadActivations(ctx context.Context, lineage Evolving, first, before, n int) ([]Activation, error) {
	return r.activations(ctx, listHeadActivations, lineage.ID, first, before, n)
}

// addActivation notes the version that an entry made active, unless it was active before.
func (t *Tx) addActivation(lineage int64, e evolution.Entry) error {
	_, err := t.exec(insertActivation, lineage, e.Number, e.HeadAfter)
	return err
}

// RateActivation stores the fitness of a version under the rubric of the settings; nil if none of its trials has a
// score.
func (t *Tx) RateActivation(lineage Evolving, version int64, rubric string, fitness *float64) error {
	delete(t.unrated, version)
	_, err := t.exec(rateActivation, rubric, fitness, lineage.ID, version)
	return err
}

// unrate takes the fitness of a version away, because its executions change.
func (t *Tx) unrate(lineage, version int64) error {
	if t.unrated[version] {
		return nil
	}
	if t.unrated == nil {
		t.unrated = map[int64]bool{}
	}
	t.unrated[version] = true
	_, err := t.exec(unrateActivation, lineage, version)
	return err
}

// unrateExecution takes the fitness of the version of an execution away.
func (t *Tx) unrateExecution(id int64) error {
	var row struct {
		Lineage int64 `db:"lineage_id"`
		Version int64 `db:"version_id"`
	}
	if err := t.get(&row, findRated, id); err != nil {
		return err
	}
	return t.unrate(row.Lineage, row.Version)
}
