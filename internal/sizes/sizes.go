// Package sizes bounds what is read: a compressed file of a few kilobytes can hold gigabytes.
package sizes

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"track"
)

// Size is a number of bytes. It implements flag.Value.
type Size int64

// Unpacked is what a file may hold when it is unpacked, unless the user says otherwise: far more than a recorded run
// has ever held, and less than the memory of a small machine.
const Unpacked Size = 1 << 30

// ErrTooLarge is wrapped by the errors of what holds more than is allowed. They are [track.ErrInvalid].
var ErrTooLarge = errors.New("too large")

type unit struct {
	suffix string
	bytes  int64
}

func units() []unit {
	return []unit{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1}}
}

// Set reads a size such as 2GB or 512MiB.
func (s *Size) Set(text string) error {
	for _, u := range units() {
		digits, ok := cutSuffixFold(strings.TrimSpace(text), u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n < 1 || n > math.MaxInt64/u.bytes {
			break
		}
		*s = Size(n * u.bytes)
		return nil
	}
	return fmt.Errorf("%q is not a size: write 512MiB or 2GB", text)
}

func cutSuffixFold(s, suffix string) (before string, ok bool) {
	at := len(s) - len(suffix)
	if at < 0 || !strings.EqualFold(s[at:], suffix) {
		return s, false
	}
	return s[:at], true
}

// String writes the size as [Size.Set] reads it.
func (s Size) String() string {
	for _, u := range []unit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if s > 0 && int64(s)%u.bytes == 0 {
			return fmt.Sprintf("%d%s", int64(s)/u.bytes, u.suffix)
		}
	}
	return fmt.Sprintf("%dB", int64(s))
}

// Exceeded returns the error of a file that holds more.
func (s Size) Exceeded() error {
	larger := s
	if larger <= math.MaxInt64/2 {
		larger *= 2
	}
	return track.WithHint(tooLarge{&track.FieldError{Message: fmt.Sprintf("holds more than %v when it is unpacked, which is the limit", s)}},
		track.Hint{Text: "allow more, if it is what you expect"}.With("max-size", larger.String()))
}

type tooLarge struct{ *track.FieldError }

// Is reports whether target is [ErrTooLarge].
func (tooLarge) Is(target error) bool { return target == ErrTooLarge }

// Unwrap returns what is wrong, to which a reader adds the file.
func (e tooLarge) Unwrap() error { return e.FieldError }

// Reader returns a reader that fails with [ErrTooLarge] if r holds more.
func (s Size) Reader(r io.Reader) io.Reader { return &reader{r, s, int64(s)} }

type reader struct {
	io.Reader
	limit Size
	left  int64
}

func (r *reader) Read(p []byte) (int, error) {
	if r.left < 0 {
		return 0, r.limit.Exceeded()
	}
	if int64(len(p)) > r.left+1 {
		p = p[:r.left+1]
	}
	n, err := r.Reader.Read(p)
	if r.left -= int64(n); r.left < 0 {
		return n - 1, r.limit.Exceeded()
	}
	return n, err
}
