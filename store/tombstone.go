package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"track"
)

// Tombstone records that the texts of an execution were forgotten: wherever the same execution comes from again, they
// are not stored.
type Tombstone struct {
	ID     string            // of the execution
	Digest [sha256.Size]byte // of the execution
	// Identity is the hash of the lineage, source and key: a log that has grown gives the same execution with another
	// digest, and in another database with another ID.
	Identity [sha256.Size]byte
	Reason   string // empty if nobody gave one
	At       time.Time
}

const (
	listTombstones = `SELECT ulid, digest, identity, reason, at FROM tombstone ORDER BY ulid`
	findTombstone  = `SELECT 1 FROM tombstone WHERE ulid = $1 AND at <= $2`
	// Of two tombstones of one execution, the earlier counts.
	insertTombstone = `
	INSERT INTO tombstone (ulid, digest, identity, reason, at) VALUES ($1, $2, $3, $4, $5)
	ON CONFLICT (ulid) DO UPDATE SET digest = excluded.digest, identity = excluded.identity, reason = excluded.reason, at = excluded.at
	       WHERE excluded.at < tombstone.at`
	forgottenSince = `
	SELECT min(at) FROM (SELECT at FROM tombstone WHERE ulid = $1
	                      UNION ALL SELECT at FROM tombstone WHERE digest = $2
	                      UNION ALL SELECT at FROM tombstone WHERE identity = $3) AS known`
	findExecutionIdentity = `
	SELECT execution.digest, lineage.name, execution.source, execution.key FROM execution JOIN lineage ON lineage.id = execution.lineage_id
	 WHERE execution.ulid = $1`
	// The digests of executions have no index: forgetting is rare, and the index would cost 40 bytes an execution.
	listForgettable   = `SELECT ulid, digest, forgotten_at FROM execution WHERE ulid IN ({list})`
	listForgettableOr = ` OR digest IN ({list})`
)

// Tombstones returns all tombstones of executions.
func (r *Reader) Tombstones(ctx context.Context) ([]Tombstone, error) {
	return list(ctx, r, listTombstones, nil, func(c *cells) Tombstone { return Tombstone{c.text(), c.digest(), c.digest(), c.text(), c.time()} })
}

// MissingTombstones returns those of some tombstones that are not here, or are later here.
func (r *Reader) MissingTombstones(ctx context.Context, list []Tombstone) (missing []Tombstone, err error) {
	for _, t := range list {
		here, err := r.exists(ctx, findTombstone, t.ID, micros(t.At))
		if err != nil {
			return nil, err
		}
		if !here {
			missing = append(missing, t)
		}
	}
	return missing, nil
}

// Forgettable is an execution that a tombstone names.
type Forgettable struct {
	ID        string
	At        time.Time // of the earliest tombstone
	Forgotten bool      // its texts were removed before
}

// Forgettables returns the executions here that some tombstones name by their IDs or their digests, unless they were
// forgotten earlier.
func (r *Reader) Forgettables(ctx context.Context, list []Tombstone) (found []Forgettable, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	byID, byDigest := map[string]time.Time{}, map[[sha256.Size]byte]time.Time{}
	var ids, digests []any
	for _, t := range list {
		byID[t.ID], byDigest[t.Digest] = earlier(byID[t.ID], t.At), earlier(byDigest[t.Digest], t.At)
		ids, digests = append(ids, t.ID), append(digests, t.Digest[:])
	}
	var c clauses
	c.add(listForgettable, ids)
	c.add(listForgettableOr, digests)
	query, args := c.statement()
	return found, r.each(ctx, query, args, func(c *cells) {
		id, digest, before := c.text(), c.digest(), c.time()
		at := earlier(byID[id], byDigest[digest])
		if before.IsZero() || at.Before(before) {
			found = append(found, Forgettable{id, at, !before.IsZero()})
		}
	})
}

// earlier returns the earlier one of two times; zero means none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// AddTombstone stores a tombstone.
func (t *Tx) AddTombstone(x Tombstone) error {
	_, err := t.exec(insertTombstone, x.ID, x.Digest[:], x.Identity[:], t.free(x.Reason), micros(x.At))
	return err
}

// executionIdentity returns the identity of an execution for its [Tombstone].
func executionIdentity(lineage, source, key string) [sha256.Size]byte {
	return sha256.Sum256([]byte(lineage + "\x00" + source + "\x00" + key))
}

// forgottenSince returns when an execution was forgotten, by its ID, digest or identity; zero if it was not.
func (t *Tx) forgottenSince(e ExecutionRecord) (time.Time, error) {
	identity := executionIdentity(e.Lineage, e.Source, e.Key)
	at, err := first(t.ctx, t.Reader, forgottenSince, []any{e.ID, e.Digest[:], identity[:]}, (*cells).time)
	return orZero(at), err
}

