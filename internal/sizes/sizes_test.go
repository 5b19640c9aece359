package sizes_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"track"
	"track/internal/sizes"
)

func TestSet(t *testing.T) {
	for text, want := range map[string]sizes.Size{"1": 1, "2GB": 2e9, "512MiB": 512 << 20, "512 mib": 512 << 20, "3B": 3, "1TiB": 1 << 40, "7kb": 7000} {
		var got sizes.Size
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%q is %d, want %d: %v", text, got, want, err)
		}
		if err := got.Set(want.String()); err != nil || got != want {
			t.Errorf("%v is read as %v: %v", want, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.5GB", "GB", "9999999TiB", "1XB"} {
		if got := sizes.Size(5); got.Set(text) == nil || got != 5 {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestReader(t *testing.T) {
	for n := range 12 {
		got, err := io.ReadAll(iotest.OneByteReader(sizes.Size(10).Reader(bytes.NewReader(make([]byte, n)))))
		switch {
		case n <= 10 && (err != nil || len(got) != n):
			t.Errorf("%d of %d bytes: %v", len(got), n, err)
		case n > 10 && (!errors.Is(err, sizes.ErrTooLarge) || !errors.Is(err, track.ErrInvalid) || len(got) != 10):
			t.Errorf("%d of %d bytes: %v", len(got), n, err)
		}
	}
}
