package exchange

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"track"
)

func TestDiskError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = full.Close() }()
	_, err = io.WriteString(full, "x")
	got := diskError("/tmp/x", err)
	if !strings.HasPrefix(got.Error(), "disk full: /tmp/x: ") || errors.Is(got, track.ErrInvalid) || len(track.Hints(got)) != 1 {
		t.Errorf("%v, with %v", got, track.Hints(got))
	}
	if got := diskError("/tmp/x", io.ErrUnexpectedEOF); !errors.Is(got, io.ErrUnexpectedEOF) || strings.Contains(got.Error(), "full") {
		t.Error(got)
	}
}
