//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// fileClaims marks places in a file. A mark goes with the process, however it ends.
type fileClaims struct{ file *os.File }

// openClaims implements [engine]: the file lies next to the database.
func (s sqliteFile) openClaims(time.Duration) (claims, error) {
	f, err := os.OpenFile(s.path+".running", os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return fileClaims{f}, nil
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
