//go:build !race

package store

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"track"
)

// A quota that is used up is a full disk to whoever has to make space.
func TestQuotaIsAFullDisk(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		err := openError("track.db", &os.PathError{Op: "write", Path: "track.db", Err: cause})
		if !errors.Is(err, track.ErrDatabase) || !strings.Contains(err.Error(), "the disk is full") || len(track.Hints(err)) == 0 {
			t.Errorf("%v: %v with hints %v", cause, err, track.Hints(err))
		}
	}
	if !isQuota(int32(syscall.EDQUOT)) || isQuota(int32(syscall.ENOSPC)) || isQuota(0) {
		t.Error("only EDQUOT says that a quota is used up")
	}
}
