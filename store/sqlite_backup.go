package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"track"
)

// Backup describes a copy of a database.
type Backup struct {
	Bytes             int64
	Seeds, Executions int
}

const countBackedUp = `SELECT (SELECT count(*) FROM seed) AS seeds, (SELECT count(*) FROM execution) AS executions`

// BackUp writes a copy of the database to a file that must not exist. The copy is one state of the database. Others may
// write meanwhile. The file has its name only once it is whole, checked and on the disk.
//
// VACUUM INTO is preferred to SQLite's backup interface: it reads one snapshot, while the latter begins anew whenever
// another process writes. Its copy is as small as can be, and holds nothing of what was deleted.
func (s *Store) BackUp(ctx context.Context, path string) (b Backup, err error) {
	if IsServer(s.path) {
		return b, track.WithHint(notForServers("backed up by track"), track.Hint{Text: "its own tool makes a backup: pg_dump"})
	}
	if err := checkBackupTarget(path); err != nil {
		return b, err
	}
	unfinished, err := createUnfinished(path, s.Now())
	if err != nil {
		return b, writeError(path, err)
	}
	defer func() { err = errors.Join(err, removeWithLog(unfinished)) }() // what has its name stays
	if err := s.vacuumInto(ctx, unfinished); err != nil {
		return b, writeError(path, explain(err))
	}
	if b, err = checkBackup(ctx, unfinished); err != nil {
		return b, writeError(path, err)
	}
	info, err := os.Stat(unfinished)
	if err != nil {
		return b, writeError(path, err)
	}
	b.Bytes = info.Size()
	return b, writeError(path, s.publish(unfinished, path))
}

func (s *Store) vacuumInto(ctx context.Context, path string) error {
	db, err := s.pool.open()
	if err == nil {
		_, err = db.ExecContext(ctx, "VACUUM INTO ?", path)
	}
	return err
}

// checkBackupTarget returns an error if a backup cannot be written to path. A log that is left of another database
// would be applied to the copy.
func checkBackupTarget(path string) error {
	for _, end := range []string{"", "-wal", "-journal"} {
		switch _, err := os.Lstat(path + end); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return writeError(path, err)
		case end == "":
			return backupExists(path)
		default:
			err := fmt.Errorf("%w: %s is left of another database", track.ErrConflict, path+end)
			return track.WithHint(err, track.Hint{Text: "move that database away together with the file, or name another file"})
		}
	}
	return nil
}

func backupExists(path string) error {
	return track.WithHint(fmt.Errorf("%w: %s already exists", track.ErrConflict, path), track.Hint{Text: "name another file, or move this one away: a backup replaces nothing"})
}

// unfinishedSuffix ends the name of a backup while it is written.
const unfinishedSuffix = ".unfinished"

// abandonedAfter is the time after which nobody goes on with a backup that nobody has written to.
const abandonedAfter = 24 * time.Hour

// removeUnfinished removes what killed backups have left, by a pattern of their names, if they were written before a
// time.
func removeUnfinished(pattern string, before time.Time) (err error) {
	left, err := filepath.Glob(pattern)
	for _, path := range left {
		if info, statErr := os.Stat(path); statErr == nil && info.ModTime().Before(before) {
			err = errors.Join(err, removeWithLog(path))
		}
	}
	return err
}

// removeWithLog removes a database with the files of SQLite beside it.
func removeWithLog(path string) (err error) {
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		if removal := os.Remove(path + end); !errors.Is(removal, fs.ErrNotExist) {
			err = errors.Join(err, removal)
		}
	}
	return err
}

// createUnfinished creates an empty file next to path that only its owner can read, and removes what killed backups
// have left there.
func createUnfinished(path string, now time.Time) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if err := removeUnfinished(filepath.Join(filepath.Dir(path), ".*"+unfinishedSuffix), now.Add(-abandonedAfter)); err != nil {
		return "", err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+unfinishedSuffix)
	if err != nil {
		return "", err
	}
	return file.Name(), file.Close()
}

// checkBackup makes a copy a database with a write-ahead log, as the others are, and reads all of its pages.
func checkBackup(ctx context.Context, path string) (b Backup, err error) {
	w, err := sqliteFile{path}.openWriter(ctx)
	if err != nil {
		return b, explain(err)
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if _, err := w.conn.ExecContext(ctx, deleteEpoch); err != nil { // who restores it has lost what came later
		return b, explain(err)
	}
	var found []string
	if err := w.conn.SelectContext(ctx, &found, firstDamage); err != nil {
		return b, explain(err)
	}
	if text := strings.Join(found, "; "); text != "ok" {
		return b, fmt.Errorf("%w: the copy is not sound: %s", track.ErrDatabase, text)
	}
	if err := w.conn.QueryRowxContext(ctx, countBackedUp).Scan(&b.Seeds, &b.Executions); err != nil {
		return b, explain(err)
	}
	_, err = w.conn.ExecContext(ctx, "PRAGMA journal_mode = WAL")
	return b, explain(err)
}

// publish gives a finished copy its name, the permissions of the database, and its place on the disk.
func (s *Store) publish(unfinished, path string) error {
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	if err := syncFile(unfinished); err != nil {
		return err
	}
	if err := os.Chmod(unfinished, info.Mode().Perm()); err != nil {
		return err
	}
	if err := renameToNew(unfinished, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// renameToNew renames a file to a name that nobody has. On a file system without links, somebody who takes the name in
// this moment loses it.
func renameToNew(from, to string) error {
	err := os.Link(from, to)
	if errors.Is(err, fs.ErrExist) {
		return backupExists(to)
	}
	if err == nil {
		return os.Remove(from)
	}
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return backupExists(to)
	}
	return os.Rename(from, to)
}

func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// writeError explains why a file that is not the database could not be written.
func writeError(path string, err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, track.ErrConflict):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return track.WithHint(fmt.Errorf("backup %s: its folder: %w", path, track.ErrNotFound), track.Hint{Text: "make the folder first, or name a file in another one"})
	}
	return fmt.Errorf("backup %s: %w", path, err)
}
