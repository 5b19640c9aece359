package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"track"
	"track/internal/admission"
)

// DefaultDir and DefaultFile name the database of a project: .track/track.db in its top folder.
const (
	DefaultDir  = ".track"
	DefaultFile = "track.db"
)

// Store is an open database. Its methods may be called from several goroutines, but only one [Store.Update] runs at a
// time.
type Store struct {
	*Reader
	path string

	updating sync.Mutex
	writer   *writer       // nil until something is written
	lease    time.Duration // of claims on a server
	relaxed  commitment    // of the last transaction, if it may not be on the disk of a server yet
}

// Open opens the database at path, which must exist and have the schema of this program. now returns the time for what
// is recorded. Reading needs no permission to write.
func Open(ctx context.Context, path string, now func() time.Time) (*Store, error) {
	if IsServer(path) {
		return openServer(ctx, path, now, func(s *Store) (querier, error) { return s.read(), nil })
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() == 0 && !hasLog(path) {
		return nil, openError(path, nothingIn(path))
	}
	return open(ctx, path, now, func(s *Store) (querier, error) { return s.read(), nil })
}

// OpenForUpdate is [Open] for a caller that is about to write: it checks the schema on the connection that will, and so
// saves a short-lived process from opening two.
func OpenForUpdate(ctx context.Context, path string, now func() time.Time) (*Store, error) {
	forUpdate := func(s *Store) (_ querier, err error) {
		if s.writer, err = s.pool.engine.openWriter(ctx); err != nil {
			return nil, err
		}
		return s.writer.conn, nil
	}
	if IsServer(path) {
		return openServer(ctx, path, now, forUpdate)
	}
	return open(ctx, path, now, forUpdate)
}

// NotThere returns the error of a file that does not exist.
func NotThere(path string) error {
	return track.WithHint(fmt.Errorf("open %s: %w", path, track.ErrNotFound), track.NewHint("create it", "init").With("db", path))
}

func open(ctx context.Context, path string, now func() time.Time, connect func(*Store) (querier, error)) (*Store, error) {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, NotThere(path)
	} else if err == nil {
		if err := checkRegular(path, info); err != nil {
			return nil, openError(path, err)
		}
	}
	isBare := lacksLog(path)
	s := newStore(path, sqliteFile{path}, now)
	var state schemaState
	db, err := connect(s)
	if err == nil {
		err = db.GetContext(ctx, &state, getSchemaState)
	}
	if isHot(err) {
		state, err = schemaState{}, nil
	}
	if err == nil {
		err = state.check(ctx, db, path)
	}
	if err == nil && state.unfinished() && s.writer == nil && isBare {
		err = track.WithHint(nothingIn(path), track.Hint{Text: "if it is a copy, copy " + path + "-wal too, or use track backup: all of it may lie in that log"})
	}
	if err = openError(path, err); err == nil && state.unfinished() {
		_, err = Init(ctx, path)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func openServer(ctx context.Context, name string, now func() time.Time, connect func(*Store) (querier, error)) (*Store, error) {
	server, err := newPostgres(name)
	if err != nil {
		return nil, err
	}
	s := newStore(server.name, server, now)
	var state postgresState
	db, err := connect(s)
	if err == nil {
		state, err = server.state(ctx, db)
	}
	if err == nil {
		if err = state.check(server.name); err != nil {
			err = unfitSchema{err}
		}
	}
	if err != nil {
		return nil, errors.Join(server.openError(err), s.Close())
	}
	return s, nil
}

// hasLog reports whether a database has a write-ahead log or a journal, in which all of it may lie.
func hasLog(path string) bool {
	for _, end := range []string{"-wal", "-journal"} {
		if _, err := os.Stat(path + end); err == nil {
			return true
		}
	}
	return false
}

// lacksLog reports whether a database says that it has a write-ahead log, and has none beside it. It is closed then, or
// is a copy of the file alone.
func lacksLog(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	const version, withLog = 18, 2 // in the header of a file of SQLite
	head := make([]byte, version+1)
	_, err = io.ReadFull(file, head)
	return err == nil && head[version] == withLog && !hasLog(path)
}

func newStore(path string, engine engine, now func() time.Time) *Store {
	return &Store{lease: defaultLease, Reader: &Reader{now: now, pool: &pool{engine: engine, path: path}, texts: admission.New(false)}, path: path}
}

// Admit sets the rules by which texts are recorded from now on.
func (s *Store) Admit(rules *admission.Rules) { s.texts = rules }

// Close releases the connections. What was acknowledged is safe without it.
func (s *Store) Close() error {
	s.updating.Lock()
	defer s.updating.Unlock()
	errs := []error{s.pool.close()}
	if s.writer != nil {
		errs = append(errs, s.writer.close())
	}
	return errors.Join(errs...)
}

// Folder returns the folder of what is kept beside a database, such as the records that wait for it: that of the file,
// or one of the user's own for a database on a server.
func Folder(name string) (string, error) {
	if !IsServer(name) {
		return filepath.Dir(name), nil
	}
	settings, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256([]byte(WithoutPassword(name)))
	return filepath.Join(settings, "track", "servers", hex.EncodeToString(hash[:8])), nil
}

// Find looks for the database of dir: in its .track folder, or in the closest parent folder that has one. It returns an
// error wrapping [track.ErrNotFound] if there is none. A .track folder that cannot be read ends the search with an
// error: its database is the one that is meant, not one in a folder above. A folder above to which everybody can write,
// such as /tmp, is passed over: anybody could have put a database there.
func Find(dir string) (string, error) {
	start := dir
	for {
		path := filepath.Join(dir, DefaultDir, DefaultFile)
		switch found, err := exists(path); {
		case dir != start && writableByAll(dir):
		case err != nil:
			return "", unreadable(path, err)
		case found:
			return path, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			err := fmt.Errorf("no %s in %s or above: %w", filepath.Join(DefaultDir, DefaultFile), start, track.ErrNotFound)
			return "", track.WithHint(track.WithHint(err, track.NewHint("create one here", "init")), otherDatabase("name another"))
		}
		dir = parent
	}
}

// exists reports whether there is a database at path. A link that leads nowhere is an error.
func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	for _, name := range []string{path, filepath.Dir(path)} {
		if info, linkErr := os.Lstat(name); linkErr == nil && info.Mode()&fs.ModeSymlink != 0 {
			if _, err := os.Stat(name); err != nil {
				return false, fmt.Errorf("%s is a link to a file that does not exist", name)
			}
		}
	}
	return false, nil
}

// unreadable returns the error of a database, or a folder .track, that ends the search.
func unreadable(path string, err error) error {
	if failure := (*fs.PathError)(nil); errors.As(err, &failure) {
		err = failure.Err // it names the file once more
	}
	return track.WithHint(fmt.Errorf("open %s: %w: it cannot be read, and no folder above is searched instead: %w", path, track.ErrDatabase, err),
		otherDatabase("make it readable, remove it, or name another file"))
}

// badInput returns an error that blames the other file.
func badInput(err error) error {
	if errors.Is(err, track.ErrDatabase) && !isDiskError(err) {
		return fmt.Errorf("%w: %w", track.ErrInvalid, err)
	}
	return err
}

// CheckOther returns an error if the file at path cannot be merged into this database, as far as its head shows.
func CheckOther(ctx context.Context, here, path string) error {
	return badInput(checkOther(ctx, here, path))
}

// checkOther returns an error if the file at path cannot be merged.
func checkOther(ctx context.Context, here, path string) error {
	if IsServer(path) {
		if IsServer(here) && WithoutPassword(here) == WithoutPassword(path) {
			return isTarget(WithoutPassword(path))
		}
		return nil // opening it changes nothing
	}
	there, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("open %s: %w", path, track.ErrNotFound)
	}
	if err != nil {
		return openError(path, err)
	}
	if own, err := os.Stat(here); err == nil && os.SameFile(own, there) {
		return isTarget(path)
	}
	state, err := inspect(ctx, path)
	if isHot(err) {
		return track.WithHint(fmt.Errorf("open %s: %w: its creation was cut short", path, track.ErrDatabase), track.Hint{Text: "there is nothing in it"})
	}
	if err == nil && state.unfinished() {
		err = fmt.Errorf("%w: there is nothing in it", track.ErrDatabase)
	}
	if err == nil {
		err = state.usable(path)
	}
	return openError(path, err)
}

