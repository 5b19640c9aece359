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
)

const driverName = "sqlite"

const busyTimeout = 10 * time.Second

// beginWrite begins a transaction that writes. It takes the lock at once: a transaction that read first could not wait
// for it.
const beginWrite = "BEGIN IMMEDIATE"

// openReaders returns a pool of read-only connections.
func openReaders(path string) *sqlx.DB {
	db, err := openPool(dataSource(path, readMode(path)))
	if err != nil {
		panic(err) // cannot happen: the path is escaped, and the rest is constant
	}
	return db
}

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

// Sync waits until everything committed is on the disk.
func (s *Store) Sync() error {
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

// Watch calls changed at once, and again whenever somebody else has changed the database, until ctx ends or changed
// returns an error. It looks every interval, which costs next to nothing if nothing changed.
func (s *Store) Watch(ctx context.Context, interval time.Duration, changed func() error) (err error) {
	conn, err := s.pool.open().Connx(ctx) // data_version is what this connection has seen
	if err != nil {
		return explain(err)
	}
	defer func() { err = errors.Join(err, explain(conn.Close())) }()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for last := int64(-1); ; {
		var version int64
		if err := conn.GetContext(ctx, &version, "PRAGMA data_version"); err != nil {
			return explain(err)
		}
		if version != last {
			if err := changed(); err != nil {
				return err
			}
			last = version
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}
