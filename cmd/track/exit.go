package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"track"
	"track/tracker/lineages"
)

// The exit codes. They are part of the interface: scripts and CI jobs tell answers apart by them.
const (
	exitOK           = 0  // done; verdict PASS
	exitFail         = 1  // verdict FAIL
	exitUsage        = 2  // the command line is wrong or names several things
	exitNotFound     = 3  // no such database, scenario, seed, …
	exitInconclusive = 4  // verdict INCONCLUSIVE
	exitInvalid      = 5  // bad input; what was good of it is recorded
	exitRejected     = 10 // a mutation was rejected
	exitContinue     = 11 // a decision needs more evidence
	exitMismatch     = 13 // a replay differs
	exitConflict     = 14 // something else is recorded under this identity
	exitInternal     = 70 // the disk, the database, or a defect of track
	exitInterrupted  = 130
)

// usageError is a command line that cannot be carried out.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// verdictExit ends a command whose answer is written with the exit code of a verdict.
type verdictExit int

func (verdictExit) Error() string { return "the verdict is the exit code" }

func exitCode(err error) int {
	var usage *usageError
	var verdict verdictExit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &verdict):
		return int(verdict)
	case errors.As(err, &usage), errors.Is(err, track.ErrAmbiguous):
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, lineages.ErrReplay):
		return exitMismatch
	case errors.Is(err, track.ErrInvalid):
		return exitInvalid
	case errors.Is(err, track.ErrConflict):
		return exitConflict
	case errors.Is(err, track.ErrNotFound):
		return exitNotFound
	}
	return exitInternal
}

// report writes an error, and then the ways out, to standard error.
func (p *program) report(err error) {
	var verdict verdictExit
	if err == nil || errors.As(err, &verdict) {
		return
	}
	fmt.Fprintln(p.err, "track: "+printableLines(strings.TrimPrefix(err.Error(), "track: ")))
	var usage *usageError
	for _, hint := range track.Hints(err) {
		fmt.Fprintln(p.err, "hint: "+printableLines(shellHint(hint)))
	}
	if errors.As(err, &usage) {
		fmt.Fprintln(p.err, "hint: track COMMAND --help shows how a command is used")
	}
}

func isNotFound(err error) bool { return errors.Is(err, track.ErrNotFound) }
