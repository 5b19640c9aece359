package claudehooks

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Bounds of a payload in memory, in bytes of JSON.
const (
	longString  = 1 << 20 // a longer string is cut: its beginning and its end are kept
	keptOfLong  = 1 << 20 // of all long strings together
	longValue   = 4 << 20 // a longer object or array is left out, its long strings not counted
	longPayload = 16 << 20
)

var errTooManyMembers = fmt.Errorf("the payload is longer than %d MiB without its long texts", longPayload>>20)

// ReadPayload returns a payload of any size in bounded memory. Of a string above 1 MiB, the masked beginning and the
// masked end are kept, of an object or array of much else nothing, and what is left out is named with its size and a
// digest of its lines' lengths. cuts say what is left out; none if nothing is. mask takes secrets out of a text.
func ReadPayload(r io.Reader, mask func(text string) string) (payload []byte, cuts Cuts, err error) {
	s := shortener{in: bufio.NewReaderSize(r, 256<<10), mask: mask, kept: keptOfLong}
	for err == nil {
		if err = s.next(); len(s.out) > longPayload {
			return nil, s.cuts, errTooManyMembers
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, s.cuts, err
	}
	if s.skip != nil { // the payload ended within it
		s.leaveOut(s.skip, "")
	}
	return s.out, s.cuts, nil
}

// shortener copies JSON from in to out and leaves out what is long. It knows strings and brackets, and nothing else of
// JSON: whoever decodes the payload finds out whether it is any.
type shortener struct {
	in    *bufio.Reader
	out   []byte
	mask  func(string) string
	kept  int // bytes that long strings may still take
	cuts  Cuts
	depth int
	value int // where the member of the payload begins in out, if it is an object or array
	long  int // bytes of long strings in it
	skip  *outline
}

// next copies what comes up to the next string, with the string.
func (s *shortener) next() error {
	chunk, err := s.chunk()
	if err != nil {
		return err
	}
	for i, c := range chunk {
		switch c {
		case '"':
			s.write(chunk[:i+1])
			_, _ = s.in.Discard(i + 1) // it is buffered
			return s.text()
		case '{', '[':
			if s.depth++; s.depth == 2 {
				s.value, s.long = len(s.out)+i, 0
			}
		case '}', ']':
			if s.depth--; s.depth == 1 && s.skip != nil {
				_, _ = s.in.Discard(i + 1)
				s.endSkipped(i + 1)
				return nil
			}
		}
	}
	s.write(chunk)
	_, _ = s.in.Discard(len(chunk))
	return nil
}

// chunk returns bytes that are buffered, at least one.
func (s *shortener) chunk() ([]byte, error) {
	if _, err := s.in.Peek(1); err != nil {
		return nil, err
	}
	return s.in.Peek(s.in.Buffered())
}

// write copies bytes, unless the value that they belong to has become too long: then it is left out.
func (s *shortener) write(text []byte) {
	if s.skip != nil {
		s.skip.bytes += len(text)
		return
	}
	s.out = append(s.out, text...)
	if s.depth >= 2 && len(s.out)-s.value-s.long > longValue {
		s.skip = newOutline()
		s.skip.bytes = len(s.out) - s.value
		s.out = s.out[:s.value]
	}
}

// endSkipped writes what stands for a value that was left out.
func (s *shortener) endSkipped(n int) {
	s.skip.bytes += n
	outline := s.skip
	s.skip = nil
	s.out = appendQuoted(s.out, outline.String())
	s.leaveOut(outline, outline.String())
}

// text copies the rest of a string, whose first quote was read.
func (s *shortener) text() error {
	start, escaped := len(s.out), false
	for {
		chunk, err := s.chunk()
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		n, next, ended := stringEnd(chunk, escaped)
		escaped = next
		s.write(chunk[:n])
		if s.skip != nil {
			s.skip.line(chunk[:n])
		}
		_, _ = s.in.Discard(n)
		if ended {
			return nil
		}
		if s.skip == nil && len(s.out)-start > longString {
			return s.longText(start, escaped)
		}
	}
}

// stringEnd returns how much of a chunk belongs to a string, with its last quote, and whether that is its end. escaped
// says that a backslash precedes the chunk; next, that one ends it.
func stringEnd(chunk []byte, escaped bool) (n int, next, ended bool) {
	i, quote := 0, -1
	if escaped {
		i = 1
	}
	for i < len(chunk) {
		if quote < i {
			if quote = bytes.IndexByte(chunk[i:], '"') + i; quote < i {
				quote = len(chunk)
			}
		}
		backslash := bytes.IndexByte(chunk[i:quote], '\\')
		switch {
		case backslash >= 0:
			i += backslash + 2
		case quote < len(chunk):
			return quote + 1, false, true
		default:
			return len(chunk), false, false
		}
	}
	return len(chunk), i > len(chunk), false
}