func isTarget(path string) error {
	return track.WithHint(fmt.Errorf("%w: %s is the database that it would be merged into", track.ErrInvalid, path), otherDatabase("name another file, or another target"))
}

// OpenOther opens another database for reading.
func OpenOther(ctx context.Context, path string, now func() time.Time) (*Store, error) {
	st, err := Open(ctx, path, now)
	return st, badInput(err)
}

// ReadError explains an error from reading another database at path.
func ReadError(path string, err error) error {
	if isDamaged(err) && !errors.Is(err, track.ErrInvalid) {
		hint := "what was merged before is whole; ask for the file again, record its lines or run its shard again, or save what can be read with: "
		rescue := "sqlite3 " + path + " .dump"
		if IsServer(path) {
			path, rescue = WithoutPassword(path), "pg_dump"
		}
		return track.WithHint(fmt.Errorf("%w: %s is damaged: part of it cannot be read", track.ErrInvalid, path), track.Hint{Text: hint + rescue})
	}
	return badInput(err)
}

// WriteError explains an error from storing records of another database at path. If a record breaks a rule, that
// database is invalid.
func WriteError(path string, err error) error {
	if !isConstraint(err) {
		return err
	}
	err = fmt.Errorf("%w: %s holds what track never writes: %w", track.ErrInvalid, path, err)
	return track.WithHint(err, track.Hint{Text: "the file is damaged; what was merged before is whole"})
}
