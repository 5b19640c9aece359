package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/internal/spool"
	"track/remote"
	"track/scoring/format"
	"track/store"
	"track/tracker/exchange"
)

// How long commands wait for the network, and how often they try.
const (
	pushWhileRecording = 50 * time.Millisecond
	pushBeforeReading  = 5 * time.Second
	pushAttempts       = 6
)

type pushOptions struct {
	watch, all, retry bool
	every             time.Duration
}

func (p *program) pushCommand() *cli.Command {
	var o pushOptions
	return &cli.Command{
		Name: "push", Usage: "send to a server what was recorded for it", UsageText: "track push [FLAGS]",
		Description: `What is recorded for a server is kept on this machine first. record sends it if that takes no more than a moment; push sends all that is left.
What the server has already is a duplicate there. Files that the server has are kept for 7 days. If it was restored from an older copy, push
sends again what it has lost.
Lines that the server refuses are kept in a folder of their own, with the reasons. Correct them there, and send them again with --retry; or
delete them.
With --watch it goes on until it is interrupted, and sends new lines as they come, also those of a sweep that runs. It waits for a server that is away. If
the server refuses the token, it ends.
With --all it first keeps the records of a database as lines, named by --db or found: sweeps, seeds, executions of lines and logs, notes and
tags. The answer says what lines do not carry.
Examples:
   track push --server https://track.example.org
   TRACK_SERVER=https://track.example.org TRACK_TOKEN=trk_… track push
   track push --watch --server lab
   track push --all --db results.db --server lab`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "watch", Usage: "go on, and send new lines as they come", Destination: &o.watch},
			&cli.BoolFlag{Name: "all", Usage: "send the records of a database: --db, TRACK_DB, or the one found here", Destination: &o.all},
			&cli.BoolFlag{Name: "retry", Usage: "send again what the server has refused", Destination: &o.retry},
			&cli.DurationFlag{Name: "every", Usage: "look for new lines each `TIME`, with --watch", Value: 2 * time.Second, Destination: &o.every},
		},
		Action: func(c *cli.Context) error {
			switch {
			case c.NArg() > 0:
				return usage("track push takes no arguments")
			case c.IsSet("every") && !o.watch:
				return usage("--every belongs to --watch")
			case o.every < 100*time.Millisecond:
				return usage("--every %s: must be at least 100ms", o.every)
			case o.all && (o.watch || o.retry):
				return usage("--all, --watch and --retry: give one of them")
			}
			return p.push(c.Context, o)
		},
	}
}

func (p *program) push(ctx context.Context, o pushOptions) error {
	address := cmp.Or(p.shared.server, p.getenv("TRACK_SERVER"))
	if address == "" {
		return usage("track push needs a server: --server URL, or TRACK_SERVER")
	}
	client, err := p.clientAt(address)
	if err != nil {
		return err
	}
	dir, err := remote.SpoolDir(client.Address())
	if err != nil {
		return err
	}
	if o.retry {
		if err := p.retryRefused(dir); err != nil {
			return err
		}
	}
	total := answer.NewPushed(client.Address())
	if o.all {
		if total.NotSent, err = p.keepDatabase(ctx, dir); err != nil {
			return err
		}
	}
	pusher := remote.Pusher{Client: client, Dir: dir, Attempts: pushAttempts}
	if o.watch {
		return p.watchPush(ctx, &pusher, o.every)
	}
	restored, restoring := pusher.Restore(ctx)
	a, err := pusher.Push(ctx)
	total.Merge(a)
	total.Restored = restored
	return errors.Join(p.writeAnswer(total), cmp.Or(err, restoring))
}

// keepDatabase keeps the facts of a database as lines in a spool, and returns what lines do not carry.
func (p *program) keepDatabase(ctx context.Context, dir string) (left []answer.SentRecords, err error) {
	path, err := p.ownDatabase()
	if err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, path, p.now)
	if err != nil {
		return nil, err
	}
	defer func() { _ = st.Close() }()
	st.Admit(p.texts())
	p.noticeSpool(path)
	kept := spoolBuffer{program: p, dir: dir}
	bar := p.newProgress("reading", "records", 0)
	defer bar.watch()()
	n := 0
	left, err = exchange.StoredLines(ctx, st, func(line []byte) error {
		n++
		bar.update(n)
		return kept.add(line)
	})
	bar.clear()
	return left, errors.Join(err, kept.close())
}

