package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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
