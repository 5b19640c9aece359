// Command track records seeds of simulations and executions of agents, judges them against declared targets, and
// reports.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"track"
	"track/internal/sizes"
	"track/reports/escape"
)

// version is set by the linker in releases; see the Makefile.
var version string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal ends a command that the first one cannot, as in a pipe that nobody writes to
	code := run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr, os.LookupEnv)
	stop()
	os.Exit(code)
}

// program is one run of the command: where it reads, writes and looks.
type program struct {
	in        io.Reader
	out       io.Writer
	err       io.Writer                   // for text: nothing that is written to it steers a terminal
	screen    io.Writer                   // standard error as it is, where progress is drawn
	lookup    func(string) (string, bool) // a variable of the environment
	now       func() time.Time
	shared    sharedOptions
	command   string // such as track spec add; empty until it is known
	recording bool   // see records
	delimiter string // see textFormatFlags
	decimal   string
	maxSize   sizes.Size                                      // see maxSizeFlag
	typed     string                                          // the word to be completed, see complete
	insert    func(candidate string) (text string, safe bool) // quotes what the word can become; nil if the shell does
}

// run executes the command line args and returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer, lookup func(string) (string, bool)) int {
	return runAt(ctx, time.Now, args, in, out, errOut, lookup)
}

// runAt is run by a clock.
func runAt(ctx context.Context, now func() time.Time, args []string, in io.Reader, out, errOut io.Writer, lookup func(string) (string, bool)) int {
	answers := &answerOutput{Writer: out}
	p := &program{in: newInterruptible(ctx, in), out: answers, err: escape.Writer(errOut), screen: errOut, maxSize: sizes.Unpacked, lookup: lookup, now: now}
	arranged, err := p.runApp(ctx, args)
	err = p.lost(err, answers.err)
	p.report(err)
	if isHookCall(arranged) {
		return exitOK
	}
	return exitCode(err)
}

// runApp runs the command, and returns the arguments in the order in which it took them. A panic is an error.
func (p *program) runApp(ctx context.Context, args []string) (arranged []string, err error) {
	defer track.CatchPanic(&err)
	if p.completeFor(ctx, args) {
		return nil, nil
	}
	first := ""
	if len(args) > 1 {
		first = args[1]
	}
	app := p.app(first)
	arranged = arrange(app, args)
	return arranged, app.RunContext(ctx, arranged)
}