// watchPush sends what comes into a spool until ctx ends, or the server refuses the token. A server that is away is
// told of once.
func (p *program) watchPush(ctx context.Context, pusher *remote.Pusher, every time.Duration) error {
	const longest = time.Minute
	server, told, pause := pusher.Client.Address(), "", every
	p.notice("sending what is recorded for %s, each %s", server, every)
	total := answer.NewPushed(server)
	total.Watched, pusher.Attempts = true, 1
	for ctx.Err() == nil {
		restored, err := 0, error(nil)
		if told != "" || pause == every && total.Files+total.Open == 0 { // at first, and after the server was away
			restored, err = pusher.Restore(ctx)
		}
		a := answer.NewPushed(server)
		if err == nil {
			a, err = pusher.Push(ctx)
		}
		a.Restored = restored
		total.Merge(a)
		if refused := p.sentError(pusher.Client, a); refused != nil {
			p.notice("%v", refused)
		}
		if a.Recorded+a.Duplicates+a.Conflicts+a.Rejected > 0 {
			p.notice("%s", a.Counts())
		}
		switch {
		case ctx.Err() != nil: // what was not acknowledged is sent again
		case errors.Is(err, remote.ErrRefused):
			return errors.Join(p.writeAnswer(total), err)
		case err != nil:
			if told != err.Error() {
				told = err.Error()
				p.notice("not sent, and tried again: %s", told)
			}
			pause = min(2*pause, longest)
		case told != "":
			p.notice("%s answers again", server)
			told, pause = "", every
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return p.writeAnswer(total)
}

// pushDir returns the folder of what waits for the server that the user names; empty if a database is to be used.
func (p *program) pushDir() (string, error) {
	client, err := p.client()
	if client == nil || err != nil {
		return "", err
	}
	return remote.SpoolDir(client.Address())
}

// writeKept answers for records in a spool. Those for a server are sent, if that takes no more than a moment.
func (p *program) writeKept(a answer.Spooled) error {
	client, err := p.client()
	if client == nil || err != nil {
		return errors.Join(err, p.writeAnswer(a))
	}
	a.Server = client.Address()
	dir, err := remote.SpoolDir(client.Address())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), pushWhileRecording)
	defer cancel()
	pushed, err := (&remote.Pusher{Client: client, Dir: dir, Attempts: 1}).Push(ctx)
	if errors.Is(err, remote.ErrRefused) {
		p.notice("%v", err)
	}
	_, waits := os.Lstat(a.Spool)
	a.Sent = errors.Is(waits, fs.ErrNotExist) && pushed.Refused == 0
	if pushed.Refused == 0 {
		if err := p.writeAnswer(a); err != nil {
			return err
		}
	}
	return p.sentError(client, pushed)
}

// sentError tells what looks like a mistake in lines that were sent, and which lines the server refused. It returns an
// error about the latter; nil if there are none.
func (p *program) sentError(client *remote.Client, a answer.Pushed) error {
	for _, warning := range a.Suspicions.Warnings() {
		p.notice("%s", warning.Text)
	}
	problems := lineProblems{program: p}
	for _, problem := range a.Errors {
		problems.tell(&track.FieldError{Line: problem.Line, Field: problem.Field, Message: problem.Message})
	}
	problems.end()
	refused := a.Rejected + a.Conflicts
	if refused == 0 {
		return nil
	}
	reason := track.ErrInvalid
	if a.Rejected == 0 {
		reason = track.ErrConflict
	}
	if a.RefusedFolder == "" {
		return fmt.Errorf("%w: %s refused %s of a file that its process has not closed", reason, client.Address(), format.Counted(refused, "line"))
	}
	err := fmt.Errorf("%w: %s refused %s, kept in %s", reason, client.Address(), format.Counted(refused, "line"), a.RefusedFolder)
	return track.WithHint(err, answer.RetryHint("push"))
}

// retryRefused moves what a server has refused back into its spool.
func (p *program) retryRefused(dir string) error {
	w, err := p.createSpool(dir)
	if err != nil {
		return err
	}
	return spool.RetryRefused(dir, w)
}

// pushKept sends what a command kept in a file for a server, and tells where it is if that fails.
func (p *program) pushKept(ctx context.Context, client *remote.Client, path string) error {
	if client == nil {
		return nil
	}
	dir, err := remote.SpoolDir(client.Address())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pushBeforeReading)
	defer cancel()
	pushed, err := (&remote.Pusher{Client: client, Dir: dir, Attempts: pushAttempts}).Push(ctx)
	switch {
	case err != nil:
		p.notice("kept in %s, and not sent yet: %v; %s", path, err, shellHint(track.NewHint("send it", "push")))
	default:
		p.notice("sent to %s: %s", client.Address(), format.Counted(pushed.Recorded, "record"))
	}
	return p.sentError(client, pushed)
}

// pushFirst sends what waits for a server before it is asked, and says what is missing in its answer.
func (p *program) pushFirst(ctx context.Context, client *remote.Client) {
	dir, err := remote.SpoolDir(client.Address())
	if err != nil {
		return
	}
	files, err := spool.Files(dir)
	if err != nil || len(files) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, pushBeforeReading)
	defer cancel()
	pushed, err := (&remote.Pusher{Client: client, Dir: dir, Attempts: pushAttempts}).Push(ctx)
	if err := p.sentError(client, pushed); err != nil {
		p.notice("%v", err)
	}
	if n := pushed.Unsent; n > 0 {
		why := "see track push"
		if err != nil {
			why = err.Error()
		}
		p.notice("%s of records %s to be sent, and %s missing in the answer: %s", format.Counted(n, "file"), format.Verb(n, "waits", "wait"), format.Verb(n, "is", "are"), why)
	}
}

// lacking counts the records, by scenario, that the server lacks which the user names; none for a database.
func (p *program) lacking(ctx context.Context) (map[string]int, error) {
	client, err := p.client()
	if client == nil || err != nil {
		return nil, err
	}
	dir, err := remote.SpoolDir(client.Address())
	if err != nil {
		return nil, err
	}
	return client.Lacking(ctx, dir)
}
