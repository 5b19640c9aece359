package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/ask"
	"track/internal/near"
	"track/internal/reportfiles"
	"track/reports/render"
	"track/store"
)

// commandHelp is what the command line says of a question beyond its declaration.
type commandHelp struct {
	examples string    // commands, one on a line
	progress [2]string // verb and noun of a bar, as in "drawing", "pairs"; empty if no answer takes long
}

// questionCommand returns the command that asks a question and writes the answer. If the answer has a picture, a flag
// writes it to a file as well.
func questionCommand[Q any, A answer.Answer](p *program, def ask.Def[Q, A], text commandHelp) *cli.Command {
	picture := ""
	command := commandOf(p, def, text, func(c *cli.Context, q Q) error {
		ctx, end := p.showProgress(c.Context, text.progress)
		defer end()
		answer := func() error { return askAndWrite(ctx, p, def, q, picture) }
		if def.Records(q) {
			return answer()
		}
		return untilInterrupted(ctx, answer)
	})
	if def.Draw != nil {
		flag := &cli.StringFlag{Name: "plot", Usage: "draw the answer into `FILE`.svg", Destination: &picture}
		if _, isParam := def.Params(new(Q)).Find("plot"); isParam {
			flag.Name, flag.Aliases = "output", []string{"o"}
		}
		command.Flags = append(command.Flags, flag)
	}
	return command
}

// customCommand is [questionCommand] for an answer that the command writes in its own way.
func customCommand[Q any, A answer.Answer](p *program, def ask.Def[Q, A], text commandHelp, write func(c *cli.Context, a A) error) *cli.Command {
	return commandOf(p, def, text, func(c *cli.Context, q Q) error {
		from, release, err := sourceFor(c.Context, p, def, q)
		if err != nil {
			return err
		}
		defer release()
		var a A
		ask := func() (err error) {
			a, err = def.Ask(c.Context, from, q)
			return err
		}
		if def.Records(q) {
			err = ask()
		} else {
			err = untilInterrupted(c.Context, ask)
		}
		if err != nil {
			return err
		}
		return write(c, a)
	})
}

// commandOf returns the command that asks a question.
func commandOf[Q any, A answer.Answer](p *program, def ask.Def[Q, A], text commandHelp, act func(c *cli.Context, q Q) error) *cli.Command {
	var q Q
	bound := p.bindParams(def.Name, def.Params(&q), nil)
	words := strings.Fields(def.Name)
	c := &cli.Command{
		Name: words[len(words)-1], Usage: def.Help, UsageText: bound.usageText(), Description: text.description(def.About + exitCodes(def.Concludes)),
		BashComplete: bound.complete(p), Flags: bound.flags(),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			return bound.usageError(act(c, q))
		},
	}
	if def.Write != nil && !def.Notes {
		return p.admitting(c)
	}
	return c
}

func (t commandHelp) description(about string) string {
	examples := strings.TrimSpace(t.examples)
	if examples == "" {
		return about
	}
	heading := "Example:\n   "
	if strings.Contains(examples, "\n") {
		heading = "Examples:\n   "
	}
	if about != "" {
		about += "\n\n"
	}
	lines := strings.Split(examples, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return about + heading + strings.Join(lines, "\n   ")
}

// askAndWrite asks the database or the server, and writes the answer, and its picture if a file is named for that. The
// error carries the exit code of its conclusion.
func askAndWrite[Q any, A answer.Answer](ctx context.Context, p *program, def ask.Def[Q, A], q Q, picture string) error {
	from, release, err := sourceFor(ctx, p, def, q)
	if err != nil {
		return err
	}
	defer release()
	var conclusion answer.Conclusion
	write := func(from ask.Source) (err error) {
		if picture != "" {
			draw := func(w io.Writer) error { return def.WritePicture(ctx, from, q, ask.SVG, w) }
			if err := p.plot(picture, draw); err != nil {
				return err
			}
		}
		conclusion, err = writeAnswer(ctx, p, def, from, q)
		return err
	}
	if def.Read != nil {
		err = ask.Snapshot(ctx, from, write)
	} else {
		err = write(from)
	}
	if err != nil {
		return err
	}
	return conclude(conclusion)
}

// untilInterrupted returns what a command that records nothing returns. If ctx ends and the command does not, because
// it computes, it is left behind: it ends with the process.
func untilInterrupted(ctx context.Context, read func() error) error {
	const patience = 500 * time.Millisecond
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- err }()
		defer track.CatchPanic(&err)
		err = read()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return context.Cause(ctx)
	}
}

