package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"track"
)

// answerOutput is standard output. It remembers the first error, so that no lost answer ends with exit code 0.
type answerOutput struct {
	io.Writer
	err error
}

func (o *answerOutput) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// records says that the command is about to record something. From now on, a reader that is gone no longer ends the
// program: the command finishes what it records.
func (p *program) records() {
	p.recording = true
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// lost returns the error of a command whose answer could not be written; otherwise err, which ended the command.
func (p *program) lost(err, writing error) error {
	var verdict verdictExit
	if writing == nil || err != nil && !errors.As(err, &verdict) && !errors.Is(err, writing) {
		return err
	}
	lost := fmt.Errorf("the answer could not be written: %w", writing)
	if p.recording {
		return track.WithHint(lost, track.Hint{Text: "the command itself was carried out: what it recorded is kept"})
	}
	return lost
}
