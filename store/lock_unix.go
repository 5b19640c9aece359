//go:build unix

package store

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// lockFile waits for the exclusive lock on the file at path, which it creates if it is missing, until ctx ends. The
// kernel hands flock over in the order of asking and drops it with the process that holds it.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	unlock = func() { _ = file.Close() }
	if err = flock(file, syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return waitForLock(ctx, file)
	}
	if err != nil {
		unlock()
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return unlock, nil
}

// waitForLock waits until nobody else holds the lock on file, or ctx ends. Nothing ends the call of the kernel: if ctx
// ends first, a goroutine is left behind that gives the lock back.
func waitForLock(ctx context.Context, file *os.File) (unlock func(), err error) {
	locked := make(chan error, 1)
	go func() { locked <- flock(file, syscall.LOCK_EX) }()
	unlock = func() { _ = file.Close() }
	select {
	case err = <-locked:
	case <-ctx.Done():
		go func() {
			<-locked
			unlock()
		}()
		return nil, ctx.Err()
	}
	if err != nil {
		unlock()
		return nil, &os.PathError{Op: "lock", Path: file.Name(), Err: err}
	}
	return unlock, nil
}

func flock(file *os.File, how int) error {
	for {
		if err := syscall.Flock(int(file.Fd()), how); err != syscall.EINTR {
			return err
		}
	}
}