// sourceFor returns what answers a question: the server that the user names, or the database. Release must be called
// once unless there is an error.
func sourceFor[Q any, A answer.Answer](ctx context.Context, p *program, def ask.Def[Q, A], q Q) (from ask.Source, release func(), err error) {
	return p.source(ctx, func() (ask.Source, error) {
		st, err := openFor(ctx, p, def, q)
		return sourceOf(st, &q), err
	})
}

// sourceForFiles is [sourceFor] for a question that files answer.
func (p *program) sourceForFiles(ctx context.Context) (from ask.Source, release func(), err error) {
	return p.source(ctx, func() (ask.Source, error) {
		st, err := p.open(ctx)
		return ask.Source{Store: st}, err
	})
}

// source returns the server that the user names, or the database that open opens.
func (p *program) source(ctx context.Context, open func() (ask.Source, error)) (from ask.Source, release func(), err error) {
	client, err := p.client()
	if err != nil {
		return from, nil, err
	}
	if client != nil {
		p.pushFirst(ctx, client)
		return client.Source(), func() {}, nil
	}
	if from, err = open(); err != nil {
		return ask.Source{}, nil, err
	}
	return from, func() { _ = from.Store.Close() }, nil
}

// sourceOf returns the database as what answers a question.
func sourceOf[Q any](st *store.Store, q *Q) ask.Source {
	source := ask.Source{Store: st}
	if _, changes := any(q).(ask.Acting); changes {
		source.Actor = actor()
	}
	return source
}

// actor returns who changes something: the user at this host.
func actor() string {
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return name
}

// openFor opens the database that a question is asked of. An answer that records nothing says if records wait
// elsewhere.
func openFor[Q any, A answer.Answer](ctx context.Context, p *program, def ask.Def[Q, A], q Q) (*store.Store, error) {
	switch {
	case def.Records(q) && def.Creates != nil && def.Creates(q):
		return p.openOrCreate(ctx)
	case def.Records(q):
		return p.openForUpdate(ctx)
	}
	st, err := p.open(ctx)
	if err == nil {
		p.noticeSpool(st.Path())
	}
	return st, err
}

// writeAnswer writes all pages of an answer: one after the other in formats of lines, as a whole in others.
func writeAnswer[Q any, A answer.Answer](ctx context.Context, p *program, def ask.Def[Q, A], from ask.Source, q Q) (answer.Conclusion, error) {
	options := p.renderOptions()
	if options.Format != render.JSONL && options.Format != render.CSV && def.Stream == nil {
		a, err := def.Whole(ctx, from, q)
		if err != nil {
			return answer.Done, err
		}
		return answer.ConclusionOf(a), render.Write(p.out, a, options)
	}
	var limited *answer.Sentence
	conclusion, pages, n := answer.Done, render.NewPages(p.out, options), 0
	for a, err := range def.Pages(ctx, from, q) {
		if err != nil {
			return answer.Done, err
		}
		if err := pages.Write(a); err != nil {
			return answer.Done, err
		}
		conclusion = answer.ConclusionOf(a)
		switch a := any(a).(type) {
		case answer.LimitedAnswer:
			limited = a.Limited()
		case answer.Listing:
			n += a.Len()
			limited = moreThan(n, a)
		}
	}
	if limited != nil {
		p.warn(*limited)
	}
	return conclusion, pages.Close()
}

// moreThan says that a list goes on behind the n items that were written; nil if it does not.
func moreThan(n int, a answer.Listing) *answer.Sentence {
	if a.NextPage() == "" {
		return nil
	}
	return &answer.Sentence{Kind: answer.Warning, Text: "there are more than these " + strconv.Itoa(n) + "; --limit 0 lists all"}
}

// write writes an answer that was not asked for through package ask.
func (p *program) writeAnswer(a answer.Answer) error {
	if err := render.Write(p.out, a, p.renderOptions()); err != nil {
		return err
	}
	return conclude(answer.ConclusionOf(a))
}

func (p *program) renderOptions() render.Options {
	return render.Options{
		Format: render.Format(p.shared.format), SafeCSV: p.shared.safeCSV, Colour: p.getenv("NO_COLOR") == "" && isTerminal(p.out), Hint: shellHint,
		Width: p.pageWidth(), LogWidth: p.logWidth(), WideHint: "--wide shows all",
	}
}

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

