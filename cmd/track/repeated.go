package main

import (
	"io"
	"os"
	"sync"
)

// repeated is an input that can be read once more from its beginning, also while its first reader waits for more of it.
type repeated struct {
	mu     sync.Mutex
	source io.Reader
	file   *os.File // what was read so far
	size   int64
}

func newRepeated(source io.Reader) (*repeated, error) {
	file, err := os.CreateTemp("", "track-batch-")
	return &repeated{source: source, file: file}, err
}

func (r *repeated) close() {
	_ = r.file.Close()
	_ = os.Remove(r.file.Name())
}

// Read reads what nobody has read yet.
func (r *repeated) Read(text []byte) (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.read(text)
}

func (r *repeated) read(text []byte) (n int, err error) {
	n, err = r.source.Read(text)
	if _, writeErr := r.file.WriteAt(text[:n], r.size); writeErr != nil {
		return n, writeErr
	}
	r.size += int64(n)
	return n, err
}

// again returns a reader of everything.
func (r *repeated) again() io.Reader { return &repetition{of: r} }

type repetition struct {
	of *repeated
	at int64
}

func (r *repetition) Read(text []byte) (n int, err error) {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	if left := r.of.size - r.at; left > 0 {
		n, err = r.of.file.ReadAt(text[:min(int64(len(text)), left)], r.at)
	} else {
		n, err = r.of.read(text)
	}
	r.at += int64(n)
	return n, err
}
