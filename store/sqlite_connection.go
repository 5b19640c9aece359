package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"modernc.org/libc"
	"modernc.org/sqlite"
	_ "modernc.org/sqlite" // the driver
	sqlite3 "modernc.org/sqlite/lib"

	"track"
)

const driverName = "sqlite"

const busyTimeout = 10 * time.Second

// sqliteFile is the engine of a file of SQLite.
type sqliteFile struct{ path string }

// beginWrite begins a transaction that writes. It takes the lock at once: a transaction that read first could not wait
// for it.
const beginWrite = "BEGIN IMMEDIATE"

// openReaders implements [engine].
func (s sqliteFile) openReaders() (*sqlx.DB, error) {
	db, err := openPool(dataSource(s.path, readMode(s.path)))
	if err == nil {
		db.SetMaxIdleConns(mostIdle)
	}
	return db, err
}

// openWriter implements [engine].
func (s sqliteFile) openWriter(ctx context.Context) (*writer, error) {
	db, err := openPool(dataSource(s.path, "mode=rw"))
	if err != nil {
		return nil, err
	}
	return newWriter(ctx, s, db)
}

// lock implements [engine].
func (s sqliteFile) lock(ctx context.Context) (unlock func(), err error) {
	return lockFile(ctx, s.path+".lock")
}

// openError implements [engine].
func (s sqliteFile) openError(err error) error { return openError(s.path, err) }

// isRepeatable implements [engine]: writers wait for each other.
func (sqliteFile) isRepeatable(error) bool { return false }

// beginReading implements [engine].
func (sqliteFile) beginReading() string { return "BEGIN" }

// openPool returns a pool of connections.
func openPool(source string) (*sqlx.DB, error) { return sqlx.Open(driverName, source) }

// readMode returns the mode of the connections: immutable if a database without a write-ahead log lies in a folder that
// cannot be written, because SQLite would have to create the index of the log there.
func readMode(path string) string {
	if _, err := os.Stat(path + "-wal"); err == nil || writable(filepath.Dir(path)) {
		return "mode=ro"
	}
	return "mode=ro&immutable=1"
}

func dataSource(path, mode string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	name := url.URL{Path: filepath.ToSlash(path)}
	return fmt.Sprintf("file:%s?%s&_dqs=0&_defensive=1&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=busy_timeout(%d)&_pragma=foreign_keys(1)&_pragma=cache_size(-16384)", name.EscapedPath(), mode, busyTimeout.Milliseconds())
}

func (w *writer) relax(ctx context.Context, relaxed bool) error {
	if w.relaxed == relaxed {
		return nil
	}
	mode := "FULL"
	if relaxed {
		mode = "NORMAL"
	}
	_, err := w.conn.ExecContext(ctx, "PRAGMA synchronous = "+mode)
	w.relaxed = relaxed
	return err
}

// sync implements [engine].
func (s sqliteFile) sync(commitment) error {
	// All commits since the last checkpoint lie in the log, in order; a checkpoint has synced what it moved.
	log, err := os.OpenFile(s.path+"-wal", os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(log.Sync(), log.Close())
}

// changes implements [engine]: it is what this connection has seen.
func (sqliteFile) changes() string { return "PRAGMA data_version" }

// horizon implements [engine]: writers wait for each other, so ids are in the order of commits.
func (sqliteFile) horizon() string {
	return `SELECT 1 AS oldest, 1 AS next, 0 AS slack`
}

// interruptAtEnd implements [engine]: the driver ends a statement only until its first row.
func (sqliteFile) interruptAtEnd(ctx context.Context, conn *sqlx.Conn) (release func()) {
	handle := handleOf(conn)
	if handle == 0 {
		return func() {}
	}
	released, done := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		keepInterrupting(handle, released)
	})
	return func() {
		if !stop() {
			close(released)
			<-done
		}
	}
}

// handleOf returns SQLite's handle of a connection, which the driver keeps to itself; 0 if it is not found, as a test
// would tell.
func handleOf(conn *sqlx.Conn) (handle uintptr) {
	_ = conn.Raw(func(driverConn any) error {
		if field := reflect.Indirect(reflect.ValueOf(driverConn)).FieldByName("db"); field.Kind() == reflect.Uintptr {
			handle = uintptr(field.Uint())
		}
		return nil
	})
	return handle
}

// keepInterrupting interrupts statements until it is told to end: SQLite forgets an interruption before the first step
// of a statement.
func keepInterrupting(handle uintptr, end <-chan struct{}) {
	tls := libc.NewTLS()
	defer tls.Close()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		sqlite3.Xsqlite3_interrupt(tls, handle)
		select {
		case <-end:
			return
		case <-again.C:
		}
	}
}

