//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// claims marks what this process is working on, so that others take something else. A mark goes with the process,
// however it ends.
type claims struct{ file *os.File }

func openClaims(path string) (*claims, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return &claims{f}, nil
}

// take claims one of 2^62 places, unless another process has it. Within this process any number may.
func (c *claims) take(place int64) (bool, error) {
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: place, Len: 1}
	err := syscall.FcntlFlock(c.file.Fd(), syscall.F_SETLK, &lock)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return false, nil
	}
	return err == nil, err
}

func (c *claims) release(place int64) error {
	return syscall.FcntlFlock(c.file.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_UNLCK, Start: place, Len: 1})
}

func (c *claims) close() error { return c.file.Close() }
