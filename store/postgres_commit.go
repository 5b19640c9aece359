package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"track"
)

const (
	// A server resets its statistics when it starts after a crash, and a standby has its own: the time of that tells
	// whether the number of a transaction may belong to another one by now.
	beginNumbered = `
	BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE;
	SELECT pg_current_xact_id() || ' ' || extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time())`
	// getOutcome tells what became of a transaction: committed, aborted, or in progress; NULL if the server has crashed
	// since, or the transaction was long ago.
	getOutcome = `
	SELECT CASE WHEN split_part(transaction, ' ', 2) = CAST(extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()) AS text)
	            THEN pg_xact_status(CAST(split_part(transaction, ' ', 1) AS xid8)) END
	  FROM (SELECT CAST($1 AS text) AS transaction) AS asked`
)

var (
	errAborted  = errors.New("a statement of the transaction failed, and nothing of it was committed")
	errNoServer = errors.New("the connection is closed")
)

// onServer calls run with the connection of a writer.
func (w *writer) onServer(run func(*pgconn.PgConn) error) error {
	return w.conn.Raw(func(driverConn any) error {
		conn, ok := driverConn.(*postgresConn)
		if !ok || conn.Conn.Conn().IsClosed() {
			return errNoServer
		}
		return run(conn.Conn.Conn().PgConn())
	})
}

// begin implements [engine]. What a transaction reads does not change while it lasts; one that would write over what
// another has changed since fails, and is run again. Its number tells what became of it if the connection is lost.
func (postgresSchema) begin(ctx context.Context, w *writer, relaxed bool) error {
	statements := beginNumbered
	if relaxed {
		statements += "; SET LOCAL synchronous_commit = off"
	}
	w.transaction, w.isUnknown = "", false
	return w.onServer(func(server *pgconn.PgConn) error {
		results, err := server.Exec(context.WithoutCancel(ctx), statements).ReadAll()
		if err == nil && len(results) > 1 && len(results[1].Rows) == 1 {
			w.transaction = string(results[1].Rows[0][0])
		}
		return err
	})
}

// commit implements [engine]. A server answers COMMIT with success after a failed statement too, and rolls back.
func (postgresSchema) commit(ctx context.Context, w *writer) error {
	return w.onServer(func(server *pgconn.PgConn) error {
		const isInTransaction = 'T'
		if server.TxStatus() != isInTransaction {
			return errAborted
		}
		w.isUnknown = true
		_, err := server.Exec(ctx, "COMMIT").ReadAll()
		return err
	})
}

// isLost implements [engine].
func (postgresSchema) isLost(w *writer) bool {
	return w.onServer(func(*pgconn.PgConn) error { return nil }) != nil
}

// isCommitted implements [engine]. A server that cannot tell does not know the transaction: it runs again, and finds
// what it has recorded.
func (p postgresSchema) isCommitted(ctx context.Context, transaction string) (_ bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	db := p.openPool()
	defer func() { _ = db.Close() }() // nothing was written to it
	for pause := time.Millisecond; ; pause *= 2 {
		var outcome sql.NullString
		err := db.GetContext(ctx, &outcome, getOutcome, transaction)
		if postgresCode(err) != "" && !isUnreachable(err) {
			return false, nil
		}
		if err == nil && outcome.String != "in progress" {
			return outcome.String == "committed", nil
		}
		if err := errors.Join(err, wait(ctx, pause)); err != nil {
			return false, fmt.Errorf("the connection was lost, and it is not known whether the last transaction was committed: %w", err)
		}
	}
}

// lostConnection is the error of a transaction whose connection was lost, and that was not committed.
func lostConnection(err error) error {
	return track.WithHint(fmt.Errorf("%w: the connection to the server was lost, and nothing was recorded (%w)", track.ErrDatabase, err),
		track.Hint{Text: "check that the server runs, and run the command again"})
}

// lostRecords is the error of a server that has lost what was not on its disk yet.
func lostRecords() error {
	return track.WithHint(fmt.Errorf("%w: the server has stopped, and lost records that were not on its disk yet", track.ErrDatabase),
		track.Hint{Text: "run the command again: what is recorded stays"})
}
