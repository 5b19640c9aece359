package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"track"
)

// openInput opens a file, or standard input where it is -. what says in an error which file it is, such as "spec file".
func (p *program) openInput(what, file string) (io.ReadCloser, error) {
	if file == "-" {
		return io.NopCloser(p.in), nil
	}
	opened, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s %s: %w", what, file, track.ErrNotFound)
	}
	if err != nil {
		return nil, &track.FieldError{File: file, Message: err.Error()}
	}
	return opened, nil
}

// readInput reads a file of at most largest bytes, or standard input where it is -.
func (p *program) readInput(what, file string, largest int64) ([]byte, error) {
	in, err := p.openInput(what, file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	data, err := io.ReadAll(io.LimitReader(in, largest+1))
	switch {
	case errors.Is(err, context.Canceled):
		return nil, fmt.Errorf("read %s: %w", inputName(file), err)
	case err != nil:
		return nil, &track.FieldError{File: inputName(file), Message: err.Error()}
	case int64(len(data)) > largest:
		return nil, &track.FieldError{File: inputName(file), Message: fmt.Sprintf("is larger than %d MiB", largest>>20)}
	}
	return data, nil
}

// interruptible is a reader that stops waiting when its context ends: whoever interrupts a command that waits for a
// terminal need not end the input too. It belongs to one goroutine.
type interruptible struct {
	ctx    context.Context
	in     io.Reader
	buffer []byte
	result chan readResult
}

type readResult struct {
	n   int
	err error
}

func newInterruptible(ctx context.Context, in io.Reader) *interruptible {
	return &interruptible{ctx: ctx, in: in, result: make(chan readResult, 1)}
}

// Read reads into a buffer of its own, since what it no longer waits for may still arrive.
func (r *interruptible) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	if cap(r.buffer) < len(p) {
		r.buffer = make([]byte, len(p))
	}
	buffer := r.buffer[:len(p)]
	go func() { r.result <- r.readInto(buffer) }()
	select {
	case <-r.ctx.Done():
		return 0, context.Cause(r.ctx)
	case result := <-r.result:
		return copy(p, buffer[:result.n]), result.err
	}
}

func (r *interruptible) readInto(buffer []byte) (result readResult) {
	defer track.CatchPanic(&result.err)
	result.n, result.err = r.in.Read(buffer)
	return result
}
