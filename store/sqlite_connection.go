package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite" // the driver
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