// begin implements [engine]. It waits for other programs that hold the database, until ctx ends.
func (sqliteFile) begin(ctx context.Context, w *writer, relaxed bool) error {
	statements := context.WithoutCancel(ctx)
	if err := w.relax(statements, relaxed); err != nil {
		return err
	}
	const patience = 50 * time.Millisecond // between two looks at ctx
	for waited := time.Duration(0); ; waited += patience {
		err := w.beginWithin(statements, patience)
		switch {
		case !isBusy(err) || waited >= busyTimeout:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}

// beginWithin begins a transaction that writes, and waits for a while at most.
func (w *writer) beginWithin(ctx context.Context, while time.Duration) error {
	if _, err := w.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", while.Milliseconds())); err != nil {
		return err
	}
	_, err := w.conn.ExecContext(ctx, beginWrite)
	_, resetErr := w.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", busyTimeout.Milliseconds()))
	return errors.Join(err, resetErr)
}

// commit implements [engine].
func (sqliteFile) commit(ctx context.Context, w *writer) error {
	_, err := w.conn.ExecContext(ctx, "COMMIT")
	return err
}

// isLost implements [engine]: a file needs no connection.
func (sqliteFile) isLost(*writer) bool { return false }

// isCommitted implements [engine].
func (sqliteFile) isCommitted(context.Context, commitment) (bool, error) { return false, nil }

// confine implements [engine]: the connection only reads, and knows no other file.
func (sqliteFile) confine(_ context.Context, conn *sqlx.Conn) (release func(), err error) {
	before, err := sqlite.Limit(conn.Conn, sqlite3.SQLITE_LIMIT_LENGTH, largestValue)
	if err != nil {
		return nil, err
	}
	return func() { _, _ = sqlite.Limit(conn.Conn, sqlite3.SQLITE_LIMIT_LENGTH, before) }, nil
}

// Pack makes the database one file without a log, as small as it can be. Nothing may have been read from the store
// before.
func (s *Store) Pack(ctx context.Context) error {
	if IsServer(s.path) {
		return notForServers("packed")
	}
	if err := s.Update(ctx, func(*Tx) error { return nil }); err != nil { // opens the connection
		return err
	}
	for _, statement := range []string{"PRAGMA journal_mode = DELETE", "VACUUM"} {
		if _, err := s.writer.conn.ExecContext(ctx, statement); err != nil {
			return explain(err)
		}
	}
	return nil
}

// vacuum implements [engine].
func (f sqliteFile) vacuum(ctx context.Context, s *Store, thorough bool) error {
	if thorough { // or what was removed from the index stays in it until much more is added
		err := s.Update(ctx, func(tx *Tx) error {
			_, err := tx.exec(compactIndex)
			return err
		})
		if err != nil {
			return err
		}
	}
	unlock, err := lockFile(ctx, s.path+".lock")
	if err != nil {
		return openError(s.path, err)
	}
	_, err = s.writer.conn.ExecContext(ctx, "VACUUM")
	unlock()
	if err != nil || !thorough {
		return explain(err)
	}
	return s.emptyLog(ctx)
}

// emptyLog moves everything committed into the database and empties its log. Readers that are in the middle of
// something hold it up.
func (s *Store) emptyLog(ctx context.Context) error {
	var busy, pages, moved int
	if err := s.writer.conn.QueryRowxContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
		return explain(err)
	}
	if busy != 0 {
		return fmt.Errorf("%w: another program is reading it", track.ErrDatabase)
	}
	return nil
}

const compactIndex = `INSERT INTO text_index (text_index) VALUES ('optimize')`

// textIndex implements [engine]. The index is a table of FTS5 without contents: the texts are in the rows of executions
// and calls. The row of a text is execution_id << 24 | its number.
func (sqliteFile) textIndex() textIndex {
	return textIndex{
		found:  `(SELECT rowid >> 24 AS execution_id, rowid & 16777215 AS number, -rank AS rank FROM text_index WHERE text_index MATCH $1)`,
		remove: `DELETE FROM text_index WHERE rowid >= $1 << 24 AND rowid < ($1 + 1) << 24`,
		insert: `INSERT INTO text_index (rowid, text) VALUES (($1 << 24) + $2, $3)`,
		empty:  `INSERT INTO text_index (text_index) VALUES ('delete-all')`,
		notIndexed: `
	SELECT DISTINCT 'row ' || execution_id || ' of execution' FROM (` + keptTexts + `) AS kept
	 WHERE execution_id IN (SELECT id FROM execution WHERE is_indexed = 1) AND (execution_id << 24) + number NOT IN (SELECT id FROM text_index_docsize)`,
		notKept: `
	SELECT DISTINCT 'row ' || (id >> 24) || ' of execution' FROM text_index_docsize
	 WHERE id NOT IN (SELECT (execution_id << 24) + number FROM (` + keptTexts + `) AS kept)`,
		match: quotedPhrases,
		words: func(text string) string { return text },
	}
}

// quotedPhrases returns phrases as a query of FTS5. A quoted phrase has no syntax that could be wrong.
func quotedPhrases(phrases []string) string {
	quoted := make([]string, len(phrases))
	for i, phrase := range phrases {
		quoted[i] = `"` + strings.NewReplacer(`"`, `""`, "\x00", " ").Replace(phrase) + `"`
	}
	return strings.Join(quoted, " ")
}