const (
	forgetExecution = `
	UPDATE execution SET prompt = NULL, output = NULL, message = NULL, forgotten_at = CASE WHEN forgotten_at < $1 THEN forgotten_at ELSE $1 END WHERE id = $2`
	forgetCalls      = `UPDATE call SET input = NULL, output = NULL, error = CASE WHEN error IS NOT NULL THEN '` + Forgotten + `' END WHERE execution_id = $1`
	forgetDetails    = `UPDATE execution_score SET document = NULL WHERE execution_id = $1`
	listExecutionIDs = `SELECT id FROM execution WHERE ulid = $1`
	// What hooks reported of a finished execution is kept for a while, in case more comes.
	forgetEvents    = `DELETE FROM hook_event WHERE execution = $1`
	findOpenInHooks = `SELECT 1 FROM hook_event WHERE execution = $1 AND settled_at IS NULL`
)

// Forget removes the texts of executions, and what scores quote of them. Scores, components, counts and digests stay.
// A tombstone keeps the texts from coming back. Executions that say the same are forgotten too.
//
// SQLite leaves copies of what it moved in its files, so the database is written anew, which takes as long as it is
// large.
func (s *Store) Forget(ctx context.Context, ulids ...string) error {
	return s.ForgetFor(ctx, "", ulids...)
}

// ForgetFor is [Store.Forget] with a reason, which the tombstones have.
func (s *Store) ForgetFor(ctx context.Context, reason string, ulids ...string) error {
	if err := s.Update(ctx, func(tx *Tx) error { return tx.forget(reason, ulids) }); err != nil {
		return err
	}
	if err := s.pool.engine.vacuum(ctx, s, true); err != nil {
		return track.WithHint(fmt.Errorf("the texts are removed, but their place in %s is not overwritten yet: %w", s.path, err), track.Hint{Text: "forget them again"})
	}
	return nil
}

// Forget is [Store.Forget] within a transaction: the place of the texts in the files is not overwritten.
func (t *Tx) Forget(ulids ...string) error { return t.forget("", ulids) }

func (t *Tx) forget(reason string, ulids []string) error {
	list := make([]Tombstone, len(ulids))
	for i, ulid := range ulids {
		found, err := first(t.ctx, t.Reader, findExecutionIdentity, []any{ulid}, func(c *cells) Tombstone {
			return Tombstone{ID: ulid, Digest: c.digest(), Identity: executionIdentity(c.text(), c.text(), c.text()), Reason: reason, At: fromMicros(t.now)}
		})
		if err == nil && found == nil {
			err = fmt.Errorf("execution %s: %w", ulid, track.ErrNotFound)
		}
		if err != nil {
			return err
		}
		list[i] = *found
		if err := t.checkEnded(ulid); err != nil {
			return err
		}
		if err := t.AddTombstone(list[i]); err != nil {
			return err
		}
	}
	found, err := t.Forgettables(t.ctx, list)
	for _, f := range found {
		err = cmp.Or(err, t.ForgetAt(f.ID, f.At))
	}
	return err
}

// checkEnded returns an error if hooks are still reporting an execution: its texts would come back with the next event.
func (t *Tx) checkEnded(ulid string) error {
	open, err := t.exists(t.ctx, findOpenInHooks, ulid)
	if err != nil || !open {
		return err
	}
	return track.WithHint(fmt.Errorf("%w: execution %s is not complete: its session goes on", track.ErrConflict, ulid),
		track.Hint{Text: "end the session, and forget the execution then"})
}

// ForgetAt removes the texts of an execution that was forgotten at a time.
func (t *Tx) ForgetAt(ulid string, at time.Time) error {
	var ids []int64 // one in each lineage that has it
	if err := t.selectAll(t.ctx, &ids, listExecutionIDs, ulid); err != nil {
		return err
	}
	for _, id := range ids {
		if err := t.changeExecution(id, func() error { return t.forgetTexts(id, at) }); err != nil {
			return err
		}
	}
	_, err := t.exec(forgetEvents, ulid)
	return err
}

func (t *Tx) forgetTexts(id int64, at time.Time) error {
	if err := t.removeFromIndex(id); err != nil {
		return err
	}
	if _, err := t.exec(forgetExecution, micros(at), id); err != nil {
		return err
	}
	if _, err := t.exec(forgetCalls, id); err != nil {
		return err
	}
	_, err := t.exec(forgetDetails, id)
	return err
}
