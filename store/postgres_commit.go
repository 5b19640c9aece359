package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jmoiron/sqlx"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"track"
)

const (
	beginNumbered = `
	BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE;
	SELECT pg_current_xact_id(), set_config('idle_in_transaction_session_timeout', '`
	// endSilent lets the server end a transaction whose process was stopped, so that nobody waits for its rows for ever.
	// A pool such as PgBouncer takes it here, and not among the parameters of a connection. Statements of writers find
	// rows by their keys, whatever the arguments: the server plans each once, and not anew for the first five arguments.
	endSilent = `', true), set_config('plan_cache_mode', 'force_generic_plan', true)`
	// notWaiting lets a commit not wait for the disk.
	notWaiting = `, set_config('synchronous_commit', 'off', true)`
	// lastReset is when the server reset its statistics: it does when it starts after a crash, and a standby has its own.
	// The time tells whether the number of a transaction may belong to another transaction by now. It comes last.
	lastReset = `, extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time())`
	// getOutcome tells what became of a transaction: committed, aborted, or in progress; NULL if the server has crashed
	// since, or the transaction was long ago.
	getOutcome = `
	SELECT CASE WHEN split_part(transaction, ' ', 2) = CAST(extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()) AS text)
	            THEN pg_xact_status(CAST(split_part(transaction, ' ', 1) AS xid8)) END
	  FROM (SELECT CAST($1 AS text) AS transaction) AS asked`
)

// What [getOutcome] says of a transaction.
const (
	committed  = "committed"
	inProgress = "in progress"
)

