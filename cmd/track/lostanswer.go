package main

import (
	"bytes"
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

	holding bool
	held    bytes.Buffer // what waits for a pager
}

// mostHeld is how much waits for a pager. More goes to the terminal at once.
const mostHeld = 16 << 20

func (o *answerOutput) Write(b []byte) (int, error) {
	if o.holding {
		o.held.Write(b)
		if o.held.Len() <= mostHeld {
			return len(b), nil
		}
		return len(b), o.release()
	}
	n, err := o.Writer.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// hold keeps what is written until release or discard.
func (o *answerOutput) hold() { o.holding = true }

// heldLines returns the number of lines that are held.
func (o *answerOutput) heldLines() int { return bytes.Count(o.held.Bytes(), []byte("\n")) }

// release writes what is held, and holds nothing more.
func (o *answerOutput) release() error {
	o.holding = false
	if o.held.Len() == 0 {
		return nil
	}
	defer o.held.Reset()
	_, err := o.Write(o.held.Bytes())
	return err
}

// discard forgets what is held, and holds nothing more.
func (o *answerOutput) discard() {
	o.holding = false
	o.held.Reset()
}

// records says that the command is about to record something. From now on, a reader that is gone no longer ends the
// program: the command finishes what it records.
func (p *program) records() {
	p.recording = true
	p.unpaged()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// unpaged says that the answer goes to the terminal at once.
func (p *program) unpaged() {
	if answers, ok := p.out.(*answerOutput); ok {
		_ = answers.release() // answers keeps the error
	}
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
