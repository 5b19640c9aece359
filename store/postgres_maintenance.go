package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"track"
)

const (
	// https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT
	// The snapshot names the transactions that run: it differs once one of them has ended, and once another has begun.
	postgresChanges = `SELECT hashtextextended(CAST(pg_current_snapshot() AS text), 0)`
	postgresHorizon = `
	SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest, pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next, 100 AS slack`
	postgresSize = `
	SELECT coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)
	  FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = current_schema() AND relkind = 'r'`
	// A commit that waits for the disk waits for all that were made before it.
	writeToLog = `SELECT count(pg_logical_emit_message(true, 'track', '')) FROM (SELECT 1) AS one WHERE NOT pg_is_in_recovery()`
)

// syncTimeout is how long a server may take to write what was committed to its disk.
const syncTimeout = 30 * time.Second

// changes implements [engine]: any transaction of the server counts.
func (postgresSchema) changes() string { return postgresChanges }

// horizon implements [engine].
func (postgresSchema) horizon() string { return postgresHorizon }

// size implements [engine].
func (postgresSchema) size() string { return postgresSize }

// isServer implements [engine].
func (postgresSchema) isServer() bool { return true }

// sync implements [engine].
func (p postgresSchema) sync(relaxed commitment) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), syncTimeout)
	defer cancel()
	db := p.openPool()
	defer func() { _ = db.Close() }() // nothing was written to it
	var written int
	if err = db.GetContext(ctx, &written, writeToLog); err != nil || relaxed.number == "" {
		return err
	}
	if written == 0 { // by a standby, perhaps of a server that is gone
		return lostRecords()
	}
	if isThere, err := p.isCommitted(ctx, relaxed); err != nil || !isThere {
		return cmp.Or(err, lostRecords())
	}
	return nil
}

// vacuum implements [engine]: the server vacuums. Backups and the log of the server keep what was removed for as long as
// they are kept.
func (postgresSchema) vacuum(context.Context, *Store, bool) error { return nil }

func notForServers(done string) error {
	return track.WithHint(fmt.Errorf("%w: a database on a server cannot be %s", track.ErrInvalid, done),
		track.NewHint("write its records to a file", "export lines"))
}