var (
	errAborted  = errors.New("a statement of the transaction failed, and nothing of it was committed")
	errNoServer = errors.New("the connection is closed")
	errLost     = errors.New("the connection to the server was lost, and nothing was recorded")
	errForgot   = errors.New("the server has stopped, and lost records that were not on its disk yet")
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
// another has changed since fails, and is run again. Its number tells what became of it if the connection is lost. A
// server that crashes ends the connection, so the time of its last reset is asked for once a second, not for each
// transaction. An old time makes nothing worse: the record tells then whether it was committed.
func (postgresSchema) begin(ctx context.Context, w *writer, relaxed bool) error {
	const shortest = time.Second
	statements := beginNumbered + strconv.FormatInt(max(w.lease, shortest).Milliseconds(), 10) + endSilent
	if relaxed {
		statements += notWaiting
	}
	asks := time.Since(w.resetAsked) > time.Second
	if asks {
		statements += lastReset
	}
	w.last, w.isUnknown = commitment{}, false
	return w.onServer(func(server *pgconn.PgConn) error {
		results, err := server.Exec(context.WithoutCancel(ctx), statements).ReadAll()
		if err == nil && len(results) > 1 && len(results[1].Rows) == 1 {
			row := results[1].Rows[0]
			if asks {
				w.reset, w.resetAsked = string(row[len(row)-1]), time.Now()
			}
			w.last.number = string(row[0]) + " " + w.reset
		}
		return explainStandby(err)
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

// isCommitted implements [engine]. It asks for a while, and at least a few times: this process may have been stopped
// meanwhile. If the server cannot tell, and knows none of the records, the transaction was not committed.
func (p postgresSchema) isCommitted(ctx context.Context, last commitment) (bool, error) {
	const fewest = 3
	db := p.openPool()
	defer func() { _ = db.Close() }() // nothing was written to it
	began := time.Now()
	for i, pause := 1, time.Millisecond; ; i, pause = i+1, min(2*pause, time.Second) {
		outcome, err := last.outcome(ctx, db)
		if err == nil && outcome != inProgress {
			return outcome == committed, nil
		}
		if i >= fewest && time.Since(began) > connectTimeout {
			return false, unknownOutcome(err)
		}
		if err := wait(ctx, pause); err != nil {
			return false, unknownOutcome(err)
		}
	}
}

// outcome asks what became of the transaction. The number of one that a server lost may be another one's after a
// crash: then its record tells.
func (c commitment) outcome(ctx context.Context, db *sqlx.DB) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	var outcome sql.NullString
	err := db.GetContext(ctx, &outcome, getOutcome, c.number)
	if err == nil && outcome.Valid {
		return outcome.String, nil
	}
	if cannotTell := strings.HasPrefix(postgresCode(err), "22") || strings.HasPrefix(postgresCode(err), "42"); err != nil && !cannotTell {
		return "", err
	}
	if c.find == "" {
		return "", nil
	}
	var isThere bool
	if err := db.GetContext(ctx, &isThere, c.find, c.args...); err != nil || !isThere {
		return "", err
	}
	return committed, nil
}

// errOutcome is in the error of a transaction that may have been committed.
var errOutcome = errors.New("the connection was lost, and it is not known whether the last transaction was committed")

func unknownOutcome(err error) error {
	return track.WithHint(fmt.Errorf("%w: %w (%w)", track.ErrDatabase, errOutcome, err),
		track.Hint{Text: "check that the server runs, and run the command again: what is recorded counts as a duplicate"})
}

// lostConnection is the error of a transaction whose connection was lost, and that was not committed.
func lostConnection(err error) error {
	return track.WithHint(fmt.Errorf("%w: %w (%w)", track.ErrDatabase, errLost, err),
		track.Hint{Text: "check that the server runs, and run the command again"})
}

// lostRecords is the error of a server that has lost what was not on its disk yet.
func lostRecords() error {
	return track.WithHint(fmt.Errorf("%w: %w", track.ErrDatabase, errForgot),
		track.Hint{Text: "run the command again: what is recorded stays"})
}

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

// vacuum implements [engine]: the server vacuums. Backups and the log of the server keep what was removed for as long
// as they are kept.
func (postgresSchema) vacuum(context.Context, *Store, bool) error { return nil }

func notForServers(done string) error {
	return track.WithHint(fmt.Errorf("%w: a database on a server cannot be %s", track.ErrInvalid, done),
		track.NewHint("write its records to a file", "export lines"))
}

// textIndex implements [engine]. The words of a text are cut here, as SQLite cuts them, so that both find the same.
func (postgresSchema) textIndex() textIndex {
	return textIndex{
		found:  `(SELECT execution_id, number, ts_rank(words, to_tsquery('simple', $1), 2) AS rank FROM text_index WHERE words @@ to_tsquery('simple', $1))`,
		remove: `DELETE FROM text_index WHERE execution_id = $1`,
		insert: `INSERT INTO text_index (execution_id, number, words) VALUES ($1, $2, to_tsvector('simple', $3))`,
		empty:  `DELETE FROM text_index`,
		notIndexed: `
	SELECT DISTINCT 'row ' || execution_id || ' of execution' FROM (` + keptTexts + `) AS kept
	 WHERE execution_id IN (SELECT id FROM execution WHERE is_indexed = 1)
	   AND NOT EXISTS (SELECT 1 FROM text_index WHERE text_index.execution_id = kept.execution_id AND text_index.number = kept.number)`,
		notKept: `
	SELECT DISTINCT 'row ' || execution_id || ' of execution' FROM text_index
	 WHERE NOT EXISTS (SELECT 1 FROM (` + keptTexts + `) AS kept WHERE text_index.execution_id = kept.execution_id AND text_index.number = kept.number)`,
		match: queryOfPhrases,
		words: func(text string) string { return strings.Join(indexedWords(text), " ") },
	}
}

// maxIndexed bounds the bytes of a text that are indexed: the words of one must fit into 1 MB, each with its places.
const maxIndexed = 256 << 10

// maxWord bounds the bytes of an indexed word.
const maxWord = 1000

// indexedWords returns the words of a text: letters and digits, in lower case, without marks.
func indexedWords(text string) []string {
	if len(text) > maxIndexed {
		text = strings.ToValidUTF8(text[:maxIndexed], "")
	}
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), text)
	if err != nil {
		plain = text
	}
	words := strings.FieldsFunc(strings.ToLower(plain), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	return slices.DeleteFunc(words, func(word string) bool { return len(word) > maxWord })
}

// queryOfPhrases returns phrases as a query of tsquery, empty if there is no word in them.
func queryOfPhrases(phrases []string) string {
	var all []string
	for _, phrase := range phrases {
		if words := indexedWords(phrase); len(words) > 0 {
			all = append(all, "("+strings.Join(words, " <-> ")+")")
		}
	}
	return strings.Join(all, " & ")
}
