package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"

	"golang.org/x/term"
)

// screen says how an answer is shown on a terminal.
type screen struct {
	wide    bool
	width   int // of tables and paragraphs; 0 for the terminal's
	noPager bool
}

// narrowest is the least width for which tables are laid out.
const narrowest = 40

// check returns an error if the flags do not fit together.
func (s screen) check(widthGiven bool) error {
	switch {
	case widthGiven && s.wide:
		return usage("--wide and --width: give one of them")
	case widthGiven && s.width < narrowest:
		return usage("--width %d: must be at least %d; --wide is for any width", s.width, narrowest)
	}
	return nil
}

// terminalSize returns the columns and rows of the terminal to which answers are written; zeros if it is none.
func (p *program) terminalSize() (columns, rows int) {
	answers, _ := p.out.(*answerOutput)
	if answers == nil {
		return 0, 0
	}
	file, _ := answers.Writer.(*os.File)
	if file == nil {
		return 0, 0
	}
	columns, rows, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0, 0
	}
	if given, err := strconv.Atoi(p.getenv("COLUMNS")); err == nil && given > 0 {
		columns = given
	}
	return columns, rows
}

// pageWidth returns how wide tables and paragraphs may be; 0 for any width, as in a file.
func (p *program) pageWidth() int {
	if p.shared.screen.wide || p.shared.screen.width > 0 {
		return p.shared.screen.width
	}
	columns, _ := p.terminalSize()
	if columns == 0 {
		return 0
	}
	return max(columns, narrowest)
}

// logWidth is how wide the tables may be that logs of CI have; 0 for any width.
func (p *program) logWidth() int {
	if p.shared.screen.wide {
		return 0
	}
	return 100
}

// paged runs a command. What it writes to a terminal is shown by a pager if it is longer than the screen, unless the
// command records something.
func (p *program) paged(run func() error) error {
	pager := p.pager()
	answers, _ := p.out.(*answerOutput)
	if pager == nil || answers == nil {
		return run()
	}
	answers.hold()
	err := run()
	_, rows := p.terminalSize()
	switch {
	case errors.Is(err, context.Canceled): // what was left behind may still write
		return err
	case answers.heldLines() < rows || !showIn(pager, answers):
		return errors.Join(err, answers.release())
	}
	answers.discard()
	return err
}

// showIn reports whether a pager showed what is held. Whoever quits it has seen enough.
func showIn(pager *exec.Cmd, answers *answerOutput) bool {
	const cannotRun = 126 // also 127: what a shell returns for a command that it cannot run
	pager.Stdin, pager.Stdout, pager.Stderr = bytes.NewReader(answers.held.Bytes()), answers.Writer, os.Stderr
	if pager.Start() != nil {
		return false
	}
	_ = pager.Wait()
	code := pager.ProcessState.ExitCode()
	return code != cannotRun && code != cannotRun+1
}

// pager returns the command that shows long answers; nil for none.
func (p *program) pager() *exec.Cmd {
	_, rows := p.terminalSize()
	format := p.shared.format
	if rows == 0 || p.shared.screen.noPager || format == "jsonl" || format == "csv" || p.getenv("TERM") == "dumb" {
		return nil
	}
	command, given := p.lookup("TRACK_PAGER")
	if !given {
		command, given = p.lookup("PAGER")
	}
	if !given {
		command = "less"
		if _, err := exec.LookPath(command); err != nil {
			return nil
		}
	}
	if command == "" || command == "cat" {
		return nil
	}
	pager := exec.Command("sh", "-c", command)
	pager.Env = os.Environ()
	if _, given := p.lookup("LESS"); !given {
		pager.Env = append(pager.Env, "LESS=FRX") // stay on the screen, show colours, end at once if all fits
	}
	return pager
}
