//go:build unix

package store

import (
	"os"
	"syscall"
)

// lockFile waits for the exclusive lock on the file at path, which it creates if it is missing. The kernel hands flock
// over in the order of asking and drops it with the process that holds it.
func lockFile(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		_ = file.Close()
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return func() { _ = file.Close() }, nil
}
