//go:build unix

package store

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"syscall"
	"time"
)

// runningSuffix ends the name of the file with the claims, which lies next to the database.
const runningSuffix = ".running"

// fileClaims marks places in a file. A mark goes with the process, however it ends.
type fileClaims struct{ file *os.File }

// openClaims implements [engine]: the file lies next to the database.
func (s sqliteFile) openClaims(time.Duration) (claims, error) {
	f, err := os.OpenFile(s.path+runningSuffix, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return fileClaims{f}, nil
}

// claimed implements [engine].
func (s sqliteFile) claimed(context.Context, *Reader) (places []int64, err error) {
	f, err := os.Open(s.path + runningSuffix)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return lockedBytes(f, 0, math.MaxInt64-1)
}

// lockedBytes returns the bytes of a file between two others that processes have locked. The system tells one lock in a
// range: the parts before and after it are asked about next.
func lockedBytes(f *os.File, first, last int64) (list []int64, err error) {
	if first > last {
		return nil, nil
	}
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: first, Len: last - first + 1}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock); err != nil || lock.Type == syscall.F_UNLCK {
		return nil, err
	}
	end := lock.Start + lock.Len - 1 // the locks of one process on neighbours are one
	if lock.Len == 0 || end < lock.Start {
		return nil, nil // not a claim
	}
	for place := max(first, lock.Start); place <= min(last, end); place++ {
		list = append(list, place)
	}
	before, errBefore := lockedBytes(f, first, lock.Start-1)
	after, errAfter := lockedBytes(f, end+1, last)
	return append(append(list, before...), after...), errors.Join(errBefore, errAfter)
}

func (c fileClaims) take(place int64) (bool, error) {
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: place, Len: 1}
	err := syscall.FcntlFlock(c.file.Fd(), syscall.F_SETLK, &lock)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return false, nil
	}
	return err == nil, err
}

func (c fileClaims) release(place int64) error {
	return syscall.FcntlFlock(c.file.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_UNLCK, Start: place, Len: 1})
}

// hasLapsed implements [claims]: the system ends a claim with its process, and no sooner.
func (fileClaims) hasLapsed(int64) (bool, error) { return false, nil }

func (c fileClaims) close() error { return c.file.Close() }
