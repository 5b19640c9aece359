package exchange

import (
	"errors"
	"fmt"
	"syscall"

	"track"
)

// isDiskFull reports whether a file system, or what somebody may use of it, is full.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// diskError says which disk is full, if that is what went wrong with a file in dir.
func diskError(dir string, err error) error {
	if !isDiskFull(err) {
		return err
	}
	return track.WithHint(fmt.Errorf("disk full: %s: %w", dir, err), track.Hint{Text: "free some space there, or set TMPDIR to a folder on another disk"})
}
