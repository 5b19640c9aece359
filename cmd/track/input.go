package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"track"
	"track/internal/provenance"
	"track/internal/separated"
	"track/reports/escape"
	"track/scoring/format"
	"track/series"
	"track/sweep"
	"track/tracker/exchange"
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

// problemsNamed is how many problems of a source people are told of.
const problemsNamed = 50

// lineProblems tells people of the first problems in the lines of a source, and counts the others.
type lineProblems struct {
	*program
	source string // empty if it is clear
	told   []track.FieldError
	again  []int // how many later lines have the same problem, for each of these
	others int
}

// add takes a problem of a batch. One that repeats an earlier one with the same way out is counted with it.
func (l *lineProblems) add(problem exchange.BatchProblem) {
	if problem.Repeated {
		l.others++
		return
	}
	l.tell(&track.FieldError{File: l.source, Line: problem.Line, Field: problem.Field, Message: problem.Message, Hint: problem.Hint})
}

func (l *lineProblems) tell(problem *track.FieldError) {
	same := func(told track.FieldError) bool {
		return problem.Hint != nil && told.Field == problem.Field && told.Message == problem.Message
	}
	if i := slices.IndexFunc(l.told, same); i >= 0 {
		l.again[i]++
		return
	}
	if len(l.told) == problemsNamed {
		l.others++
		return
	}
	l.told, l.again = append(l.told, *problem), append(l.again, 0)
	l.tellFailure(problem)
}

// end says how many problems were not told.
func (l *lineProblems) end() {
	for i, n := range l.again {
		if n > 0 {
			l.summarize(format.Counted(n, "more line") + " with the problem of line " + strconv.Itoa(l.told[i].Line))
		}
	}
	if l.others > 0 {
		l.summarize(format.Counted(l.others, "more problem"))
	}
}

func (l *lineProblems) summarize(more string) {
	text := fmt.Sprintf("and %s; --format json names them", more)
	if l.source != "" {
		text = l.source + ": " + text
	}
	fmt.Fprintln(l.err, escape.Line(text))
}

// textFormatFlags say how CSV of values and series is written.
func (p *program) textFormatFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "delimiter", Usage: "read CSV whose cells `SIGN` separates: , or ; or tab (default: found out)", Destination: &p.delimiter},
		&cli.StringFlag{Name: "decimal", Usage: "read numbers in CSV with a decimal `SIGN`: point or comma (default: found out)", Destination: &p.decimal},
	}
}

// textFormat returns what these flags say.
func (p *program) textFormat() (separated.Format, error) {
	f, err := separated.ParseFormat(p.delimiter, p.decimal)
	if err != nil {
		return f, usage("%v", err)
	}
	return f, nil
}

// noticeLeftOut names columns of a file of series that are left out.
func (p *program) noticeLeftOut(file string, columns []string) {
	p.notice("%s: not numbers, so left out: %s", file, strings.Join(columns, ", "))
}

// seriesOptions says how the files of series of a batch are read. The same columns are named once, with the first file
// that has them.
func (p *program) seriesOptions() (series.Options, error) {
	var told sync.Map
	f, err := p.textFormat()
	return series.Options{Largest: p.maxSize, Format: f, LeftOut: func(file string, columns []string) {
		if _, before := told.LoadOrStore(strings.Join(columns, "\x00"), true); !before {
			p.notice("%s: not numbers, so left out here and in further files: %s", file, strings.Join(columns, ", "))
		}
	}}, err
}

// readTextOf makes a runner read CSV as the flags say. Each file is named once, whichever run wrote it.
func (p *program) readTextOf(r *sweep.Runner) (err error) {
	var told sync.Map
	r.LeftOut = func(file string, columns []string) {
		if _, before := told.LoadOrStore(file+"\x00"+strings.Join(columns, "\x00"), true); !before {
			p.noticeLeftOut(file, columns)
		}
	}
	r.Format, err = p.textFormat()
	return err
}

// provenance finds out where a seed comes from while its values are read and the database is opened.
func (p *program) provenance(ctx context.Context, declaredCommit string) <-chan provenance.Origin {
	found := make(chan provenance.Origin, 1)
	go func() { found <- provenance.Find(ctx, declaredCommit, provenance.Version(version), p.patience()) }()
	return found
}

// patience says how long git may take, and that its user hears if it is slow.
func (p *program) patience() provenance.Patience {
	return provenance.NewPatience(func(text string) { p.notice("%s", text) })
}