// orNearest adds to the error of a database that does not exist which one was probably meant.
func (p *program) orNearest(path string, err error) error {
	if err == nil || store.IsServer(path) || !errors.Is(err, track.ErrNotFound) {
		return err
	}
	if nearest := nearestDatabase(path); nearest != "" {
		return track.WithHint(err, track.Hint{Text: "the nearest database is " + nearest})
	}
	return err
}

// nearestDatabase returns the database whose name is most like that of a file that does not exist: of those in its
// folder, or else the one that a command finds by itself; empty if there is none.
func nearestDatabase(path string) string {
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	var names []string
	for _, entry := range entries {
		if name := entry.Name(); entry.Type().IsRegular() && filepath.Ext(name) == filepath.Ext(store.DefaultFile) {
			names = append(names, name)
		}
	}
	if name := near.Nearest(filepath.Base(path), names); name != "" {
		return filepath.Join(folder, name)
	}
	if len(names) == 1 {
		return filepath.Join(folder, names[0])
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	found, err := store.Find(dir)
	if err != nil {
		return ""
	}
	return found
}

// checkNamed returns an error if the user names a database that does not exist.
func (p *program) checkNamed() error {
	path, err := p.namedDatabase()
	if path == "" || err != nil || store.IsServer(path) {
		return err
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil // what it is shows when it is opened
	}
	return p.orNearest(path, store.NotThere(path))
}

// plot writes what draw draws to a file.
func (p *program) plot(path string, draw func(io.Writer) error) error {
	if !strings.HasSuffix(path, ".svg") {
		return usage("a picture is written to a file that ends in .svg, not to %s", path)
	}
	var drawn bytes.Buffer
	if err := draw(&drawn); err != nil {
		return err
	}
	if err := p.writeOutput(path, func(w io.Writer) error { _, err := drawn.WriteTo(w); return err }); err != nil {
		return err
	}
	p.notice("drew %s", path)
	return nil
}

// writeOutput writes to a file, or to standard output if none is named.
func (p *program) writeOutput(path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(p.out)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

// writeData writes a file whole or not at all, or to standard output. A file that is there is kept, unless it may be
// replaced.
func (p *program) writeData(path string, replace bool, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(p.out)
	}
	file, err := reportfiles.Begin(path, replace)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		file.Discard()
		return err
	}
	return file.Place()
}

// arrange reorders a command line so that flags stand behind their command and before its arguments, wherever the
// user wrote them: the flag package stops at the first argument and would silently ignore what follows. "help A B"
// becomes "A B --help".
func arrange(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	words := args[1:]
	if words[0] == "help" {
		words = append(slices.Clone(words[1:]), "--help")
	}
	var path, flags, arguments []string
	help := false
	commands, current := app.Commands, []cli.Flag(nil)
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			arguments = append(arguments, words[i+1:]...)
			i = len(words)
		case word == "--help" || word == "-h":
			help = true
		case len(word) > 1 && word[0] == '-':
			flags = append(flags, word)
			if i+1 < len(words) && !strings.Contains(word, "=") && takesValue(word, current, commands) {
				i++
				flags = append(flags, words[i])
			}
		default:
			command := find(commands, word)
			if command == nil || len(arguments) > 0 {
				arguments = append(arguments, word)
				continue
			}
			path = append(path, word)
			commands, current = command.Subcommands, command.Flags
		}
	}
	switch unknown := len(arguments) > 0 && len(commands) > 0; {
	case unknown && len(current) == 0: // of a command that does not exist, no flag is known
		flags = nil
	case help && !unknown:
		flags, arguments = []string{"--help"}, nil
	}
	arranged := append([]string{args[0]}, path...)
	arranged = append(arranged, flags...)
	if len(arguments) > 0 {
		arranged = append(append(arranged, "--"), arguments...)
	}
	return arranged
}

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// takesValue says whether a flag is followed by its value. Before the command is known, the flags of the commands
// below decide: those that stand there are shared by all.
func takesValue(word string, flags []cli.Flag, commands []*cli.Command) bool {
	name := strings.TrimLeft(word, "-")
	for _, flag := range flags {
		if slices.Contains(flag.Names(), name) {
			documented, ok := flag.(cli.DocGenerationFlag)
			return ok && documented.TakesValue()
		}
	}
	for _, c := range commands {
		if takesValue(word, c.Flags, c.Subcommands) {
			return true
		}
	}
	return false
}
