package main

import (
	"context"
	"os"
	"os/user"
	"strconv"
	"strings"
	"time"

	"track"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/reports/render"
	"track/store"
)

// commandHelp is what the command line says of a question beyond its declaration.
type commandHelp struct {
	examples string    // commands, one on a line
	progress [2]string // verb and noun of a bar, as in "drawing", "pairs"; empty if no answer takes long
}

// questionCommand returns the command that asks a question and writes the answer.
func questionCommand[Q any, A answer.Answer](p *program, def ask.Def[Q, A], text commandHelp) *cli.Command {
	return commandOf(p, def, text, func(c *cli.Context, q Q) error {
		ctx, end := p.showProgress(c.Context, text.progress)
		defer end()
		answer := func() error { return askAndWrite(ctx, p, def, q) }
		if def.Records(q) {
			return answer()
		}
		return untilInterrupted(ctx, answer)
	})
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

// askAndWrite asks the database or the server, and writes the answer; the error carries the exit code of its
// conclusion.
func askAndWrite[Q any, A answer.Answer](ctx context.Context, p *program, def ask.Def[Q, A], q Q) error {
	from, release, err := sourceFor(ctx, p, def, q)
	if err != nil {
		return err
	}
	defer release()
	var conclusion answer.Conclusion
	write := func(from ask.Source) (err error) {
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
