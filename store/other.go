package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"track"
)

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
