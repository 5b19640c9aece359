// Package gunzip reads gzip, and says what is wrong with a file that is not.
package gunzip

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

var (
	// errNotGzip is the error of a file that does not begin as gzip does.
	errNotGzip = errors.New("not gzip")
	// ErrTrailing is the error of a file in which something else follows what is compressed.
	ErrTrailing = errors.New("something that is not gzip follows what is compressed")
)

const magic = "\x1f\x8b"

// IsGzip reports whether what r reads next begins as gzip does.
func IsGzip(r *bufio.Reader) bool {
	begin, _ := r.Peek(len(magic))
	return string(begin) == magic
}

// reader reads the members of a gzip file one after another.
type reader struct {
	in     *bufio.Reader
	member *gzip.Reader
}

// NewReader returns a reader of what is compressed in r. The error of a file that is cut off is [io.ErrUnexpectedEOF].
func NewReader(r *bufio.Reader) (io.Reader, error) {
	if !IsGzip(r) {
		return nil, errNotGzip
	}
	member, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotGzip, err)
	}
	member.Multistream(false)
	return &reader{r, member}, nil
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.member.Read(p)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if _, err := r.in.Peek(1); err != nil { // the end, or the file cannot be read further
		return n, err
	}
	if !IsGzip(r.in) {
		return n, ErrTrailing
	}
	err = r.member.Reset(r.in)
	r.member.Multistream(false)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
